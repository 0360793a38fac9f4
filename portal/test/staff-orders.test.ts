// The standing orders of a customer as staff read them, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from '../../src/domain/languages.ts'
import { sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, readSurplus, resize, visit } from './support.ts'

test('staff read the standing orders of an account, whom each pays, what became of their days and what is coming', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank)
  const url = `${origin}/portal/staff/accounts/${from}`
  await signIn('agnes')
  await page.goto(url)
  const fold = page.locator('summary', { hasText: 'Standing orders' })
  await fold.click()
  await page.getByText('There is no standing order for this account.').waitFor()

  const payee = { name: 'Otto Example', iban: 'DE89370400440532013000' }
  const saved = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  const firstOn = new Date(bank.clock.now()).toISOString().slice(0, 10)
  const order = async (terms: object) => {
    const body = { currency: 'EUR', firstOn, ...terms }
    const made = await ada.post(`/api/v1/accounts/${from}/orders`, body)
    assert.equal(made.status, 201, made.text)
    bank.clock.advance(1000)
    await bank.running.core.orders.work()
    return made.body.id as string
  }
  const rent = { beneficiaryId: saved.body.id, amount: '60.00', reference: 'Rent' }
  await order({ ...rent, rhythm: 'weekly' })
  const second = await order({ toAccountId: to, amount: '70.00', rhythm: 'monthly' })
  await ada.post(`/api/v1/orders/${second}/pause`)

  await page.goto(url)
  // It is read when it is asked for.
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  assert.deepEqual(
    asked.filter((address) => address.includes('/orders')),
    [],
  )
  await fold.click()
  const rows = page.locator('.rows > li')
  await rows.nth(1).waitFor()
  for (const row of [0, 1]) await rows.nth(row).locator('summary').click()
  const [newer = '', older = ''] = await rows.allInnerTexts()
  const { iban } = (await ada.get(`/api/v1/accounts/${to}/details`)).body
  const grouped = iban.replace(/(.{4})(?=.)/g, '$1 ')
  assert.match(newer, /^Another account of the holder\s+Paused\s+€70\.00\s+Monthly/)
  assert.ok(newer.includes(grouped), newer)
  assert.match(newer, /Paused by the holder, or by a program/)
  assert.match(older, /^Otto Example\s+€60\.00\s+Weekly · Next on [^·]+ · Rent\s/)
  assert.match(older, /DE89 3704 0044 0532 0130 00/)
  assert.equal(await page.getByRole('button', { name: /Pause|Resume|End|Leave out/ }).count(), 0)
  await page
    .getByRole('row', { name: /Otto Example.*€60\.00/ })
    .first()
    .waitFor()
  await rows.first().getByText('not paid – not enough money').waitFor()
  await assertAccessibleEverywhere(page, 'standing orders, for staff')
  // The bank pauses one that has missed many days: staff read that the holder resumes it.
  await bank.sql("update standing_orders set paused_because = 'missed' where id = $1", [second])
  await page.reload()
  await fold.click()
  const missed = 'Paused by the bank: many days were missed. The holder resumes it'
  await rows.first().getByText(missed).waitFor()
  await rows.nth(1).locator('summary').click()
  await rows.nth(1).getByRole('link', { name: 'paid' }).click()
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor()
  await page.getByText('Otto Example').first().waitFor()

  await resize(page, { width: 320, height: 844 })
  for (const language of Object.keys(languages)) {
    await page.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    await page.goto(url)
    await page.locator('summary').nth(-2).click()
    await page.locator('.rows > li', { hasText: 'Rent' }).waitFor()
    const shown = await page.locator('main').innerText()
    assert.doesNotMatch(shown, /undefined|weekly|paused/, language)
    assert.equal(await readSurplus(page), 0, language)
  }
  assert.deepEqual(complaints, [])
})
