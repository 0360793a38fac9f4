// Staff sign in at an identity provider of another author, in both browsers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../test/support/clock.ts'
import { type TestIssuer, testIssuer } from '../../test/support/issuer.ts'
import { people, type World } from '../../test/support/world.ts'
import { visitFirefox } from './firefox-support.ts'
import { assertAccessible, visit } from './support.ts'

/** A port that is free now: the issuer has to know where the bank will be. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => void server.close(resolve))
  return port
}

/** The issuer, and what a bank takes to be its client in a browser. */
async function besideIssuer(t: TestContext) {
  const port = await freePort()
  const origin = `https://localhost:${port}`
  const issuer = await testIssuer(t, { returnTo: `${origin}/portal/signed-in` })
  const own = { PUBLIC_URL: origin, HTTPS_PORT: `${port}`, OIDC_FACTOR: 'amr=mfa' }
  const options = { clock: fakeClock(Date.now()), settings: { ...issuer.settings, ...own } }
  return { issuer, options }
}

/** Tokens of the issuer are of the real time: the bank takes one within a minute of its own. */
const toPresent = ({ clock }: Pick<World, 'clock'>): void => clock.advance(Date.now() - clock.now())

const button = 'Staff: sign in at the identity provider'
const link = (bank: { sql: (text: string, values: unknown[]) => unknown }, issuer: TestIssuer) =>
  bank.sql(`insert into issuer_links values ($1, $2, 'subject', now(), $1)`, [
    people.agnes.id,
    issuer.url,
  ])

/** What the browser complained about, but for the pages of the issuer itself. */
const elsewhere = (complaints: string[], { url }: TestIssuer): string[] =>
  complaints.filter((complaint) => !complaint.startsWith(`asked ${url}/`))

test('an administrator links a person, who signs in at the identity provider, signs out, and is unlinked', async (t) => {
  const { issuer, options } = await besideIssuer(t)
  const visiting = await visit(t, options)
  if (!visiting) return
  const { origin, page, complaints, signIn, another } = visiting
  await signIn('root')
  await page.goto(`${origin}/portal/staff/users/${people.agnes.id}`)
  await page.getByText('Change contact data, roles or login').click()
  await page.getByLabel('Subject (sub)').fill('subject')
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByText('The person is linked.').waitFor()
  await assertAccessible(page, 'a person with a link')

  const staff = await another()
  await staff.goto(`${origin}/portal/staff/users/${people.ada.id}`)
  await assertAccessible(staff, 'the sign-in beside an issuer')
  toPresent(options)
  await staff.getByRole('button', { name: button }).click()
  await staff.getByLabel('Subject').fill('subject')
  await staff.getByRole('button', { name: 'Go on' }).click()
  await staff.getByRole('heading', { name: 'Ada Okafor' }).waitFor()
  assert.equal(staff.url(), `${origin}/portal/staff/users/${people.ada.id}`, 'where it was begun')

  await page.getByRole('button', { name: 'Undo the link' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo the link' }).click()
  await page.getByText('The link is undone.').waitFor()
  await staff.goto(`${origin}/portal/staff`)
  toPresent(options)
  await staff.getByRole('button', { name: button }).click()
  await staff.getByText('opens nothing here').waitFor()
  assert.equal(new URL(staff.url()).search, '', 'no code stays in the address')
  await assertAccessible(staff, 'a sign-in that opens nothing')

  await issuer.stop()
  // Its document is known for five minutes.
  options.clock.advance(5 * 60_000)
  await staff.goto(`${origin}/portal/`)
  await staff.getByRole('button', { name: button }).click()
  await staff.getByText('The identity provider does not answer at the moment.').waitFor()
  assert.deepEqual(elsewhere(complaints, issuer), [])
})

test('a person whose second factor is that of the identity provider confirms there, in another tab', async (t) => {
  const { issuer, options } = await besideIssuer(t)
  const visiting = await visit(t, { ...options, refusals: [403] })
  if (!visiting) return
  const { bank, origin, page, context, complaints } = visiting
  await link(bank, issuer)
  await bank.sql(`update users set roles = '{admin}', created_at = now() where id = $1`, [
    people.agnes.id,
  ])
  const signInThere = async (at: typeof page) => {
    await at.getByLabel('Subject').fill('subject')
    await at.getByLabel('Methods').fill('mfa')
    await at.getByRole('button', { name: 'Go on' }).click()
  }
  await page.goto(`${origin}/portal/staff/users/${people.ben.id}`)
  toPresent(options)
  await page.getByRole('button', { name: button }).click()
  await signInThere(page)
  await page.getByText('Change contact data, roles or login').click()
  await page.getByRole('button', { name: 'Mail a link to reset the password' }).click()
  const ask = page.getByRole('dialog')
  await ask.getByRole('button', { name: 'Mail a link to reset the password' }).click()
  toPresent(options)
  const opening = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Confirm at the identity provider' }).click()
  const tab = await opening
  await signInThere(tab)
  await page.getByText('A link is on its way to').waitFor()
  assert.deepEqual(elsewhere(complaints, issuer), [])
})

test('in Firefox a person of staff signs in at the identity provider, and out', async (t) => {
  const { issuer, options } = await besideIssuer(t)
  const visiting = await visitFirefox(t, options)
  if (!visiting) return
  const { bank, complaints, openPage } = visiting
  await link(bank, issuer)
  const screen = await openPage()
  toPresent(options)
  await screen.press(button)
  await screen.page.locator('input[name=subject]').fill('subject')
  await screen.press('Go on')
  await screen.find('Sign out')
  assert.equal(await screen.page.evaluate('document.cookie'), '', 'no script reads a cookie')
  await screen.press('Sign out')
  await screen.read('You have signed out.')
  assert.deepEqual(complaints, [])
})
