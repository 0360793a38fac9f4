// The standing orders that go on are shown where sessions, passwords, keys and programs are ended,
// to keep or to end, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sceneIn } from '../../test/support/fixture.ts'
import { newProgram } from '../../test/support/service-accounts.ts'
import { people } from '../../test/support/world.ts'
import { signOut } from './factors-support.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

const rows = '.rows > li'

test('what goes on after sessions, a password or a program is ended is shown to its owner and to staff, and ended there', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank)
  const program = await newProgram(bank, { payFrom: [from] })
  const firstOn = new Date(bank.clock.now() + 86_400_000).toISOString().slice(0, 10)
  const order = async (client: Pick<typeof ada, 'post'>, amount: string, reference: string) => {
    const body = { toAccountId: to, amount, currency: 'EUR', reference, rhythm: 'weekly', firstOn }
    const made = await client.post(`/api/v1/accounts/${from}/orders`, body)
    assert.equal(made.status, 201, made.text)
    bank.clock.advance(1000)
    return made.body.id as string
  }
  const status = async (id: string) => (await ada.get(`/api/v1/orders/${id}`)).body.status
  const [hers, its] = [await order(ada, '60.00', 'Hers'), await order(program, '70.00', 'Its')]
  const end = async (reference: string) => {
    const row = page.locator(rows, { hasText: reference })
    await row.getByRole('button', { name: 'End', exact: true }).click()
    await page.getByRole('button', { name: 'End the order' }).click()
    await row.waitFor({ state: 'detached' })
  }

  await signIn('ada')
  await page.goto(`${origin}/portal/security`)
  const shown = page.locator(rows, { hasText: 'Last made or changed' })
  await shown.nth(1).waitFor()
  const [first = '', second = ''] = await shown.allInnerTexts()
  assert.match(first, /€70\.00\nWeekly · [^\n]*Its\n[^]*Ordered by a program/, 'the last one first')
  assert.match(second, /€60\.00\nWeekly · [^\n]*Hers\n/)
  await assertAccessibleEverywhere(page, 'open orders')
  await end('Hers')
  assert.deepEqual([await status(hers), await status(its)], ['ended', 'active'])

  await signOut(page)
  await signIn('root')
  await page.goto(`${origin}/portal/staff/users/${people.ada.id}`)
  await page.locator(rows, { hasText: 'Its' }).waitFor()
  assert.equal(await page.locator(rows, { hasText: 'Hers' }).count(), 0)
  const reads = (text: string) => page.locator(rows, { hasText: text })
  const count = (text: string) => reads(text).count()
  await page.getByRole('link', { name: 'All standing orders made by this person' }).click()
  await page.getByRole('heading', { name: 'Standing orders by maker', level: 1 }).waitFor()
  await reads('Hers').getByText('Ended').waitFor()
  assert.deepEqual([await count('Its'), await count('Ended')], [0, 1])
  await page.getByRole('link', { name: 'Ada Okafor' }).waitFor()
  await assertAccessibleEverywhere(page, 'orders of a person')
  await page.locator('form.find [aria-expanded]').click()
  await page.getByLabel('State').selectOption('That go on')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('There is no such order.').waitFor()
  await page.goBack()
  await page.goto(`${origin}/portal/staff/orders?ownerId=${people.ada.id}`)
  await reads('Its').waitFor()
  assert.equal(await count('Hers'), 1)
  await page.getByLabel('Made or changed by').fill('unknown-here')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Nobody has this user name.').first().waitFor()
  await page.getByLabel('Made or changed by').fill('ada')
  await page.getByRole('button', { name: 'Apply' }).click()
  await reads('Its').waitFor({ state: 'detached' })
  await reads('Hers').waitFor()

  // Its terms are those of its owner by now.
  const changed = await ada.patch(`/api/v1/orders/${its}`, { amount: '80.00' })
  assert.equal(changed.status, 200, changed.text)
  await page.goto(`${origin}/portal/staff/programs/${program.id}`)
  await page.getByRole('link', { name: 'All standing orders made by this program' }).click()
  await reads('Its').getByText('changed by somebody else since').waitFor()
  await page.locator('main').getByRole('link', { name: 'Program', exact: true }).waitFor()
  await reads('Its').getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('button', { name: 'End the order' }).click()
  await reads('Its').getByText('Ended').waitFor()
  assert.equal(await reads('Its').getByRole('button', { name: 'End', exact: true }).count(), 0)
  assert.equal(await status(its), 'ended')
  await page.goto(`${origin}/portal/staff/programs/${program.id}`)
  await page.getByText('No standing order goes on.').waitFor()
  assert.deepEqual(complaints, [])
})
