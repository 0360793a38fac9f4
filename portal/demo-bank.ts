// A bank of its own that `strongroom demo` has filled, for programs that look at the portal.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { freePort, run } from '../test/support/program.ts'

const people = ['customer', 'admin'] as const
export type Person = (typeof people)[number]

/** The bank of the pictures is neither the default one nor named like the product. */
const bankCode = 'AT/00077'

export type Bank = { origin: string; logins: Record<Person, [username: string, password: string]> }

/** Runs the work with a bank that ends with it. */
export async function withDemoBank(work: (bank: Bank) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-screenshots-'))
  const port = await freePort()
  const ports = { HTTPS_PORT: `${port}`, HTTP_PORT: '0', METRICS_PORT: '0' }
  const settings = { DATA_DIR: folder, BANK: bankCode, BANK_NAME: 'Lindenbank', ...ports }
  const service = run(['serve'], { ...settings, LOG_LEVEL: 'error' })
  try {
    await service.says(/\/portal/)
    const demo = run(['demo', '--seed', 'pictures', '--bank', bankCode], settings)
    if ((await demo.ended) !== 0) throw new Error(demo.err())
    const logins = Object.fromEntries(
      people.map((person) => {
        const [, username = '', password = ''] =
          new RegExp(`^ +${person} +(\\S+) +(\\S+)$`, 'm').exec(demo.out() + demo.err()) ?? []
        return [person, [username, password]]
      }),
    ) as Bank['logins']
    await work({ origin: `https://localhost:${port}`, logins })
  } finally {
    service.child.kill('SIGTERM')
    await service.ended
    await rm(folder, { recursive: true, force: true })
  }
}

/** Signs in, in a browser window of its own. */
export async function signIn(
  browser: Browser,
  { origin, logins }: Bank,
  person: Person,
): Promise<Page> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1280, height: 800 },
  })
  const page = await context.newPage()
  await page.goto(`${origin}/portal/`)
  const [username, password] = logins[person]
  await page.getByLabel('User name or e-mail address').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
  return page
}
