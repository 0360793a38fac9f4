// Forms whose fields were filled by a browser or a password manager, without an event.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readBalance, sceneIn } from '../../test/support/fixture.ts'
import { password } from '../../test/support/world.ts'
import { heading } from './factors-support.ts'
import { untilRead, visit } from './support.ts'

/** Puts values into fields, as a password manager does that tells the page nothing. */
const fill = (page: Page, values: Record<string, string | boolean>): Promise<void> =>
  page.evaluate<void>(`{
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) {
      const field = document.querySelector('main [name=' + name + ']')
      if (typeof value === 'boolean') field.checked = value
      else field.value = value
    }
  }`)

test('a form is sent with what its fields show, also when no event told of it', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints } = visiting
  const { ada, from, to } = await sceneIn(bank, '100.00')
  const send = () => page.locator('main form [type=submit]').first().click()
  await page.goto(`${origin}/portal/transfer?from=${to}`)
  await page.locator('[name=username]').waitFor()
  await untilRead(page)
  await fill(page, { username: 'ada', password })
  await send()
  await page.locator('[name=amount]').waitFor()

  await page.locator(`[name=to] option[value="account:${from}"]`).waitFor({ state: 'attached' })
  await fill(page, { to: `account:${from}`, amount: '1.00', reference: 'Not told' })
  await page.locator('[name=from]').selectOption(from)
  await page.locator(`[name=to] option[value="account:${to}"]`).waitFor({ state: 'attached' })
  // While payees are read, the form waits for them.
  await untilRead(page)
  await fill(page, { to: `account:${to}`, amount: '12.50', reference: 'Filled in' })
  await send()
  await heading(page, 'Check and confirm').waitFor()
  await page.getByText('Filled in').waitFor()
  await page.getByRole('button', { name: 'Pay €12.50' }).click()
  await page.getByText('Your payment was made.').waitFor()
  assert.equal(await readBalance(ada, to), '12.50')

  await page.goto(`${origin}/portal/accounts/${from}`)
  await page.locator('li .row').nth(1).waitFor()
  await fill(page, { text: 'Filled' })
  await page.locator('form.find [name=text]').press('Enter')
  await page.locator('li .row').nth(1).waitFor({ state: 'detached' })
  await page.getByText('Filled in').waitFor()

  await page.goto(`${origin}/portal/security`)
  await page.locator('[name=currentPassword]').waitFor()
  // A part that is read late shows the form again, without what no event told of.
  await untilRead(page)
  const fresh = 'four green birds on a wire'
  await fill(page, { currentPassword: password, newPassword: fresh })
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password is changed.').waitFor()
  assert.deepEqual(complaints, [])
})

test('every field of a form tells the browser what may be filled into it', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { from } = await sceneIn(bank)
  const bareFields = 'form :is(input, select):not([autocomplete])'
  const bare = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('${bareFields}')].map((one) => one.outerHTML)`,
    )
  await page.goto(`${origin}/portal/`)
  await page.locator('[name=username]').waitFor()
  assert.deepEqual(await bare(), [])
  await signIn('ada')
  for (const path of [
    `/portal/transfer?from=${from}`,
    `/portal/beneficiaries/new?account=${from}`,
    '/portal/security',
    '/portal/preferences',
    '/portal/accounts/new',
  ]) {
    await page.goto(`${origin}${path}`)
    await page.locator('main label').first().waitFor({ state: 'attached' })
    assert.deepEqual(await bare(), [], path)
  }
})
