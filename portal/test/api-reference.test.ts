// The API reference in a real browser, under its content security policy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectComplaints, contextsFor } from '../../test/support/browser.ts'
import { password, people, world } from '../../test/support/world.ts'
import { waitMsMax } from './support.ts'

test('in a browser: login, a call and logout, without a request to another origin or a policy violation', async (t) => {
  const newContext = await contextsFor(t)
  if (!newContext) return
  const w = await world(t)
  const origin = `https://localhost:${w.running.httpsPort}`
  const context = await newContext({ ignoreHTTPSErrors: true })
  const page = await context.newPage()
  page.setDefaultTimeout(waitMsMax)
  const complaints = collectComplaints(page, origin)
  await page.goto(`${origin}/docs`)

  await page.getByLabel('User name or e-mail').fill(people.ada.username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByText('You are logged in as ada.').waitFor()

  await page.locator('#operations-tag-me').click()
  await page.locator('.opblock-get [data-path="/api/v1/me"]').click()
  await page.getByRole('button', { name: 'Execute' }).click()
  const answer = page.locator('.live-responses-table')
  await answer.getByText('200', { exact: true }).first().waitFor()
  assert.match(await answer.innerText(), /"username": "ada"/)

  await page.getByRole('button', { name: 'Log out', exact: true }).click()
  await page.getByText('You have logged out.').waitFor()
  assert.deepEqual(complaints, [])
})
