// The way back to a list, in a real browser: as many rows as before, at the same place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../test/support/mailbox.ts'
import { deposit, openAccount, sceneIn } from '../../test/support/fixture.ts'
import { heading } from './factors-support.ts'
import { untilRead, visit } from './support.ts'

const readTop = (page: Page): Promise<number> => page.evaluate<number>('Math.round(scrollY)')

const scrollTo = async (page: Page, top: number): Promise<void> => {
  // What comes late would move the place.
  await untilRead(page)
  await page.evaluate(`scrollTo(0, ${top})`)
  await until('the place', async () => (await readTop(page)) === top)
}

const isAt = (page: Page, top: number): Promise<void> =>
  until(`the place of before, ${top}`, async () => (await readTop(page)) === top)

test('back from an entry the history has as many rows as before, at the same place', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { root, from } = await sceneIn(bank, '0.50')
  for (let number = 1; number <= 60; number++) await deposit(root, from, `${number}.00`)
  await signIn('ada')
  await page.goto(`${origin}/portal/accounts/${from}`)
  const rows = page.locator('li .row')
  const more = page.getByRole('button', { name: 'Show more' })
  await rows.nth(24).waitFor()
  await more.click()
  await rows.nth(49).waitFor()
  await scrollTo(page, 2400)
  await rows.nth(42).getByRole('link').click()
  await heading(page, 'Entry').waitFor()
  assert.equal(await readTop(page), 0)
  let reads = 0
  page.on('request', (request) => (reads += request.url().includes('/transactions?') ? 1 : 0))
  await page.goBack()
  await isAt(page, 2400)
  assert.equal(await rows.count(), 50)
  assert.equal(reads, 1, 'one request reads all of them')

  // Forward and back again, and over a page that is loaded anew.
  await page.goForward()
  await heading(page, 'Entry').waitFor()
  await page.reload()
  await heading(page, 'Entry').waitFor()
  await page.goBack()
  await isAt(page, 2400)
  await page.reload()
  await isAt(page, 2400)
  assert.equal(await rows.count(), 50)
  // Something new came meanwhile: it is seen.
  await rows.nth(42).getByRole('link').click()
  await heading(page, 'Entry').waitFor()
  await deposit(root, from, '777.00')
  await page.goBack()
  await isAt(page, 2400)
  await page.getByText('€777.00').waitFor()
  // A link leads to the beginning.
  await page.evaluate(`document.querySelector('a[href="/portal/statements"]').click()`)
  await heading(page, 'Statements').waitFor()
  await page.goBack()
  await isAt(page, 2400)
  await page.goto(`${origin}/portal/`)
  await page.locator(`a[href="/portal/accounts/${from}"]`).first().click()
  await rows.nth(24).waitFor()
  assert.deepEqual([await rows.count(), await readTop(page)], [25, 0])
  assert.deepEqual(complaints, [])
})

test('back from a person or an account, the lists of staff are as they were left', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { from } = await sceneIn(bank)
  await bank.sql(`insert into users (id, username, email, given_name, family_name, roles, status,
      password_hash, created_at)
    select gen_random_uuid(), 'extra' || n, 'extra' || n || '@example.com', 'Extra', 'Person',
      '{customer}', 'active', password_hash, created_at
    from users, generate_series(1, 120) n where username = 'ada'`)
  await signIn('root')
  await page.goto(`${origin}/portal/staff/users`)
  const rows = page.locator('tbody tr')
  const more = page.getByRole('button', { name: 'Show more' })
  for (const count of [50, 100]) {
    await rows.nth(count - 1).waitFor()
    await more.click()
  }
  await rows.nth(119).waitFor()
  const count = await rows.count()
  await scrollTo(page, 3000)
  await rows.nth(60).getByRole('link').first().click()
  await page.locator('h1', { hasText: 'Extra' }).waitFor()
  await page.goBack()
  await isAt(page, 3000)
  await rows.nth(count - 1).waitFor()
  assert.equal(await rows.count(), count)
  assert.deepEqual(complaints, [])
  assert.ok(from)
})

test('back on the cards of many accounts, as many accounts are shown as before', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const ada = await bank.as('ada')
  for (let number = 0; number < 9; number++) {
    const account = await openAccount(ada)
    assert.equal((await ada.post(`/api/v1/accounts/${account}/cards`, {})).status, 201)
  }
  await signIn('ada')
  await page.goto(`${origin}/portal/cards`)
  const cards = page.getByRole('link', { name: /^Payments/ })
  await cards.nth(5).waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await cards.nth(8).waitFor()
  await cards.nth(8).click()
  await heading(page, 'Card payments').waitFor()
  await page.goBack()
  await cards.nth(8).waitFor()
})
