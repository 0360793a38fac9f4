// Staff note something about a person and an account, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sceneIn } from '../../test/support/fixture.ts'
import { people } from '../../test/support/world.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

test('a note of two lines is written about a person, and one about an account; a card number is refused beside its field', async (t) => {
  const visiting = await visit(t, { refusals: [400] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { from, root } = await sceneIn(bank)
  let refused = 0
  page.on('response', (response) => {
    if (response.status() === 400) refused++
  })
  const add = async (text: string) => {
    await page.getByRole('button', { name: 'Add a note' }).click()
    await page.getByLabel('Note', { exact: true }).fill(text)
    await page.getByRole('button', { name: 'Save the note' }).click()
  }
  await signIn('agnes')
  await page.goto(`${origin}/portal/staff/users/${people.ada.id}`)
  await page.getByText('Nothing is noted yet.').waitFor()
  await add('Paid with 4111 1111 1111 1111')
  await page.getByText('It may hold a card number.').first().waitFor()
  await page.getByLabel('Note', { exact: true }).fill('Called.\nAda’s phone – twice')
  await page.getByRole('button', { name: 'Save the note' }).click()
  const row = page.locator('.rows > li', { hasText: 'phone - twice' })
  await row.getByText('Agnes Moreau').waitFor()
  await assertAccessibleEverywhere(page, 'notes on a person')
  bank.clock.advance(1)
  await page.goto(`${origin}/portal/staff/accounts/${from}`)
  await add('Asked for a copy')
  await page.locator('.rows > li', { hasText: 'Asked for a copy' }).waitFor()
  const { items } = (await root.get(`/api/v1/admin/users/${people.ada.id}/notes`)).body
  assert.deepEqual(
    items.map(({ text }: { text: string }) => text),
    ['Asked for a copy', "Called.\nAda's phone - twice"],
  )
  if (process.env['SHOT']) {
    await page.goto(`${origin}/portal/staff/users/${people.ada.id}`)
    await row.waitFor()
    await page.screenshot({ path: process.env['SHOT'], fullPage: true })
  }
  assert.equal(refused, 1)
  assert.deepEqual(complaints, [])
})
