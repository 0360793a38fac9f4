// What a browser keeps of a person: while a payment is open, after a sign-out, after an idle end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sceneIn } from '../../test/support/fixture.ts'
import { heading, typePassword } from './factors-support.ts'
import { assertAccessibleEverywhere, loseAnswer, untilTrue, type Visit, visit } from './support.ts'

type Stored = Record<'local' | 'session', Record<string, string>> & { cookies: string }

/** All that a script of the page can read of what the browser stores. */
const readStored = (page: Page): Promise<Stored> =>
  page.evaluate<Stored>(
    '({ local: { ...localStorage }, session: { ...sessionStorage }, cookies: document.cookie })',
  )

/** What was typed, and what identifies a payee or an account. */
const personal = /Secret|\b12\.34\b|[A-Z]{2}\d{2}[A-Z]{4}|[aA]ccountId|"(body|amount|reference)"/

/** One page with an open payment, another one with a form that is half filled in. */
async function leaveHalfDone({ bank, page, context, origin, signIn }: Visit): Promise<Page> {
  const { from, to } = await sceneIn(bank, '100.00')
  const typing = await context.newPage()
  await signIn('ada')
  await typing.goto(`${origin}/portal/beneficiaries/new?account=${from}`)
  await typing.getByLabel('Name', { exact: true }).fill('Secret Payee')
  await typing.getByLabel('Nickname').fill('Secret name')
  await page.route('**/portal/api/v1/transfers', loseAnswer)
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await page.getByLabel('To', { exact: true }).selectOption(`account:${to}`)
  await page.getByLabel('Amount in EUR').fill('12.34')
  await page.getByLabel('Reference').fill('Secret reference')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Pay €12.34' }).click()
  await heading(page, 'Your payment is being checked').waitFor()
  return typing
}

async function assertForgotten(page: Page): Promise<void> {
  const { local, session, cookies } = await readStored(page)
  assert.deepEqual([session, cookies], [{}, ''])
  for (const [name, text] of Object.entries(local)) {
    const kept = JSON.parse(text) as object
    if (name.startsWith('strongroom.open.')) {
      assert.deepEqual(Object.keys(kept).toSorted(), ['key', 'ownerId', 'path', 'sentAt'])
    } else assert.equal(name, 'strongroom.preferences')
    const { account: _, ...rest } = kept as { account?: string }
    assert.doesNotMatch(JSON.stringify(rest), personal)
  }
}

test('while a payment is open, the storage of all tabs tells neither payee nor amount nor reference', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  await leaveHalfDone(visiting)
  const { local, cookies } = await readStored(visiting.page)
  const [open = ''] = Object.entries(local).flatMap(([name, text]) =>
    name.startsWith('strongroom.open.') ? [text] : [],
  )
  const { sealed, ...told } = JSON.parse(open) as { sealed: string }
  for (const text of [atob(sealed), JSON.stringify(told)]) assert.doesNotMatch(text, personal)
  // The key ends with the browser, as the session's own cookie does.
  assert.match(cookies, /^__Host-strongroom-seal=/)
  const all = await visiting.context.cookies()
  const seal = all.find(({ name }) => name === '__Host-strongroom-seal')
  assert.deepEqual([seal?.expires, seal?.secure, seal?.sameSite], [-1, true, 'Strict'])
})

test('after a sign-out the storage of every tab holds no payment, no draft and no key', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, context, origin } = visiting
  const typing = await leaveHalfDone(visiting)
  assert.match(JSON.stringify((await readStored(typing)).session), /Secret Payee/)
  await typing.getByRole('button', { name: 'Sign out', exact: true }).click()
  for (const each of [page, typing]) {
    await each.getByText('You have signed out.').waitFor()
    await assertForgotten(each)
  }
  // A sign-out is told before its answer empties the storage, and after it.
  await typing.evaluate(
    `localStorage.clear()
     new BroadcastChannel('strongroom.session').postMessage({ what: 'out', because: 'signedOut' })`,
  )
  await untilTrue(page, 'localStorage.length > 1')
  const fresh = await context.newPage()
  await fresh.goto(`${origin}/portal/`)
  await heading(fresh, 'Sign in').waitFor()
  await assertForgotten(fresh)
  // The same person reads when something was sent, and that its outcome is not known.
  let sent = 0
  await page.route('**/portal/api/v1/transfers', (route) => (sent++, route.continue()))
  await typePassword(page, 'ada')
  const told = page.getByText('your session ended before the answer came')
  await told.waitFor()
  await assertAccessibleEverywhere(page, 'a screen with a payment that was forgotten')
  await page.getByRole('link', { name: 'Show', exact: true }).click()
  await heading(page, 'Hello Ada').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  assert.equal(await told.count(), 0)
  await page.reload()
  await heading(page, 'Hello Ada').waitFor()
  assert.deepEqual([await told.count(), sent], [0, 0])
})

test('after an idle end the storage of the page holds no payment, no draft and no key', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page } = visiting
  const typing = await leaveHalfDone(visiting)
  // As after sleep. A page that finds out the outcome would be active: either one may look for it.
  const both = [page, typing]
  for (const each of both) {
    await each.route('**/portal/api/v1/transfers', (route) => route.abort('connectionreset'))
  }
  for (const each of both) await each.evaluate('performance.now = () => 1e9')
  for (const each of both) await each.getByText('because nothing happened for a while').waitFor()
  // Until it has ended itself, one page goes on with what the other one has forgotten.
  for (const each of both) await assertForgotten(each)
  // Nor does what was typed come back for the same person.
  await typePassword(typing, 'ada')
  await typing.getByLabel('Nickname').waitFor()
  assert.equal(await typing.getByLabel('Nickname').inputValue(), '')
})

test('a page that begins without a session forgets what a browser has restored', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, context } = visiting
  const typing = await leaveHalfDone(visiting)
  await page.close()
  await context.clearCookies({ name: '__Host-strongroom' })
  await typing.reload()
  await heading(typing, 'Sign in').waitFor()
  await assertForgotten(typing)
})
