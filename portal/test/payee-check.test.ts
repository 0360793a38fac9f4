// What a payer reads of the name of a payee before a payment, and accepts by going on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount, sceneIn } from '../../test/support/fixture.ts'
import { visit } from './support.ts'

test('a payer reads whether the name is right before paying, and pays another one knowingly', async (t) => {
  const visiting = await visit(t, { settings: { PAYEE_CHECK: 'required' } })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const { iban } = (await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)).body
  const payees = `/api/v1/accounts/${from}/beneficiaries`
  const add = async (name: string, at: string) => {
    const asked = { name, iban: at }
    const { body } = await ada.post(`/api/v1/accounts/${from}/payee-checks`, asked)
    const made = await ada.post(payees, { ...asked, payeeCheckId: body.id, acceptPayee: true })
    return made.body.id as string
  }
  await signIn('ada')
  for (const [name, at, told, press, result] of [
    ['Ben Lindqvist', iban, 'The name is that of the holder.', 'Pay €1.00', 'match'],
    [
      'Mallory',
      iban,
      'The account belongs to somebody else.',
      'Pay €1.00 nevertheless',
      'no_match',
    ],
    [
      'Grace Hopper',
      'GB33BUKB20201555555555',
      'The bank of the payee did not tell',
      'Pay €1.00 nevertheless',
      'not_possible',
    ],
  ] as const) {
    const id = await add(name, at)
    bank.clock.advance(11_000)
    await page.goto(`${origin}/portal/transfer?from=${from}&to=${id}`)
    await page.getByLabel('Amount in EUR').fill('1.00')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(told).first().waitFor()
    await page.getByRole('button', { name: press, exact: true }).click()
    const done = result === 'not_possible' ? 'Your payment is accepted.' : 'Your payment was made.'
    await page.getByText(done).first().waitFor()
    const [paid] = (await ada.get(`/api/v1/transfers?accountId=${from}`)).body.items
    assert.deepEqual(paid.payeeCheck, { result, accepted: result !== 'match' })
    await ada.delete(`/api/v1/beneficiaries/${id}`)
  }
  assert.deepEqual(complaints, [])
})

test('a standing order that shall pay another one is changed once the name is accepted', async (t) => {
  const visiting = await visit(t, { settings: { PAYEE_CHECK: 'shown' } })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const { iban } = (await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)).body
  const payees = `/api/v1/accounts/${from}/beneficiaries`
  const first = await ada.post(payees, { name: 'Otto Example', iban: 'DE89370400440532013000' })
  const other = await ada.post(payees, { name: 'Mallory', iban })
  const firstOn = new Date(bank.clock.now() + 86_400_000).toISOString().slice(0, 10)
  const terms = { amount: '12.00', currency: 'EUR', rhythm: 'monthly', firstOn }
  const orders = `/api/v1/accounts/${from}/orders`
  await ada.post(orders, { ...terms, beneficiaryId: first.body.id })
  await signIn('ada')
  await page.goto(`${origin}/portal/orders?account=${from}`)
  await page.getByRole('button', { name: 'More: Otto Example' }).click()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Payee').selectOption(`beneficiary:${other.body.id}`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('The account belongs to somebody else.').waitFor()
  const present = async () => (await ada.get(orders)).body.items[0]
  assert.equal((await present()).beneficiaryId, first.body.id, 'nothing was sent yet')
  await dialog.getByRole('button', { name: 'Change it nevertheless' }).click()
  await page.getByText('The order was changed.').waitFor()
  const { beneficiaryId, payeeCheck, amount } = await present()
  assert.deepEqual(
    [beneficiaryId, payeeCheck, amount],
    [other.body.id, { result: 'no_match', accepted: true }, '12.00'],
  )
  assert.deepEqual(complaints, [])
})
