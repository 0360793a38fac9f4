// What the former bank booked, on the page of its account in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount, sceneIn } from '../../test/support/fixture.ts'
import { until } from '../../test/support/embedded.ts'
import { people } from '../../test/support/world.ts'
import { newId } from '../../src/domain/ids.ts'
import { assertAccessibleEverywhere, untilRead, visit } from './support.ts'

test('an account that came from another bank shows what was booked there, folded; any other shows nothing of it', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn, complaints } = visiting
  const { ada, from } = await sceneIn(bank, '100.00')
  for (const [line, day] of ['2024-02-28', '2024-02-29'].entries()) {
    await bank.sql('insert into former_entries values ($1, $2, $3, -1250, $4, null, $5)', [
      newId(Date.parse(day)),
      from,
      day,
      line === 0 ? null : 'Stadtwerke',
      'Power',
    ])
  }
  await signIn('ada')
  const title = page.getByText('Entries of your former bank')
  await page.goto(`${origin}/portal/accounts/${from}`)
  await title.waitFor()
  assert.equal(await page.getByText('Stadtwerke').count(), 0)
  await page.locator('summary', { hasText: 'Entries of your former bank' }).click()
  await page.getByText('They are not part of our books').waitFor()
  const rows = page.locator('details[open] li')
  assert.match(
    (await rows.first().innerText()).replaceAll('\n', ' '),
    /Stadtwerke.*29.*Power.*12\.50/,
  )
  assert.match(await rows.last().innerText(), /Money out/)
  await assertAccessibleEverywhere(page, 'entries of the former bank')

  const other = await openAccount(ada)
  const asked = page.waitForResponse((reply) => reply.url().includes('/former-entries'))
  await page.goto(`${origin}/portal/accounts/${other}`)
  await asked
  await page.locator('h1').waitFor()
  await page.locator('.skeleton').waitFor({ state: 'detached' })
  assert.equal(await title.count(), 0)

  // Staff see the same, marked so; a look is recorded once it is made.
  const audited = `select from audit_events where action = 'listFormerEntries'
    and actor_id = '${people.root.id}'`
  const looks: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/former-entries?')) looks.push(request.url())
  })
  await page.context().clearCookies()
  await signIn('root')
  await page.goto(`${origin}/portal/staff/accounts/${from}`)
  const fold = page.locator('summary', { hasText: 'Entries of the former bank' })
  await fold.waitFor()
  await untilRead(page)
  assert.deepEqual(looks, [])
  await fold.click()
  await page.getByText('not part of the books, balances and statements of this bank').waitFor()
  assert.match((await rows.first().innerText()).replaceAll('\n', ' '), /Stadtwerke.*12\.50/)
  assert.equal(looks.length, 1)
  // The trail is written in the background.
  await until(async () => (await bank.sql(audited)).rowCount === 1)
  await assertAccessibleEverywhere(page, 'entries of the former bank, of staff')
  await page.goto(`${origin}/portal/staff/accounts/${other}`)
  await fold.click()
  await page.getByText('The former bank booked nothing in this account.').waitFor()
  assert.deepEqual(complaints, [])
})
