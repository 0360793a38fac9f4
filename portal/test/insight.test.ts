// What was spent, in a real browser: as the bank sums it up, drawn and as tables, also for members.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approved, cardScene } from '../../test/support/card-payments.ts'
import type { Page } from 'playwright-core'
import { newId } from '../../src/domain/ids.ts'
import { type MemberRight, memberRights } from '../../src/gate/members.ts'
import { sceneIn } from '../../test/support/fixture.ts'
import { people, type World } from '../../test/support/world.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

type Acting = { from: string; rights: MemberRight }

/** By whatever right: it is one click away from the account, and so is the way back. */
async function seeAsMember({ sql, clock }: World, page: Page, { from, rights }: Acting) {
  const change = 'update account_members set rights = $1 where ended_at is null returning id'
  // At no moment without a right: the page may still read what it shows.
  if ((await sql(change, [rights])).rows.length === 0) {
    await sql(
      `insert into account_members (id, account_id, person_id, username, rights, invited_at,
         expires_at, accepted_at)
       select $1, a.id, $2, 'ben', $3, $5, $5, $5 from accounts a where a.id = any($4)`,
      [newId(clock.now()), people.ben.id, rights, [from], new Date(clock.now())],
    )
  }
  await page.goto(new URL(`/portal/shared/${from}`, page.url()).href)
  await page.getByRole('main').getByRole('link', { name: 'Spending' }).click()
  await page.getByRole('heading', { name: 'Spending', level: 1 }).waitFor()
  await page.getByText('Lindner').first().waitFor()
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Ada Okafor: / })
    .click()
  await page.getByText('Account of Ada Okafor').waitFor()
}

test('what was spent is one click away, by kind and by shop beside the month before, and the bars are as long as the amounts', async (t) => {
  const visiting = await visit(t, { settings: { MEMBERS: 'on' }, refusals: [400] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const { from, to, till, clock } = await cardScene(await sceneIn(bank))
  // Whatever the day of the machine: the books are of the page's month.
  await page.clock.setFixedTime(clock.now())
  const shopAt = async (name: string, category: string, amount: string) => {
    const id = await approved(till.ask(amount, { merchant: { name, category, country: 'DE' } }))
    await till.capture(id, amount)
    return id
  }
  await shopAt('Lindner', '5411', '40.00')
  await shopAt('Korn', '5462', '5.50')
  const tickets = await shopAt('Bahn', '4111', '24.00')
  await till.refund(tickets, '4.00')
  const payer = await bank.login('ada')
  const own = { fromAccountId: from, toAccountId: to, amount: '7.00', currency: 'EUR' }
  assert.equal((await payer.post('/api/v1/transfers', own)).status, 201)

  await signIn('ada')
  await page.getByRole('link', { name: 'Spending' }).click()
  await page.getByRole('heading', { name: 'Spending', level: 1 }).waitFor()
  const section = (name: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })
  const rowsOf = (name: string) => section(name).locator('tbody tr').allInnerTexts()
  await section('By kind').locator('tbody tr').first().waitFor()
  const toCells = (rows: string[]) => rows.map((row) => row.split(/\s*\t\s*/))
  assert.deepEqual(toCells(await rowsOf('By kind')), [
    ['Groceries', '€45.50', '€0.00', '+€45.50'],
    ['Local transport', '€20.00', '€0.00', '+€20.00'],
  ])
  assert.deepEqual(toCells(await rowsOf('By shop')), [
    ['Lindner', '€40.00', '€0.00', '+€40.00'],
    ['Bahn', '€20.00', '€0.00', '+€20.00'],
    ['Korn', '€5.50', '€0.00', '+€5.50'],
  ])
  assert.match(await section('In all').innerText(), /€65\.50[^]*not counted: €7\.00 · €0\.00/)
  const widths = await section('By shop')
    .locator('dl .bar-in rect')
    .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('width'))))
  assert.deepEqual(widths, [100, 50, 13.75])
  await assertAccessibleEverywhere(page, 'what was spent')
  const bens = await another()
  await bens.clock.setFixedTime(clock.now())
  await signIn('ben', bens)
  for (const rights of memberRights) await seeAsMember(bank, bens, { from, rights })

  const [, before] = await page.locator('.choices button').all()
  await before?.click()
  await page.getByText('Nothing was spent in these two months.').waitFor()
  assert.match(page.url(), /month=\d{4}-\d{2}$/)
  const details = [{ path: '/query/month', message: 'has more than 25000 entries' }]
  const body = { error: 'Bad Request', code: 'invalid_request', message: 'Wrong', details }
  await page.route(/\/insight\?/, (route) => route.fulfill({ status: 400, json: body }))
  await page.goto(`${origin}/portal/accounts/${from}/insight`)
  await page.getByText('There are more than 25,000 entries in these two months').waitFor()
  assert.deepEqual(complaints, [])
})
