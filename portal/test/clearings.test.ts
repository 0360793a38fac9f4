// A card payment that was cleared for more than the account has, as its holder and staff read it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { languages } from '../../src/domain/languages.ts'
import { assertSound, sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, readSurplus, resize, visit } from './support.ts'

test('the holder sees what is lacking, and the payment with what was authorised; staff find the account', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const { ada, root, from } = await sceneIn(bank)
  const { id } = (await ada.post(`/api/v1/accounts/${from}/cards`, {})).body
  let count = 0
  const send = async (path: string, amount: string, name: string, more: object = {}) => {
    const merchant = { name, category: '7011', country: 'DE' }
    const externalId = `try-${count++}`
    const body = { amount, currency: 'EUR', merchant, channel: 'chip', externalId, ...more }
    const answered = await root.post(`/api/v1/cards/${id}/${path}`, body)
    assert.equal(answered.status, 201, answered.text)
    bank.clock.advance(1000)
    return answered.body
  }
  const hotel = await send('authorizations', '60.00', 'Hotel Adler', { tolerance: 20 })
  const { id: late } = await send('clearings', '110.00', 'Hotel Adler', {
    authorizationId: hotel.paymentId,
  })
  await send('clearings', '15.00', 'Toll Road')
  await signIn('ada')
  await page.getByText('Card payments took more than the account had').waitFor()
  await page.getByText('−€25.00').first().waitFor()
  await assertAccessibleEverywhere(page, 'home with what is lacking')
  await page.goto(`${origin}/portal/accounts/${from}/entries/${late}`)
  await page.getByRole('heading', { name: 'Card payment, cleared' }).waitFor()
  await page.getByText('Authorisation').waitFor()
  await page.getByText('€60.00').waitFor()
  const asked = page.getByRole('dialog', { name: 'Dispute this payment' })
  // Two clicks and a sentence, from the entry as from the payment.
  const dispute = async (reason: string, text: string) => {
    await asked.getByLabel('What is wrong?').selectOption(reason)
    await asked.getByLabel('What happened').fill(text)
    await asked.getByRole('button', { name: 'Send to the bank' }).click()
    await page.getByText('The bank looks into it').waitFor()
    bank.clock.advance(1000)
  }
  await page.getByRole('button', { name: 'Dispute this payment' }).click()
  await dispute('wrong_amount', 'The room was 60')
  await assertAccessibleEverywhere(page, 'the entry of a clearing')
  await page.goto(`${origin}/portal/cards/payments`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Toll Road' }).click()
  await dialog.getByText('Not asked for before').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Hotel Adler' }).click()
  await dialog.getByText('20 %').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Toll Road' }).click()
  await dialog.getByRole('button', { name: 'Dispute this payment' }).click()
  await assertAccessibleEverywhere(page, 'the form of a dispute')
  await dispute('not_received', 'The gate stayed closed')
  await page.keyboard.press('Escape')

  const seen = await another()
  await signIn('root', seen)
  await seen.getByRole('listitem').filter({ hasText: 'Disputes' }).getByText('since').waitFor()
  await seen.goto(`${origin}/portal/staff/today`)
  await seen.locator('dl').getByRole('link', { name: '2', exact: true }).first().waitFor()
  await answerDisputes(seen, origin)
  await page.goto(`${origin}/portal/accounts/${from}/entries/${late}`)
  await page.getByText('Decided for the shop: the credit was taken back').waitFor()
  await seen.goto(`${origin}/portal/staff/overdrawn`)
  await seen.getByText('−€25.00').waitFor()
  await assertAccessibleEverywhere(seen, 'overdrawn accounts')
  await resize(seen, { width: 320, height: 844 })
  for (const language of Object.keys(languages)) {
    await seen.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    await seen.reload()
    await seen.locator('td').first().waitFor()
    assert.doesNotMatch(await seen.locator('main').innerText(), /undefined/, language)
    assert.equal(await readSurplus(seen), 0, language)
  }
  await assertSound(bank)
  assert.deepEqual(complaints, [])
})

/** The one of the hotel is charged back, which is lost; the other one is closed. */
async function answerDisputes(page: Page, origin: string): Promise<void> {
  const items = page.locator('.card-part')
  const act = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
  const dialog = page.getByRole('dialog')
  const show = (list: string, state: string) => page.getByLabel(list).selectOption(state)
  await page.goto(`${origin}/portal/staff/disputes`)
  await items.filter({ hasText: 'The gate stayed closed' }).waitFor()
  await act('Charge back')
  await dialog.getByText('At most €110.00').waitFor()
  await dialog.getByLabel('Reason code').fill('13 1')
  await dialog.getByRole('button', { name: 'Charge back' }).click()
  await dialog.getByText('without a space').first().waitFor()
  await dialog.getByLabel('Reason code').fill('13.1')
  await assertAccessibleEverywhere(page, 'charging back')
  await dialog.getByRole('button', { name: 'Charge back' }).click()
  await page.getByRole('button', { name: 'Lost: €110.00' }).waitFor()
  // Both lists are read again, each by itself.
  await items.filter({ hasText: 'The room was 60' }).waitFor({ state: 'detached' })
  await assertAccessibleEverywhere(page, 'disputes and chargebacks')
  await act('Lost: €110.00')
  await dialog.getByRole('button', { name: 'Lost' }).click()
  await page.getByText('No chargeback is in this state.').waitFor()
  await show('State of the chargebacks', 'lost')
  await items.filter({ hasText: '13.1' }).getByText('Hotel Adler').waitFor()
  await act('Close')
  await dialog.getByLabel('Reason').fill('The gate was open')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('No dispute waits.').waitFor()
  await show('State of the disputes', 'closed')
  await items.filter({ hasText: 'Toll Road' }).getByText('The gate was open').waitFor()
}
