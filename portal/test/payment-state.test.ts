// A payment to another bank as its payer follows it: in words, cancelled while it was not sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount, readBalance, sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, loseAnswer, visit } from './support.ts'

test('a payer cancels a payment that was not sent, once, and is told how each other one stands', async (t) => {
  const visiting = await visit(t, { refusals: [409] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const accountId = await openAccount(ada)
  await deposit(root, accountId, '100.00')
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const saved = await ada.post(`/api/v1/accounts/${accountId}/beneficiaries`, payee)
  const pay = async (reference: string) => {
    const terms = { fromAccountId: accountId, beneficiaryId: saved.body.id, reference }
    const paid = await ada.post('/api/v1/transfers', { ...terms, amount: '7.00', currency: 'EUR' })
    assert.equal(paid.body.status, 'pending', paid.text)
    return paid.body.id as string
  }
  const admin = (id: string) => `/api/v1/admin/transfers/${id}`
  const show = async (id: string) => {
    await page.goto(`${origin}/portal/accounts/${accountId}/entries/${id}`)
    await page.getByText('Grace Hopper').first().waitFor()
  }
  const cancel = page.getByRole('button', { name: 'Cancel the payment' })
  await signIn('ada')

  const first = await pay('First')
  await show(first)
  await page.getByText('You can cancel it until the bank sends it.').waitFor()
  await assertAccessibleEverywhere(page, 'a payment not sent')
  await cancel.click()
  await page.getByText('Cancel the payment of €7.00?').waitFor()
  await assertAccessibleEverywhere(page, 'the question')
  await page.getByRole('button', { name: 'Keep it' }).click()
  assert.equal(await readBalance(ada, accountId), '93.00')
  // The answer is lost: the repetition finds the first one.
  let lost = 0
  await page.route('**/cancel', (route) => (lost++ === 0 ? loseAnswer(route) : route.continue()))
  await cancel.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the payment' }).click()
  await page.getByText('The payment is cancelled. The money is back in your account.').waitFor()
  await page.getByText('It was cancelled before it was sent.').waitFor()
  assert.equal(await cancel.count(), 0)
  assert.equal(lost, 2)
  assert.equal(await readBalance(ada, accountId), '100.00')
  await assertAccessibleEverywhere(page, 'a cancelled payment')
  await page.getByRole('link', { name: 'The money came back: see that entry' }).click()
  await page.getByRole('heading', { name: 'Cancelled payment' }).waitFor()

  // The bank sends it while the person is asked.
  const second = await pay('Second')
  await show(second)
  await cancel.click()
  assert.equal((await root.post(`${admin(second)}/send`, { externalId: second })).status, 200)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the payment' }).click()
  await page.getByText('It can no longer be cancelled.').waitFor()
  assert.equal(await cancel.count(), 0)
  assert.equal(await readBalance(ada, accountId), '93.00')

  await root.post(`${admin(second)}/settle`)
  await show(second)
  await page.getByText('It has arrived at the other bank.').waitFor()
  await root.post(`${admin(second)}/return`, { reasonCode: 'AC04' })
  await show(second)
  await page.getByText('The other bank sent the money back.').waitFor()
  await page.getByText('Reason: The account of the payee is closed.').waitFor()
  const third = await pay('Third')
  await root.post(`${admin(third)}/return`, { reasonCode: 'NARR' })
  await show(third)
  await page.getByText('Reason: The other bank did not take it. It gave the code NARR.').waitFor()
  // That of the lost answer.
  assert.deepEqual(
    complaints.filter((found) => !found.includes('ERR_CONNECTION')),
    [],
  )
})

test('a member cancels its own payment, and is not offered to cancel that of another person', async (t) => {
  const visiting = await visit(t, { settings: { MEMBERS: 'on' } })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const saved = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  const terms = { username: 'ben', rights: 'pay', currency: 'EUR' }
  const invited = await ada.post(`/api/v1/accounts/${from}/members`, terms)
  assert.equal((await ben.post(`/api/v1/members/${invited.body.id}/accept`)).status, 200)
  await signIn('ben')
  const cancel = page.getByRole('button', { name: 'Cancel the payment' })
  const body = { fromAccountId: from, beneficiaryId: saved.body.id, currency: 'EUR' }
  for (const [payer, amount, count] of [
    [ada, '7.00', 0],
    [ben, '8.00', 1],
  ] as const) {
    const paid = await payer.post('/api/v1/transfers', { ...body, amount })
    assert.equal(paid.status, 201, paid.text)
    await page.goto(`${origin}/portal/transfers/${paid.body.id}`)
    await page.getByText('You can cancel it until the bank sends it.').waitFor()
    assert.equal(await cancel.count(), count, amount)
  }
  assert.deepEqual(complaints, [])
})
