// What an open page shows by itself when money arrives, and that nothing else changes by it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { pay } from '../../test/support/confirmations.ts'
import { assertSound, deposit, openAccount, sceneIn } from '../../test/support/fixture.ts'
import { until } from '../../test/support/mailbox.ts'
import { heading } from './factors-support.ts'
import { assertAccessibleEverywhere, hide, show, untilRead, untilTrue, visit } from './support.ts'

const minute = 60_000

const isLook = (request: Request): boolean => request.headers()['unattended'] === '?1'

/** Counts the requests that the page makes by itself, and those of its person. */
function countRequests(page: Page) {
  const counts = { looks: 0, others: 0, looked: new Set<string>() }
  page.on('request', (request) => {
    if (!request.url().includes('/portal/api/')) return
    if (!isLook(request)) counts.others++
    else {
      counts.looks++
      counts.looked.add(new URL(request.url()).pathname)
    }
  })
  return counts
}

/** Runs the clock of the page on until it has looked once more. */
async function runToLook(
  page: Page,
  { looks: seen }: { looks: number },
  counts: { looks: number },
) {
  await until('a look', async () => {
    await page.clock.runFor(1000)
    return counts.looks > seen
  })
}

test('money that arrives is shown in place within one look, and the session ends as if no page had looked', async (t) => {
  const visiting = await visit(t, {
    isLooking: true,
    settings: { SESSION_IDLE: '10m' },
    refusals: [404],
  })
  if (!visiting) return
  const { bank, page, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body as { iban: string }
  const counts = countRequests(page)
  const runOn = () => runToLook(page, { ...counts }, counts)
  await page.clock.install()
  await signIn('ada')
  await heading(page, 'Hello Ada').waitFor()
  const accounts = page.locator('.accounts')
  await accounts.getByText('€100.00').first().waitFor()
  await page.locator('dl.bars').waitFor()
  await runOn()
  // A late answer to the person would keep the session.
  await untilRead(page)
  const asked = { ...counts }

  // One millisecond before the idle end by the clock of the bank.
  bank.clock.advance(10 * minute - 1)
  const ben = await bank.login('ben')
  const root = await bank.login('root')
  const bens = await openAccount(ben)
  await deposit(root, bens, '50.00')
  const payee = { name: 'Ada Okafor', iban }
  const added = await ben.post(`/api/v1/accounts/${bens}/beneficiaries`, payee)
  const beneficiaryId = added.body.id as string
  const paid = await pay(ben, { fromAccountId: bens, beneficiaryId, amount: '12.00' })
  assert.equal(paid.status, 201, paid.text)
  const first = page.locator('.list .row a').first()
  await first.focus()
  const focused = await first.getAttribute('href')
  await page.evaluate("document.querySelector('h1').marked = true")
  // One read that the bank refuses hides nothing of the others.
  let [refused, renewed] = [0, 0]
  page.on('request', (request) => {
    if (isLook(request) && request.url().includes('/api/v1/accounts?')) renewed++
  })
  await page.route(/\/api\/v1\/transfers\?/, (route) => {
    refused++
    return route.fulfill({ status: 404, json: { code: 'not_found' } })
  })
  await runOn()
  await accounts.getByText('€112.00').first().waitFor()
  await page.locator('.list').getByText('+€12.00').waitFor()
  assert.ok(refused > 0)
  assert.ok(refused <= renewed, 'no more often than the accounts are read')
  await page.getByText(/^You received €12\.00 from Ben/).waitFor({ state: 'attached' })
  assert.ok(await page.evaluate("document.querySelector('h1').marked"), 'the page is the same')
  const now = await page.evaluate<string>('document.activeElement.getAttribute("href")')
  assert.equal(now, focused, 'the focus stays')
  assert.equal(counts.others, asked.others, 'nothing else was asked')
  assert.doesNotMatch(await page.title(), /^\(/, 'it was seen')
  await assertAccessibleEverywhere(page, 'home, with news')

  bank.clock.advance(1)
  await runOn()
  await page.getByText('Your session has ended').waitFor()
  await assertSound(bank)
  assert.deepEqual(complaints, [])
})

test('on other screens the tab tells what arrived, and what is typed stays; a hidden page does not look, nor one that is warned', async (t) => {
  const visiting = await visit(t, { isLooking: true })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { root, from } = await sceneIn(bank)
  const counts = countRequests(page)
  const runOn = () => runToLook(page, { ...counts }, counts)
  await page.clock.install()
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  const amount = page.getByLabel('Amount in EUR')
  await amount.waitFor()
  await runOn()
  await amount.fill('7.50')
  await deposit(root, from, '12.00')
  const top = await amount.boundingBox()
  await runOn()
  const notice = page.getByText('You received €12.00.')
  await notice.waitFor()
  await untilTrue(page, "document.title.startsWith('(1) ')")
  assert.equal(await amount.inputValue(), '7.50')
  assert.ok(await page.evaluate("document.activeElement.name === 'amount'"), 'the focus stays')
  assert.deepEqual(await amount.boundingBox(), top, 'nothing moves')
  await assertAccessibleEverywhere(page, 'a form, with news')

  // Hidden, as behind another tab.
  await page.evaluate(hide)
  await page.clock.runFor(1000)
  const { looks } = counts
  await page.clock.runFor(60_000)
  assert.equal(counts.looks, looks)
  await deposit(root, from, '5.00')
  await page.evaluate(show)
  await runOn()
  await page.getByText('You received 2 payments.').waitFor()
  await untilTrue(page, "document.title.startsWith('(2) ')")
  assert.deepEqual([...counts.looked], ['/portal/api/v1/transactions'], 'a form is not read again')

  await page.getByRole('link', { name: 'Show', exact: true }).click()
  await heading(page, 'Hello Ada').waitFor()
  await page.locator('.accounts').getByText('€117.00').first().waitFor()
  await page.clock.runFor(1000)
  await untilTrue(page, "!document.title.startsWith('(')")

  // The warning comes 225 s after the click, whatever the page has looked for since. A late answer
  // to a screen would count as activity: this one asks nothing.
  await page.getByRole('link', { name: 'Preferences' }).click()
  await page.getByLabel('Appearance').waitFor()
  const warning = page.getByRole('alertdialog', { name: 'Are you still there?' })
  await page.clock.runFor(230_000)
  await warning.waitFor()
  await page.clock.runFor(1000)
  const warned = counts.looks
  await page.clock.runFor(30_000)
  assert.equal(counts.looks, warned)
  assert.deepEqual(complaints, [])
})

test('a list of which more was loaded keeps its rows when the screen is renewed, whatever its limit', async (t) => {
  const visiting = await visit(t, { isLooking: true })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { root, from } = await sceneIn(bank)
  const hold = { amount: '1.00', currency: 'EUR', kind: 'seizure', reference: 'Court 12/26' }
  const place = () => root.post(`/api/v1/accounts/${from}/holds`, hold)
  for (let count = 0; count < 51; count++) assert.equal((await place()).status, 201)
  const counts = countRequests(page)
  await page.clock.install()
  await signIn('ada')
  await page.goto(`${origin}/portal/accounts/${from}`)
  await page.getByRole('button', { name: '€51.00 reserved' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reserved' })
  const rows = dialog.locator('li')
  await rows.nth(49).waitFor()
  await dialog.getByRole('button', { name: 'Show more' }).click()
  await rows.nth(50).waitFor()
  await runToLook(page, { ...counts }, counts)
  assert.equal((await place()).status, 201)
  await deposit(root, from, '12.00')
  await runToLook(page, { ...counts }, counts)
  await page.getByText('€60.00 available').waitFor()
  assert.equal(await rows.count(), 51)
  assert.deepEqual(complaints, [])
})
