// Signing in and out, the link of a reset mail, the idle warning, and what other origins can do.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { sceneIn } from '../../test/support/fixture.ts'
import { linkMailedTo, until } from '../../test/support/mailbox.ts'
import { password } from '../../test/support/world.ts'
import { heading, signOut, typePassword } from './factors-support.ts'
import { assertAccessibleEverywhere, type Visit, visit } from './support.ts'

const liveSessions = `select count(*)::int as count from current_sessions c
  join users u on u.id = c.user_id where u.username = 'ada'`

test('a person signs in, sees where else, ends that session, changes the password and signs out', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  await page.goto(`${origin}/portal/security`)
  const username = page.getByLabel('User name or e-mail address')
  await username.waitFor()
  await page.locator('[name=username]:focus').waitFor()
  await assertAccessibleEverywhere(page, 'sign-in')

  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Please correct 2 fields').waitFor()
  await assertAccessibleEverywhere(page, 'sign-in with errors')
  await username.fill('ada')
  await page.getByLabel('Password', { exact: true }).fill('not her password')
  await page.keyboard.press('Enter')
  await page.getByText('User name or password is not right.').waitFor()

  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/portal/security', 'the address that was asked for')
  assert.equal(await page.title(), 'Security – Strongroom')
  assert.equal(await page.evaluate('document.cookie'), '', 'no script sees the session')

  const phone = await another()
  await signIn('ada', phone)
  await page.reload()
  await page.getByRole('button', { name: /^Sign out Chrome/ }).click()
  await page.getByText('1 device was signed out.').waitFor()
  await phone.getByRole('link', { name: 'Security' }).click()
  await phone.getByText('Your session was ended from elsewhere.').waitFor()
  await assertAccessibleEverywhere(page, 'security')

  await page.getByLabel('Current password').fill('not her password')
  await page.getByLabel('New password').fill('short')
  const change = page.getByRole('button', { name: 'Change password' })
  await change.click()
  await page.getByText('fewer than 12 characters').first().waitFor()
  await page.getByLabel('Current password').fill('not her password')
  await page.getByLabel('New password').fill('four green birds on a wire')
  await change.click()
  await page.getByText('This is not your current password.').first().waitFor()
  await page.getByLabel('Current password').fill(password)
  await change.click()
  await page.getByText('Your password is changed.').waitFor()

  await page.getByRole('link', { name: 'Preferences' }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByText('You have signed out.').waitFor()
  assert.deepEqual((await bank.sql(liveSessions)).rows, [{ count: 0 }])
  await page.goBack()
  await username.waitFor()
  assert.equal(await page.getByText('Where you are signed in').count(), 0)
  assert.deepEqual(
    complaints.filter((found) => !/40[01]/.test(found)),
    [],
  )
})

test('the help page tells how the bank is reached and what to do, before a sign-in and after it', async (t) => {
  const settings = {
    BANK_PHONE: '+49 (30) 1234-567',
    BANK_ADDRESS: '1 Market Street, 10115 Berlin',
  }
  const visiting = await visit(t, { settings })
  if (!visiting) return
  const { page, origin, signIn } = visiting
  await page.goto(`${origin}/portal/`)
  await page.getByRole('link', { name: 'Help and contact' }).click()
  const phone = page.getByRole('link', { name: settings.BANK_PHONE })
  assert.equal(await phone.getAttribute('href'), 'tel:+49301234567')
  await page.getByText(settings.BANK_ADDRESS).waitFor()
  await page.getByRole('heading', { name: 'You lost the phone or key' }).waitFor()
  await assertAccessibleEverywhere(page, 'help')
  await page.getByRole('link', { name: 'To sign in' }).click()
  await signIn('ada')
  await page.goto(`${origin}/portal/profile`)
  await page.getByRole('link', { name: 'Help and contact' }).click()
  await page.getByRole('link', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
})

test('a link of a reset mail sets the password once; its token leaves the address and the history', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints } = visiting
  await page.goto(`${origin}/portal/`)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('E-mail address').waitFor()
  await assertAccessibleEverywhere(page, 'forgot')
  await page.getByLabel('E-mail address').fill('ada@example.com')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('a mail is on its way').waitFor()

  const { path, token } = await linkMailedTo(bank, 'ada@example.com')
  await page.goto(`${origin}${path}`)
  await page.getByLabel('New password').waitFor()
  assert.equal(page.url(), `${origin}/portal/reset`)
  await assertAccessibleEverywhere(page, 'reset')
  await page.getByText('For the user name ada.').waitFor()
  for (const [wrong, sentence] of [
    ['', 'Please fill this in.'],
    ['too short', 'fewer than 12 characters'],
    ['x'.repeat(129), 'more than 128 characters'],
    ['my name is Ada Okafor', 'contains the user name'],
    ['abcabcabcabc', 'too common'],
  ] as const) {
    await page.getByLabel('New password').fill(wrong)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText(sentence).first().waitFor()
  }
  await page.getByLabel('New password').fill('four green birds on a wire')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('Your password is set.').waitFor()
  await page.getByLabel('User name or e-mail address').fill('ada')
  await page.getByLabel('Password', { exact: true }).fill('four green birds on a wire')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()

  // Opened in the page that is already there, which is only told of another fragment.
  await page.goto(`${origin}/portal/reset`)
  await page.getByText('opened by the link in a mail').waitFor()
  await page.evaluate(`location.hash = 'token=${token}'`)
  // At once: nobody types a password for a link that is dead.
  await page.getByText('This link was used').waitFor()
  assert.equal(await page.getByLabel('New password').count(), 0)
  assert.deepEqual(
    complaints.filter((found) => !/400/.test(found)),
    [],
  )
})

/** Ada at a screen that asks the server nothing: a late answer would count as activity. */
async function visitWithClock(t: TestContext): Promise<Visit | undefined> {
  const visiting = await visit(t)
  if (!visiting) return undefined
  const { page, signIn } = visiting
  await page.clock.install()
  await signIn('ada')
  await page.getByRole('link', { name: 'Preferences' }).click()
  await page.getByLabel('Appearance').waitFor()
  return visiting
}

async function assertIdleEnd({ page, complaints }: Visit): Promise<void> {
  await page.getByText('because nothing happened for a while').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Security' }).count(), 0)
  assert.deepEqual(complaints, [])
}

test('before the idle end the page warns, one key keeps the session, and after it nothing is shown', async (t) => {
  const visiting = await visitWithClock(t)
  if (!visiting) return
  const { page } = visiting
  const warning = page.getByRole('alertdialog', { name: 'Are you still there?' })
  // The warning is due after 225 s. What a slow machine takes meanwhile counts as well.
  await page.clock.runFor(150_000)
  assert.equal(await warning.count(), 0)
  await page.clock.runFor(80_000)
  await warning.waitFor()
  await assertAccessibleEverywhere(page, 'idle warning')
  await page.keyboard.press('Enter')
  await warning.waitFor({ state: 'detached' })
  await page.clock.runFor(230_000)
  await warning.waitFor()
  await page.keyboard.press('Escape')
  await warning.waitFor({ state: 'detached' })
  await page.clock.runFor(301_000)
  await assertIdleEnd(visiting)
})

test('a page that wakes up after the idle end shows nothing', async (t) => {
  const visiting = await visitWithClock(t)
  if (!visiting) return
  const { page } = visiting
  // As after sleep: the date has gone on, and `performance.now()` has not.
  await page.clock.setSystemTime(Date.now() + 301_000)
  await assertIdleEnd(visiting)
})

test('two pages of one browser are signed in, active and signed out together', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, context, origin, complaints, signIn } = visiting
  const second = await context.newPage()
  await second.goto(`${origin}/portal/security`)
  await second.getByLabel('User name or e-mail address').waitFor()
  await signIn('ada')
  await second.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await second.getByText('You have signed out.').waitFor()
  assert.deepEqual(complaints, [])
})

test('only the word of the bank is a sign-out; without it all pages say so, and offer it again', async (t) => {
  const visiting = await visit(t, { refusals: [429, 503] })
  if (!visiting) return
  const { bank, page, context, origin, complaints, signIn } = visiting
  const out = (on: Page) => on.getByRole('button', { name: 'Sign out', exact: true })
  const unconfirmed = (on: Page) => on.getByText('You may still be signed in')
  const second = await context.newPage()
  await signIn('ada')
  await second.goto(`${origin}/portal/preferences`)
  await heading(second, 'Preferences').waitFor()

  const fates = [503, 429, 'lost', 'pass'] as const
  let asked = 0
  await context.route('**/auth/logout', async (route) => {
    const fate = fates[asked++]
    if (fate === 'pass') await route.continue()
    else if (fate === 'lost') await route.abort('connectionrefused')
    else await route.fulfill({ status: fate as number, json: { code: 'unavailable' } })
  })
  await out(page).click()
  for (const each of [page, second]) {
    await unconfirmed(each).waitFor()
    assert.equal(await each.getByText('Ada', { exact: true }).count(), 0)
  }
  await assertAccessibleEverywhere(page, 'sign-in, after a sign-out without an answer')
  await out(second).click()
  await until('the second refusal', () => asked === 2)
  // The session is alive, and a page that is loaded again does not hide it.
  await second.reload()
  await heading(second, 'Preferences').waitFor()
  assert.deepEqual((await bank.sql(liveSessions)).rows, [{ count: 1 }])
  await out(second).click()
  await unconfirmed(second).waitFor()

  await out(page).click()
  for (const each of [page, second]) await each.getByText('You have signed out.').waitFor()
  assert.equal(asked, fates.length)
  assert.deepEqual((await bank.sql(liveSessions)).rows, [{ count: 0 }])
  assert.deepEqual(
    complaints.filter((found) => !found.includes('ERR_CONNECTION_REFUSED')),
    [],
  )
})

test('a sign-out that is never answered is given up, and said to be unsure', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, context, complaints, signIn } = visiting
  const limits: number[] = []
  await context.exposeFunction('onLimit', (ms: number) => void limits.push(ms))
  // A thousandth of the time, so that the test does not wait for it.
  await context.addInitScript(() => {
    const begin = AbortSignal.timeout.bind(AbortSignal)
    AbortSignal.timeout = (ms) => {
      Reflect.get(globalThis, 'onLimit')(ms)
      return begin(ms / 1000)
    }
  })
  await signIn('ada')
  await context.route('**/auth/logout', () => {})
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByText('You may still be signed in').waitFor()
  assert.equal(limits.at(-1), 10_000)
  assert.deepEqual(complaints, [])
})

test('a new password does not hide that another person may still be signed in', async (t) => {
  const visiting = await visit(t, { refusals: [503] })
  if (!visiting) return
  const { bank, page, context, origin, complaints, signIn } = visiting
  await bank.send('POST', '/api/v1/auth/password-reset', { body: { email: 'ada@example.com' } })
  const { path } = await linkMailedTo(bank, 'ada@example.com')
  await signIn('ben')
  await context.route('**/auth/logout', (route) => route.fulfill({ status: 503, body: '' }))
  await page.goto(`${origin}${path}`)
  await page.getByLabel('New password').fill('four green birds on a wire')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByText('You may still be signed in').waitFor()
  assert.deepEqual(complaints, [])
})

test('a sign-out of a session that is over already is one', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, signIn, complaints } = visiting
  await signIn('ada')
  // At that moment only: any other request would be refused, and the page leave before.
  await page.route('**/auth/logout', async (route) => {
    await bank.sql("update sessions set ended_at = now(), ended_because = 'revoked'")
    await route.continue()
  })
  await signOut(page)
  assert.deepEqual(complaints, [])
})

test('a page leaves with the session of its browser, and is never one of two people', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, context, origin, complaints, signIn } = visiting
  const { from } = await sceneIn(bank)
  const second = await context.newPage()
  await signIn('ada')
  await second.goto(`${origin}/portal/preferences`)
  await heading(second, 'Preferences').waitFor()
  await page.goto(`${origin}/portal/beneficiaries/new?account=${from}`)
  await page.getByLabel('Nickname').fill('Rent')

  await bank.sql("update sessions set ended_at = now(), ended_because = 'revoked'")
  await second.getByRole('link', { name: 'Security' }).click()
  await second.getByText('Your session was ended from elsewhere.').waitFor()
  await page.getByText('Your session was ended from elsewhere.').waitFor()
  await typePassword(second, 'ada')
  await heading(second, 'Security').waitFor()
  await page.getByLabel('Nickname').waitFor()
  assert.equal(await page.getByLabel('Nickname').inputValue(), 'Rent')

  // The idle end of one page is not told to the other. A clock of Playwright would be that of both.
  await second.getByRole('link', { name: 'Preferences' }).click()
  await heading(second, 'Preferences').waitFor()
  await second.evaluate('performance.now = () => 1e9')
  await heading(second, 'Sign in').waitFor()
  assert.equal(await heading(page, 'Add a beneficiary').count(), 1)
  await typePassword(second, 'ben')
  await page.getByText('Ben', { exact: true }).waitFor()
  assert.equal(await page.getByText('Ada', { exact: true }).count(), 0)
  const kept = await page.evaluate<string>('JSON.stringify({ ...sessionStorage })')
  assert.doesNotMatch(kept, /Rent/)
  assert.deepEqual(complaints, [])
})

test('language, time zone and theme hold after a sign-out; an unknown page says so', async (t) => {
  const visiting = await visit(t, { refusals: [404] })
  if (!visiting) return
  const { page, origin, complaints, signIn } = visiting
  await signIn('root')
  await page.getByRole('link', { name: 'Preferences' }).click()
  await page.getByLabel('Appearance').waitFor()
  await assertAccessibleEverywhere(page, 'preferences')
  await page.getByLabel('Appearance').selectOption('dark')
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
  await page.getByLabel('Language').selectOption('de')
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Sicherheit' }).click()
  await page.getByText('Zeiten gelten für Asia/Tokyo.').waitFor()
  await page.getByRole('button', { name: 'Abmelden', exact: true }).click()
  await page.getByText('Sie haben sich abgemeldet.').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Anmelden', level: 1 }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  assert.equal(await page.evaluate('document.documentElement.lang'), 'de')
  const unknown = await page.goto(`${origin}/portal/nowhere`)
  assert.equal(unknown?.status(), 404)
  await page.getByRole('heading', { name: 'Diese Seite gibt es nicht', level: 1 }).waitFor()
  await assertAccessibleEverywhere(page, 'missing')
  assert.deepEqual(complaints, [])
})

test('another origin in the same browser can neither act, nor read, nor frame, nor sign in', async (t) => {
  const visiting = await visit(t, { refusals: [403] })
  if (!visiting) return
  const { bank, page, context, origin, signIn } = visiting
  await signIn('ada')
  const api = `${origin}/portal/api/v1`
  const hostile = `<!doctype html><iframe src="${origin}/portal/security" name="framed"></iframe>
    <iframe name="posted"></iframe>
    <form id="out" action="${api}/auth/logout" method="post" target="posted"></form>
    <form id="in" action="${origin}/portal/session" method="post" target="posted"
      enctype="text/plain"><input name='{"username":"ben","password":"' value='"}'></form>
    <img id="image" src="${api}/me">`
  const server = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(hostile)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { rows: before } = await bank.sql(liveSessions)
  // Of another site, and of the same site at another port.
  for (const host of ['127.0.0.1', 'localhost']) {
    const stranger = await context.newPage()
    bank.logged.length = 0
    await stranger.goto(`http://${host}:${port}/`)
    const read = (options: string) =>
      stranger.evaluate<string>(
        `fetch('${api}/me', ${options}).then((answer) => answer.text(), () => 'refused')`,
      )
    assert.equal(await read("{ credentials: 'include' }"), 'refused', host)
    assert.equal(await read("{ credentials: 'include', mode: 'no-cors' }"), '', host)
    await stranger.evaluate("document.querySelector('#out').submit()")
    const refused = (path: string) =>
      bank.logged.some((line) => line.includes(`"${path}"`) && line.includes('"status":403'))
    await until('the form to be refused', () => refused('/api/v1/auth/logout'))
    await stranger.evaluate("document.querySelector('#in').submit()")
    await until('the sign-in to be refused', () => refused('/portal/session'))
    const framed = stranger.frames().find((frame) => frame.name() === 'framed')
    assert.equal(await framed?.getByText('Where you are signed in').count(), 0, host)
    assert.equal(await stranger.evaluate("document.querySelector('#image').naturalWidth"), 0)
    await stranger.close()
  }
  assert.deepEqual((await bank.sql(liveSessions)).rows, before)
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByText('You are signed in on this device only.').waitFor()
})

test('when attempts are used up, the page counts the wait down', async (t) => {
  const visiting = await visit(t, { limits: 'default', refusals: [429] })
  if (!visiting) return
  const { page, origin } = visiting
  await page.goto(`${origin}/portal/`)
  const secret = page.getByLabel('Password', { exact: true })
  for (let attempt = 0; attempt < 6; attempt++) {
    await page.getByLabel('User name or e-mail address').fill('ada')
    await secret.fill(`wrong ${attempt}`)
    await page.keyboard.press('Enter')
    const isEmpty = async () => (await secret.inputValue()) === ''
    await until('the answer', isEmpty)
  }
  await page.getByText('Too many requests in a short time.').waitFor()
  await page.getByText(/You can try again in \d+ seconds\./).waitFor()
})
