// Second factors of people in the tests of the pages.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { freePort } from '../../test/support/program.ts'
import { password, people, type PersonName, type World } from '../../test/support/world.ts'
import { type Visit, visit, type VisitOptions } from './support.ts'

/** A bank at the address by which its own browser calls it: passkeys belong to a host. */
export async function visitLocal(t: TestContext, { settings, ...options }: VisitOptions = {}) {
  const port = `${await freePort()}`
  const own = { HTTPS_PORT: port, PUBLIC_URL: `https://localhost:${port}`, SESSION_IDLE: '1h' }
  return visit(t, { ...options, settings: { ...own, ...settings } })
}

export type Authenticator = { devtools: CDPSession; authenticatorId: string }

/** A passkey provider that is unlocked and says yes at once. */
export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  return { devtools, authenticatorId }
}

export const button = (page: Page, name: string): Locator =>
  page.getByRole('button', { name, exact: true })
export const heading = (page: Page, name: string): Locator =>
  page.getByRole('heading', { name, level: 1, exact: true })

/** What the application shows that has the secret of the page. */
export type Application = { code(): string }

export function application({ clock }: Pick<World, 'clock'>, secret: string): Application {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return {
    code() {
      // The next one each time: a code works once.
      clock.advance(30_000)
      return totp.generate({ timestamp: clock.now() })
    },
  }
}

export async function typePassword(page: Page, name: PersonName): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(people[name].username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

export async function signOut(page: Page): Promise<void> {
  await button(page, 'Sign out').click()
  await page.getByText('You have signed out.').waitFor()
}

/** Gives a new passkey a name, and the password. */
export async function beginPasskey(page: Page, name = 'Laptop'): Promise<void> {
  await button(page, 'Add a passkey').click()
  await page.locator('[name=name]:focus').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

/** Begins to add an application, and gives it the secret that is shown as text. */
export async function beginApplication(
  { bank }: Pick<Visit, 'bank'>,
  page: Page,
): Promise<Application> {
  await button(page, 'Add an authenticator app').click()
  await page.locator('[name=name]:focus').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Continue').click()
  await page.getByRole('img', { name: /^QR code/ }).waitFor()
  const secret = await page.locator('.copyable .code').first().textContent()
  return application(bank, (secret ?? '').replaceAll(' ', ''))
}

export async function addApplication(
  visiting: Pick<Visit, 'bank'>,
  page: Page,
): Promise<Application> {
  const app = await beginApplication(visiting, page)
  await page.getByLabel('Code of the authenticator app').fill(app.code())
  await button(page, 'Add an authenticator app').click()
  return app
}

/** The recovery codes on the page, which are then put away. */
export async function keepCodes(page: Page): Promise<string[]> {
  await heading(page, 'Your recovery codes').waitFor()
  const text = (await page.locator('.codes .code').textContent()) ?? ''
  await button(page, 'I have kept them').click()
  const codes = text.split('\n')
  assert.equal(codes.length, 10)
  return codes
}

/** Moves the focus by the keyboard, as far as it takes. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  const focused = target.and(page.locator(':focus'))
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if ((await focused.count()) === 1) return
  }
  assert.fail(`the keyboard does not reach ${target.toString()}`)
}

export async function confirmByCode(page: Page, app: Application): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' })
  await dialog.getByLabel('Code of the authenticator app').fill(app.code())
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
}
