// What the bank books by the portal, and its own accounts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount, readBalance } from '../../test/support/fixture.ts'
import { people } from '../../test/support/world.ts'
import { assertAccessibleEverywhere, loseAnswer, visit } from './support.ts'

test('a fee is reviewed with both balances, booked once, and found in the trial balance', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const accountId = await openAccount(ada)
  await deposit(root, accountId, '100.00')
  await deposit(root, await openAccount(ada, 'JPY'), '700', 'JPY')
  await signIn('root')
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  await page.goto(`${origin}/portal/staff/accounts/${accountId}`)
  await page.getByRole('link', { name: 'Fee or interest' }).click()
  await button('Review').click()
  await page.getByText('Please fill this in.').first().waitFor()
  await assertAccessibleEverywhere(page, 'posting with errors')
  await page.getByLabel('Amount (EUR)').fill('2.50')
  await page.getByLabel('Reason').fill('Account fee January')
  await button('Review').click()
  await page.getByRole('row', { name: /Fees €0.00 €2.50/ }).waitFor()
  await page.getByRole('row', { name: /€100.00 €97.50/ }).waitFor()
  await assertAccessibleEverywhere(page, 'posting, review')
  await button('Book').dblclick()
  await page.getByText('It is booked').waitFor()
  assert.equal(await readBalance(ada, accountId), '97.50')
  await assertAccessibleEverywhere(page, 'posting, done')

  await button('Book another').click()
  await page.getByLabel('What is booked').selectOption('Correct: money in')
  await page.getByLabel('Account of the bank').selectOption('Suspense')
  await page.getByLabel('Amount (EUR)').fill('1')
  await page.getByLabel('Reason').fill('Found')
  await button('Review').click()
  await page.getByRole('row', { name: /Suspense €0.00 .€1.00/ }).waitFor()
  await button('Book').click()
  await page.getByText('It is booked').waitFor()
  assert.equal(await readBalance(ada, accountId), '98.50')

  await page.goto(`${origin}/portal/staff/today`)
  await page.getByRole('row', { name: /All customers €98.50/ }).waitFor()
  await page.getByRole('row', { name: /Total €0.00/ }).waitFor()
  await button('JPY').click()
  await page.getByRole('row', { name: /All customers JP¥700/ }).waitFor()
  await button('EUR').click()
  await assertAccessibleEverywhere(page, 'today, trial balance')
  await page.getByRole('link', { name: 'Fees', exact: true }).click()
  await page.getByRole('row', { name: /Account fee January €2.50 €2.50/ }).waitFor()
  await assertAccessibleEverywhere(page, 'account of the bank')
  const file = page.waitForEvent('download')
  await button('CSV').click()
  assert.match((await file).suggestedFilename(), /^statement-fees-EUR-\d{4}-\d\d\.csv$/)
  await page.getByRole('link', { name: 'Fee', exact: true }).click()
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Fees', exact: true }).waitFor()
  await assertAccessibleEverywhere(page, 'payment of a fee')

  await page.goto(`${origin}/portal/staff/today`)
  await page.getByRole('link', { name: 'Add an account' }).click()
  await page.getByLabel('Name').fill('Card scheme')
  await page.getByLabel('Code').fill('Card scheme')
  await button('Add the account').click()
  await page.getByText('A code has 2 to 30').first().waitFor()
  await assertAccessibleEverywhere(page, 'new account of the bank')
  await page.getByLabel('Code').fill('card-scheme')
  await button('Add the account').click()
  await page.getByRole('link', { name: 'Show the account' }).click()
  await page.getByRole('heading', { name: 'Card scheme (EUR)', level: 1 }).waitFor()

  await page.getByRole('link', { name: 'Clearing' }).click()
  await page.getByRole('link', { name: 'From another bank' }).click()
  await button('Review').click()
  await page.getByText('Please fill this in.').first().waitFor()
  await assertAccessibleEverywhere(page, 'payment from another bank, with errors')
  const { iban } = (await ada.get(`/api/v1/accounts/${accountId}`)).body
  await page.getByLabel('IBAN of the account it is for').fill(iban.toLowerCase())
  await page.getByLabel('Amount').fill('12.5')
  await page.getByLabel('Name of the payer').fill('Otto Example')
  await page.getByLabel('Number of the payment').fill('PAPER-1')
  await button('Review').click()
  await page.getByText('PAPER-1').waitFor()
  await assertAccessibleEverywhere(page, 'payment from another bank, review')
  const sent: (string | null)[] = []
  await page.route('**/incoming-payments', async (route) => {
    sent.push(route.request().postData())
    await (sent.length > 1 ? route.continue() : loseAnswer(route))
  })
  await button('Credit it').click()
  await page.getByText('It is credited').waitFor()
  assert.deepEqual([sent.length, new Set(sent).size], [2, 1])
  assert.equal(await readBalance(ada, accountId), '111.00')
  const others = complaints.filter((text) => !text.includes('net::ERR_CONNECTION_RESET'))
  assert.deepEqual(others, [])
})

const head = 'from\tto\tamount\tcurrency\tkind\treason\tnumber'
/** As a spreadsheet copies them. */
const toRows = (...rows: string[]): string =>
  rows.map((row) => row.replaceAll('|', '\t')).join('\n')

test('rows of postings are checked, reviewed with the sum of each direction, and booked once', async (t) => {
  const visiting = await visit(t, { refusals: [404] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const accountId = await openAccount(ada)
  await deposit(root, accountId, '100.00')
  const { iban } = (await ada.get(`/api/v1/accounts/${accountId}`)).body
  const spaced = iban.replace(/(.{4})(?=.)/g, '$1 ')
  const yen = await openAccount(ada, 'JPY')
  await signIn('root')
  await page.goto(`${origin}/portal/staff/today`)
  await page.getByRole('link', { name: 'Many postings' }).click()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const rows = page.getByLabel('Rows', { exact: true })
  const fill = (...lines: string[]) => rows.fill(toRows(...lines))

  await button('Review').click()
  await page.getByText('Line 1: Please fill this in.').waitFor()
  await fill(
    head,
    `${iban}|fees|many|EUR|fee|A|1`,
    `${iban}|${yen}|1|EUR|fee|A|2`,
    `nowhere at all|fees|1|EUR|fee|A|3`,
    `${iban}|fees|1|XXX|fee|A|4`,
    `${iban}|fees|1|EUR|gift|A|5`,
    `${iban}|fees|1|EUR|fee||6`,
    `${iban}|fees|1|EUR`,
    `${iban}|fees|1|EUR|fee|A|8`,
    `${iban}|fees|2|EUR|fee|A|8`,
    `fees|fees|2|EUR|fee|A|9`,
  )
  await button('Review').click()
  const faults = page.getByRole('alert').getByRole('listitem')
  await faults.first().waitFor()
  assert.deepEqual(
    (await faults.allInnerTexts()).map((text) => text.slice(0, 40)),
    [
      'Line 2: Please enter an amount such as 1',
      'Line 3: One side has to be an account of',
      'Line 4: “nowhere at all” is no IBAN, no ',
      'Line 5: “XXX” is no currency of the bank',
      'Line 6: The kind is none of: Fee, Intere',
      'Line 7: Please fill this in.',
      'Line 8: It has other columns than from;t',
      'Line 10: The number 8 stands twice.',
      'Line 11: Both sides are the same account',
    ],
  )
  await assertAccessibleEverywhere(page, 'many postings, with faults')
  await fill(
    `${iban}|fees|1|JPY|fee|A`,
    `${iban.replace(/^(..)../, '$100')}|fees|1|EUR|fee|A`,
    `${people.ada.id}|fees|1|EUR|fee|A`,
    `card-scheme|fees|1|EUR|fee|A`,
  )
  await button('Review').click()
  await page.getByText(/is no IBAN/).waitFor()
  await fill(
    `${yen}|fees|1|EUR|fee|A`,
    `${people.ada.id}|fees|1|EUR|fee|A`,
    `card-scheme|fees|1|EUR|fee|A`,
  )
  await button('Review').click()
  await page.getByText('Line 1: The currencies do not match.').waitFor()
  await page.getByText(`Line 2: No account has ${people.ada.id}.`).waitFor()
  await page.getByText('Line 3: The bank has no account “card-scheme” in EUR.').waitFor()

  await fill(
    head,
    `${spaced}|fees|2.5|EUR|fee|Account fee March|M-1`,
    `interest|${accountId}|0.42|EUR|Interest|Interest March|`,
    `fees|suspense|1.00|EUR|correction|Moved`,
    `${iban}|fees|1,000,000|EUR|fee|Too much`,
  )
  await button('Review').click()
  await page.getByText('Taken from customers: €1,000,002.50 (2 postings)').waitFor()
  await page.getByText('Paid to customers: €0.42 (1 posting)').waitFor()
  await page.getByText('Between accounts of the bank: €1.00 (1 posting)').waitFor()
  await page.getByRole('row', { name: /2\. Account fee March Fee .* Fees €2\.50/ }).waitFor()
  await assertAccessibleEverywhere(page, 'many postings, review')
  // What was checked is there after a reload.
  await page.reload()
  await page.getByText(spaced).first().waitFor()
  const sent: (string | null)[] = []
  await page.route('**/postings/batch', async (route) => {
    sent.push(route.request().postData())
    await (sent.length > 1 ? route.continue() : loseAnswer(route))
  })
  await button('Book 4 postings').click()
  await page.getByText('3 postings booked.').waitFor()
  await page.getByText('1 posting was refused.').waitFor()
  assert.deepEqual([sent.length, new Set(sent).size], [2, 1])
  assert.equal(await readBalance(ada, accountId), '97.92')
  await page.getByRole('row', { name: /Too much .* There is not enough money/ }).waitFor()
  await assertAccessibleEverywhere(page, 'many postings, result')
  await button('Take up the refused rows').click()
  assert.equal(await rows.inputValue(), `${iban}\tfees\t1000000.00\tEUR\tfee\tToo much\t`)
  const others = complaints.filter((text) => !text.includes('net::ERR_CONNECTION_RESET'))
  assert.deepEqual(others, [])
})

test('under four eyes a posting waits, and the second administrator sees what is booked', async (t) => {
  const settings = { FOUR_EYES: 'createPosting,sendTransfer' }
  const visiting = await visit(t, { settings, refusals: [403] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const accountId = await openAccount(ada)
  await deposit(root, accountId, '100.00')
  await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.both.id])
  await signIn('root')
  await page.goto(`${origin}/portal/staff/accounts/${accountId}/posting`)
  await page.getByLabel('What is booked').selectOption('Charge interest')
  await page.getByLabel('Amount (EUR)').fill('7')
  await page.getByLabel('Reason').fill('Overdraft January')
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('button', { name: 'Book' }).click()
  await page.getByText('waits for the approval of a second person').waitFor()
  assert.equal(await readBalance(ada, accountId), '100.00')
  const second = await visiting.another()
  await signIn('both', second)
  await second.goto(`${origin}/portal/staff/approvals`)
  await second.getByRole('button', { name: /^Approve/ }).click()
  const dialog = second.getByRole('dialog')
  await dialog.getByText('€100.00 → €93.00').waitFor()
  await dialog.getByText('Overdraft January').waitFor()
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await second.getByText('Nothing waits for a second person.').waitFor()
  assert.equal(await readBalance(ada, accountId), '93.00')

  // The bank takes no batch of what waits: each is asked for, once also when it is asked again.
  await page.goto(`${origin}/portal/staff/postings`)
  const rows = [1, 2].map((fee) => `${accountId};fees;${fee};EUR;fee;Fee ${fee}`).join('\n')
  await page.getByLabel('Rows', { exact: true }).fill(rows)
  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('button', { name: 'Book 2 postings' }).click()
  await page.getByText('Each posting waits for a second person here').waitFor()
  await assertAccessibleEverywhere(page, 'many postings that wait')
  const askEach = page.getByRole('button', { name: 'Ask for each' })
  let isCut = true
  await page.route('**/admin/postings', (route) =>
    isCut && /Fee 2/.test(route.request().postData() ?? '')
      ? route.abort('failed')
      : route.continue(),
  )
  await askEach.click()
  await page.getByText('1 of 2 asked for.').waitFor()
  await page.reload()
  isCut = false
  await page.getByRole('button', { name: 'Book 2 postings' }).click()
  await askEach.click()
  await page.getByText('2 postings wait for a second person.').waitFor()
  await page.getByRole('link', { name: 'Waits for a second person' }).first().waitFor()
  const waiting = (await root.get('/api/v1/admin/approvals?status=pending')).body.items
  assert.equal(waiting.length, 2)
  assert.equal(await readBalance(ada, accountId), '93.00')

  // Nor a list of payments to be sent.
  const payee = { name: 'Far Away', iban: 'DE89370400440532013000' }
  const saved = await ada.post(`/api/v1/accounts/${accountId}/beneficiaries`, payee)
  for (const amount of ['1.00', '2.00']) {
    const terms = {
      fromAccountId: accountId,
      beneficiaryId: saved.body.id,
      amount,
      currency: 'EUR',
    }
    assert.equal((await ada.post('/api/v1/transfers', terms)).status, 201)
  }
  await page.goto(`${origin}/portal/staff/clearing`)
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
  await page.getByText('2 payments were refused.').waitFor()
  await page.getByText('waits for the approval of a second person').first().waitFor()
  assert.equal((await root.get('/api/v1/admin/approvals?status=pending')).body.items.length, 4)
  assert.deepEqual(
    complaints.filter((found) => !/ERR_FAILED/.test(found)),
    [],
  )
})

test('a support agent reads accounts of the bank, and is offered no posting', async (t) => {
  const visiting = await visit(t, { refusals: [404] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const ada = await bank.as('ada')
  const accountId = await openAccount(ada)
  await deposit(await bank.as('root'), accountId, '100.00')
  await signIn('agnes')
  await page.goto(`${origin}/portal/staff/accounts/${accountId}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Fee or interest' }).count(), 0)
  await page.goto(`${origin}/portal/staff/bank/cash/EUR`)
  await page.getByRole('row', { name: /Deposit .*€100.00/ }).waitFor()
  // What lies in suspense tells whom it is to be moved on to.
  const { iban } = (await ada.get(`/api/v1/accounts/${accountId}`)).body
  const lost = `${iban.slice(0, 12)}9999999999`
  const terms = { iban: lost, amount: '7.00', currency: 'EUR', externalId: 'A' }
  const from = { debtor: { name: 'Otto Example' }, onRefusal: 'suspense' }
  const root = await bank.login('root')
  const { body } = await root.post('/api/v1/admin/incoming-payments', { ...terms, ...from })
  await page.goto(`${origin}/portal/staff/transfers/${body.id}`)
  await page.getByText('It was for').waitFor()
  await page.getByText(lost).waitFor()
  await page.goto(`${origin}/portal/staff/bank/nostro/EUR`)
  await page.getByText('This does not exist').first().waitFor()
  assert.deepEqual(complaints, [])
})
