// What a customer sees where a page cannot be shown: a sentence and a way on, never nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { sceneIn } from '../../test/support/fixture.ts'
import { typePassword } from './factors-support.ts'
import { assertAccessibleEverywhere, untilRead, visit } from './support.ts'

/** As the browser asks: a page of the same origin. */
async function fetchAnswer(route: Route) {
  const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' }
  return await route.fetch({ headers })
}

const setLanguages = (...tags: string[]) =>
  `Object.defineProperty(navigator, 'languages', { get: () => ${JSON.stringify(tags)} })`

for (const [tags, heading, date] of [
  [['en-US@posix'], 'Sign in', 'Jan 1, 2026'],
  [['en_GB.UTF-8', 'C', '', 'en-GB'], 'Sign in', '1 Jan 2026'],
  [['de@euro', 'de-AT'], 'Anmelden', '01.01.2026'],
  [['den', 'xx-INVALID-SUBTAG', 'deu'], 'Anmelden', '01.01.2026'],
  [[], 'Sign in', 'Jan 1, 2026'],
] as const) {
  test(`a browser with the languages ${JSON.stringify(tags)} shows the portal`, async (t) => {
    const visiting = await visit(t)
    if (!visiting) return
    const { page, origin, complaints, signIn } = visiting
    await page.addInitScript(setLanguages(...tags))
    await page.goto(`${origin}/portal/`)
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    if (heading === 'Sign in') {
      await signIn('root')
      await page.goto(`${origin}/portal/staff/users`)
      await page.getByText(date).first().waitFor()
    }
    assert.deepEqual(complaints, [])
  })
}

test('a time zone or a language that the browser does not know falls back', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, origin, complaints, signIn } = visiting
  await page.addInitScript(`
    localStorage.setItem('strongroom.preferences', '{"language":"xx","timeZone":"Mars/Base"}')
    const read = Intl.DateTimeFormat.prototype.resolvedOptions
    Intl.DateTimeFormat.prototype.resolvedOptions = function () {
      return { ...read.call(this), timeZone: 'Etc/Unknown' }
    }`)
  await signIn('ada')
  await page.goto(`${origin}/portal/security`)
  await page.getByText('Times are in UTC.').waitFor()
  assert.deepEqual(complaints, [])
})

test('a screen that throws ends in a sentence; the menu and the next page work', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, complaints, signIn } = visiting
  await sceneIn(bank)
  let isBroken = true
  await page.route('**/portal/api/v1/accounts?limit=100', async (route) => {
    const answer = await fetchAnswer(route)
    const body = (await answer.json()) as { items: object[] }
    const items = body.items.map((item) => ({ ...item, balance: null }))
    await route.fulfill({ response: answer, json: isBroken ? { ...body, items } : body })
  })
  await signIn('ada')
  const sentence = page.getByRole('alert').getByText('This page could not be shown.')
  await sentence.waitFor()
  await page.locator('h1:focus').waitFor()
  await assertAccessibleEverywhere(page, 'a page that could not be shown')
  await page.getByRole('link', { name: 'Preferences' }).click()
  await page.getByRole('heading', { name: 'Preferences', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Accounts' }).click()
  await sentence.waitFor()
  isBroken = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('€100.00').first().waitFor()
  assert.equal(await sentence.count(), 0)
  assert.ok(complaints.length > 0, 'the error is reported to the console')
})

test('what surrounds the screens throws: a sentence as well', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, signIn } = visiting
  await page.route('**/portal/api/v1/me', async (route) => {
    const answer = await fetchAnswer(route)
    if (answer.status() !== 200) return route.fulfill({ response: answer })
    const body = (await answer.json()) as object
    await route.fulfill({ response: answer, json: { ...body, roles: null } })
  })
  void signIn('ada').catch(() => undefined)
  await page.getByRole('main').getByText('This page could not be shown.').waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
})

for (const [what, script] of [
  ['the first script', '**/main.js'],
  ['a script that the first one imports', '**/chunk-*.js'],
  ['the texts', '**/common-*.js'],
] as const) {
  test(`${what} is not loaded: the index says so, and tries again`, async (t) => {
    const visiting = await visit(t)
    if (!visiting) return
    const { page, origin } = visiting
    await page.clock.install()
    let isCut = true
    await page.route(script, async (route) =>
      isCut ? route.abort('connectionreset') : route.continue(),
    )
    await page.goto(`${origin}/portal/`)
    await page.getByText('This page could not be loaded.').waitFor()
    await page.getByText('Diese Seite konnte nicht geladen werden.').waitFor()
    isCut = false
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    assert.equal(await page.getByText('This page could not be loaded.').isVisible(), false)
  })
}

test('an error before the first draw: the index says so', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, origin } = visiting
  // As where a browser is told to keep nothing of the page.
  await page.addInitScript(`Object.defineProperty(window, 'sessionStorage', {
    get() { throw new DOMException('not here', 'SecurityError') },
  })`)
  await page.goto(`${origin}/portal/`)
  await page.getByText('This page could not be loaded.').waitFor()
})

test('the scripts or the texts of a screen are not loaded: a sentence, and a way to try again', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, origin, signIn } = visiting
  await signIn('ada')
  for (const script of ['**/own*.js', '**/factors.js']) {
    let isCut = true
    await page.route(script, async (route) =>
      isCut ? route.abort('connectionreset') : route.continue(),
    )
    const name = script.includes('own') ? 'Preferences' : 'Security'
    await page.goto(`${origin}/portal/${name.toLowerCase()}`)
    await page.getByText('The bank cannot be reached.').waitFor()
    isCut = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }
})

test('a page that is opened while the bank asks to wait, or loses an answer, comes by itself', async (t) => {
  const visiting = await visit(t, { limits: 'default', refusals: [429] })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const account = `${origin}/portal/accounts/${from}`
  await signIn('ada')
  // All of the page is there: what it reads later would be refused before the next page.
  await page.getByText('€100.00').first().waitFor()
  await page.locator('.bars').waitFor()
  await untilRead(page)
  bank.clock.advance(1000)
  for (let status = 200; status === 200;) status = (await ada.get('/api/v1/me')).status
  const refused: string[] = []
  page.on('response', (answer) => {
    if (answer.status() !== 429) return
    refused.push(answer.url())
    bank.clock.advance(1000)
  })
  await page.goto(account)
  const shown = page.locator('main .money', { hasText: '€100.00' }).first()
  await shown.waitFor()
  assert.match(refused[0] ?? '', /\/me$/)

  bank.clock.advance(1000)
  let lost = 0
  await page.route('**/me', (route) => (lost++ ? route.continue() : route.abort()))
  await page.reload()
  await shown.waitFor()
  assert.equal(lost, 2)
})

test('a page that is not told who is signed in says why, also after a sign-in', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin } = visiting
  const { from } = await sceneIn(bank)
  let isRefused = true
  await page.route('**/me', (route) => {
    const headers = { 'retry-after': '30' }
    const json = { code: 'rate_limited' }
    return isRefused ? route.fulfill({ status: 429, headers, json }) : route.continue()
  })
  const told = page.getByText('Too many requests')
  const again = page.getByRole('button', { name: 'Try again' })
  await page.goto(`${origin}/portal/accounts/${from}`)
  await told.waitFor()
  isRefused = false
  await page.clock.install()
  await page.reload()
  await page.getByLabel('User name').waitFor()
  isRefused = true
  await typePassword(page, 'ada')
  await told.waitFor()
  isRefused = false
  await page.clock.runFor(31_000)
  await again.click()
  await page.getByText('€100.00').first().waitFor()
})

test('a sign-in goes on by itself when the bank has asked to wait a moment', async (t) => {
  const visiting = await visit(t, { refusals: [429] })
  if (!visiting) return
  const { page, complaints, signIn } = visiting
  const refusals = [
    [503, 'unavailable'],
    [429, 'rate_limited'],
  ] as const
  let asked = 0
  await page.route('**/portal/session', (route) => {
    const [status, code] = refusals[asked++] ?? []
    if (!status) return route.continue()
    return route.fulfill({ status, headers: { 'retry-after': '1' }, json: { code } })
  })
  await signIn('ada')
  assert.equal(asked, 3)
  assert.deepEqual(complaints, [])
})

test('all people of an office, who have one address, are shown the portal in the same second', async (t) => {
  const visiting = await visit(t, { limits: 'default' })
  if (!visiting) return
  const { origin, complaints, another } = visiting
  // The clock of the service stands still meanwhile.
  for (let person = 0; person < 10; person++) {
    const page = await another()
    await page.goto(`${origin}/portal/`)
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    await page.context().close()
  }
  assert.deepEqual(complaints, [])
})
