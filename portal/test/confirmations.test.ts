// Confirming risky operations in a real browser: the person sees what is confirmed, and nothing but
// that very request takes effect.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { addPayee } from '../../test/support/confirmations.ts'
import { type Enrolled, enrolTotp } from '../../test/support/factors.ts'
import { assertSound, readBalance, sceneIn } from '../../test/support/fixture.ts'
import { until } from '../../test/support/mailbox.ts'
import { password, people, type World } from '../../test/support/world.ts'
import {
  addAuthenticator,
  type Application,
  beginPasskey,
  button,
  confirmByCode,
  heading,
  keepCodes,
  tabTo,
  typePassword,
  visitLocal,
} from './factors-support.ts'
import { assertAccessibleEverywhere, loseAnswer, type Visit } from './support.ts'

/** The codes that follow the one by which it was enrolled. */
const toApplication = ({ clock }: Pick<World, 'clock'>, { code }: Enrolled): Application => ({
  code() {
    clock.advance(30_000)
    return code()
  },
})

/** Ada has a second factor, money, and a payee elsewhere. */
async function prepare(visiting: Visit) {
  const { bank } = visiting
  const scene = await sceneIn(bank, '2000.00')
  const app = toApplication(bank, await enrolTotp(bank, scene.ada))
  const payee = await addPayee(bank, scene.ada, scene.from)
  return { ...scene, app, payee }
}

async function signInByCode({ page, origin }: Visit, name: 'ada' | 'root', app: Application) {
  await page.goto(`${origin}/portal/`)
  await typePassword(page, name)
  await page.locator('[name=code]:focus').fill(app.code())
  await page.keyboard.press('Enter')
  await button(page, 'Sign out').waitFor()
}

/** From the form to the review. */
async function review(page: Page, { from = '', payee = '', amount = '' }): Promise<void> {
  if (from) await page.getByLabel('From').selectOption(from)
  if (payee) await page.getByLabel('To', { exact: true }).selectOption(`beneficiary:${payee}`)
  await page.getByLabel('Amount in EUR').fill(amount)
  await button(page, 'Continue').click()
  await heading(page, 'Check and confirm').waitFor()
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Confirm with your second factor' })
const payButton = (page: Page) => page.getByRole('button', { name: /^Pay €/ })

type Posted = { key?: string | undefined; confirmation?: string | undefined; body: string | null }

/** What the page posts as payments; `change` may put another body in its place. */
async function watchPayments(page: Page) {
  const watch = {
    posted: [] as Posted[],
    change: (_posted: Posted): string | undefined => undefined,
    /** The answer of what was posted is lost. */
    isLost: (_posted: Posted): boolean | Promise<boolean> => false,
  }
  await page.route('**/portal/api/v1/transfers', async (route) => {
    const request = route.request()
    if (request.method() !== 'POST') return route.continue()
    const { 'idempotency-key': key, confirmation } = await request.allHeaders()
    const posted = { key, confirmation, body: request.postData() }
    watch.posted.push(posted)
    const postData = watch.change(posted)
    if (!(await watch.isLost(posted))) return route.continue(postData ? { postData } : {})
    return loseAnswer(route)
  })
  return watch
}

const unexpected = ({ complaints }: Visit): string[] =>
  complaints.filter((found) => !/\b(400|401|403)\b|ERR_CONNECTION/.test(found))

test('a payment is confirmed by a code: the person sees amount and payee, and Escape loses nothing', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { page, origin } = visiting
  const { ada, from, payee, app, ...bank } = await prepare(visiting)
  await signInByCode(visiting, 'ada', app)
  const watch = await watchPayments(page)
  await page.goto(`${origin}/portal/transfer`)
  await review(page, { from, payee, amount: '50' })
  await payButton(page).click()
  await dialog(page).getByText('€50.00').waitFor()
  await dialog(page).getByText('Grace Hopper').waitFor()
  await dialog(page).getByText('GB33 BUKB 2020 1555 5555 55').waitFor()
  await assertAccessibleEverywhere(page, 'confirming a payment')
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  await page.getByText('This was not confirmed, so nothing has changed.').waitFor()
  await heading(page, 'Check and confirm').waitFor()
  await assertAccessibleEverywhere(page, 'a payment that was not confirmed')

  await payButton(page).click()
  await dialog(page).getByLabel('Code of the authenticator app').fill('000000')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('This code is not right.').waitFor()
  await assertAccessibleEverywhere(page, 'confirming a payment with a wrong code')
  assert.equal(await readBalance(ada, from), '2000.00')
  await confirmByCode(page, app)
  await heading(page, 'Receipt').waitFor()
  assert.equal(await readBalance(ada, from), '1950.00')
  assert.equal(watch.posted.length, 3)
  assert.equal(new Set(watch.posted.map(({ key, body }) => `${key} ${body}`)).size, 1)
  assert.deepEqual(
    watch.posted.map(({ confirmation }) => confirmation !== undefined),
    [false, false, true],
  )
  await assertSound(bank)
  assert.deepEqual(unexpected(visiting), [])
})

test('where the dialog cannot be loaded nothing is confirmed and nothing paid; after a reload it is', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { page, origin } = visiting
  const { ada, from, payee, app } = await prepare(visiting)
  await signInByCode(visiting, 'ada', app)
  await page.goto(`${origin}/portal/transfer`)
  await review(page, { from, payee, amount: '50' })
  let isCut = true
  await page.route('**/factors.js', async (route) =>
    isCut ? route.abort('connectionreset') : route.continue(),
  )
  await payButton(page).click()
  await page.getByText('This was not confirmed, so nothing has changed.').waitFor()
  assert.equal(await readBalance(ada, from), '2000.00')
  // A browser asks again for a script only after a reload.
  isCut = false
  await page.reload()
  await payButton(page).click()
  await confirmByCode(page, app)
  await heading(page, 'Receipt').waitFor()
  assert.equal(await readBalance(ada, from), '1950.00')
})

test('a changed amount is confirmed anew, also where it was changed on the way', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { page, origin } = visiting
  const { ada, from, payee, app } = await prepare(visiting)
  await signInByCode(visiting, 'ada', app)
  const watch = await watchPayments(page)
  await page.goto(`${origin}/portal/transfer`)
  await review(page, { from, payee, amount: '50' })
  await payButton(page).click()
  await dialog(page).getByText('€50.00').waitFor()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Change' }).click()
  await review(page, { amount: '60' })
  await payButton(page).click()
  await dialog(page).getByText('€60.00').waitFor()
  watch.change = ({ confirmation, body }) =>
    confirmation ? body?.replace('"60.00"', '"700.00"') : undefined
  await dialog(page).getByLabel('Code of the authenticator app').fill(app.code())
  await page.keyboard.press('Enter')
  await dialog(page).getByText('€700.00').waitFor()
  assert.equal(await readBalance(ada, from), '2000.00')
  await page.keyboard.press('Escape')
  await page.getByText('has to be confirmed').waitFor()
  watch.change = () => undefined
  await payButton(page).click()
  await dialog(page).getByText('€60.00').waitFor()
  await confirmByCode(page, app)
  await heading(page, 'Receipt').waitFor()
  assert.equal(await readBalance(ada, from), '1940.00')
  assert.deepEqual(unexpected(visiting), [])
})

test('a reload while the person is asked pays nothing; a lost answer after it is found, paid once', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { page, origin } = visiting
  const { ada, from, payee, app, ...bank } = await prepare(visiting)
  await signInByCode(visiting, 'ada', app)
  const watch = await watchPayments(page)
  await page.goto(`${origin}/portal/transfer`)
  await review(page, { from, payee, amount: '50' })
  await payButton(page).click()
  await dialog(page).waitFor()
  await page.reload()
  await payButton(page).waitFor()
  assert.equal(watch.posted.length, 1, 'nothing is sent before the person asks for it')
  assert.equal(await dialog(page).count(), 0)
  await payButton(page).click()
  const lost = page.getByText('The answer was lost.').waitFor()
  watch.isLost = async () => {
    const { length } = watch.posted.filter(({ confirmation }) => confirmation)
    // It is there until the answer to the repetition.
    if (length > 1) await lost
    return length === 1
  }
  await confirmByCode(page, app)
  await lost
  await heading(page, 'Receipt').waitFor()
  assert.equal(watch.posted.length, 4)
  assert.equal(new Set(watch.posted.map(({ key, body }) => `${key} ${body}`)).size, 1)
  assert.equal(await readBalance(ada, from), '1950.00')
  await assertSound(bank)
  assert.deepEqual(unexpected(visiting), [])
})

test('a new beneficiary and the own password are confirmed by a passkey, reached by the keyboard', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  await sceneIn(bank)
  await addAuthenticator(page)
  await signIn('ada')
  await page.goto(`${origin}/portal/security`)
  await beginPasskey(page)
  await keepCodes(page)
  await page.goto(`${origin}/portal/beneficiaries/new`)
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
  await page.getByLabel('IBAN').fill('GB33BUKB20201555555555')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('A new beneficiary').waitFor()
  await dialog(page).getByText('GB33 BUKB 2020 1555 5555 55').waitFor()
  await assertAccessibleEverywhere(page, 'confirming a beneficiary')
  await tabTo(page, dialog(page).getByRole('button', { name: 'Use a passkey' }))
  await page.keyboard.press('Enter')
  await heading(page, 'Beneficiaries').waitFor()
  await page.getByText('Grace Hopper').first().waitFor()

  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('four green birds on a wire')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('A new password').waitFor()
  await tabTo(page, dialog(page).getByRole('button', { name: 'Use a passkey' }))
  await page.keyboard.press('Enter')
  await page.getByText('Your password is changed.').waitFor()
  assert.deepEqual(unexpected(visiting), [])
})

test('a payee is trusted with a confirmation, then paid without one', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { page, origin } = visiting
  const { ada, from, payee, app } = await prepare(visiting)
  await signInByCode(visiting, 'ada', app)
  const list = `${origin}/portal/beneficiaries?account=${from}`
  await page.goto(list)
  const more = button(page, 'More: Grace Hopper')
  await more.click()
  await button(page, 'Trust Grace Hopper').click()
  await dialog(page).getByText('To trust a beneficiary').waitFor()
  await dialog(page).getByText('GB33 BUKB 2020 1555 5555 55').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('This was not confirmed, so nothing has changed.').waitFor()
  assert.equal(await page.getByText('Trusted', { exact: true }).count(), 0)
  await more.click()
  await button(page, 'Trust Grace Hopper').click()
  await confirmByCode(page, app)
  await page.getByText('Payments to Grace Hopper are no longer confirmed').first().waitFor()
  await page.getByText('Trusted', { exact: true }).waitFor()
  await assertAccessibleEverywhere(page, 'a trusted beneficiary')

  await page.goto(`${origin}/portal/transfer`)
  await review(page, { from, payee, amount: '50' })
  await payButton(page).click()
  await heading(page, 'Receipt').waitFor()
  assert.equal(await readBalance(ada, from), '1950.00')

  await page.goto(list)
  await more.click()
  await button(page, 'Stop trusting Grace Hopper').click()
  await confirmByCode(page, app)
  await page.getByText('Grace Hopper is no longer trusted.').first().waitFor()
  await more.click()
  await button(page, 'Trust Grace Hopper').waitFor()
  assert.equal(await page.getByText('Trusted', { exact: true }).count(), 0)
  assert.deepEqual(unexpected(visiting), [])
})

test('a cash deposit by staff is confirmed, in German as well', async (t) => {
  const visiting = await visitLocal(t, { browser: { locale: 'de-DE' } })
  if (!visiting) return
  const { bank, page, origin } = visiting
  const { ada, root, from } = await sceneIn(bank)
  const app = toApplication(bank, await enrolTotp(bank, root))
  await page.goto(`${origin}/portal/staff/accounts/${from}/deposit`)
  await page.locator('[name=username]:focus').fill(people.root.username)
  await page.getByLabel('Passwort', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.locator('[name=code]:focus').fill(app.code())
  await page.keyboard.press('Enter')
  await page.locator('[name=amount]').fill('12,50')
  await page.locator('[name=reason]').fill('Bar')
  await page.keyboard.press('Enter')
  await button(page, 'Einzahlen').click()
  const asked = page.getByRole('dialog', { name: 'Mit dem zweiten Faktor bestätigen' })
  await asked.getByText('12,50').waitFor()
  await asked.getByText('Eine Bareinzahlung').waitFor()
  await assertAccessibleEverywhere(page, 'confirming a deposit, in German')
  await asked.getByLabel('Code der Authenticator-App').fill(app.code())
  await page.keyboard.press('Enter')
  await asked.waitFor({ state: 'detached' })
  // The review tells the new balance before the deposit is made.
  await until('the deposit is made', async () => (await readBalance(ada, from)) === '112.50')
  assert.deepEqual(unexpected(visiting), [])
})

test('payments to other banks are returned one after the other, each confirmed; Escape ends the run', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { bank, page } = visiting
  const { ada, root, from } = await sceneIn(bank)
  const payee = { name: 'Fernwerk', iban: 'DE89370400440532013000' }
  const { body } = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  for (const amount of ['1.10', '2.20']) {
    const beneficiaryId = body.id as string
    const terms = { fromAccountId: from, beneficiaryId, amount, currency: 'EUR' }
    assert.equal((await ada.post('/api/v1/transfers', terms)).status, 201)
  }
  const app = toApplication(bank, await enrolTotp(bank, root))
  await signInByCode(visiting, 'root', app)
  await page.getByRole('link', { name: 'Clearing' }).click()
  await page.getByRole('checkbox').first().check()
  await page.getByRole('checkbox').nth(1).check()
  await button(page, 'Return').click()
  await page.getByLabel('Why it came back').selectOption('MD07')
  await page.getByRole('dialog').getByRole('button', { name: 'Return' }).click()
  await dialog(page).getByText('Fernwerk').waitFor()
  await dialog(page).getByText('To return a payment').waitFor()
  await dialog(page).getByLabel('Code of the authenticator app').fill(app.code())
  await page.keyboard.press('Enter')
  await page.getByText('1 of 2 done.').waitFor()
  await dialog(page).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('1 payment not done yet.').waitFor()
  await page.getByText('This was not confirmed').waitFor()
  const pending = await bank.sql(
    "select count(*)::int as count from transfers where status = 'pending'",
  )
  assert.deepEqual(pending.rows, [{ count: 1 }])
  assert.deepEqual(unexpected(visiting), [])
})
