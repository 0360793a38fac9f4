// Invitations that lapse, and what the feed tells of memberships.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Span } from '../../../test/support/database.ts'
import { assertSound, sceneIn } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { world } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { sweepMembers } from './sweep.ts'

const day = 24 * 3_600_000

async function membersScene(t: Span) {
  const bank = await sceneIn(await world(t, { settings: { MEMBERS: 'on' } }), '500.00')
  const { ada, from } = bank
  const ben = await bank.as('ben')
  const path = `/api/v1/accounts/${from}/members`
  const invite = (body: object = {}) => ada.post(path, { username: 'ben', rights: 'pay', ...body })
  const join = async (): Promise<string> => {
    const { id } = (await invite()).body
    assert.equal((await ben.post(`/api/v1/members/${id}/accept`)).status, 200)
    return id as string
  }
  return { ...bank, ben, path, invite, join }
}

test('the lapse of an invitation is kept once, whether or not a customer has the name, from its millisecond on', async (t) => {
  const bank = await membersScene(t)
  const { clock, invite, path, from, sql, address, login } = bank
  const started = clock.now()
  const soon = new Date(started + day).toISOString()
  const ids = [
    (await invite({ until: soon })).body.id,
    (await invite({ username: 'nobody' })).body.id,
    (await invite({ username: 'both' })).body.id,
  ]
  const [early, ...late] = ids as [string, string, string]
  const db = openDatabase(address)
  const sweep = () => transaction(db, (tx) => sweepMembers(tx, clock.now()))
  const ends = async () => {
    const { rows } = await sql(
      `select actor_id, target, address, detail from audit_events where action = 'endMember'
       order by detail`,
    )
    return rows
  }
  const told = async () => {
    const { rows } = await sql(
      `select ids[1] as id, type from events where type like 'member.%' order by written`,
    )
    return rows.map(({ id, type }) => `${ids.indexOf(id as string)} ${String(type)}`)
  }
  const end = (id: string, at: number) => {
    const detail = `${id}; until: ${new Date(at).toISOString()}`
    return { actor_id: null, target: from, address: 'service', detail }
  }
  const invited = ['0 member.invited', '1 member.invited', '2 member.invited']
  const mailed = (await readMails(bank)).length
  const first = [end(early, started + day)]
  const all = [...first, ...late.map((id) => end(id, started + 7 * day))]
  for (const [at, kept] of [
    [started + day - 1, []],
    [started + day, first],
    [started + day + 1, first],
    [started + 7 * day - 1, first],
    [started + 7 * day, all],
    [started + 7 * day + 1, all],
  ] as const) {
    clock.advance(at - clock.now())
    await Promise.all([sweep(), sweep()])
    assert.deepEqual(
      await ends(),
      [...kept].toSorted((a, b) => (a.detail < b.detail ? -1 : 1)),
    )
    assert.equal(await sweep(), false, 'an end is looked for once')
  }
  const lapses = ['0 member.ended', '1 member.ended', '2 member.ended']
  const heard = await told()
  assert.deepEqual([heard.slice(0, 3), heard.slice(3).toSorted()], [invited, lapses])
  assert.equal((await readMails(bank)).length, mailed, 'a lapse is told by no mail')
  // One that no sweep has met ends with the next invitation.
  const ada = await login('ada')
  const body = { username: 'both', rights: 'view' }
  const { id } = (await ada.post(path, body)).body
  clock.advance(7 * day)
  const next = await (await login('ada')).post(path, body)
  assert.equal(next.status, 201, next.text)
  const last = end(id as string, clock.now())
  assert.deepEqual(
    (await ends()).filter(({ detail }) => detail === last.detail),
    [last],
  )
  await db.close()
  await assertSound(bank)
})

test('the feed tells of a membership that begins, changes and ends, each once', async (t) => {
  const { ada, ben, agnes, from, path, join } = await (async () => {
    const bank = await membersScene(t)
    return { ...bank, agnes: await bank.as('agnes') }
  })()
  const id = await join()
  await ben.post(`/api/v1/members/${id}/accept`)
  await ada.patch(`${path}/${id}`, { rights: 'view' })
  await ada.patch(`${path}/${id}`, { rights: 'view' })
  await ada.delete(`${path}/${id}`)
  await ada.delete(`${path}/${id}`)
  const types = ['invited', 'joined', 'changed', 'ended'].map((word) => `member.${word}`)
  const { body } = await agnes.get(`/api/v1/events?types=${types.join(',')}&wait=1`)
  assert.deepEqual(
    body.items.map(({ type, resourceId, accountIds }: Record<string, unknown>) => [
      type,
      resourceId,
      accountIds,
    ]),
    types.map((type) => [type, id, [from]]),
  )
})
