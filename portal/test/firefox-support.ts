// A bank with the portal in Firefox, by WebDriver BiDi: the second engine beside Chromium.
import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import {
  password,
  people,
  type PersonName,
  type World,
  world,
  type WorldOptions,
} from '../../test/support/world.ts'
import { waitMsMax } from './support.ts'

const programs = ['/usr/bin/firefox-esr', '/usr/bin/firefox']

export type FirefoxVisit = {
  bank: World
  origin: string
  /** Errors of the page's console and of its scripts: has to be empty at the end of a test. */
  complaints: string[]
  /** A window with cookies of its own, at the sign-in. */
  openPage(): Promise<Screen>
  /** The same, signed in through the form. */
  signIn(name: PersonName): Promise<Screen>
}

function launch(): Promise<Browser> {
  const executablePath = programs.find((file) => existsSync(file)) ?? ''
  const language = { 'intl.accept_languages': 'en-GB' }
  const more = { headless: true, acceptInsecureCerts: true, extraPrefsFirefox: language }
  return puppeteer.launch({ browser: 'firefox', executablePath, ...more })
}

/** Undefined where no Firefox starts: the test is skipped with the reason. */
export async function visitFirefox(
  t: TestContext,
  options: WorldOptions = {},
): Promise<FirefoxVisit | undefined> {
  const browser = await launch().catch((thrown: unknown) => {
    t.skip(`no Firefox starts here: ${(thrown as Error).message.split('\n', 1)[0]}`)
  })
  if (!browser) return undefined
  t.after(() => browser.close())
  const portal = new URL('../dist/', import.meta.url)
  const bank = await world(t, { portal, isPolling: true, ...options })
  const origin = `https://localhost:${bank.running.httpsPort}`
  const complaints: string[] = []
  async function openPage(): Promise<Screen> {
    const own = await (browser as Browser).createBrowserContext()
    const page = await own.newPage()
    page.setDefaultTimeout(waitMsMax)
    page.on('pageerror', (thrown) => complaints.push(String(thrown)))
    page.on('console', (message) => {
      // As in Chromium: nobody is signed in yet, or the bank asks to wait.
      const isExpected = /\b(401|503)\b/.test(message.text())
      if (message.type() === 'error' && !isExpected) complaints.push(message.text())
    })
    await page.goto(`${origin}/portal/`)
    return toScreen(page)
  }
  return {
    bank,
    origin,
    complaints,
    openPage,
    async signIn(name) {
      const screen = await openPage()
      await screen.fill('User name or e-mail address', people[name].username)
      await screen.fill('Password', password)
      await screen.press('Sign in')
      await screen.find('Sign out')
      return screen
    },
  }
}

export type Screen = ReturnType<typeof toScreen>

const button = (name: string): string =>
  `::-p-xpath(//button[normalize-space(.)="${name}" or @aria-label="${name}"])`

const labelled = (label: string): string =>
  `::-p-xpath(//*[@id=//label[normalize-space(.)="${label}"]/@for])`

/** What a person finds on a page, by its words. */
function toScreen(page: Page) {
  return {
    page,
    find: (name: string) => page.locator(button(name)).wait(),
    press: (name: string) => page.locator(button(name)).click(),
    /** Types into a field, or chooses the value of a list. */
    fill: (label: string, text: string) => page.locator(labelled(label)).fill(text),
    /** Waits until the page shows that text. */
    async read(text: string): Promise<void> {
      const shown = `document.body.textContent.replaceAll('\\u00a0', ' ')`
      await page.waitForFunction(`${shown}.includes(${JSON.stringify(text)})`)
    },
  }
}
