// The face of the pages comes late and moves nothing that is read; the top names the person in one
// row; what a person reads of a failure.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request, Route } from 'playwright-core'
import { languages } from '../../src/domain/languages.ts'
import { sceneIn } from '../../test/support/fixture.ts'
import { boxOf, readSurplus, resize, untilTrue, type Visit, visit } from './support.ts'

/** Without those of the styles, which stand in for it. */
const faceCount = "[...document.fonts].filter(({ family }) => family === 'Face').length"
const hasFace = `${faceCount} === 1`
const faces = (page: Page) => page.evaluate<number>(faceCount)

const isLoader = (request: Request) => request.url().includes('/face-later-')

/** Signs in before the face is loaded, however long that takes: its loader is held until then. */
async function signInFirst({ page, signIn }: Visit): Promise<void> {
  const signedIn = Promise.withResolvers<void>()
  await page.route('**/face-later-*', async (route) => {
    await signedIn.promise
    await route.continue()
  })
  await signIn('ada')
  signedIn.resolve()
}

test('the face is loaded once, after the first screen, is used with the next one, and kept for later visits', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints } = visiting
  await sceneIn(bank)
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  const isFace = (path: string) => path.endsWith('.woff2')
  const face = page.waitForResponse((response) => isFace(new URL(response.url()).pathname))
  await signInFirst(visiting)
  const headers = await (await face).allHeaders()
  assert.equal(headers['content-type'], 'font/woff2')
  assert.match(headers['cache-control'] ?? '', /immutable/)
  assert.ok(Number(headers['content-length']) <= 60 * 1024)
  const data = asked.findIndex((path) => path.endsWith('/accounts'))
  assert.ok(data !== -1 && data < asked.findIndex(isFace))
  await untilTrue(page, "caches.has('face')")
  assert.equal(await faces(page), 0, 'while a screen is read it stays as it is')
  await page.getByRole('link', { name: 'Cards' }).click()
  await untilTrue(page, hasFace)
  await page.goto(`${origin}/portal/`)
  await untilTrue(page, hasFace)
  await page.locator('main .money').first().waitFor()
  assert.equal(asked.filter(isFace).length, 1)
  assert.deepEqual(complaints, [])
})

test('a browser that keeps nothing for pages has the face with the second screen as well', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, complaints } = visiting
  await sceneIn(bank)
  await page.addInitScript(
    'CacheStorage.prototype.match = CacheStorage.prototype.delete = ' +
      "() => Promise.reject(new DOMException('', 'SecurityError'))",
  )
  const face = page.waitForResponse((response) => response.url().endsWith('.woff2'))
  await signInFirst(visiting)
  await (await face).finished()
  assert.equal(await faces(page), 0)
  await page.getByRole('link', { name: 'Cards' }).click()
  await untilTrue(page, hasFace)
  assert.deepEqual(complaints, [])
})

test('a bank that is away when the face would be loaded leaves the pages with that of the system', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, complaints, signIn } = visiting
  await sceneIn(bank)
  await page.route('**/face-later-*', (route) => route.abort('connectionrefused'))
  const failed = page.waitForEvent('requestfailed', isLoader)
  await signIn('ada')
  await failed
  await page.getByRole('link', { name: 'Cards' }).click()
  await page.getByRole('heading', { name: 'Cards', level: 1 }).waitFor()
  assert.deepEqual(
    complaints.filter((found) => !found.includes('ERR_CONNECTION_REFUSED')),
    [],
  )
})

test('the top is one row that names the person, on a phone as well; three actions and a menu are not three rows', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { from } = await sceneIn(bank)
  await signIn('ada')
  for (const language of Object.keys(languages)) {
    await page.goto(`${origin}/portal/preferences`)
    await page.locator('[name=language]').selectOption(language)
    await page.goto(`${origin}/portal/accounts/${from}`)
    await page.locator('.head .menu').waitFor()
    for (const width of [1024, 320]) {
      await resize(page, { width, height: 844 })
      const top = await boxOf(page, '.top')
      assert.ok(top.height <= 60, `${language} ${width}: ${top.height} px`)
      assert.equal(await readSurplus(page), 0, `${language} ${width}`)
      const profile = page.locator('.top a[href="/portal/profile"]')
      assert.match(await profile.innerText(), /^AO\s*Ada/)
      assert.doesNotMatch(await profile.innerText(), /ada/)
    }
    const menu = await boxOf(page, '.head .menu')
    const heading = await boxOf(page, '.head h1')
    assert.ok(menu.y < heading.y + heading.height, `${language}: the menu is beside the heading`)
  }
  assert.deepEqual(complaints, [])
})

test('the number of a request is told of what a person cannot mend, and of nothing else', async (t) => {
  const visiting = await visit(t, { refusals: [403, 500] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { from } = await sceneIn(bank)
  await signIn('ada')
  const answer = (status: number, code: string) => (route: Route) => {
    const json = { error: 'Wrong', code, message: 'Wrong' }
    return route.fulfill({ status, json, headers: { 'x-request-id': 'r-4711' } })
  }
  const told = page.locator('main .notice.bad')
  for (const [status, code, count] of [
    [500, 'internal_error', 1],
    [403, 'forbidden', 0],
  ] as const) {
    await page.route(/\/insight\?/, answer(status, code))
    await page.goto(`${origin}/portal/accounts/${from}/insight`)
    await told.waitFor()
    assert.equal(await told.getByText('r-4711').count(), count, code)
  }
  assert.deepEqual(complaints, [])
})
