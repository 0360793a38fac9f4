// What a card has paid or tried to, as its customer sees it, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from '../../src/domain/languages.ts'
import { assertSound, sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, readSurplus, resize, visit } from './support.ts'

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
  await resize(page, { width: 320, height: 844 })
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

test('money of a card payment that came back is told, of a part its amount; staff read the same', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const { ada, root, from } = await sceneIn(bank)
  const { id } = (await ada.post(`/api/v1/accounts/${from}/cards`, {})).body
  const controls = {
    currency: 'EUR',
    limits: { perPayment: '60.00', perDay: null },
    channels: { contactless: false, cash: false },
  }
  const limited = await ada.patch(`/api/v1/cards/${id}/controls`, controls)
  assert.equal(limited.status, 200, limited.text)
  let count = 0
  const ask = async (path: string, body: object) => {
    const sent = { currency: 'EUR', externalId: `try-${count++}`, ...body }
    const answered = await root.post(`/api/v1/${path}`, sent)
    assert.equal(answered.status, 201, answered.text)
    bank.clock.advance(1000)
    return answered.body
  }
  const authorize = async (amount: string, name: string): Promise<string> => {
    const merchant = { name, category: '5411', country: 'DE' }
    const body = { amount, merchant, channel: 'chip' }
    return (await ask(`cards/${id}/authorizations`, body)).paymentId
  }
  const capture = (payment: string, amount: string, final = true) =>
    ask(`card-payments/${payment}/captures`, { amount, final })
  const pay = async (amount: string, name: string, refunded?: string) => {
    const payment = await authorize(amount, name)
    await capture(payment, amount)
    if (refunded) await ask(`card-payments/${payment}/refunds`, { amount: refunded })
  }
  await pay('20.00', 'Whole Refund', '20.00')
  await pay('12.00', 'Part Refund', '5.00')
  await capture(await authorize('50.00', 'Petrol'), '30.00')
  await capture(await authorize('15.00', 'Web Shop'), '5.00', false)
  await authorize('61.00', 'Jeweller')
  const expected = [
    /Jeweller[^]*above the limit for one payment[^]*€61\.00[^]*Declined/,
    /Web Shop[^]*€15\.00[^]*€5\.00 paid so far/,
    // What was paid, not what had been reserved for it.
    /Petrol[^]*€30\.00[^]*Paid/,
    /Part Refund[^]*€12\.00[^]*€5\.00 refunded/,
    /Whole Refund[^]*€20\.00[^]*Refunded/,
  ]
  await signIn('ada')
  await page.goto(`${origin}/portal/cards/payments?account=${from}`)
  const rows = page.locator('.row')
  await rows.nth(4).waitFor()
  const seen = await rows.allInnerTexts()
  for (const [place, text] of expected.entries()) assert.match(seen[place] ?? '', text)
  await page.getByRole('button', { name: 'Part Refund' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('€5.00 refunded').waitFor()
  await page.keyboard.press('Escape')

  const agnes = await another()
  await signIn('agnes', agnes)
  await agnes.goto(`${origin}/portal/staff/accounts/${from}`)
  const card = agnes.locator('.rows > li', { hasText: 'Can be used' })
  await card.getByText('€60.00 a payment').waitFor()
  await card.getByText('Can be used: Online, Abroad').waitFor()
  await card.getByText('Switched off: Contactless, Cash machines').waitFor()
  assert.equal(await card.getByRole('checkbox').count(), 0)
  const fold = agnes.locator('details', { hasText: 'Card payments' })
  await fold.locator('summary').click()
  const told = fold.locator('.row')
  await told.nth(4).waitFor()
  const read = await told.allInnerTexts()
  for (const [place, text] of expected.entries()) assert.match(read[place] ?? '', text)
  await assertAccessibleEverywhere(agnes, 'card payments, for staff')
  await fold.getByRole('button', { name: 'Jeweller' }).click()
  await agnes.getByRole('dialog').getByText('It was above the limit for one payment.').waitFor()
  await agnes.keyboard.press('Escape')
  await agnes.locator('.list a', { hasText: 'Petrol' }).click()
  const payee = agnes.locator('section', { has: agnes.getByRole('heading', { name: 'To' }) })
  await payee.getByText('Petrol', { exact: true }).waitFor()
  await agnes.goBack()
  for (const language of Object.keys(languages)) {
    await resize(agnes, { width: 320, height: 844 })
    await agnes.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    await agnes.reload()
    await agnes.locator('summary').first().waitFor()
    await agnes.locator('summary', { hasText: /Card|Kart|cart|tarjeta/ }).click()
    await agnes.locator('.row', { hasText: 'Whole Refund' }).last().waitFor()
    assert.equal(await readSurplus(agnes), 0, language)
  }
  await assertSound(bank)
  assert.deepEqual(complaints, [])
})
