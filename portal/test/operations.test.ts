// The screens of daily operations: clearing, people, the audit trail, the bank today.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { assertSound, deposit, openAccount, readBalance } from '../../test/support/fixture.ts'
import { wide } from '../../test/support/limits.ts'
import { readMails } from '../../test/support/mailbox.ts'
import { newProgram } from '../../test/support/service-accounts.ts'
import { people, type World } from '../../test/support/world.ts'
import { texts as ofAudit } from '../../languages/en/portal/audit.ts'
import { texts as common } from '../../languages/en/portal/common.ts'
import { texts as ofOperations } from '../../languages/en/portal/operations.ts'
import { texts as ofPeople } from '../../languages/en/portal/people.ts'
import { assertAccessibleEverywhere, loseAnswer, visit } from './support.ts'

const texts = { ...common, ...ofAudit, ...ofOperations, ...ofPeople }
const elsewhere = 'DE89370400440532013000'
/** Three payments in any second, so that a run over ten has to wait. */
const paymentsPerSecond = 3
const limits = JSON.stringify({
  ...(JSON.parse(wide) as object),
  transfer: { burst: `${paymentsPerSecond}/1s`, sustained: '1000/1h' },
})

type Paid = { id: string; amount: string; from: string }

/** Payments of Ada's to another bank. Each has its amount in its reference. */
async function pay(bank: World, currency: string, amounts: readonly string[]): Promise<Paid[]> {
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const from = await openAccount(ada, currency)
  bank.clock.advance(1000)
  await deposit(root, from, currency === 'JPY' ? '1000' : '1000.00', currency)
  const payee = { name: 'Fernwerk', iban: elsewhere }
  const beneficiary = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  const paid: Paid[] = []
  for (const amount of amounts) {
    bank.clock.advance(1000)
    const reply = await ada.post('/api/v1/transfers', {
      fromAccountId: from,
      beneficiaryId: beneficiary.body.id as string,
      amount,
      currency,
      reference: `Invoice ${amount}`,
    })
    assert.deepEqual([reply.status, reply.body.status], [201, 'pending'], reply.text)
    paid.push({ id: reply.body.id as string, amount, from })
  }
  return paid
}

const readStatus = async (bank: World, { id }: Paid): Promise<string> =>
  (await (await bank.as('root')).get(`/api/v1/transfers/${id}`)).body.status as string

/** The texts of the cells of each row of the only table. */
const readRows = (page: Pick<Page, 'locator'>): Promise<string[][]> =>
  page
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))

/** Shows the filters that are folded. */
const unfold = (page: Page) => page.locator('main form [aria-expanded]').click()

const choose = (page: Page, { amount }: Paid) =>
  page.getByRole('checkbox', { name: `, Invoice ${amount}` }).check()

/** From the end of each 429 to the next request, in milliseconds, by the clock of the browser. */
async function readWaits(posts: readonly Request[]): Promise<number[]> {
  const seen = await Promise.all(
    posts.map(async (post) => ({ status: (await post.response())?.status(), ...post.timing() })),
  )
  return seen.flatMap(({ status, startTime, responseEnd }, index) => {
    const next = seen[index + 1]
    return status === 429 && next ? Math.ceil(next.startTime - (startTime + responseEnd)) : []
  })
}

test('payments to other banks are settled and returned together, each with its own result', async (t) => {
  const visiting = await visit(t, { settings: { LIMITS: limits }, refusals: [409, 429] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const amounts = Array.from({ length: 11 }, (_, number) => `${number + 1}.10`)
  const [euros, dollars] = [
    await pay(bank, 'EUR', amounts),
    await pay(bank, 'USD', ['7.00', '8.00']),
  ]
  const [eleventh, tenth] = [euros[10], euros[9]] as [Paid, Paid]
  const ten = euros.slice(0, 10)
  bank.clock.advance(1000)

  await t.test('an agent sees the payments and who is paid, and no control', async () => {
    const agnes = await another()
    await signIn('agnes', agnes)
    await agnes.goto(`${origin}/portal/staff/clearing`)
    await agnes.getByText('13 payments shown').waitFor()
    const [first = []] = await readRows(agnes)
    assert.match(first[0] ?? '', /\bago$/)
    assert.match(first[1] ?? '', /^Ada Okafor[A-Z]{2}\d\d /)
    assert.match(first[2] ?? '', /^Fernwerk[A-Z]{2}\d\d /)
    assert.equal(await agnes.getByRole('checkbox').count(), 0)
    assert.equal(await agnes.getByRole('button', { name: /^(Settle|Return)/ }).count(), 0)
    await agnes.getByRole('button', { name: 'Sent', exact: true }).click()
    await agnes.getByText('No payment is on its way to another bank.').waitFor()
    await agnes.getByRole('button', { name: 'Not sent yet' }).click()
    await agnes.getByRole('button', { name: 'Invoice 1.10', exact: true }).click()
    const dialog = agnes.getByRole('dialog', { name: 'Payment' })
    await dialog.getByText('Fernwerk').waitFor()
    await dialog.getByText('Ada Okafor').waitFor()
    await assertAccessibleEverywhere(agnes, 'one payment')
  })

  await signIn('root')
  await page.getByRole('link', { name: 'Clearing' }).click()
  await page.getByRole('heading', { name: 'Clearing', level: 1 }).waitFor()
  const status = page.getByRole('status')

  await t.test('ten are settled at the pace of the limit; one was settled meanwhile', async () => {
    for (const payment of ten) await choose(page, payment)
    await page.getByText('10 payments selected').waitFor()
    await page.locator('.bulk').getByText('€56.00').waitFor()
    await assertAccessibleEverywhere(page, 'clearing')
    await page.getByRole('button', { name: 'Settle' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settle 10 payments?' })
    await dialog.getByText('€56.00').waitFor()
    await assertAccessibleEverywhere(page, 'clearing, the question')

    const root = await bank.as('root')
    const before = await root.post(`/api/v1/admin/transfers/${tenth.id}/settle`)
    assert.equal(before.status, 200, before.text)
    const posts: Request[] = []
    page.on('requestfinished', (request) => {
      if (request.method() === 'POST') posts.push(request)
    })
    page.on('response', (response) => {
      if (response.status() === 429) bank.clock.advance(1000)
    })
    await dialog.getByRole('button', { name: 'Settle' }).click()
    await status.getByText('9 payments settled.').waitFor()
    await status.getByText('1 payment had been ended by somebody else.').waitFor()
    // Settled euros without the tenth, 10.10.
    await status.getByText('€45.90').waitFor()
    // What has ended has left the list.
    const left = (await readRows(page)).map((cells) => cells[4])
    for (const { amount } of ten) assert.ok(!left.includes(`Invoice ${amount}`), amount)
    assert.ok(left.includes(`Invoice ${eleventh.amount}`))
    const waits = await readWaits(posts)
    assert.ok(waits.length >= 2, `limited ${waits.length} times`)
    assert.ok(Math.min(...waits) >= 950, `waited ${waits.join(', ')} ms`)
    for (const payment of ten) assert.equal(await readStatus(bank, payment), 'completed')
    assert.equal(await readStatus(bank, eleventh), 'pending')
    await assertAccessibleEverywhere(page, 'clearing, results')
  })

  await t.test('two are returned: their money is back', async () => {
    await page.getByRole('button', { name: 'Refresh the list' }).click()
    await page.getByText('3 payments shown').waitFor()
    for (const payment of dollars) await choose(page, payment)
    await page.locator('.bulk').getByText('US$15.00').waitFor()
    await page.getByRole('button', { name: 'Return' }).click()
    const dialog = page.getByRole('dialog', { name: 'Return 2 payments?' })
    await dialog.getByText('US$15.00').waitFor()
    await dialog.getByRole('button', { name: 'Return' }).click()
    await dialog.getByText('Please correct 1 field').waitFor()
    await assertAccessibleEverywhere(page, 'clearing, a return without a reason')
    await dialog.getByLabel('Why it came back').selectOption('MD07')
    await dialog.getByRole('button', { name: 'Return' }).click()
    await status.getByText('2 payments returned.').waitFor()
    const root = await bank.as('root')
    for (const { id } of dollars) {
      const { body } = await root.get(`/api/v1/transfers/${id}`)
      assert.deepEqual([body.status, body.reasonCode], ['returned', 'MD07'])
    }
    assert.equal(await readBalance(await bank.as('ada'), dollars[0]?.from ?? ''), '1000.00')
  })

  await t.test(
    'one is sent, once although its answer is lost, and then lies among those sent',
    async () => {
      bank.clock.advance(1000)
      const posts: (string | null)[] = []
      await page.route('**/send', async (route) => {
        posts.push(route.request().postData())
        await loseAnswer(route)
      })
      await choose(page, eleventh)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Send 1 payment?' })
      await dialog.getByText('can no longer cancel it').waitFor()
      await assertAccessibleEverywhere(page, 'clearing, sending')
      await dialog.getByRole('button', { name: 'Send' }).click()
      await status.getByText('1 payment sent.').waitFor()
      assert.deepEqual(posts, [JSON.stringify({ externalId: `sent-${eleventh.id}` })])
      assert.equal(await readStatus(bank, eleventh), 'sent')
      await page.getByRole('button', { name: 'Sent', exact: true }).click()
      await page.getByText('1 payment shown').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).count(), 0)
    },
  )

  await t.test(
    'a lost answer is looked for: the payment itself tells what became of it',
    async () => {
      bank.clock.advance(1000)
      const root = await bank.as('root')
      let sent = 0
      await page.route('**/settle', async (route) => {
        if (sent++ > 0) return route.continue()
        const { pathname } = new URL(route.request().url())
        const reply = await root.post(pathname.replace('/portal', ''))
        assert.equal(reply.status, 200, reply.text)
        await route.abort()
      })
      await choose(page, eleventh)
      await page.getByRole('button', { name: 'Settle' }).click()
      // It is there until the next request.
      const checking = page.getByText(texts.clearing.checking).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Settle' }).click()
      await checking
      await status.getByText('1 payment settled.').waitFor()
      await page.getByRole('button', { name: 'Refresh the list' }).click()
      await page.getByText('No payment is on its way').waitFor()
      await assertAccessibleEverywhere(page, 'clearing, empty')
    },
  )

  await assertSound(bank)
  assert.deepEqual(
    complaints.filter((found) => !/ERR_FAILED|ERR_CONNECTION_RESET/.test(found)),
    [],
  )
})

test('people are created by invitation, found and disabled', async (t) => {
  const visiting = await visit(t, { refusals: [400, 409] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const clara = await another()
  await signIn('root')
  const field = (label: string) => page.getByLabel(label, { exact: true })
  /** What is said beside the field. */
  const said = async (label: string) => {
    const id = await field(label).getAttribute('aria-describedby')
    return page.locator(`[id="${id?.split(' ').at(-1)}"]`).textContent()
  }

  await t.test(
    'a user name and an e-mail address in use are told beside their fields',
    async () => {
      await page.getByRole('link', { name: 'Users' }).click()
      await page.getByRole('link', { name: 'Create a person' }).click()
      const create = page.getByRole('button', { name: 'Create a person' })
      await create.click()
      await page.getByText('Please correct 4 fields').waitFor()
      await page.getByRole('button', { name: 'Family name: Please fill this in.' }).click()
      await page.locator('[name=familyName]:focus').waitFor()
      await assertAccessibleEverywhere(page, 'new person with errors')
      await field('User name').fill('ada')
      await field('Given name').fill('Clara')
      await field('Family name').fill('Haskil')
      await field('E-mail address').fill('clara@example.com')
      await field('Phone (optional)').fill('+44 20 7946')
      await create.click()
      await page.getByText(texts.users.unfitPhone).first().waitFor()
      assert.equal(await said('Phone (optional)'), texts.users.unfitPhone)
      await field('Phone (optional)').fill('+44 20 7946 0000')
      await field('Language').selectOption('en')
      await create.click()
      await page.getByText(texts.users.usernameTaken).first().waitFor()
      assert.equal(await said('User name'), texts.users.usernameTaken)
      await field('User name').fill('clara')
      await field('E-mail address').fill('Ada@example.com')
      await create.click()
      await page.getByText(texts.users.emailTaken).first().waitFor()
      assert.equal(await said('E-mail address'), texts.users.emailTaken)
    },
  )

  await t.test('the link of the mail leads to a password, and that to the bank', async () => {
    await page.reload()
    assert.equal(await field('Given name').inputValue(), 'Clara', 'what was typed is kept')
    await field('E-mail address').fill('clara@example.com')
    await page.getByRole('button', { name: 'Create a person' }).click()
    await page.getByText('gets a mail at clara@example.com').waitFor()
    await assertAccessibleEverywhere(page, 'new person, created')
    const mail = (await readMails(bank)).find(({ to }) => to?.[0]?.address === 'clara@example.com')
    const link = /https:\S+/.exec(mail?.text ?? '')?.[0] ?? assert.fail(mail?.text)
    const { pathname, hash } = new URL(link)
    await clara.goto(origin + pathname + hash)
    await clara.getByLabel('New password').fill('four green birds on a wire')
    await clara.getByRole('button', { name: 'Set password' }).click()
    await clara.getByText('Your password is set.').waitFor()
    await clara.getByLabel('User name or e-mail address').fill('clara')
    await clara.getByLabel('Password', { exact: true }).fill('four green birds on a wire')
    await clara.keyboard.press('Enter')
    await clara.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
    const { body } = await (await bank.as('root')).get('/api/v1/admin/users?username=clara')
    const { phone, address, language, roles } = body.items[0]
    assert.deepEqual([phone, address, language, roles], ['+442079460000', null, 'en', ['customer']])
  })

  await t.test(
    'people are found by role, status and name; the address keeps the filters',
    async () => {
      await page.goto(`${origin}/portal/staff/users`)
      await page.getByText('6 people shown').waitFor()
      await assertAccessibleEverywhere(page, 'people')
      const names = async () => (await readRows(page)).map(([name]) => name)
      await unfold(page)
      await field('Role').selectOption('Support agent')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('2 people shown').waitFor()
      assert.deepEqual(await names(), ['Both Hybrid', 'Agnes Moreau'])
      assert.equal(new URL(page.url()).search, '?role=support-agent')
      await page.reload()
      await page.getByText('2 people shown').waitFor()
      await page.getByRole('button', { name: texts.common.clearFilters }).click()
      await page.getByText('6 people shown').waitFor()
      for (const [typed, expected] of [
        ['hask', ['Clara Haskil']],
        ['BEN', ['Ben Lindqvist']],
        ['root@example.com', ['Root Keeper']],
        ['clar', ['Clara Haskil']],
        ['nobody at all', []],
      ] as const) {
        await page.getByRole('searchbox').fill(typed)
        await page.keyboard.press('Enter')
        const count = `${expected.length} ${expected.length === 1 ? 'person' : 'people'} shown`
        await page.getByText(expected.length === 0 ? texts.users.none : count).waitFor()
        assert.deepEqual(await names(), expected)
      }
      await page.getByRole('searchbox').fill('<b>')
      await page.keyboard.press('Enter')
      await page.getByText('The sign < is not accepted.').waitFor()
    },
  )

  await t.test(
    'a person whose login is disabled is out at once, and in again when it is enabled',
    async () => {
      await page.goto(`${origin}/portal/staff/users?search=clara`)
      await page.getByRole('link', { name: 'Clara Haskil' }).click()
      await page.locator('summary', { hasText: 'Change contact data' }).click()
      await page.getByRole('button', { name: 'Disable the login' }).click()
      const dialog = page.getByRole('dialog', { name: 'Disable the login' })
      await dialog.getByText('signed out everywhere at once').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Disable the login' }).click()
      await dialog.getByRole('button', { name: 'Disable the login' }).click()
      await page.getByText(texts.users.disabled).waitFor()
      await assertAccessibleEverywhere(page, 'a person, disabled')
      await clara.getByRole('link', { name: 'Security' }).click()
      await clara.getByText('Your session was ended from elsewhere.').waitFor()
      const signInAgain = async () => {
        await clara.getByLabel('User name or e-mail address').fill('clara')
        await clara.getByLabel('Password', { exact: true }).fill('four green birds on a wire')
        await clara.keyboard.press('Enter')
      }
      await signInAgain()
      await clara.getByText('User name or password is not right.').waitFor()
      await page.getByRole('button', { name: 'Enable the login' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Enable the login' }).click()
      await page.getByText(texts.users.enabled).waitFor()
      await signInAgain()
      await clara.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
    },
  )

  await t.test('an administrator who is disabled leaves a list of the keys to renew', async () => {
    const program = await newProgram(bank)
    await bank.sql(
      `with person as (
         update users set roles = '{customer,admin}' where username = 'clara' returning id
       )
       update service_keys set issued_by = person.id from person where service_keys.id = $1`,
      [program.keyId],
    )
    await page.reload()
    await page.locator('summary', { hasText: 'Change contact data' }).click()
    const press = async (name: string) => {
      await page.getByRole('button', { name }).click()
      await page.getByRole('dialog').getByRole('button', { name }).click()
    }
    await press('Disable the login')
    await page.getByText(texts.users.knownKeysMeaning).waitFor()
    const listed = `Program: ${program.keyId} of ${program.id}`
    await page.getByRole('listitem').filter({ hasText: listed }).waitFor()
    await assertAccessibleEverywhere(page, 'a former administrator')
    await press('Enable the login')
    await bank.sql(`update users set roles = '{customer}' where username = 'clara'`)
    await page.reload()
    await page.locator('summary', { hasText: 'Change contact data' }).click()
  })

  await t.test('contact data and roles are changed; only what was changed is sent', async () => {
    await field('Phone (optional)').fill('')
    await field('Postal address (optional)').fill('12 Quay Street, Dublin')
    await field('Language').selectOption('de')
    await page.getByRole('checkbox', { name: /^Support agent/ }).check()
    // What is saved is read again late.
    const late = Promise.withResolvers<void>()
    await page.route(/\/admin\/users\/[^/?]+$/, async (route) => {
      if (route.request().method() === 'GET') await late.promise
      await route.continue()
    })
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    assert.deepEqual((await sent).postDataJSON(), {
      phone: null,
      address: '12 Quay Street, Dublin',
      language: 'de',
      roles: ['customer', 'support-agent'],
    })
    await page.getByText('Saved.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(texts.users.nothingChanged).waitFor()
    late.resolve()
    await field('E-mail address').fill('ben@example.com')
    await page.getByText(texts.users.newEmail).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(texts.users.emailTaken).first().waitFor()
    assert.equal(await said('E-mail address'), texts.users.emailTaken)

    await page.goto(`${origin}/portal/staff/users/${people.root.id}`)
    await page.locator('summary', { hasText: 'Change contact data' }).click()
    await page.getByRole('checkbox', { name: /^Administrator/ }).uncheck()
    await page.getByRole('checkbox', { name: /^Customer/ }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(texts.users.lastAdmin).waitFor()
  })

  await t.test('an agent sees people and no control to create or change them', async () => {
    const agnes = await another()
    await signIn('agnes', agnes)
    await agnes.getByRole('link', { name: 'Users' }).click()
    await agnes.getByText('6 people shown').waitFor()
    assert.equal(await agnes.getByRole('link', { name: 'Create a person' }).count(), 0)
    await agnes.getByRole('link', { name: 'Clara Haskil' }).click()
    await agnes.getByText('clara@example.com').waitFor()
    assert.equal(await agnes.getByRole('button', { name: /^(Save|Disable)/ }).count(), 0)
    await agnes.goto(`${origin}/portal/staff/users/new`)
    await agnes.getByRole('heading', { name: texts.missing.title, level: 1 }).waitFor()
  })

  assert.deepEqual(complaints, [])
})

test('the audit trail and the totals of the day show what the API answers', async (t) => {
  const visiting = await visit(t, { refusals: [403, 404] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const [euros] = [await pay(bank, 'EUR', ['1.50', '2.25']), await pay(bank, 'JPY', [])]
  const [ben, root] = [await bank.as('ben'), await bank.as('root')]
  for (const { id } of euros) await ben.get(`/api/v1/transfers/${id}`)
  await ben.get('/api/v1/admin/overview')
  const wrong = { username: 'ben', password: 'not the password' }
  await bank.send('POST', '/api/v1/auth/login', { body: wrong })
  const { from } = euros[0] as Paid
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Reported lost' })
  await signIn('root')

  /** The rows that the API gives, as the page words them. */
  const expected = async (query: string) => {
    const { body } = await root.get(`/api/v1/admin/audit-events?limit=50${query}`)
    return (body.items as { action: string; outcome: string }[]).map(({ action, outcome }) => [
      texts.audit.actions[action as keyof typeof texts.audit.actions],
      texts.audit.outcomes[outcome as keyof typeof texts.audit.outcomes],
    ])
  }
  const shown = async () =>
    (await readRows(page)).map(([, , action, , outcome]) => [action, outcome])

  await t.test(
    'filters give the same rows as the API, and the address is a link to them',
    async () => {
      const filter = async (query: string, count: number) => {
        await page.goto(`${origin}/portal/staff/audit?reads=true&${query}`)
        const told = `${count} ${count === 1 ? 'event' : 'events'} shown`
        await page.getByText(count === 0 ? texts.audit.none : told).waitFor()
        assert.deepEqual(await shown(), await expected(`&${query}`), query)
      }
      await filter('outcome=forbidden', 3)
      await filter(`actorId=${people.ben.id}&action=getTransfer`, 2)
      await filter(`target=${from}&action=freezeAccount`, 1)
      await filter('outcome=failure&from=2026-01-02&to=2026-01-02', 1)
      await filter('outcome=failure&from=2026-01-03', 0)
      await filter('outcome=forbidden', 3)

      await unfold(page)
      await page.getByLabel('Person').fill('nobody')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText(texts.audit.unknownPerson).waitFor()
      await page.getByLabel('Person').fill('ben')
      await page.getByLabel('Action').selectOption(texts.audit.actions.getTransfer)
      await page.getByLabel('Target').fill('not an identifier')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText(texts.audit.unfitId).waitFor()
      await assertAccessibleEverywhere(page, 'audit trail with an error')
      await page.getByLabel('Target').fill('')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('2 events shown').waitFor()
      const { searchParams } = new URL(page.url())
      assert.deepEqual(Object.fromEntries(searchParams), {
        actorId: people.ben.id,
        action: 'getTransfer',
        outcome: 'forbidden',
        reads: 'true',
      })
      await assertAccessibleEverywhere(page, 'audit trail')
    },
  )

  await t.test('one event is told whole, by an address of its own', async () => {
    const { body } = await root.get(`/api/v1/admin/audit-events?target=${from}`)
    const event = body.items.find(({ action }: { action: string }) => action === 'freezeAccount')
    await page.goto(`${origin}/portal/staff/audit?target=${from}&action=${event.action}`)
    await page.getByRole('button', { name: 'Details: Freeze an account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Event' })
    for (const text of [
      event.requestId,
      event.id,
      from,
      'Reported lost',
      'Root Keeper',
      'Ada Okafor',
      'Freeze an account',
    ]) {
      await dialog
        .getByText(text as string, { exact: true })
        .first()
        .waitFor()
    }
    await assertAccessibleEverywhere(page, 'one event')
    const address = new URL(page.url())
    assert.equal(address.searchParams.get('event'), event.id)
    await page.goto(`${origin}/portal/staff/audit?outcome=failure&event=${event.id}`)
    await dialog.getByText('Reported lost').waitFor()
    await dialog.getByRole('link', { name: 'Events of this request' }).click()
    await page.getByText('1 event shown').waitFor()
    assert.equal(await dialog.count(), 0)
    assert.deepEqual(await shown(), await expected(`&requestId=${event.requestId}`))
    await page.goto(`${origin}/portal/staff/audit?outcome=failure&event=${from}`)
    await dialog.getByText('This does not exist or no longer exists.').waitFor()
  })

  await t.test('a program is told by its name, and what it read in words', async () => {
    const program = await newProgram(bank, { operations: ['findAccounts'] })
    await program.get(`/api/v1/admin/accounts?ownerId=${people.ada.id}&limit=5`)
    await page.goto(`${origin}/portal/staff/audit?actorId=${program.id}`)
    await page.getByText(texts.audit.none).waitFor()
    await page.getByLabel('Changes only').uncheck()
    const link = page.getByRole('table').getByRole('link', { name: 'Program', exact: true })
    await link.waitFor()
    await page.getByRole('button', { name: 'Details: Search accounts' }).click()
    const dialog = page.getByRole('dialog', { name: 'Event' })
    await dialog.getByText('Holder', { exact: true }).waitFor()
    assert.doesNotMatch(await dialog.innerText(), /ownerId|limit/)
    await dialog.getByRole('link', { name: 'Program', exact: true }).click()
    await page.getByRole('heading', { name: 'Program', level: 1 }).waitFor()
  })

  await t.test(
    'the totals of the day are those of the API; an agent sees no link that is refused',
    async () => {
      const agnes = await another()
      await signIn('agnes', agnes)
      await agnes.getByRole('link', { name: 'Today' }).click()
      await agnes.getByRole('heading', { name: 'The bank today', level: 1 }).waitFor()
      const { body } = await root.get('/api/v1/admin/overview')
      const figure = (name: string) =>
        agnes.locator('.figures > div', { hasText: name }).locator('dd').textContent()
      assert.equal(await figure('Pending payments'), '2')
      assert.equal(await figure('Live sessions'), String(body.liveSessions))
      assert.equal(await figure('Active people'), String(body.users.active))
      assert.equal(await figure('Disabled people'), String(body.users.disabled))
      assert.deepEqual((await readRows(agnes)).slice(0, 2), [
        ['EUR', '1', '€996.25', '2', '€3.75'],
        ['JPY', '1', 'JP¥1,000', '0', 'JP¥0'],
      ])
      const refusals = agnes.getByRole('table', { name: 'In the last 24 hours' })
      assert.deepEqual(
        (await readRows(refusals)).map(([, count]) => Number(count)),
        [body.refusals.failure, body.refusals.limited, body.refusals.forbidden],
      )
      await agnes.getByText('The books have never been verified.').waitFor()
      assert.equal(await agnes.locator('a[href*="/audit"]').count(), 0)
      assert.equal(await agnes.getByRole('link', { name: 'Audit trail' }).count(), 0)
      await agnes.goto(`${origin}/portal/staff/audit`)
      await agnes.getByRole('heading', { name: texts.missing.title, level: 1 }).waitFor()
      await page.goto(`${origin}/portal/staff/today`)
      await page.getByRole('link', { name: 'Failed sign-ins' }).waitFor()
      await assertAccessibleEverywhere(page, 'today')
    },
  )

  assert.deepEqual(complaints, [])
})
