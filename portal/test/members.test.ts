// People who act for an account of somebody else, in a real browser: one bank for all journeys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { enrolTotp } from '../../test/support/factors.ts'
import { sceneIn } from '../../test/support/fixture.ts'
import {
  type Application,
  button,
  confirmByCode,
  heading,
  tabTo,
  typePassword,
} from './factors-support.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

const fold = (page: Page) => page.getByText('People who act for this account')

test('an owner invites a person, who accepts, reaches that account alone, and is ended in two clicks', async (t) => {
  const visiting = await visit(t, { settings: { MEMBERS: 'on' }, refusals: [403] })
  if (!visiting) return
  const { bank, page, origin, signIn, another, complaints } = visiting
  const { ada, from } = await sceneIn(bank, '2000.00')
  const address = `${origin}/portal/accounts/${from}`
  const bens = await another()
  await signIn('ben', bens)
  await heading(bens, 'Hello Ben').waitFor()
  assert.equal(await bens.getByText('Accounts of others').count(), 0)

  const enrolled = await enrolTotp(bank, ada)
  const app: Application = {
    code() {
      bank.clock.advance(30_000)
      return enrolled.code()
    },
  }
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
  await page.keyboard.press('Enter')
  await confirmByCode(page, app)
  await page.getByText('The invitation of ben waits.').waitFor()
  await page.getByText('may pay up to €500.00 a day').waitFor()
  await assertAccessibleEverywhere(page, 'an invitation that waits')

  await bens.reload()
  await bens.getByText('You may pay up to €500.00 a day.').waitFor()
  assert.equal(await bens.getByRole('link', { name: 'Account of Ada Okafor' }).count(), 0)
  await assertAccessibleEverywhere(bens, 'home with an invitation')
  await tabTo(bens, button(bens, 'Accept the invitation of Ada Okafor'))
  await bens.keyboard.press('Enter')
  await bens.getByText('You can act for this account now.').waitFor()
  await bens.getByRole('link', { name: 'Account of Ada Okafor' }).click()
  await bens.getByText('€2,000.00').first().waitFor()
  await bens.getByText('You may pay up to €500.00 a day.').waitFor()
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
  await page.getByText('may see', { exact: true }).waitFor()
  await bens.reload()
  await bens.getByText('You may see.').waitFor()
  await button(page, 'End what Ben Lindqvist may do').click()
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
  await page.getByText('This person acts for the account no more.').waitFor()
  await page.getByText('Former members: 1').waitFor()
  await bens.reload()
  await bens.getByText('This does not exist or no longer exists.').waitFor()
  await bens.goto(`${origin}/portal/`)
  await heading(bens, 'Hello Ben').waitFor()
  assert.equal(await bens.getByText('Accounts of others').count(), 0)

  assert.deepEqual(complaints, [])
})
