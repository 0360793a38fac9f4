// A bank with the portal in a real browser.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, BrowserContextOptions, Page, Request, Route } from 'playwright-core'
import { collectComplaints, contextsFor } from '../../test/support/browser.ts'
import { until } from '../../test/support/mailbox.ts'
import { samplesOf } from '../../test/support/sample.ts'
import {
  password,
  people,
  type PersonName,
  type World,
  world,
  type WorldOptions,
} from '../../test/support/world.ts'

export type Visit = {
  bank: World
  origin: string
  context: BrowserContext
  page: Page
  /** What the browser complained about: has to be empty at the end of a test. */
  complaints: string[]
  /** Another browser window with cookies of its own, as on another device. */
  another(options?: BrowserContextOptions): Promise<Page>
  signIn(name: PersonName, page?: Page): Promise<void>
}

const setVisibility = (value: 'hidden' | 'visible'): string =>
  `Object.defineProperty(document, 'visibilityState', { value: '${value}', configurable: true })`
/** As texts: the browser runs them, not Node. */
export const [hide, show] = [setVisibility('hidden'), setVisibility('visible')]

/** Waits are for what comes, so a slow machine is given time: a tenth of the speed is enough. */
export const waitMsMax = 60_000

export type VisitOptions = WorldOptions & {
  browser?: BrowserContextOptions
  /** Statuses of refusals that the test provokes. */
  refusals?: readonly number[]
  /** The page looks for news. Else it is a hidden one: a look may come between two steps. */
  isLooking?: boolean
}

/** Undefined where no browser starts. */
export async function visit(
  t: TestContext,
  options: VisitOptions = {},
): Promise<Visit | undefined> {
  const newContext = await contextsFor(t)
  if (!newContext) return undefined
  const portal = new URL('../dist/', import.meta.url)
  const bank = await world(t, { portal, isPolling: true, ...options })
  const origin = `https://localhost:${bank.running.httpsPort}`
  const complaints: string[] = []
  async function open(more: BrowserContextOptions = {}) {
    const context = await (newContext as NonNullable<typeof newContext>)({
      ignoreHTTPSErrors: true,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      ...options.browser,
      ...more,
    })
    context.setDefaultTimeout(waitMsMax)
    context.on('page', noteRequests)
    if (!options.isLooking) await context.addInitScript(hide)
    const page = await context.newPage()
    // Without a session the first question, who is signed in, is answered 401. A bank that is busy
    // asks to wait (503): the page asks again, and what it does not come to show fails the test.
    const refusals = [401, 503, ...(options.refusals ?? [])]
    collectComplaints(page, origin, { refusals, complaints })
    return { context, page }
  }
  const first = await open()
  return {
    bank,
    origin,
    ...first,
    complaints,
    another: async (more) => (await open(more)).page,
    async signIn(name, page = first.page) {
      await page.goto(`${origin}/portal/`)
      await page.getByLabel('User name or e-mail address').fill(people[name].username)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
    },
  }
}

/**
 * The request reaches the server, and its answer is lost. A page keeps its route to the end of the
 * test: `unroute` at the moment of a request can hang that request in the browser for good.
 */
export async function loseAnswer(route: Route): Promise<void> {
  // A repeat may come while the server is down, or end with its page: it is lost as well.
  try {
    const headers = { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' }
    // What a busy bank has refused is no answer that can be lost.
    for (let turn = 0; turn < 20; turn++) {
      const answer = await route.fetch({ headers, timeout: waitMsMax })
      if (answer.status() !== 503) break
    }
  } catch {}
  await route.abort('connectionreset').catch(() => undefined)
}

type Noted = {
  underWay: Set<Request>
  /** Reads that the bank asked to wait for: the page repeats them. */
  refused: Set<string>
  count: number
}
const noted = new WeakMap<Page, Noted>()

const nameOf = (request: Request): string => `${request.method()} ${request.url()}`

/** A repeat comes within ten seconds: after that the read is given up, or its screen was left. */
const repeatMsMax = 15_000

function noteRequests(page: Page): void {
  const requests: Noted = { underWay: new Set(), refused: new Set(), count: 0 }
  noted.set(page, requests)
  page.on('request', (request) => {
    requests.underWay.add(request)
    requests.refused.delete(nameOf(request))
    requests.count++
  })
  page.on('response', (response) => {
    const request = response.request()
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) {
      // What a page that is left has asked for may never end.
      for (const other of requests.underWay) {
        if (other !== request) requests.underWay.delete(other)
      }
      requests.refused.clear()
    } else if (request.method() === 'GET' && [429, 503].includes(response.status())) {
      const name = nameOf(request)
      requests.refused.add(name)
      setTimeout(() => requests.refused.delete(name), repeatMsMax).unref()
    }
  })
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end as 'requestfinished', (request) => void requests.underWay.delete(request))
  }
}

const nextFrame = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))'
const frameMsMax = 5000

/** False where the page navigates meanwhile, or draws nothing for so long. */
function drawFrame(page: Page): Promise<boolean> {
  const drawn = page.evaluate(nextFrame).then(
    () => true,
    () => false,
  )
  return Promise.race([drawn, sleep(frameMsMax, false, { ref: false })])
}

/**
 * Waits until each request of the page is answered, and its answer has led to no other one. The
 * idle network of Playwright comes once for each load: also before a form is sent, or while a slow
 * machine draws.
 */
export const untilRead = (page: Page): Promise<void> =>
  until('the answer to each request', async () => {
    const requests = noted.get(page) ?? assert.fail('a page of another context')
    const { count } = requests
    const isRead = () => requests.underWay.size + requests.refused.size === 0
    if (!isRead()) return false
    for (let frame = 0; frame < 2; frame++) if (!(await drawFrame(page))) return false
    return isRead() && requests.count === count
  })

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

type Violation = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Asserts that axe-core finds nothing by WCAG 2.2 AA, and that nothing scrolls sideways. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // A screen that is still loaded shows grey lines without a heading.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  // As text: the browser runs it, not Node. The policy of the page does not bind the debugger. A
  // page that has it already is not given it again: that takes longer than what it finds.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axeSource)
  const run = `axe.run({ runOnly: ${JSON.stringify(standards)} }).then((found) => found.violations)`
  const violations = await page.evaluate<Violation[]>(run)
  const findings = violations.map(({ id, help, nodes }) => {
    const places = nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`)
    return `${id}: ${help}\n${places.join('\n')}`
  })
  assert.deepEqual(findings, [], `${what}:\n${findings.join('\n')}`)
  const ids = await page.evaluate<string[]>(
    "[...document.querySelectorAll('[id]')].map((e) => e.id)",
  )
  assert.equal(new Set(ids).size, ids.length, `${what} has an id twice: ${ids.join(' ')}`)
  const surplus = await readSurplus(page)
  assert.equal(surplus, 0, `${what} scrolls sideways by ${surplus} px`)
}

/** By how many pixels the page scrolls sideways. */
export const readSurplus = async (page: Page): Promise<number> => {
  const root = 'document.documentElement'
  return await page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`)
}

/**
 * Waits until an expression is true in the page. `waitForFunction` would evaluate its second try in
 * the page itself, whose policy forbids that.
 */
export const untilTrue = (page: Page, expression: string): Promise<void> =>
  until(expression, () => page.evaluate<boolean>(expression))

/** Where it begins and how high it is, in pixels. */
export async function boxOf(page: Page, selector: string): Promise<{ y: number; height: number }> {
  const box = await page.locator(selector).first().boundingBox()
  return box ?? assert.fail(`${selector} is not shown`)
}

type Size = { width: number; height: number }

/** Whether the menu is that of the window's width: the page hears of another one with a frame. */
const isDrawnForWidth = `(() => {
  const { length } = document.querySelectorAll('header.top .own a')
  const isPhone = matchMedia('(max-width: 48rem)').matches
  return length === 0 || (length === 1) === isPhone
})()`

/** Gives the window another size, and waits until the page has drawn itself for it. */
export async function resize(page: Page, size: Size): Promise<void> {
  await page.setViewportSize(size)
  await untilTrue(page, isDrawnForWidth)
}

/** Themes in which a run by day looks at a screen and width: axe-core takes half a second each. */
const themesEachRun = 1

/** The present screen in light, dark and high contrast (samples), at 1280 and 320 pixels. */
export async function assertAccessibleEverywhere(page: Page, what: string): Promise<void> {
  const sample = samplesOf({ name: what, diagnostic: () => {} })
  for (const width of [1280, 320]) {
    await resize(page, { width, height: 900 })
    for (const theme of sample(['light', 'dark', 'contrast'], themesEachRun)) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      await assertAccessible(page, `${what}, ${theme}, ${width} px`)
    }
  }
  await page.evaluate("document.documentElement.dataset.theme = 'auto'")
  await resize(page, { width: 1280, height: 900 })
}
