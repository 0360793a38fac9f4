// The API reference in a real browser: it works with nothing but this service, under its policy.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as engine, type Page } from 'playwright-core'
import { password, people, world } from '../test/world.ts'

/** Undefined, with the reason said, where no browser starts: that is no fault of the page. */
async function browserFor(t: TestContext): Promise<Browser | undefined> {
  try {
    const executablePath = await chromium.executablePath()
    const browser = await engine.launch({ executablePath, args: chromium.args, timeout: 30_000 })
    t.after(() => browser.close())
    return browser
  } catch (thrown) {
    t.skip(`no browser starts here: ${(thrown as Error).message.split('\n', 1)[0]}`)
    return undefined
  }
}

/** Everything the page says or asks that it should not. */
function complaintsOf(page: Page, origin: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.origin !== origin) complaints.push(`asked ${url.href}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  return complaints
}

test('in a browser one logs in and calls an endpoint, without a request elsewhere or a violation', async (t) => {
  const browser = await browserFor(t)
  if (!browser) return
  const w = await world(t)
  const origin = `https://localhost:${w.running.httpsPort}`
  const page = await browser.newPage({ ignoreHTTPSErrors: true })
  page.setDefaultTimeout(20_000)
  const complaints = complaintsOf(page, origin)
  await page.goto(`${origin}/docs`)

  await page.getByLabel('User name or e-mail').fill(people.ada.username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByText('You are logged in as ada.').waitFor()

  await page.locator('#operations-tag-me').click()
  await page.locator('[data-path="/api/v1/me"]').click()
  await page.getByRole('button', { name: 'Execute' }).click()
  const answer = page.locator('.live-responses-table')
  await answer.getByText('200', { exact: true }).first().waitFor()
  assert.match(await answer.innerText(), /"username": "ada"/)

  await page.getByRole('button', { name: 'Log out', exact: true }).click()
  await page.getByText('You have logged out.').waitFor()
  assert.deepEqual(complaints, [])
})

test('the page and its files carry every header, their own policy, and the limit of the address', async (t) => {
  const w = await world(t)
  const page = await w.send('GET', '/docs')
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string)
  assert.equal(files.length, 5)
  for (const path of ['/docs', ...files]) {
    const { status, headers, text } = await w.send('GET', path)
    assert.equal(status, 200, path)
    assert.match(
      headers['content-security-policy'] ?? '',
      /^default-src 'none'; script-src 'self'; /,
    )
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /unsafe|\*|https:/)
    assert.match(headers['content-security-policy'] ?? '', /frame-ancestors 'none'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(headers['strict-transport-security'] ?? '', /^max-age=31536000/)
    assert.ok(headers['x-request-id'])
    assert.match(headers['ratelimit'] ?? '', /^"burst";r=\d+/)
    assert.match(headers['cache-control'] ?? '', path === '/docs' ? /^no-store$/ : /immutable$/)
    const head = await w.send('HEAD', path)
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers['content-length'], headers['content-length'])
    assert.ok(text.length > 0)
  }
})

test('nothing else is under /docs, and all of it is refused in the one form of errors', async (t) => {
  const w = await world(t)
  const paths = [
    '/docs/',
    '/docs/json',
    '/docs/yaml',
    '/docs/static/index.html',
    '/docs/index.html',
  ]
  for (const path of [...paths, '/docs/..%2fpackage.json', '/docs/page.js', '/docs//docs']) {
    const { status, body } = await w.send('GET', path)
    assert.deepEqual([status, body?.code], [404, 'not_found'], path)
  }
  assert.equal((await w.send('GET', '/docs?url=https://evil.example')).status, 400)
  const posted = await w.send('POST', '/docs', { body: {} })
  assert.deepEqual([posted.status, posted.headers['allow']], [405, 'GET, HEAD'])
})
