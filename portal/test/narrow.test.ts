// Every page at 320 px with the longest texts that there can be (WCAG 2.2, 1.4.10).
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { deposit, openAccount } from '../../test/support/fixture.ts'
import { samplesOf } from '../../test/support/sample.ts'
import { people } from '../../test/support/world.ts'
import { texts as de } from '../../languages/de/portal/common.ts'
import { texts as en } from '../../languages/en/portal/common.ts'
import { texts as es } from '../../languages/es/portal/common.ts'
import { texts as fr } from '../../languages/fr/portal/common.ts'
import { type PageName, pages } from '../src/state/paths.ts'
import { readSurplus, untilRead, visit, type Visit } from './support.ts'

/** The longest names, of one word each: nothing in them is a place to break a line. */
const names = {
  latin: 'Wolfeschlegelsteinhausenbergerdorff'.padEnd(70, 'm'),
  hebrew: 'בןגוריוןשלוםעליכםורחמיםגדולים'.padEnd(70, 'ש'),
}
/** Of Malta, of the longest that there are. */
const iban = 'MT84MALT011000012345MTLCAST001S'
const email = `${'m'.repeat(64)}@${'m'.repeat(60)}.example`

/** Somebody with all that has a name or a text of its own, and the largest amounts. */
async function scene(bank: Visit['bank'], name: string) {
  const root = await bank.as('root')
  const change = { givenName: name, familyName: name, email, address: name.padEnd(140, name) }
  const changed = await root.patch(`/api/v1/admin/users/${people.ada.id}`, change)
  assert.equal(changed.status, 200, changed.text)
  // A new e-mail address ends the sessions.
  const ada = await bank.as('ada')
  const other = await openAccount(ada)
  const named = await ada.post('/api/v1/accounts', { currency: 'EUR', name })
  const accountId = named.body.id as string
  const path = `/api/v1/accounts/${accountId}`
  await deposit(root, accountId, '999999999999999.99')
  const payee = await ada.post(`${path}/beneficiaries`, { name, nickname: name, iban })
  assert.equal(payee.status, 201, payee.text)
  await ada.post(`${path}/cards`, { nickname: name })
  const pay = async (to: object) => {
    const terms = {
      amount: '333333333333333.33',
      currency: 'EUR',
      reference: name.padEnd(140, name),
    }
    const paid = await ada.post('/api/v1/transfers', { fromAccountId: accountId, ...to, ...terms })
    assert.equal(paid.status, 201, paid.text)
    return paid.body.id as string
  }
  await pay({ toAccountId: other })
  const transferId = await pay({ beneficiaryId: payee.body.id })
  const [entry] = (await ada.get(`${path}/transactions`)).body.items
  const grants = { readAccounts: 'all', payFrom: [accountId], operations: [] }
  const program = await root.post('/api/v1/admin/service-accounts', { name, grants })
  assert.equal(program.status, 201, program.text)
  const url = `https://127.0.0.1/${'m'.repeat(200)}`
  const hook = { url, description: name, types: ['account.opened'] }
  const webhook = await root.post('/api/v1/admin/webhooks', hook)
  assert.equal(webhook.status, 201, webhook.text)
  const ids = { accountId, transferId, transactionId: entry.id as string, userId: people.ada.id }
  const programs = { serviceAccountId: program.body.id, webhookId: webhook.body.id }
  return { ...ids, ...programs, payeeId: payee.body.id as string }
}
type Ids = Awaited<ReturnType<typeof scene>>

const addressOf = (page: PageName, ids: Ids): string =>
  pages[page].path.replace(/:(\w+)/g, (_, name: string) => ids[name as keyof Ids])

/** Pages on which a button asks about something by its name. */
const asking: readonly PageName[] = ['beneficiaries', 'cards', 'staffCustomer', 'staffAccount']

/** Opens what is folded, and a dialog. */
async function unfold(page: Page, name: PageName): Promise<void> {
  for (const folded of await page.locator('summary, main form [aria-expanded]').all()) {
    await folded.click()
  }
  const menu = page.locator('main .menu > button').first()
  if (await menu.isVisible()) await menu.click()
  const button = page.locator('.button.danger').first()
  if (asking.includes(name) && (await button.isVisible())) await button.click()
}

/** The payment before it is confirmed. */
async function review(page: Page, reference: string): Promise<void> {
  await page.locator('[name=amount]').fill('100000000000000')
  await page.locator('[name=reference]').fill(reference)
  await page.locator('main [type=submit]').click()
  await page.locator('.amount-large').waitFor()
}

/** By how many pixels a table scrolls: here its rows are blocks, which need not. */
const readSurplusOfTables = (page: Page): Promise<number> =>
  page
    .locator('.table:has(.stacks)')
    .evaluateAll((all) => Math.max(0, ...all.map((one) => one.scrollWidth - one.clientWidth)))

/** Where each page begins that shows more by its query. */
const queries: Partial<Record<PageName, (ids: Ids, name: string) => string>> = {
  transfer: ({ payeeId }) => `?to=${payeeId}`,
  search: (_, name) => `?q=${encodeURIComponent(name)}`,
  beneficiaries: ({ accountId }) => `?account=${accountId}`,
  beneficiaryNew: ({ accountId }) => `?account=${accountId}`,
  cards: ({ accountId }) => `?account=${accountId}`,
  statements: ({ accountId }) => `?account=${accountId}`,
}

/** The only pages without a sign-out. */
const beforeSignIn: readonly PageName[] = ['factorReset', 'forgot', 'help', 'reset']

/** Of the languages a run takes two for each script, other ones each time. */
const eachRun = 2

for (const [script, name] of Object.entries(names)) {
  test(`pages at 320 px with long ${script} names`, async (t) => {
    for (const [language, { nav }] of samplesOf(t)(Object.entries({ en, de, es, fr }), eachRun)) {
      await t.test(
        `no page in "${language}" scrolls sideways, and each offers to sign out`,
        (one) => checkPages(one, { name, language, signOut: nav.signOut }),
      )
    }
  })
}

type Checked = { name: string; language: string; signOut: string }

async function checkPages(t: TestContext, { name, language, signOut }: Checked): Promise<void> {
  const browser = { viewport: { width: 320, height: 800 } }
  const visiting = await visit(t, { browser, settings: { FOUR_EYES: 'createWithdrawal' } })
  if (!visiting) return
  const { bank, page, origin, signIn, another } = visiting
  const ids = await scene(bank, name)
  const found: string[] = []
  const without = new Set<PageName>()
  const look = async (where: Page, what: string) => {
    // A part that comes late would move those that are unfolded.
    await untilRead(where)
    await where.locator('.skeleton').first().waitFor({ state: 'detached' })
    const surplus = (await readSurplus(where)) + (await readSurplusOfTables(where))
    if (surplus > 0) found.push(`${what}: ${surplus} px`)
  }
  for (const [who, where] of [
    ['ada', page],
    ['root', await another()],
  ] as const) {
    await signIn(who, where)
    await where.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    for (const pageName of Object.keys(pages) as PageName[]) {
      const query = queries[pageName]?.(ids, name) ?? ''
      await where.goto(`${origin}${addressOf(pageName, ids)}${query}`)
      await where.locator('h1').first().waitFor()
      const out = where.getByRole('button', { name: signOut, exact: true })
      if (!(await out.first().isVisible())) without.add(pageName)
      await look(where, `${who} ${pageName}`)
      await unfold(where, pageName)
      await look(where, `${who} ${pageName}, unfolded`)
      if (who === 'ada' && pageName === 'transfer') {
        await review(where, name.padEnd(140, name))
        await look(where, 'ada review')
      }
    }
  }
  assert.deepEqual(found, [])
  assert.deepEqual([...without].toSorted(), beforeSignIn)
}
