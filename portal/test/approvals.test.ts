// Changes by staff that wait for a second person, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  allOperations,
  approvalAt,
  holdable,
  makeAdministrator,
} from '../../test/support/approvals.ts'
import { pairOf } from '../../test/support/approvals.ts'
import { makeRequest } from '../../test/support/changes.ts'
import { assertSound, openAccount, readBalance, sceneIn } from '../../test/support/fixture.ts'
import { readBelongings } from '../../test/support/requests.ts'
import { samplesOf } from '../../test/support/sample.ts'
import { password, people } from '../../test/support/world.ts'
import { button, heading, visitLocal } from './factors-support.ts'
import { assertAccessibleEverywhere, loseAnswer, visit } from './support.ts'

/** Asks for a withdrawal, which then waits. */
async function askWithdrawal(page: Page, url: string, amount: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel('Amount (EUR)').fill(amount)
  await page.getByLabel('Reason').fill('Cash at the desk')
  await page.keyboard.press('Enter')
  await button(page, 'Pay out').click()
  await page.getByText('waits for the approval of a second person').waitFor()
}

test('a withdrawal under four eyes is not done before another administrator approves it', async (t) => {
  const visiting = await visitLocal(t, { settings: { FOUR_EYES: 'createWithdrawal' } })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const { ada, from } = await sceneIn(bank)
  await makeAdministrator(bank)
  await signIn('root')
  const url = `${origin}/portal/staff/accounts/${from}/withdrawal`
  await askWithdrawal(page, url, '10')
  await assertAccessibleEverywhere(page, 'a withdrawal that waits')
  assert.equal(await button(page, 'Pay out').count(), 0)
  assert.equal(await readBalance(ada, from), '100.00')
  await page.getByRole('link', { name: 'Approvals' }).click()
  await page.getByText('somebody else has to approve it').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0)

  const checker = await another()
  await signIn('both', checker)
  await checker.getByRole('link', { name: 'Requests for a second person' }).waitFor()
  await checker.getByRole('link', { name: 'Approvals · 1' }).click()
  const approve = checker.getByRole('button', { name: /^Approve: .*, Root Keeper$/ })
  await approve.waitFor()
  assert.equal(await approve.count(), 1)
  await checker.getByText('€100.00 → €90.00').waitFor()
  await checker.getByRole('link', { name: 'Ada Okafor' }).waitFor()
  await assertAccessibleEverywhere(checker, 'requests that wait')
  await approve.click()
  const dialog = checker.getByRole('dialog')
  await dialog.getByText('It is carried out at once').waitFor()
  await dialog.getByRole('link', { name: 'Ada Okafor' }).waitFor()
  await dialog.getByText('Cash at the desk').waitFor()
  await dialog.getByText('€100.00 → €90.00').waitFor()
  await assertAccessibleEverywhere(checker, 'approving a request')
  await checker.keyboard.press('Escape')
  await approve.click()
  await checker.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await checker.getByText('It is approved and carried out.').waitFor()
  await checker.getByRole('link', { name: 'Approvals', exact: true }).waitFor()
  assert.equal(await readBalance(ada, from), '90.00')

  await askWithdrawal(page, url, '20')
  await checker.reload()
  await checker.getByRole('button', { name: /^Reject: / }).click()
  await checker.locator('[name=reason]:focus').waitFor()
  await assertAccessibleEverywhere(checker, 'rejecting a request')
  await checker.keyboard.type('Not the holder')
  await checker.keyboard.press('Enter')
  await checker.getByText('It is rejected.').waitFor()
  await checker.getByText('Nothing waits for a second person.').waitFor()
  await askWithdrawal(page, url, '30')
  await page.getByRole('link', { name: 'Approvals' }).click()
  await page.getByRole('button', { name: /^Withdraw: / }).click()
  await page.getByText('It is withdrawn.').waitFor()
  await page.getByLabel('Show decided ones as well').check()
  await page.getByText('Not the holder').waitFor()
  await assertAccessibleEverywhere(page, 'requests that were decided')
  assert.equal(await readBalance(ada, from), '90.00')
  await assertSound(bank)
  assert.deepEqual(complaints, [])
})

test('a change that is held leads to its request, from a form and from a dialog', async (t) => {
  const settings = { FOUR_EYES: 'createDeposit,createUser,freezeAccount' }
  const visiting = await visitLocal(t, { settings })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const from = await openAccount(await bank.as('ada'))
  await makeAdministrator(bank)
  await signIn('root')
  const assertAt = async (operation: string) => {
    await page.waitForURL(/\/portal\/staff\/approvals\?request=[\da-f-]{36}$/)
    await page.getByText('waits for the approval of a second person').waitFor()
    await page.getByRole('heading', { name: operation }).waitFor()
    assert.equal(await page.locator('.approval').count(), 1)
  }
  await page.goto(`${origin}/portal/staff/accounts/${from}`)
  await page.getByRole('button', { name: 'More' }).last().click()
  await page.getByRole('button', { name: 'Freeze the account' }).click()
  await page.getByLabel('Reason').fill('Lost papers')
  await page.keyboard.press('Enter')
  await assertAt('Freeze an account')

  bank.clock.advance(1)
  await page.goto(`${origin}/portal/staff/users/new`)
  const typed = {
    username: 'grace',
    givenName: 'Grace',
    familyName: 'Hopper',
    email: 'g@b.example',
  }
  for (const [name, value] of Object.entries(typed)) {
    await page.locator(`[name=${name}]`).fill(value)
  }
  await page.locator('main form [type=submit]').click()
  await assertAt('Create a person')
  assert.doesNotMatch(await page.evaluate('JSON.stringify({ ...sessionStorage })'), /Hopper/)
  await page.getByRole('link', { name: 'All requests that wait' }).click()
  await page.locator('.approval').nth(1).waitFor()
  const [oldest = '', newest = ''] = await page.locator('.approval h3').allInnerTexts()
  assert.match(oldest, /^Freeze an account/)
  assert.match(newest, /^Create a person/)
  const trail = '/api/v1/admin/audit-events?action=requestApproval'
  const { items } = (await (await bank.as('root')).get(trail)).body
  await page.goto(`${origin}/portal/staff/audit?event=${items.at(-1).id}`)
  const event = page.getByRole('dialog', { name: 'Event' })
  await event.getByText('Freeze an account').waitFor()
  const account = event.getByRole('link', { name: `…${from.slice(-6)}` })
  assert.equal(await account.getAttribute('href'), `/portal/staff/accounts/${from}`)
  assert.deepEqual(complaints, [])
})

test('a decision whose answer is lost is not told as refused, and the list tells it', async (t) => {
  const visiting = await visitLocal(t, { settings: { FOUR_EYES: 'createWithdrawal' } })
  if (!visiting) return
  const { bank, page, origin, signIn, another } = visiting
  const { ada, from } = await sceneIn(bank)
  await makeAdministrator(bank)
  await signIn('root')
  const checker = await another()
  await signIn('both', checker)
  const url = `${origin}/portal/staff/accounts/${from}/withdrawal`
  const list = `${origin}/portal/staff/approvals`
  async function lose(on: Page, verb: string, decide: () => Promise<void>): Promise<void> {
    await askWithdrawal(page, url, '10')
    let sent = 0
    await on.route(/approvals\/[^/?]+(\/\w+)?$/, (route) => {
      sent++
      return loseAnswer(route)
    })
    await on.goto(list)
    await on.getByRole('button', { name: new RegExp(`^${verb}: `) }).click()
    await decide()
    await on.getByText('we do not know whether this took effect').waitFor()
    await on.getByText('Nothing waits for a second person.').waitFor()
    assert.equal(sent, 1, verb)
  }
  await lose(checker, 'Approve', () =>
    checker.getByRole('dialog').getByRole('button', { name: 'Approve' }).click(),
  )
  assert.equal(await readBalance(ada, from), '90.00')
  await lose(checker, 'Reject', async () => {
    await checker.locator('[name=reason]:focus').fill('Not the holder')
    await checker.keyboard.press('Enter')
  })
  await lose(page, 'Withdraw', async () => undefined)
  await page.getByLabel('Show decided ones as well').check()
  for (const status of ['Approved', 'Rejected', 'Withdrawn']) {
    await page.getByText(status, { exact: true }).waitFor()
  }
  await assertSound(bank)
})

/** Every name of a member that a schema has, also inside others. */
const membersOf = (schema: unknown): string[] => {
  const { properties = {}, anyOf = [], items } = (schema ?? {}) as Record<string, never>
  const own = Object.entries<unknown>(properties)
  return [
    ...own.flatMap(([name, member]) => [name, ...membersOf(member)]),
    ...[...(anyOf as unknown[]), ...(items ? [items] : [])].flatMap(membersOf),
  ]
}

test('every request that waits is shown in words, with its subject, in all languages', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const sample = samplesOf(t)
  const { bank, complaints, another } = visiting
  const held = await bank.another({ settings: { FOUR_EYES: allOperations } })
  const { maker } = await pairOf(bank, held.send)
  const { sessionId } = await bank.login('root')
  const made = { voice: maker, caller: { id: people.root.id, sessionId } }
  const asked: string[] = []
  // A session that is named last is not replaced by those of the requests.
  const isOfSession = ({ path }: { path: string }) => path.includes(':sessionId')
  const inOrder = holdable.toSorted(
    (one, other) => Number(isOfSession(one)) - Number(isOfSession(other)),
  )
  let own = await readBelongings(bank, 'ada')
  for (const [index, route] of inOrder.entries()) {
    // There may be twenty; those of the requests stay.
    const used = "request like '%' || webhooks.id || '%'"
    await bank.sql(`delete from webhooks where not exists (select from approvals where ${used})`)
    // Two requests share them: a customer has a hundred accounts at most.
    if (index > 0 && index % 2 === 0) own = await readBelongings(bank, 'ada')
    const send = await makeRequest({ ...bank, send: held.send }, route, own, made)
    asked.push(
      approvalAt(await send())
        .split('/')
        .at(-1) as string,
    )
    bank.clock.advance(1)
  }
  await bank.sql('delete from approvals where id <> all ($1)', [asked])
  const raw = new Set(holdable.flatMap(({ body, operation }) => [operation, ...membersOf(body)]))
  const page = await another()
  await page.goto(`https://localhost:${held.running.httpsPort}/portal/staff/approvals`)
  await page.locator('[name=username]').fill(people.both.username)
  await page.locator('[name=password]').fill(password)
  await page.keyboard.press('Enter')
  await page
    .getByRole('button', { name: /^Approve: / })
    .first()
    .waitFor()
  for (const [locale, approve] of [
    ['en', 'Approve'],
    ['de', 'Freigeben'],
    ['fr', 'Approuver'],
    ['es', 'Aprobar'],
  ] as const) {
    await page.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${locale}"}')`,
    )
    await page.reload()
    const buttons = page.getByRole('button', { name: new RegExp(`^${approve}\\s?: `) })
    await buttons.first().waitFor()
    await page.locator('p.more button').click()
    await buttons.nth(holdable.length - 1).waitFor()
    assert.equal(await buttons.count(), holdable.length)
    const all = await buttons.all()
    for (const button of sample(all, locale === 'en' ? 24 : 6)) {
      await button.click()
      const dialog = page.getByRole('dialog')
      const name = await button.getAttribute('aria-label')
      await dialog
        .getByRole('button', { name: approve, exact: true })
        .waitFor()
        .catch(async () => assert.fail(`${name}: ${await dialog.innerText()}`))
      const shown = await dialog.innerText()
      assert.doesNotMatch(
        shown,
        /\/api\/|[{}"]|undefined|Something else|Etwas anderes|Autre chose|Otra cosa/,
        `${name}`,
      )
      await dialog.getByRole('link', { name: 'Root Keeper', exact: true }).waitFor()
      assert.match(shown, /2026/, `${name}: when it was asked for`)
      // What is about an account, a payment or a session names its holder.
      const links = (await dialog.getByRole('link').allInnerTexts()).join()
      const isOfAda = /[A-Z]{2}\d\d( \w{4}){3}/.test(shown) || /: End a session /.test(`${name}`)
      if (isOfAda) assert.match(links, /Ada Okafor/, `${name}`)
      const terms = await dialog.locator('dt').allInnerTexts()
      assert.deepEqual(
        terms.filter((term) => raw.has(term)),
        [],
        `${name}: ${shown}`,
      )
      await page.keyboard.press('Escape')
    }
    await assertAccessibleEverywhere(page, `all requests that wait, ${locale}`)
  }
  // The second service is another origin.
  assert.deepEqual(
    complaints.filter((found) => !found.startsWith('asked ')),
    [],
  )
})

test('where nothing waits for a second person, no page speaks of it', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { page, signIn } = visiting
  await signIn('root')
  await heading(page, 'Search').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Approvals' }).count(), 0)
})
