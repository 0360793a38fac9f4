// Sentences that say what to do: of a limit, an IBAN without an account, a payment on its way, a
// text that was cut, and a file that has to wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount, sceneIn } from '../../test/support/fixture.ts'
import { wide } from '../../test/support/limits.ts'
import type { ApiClient } from '../../test/support/world.ts'
import { visit } from './support.ts'

const elsewhere = 'GB33BUKB20201555555555'

async function addPayee(ada: ApiClient, from: string, iban: string, name: string): Promise<string> {
  const path = `/api/v1/accounts/${from}/beneficiaries`
  const added = await ada.post(path, { name, iban })
  assert.equal(added.status, 201, added.text)
  return added.body.id
}

test('a payment beyond the daily limit is told the limit, what is left, and until when', async (t) => {
  const visiting = await visit(t, { refusals: [409] })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, root, from, to } = await sceneIn(bank)
  const settings = { dailyTransferLimit: '50.00' }
  assert.equal((await root.patch(`/api/v1/accounts/${from}/settings`, settings)).status, 200)
  const body = { fromAccountId: from, toAccountId: to, amount: '12.00', currency: 'EUR' }
  assert.equal((await ada.post('/api/v1/transfers', body)).status, 201)
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await page.getByLabel('To', { exact: true }).selectOption(`account:${to}`)
  await page.getByLabel('Amount in EUR').fill('40')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /^Pay €/ }).click()
  const told = page.getByText('The daily limit is €50.00. €38.00 of it are left')
  await told.waitFor()
  // Midnight UTC in Berlin.
  assert.match((await told.textContent()) ?? '', /until 3 Jan 2026, 01:00\./)
})

test('a payment to an IBAN of this bank that no account has says so; one to another bank is accepted', async (t) => {
  const visiting = await visit(t, { refusals: [409] })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const closed = await openAccount(ben)
  const { iban } = (await ben.get(`/api/v1/accounts/${closed}`)).body
  assert.equal((await ben.delete(`/api/v1/accounts/${closed}`)).status, 204)
  await addPayee(ada, from, iban, 'Ben')
  await addPayee(ada, from, elsewhere, 'Grace')
  await signIn('ada')
  const pay = async (payee: string) => {
    await page.goto(`${origin}/portal/transfer?from=${from}`)
    const list = page.getByLabel('To', { exact: true })
    const option = list.locator('option', { hasText: payee })
    await list.selectOption((await option.getAttribute('value')) ?? '')
    await page.getByLabel('Amount in EUR').fill('5')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: /^Pay €/ }).click()
  }
  await pay('Ben')
  await page.getByText('No account of this bank has the IBAN of the payee.').waitFor()
  await pay('Grace')
  await page.getByText('Your payment is accepted. The bank sends it to the other bank.').waitFor()
})

test('a pasted text that a field cuts is told, until it fits', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  await sceneIn(bank)
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer`)
  const reference = page.getByLabel('Reference')
  await reference.focus()
  await page.keyboard.insertText('r'.repeat(150))
  await page.getByText('Only 140 characters fit here').waitFor()
  assert.equal((await reference.inputValue()).length, 140)
  await page.keyboard.press('Backspace')
  await page.getByText('Only 140 characters fit here').waitFor({ state: 'detached' })
})

test('a download that is asked to wait a moment waits and comes', async (t) => {
  const visiting = await visit(t, { refusals: [429], settings: { LIMITS: oneExport } })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { from } = await sceneIn(bank)
  await signIn('ada')
  await page.goto(`${origin}/portal/statements?account=${from}`)
  const file = page.getByRole('link', { name: 'CSV for spreadsheets' })
  await file.click()
  await page.getByText('.csv was downloaded.').waitFor()
  const waiting = page.waitForResponse((answer) => answer.status() === 429)
  const coming = page.waitForEvent('download')
  await file.click()
  await waiting
  bank.clock.advance(5000)
  assert.match((await coming).suggestedFilename(), /\.csv$/)
  await page.getByText('.csv was downloaded.').waitFor()
})

const oneExport = JSON.stringify({ ...JSON.parse(wide), export: { burst: '1/5s' } })
