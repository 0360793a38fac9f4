// A QR code of a payment in a real browser: shown to a payer, and pasted by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'uqr'
import { sceneIn } from '../../test/support/fixture.ts'
import { toCreditTransferText } from '../src/texts/credit-transfer-text.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

test('an account shows a payer what to scan, and the same text pasted elsewhere fills in the payment', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn, complaints } = visiting
  const { ada, from } = await sceneIn(bank, '100.00')
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  await signIn('ada')
  await page.goto(`${origin}/portal/accounts/${from}`)
  await page.locator('h1').waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('button', { name: 'Get paid' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('img', { name: 'QR code for the payment' }).waitFor()
  await dialog.getByLabel('Amount in EUR (optional)').fill('64.9')
  await dialog.getByLabel('Reference (optional)').fill('Invoice 4711')
  const shown = { name: 'Ada Okafor', iban, amount: '64.90', reference: 'Invoice 4711' }
  const modules = (text: string) =>
    encode(text, { ecc: 'M', border: 4 }).data.flat().filter(Boolean).length
  const drawn = dialog.locator('svg.qr path:not(.paper)')
  const path = (await drawn.getAttribute('d')) ?? ''
  assert.equal(path.split('M').length - 1, modules(toCreditTransferText(shown) ?? ''))
  await assertAccessibleEverywhere(page, 'what a payer scans')
  await dialog.getByLabel('Amount in EUR (optional)').fill('many')
  assert.equal(await dialog.locator('svg.qr').count(), 0)
  await dialog.getByRole('button', { name: 'Close' }).click()

  await page.goto(`${origin}/portal/transfer?from=${from}`)
  const name = page.getByLabel('Name', { exact: true })
  await page.getByRole('searchbox').waitFor()
  const asked = {
    name: 'Otto Example',
    iban: 'DE89370400440532013000',
    amount: '64.90',
    reference: 'Invoice 4711',
  }
  const text = JSON.stringify(toCreditTransferText(asked))
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ${text})
    const paste = { clipboardData, bubbles: true, cancelable: true }
    document.querySelector('[name=whom]').dispatchEvent(new ClipboardEvent('paste', paste))
  }`)
  await name.waitFor()
  assert.equal(await name.inputValue(), 'Otto Example')
  assert.equal(await page.getByLabel('IBAN').inputValue(), 'DE89370400440532013000')
  await page.getByRole('button', { name: 'Continue to the payment' }).click()
  await page.getByRole('heading', { name: 'Pay', level: 1 }).waitFor()
  await page.getByText('You pay €64.90.').waitFor()
  assert.equal(await page.getByLabel('Reference').inputValue(), 'Invoice 4711')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByText('DE89 3704 0044 0532 0130 00').waitFor()
  assert.deepEqual(complaints, [])
})
