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
