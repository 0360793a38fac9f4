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

test('under four eyes a posting waits, and the second administrator sees what is booked', async (t) => {
  const visiting = await visit(t, { settings: { FOUR_EYES: 'createPosting' } })
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
  assert.deepEqual(complaints, [])
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
