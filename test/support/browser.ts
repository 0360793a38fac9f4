// A real browser for tests of pages, and its complaints.
import { after, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import chromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as engine,
  type Page,
} from 'playwright-core'

/** Without the defaults of the package: they switch off what protects one origin from another. */
const args = ['--no-sandbox', '--headless=shell', '--disable-gpu', '--disable-dev-shm-usage']

/** A browser is unpacked when it is first needed: another process may be writing its file. */
const unpackMsMax = 30_000

export async function openBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath()
  for (const until = Date.now() + unpackMsMax; ;) {
    try {
      return await engine.launch({ executablePath, args, timeout: 30_000 })
    } catch (thrown) {
      if (!String(thrown).includes('ETXTBSY') || Date.now() > until) throw thrown
      await sleep(100)
    }
  }
}

/** One for all tests of a process: a context of its own for each window keeps them apart. */
let shared: Promise<Browser> | undefined
after(async () => {
  const browser = await shared?.catch(() => undefined)
  await browser?.close()
})

async function openShared(): Promise<Browser> {
  const former = await shared?.catch(() => undefined)
  if (former?.isConnected()) return former
  return await (shared = openBrowser())
}

/**
 * Opens a context, which ends with the test. Undefined where no browser starts: the test is skipped
 * with the reason.
 */
export async function contextsFor(
  t: TestContext,
): Promise<((options: BrowserContextOptions) => Promise<BrowserContext>) | undefined> {
  try {
    const browser = await openShared()
    const opened: BrowserContext[] = []
    // Before the bank of the test ends, which is opened later: its pages ask it until then.
    t.after(() => Promise.all(opened.map((context) => context.close())))
    return async (options) => {
      const context = await browser.newContext(options)
      opened.push(context)
      return context
    }
  } catch (thrown) {
    t.skip(`no browser starts here: ${(thrown as Error).message.split('\n', 1)[0]}`)
    return undefined
  }
}

type Collecting = {
  /** Statuses of refusals that the test expects. */
  refusals?: readonly number[]
  /** Where the complaints of several pages are collected. */
  complaints?: string[]
}

/** Warnings, errors, policy violations, requests to another origin and refused ones of the page. */
export function collectComplaints(
  page: Page,
  origin: string,
  { refusals = [], complaints = [] }: Collecting = {},
): string[] {
  page.on('console', (message) => {
    const isExpected = refusals.some((status) => message.text().includes(`status of ${status} `))
    if (['error', 'warning'].includes(message.type()) && !isExpected) {
      complaints.push(message.text())
    }
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.origin !== origin) complaints.push(`asked ${url.href}`)
  })
  page.on('response', (response) => {
    const status = response.status()
    if (status >= 400 && !refusals.includes(status)) complaints.push(`${status} ${response.url()}`)
  })
  return complaints
}
