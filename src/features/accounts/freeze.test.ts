import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound } from '../../../test/support/fixture.ts'
import { people, world } from '../../../test/support/world.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'

const since = '2026-01-02T09:00:00.000Z'
const nothing = { frozen: false, since: null }

async function frozen(t: Parameters<typeof world>[0]) {
  const bank = await world(t)
  const [ada, agnes, root] = [await bank.as('ada'), await bank.as('agnes'), await bank.as('root')]
  const { id } = (await ada.post('/api/v1/accounts', { currency: 'EUR' })).body
  const change = (verb: 'freeze' | 'unfreeze', reason: string) =>
    root.post(`/api/v1/admin/accounts/${id}/${verb}`, { reason })
  const path = `/api/v1/accounts/${id}/freeze`
  assert.deepEqual((await ada.get(path)).body, nothing)
  assert.equal((await change('freeze', 'Asked by a court')).status, 200)
  return { bank, ada, agnes, root, id, change, path }
}

test('staff see who froze an account, when and why; its owner sees that it is frozen and since when', async (t) => {
  const { bank, ada, agnes, root, change, path } = await frozen(t)
  const by = { id: people.root.id, name: 'Root Admin' }
  const told = { frozen: true, since, by, reason: 'Asked by a court' }
  for (const staff of [agnes, root]) {
    const { body } = await staff.get(path)
    assert.deepEqual({ ...body, by: { ...body.by, name: by.name } }, told)
    const { givenName, familyName } = people.root
    assert.equal(body.by.name, `${givenName} ${familyName}`)
  }
  const own = await ada.get(path)
  assert.deepEqual(own.body, { frozen: true, since })
  assert.ok(!own.text.includes('court'))
  assert.equal((await (await bank.as('ben')).get(path)).status, 403)

  bank.clock.advance(60_000)
  await change('freeze', 'Another reason')
  assert.deepEqual((await ada.get(path)).body, { frozen: true, since }, 'the first one stays')
  await change('unfreeze', 'The court has ended it')
  assert.deepEqual((await ada.get(path)).body, nothing)
  assert.deepEqual((await agnes.get(path)).body, { ...nothing, by: null, reason: null })
  await change('freeze', 'Once more')
  assert.equal((await ada.get(path)).body.since, '2026-01-02T09:01:00.000Z')
  assert.equal((await agnes.get(path)).body.reason, 'Once more')
  await assertSound(bank)
})

test('staff do not read why an account of their own is frozen', async (t) => {
  const { bank, root } = await frozen(t)
  await bank.sql(`update users set roles = array['customer', 'support-agent'] where id = $1`, [
    people.agnes.id,
  ])
  const agnes = await bank.as('agnes')
  const { id } = (await agnes.post('/api/v1/accounts', { currency: 'EUR' })).body
  const body = { reason: 'Asked by a court' }
  assert.equal((await root.post(`/api/v1/admin/accounts/${id}/freeze`, body)).status, 200)
  const path = `/api/v1/accounts/${id}/freeze`
  assert.deepEqual((await agnes.get(path)).body, { frozen: true, since })
  assert.equal((await root.get(path)).body.reason, body.reason)
})

test('a program that froze an account is named, and a freeze of an older release has no reason', async (t) => {
  const { bank, ada, agnes, id, change, path } = await frozen(t)
  await change('unfreeze', 'Found')
  const program = await newProgram(bank, { operations: ['freezeAccount'] })
  const done = await program.post(`/api/v1/admin/accounts/${id}/freeze`, { reason: 'Pattern 7' })
  assert.equal(done.status, 200, done.text)
  const { by, reason } = (await agnes.get(path)).body
  assert.deepEqual([typeof by.name, reason], ['string', 'Pattern 7'])
  await bank.sql('delete from account_freezes')
  assert.deepEqual((await ada.get(path)).body, { frozen: true, since: null })
  assert.deepEqual((await agnes.get(path)).body, {
    frozen: true,
    since: null,
    by: null,
    reason: null,
  })
})

test('a freeze after one that an older release has ended has its own reason and time', async (t) => {
  const { bank, agnes, id, change, path } = await frozen(t)
  // As 0.2.0 unfreezes.
  await bank.sql(`update accounts set status = 'active' where id = $1`, [id])
  bank.clock.advance(60_000)
  await change('freeze', 'Another reason')
  const { since: at, reason } = (await agnes.get(path)).body
  assert.deepEqual([at, reason], ['2026-01-02T09:01:00.000Z', 'Another reason'])
  await assertSound(bank)
})
