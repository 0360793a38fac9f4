// Payment lists in a real browser: a file with faults, a file of each form, the order and its bar.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { languageCodes } from '../../src/domain/languages.ts'
import { enrolTotp } from '../../test/support/factors.ts'
import { readBalance, sceneIn } from '../../test/support/fixture.ts'
import { pain001 } from '../../test/support/pain001.ts'
import { button, confirmByCode, typePassword } from './factors-support.ts'
import { assertAccessibleEverywhere, readSurplus, resize, visit } from './support.ts'

const said = (page: Page, text: string) => page.getByText(text).first().waitFor()
const iban = 'GB33BUKB20201555555555'
const head = 'name;iban;amount;reference'

test('a customer drops a file, sees its faults by line, looks at the list, pays it and reads what became of each line, at 390 pixels', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank, '1000.00')
  await resize(page, { width: 390, height: 844 })
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
  await choose('cents.csv', `${head}\nGrace;${iban};1,00;x\n\nGrace;${iban};1,005;x\n`)
  await said(page, 'Line 4: amount has more minor digits than its currency')
  await assertAccessibleEverywhere(page, 'faults that the bank found')
  await choose('none.csv', 'a,b\n')
  await said(page, 'Line 1: the first line is not the one above')

  const lines = Array.from({ length: 59 }, (_, index) => `"Grace, ${index}";${iban};1,00;Pay`)
  await choose('pay.csv', [head, ...lines, `Grace;${iban};5000,00;Too much`, ''].join('\r\n'))
  await said(page, '60 payments: €5,059.00')
  assert.equal(await readBalance(ada, from), '1000.00')
  await assertAccessibleEverywhere(page, 'a checked list')
  await resize(page, { width: 390, height: 844 })
  const width = await page.locator('html').evaluate((html) => html.scrollWidth)
  assert.ok(width <= 390, `${width} pixels`)
  // As if another instance had taken the list, and did not get on with it.
  await bank.sql(`update payment_lists set leased_until = 'infinity'`)
  await page.getByRole('button', { name: 'Pay: 60 payments' }).click()
  await page.locator('progress').waitFor()
  await assertAccessibleEverywhere(page, 'a list that is being paid')
  await bank.sql(`update payment_lists set leased_until = null`)
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

test('a thousand lines are read page by page at 390 pixels in each language, and their sum, largest three and hash are confirmed', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, origin, page, complaints } = visiting
  const { ada, from } = await sceneIn(bank, '9000.00')
  const enrolled = await enrolTotp(bank, ada)
  const app = {
    code() {
      bank.clock.advance(30_000)
      return enrolled.code()
    },
  }
  await resize(page, { width: 390, height: 844 })
  await page.goto(`${origin}/portal/`)
  await typePassword(page, 'ada')
  await page.locator('[name=code]:focus').fill(app.code())
  await page.keyboard.press('Enter')
  await button(page, 'Sign out').waitFor()
  await page.goto(`${origin}/portal/lists?account=${from}`)
  await page.locator('input[type=date]').fill('2026-02-02')
  const name = 'A name of as many letters as a scheme of payments carries'
  const lines = Array.from({ length: 1000 }, (_, at) => {
    return `${name} ${at};${iban};${(at % 9) + 1},00;Salary of January, a long text ${at}`
  })
  const buffer = Buffer.from([head, ...lines].join('\n'))
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'pay.csv', mimeType: 'text/csv', buffer })
  await said(page, '1,000 payments: €4,996.00')
  const rows = page.locator('main ul.rows > li')
  await rows.first().waitFor()
  assert.equal(await rows.count(), 50)
  const elements = await page.evaluate<number>("document.querySelectorAll('*').length")
  assert.ok(elements < 1500, `${elements} elements`)
  await button(page, 'Show more').click()
  await rows.nth(99).waitFor()
  const others = languageCodes.filter((code) => code !== 'en')
  for (const language of [...others, 'en']) {
    const chosen = `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`
    await page.evaluate(chosen)
    await page.reload()
    await rows.first().waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), language)
    assert.equal(await readSurplus(page), 0, language)
  }
  await page.getByRole('button', { name: /^Pay: 1,000 payments/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' })
  const hash = (await ada.get(`/api/v1/accounts/${from}/payment-lists`)).body.items[0].hash
  await dialog.getByText(hash as string).waitFor()
  const shown = (await dialog.innerText()).replaceAll(/\s+/g, ' ')
  for (const part of [
    '€4,996.00',
    'Payments 1000',
    'Day 2 Feb 2026',
    `Largest payment 9.00 ${name} 8 ${iban}`,
    `Second largest 9.00 ${name} 17 ${iban}`,
    `Third largest 9.00 ${name} 26 ${iban}`,
    `Hash of all lines ${hash}`,
  ]) {
    assert.ok(shown.includes(part), `${part} is not in: ${shown}`)
  }
  assert.equal(await readSurplus(page), 0, 'the confirmation')
  assert.ok(
    (await page.locator('main dd').allInnerTexts()).includes(hash),
    'the page shows the hash that is confirmed',
  )
  await confirmByCode(page, app)
  await said(page, 'Ordered')
  const unexpected = complaints.filter((told) => !told.includes('403'))
  assert.deepEqual(unexpected, [], 'but for the order that was to be confirmed')
})
