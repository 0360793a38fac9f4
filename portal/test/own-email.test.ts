// A customer changes the e-mail address in a browser: asked in the profile, proved by the link.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkMailedTo } from '../../test/support/mailbox.ts'
import { password } from '../../test/support/world.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

test('a new e-mail address is asked for with the password, shown until it is proved, withdrawn, and proved by its link after a sign-in', async (t) => {
  const visiting = await visit(t, { refusals: [400] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const shoot = async (name: string) => {
    const folder = process.env['SHOT']
    if (folder) await page.screenshot({ path: `${folder}-${name}.png`, fullPage: true })
  }
  const ask = async (email: string, typed: string) => {
    await page.getByRole('button', { name: 'Change the e-mail address' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New e-mail address').fill(email)
    await dialog.getByLabel('Your password').fill(typed)
    await dialog.getByRole('button', { name: 'Send the link' }).click()
    return dialog
  }
  await signIn('ada')
  await page.goto(`${origin}/portal/profile`)
  const dialog = await ask('ada@example.org', 'not the password')
  await dialog.getByText('This is not your password.').first().waitFor()
  await assertAccessibleEverywhere(page, 'a new e-mail address')
  await shoot('ask')
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('A link was mailed to ada@example.org.').waitFor()
  await shoot('waits')
  await page.getByRole('button', { name: 'Withdraw it' }).click()
  await page.getByText('Your e-mail address stays as it is.').waitFor()
  await ask('ada@example.net', password)
  await page.getByText('A link was mailed to ada@example.net.').waitFor()
  const { path } = await linkMailedTo(bank, 'ada@example.net')
  // On another day the person is signed out: the link is kept over the sign-in.
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('User name').waitFor()
  await page.goto('about:blank')
  await page.goto(`${origin}${path}`)
  await page.getByLabel('User name').fill('ada')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Use this address' }).waitFor()
  assert.ok(!page.url().includes('token'), page.url())
  await assertAccessibleEverywhere(page, 'the proof of an e-mail address')
  await shoot('proof')
  await page.getByRole('button', { name: 'Use this address' }).click()
  await page.getByText('Your e-mail address is changed. Sign in again.').waitFor()
  const { rows } = await bank.sql(`select email from users where username = 'ada'`)
  assert.deepEqual(rows, [{ email: 'ada@example.net' }])
  assert.deepEqual(complaints, [])
})
