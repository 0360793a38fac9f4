// Where a card can be used, and its limits, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approved, newProcessor, toTill } from '../../test/support/card-payments.ts'
import { sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

test('a switch of a card takes two clicks, and its limits two and what is typed', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const { id } = (await ada.post(`/api/v1/accounts/${from}/cards`, {})).body
  const read = async () => (await ada.get(`/api/v1/cards/${id}`)).body
  await signIn('ada')
  await page.getByRole('navigation').getByRole('link', { name: 'Cards' }).first().click()
  const online = page.getByRole('switch', { name: 'Online' })
  await online.click()
  await page.getByText(/^Card \d{4}: Online is off\.$/).waitFor()
  await page.getByRole('switch', { name: 'Online', checked: false }).waitFor()
  assert.equal((await read()).channels.online, false)
  await page.getByRole('button', { name: /^No limits/ }).click()
  const dialog = page.getByRole('dialog')
  await page.locator('[name=perPayment]:focus').fill('fifty')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Please enter an amount such as 12.34.').first().waitFor()
  await assertAccessibleEverywhere(page, 'the limits of a card')
  await dialog.getByLabel('Most for one payment (EUR)').fill('50')
  await dialog.getByLabel('Most for one day (EUR)').fill('200')
  await page.keyboard.press('Enter')
  await page.getByText(/^The limits of card \d{4} are saved\.$/).waitFor()
  await page.getByRole('button', { name: '€50.00 a payment, €200.00 a day' }).waitFor()
  assert.deepEqual((await read()).limits, { perPayment: '50.00', perDay: '200.00' })
  // What it has paid of that today, as the limit counts it.
  const till = toTill(await newProcessor(bank), id)
  await approved(till.ask('38.00'))
  await page.reload()
  const bar = page.locator('p', { hasText: '€38.00 of €200.00 today' }).locator('.bar rect')
  await bar.waitFor()
  assert.equal(await bar.getAttribute('width'), '19')
  await assertAccessibleEverywhere(page, 'cards with switches and the bar of a day')
  await page.emulateMedia({ forcedColors: 'active' })
  const [paid, left] = await bar.evaluate((element) => {
    const style = element.ownerDocument.defaultView.getComputedStyle
    return [style(element).fill, style(element.parentElement).backgroundColor]
  })
  assert.notEqual(paid, left, 'what is paid differs from what is left')
  await page.emulateMedia({ forcedColors: 'none' })
  // Two switches in a row, the second before the answer to the first: both take effect.
  const switched = Promise.withResolvers<void>()
  await page.route('**/controls', async (route) => {
    await switched.promise
    await route.continue()
  })
  for (const name of ['Abroad', 'Contactless']) {
    await page.getByRole('switch', { name }).click()
  }
  switched.resolve()
  await page.getByText(/^Card \d{4}: Contactless is off\.$/).waitFor()
  for (const name of ['Online', 'Abroad', 'Contactless']) {
    await page.getByRole('switch', { name, checked: false }).waitFor()
  }
  const { abroad, contactless } = (await read()).channels
  assert.deepEqual([abroad, contactless], [false, false])
  // What a bank has frozen, or an account's state forbids, is not offered.
  await bank.sql("update accounts set status = 'frozen' where id = $1", [from])
  await page.reload()
  await page.getByText('€50.00 a payment').waitFor()
  assert.equal(await online.isDisabled(), true)
  assert.deepEqual(complaints, [])
})
