// What is reserved in an account, for its customer and for staff, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from '../../src/domain/languages.ts'
import { assertSound, sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, readSurplus, visit } from './support.ts'

test('an account tells what is reserved beside what is available, and lists each hold', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { root, from, to } = await sceneIn(bank)
  const place = async (amount: string, more: object) => {
    const body = { amount, currency: 'EUR', kind: 'seizure', reference: 'Court 12/26', ...more }
    const placed = await root.post(`/api/v1/accounts/${from}/holds`, body)
    assert.equal(placed.status, 201, placed.text)
    return placed.body.id as string
  }
  await place('30.00', {})
  const second = { kind: 'dispute', reference: 'Bakery', expiresAt: '2026-02-01T00:00:00.000Z' }
  const disputed = await place('12.50', second)
  await signIn('ada')
  await page.goto(`${origin}/portal/accounts/${from}`)
  await page.getByText('€57.50 available').waitFor()
  const reserved = page.getByRole('button', { name: '€42.50 reserved' })
  // Also among the entries, on the day on which it was reserved.
  const row = page.locator('li.held').filter({ hasText: 'Court 12/26' })
  await row.getByText('Reserved', { exact: true }).waitFor()
  await row.getByText('\u2212€30.00').waitFor()
  await assertAccessibleEverywhere(page, 'an account with money that is reserved')
  await reserved.click()
  const dialog = page.getByRole('dialog', { name: 'Reserved' })
  await dialog.getByText('€30.00').waitFor()
  await dialog.getByText('Seizure, until the bank releases it').waitFor()
  await dialog.getByText('Bakery').waitFor()
  await dialog.getByText('Dispute, until 1 Feb 2026').waitFor()
  await assertAccessibleEverywhere(page, 'what is reserved')
  await page.keyboard.press('Escape')
  await page.locator('button:focus', { hasText: 'reserved' }).waitFor()
  // What is reserved cannot be paid: the review says so too.
  for (const [amount, beyond] of [
    ['57.50', 0],
    ['57.51', 1],
  ] as const) {
    await page.goto(`${origin}/portal/transfer?from=${from}`)
    await page.getByLabel('To', { exact: true }).selectOption(`account:${to}`)
    await page.getByLabel('Amount in EUR').fill(amount)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: `Pay €${amount}` }).waitFor()
    const warning = page.getByText('This is more than can be paid from the account now.')
    assert.equal(await warning.count(), beyond, amount)
  }
  await page.goto(`${origin}/portal/accounts/${from}`)
  assert.equal((await root.post(`/api/v1/holds/${disputed}/release`)).status, 200)
  const overdraft = { overdraftLimit: '30.00' }
  assert.equal((await root.patch(`/api/v1/accounts/${from}/settings`, overdraft)).status, 200)
  await page.reload()
  // As much is available as the balance says, and still something is reserved.
  await page.getByText('€100.00 available, of which €30.00 is overdraft').waitFor()
  await page.getByRole('button', { name: '€30.00 reserved' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('staff hold money with a reason, change until when and release it; an agent only sees it', async (t) => {
  const visiting = await visit(t, { refusals: [409] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const { from } = await sceneIn(bank)
  // The days that can be chosen are those of the browser's clock.
  await page.clock.setFixedTime(new Date(bank.clock.now()))
  await signIn('root')
  const url = `${origin}/portal/staff/accounts/${from}`
  await page.goto(url)
  await page.getByText('Nothing is held in this account.').waitFor()
  const begin = page.getByRole('button', { name: 'Place a hold' }).first()
  await begin.click()
  const dialog = page.getByRole('dialog')
  const place = dialog.getByRole('button', { name: 'Place a hold' })
  await place.click()
  await dialog.getByText('Please correct 2 fields:').waitFor()
  await assertAccessibleEverywhere(page, 'placing a hold')
  await dialog.getByLabel('Amount (EUR)').fill('100.01')
  await dialog.getByLabel('Reason').fill('Court 12/26')
  await place.click()
  await dialog.getByText('There is not enough money in the account.').waitFor()
  await dialog.getByLabel('Amount (EUR)').fill('40')
  await dialog.getByLabel('Held until the end of').fill('2026-01-01')
  await place.click()
  await dialog.getByText('Please choose a day from today').first().waitFor()
  await dialog.getByLabel('Held until the end of').fill('')
  await place.click()
  await page.getByText('€40.00 is held.').waitFor()
  await page.getByText('Court 12/26').waitFor()
  await page.getByText('until the bank releases it').waitFor()
  await assertAccessibleEverywhere(page, 'an account with a hold')

  const agnes = await another()
  await signIn('agnes', agnes)
  await agnes.goto(url)
  await agnes.getByText('Court 12/26').waitFor()
  assert.equal(await agnes.getByRole('button', { name: 'Place a hold' }).count(), 0)
  assert.equal(await agnes.getByRole('button', { name: /^More: hold/ }).count(), 0)

  const more = page.getByRole('button', { name: 'More: hold €40.00' })
  await more.click()
  await page.getByRole('button', { name: 'Change the day' }).click()
  await dialog.getByLabel('Held until the end of').fill('2026-03-31')
  await assertAccessibleEverywhere(page, 'until when a hold is')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The day is changed.').waitFor()
  const until = (await bank.sql('select expires_at from holds')).rows[0]?.['expires_at'] as Date
  // The end of that day in Berlin, in summer time.
  assert.equal(until.toISOString(), '2026-03-31T22:00:00.000Z')
  await more.click()
  await page.getByRole('button', { name: 'Release', exact: true }).click()
  await dialog.getByText('The money can be spent again at once.').waitFor()
  await assertAccessibleEverywhere(page, 'releasing a hold')
  await dialog.getByRole('button', { name: 'Release' }).click()
  await page.getByText('€40.00 is released.').waitFor()
  await page.getByText('Nothing is held in this account.').waitFor()
  await assertSound(bank)
  assert.deepEqual(complaints, [])
})

test('holds are told in every language on a phone, without scrolling sideways', async (t) => {
  const visiting = await visit(t, { browser: { viewport: { width: 320, height: 844 } } })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { root, from } = await sceneIn(bank)
  const reference = 'Donaudampfschiffahrtsgesellschaftskapitänswitwenrente'
  const body = { amount: '30.00', currency: 'EUR', kind: 'seizure', reference }
  assert.equal((await root.post(`/api/v1/accounts/${from}/holds`, body)).status, 201)
  await signIn('ada')
  for (const language of Object.keys(languages)) {
    await page.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    await page.goto(`${origin}/portal/accounts/${from}`)
    await page.locator('.head .button.link', { hasText: '30' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(reference).waitFor()
    assert.doesNotMatch(await dialog.innerText(), /seizure|undefined/, language)
    assert.equal(await readSurplus(page), 0, language)
  }
  assert.deepEqual(complaints, [])
})
