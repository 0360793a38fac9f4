// A customer chooses which mails are sent and below which balance, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

test('a customer switches mails on and off in the profile, sees which are always sent, and chooses an amount for an account', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  await signIn('ada')
  await page.goto(`${origin}/portal/profile`)
  await page.getByText('Money arrived from somebody else').click()
  await page.getByText('Your choice is saved.').waitFor()
  await page.getByText('A card payment was declined').click()
  await page
    .getByRole('checkbox', { name: 'A card payment was declined', checked: false })
    .waitFor()
  await page.locator('summary', { hasText: 'Always sent' }).click()
  await page.getByText('A login from a new device').waitFor()
  const { notices } = (await ada.get('/api/v1/me/notices')).body
  const channelOf = (kind: string) =>
    notices.find((one: { kind: string }) => one.kind === kind).channel
  assert.deepEqual(['money-arrived', 'card-declined', 'payment'].map(channelOf), [
    'mail',
    'off',
    'mail',
  ])
  await assertAccessibleEverywhere(page, 'notices')
  if (process.env['SHOT']) {
    await page.screenshot({ path: `${process.env['SHOT']}-profile.png`, fullPage: true })
  }
  await page.goto(`${origin}/portal/accounts/${from}`)
  await page.locator('summary', { hasText: 'Settings' }).click()
  await page.getByText('No notice').waitFor()
  await page.getByRole('button', { name: 'Choose an amount' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Mail me below (EUR)').fill('1,000.001')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.locator('.error').first().waitFor()
  await dialog.getByLabel('Mail me below (EUR)').fill('50')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('€50.00').waitFor()
  const { body } = await ada.get(`/api/v1/accounts/${from}/notices`)
  assert.equal(body.balanceBelow, '50.00')
  await assertAccessibleEverywhere(page, 'notice of a balance')
  if (process.env['SHOT']) {
    await page.screenshot({ path: `${process.env['SHOT']}-account.png`, fullPage: true })
  }
  assert.deepEqual(complaints, [])
})
