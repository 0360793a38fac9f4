// Staff look payments up in the one box, in a real browser, and see why one was refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sceneIn } from '../../test/support/fixture.ts'
import { indexAll } from '../../test/support/payment-search.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

test('support finds a payment by IBAN, amount and day, words and number, and why one was refused', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { from, to, ada } = await sceneIn(bank, '50.00')
  const eur = (amount: string) => ({ amount, currency: 'EUR' })
  const payee = { name: 'Otto Example', iban: 'DE89370400440532013000' }
  const added = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  const beneficiaryId = added.body.id as string
  const pay = (body: object) => ada.post('/api/v1/transfers', { fromAccountId: from, ...body })
  const made = await pay({ ...eur('12.50'), beneficiaryId, reference: 'Rent February' })
  assert.equal(made.status, 201, made.text)
  bank.clock.advance(1)
  await pay({ ...eur('4.00'), toAccountId: to, reference: 'Savings' })
  bank.clock.advance(1)
  assert.equal((await pay({ ...eur('900.00'), beneficiaryId })).body.code, 'insufficient_funds')
  await indexAll(bank)
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body

  await signIn('agnes')
  const row = page.locator('.rows > li')
  const find = async (text: string) => {
    await page.goto(`${origin}/portal/staff`)
    const box = page.getByLabel('Customer, account or payment')
    await box.fill(text)
    await box.press('Enter')
    await page.getByText('A payment is found some seconds after').waitFor()
    return page.getByRole('heading', { name: 'Payments' }).locator('..')
  }
  await find(iban)
  const refused = row.filter({ hasText: 'Refused payment' })
  await refused.getByText('not enough money').waitFor()
  assert.match(await refused.innerText(), /to DE89…3000/)
  assert.equal(await row.filter({ hasText: 'Savings' }).count(), 1)
  await assertAccessibleEverywhere(page, 'payments that were found')
  if (process.env['SHOT']) await page.screenshot({ path: process.env['SHOT'], fullPage: true })
  for (const typed of [
    '12.50 EUR 2026-01-02',
    '€12.50 2/1/2026',
    'rent FEBRUARY',
    'DE89 3704 0044 0532 0130 00',
    String(made.body.id).replaceAll('-', ''),
  ]) {
    await find(typed)
    await row.filter({ hasText: 'Rent February' }).waitFor()
    assert.equal(await row.filter({ hasText: 'Savings' }).count(), 0, typed)
  }
  await row.filter({ hasText: 'Rent February' }).getByRole('link', { name: 'Payment' }).click()
  await page.waitForURL(`**/portal/staff/transfers/${made.body.id}`)
  await find('99.99 EUR 2026-01-02')
  await page.getByText('No payment was found.').waitFor()
  assert.deepEqual(complaints, [])
})
