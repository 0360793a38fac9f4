// People who act for an account of somebody else, in a real browser: one bank for all journeys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { ApiClient } from '../../test/support/world.ts'
import { enrolTotp } from '../../test/support/factors.ts'
import { addPayee, sendConfirmed } from '../../test/support/confirmations.ts'
import { assertSound, readBalance, sceneIn } from '../../test/support/fixture.ts'
import {
  type Application,
  button,
  confirmByCode,
  heading,
  tabTo,
  typePassword,
} from './factors-support.ts'
import { assertAccessibleEverywhere, loseAnswer, type Visit, visit } from './support.ts'

const fold = (page: Page) => page.getByText('People who act for this account')

test('an owner invites a person, who accepts, reaches that account alone, and is ended in two clicks', async (t) => {
  const visiting = await visit(t, { settings: { MEMBERS: 'on' }, refusals: [403, 409] })
  if (!visiting) return
  const { bank, page, origin, signIn, another, complaints } = visiting
  const { ada, from } = await sceneIn(bank, '2000.00')
  const address = `${origin}/portal/accounts/${from}`
  const bens = await another()
  await signIn('ben', bens)
  await heading(bens, 'Hello Ben').waitFor()
  assert.equal(await bens.getByText('Accounts of others').count(), 0)

  const app = await enrol(bank, ada)
  await page.goto(`${origin}/portal/`)
  await typePassword(page, 'ada')
  await page.locator('[name=code]:focus').fill(app.code())
  await page.keyboard.press('Enter')
  await button(page, 'Sign out').waitFor()
  await page.goto(address)
  await fold(page).click()
  await page.getByText('No other person acts for this account.').waitFor()
  await button(page, 'Invite a person').click()
  const dialog = page.getByRole('dialog', { name: 'Invite a person' })
  await page.locator('[name=username]:focus').waitFor()
  await dialog.getByLabel('The person may').selectOption('pay')
  await dialog.getByLabel('Most for one day (EUR, optional)').fill('many')
  await page.keyboard.press('Enter')
  await dialog.getByText('Please correct 2 fields:').waitFor()
  await assertAccessibleEverywhere(page, 'an invitation')
  await dialog.getByLabel('User name').fill('ben')
  await dialog.getByLabel('Most for one day (EUR, optional)').fill('500')
  await dialog.getByLabel('Last day (optional)').fill('2030-01-31')
  await page.keyboard.press('Enter')
  await confirmByCode(page, app)
  await page.getByText('The invitation of ben waits.').waitFor()
  await page.getByText('may pay up to €500.00 a day, until 1 Feb 2030, 00:00').waitFor()
  await assertAccessibleEverywhere(page, 'an invitation that waits')

  await bens.reload()
  await bens.getByText('You may pay up to €500.00 a day, until').waitFor()
  await declineOnce({ ...visiting, bens, page, from, app })
  assert.equal(await bens.getByRole('link', { name: 'Account of Ada Okafor' }).count(), 0)
  await assertAccessibleEverywhere(bens, 'home with an invitation')
  await tabTo(bens, button(bens, 'Accept the invitation of Ada Okafor'))
  await bens.keyboard.press('Enter')
  await bens.getByText('You can act for this account now.').waitFor()
  await bens.getByRole('link', { name: 'Account of Ada Okafor' }).click()
  await bens.getByText('€2,000.00').first().waitFor()
  await bens.getByText('You may pay up to €500.00 a day, until').waitFor()
  for (const name of ['Settings', 'More', 'Statements', 'People who act for this account']) {
    assert.equal(await bens.getByRole('main').getByText(name, { exact: true }).count(), 0, name)
  }
  await assertAccessibleEverywhere(bens, 'an account of somebody else')

  await page.reload()
  await fold(page).click()
  await button(page, 'Change what Ben Lindqvist may do').click()
  await page.getByLabel('The person may').selectOption('view')
  await button(page, 'Save').click()
  await confirmByCode(page, app)
  await page.getByText('The change holds at once.').waitFor()
  await page.getByText(/^may see, until/).waitFor()
  await bens.reload()
  await bens.getByText('You may see, until').waitFor()
  await button(page, 'End what Ben Lindqvist may do').click()
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
  await page.getByText('This person acts for the account no more.').waitFor()
  await page.getByText('Former members: 2').waitFor()
  await bens.reload()
  await bens.getByText('This does not exist or no longer exists.').waitFor()
  await bens.goto(`${origin}/portal/`)
  await heading(bens, 'Hello Ben').waitFor()
  assert.equal(await bens.getByText('Accounts of others').count(), 0)

  await prepareAndSign({ ...visiting, scene: { ada, from }, app, bens })
  // The answer that was lost.
  assert.deepEqual(
    complaints.filter((text) => !text.includes('net::ERR_CONNECTION_RESET')),
    [],
  )
  await assertSound(bank)
})

/** An application of the person, for the pages. */
async function enrol(bank: Visit['bank'], voice: ApiClient): Promise<Application> {
  const enrolled = await enrolTotp(bank, voice)
  return {
    code() {
      bank.clock.advance(30_000)
      return enrolled.code()
    },
  }
}

/** The second of two drafts. */
async function cancelDraft(bens: Page) {
  await button(bens, 'Prepare a payment').click()
  const form = bens.getByRole('dialog', { name: 'Prepare a payment' })
  await form.getByLabel('Amount in EUR').fill('5')
  await button(bens, 'Continue').click()
  await button(bens, 'Prepare €5.00').click()
  await button(bens, 'Cancel payment: €5.00, Grace Hopper').click()
  await button(bens, 'Cancel for good').click()
  await bens.getByText('The payment is cancelled.').waitFor()
  await bens.getByText('Cancelled', { exact: true }).waitFor()
}

type Signing = Visit & {
  scene: { ada: ApiClient; from: string }
  app: Application
  bens: Page
}

type Declining = Visit & { bens: Page; from: string; app: Application }

/** Ben declines, and Ada invites once more. */
async function declineOnce({ page, origin, bens, from, app }: Declining) {
  await button(bens, 'Decline the invitation of Ada Okafor').click()
  await bens.getByRole('dialog').getByRole('button', { name: 'Decline', exact: true }).click()
  await bens.getByText('The invitation is declined.').waitFor()
  await page.goto(`${origin}/portal/accounts/${from}`)
  await fold(page).click()
  await button(page, 'Invite a person').click()
  await page.locator('[name=username]:focus').fill('ben')
  const dialog = page.getByRole('dialog', { name: 'Invite a person' })
  await dialog.getByLabel('The person may').selectOption('pay')
  await dialog.getByLabel('Most for one day (EUR, optional)').fill('500')
  await dialog.getByLabel('Last day (optional)').fill('2030-01-31')
  await page.keyboard.press('Enter')
  await confirmByCode(page, app)
  await page.getByText('The invitation of ben waits.').waitFor()
  await bens.reload()
  await bens.getByText('You may pay up to €500.00 a day, until').waitFor()
}

type Paying = Pick<Visit, 'bank' | 'origin'> & { bens: Page; from: string; payee: string }

/** By the form of the owner, which finds out what became of a payment whose answer was lost. */
async function payAsMember({ bank, bens, origin, from, payee }: Paying) {
  await bens.goto(`${origin}/portal/`)
  await heading(bens, 'Hello Ben').waitFor()
  await bens.getByText('You may pay.').waitFor()
  // An account of somebody else is none of the own ones.
  assert.equal(await bens.locator(`a[href="/portal/accounts/${from}"]`).count(), 0)
  await bens.goto(`${origin}/portal/accounts/${from}`)
  await bens.getByText('This does not exist or no longer exists.').waitFor()
  await bens.goto(`${origin}/portal/shared/${from}`)
  await bens.getByRole('main').getByRole('link', { name: 'Pay', exact: true }).click()
  await bens.getByText('You may pay.').waitFor()
  await bens.getByText('From €1,000.00 on, a second person signs a payment').waitFor()
  assert.equal(await bens.getByLabel('When', { exact: true }).count(), 0)
  assert.equal(await bens.getByText('New payee').count(), 0)
  await bens.getByLabel('To', { exact: true }).selectOption(`beneficiary:${payee}`)
  await bens.getByLabel('Amount in EUR').fill('20')
  await assertAccessibleEverywhere(bens, 'a payment by a member')
  await button(bens, 'Continue').click()
  await bens.getByText('Ada Okafor: ').waitFor()
  let sent = 0
  await bens.route('**/api/v1/transfers', (route) =>
    sent++ === 0 ? loseAnswer(route) : route.continue(),
  )
  await bens.getByRole('button', { name: 'Pay €20.00' }).click()
  await heading(bens, 'Receipt').waitFor()
  await bens.getByText('Ada Okafor: ').waitFor()
  await bens.locator('main').getByRole('button', { name: 'More' }).click()
  for (const name of ['Pay again', 'To the account']) {
    await bens.getByRole('link', { name, exact: true }).waitFor()
  }
  assert.equal(await bens.getByRole('link', { name: 'Pay every month' }).count(), 0)
  await bens.getByRole('link', { name: 'To the account', exact: true }).click()
  await bens.getByText('€1,915.10').first().waitFor()
  await bens.getByText('You may pay.').waitFor()
  const { rows } = await bank.sql(`select count(*)::int as n from transfers where amount = 2000`)
  assert.deepEqual(rows, [{ n: 1 }])
}

/** A draft of €1,000 is not offered to be signed to whom may not pay so much. */
async function signsWithinLimits({ bank, bens, origin, from }: Omit<Paying, 'payee'>) {
  const sign = bens.getByRole('button', { name: /^Sign: €1,000.00/ })
  for (const [limit, count] of [
    ['per_payment', 0],
    ['per_day', 0],
    [undefined, 1],
  ] as const) {
    const limits = ['per_payment', 'per_day'].map(
      (column) => `${column} = ${column === limit ? 99_999 : 100_000}`,
    )
    await bank.sql(`update account_members set ${limits.join(', ')} where ended_at is null`)
    await bens.goto(`${origin}/portal/shared/${from}`)
    await bens.getByText('1 of 2 signatures').first().waitFor()
    assert.equal(await sign.count(), count, limit)
  }
  await bank.sql(
    'update account_members set per_payment = null, per_day = null where ended_at is null',
  )
}

/** Ben prepares what Ada signs; from an amount on Ada needs Ben. */
async function prepareAndSign({ bank, page, origin, scene, app, bens }: Signing) {
  const { ada, from } = scene
  const payee = await addPayee(bank, ada, from)
  const invited = await sendConfirmed(bank, (headers) =>
    ada.post(
      `/api/v1/accounts/${from}/members`,
      { username: 'ben', rights: 'prepare' },
      { headers },
    ),
  )
  assert.equal(invited.status, 201, invited.text)
  await bens.reload()
  await button(bens, 'Accept the invitation of Ada Okafor').click()
  await bens.getByRole('link', { name: 'Account of Ada Okafor' }).click()
  await button(bens, 'Prepare a payment').click()
  const form = bens.getByRole('dialog', { name: 'Prepare a payment' })
  await form.getByLabel('Amount in EUR').fill('64.90')
  await form.getByLabel('Reference (optional)').fill('Invoice 4711')
  await assertAccessibleEverywhere(bens, 'a payment to prepare')
  await button(bens, 'Continue').click()
  await form.getByText('Grace Hopper').waitFor()
  await button(bens, 'Prepare €64.90').click()
  await bens.getByText('The payment waits for a signature.').waitFor()
  await button(bens, 'Cancel payment: €64.90, Grace Hopper').waitFor()
  await cancelDraft(bens)
  assert.equal(await bens.getByRole('button', { name: /^Sign:/ }).count(), 0)
  assert.equal(await readBalance(ada, from), '2000.00')

  await page.goto(`${origin}/portal/`)
  await page.getByRole('link', { name: 'Payments that wait for your signature: 1' }).click()
  await button(page, 'Sign: €64.90, Grace Hopper').click()
  const question = page.getByRole('dialog', { name: 'Sign this payment?' })
  for (const term of ['€64.90', 'Grace Hopper', 'Invoice 4711', 'Ben Lindqvist', '0 of 1']) {
    await question.getByText(term).first().waitFor()
  }
  await assertAccessibleEverywhere(page, 'a payment to sign')
  await question.getByRole('button', { name: 'Sign', exact: true }).click()
  await confirmByCode(page, app)
  await page.getByText('You have signed the payment.').waitFor()
  await page.getByText('No payment waits for your signature.').waitFor()
  assert.equal(await readBalance(ada, from), '1935.10')

  await page.goto(`${origin}/portal/accounts/${from}`)
  await fold(page).click()
  await button(page, 'Choose the amount').click()
  await page.locator('[name=from]:focus').fill('1000')
  await page.keyboard.press('Enter')
  await confirmByCode(page, app)
  await page.getByText('Your choice is saved.').waitFor()
  await page.getByText('€1,000.00').waitFor()
  await assertAccessibleEverywhere(page, 'who acts for an account')
  await button(page, 'Change what Ben Lindqvist may do').click()
  await page.getByLabel('The person may').selectOption('pay')
  const most = ['payment', 'day'].map((of) => page.getByLabel(`Most for one ${of} (EUR, optional)`))
  await most[0]?.fill('40')
  await most[1]?.fill('90')
  await button(page, 'Save').click()
  const asking = page.getByRole('dialog', { name: 'Confirm with your second factor' })
  for (const row of [/Most for one payment\s*€40\.00/, /Most for one day\s*€90\.00/]) {
    await asking.getByText(row).first().waitFor()
  }
  await button(page, 'Cancel').last().click()
  for (const field of most) await field.fill('')
  await button(page, 'Save').click()
  await confirmByCode(page, app)
  await page.getByText('The change holds at once.').waitFor()

  await payAsMember({ bank, bens, origin, from, payee })
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await page.getByText('From €1,000.00 on, a second person signs a payment').waitFor()
  await page.getByLabel('When', { exact: true }).selectOption('monthly')
  await page.getByText('Orders and lists pay smaller amounts only.').waitFor()
  await page.getByLabel('When', { exact: true }).selectOption('now')
  await page.getByLabel('To', { exact: true }).selectOption(`beneficiary:${payee}`)
  await page.getByLabel('Amount in EUR').fill('1000')
  await button(page, 'Continue').click()
  await page.getByRole('button', { name: /^Pay €1,000/ }).click()
  await button(page, 'Send for signature').click()
  await confirmByCode(page, app)
  await page.getByText('The payment waits for a signature.').waitFor()
  assert.equal(await readBalance(ada, from), '1915.10')
  await signsWithinLimits({ bank, bens, origin, from })
  const bensApp = await enrol(bank, await bank.as('ben'))
  await button(bens, 'Sign out').click()
  await bens.getByText('You have signed out.').waitFor()
  await bens.goto(`${origin}/portal/signatures`)
  await typePassword(bens, 'ben')
  await bens.locator('[name=code]:focus').fill(bensApp.code())
  await bens.keyboard.press('Enter')
  await bens.getByRole('button', { name: /^Sign: €1,000.00/ }).click()
  await bens.getByText('1 of 2 signatures').first().waitFor()
  await bens.getByRole('dialog').getByText('Ada Okafor', { exact: true }).waitFor()
  await bens.getByRole('dialog').getByRole('button', { name: 'Sign', exact: true }).click()
  const confirming = bens.getByRole('dialog', { name: 'Confirm with your second factor' })
  await confirming.getByLabel('Code of the authenticator app').waitFor()
  assert.equal(await readBalance(ada, from), '1915.10', 'not before it is confirmed')
  await confirmByCode(bens, bensApp)
  await bens.getByText('You have signed the payment.').waitFor()
  assert.equal(await readBalance(ada, from), '915.10')

  await bens.goto(`${origin}/portal/`)
  await button(bens, 'Act no more for the account of Ada Okafor').click()
  await button(bens, 'Leave').click()
  await bens.getByText('You act for this account no more.').waitFor()
}
