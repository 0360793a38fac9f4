// The screens by which staff serve customers: search, person, account, transfer, cash.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertSound, deposit, openAccount, readBalance } from '../../test/support/fixture.ts'
import { indexAll } from '../../test/support/payment-search.ts'
import { people } from '../../test/support/world.ts'
import { assertAccessibleEverywhere, loseAnswer, visit, type Visit } from './support.ts'

const elsewhere = 'DE89370400440532013000'

/** Ada has an account with money, a card, and payments to Ben and to another bank. */
async function scene(bank: Visit['bank']) {
  const [ada, ben, root] = [await bank.as('ada'), await bank.as('ben'), await bank.as('root')]
  const accountId = await openAccount(ada)
  const other = await openAccount(ben)
  await deposit(root, accountId, '1000.00')
  const ibanOf = async (id: string) =>
    (await root.get(`/api/v1/admin/accounts/${id}`)).body.iban as string
  const [iban, otherIban] = [await ibanOf(accountId), await ibanOf(other)]
  const path = `/api/v1/accounts/${accountId}`
  const card = await ada.post(`${path}/cards`, { nickname: 'Groceries' })
  async function pay(to: string, amount: string, reference: string) {
    bank.clock.advance(1)
    const payee = await ada.post(`${path}/beneficiaries`, { name: 'Landlord', iban: to })
    const terms = { amount, currency: 'EUR', reference }
    const body = { fromAccountId: accountId, beneficiaryId: payee.body.id, ...terms }
    const reply = await ada.post('/api/v1/transfers', body)
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id as string
  }
  const paid = await pay(otherIban, '40.00', 'Rent')
  const pending = await pay(elsewhere, '15.00', 'Invoice 7')
  /** A payment that is more than there is, where staff look for it. */
  async function refuse() {
    bank.clock.advance(1)
    const cash = { amount: '5000.00', currency: 'EUR', reason: 'All of it' }
    const reply = await root.post(`/api/v1/admin/accounts/${accountId}/withdrawals`, cash)
    assert.equal(reply.status, 409, reply.text)
    await indexAll(bank)
  }
  const ids = { accountId, other, iban, paid, pending, cardId: card.body.id as string }
  return { ada, ben, root, ...ids, refuse }
}

const group = (iban: string): string => iban.replace(/(.{4})(?=.)/g, '$1 ')

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, level: 1 }).waitFor()

/** The names of the buttons of the screen, without those that only read. */
const controls = async (page: Page): Promise<string[]> => {
  const names = await page
    .locator('main button, main a.button')
    .evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent),
    )
  return names.filter((name) => !/^(Copy|Filter|Apply|All$|This|Last|90|PDF receipt$)/.test(name))
}

test('a support agent finds customers and accounts, reads, and sees no control', async (t) => {
  // An identifier is looked for as each kind of thing; a wrong IBAN is refused.
  const visiting = await visit(t, { refusals: [400, 404] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, accountId, iban, paid, pending, refuse } = await scene(bank)
  await refuse()
  await signIn('agnes')
  const main = page.getByRole('main')
  const search = async (text: string) => {
    // The heading of a new page takes the focus, and the key would go there.
    await page.getByRole('searchbox').fill(text)
    await page.getByRole('searchbox').press('Enter')
  }

  await t.test('the search is the home page and finds people by each of their names', async () => {
    await heading(page, 'Search')
    const waits = page.locator('section', { hasText: 'What waits' })
    await waits.getByRole('link', { name: 'Pending payments' }).waitFor()
    await waits.getByText('up to a day: 1').waitFor()
    await page.getByText('No standing order was refused today.').waitFor()
    assert.equal(await page.getByText('Looked at last').count(), 0)
    await assertAccessibleEverywhere(page, 'search, empty')
    const card = (await ada.get(`/api/v1/accounts/${accountId}/cards`)).body.items[0]
    const four = card.maskedNumber.slice(-4)
    const said = ['oka', 'okafor, ada', 'okafro ada', 'ADA', `okafor ${four}`]
    for (const text of [...said, 'ada@example.com', people.ada.id]) {
      await search(text)
      await main.getByRole('link', { name: 'Ada Okafor' }).waitFor()
      await main.getByRole('link', { name: group(iban) }).waitFor()
      await page.getByText('1 person and 1 account shown.').waitFor()
      assert.equal(new URL(page.url()).searchParams.get('q'), text)
    }
    await assertAccessibleEverywhere(page, 'search, found')
  })

  await t.test('an IBAN, an account and a transfer are recognised', async () => {
    for (const text of [group(iban).toLowerCase(), accountId]) {
      await search(text)
      await main.getByRole('link', { name: group(iban) }).waitFor()
      await main.getByRole('link', { name: 'Ada Okafor' }).waitFor()
    }
    await search(paid)
    await page.getByRole('link', { name: 'Payment', exact: true }).waitFor()
    await search(elsewhere.replace('89', '88'))
    await page.getByText('This is not a valid IBAN').waitFor()
    for (const text of ['nobody at all', '<b>Ada</b>', '\u202eada;', elsewhere]) {
      await search(text)
      await page.getByText('No person and no account was found.').waitFor()
    }
  })

  await t.test('a person, their account and its transfers are read without a control', async () => {
    await search('oka')
    await main.getByRole('link', { name: 'Ada Okafor' }).click()
    await heading(page, 'Ada Okafor')
    await page.getByText('ada@example.com').waitFor()
    await page.getByText('Unknown device').first().waitFor()
    const events = page.locator('section', { hasText: 'Last events' })
    await events.getByText('Add a beneficiary').first().waitFor()
    await events.getByText('Ada Okafor').first().waitFor()
    assert.equal(await page.getByText('All events about this person').count(), 0)
    // What was paid, received and refused stands among them, the newest first.
    await events.getByText('Money out: Payment Landlord · Rent').waitFor()
    const last = await events.getByRole('listitem').allInnerTexts()
    assert.equal(last.length, 10)
    const at = (text: string) => last.findIndex((row) => row.includes(text))
    const places = ['not enough money', 'Invoice 7', 'Rent', 'Money in: Deposit'].map(at)
    assert.ok(!places.includes(-1), last.join('\n'))
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
    )
    await events.getByRole('link', { name: 'Payment', exact: true }).last().click()
    await heading(page, 'Payment')
    await page.goBack()
    const refused = page.locator('section', { hasText: 'Refused lately' })
    await refused.getByText('not enough money').waitFor()
    await page.locator('summary', { hasText: 'Payees' }).click()
    await page.locator('details', { hasText: 'Payees' }).getByText(group(elsewhere)).waitFor()
    await page.locator('summary', { hasText: 'Second factors' }).click()
    await page.getByText('a password alone opens the bank').waitFor()
    // A note is all that an agent adds.
    const note = page.getByRole('button', { name: 'Add a note' })
    await note.waitFor()
    assert.deepEqual(await controls(page), ['Add a note'])
    await page.locator('summary', { hasText: '€945.00 available' }).click()
    const answers = page.locator('details', { hasText: '€945.00 available' })
    await answers.getByText('Groceries').waitFor()
    await answers.getByText('Rent').waitFor()
    await answers.getByRole('heading', { name: 'Standing orders' }).waitFor()
    await assertAccessibleEverywhere(page, 'person, agent')

    await main.getByRole('link', { name: group(iban) }).click()
    await heading(page, `Account ${group(iban)}`)
    await page.getByText('Groceries').waitFor()
    await page.locator('.row', { hasText: '€960.00' }).first().waitFor()
    await note.waitFor()
    assert.deepEqual(await controls(page), ['Add a note'])
    await assertAccessibleEverywhere(page, 'account, agent')

    await main.getByRole('link', { name: 'Landlord' }).last().click()
    await heading(page, 'Payment')
    await page.getByText('€960.00').waitFor()
    await page.getByText('As the payer wrote it').waitFor()
    assert.deepEqual(await controls(page), [])
    await page.goto(`${origin}/portal/staff/transfers/${pending}`)
    await page.getByText('Fernbank').or(page.getByText(elsewhere)).waitFor()
    assert.deepEqual(await controls(page), [])
    await assertAccessibleEverywhere(page, 'transfer, agent')
  })

  await t.test('what was searched is there again after going back', async () => {
    await page.getByRole('link', { name: 'Search' }).click()
    await page.locator('h1:focus', { hasText: 'Search' }).waitFor()
    const last = page.locator('section', { hasText: 'Looked at last' })
    await last.getByRole('link', { name: 'Ada Okafor' }).waitFor()
    await search('oka')
    await main.getByRole('link', { name: 'Ada Okafor' }).click()
    await heading(page, 'Ada Okafor')
    await page.goBack()
    await main.getByRole('link', { name: group(iban) }).waitFor()
    assert.equal(await page.getByRole('searchbox').inputValue(), 'oka')
  })

  await t.test('the screens of administrators do not exist for an agent', async () => {
    await page.goto(`${origin}/portal/staff/accounts/${accountId}/deposit`)
    await heading(page, 'This page does not exist')
  })
  assert.deepEqual(complaints, [])
})

test('an administrator freezes, changes limits and ends sessions, and it takes effect', async (t) => {
  const visiting = await visit(t, { refusals: [400, 409] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const { ada, root, accountId, cardId } = await scene(bank)
  const customer = await another()
  await signIn('ada', customer)
  await signIn('root')
  const open = () => page.goto(`${origin}/portal/staff/accounts/${accountId}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  await t.test('a freeze needs a reason, and the customer sees it at once', async () => {
    await open()
    await button('More').click()
    await button('Freeze the account').click()
    const dialog = page.getByRole('dialog', { name: 'Freeze the account' })
    await dialog.getByRole('button', { name: 'Freeze' }).click()
    await dialog.getByText('Please fill this in.').last().waitFor()
    await assertAccessibleEverywhere(page, 'freeze')
    await dialog.getByLabel('Reason').fill('Reported <stolen>')
    await dialog.getByText('The sign < is not accepted.').last().waitFor()
    await dialog.getByLabel('Reason').fill('Reported stolen')
    await page.keyboard.press('Enter')
    await page.getByText('The account is frozen.').waitFor()
    await button('More').and(page.locator(':focus')).waitFor()
    await customer.reload()
    await customer.getByText('Frozen').first().waitFor()
    const events = await root.get(`/api/v1/admin/audit-events?target=${accountId}&limit=50`)
    const freeze = events.body.items.find(
      ({ action }: { action: string }) => action === 'freezeAccount',
    )
    assert.equal(freeze.detail, 'Reported stolen')

    await page.getByRole('link', { name: 'Pay in cash' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Pay out cash' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: /card ending/ }).count(), 0)
    await button('More').click()
    await button('Unfreeze the account').click()
    await page.getByLabel('Reason').fill('Holder identified')
    await button('Unfreeze').click()
    await page.getByText('The account is active again.').waitFor()
  })

  await t.test('a card that is frozen here stays frozen for the customer', async () => {
    await page.getByRole('button', { name: /^Freeze the card ending in/ }).click()
    await page.getByText('frozen by the bank').waitFor()
    const refused = await ada.post(`/api/v1/cards/${cardId}/unfreeze`)
    assert.equal(refused.status, 403)
    await page.getByRole('button', { name: /^Unfreeze the card ending in/ }).click()
    await page.getByText('frozen by the bank').waitFor({ state: 'detached' })
  })

  await t.test('limits, overdraft and telephone are changed; wrong ones are named', async () => {
    await button('Change').click()
    const daily = page.getByLabel('Daily limit for payments')
    await daily.fill('12 50')
    await button('Save').click()
    await page.getByText('“12 50” can be read in more than one way.').first().waitFor()
    await daily.fill('2,500')
    await page.getByLabel('Overdraft limit').fill('300.5')
    await page.getByLabel('Registered phone').fill('+44 123')
    await button('Save').click()
    await page.getByText('This is not a phone number').first().waitFor()
    await assertAccessibleEverywhere(page, 'settings')
    await page.getByLabel('Registered phone').fill('+44 20 7946 0000')
    await button('Save').click()
    await page.getByText('The settings are saved.').waitFor()
    await page.getByText('€1,245.50').waitFor()
    const { body } = await ada.get(`/api/v1/accounts/${accountId}/settings`)
    assert.deepEqual(body, {
      currency: 'EUR',
      registeredPhone: '+442079460000',
      dailyTransferLimit: '2500.00',
      overdraftLimit: '300.50',
      alertsEnabled: true,
    })
  })

  await t.test('an overdraft limit below the overdraft is refused beside its field', async () => {
    await root.post(`/api/v1/admin/accounts/${accountId}/withdrawals`, {
      amount: '1000.00',
      currency: 'EUR',
      reason: 'Paid out',
    })
    await open()
    await button('Change').click()
    await page.getByLabel('Overdraft limit').fill('')
    await button('Save').click()
    await page.getByText('The account is overdrawn by more than that.').first().waitFor()
    await button('Cancel').click()
    await page.getByText('€300.50').waitFor()
  })

  await t.test('an ended session ends at once on the device of the person', async () => {
    await page.goto(`${origin}/portal/staff/users/${people.ada.id}`)
    await page
      .getByText('All events about this person')
      .or(page.getByText('Show all').first())
      .waitFor()
    await assertAccessibleEverywhere(page, 'person, administrator')
    await page.getByRole('button', { name: 'End the session on Chrome, Linux' }).click()
    await page.getByText('The session on Chrome, Linux has ended.').waitFor()
    await customer.getByRole('link', { name: 'Security' }).click()
    await customer.getByText('Your session was ended from elsewhere.').waitFor()
    await button('More: Sessions').click()
    await button('End all sessions').click()
    await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click()
    await page.getByText('This person is not signed in anywhere.').waitFor()
    assert.equal((await ada.get('/api/v1/me')).status, 401)
  })

  await t.test('the links of the audit extract lead to the events of the person', async () => {
    await page.getByRole('link', { name: 'All events about this person' }).click()
    await heading(page, 'Audit trail')
    assert.equal(new URL(page.url()).searchParams.get('target'), people.ada.id)
  })
  assert.deepEqual(complaints, [])
})

test('money moved by an administrator moves exactly once', async (t) => {
  const visiting = await visit(t, { refusals: [409] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, ben, root, accountId, other, paid, pending } = await scene(bank)
  await signIn('root')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const fill = async (kind: string, amount: string, reason: string) => {
    await page.goto(`${origin}/portal/staff/accounts/${accountId}/${kind}`)
    await page.getByLabel('Amount (EUR)').fill(amount)
    await page.getByLabel('Reason').fill(reason)
    await button('Review').click()
  }
  const transfers = async (reference: string) => {
    const { body } = await root.get(`/api/v1/accounts/${accountId}/transactions?limit=100`)
    return body.items.filter((entry: { reference: string }) => entry.reference === reference).length
  }

  await t.test('a deposit is reviewed, and booked once although clicked twice', async () => {
    await fill('deposit', 'a lot', '')
    await page.getByText('Please enter an amount such as 12.34.').first().waitFor()
    await page.getByText('Please fill this in.').first().waitFor()
    await assertAccessibleEverywhere(page, 'deposit with errors')
    await fill('deposit', '1,250.5', 'At the counter')
    await page.getByRole('row', { name: /€945.00 €2,195.50/ }).waitFor()
    await assertAccessibleEverywhere(page, 'deposit, review')
    await page.reload()
    await button('Pay in').dblclick()
    await page.getByText('The cash is paid in').waitFor()
    await page.getByText('€2,195.50').waitFor()
    assert.equal(await transfers('At the counter'), 1)
    assert.equal(await readBalance(ada, accountId), '2195.50')
    await assertAccessibleEverywhere(page, 'deposit, done')
    await button('Pay in again').click()
    assert.equal(await page.getByLabel('Amount (EUR)').inputValue(), '')
  })

  await t.test('a lost answer is looked for with the same key, also after a reload', async () => {
    await fill('deposit', '5', 'Answer lost')
    const keys: (string | undefined)[] = []
    let isCut = true
    await page.route('**/deposits', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (!isCut) return route.continue()
      // The reload ends a repeat that is under way.
      await loseAnswer(route).catch(() => undefined)
    })
    await button('Pay in').click()
    await page.getByText('The answer was lost.').first().waitFor()
    assert.equal(await transfers('Answer lost'), 1)
    await page.reload()
    await page.getByText('The answer was lost.').first().waitFor()
    isCut = false
    await page.getByText('The cash is paid in').waitFor()
    assert.equal(new Set(keys).size, 1)
    assert.equal(await transfers('Answer lost'), 1)
    assert.equal(await readBalance(ada, accountId), '2200.50')
  })

  await t.test('a withdrawal above what is available is refused in words', async () => {
    await fill('withdrawal', '9,999', 'All of it')
    await page.getByText('This is more than is available.').waitFor()
    await button('Pay out').click()
    await page.getByText('There is not enough money in the account.').waitFor()
    await button('Change the details').click()
    await page.getByLabel('Amount (EUR)').fill('200.50')
    await button('Review').click()
    await button('Pay out').click()
    await page.getByText('The cash is paid out').waitFor()
    assert.equal(await readBalance(ada, accountId), '2000.00')
  })

  await t.test('a transfer is reversed once, after a review of both balances', async () => {
    await page.goto(`${origin}/portal/staff/transfers/${paid}`)
    await button('Review').click()
    await page.getByText('Please fill this in.').first().waitFor()
    await page.getByLabel('Reason').fill('Paid by mistake')
    await button('Review').click()
    await page.getByRole('row', { name: /€40.00 €0.00/ }).waitFor()
    await page.getByRole('row', { name: /€2,000.00 €2,040.00/ }).waitFor()
    await assertAccessibleEverywhere(page, 'reversal, review')
    const same = await page.context().newPage()
    await same.goto(`${origin}/portal/staff/transfers/${paid}`)
    await same.getByLabel('Reason').fill('Paid by mistake')
    await same.getByRole('button', { name: 'Review' }).click()
    await button('Reverse').dblclick()
    await page.getByText('The payment is reversed: the money is back.').waitFor()
    await page.getByText('Brought back by').waitFor()
    assert.equal(await button('Reverse').count(), 0)
    await same.getByRole('button', { name: 'Reverse' }).click()
    await same.getByText('Brought back by').waitFor()
    await same.getByText('This payment has been reversed already.').waitFor()
    assert.equal(await readBalance(ada, accountId), '2040.00')
    assert.equal(await readBalance(ben, other), '0.00')
  })

  await t.test('a pending payment is returned after a question', async () => {
    await page.goto(`${origin}/portal/staff/transfers/${pending}`)
    await button('Return').click()
    await page.getByLabel('Why it came back').selectOption('AC04')
    await button('Yes, return').click()
    await page.getByText('The money is back in its account.').waitFor()
    await page.getByText('Returned', { exact: true }).waitFor()
    assert.equal(await readBalance(ada, accountId), '2055.00')
  })
  await assertSound(bank)
  const others = complaints.filter((text) => !text.includes('net::ERR_CONNECTION_RESET'))
  assert.deepEqual(others, [])
})

test('staff who are customers have both menus and change no account of their own', async (t) => {
  const visiting = await visit(t, { browser: { locale: 'de-DE' } })
  if (!visiting) return
  const { bank, page, origin, complaints } = visiting
  await bank.sql(`update users set roles = '{customer,admin}' where username = 'both'`)
  const both = await bank.as('both')
  const accountId = await openAccount(both)
  await page.goto(`${origin}/portal/staff/accounts/${accountId}`)
  await page.getByLabel('Benutzername').fill('both')
  await page.getByLabel('Passwort', { exact: true }).fill('seven lean kine and a barn')
  await page.keyboard.press('Enter')
  await page.getByText('Niemand ändert das eigene Konto als Personal').waitFor()
  const menu = page.getByRole('navigation', { name: 'Hauptmenü' })
  for (const name of ['Überweisen', 'Suche']) await menu.getByRole('link', { name }).waitFor()
  assert.equal(await page.getByRole('button', { name: /sperren|Ändern/ }).count(), 0)
  assert.equal(await page.getByRole('link', { name: /Bargeld/ }).count(), 0)
  await page.getByRole('link', { name: 'Zu Ihrem Konto als Kunde' }).waitFor()
  await assertAccessibleEverywhere(page, 'own account as staff')
  await page.goto(`${origin}/portal/staff/accounts/${accountId}/deposit`)
  await page.getByText('Niemand ändert das eigene Konto als Personal').waitFor()
  await page.goto(`${origin}/portal/staff/users/${people.both.id}`)
  await page.getByText('Das sind Ihre eigenen Sitzungen.').waitFor()
  assert.equal(await page.getByRole('button', { name: /beenden/i }).count(), 0)

  // An account behind more than a page of newer ones that were closed.
  await bank.sql(
    `insert into accounts (id, owner_id, iban, currency, status, created_at)
     select gen_random_uuid(), owner_id, 'XX' || number, currency, 'closed', created_at
     from accounts, generate_series(1, 120) as number where id = $1`,
    [accountId],
  )
  const frozen = await openAccount(both)
  await bank.sql("update accounts set status = 'frozen' where id = $1", [frozen])
  await page.goto(`${origin}/portal/`)
  await page.locator('.accounts > li').nth(1).waitFor()
  assert.equal(await page.locator('.accounts > li').count(), 2)
  await page.goto(`${origin}/portal/accounts/${accountId}`)
  await page.getByRole('heading', { name: 'Umsätze' }).waitFor()
  assert.deepEqual(complaints, [])
})
