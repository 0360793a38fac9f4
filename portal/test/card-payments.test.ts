// What a card has paid or tried to, as its customer sees it, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from '../../src/domain/languages.ts'
import { assertSound, sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, readSurplus, visit } from './support.ts'

test('a payment by card is told by merchant and state, a declined attempt by its reason', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, root, from } = await sceneIn(bank)
  const { id } = (await ada.post(`/api/v1/accounts/${from}/cards`, {})).body
  let count = 0
  const pay = async (amount: string, name: string) => {
    const merchant = { name, category: '5411', country: 'DE' }
    const body = {
      amount,
      currency: 'EUR',
      merchant,
      channel: 'chip',
      externalId: `try-${count++}`,
    }
    const answered = await root.post(`/api/v1/cards/${id}/authorizations`, body)
    assert.equal(answered.status, 201, answered.text)
    bank.clock.advance(1000)
    return answered.body
  }
  const { paymentId } = await pay('20.00', 'Bakery Okafor')
  await pay('15.00', 'Hotel Adler')
  await pay('5000.00', 'Jeweller')
  const capture = { amount: '20.00', currency: 'EUR', final: true, externalId: 'capture' }
  const captured = await root.post(`/api/v1/card-payments/${paymentId}/captures`, capture)
  assert.equal(captured.status, 201, captured.text)
  await signIn('ada')
  await page.goto(`${origin}/portal/accounts/${from}`)
  await page.getByText('€65.00 available').waitFor()
  await page.getByRole('link', { name: 'Bakery Okafor' }).waitFor()
  await page.getByRole('button', { name: '€15.00 reserved' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Hotel Adler').waitFor()
  await assertAccessibleEverywhere(page, 'what cards have reserved')
  await dialog.getByRole('link', { name: 'All card payments' }).click()
  await page.getByRole('heading', { name: 'Card payments' }).waitFor()
  const rows = page.locator('.row')
  await rows.nth(2).waitFor()
  const texts = await rows.allInnerTexts()
  assert.match(texts[0] ?? '', /Jeweller[^]*not enough money[^]*€5,000\.00[^]*Declined/)
  assert.match(texts[1] ?? '', /Hotel Adler[^]*€15\.00[^]*Reserved/)
  assert.match(texts[2] ?? '', /Bakery Okafor[^]*€20\.00[^]*Paid/)
  await assertAccessibleEverywhere(page, 'payments by card')
  await page.getByRole('button', { name: 'Jeweller' }).click()
  await dialog.getByText('There was not enough money in the account.').waitFor()
  await dialog.getByText('Germany').waitFor()
  await assertAccessibleEverywhere(page, 'one payment by card')
  await page.keyboard.press('Escape')
  await page.getByLabel('Card').selectOption(id as string)
  await page.waitForURL(/card=/)
  await rows.nth(2).waitFor()
  await page.setViewportSize({ width: 320, height: 844 })
  for (const language of Object.keys(languages)) {
    await page.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    await page.reload()
    await rows.nth(2).waitFor()
    const shown = await page.locator('main').innerText()
    assert.doesNotMatch(shown, /insufficient|declined|captured|authorized|undefined/, language)
    assert.equal(await readSurplus(page), 0, language)
  }
  await assertSound(bank)
  assert.deepEqual(complaints, [])
})
