// The keyboard goes where the person put it, however late the browser draws: what takes the focus,
// or listens for keys, does so in the task that shows it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openAccount, sceneIn } from '../../test/support/fixture.ts'
import { people } from '../../test/support/world.ts'
import { visit } from './support.ts'

/** As on a machine with much to do: each frame and each timer of the page comes that late. */
const lateMs = 700
const makeLate = `{
  const later = setTimeout
  globalThis.requestAnimationFrame = (run) => later(() => run(performance.now()), ${lateMs})
  globalThis.cancelAnimationFrame = clearTimeout
  globalThis.setTimeout = (run, ms = 0, ...given) => later(run, ms + ${lateMs}, ...given)
}`

async function visitLate(t: TestContext) {
  const visiting = await visit(t)
  await visiting?.page.addInitScript(makeLate)
  return visiting
}

const field = (page: Page, name: string) => page.locator(`[name=${name}]`)
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** A frame and a timer of the page: what was put off until then has happened. */
const waitLate = (page: Page): Promise<void> =>
  page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))')

/** As soon as it is there, it has the focus, and keeps it. */
async function hasFocusAtOnce(part: Locator, what: string): Promise<void> {
  await part.waitFor({ state: 'attached' })
  const has = () => part.evaluate((element) => element === element.ownerDocument.activeElement)
  assert.ok(await has(), `${what} has the focus at once`)
  await waitLate(part.page())
  assert.ok(await has(), `${what} keeps the focus`)
}

test('what is typed after a form was refused stays in the field where the person types', async (t) => {
  const visiting = await visitLate(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { from } = await sceneIn(bank)
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer`)
  await field(page, 'amount').fill('5')
  await field(page, 'reference').fill('a;')
  await button(page, 'Continue').click()
  await field(page, 'reference').focus()
  await waitLate(page)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText('Rent')
  assert.equal(await field(page, 'reference').inputValue(), 'Rent')

  await page.goto(`${origin}/portal/accounts/${from}`)
  await button(page, 'Filter').click()
  await field(page, 'minAmount').fill('10')
  await field(page, 'minAmount').press('Enter')
  await field(page, 'maxAmount').focus()
  await page.keyboard.insertText('20')
  await waitLate(page)
  assert.equal(await field(page, 'maxAmount').inputValue(), '20')
})

test('a late refusal does not take the focus from the field that the person has gone on to', async (t) => {
  const visiting = await visit(t, { refusals: [400] })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { from } = await sceneIn(bank)
  await signIn('ada')
  await page.goto(`${origin}/portal/beneficiaries/new?account=${from}`)
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  await page.route('**/beneficiaries', async (route) => {
    asked.resolve()
    await answered.promise
    const json = { code: 'invalid_request', details: [{ path: '/iban' }] }
    await route.fulfill({ status: 400, json })
  })
  await field(page, 'name').fill('Ben Lindqvist')
  await field(page, 'iban').fill('DE89370400440532013000')
  await button(page, 'Save').click()
  await asked.promise
  await field(page, 'nickname').focus()
  answered.resolve()
  await page.getByRole('alert').waitFor()
  await page.keyboard.type('Ben')
  assert.equal(await field(page, 'nickname').inputValue(), 'Ben')
})

test('what takes the focus of a customer takes it with its first appearance', async (t) => {
  const visiting = await visitLate(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const card = await ada.post(`/api/v1/accounts/${from}/cards`, {})
  assert.equal(card.status, 201, card.text)
  const ben = await bank.as('ben')
  const { iban } = (await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)).body
  const payee = { name: 'Ben Lindqvist', iban }
  const added = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  assert.equal(added.status, 201, added.text)
  await page.goto(`${origin}/portal/`)
  await hasFocusAtOnce(field(page, 'username'), 'the first field of the page')
  await signIn('ada')

  const menu = page.getByRole('navigation', { name: 'Menu' })
  await menu.getByRole('link', { name: 'Statements' }).click()
  await hasFocusAtOnce(page.getByRole('heading', { name: 'Statements', level: 1 }), 'the heading')
  // Those who listen for keys hear the first one.
  await page.goto(`${origin}/portal/transfer`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()

  await page.goto(`${origin}/portal/transfer`)
  await button(page, 'Continue').click()
  await hasFocusAtOnce(page.getByRole('alert'), 'the summary of a form')

  await page.goto(`${origin}/portal/accounts/${from}`)
  await button(page, 'Filter').click()
  await field(page, 'maxAmount').fill('1.00.0')
  await field(page, 'maxAmount').press('Enter')
  await page.getByText('can be read in more than one way').waitFor()
  await field(page, 'minAmount').focus()
  await waitLate(page)
  await hasFocusAtOnce(field(page, 'minAmount'), 'the field that the person went to')

  await page.goto(`${origin}/portal/cards?account=${from}`)
  await page.getByRole('button', { name: /^No limits/ }).click()
  await hasFocusAtOnce(field(page, 'perPayment'), 'the first field of a dialog')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await hasFocusAtOnce(page.getByRole('button', { name: /^No limits/ }), 'what opened the dialog')

  await page.goto(`${origin}/portal/beneficiaries?account=${from}`)
  const more = button(page, 'More: Ben Lindqvist')
  const remove = button(page, 'Delete Ben Lindqvist')
  await more.click()
  await remove.waitFor()
  await page.mouse.click(1, 300)
  await remove.waitFor({ state: 'detached' })
  await more.click()
  await remove.click()
  await button(page, 'Delete for good').click()
  await page.getByText('There is no beneficiary yet.').waitFor()
  await hasFocusAtOnce(page.getByRole('heading', { level: 1 }), 'the heading, in place of the row')
})

test('what takes the focus of an administrator takes it with its first appearance', async (t) => {
  const visiting = await visitLate(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { from } = await sceneIn(bank)
  await signIn('root')
  await page.goto(`${origin}/portal/staff/accounts/${from}/deposit`)
  await field(page, 'amount').fill('5')
  await field(page, 'reason').fill('Paid in at the desk')
  await button(page, 'Review').click()
  await hasFocusAtOnce(page.locator('.focused'), 'the review')

  await page.goto(`${origin}/portal/staff/programs/new`)
  await field(page, 'name').fill('Payroll')
  await page.getByLabel('Of one customer').check()
  await page.getByLabel('Customer', { exact: true }).fill(people.ada.username)
  await button(page, 'Create a service account').click()
  await hasFocusAtOnce(page.locator('.once'), 'a key that is shown once')
})
