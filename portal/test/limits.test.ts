// The owner lowers and raises the limits of an account, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

test('a limit is lowered at once, a raise is shown with its time and undone by one press, and a payment above it is explained', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank)
  const limits = async () => (await ada.get(`/api/v1/accounts/${from}/limits`)).body
  const set = async (perPayment: string) => {
    await page.getByRole('button', { name: 'Change your limits' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Most for one payment (EUR)').fill(perPayment)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your limits are saved.').waitFor()
  }
  await signIn('ada')
  await page.goto(`${origin}/portal/accounts/${from}`)
  await page.locator('summary', { hasText: 'Settings' }).click()
  await set('20')
  await page.getByText('€20.00').waitFor()
  await set('30')
  await page.getByText('From 2 Jan 2026, 22:00 on. One payment: €30.00.').waitFor()
  assert.equal((await limits()).next.perPayment, '30.00')
  await assertAccessibleEverywhere(page, 'own limits')
  if (process.env['SHOT']) await page.screenshot({ path: process.env['SHOT'], fullPage: true })
  await page.getByRole('button', { name: 'Undo this' }).click()
  await page.getByText('The limits stay as they are.').waitFor()
  assert.deepEqual([(await limits()).perPayment, (await limits()).next], ['20.00', undefined])
  assert.deepEqual(complaints, [])
  const body = { fromAccountId: from, toAccountId: to, amount: '20.01', currency: 'EUR' }
  assert.equal((await ada.post('/api/v1/transfers', body)).body.limit.name, 'perPayment')
})
