// A real browser for tests of pages, and its complaints.
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as engine, type Page } from 'playwright-core'

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

/** Undefined where no browser starts: the test is skipped with the reason. */
export async function browserFor(t: TestContext): Promise<Browser | undefined> {
  try {
    const browser = await openBrowser()
    t.after(() => browser.close())
    return browser
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
