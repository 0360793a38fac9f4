// Payment lists in a real browser: a file with faults, a file of each form, the order and its bar.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readBalance, sceneIn } from '../../test/support/fixture.ts'
import { pain001 } from '../../test/support/pain001.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

const said = (page: Page, text: string) => page.getByText(text).first().waitFor()
const iban = 'GB33BUKB20201555555555'
const head = 'name;iban;amount;reference'

test('a customer drops a file, sees its faults by line, looks at the list, pays it and reads what became of each line, at 390 pixels', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank, '1000.00')
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn('ada')
  await page.goto(new URL(`/portal/lists?account=${from}`, page.url()).href)
  await said(page, 'There is no list yet.')
  const input = page.locator('input[type=file]')
  const choose = (name: string, text: string) =>
    input.setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await choose('wrong.csv', `${head}\nGrace;DE00;1,00;x\nGrace;${iban};nothing;x\n;${iban};1,00\n`)
  await said(page, 'Line 2: this is no IBAN')
  await said(page, 'Line 3: this is no amount')
  await said(page, 'Line 4: it has another number of cells')
  await assertAccessibleEverywhere(page, 'faults of a file')
  await choose('none.csv', 'a,b\n')
  await said(page, 'Line 1: the first line is not the one above')

  const lines = Array.from({ length: 59 }, (_, index) => `"Grace, ${index}";${iban};1,00;Pay`)
  await choose('pay.csv', [head, ...lines, `Grace;${iban};5000,00;Too much`, ''].join('\r\n'))
  await said(page, '60 payments: €5,059.00')
  assert.equal(await readBalance(ada, from), '1000.00')
  await assertAccessibleEverywhere(page, 'a checked list')
  await page.setViewportSize({ width: 390, height: 844 })
  const width = await page.locator('html').evaluate((html) => html.scrollWidth)
  assert.ok(width <= 390, `${width} pixels`)
  await page.getByRole('button', { name: 'Pay: 60 payments' }).click()
  await page.locator('progress').waitFor()
  await assertAccessibleEverywhere(page, 'a list that is being paid')
  await bank.running.core.paymentLists.work()
  await said(page, 'Each payment was made or refused.')
  await page.getByLabel('Only refused ones').check()
  await said(page, 'There was not enough money.')
  assert.equal(await readBalance(ada, from), '941.00')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Report (pain.002)' }).click()
  assert.match((await saved).suggestedFilename(), /^pain002-.*\.xml$/)

  await page.getByRole('button', { name: 'All lists' }).click()
  await said(page, 'Executed')
  const own = (await ada.get(`/api/v1/accounts/${from}`)).body.iban as string
  await choose('wrong.xml', pain001([{}], { debtorIban: own, sum: '9.99' }))
  await said(page, 'is not the sum of the amounts')
  await choose('pay.xml', pain001([{}], { debtorIban: own, messageId: 'RUN-7' }))
  await page.getByRole('heading', { name: 'RUN-7' }).waitFor()
  await page.getByRole('button', { name: 'Cancel the list' }).click()
  await said(page, 'Cancelled')
  const others = complaints.filter((told) => !told.includes('400'))
  assert.deepEqual(others, [], 'but for the file that was refused')
})
