// Changes by staff that wait for a second person, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { makeAdministrator } from '../../test/support/approvals.ts'
import { assertSound, readBalance, sceneIn } from '../../test/support/fixture.ts'
import { button, heading, visitLocal } from './factors-support.ts'
import { assertAccessibleEverywhere, loseAnswer } from './support.ts'

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
  await checker.getByRole('link', { name: 'Approvals' }).click()
  const approve = checker.getByRole('button', { name: /^Approve: .*, root$/ })
  await approve.waitFor()
  assert.equal(await approve.count(), 1)
  await checker.getByText('10.00').waitFor()
  await assertAccessibleEverywhere(checker, 'requests that wait')
  await approve.click()
  await checker.getByText('It is carried out at once').waitFor()
  await assertAccessibleEverywhere(checker, 'approving a request')
  await checker.keyboard.press('Escape')
  await approve.click()
  await checker.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await checker.getByText('It is approved and carried out.').waitFor()
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

test('where nothing waits for a second person, no page speaks of it', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { page, signIn } = visiting
  await signIn('root')
  await heading(page, 'Search').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Approvals' }).count(), 0)
})
