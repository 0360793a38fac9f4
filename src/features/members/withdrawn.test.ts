// What ends beside a request about a membership: an invitation with all sessions of the owner, and
// a membership with its account.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, sceneIn } from '../../../test/support/fixture.ts'
import { erasePersonWholly } from '../../cli/erase.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { openHolder, waitingForLock } from '../../../test/support/locks.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { password, people, type Span, world } from '../../../test/support/world.ts'

async function membersScene(t: Span) {
  const bank = await sceneIn(await world(t, { settings: { MEMBERS: 'on' } }), '500.00')
  const ben = await bank.as('ben')
  const path = `/api/v1/accounts/${bank.from}/members`
  const invite = async (username: string, rights = 'pay'): Promise<string> => {
    const reply = await (await bank.login('ada')).post(path, { username, rights })
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id as string
  }
  const accept = (id: string) => ben.post(`/api/v1/members/${id}/accept`)
  const listed = async () => (await (await bank.login('ada')).get(path)).body.items
  return { ...bank, ben, path, invite, accept, listed }
}
type MembersScene = Awaited<ReturnType<typeof membersScene>>

/** The events of the ends of memberships: by whom, and of which request. */
const readTrail = async ({ sql }: MembersScene, ids: readonly string[]) => {
  const { rows } = await sql(
    `select e.detail as id, e.actor_id as actor, e.target, o.action as request
     from audit_events e
     left join audit_events o on o.request_id = e.request_id and o.action <> 'endMember'
     where e.action = 'endMember' and e.detail = any($1) order by e.detail`,
    [ids],
  )
  return rows
}

/** Each ends all sessions of Ada but at most one, by Ada or by staff, with that operation. */
type End = [by: 'owner' | 'staff', operation: string, end: (bank: MembersScene) => Promise<unknown>]
const ends: Record<string, End> = {
  'a new password': [
    'owner',
    'changePassword',
    async ({ login }) => {
      const [ada, other] = [await login('ada'), 'seven lean kine and a barn']
      const change = { currentPassword: password, newPassword: other }
      assert.equal((await ada.post('/api/v1/auth/password', change)).status, 204)
      const back = { currentPassword: other, newPassword: password }
      assert.equal((await ada.post('/api/v1/auth/password', back)).status, 204)
    },
  ],
  'a link of a mail': [
    'owner',
    'resetPassword',
    async (bank) => {
      const email = 'ada@example.com'
      await bank.send('POST', '/api/v1/auth/password-reset', { body: { email } })
      const [token] = (await readMails(bank)).flatMap(
        ({ text = '' }) => /#token=([\w-]+)/.exec(text)?.[1] ?? [],
      )
      const body = { token, newPassword: password }
      const reply = await bank.send('POST', '/api/v1/auth/password-reset/confirm', { body })
      assert.equal(reply.status, 204, reply.text)
    },
  ],
  'staff who end all sessions': [
    'staff',
    'revokeUserSessions',
    ({ root }) => root.delete(`/api/v1/admin/users/${people.ada.id}/sessions`),
  ],
  'staff who disable the owner': [
    'staff',
    'updateUser',
    async ({ root }) => {
      const person = `/api/v1/admin/users/${people.ada.id}`
      await root.patch(person, { status: 'disabled' })
      await root.patch(person, { status: 'active' })
    },
  ],
  'staff who set another e-mail address': [
    'staff',
    'updateUser',
    async ({ root }) => {
      const person = `/api/v1/admin/users/${people.ada.id}`
      assert.equal((await root.patch(person, { email: 'ada@elsewhere.example' })).status, 200)
    },
  ],
}

const memberMails = async (bank: MembersScene) =>
  (await readMails(bank)).filter(({ subject = '' }) => /acts? for (an|your) account/.test(subject))
    .length

test('an open invitation ends with all sessions of its owner, and a membership does not', async (t) => {
  const bank = await membersScene(t)
  const { ben, from, clock, invite, accept, listed, sql } = bank
  for (const [what, [by, operation, end]] of Object.entries(ends)) {
    const standing = await invite('ben', 'view')
    assert.equal((await accept(standing)).status, 200)
    await ben.delete(`/api/v1/members/${standing}`)
    const open = await invite('ben')
    const unknown = await invite('somebody')
    const kept = await invite('both', 'view')
    await sql('update account_members set accepted_at = invited_at where id = $1', [kept])
    const mailed = await memberMails(bank)
    await end(bank)
    assert.equal(await memberMails(bank), mailed, 'an invitation ends without a mail')
    const about = { actor: people[by === 'owner' ? 'ada' : 'root'].id, target: from }
    assert.deepEqual(
      await readTrail(bank, [open, unknown, kept]),
      [open, unknown].toSorted().map((id) => ({ id, ...about, request: operation })),
      what,
    )
    assert.equal((await accept(open)).body.code, 'not_found', what)
    assert.equal((await ben.get(`/api/v1/accounts/${from}`)).status, 403, what)
    const states = new Map<string, unknown[]>(
      (await listed()).map((one: Record<string, unknown>) => [
        one['id'],
        [one['status'], one['endedBy'], one['endedAt']],
      ]),
    )
    const ended = ['ended', by, new Date(clock.now()).toISOString()]
    assert.deepEqual(states.get(open), ended, what)
    assert.deepEqual(states.get(unknown), ended, what)
    assert.deepEqual(states.get(kept), ['active', null, null], what)
    await (await bank.login('ada')).delete(`${bank.path}/${kept}`)
    clock.advance(1000)
  }
  const { rows } = await sql(
    `select count(*)::int as n from events where type = 'member.ended' and ids[1] in (
       select id from account_members where accepted_at is null)`,
  )
  assert.deepEqual(rows, [{ n: 2 * Object.keys(ends).length }])
  await assertSound(bank)
})

test('of an acceptance and the end of all sessions of the owner one comes first', async (t) => {
  const bank = await membersScene(t)
  const other = await bank.another()
  for (let round = 0; round < 6; round++) {
    const id = await bank.invite('ben')
    const [accepted] = await Promise.all([
      bank.accept(id),
      other.send('DELETE', `/api/v1/admin/users/${people.ada.id}/sessions`, {
        token: bank.root.token,
      }),
    ])
    const [{ status }] = await bank.listed()
    assert.equal(status, accepted.status === 200 ? 'active' : 'ended', accepted.text)
    await bank.ben.delete(`/api/v1/members/${id}`)
    bank.clock.advance(1000)
  }
})

for (const [by, word] of [
  ['ada', 'owner'],
  ['root', 'staff'],
] as const) {
  test(`the members of an account end when the ${word} closes it, and are told; invitations are taken back`, async (t) => {
    const bank = await membersScene(t)
    const { ben, from, invite, accept, sql } = bank
    const id = await invite('ben')
    const open = await invite('both')
    assert.equal((await accept(id)).status, 200)
    const cash = { amount: '500.00', currency: 'EUR', reason: 'Counter' }
    await bank.root.post(`/api/v1/admin/accounts/${from}/withdrawals`, cash)
    const [before] = (await ben.get('/api/v1/me/memberships')).body.items
    assert.deepEqual([before.id, before.status], [id, 'active'])
    const closed = await (await bank.login(by)).delete(`/api/v1/accounts/${from}`)
    assert.equal(closed.status, 204, closed.text)
    assert.deepEqual((await ben.get('/api/v1/me/memberships')).body.items, [])
    const both = await bank.as('both')
    assert.deepEqual((await both.get('/api/v1/me/memberships')).body.items, [])
    assert.equal((await both.post(`/api/v1/members/${open}/accept`)).status, 404)
    const { rows } = await sql('select ended_by from account_members')
    assert.deepEqual(rows, [{ ended_by: word }, { ended_by: word }])
    const listed = (await bank.root.get(`/api/v1/accounts/${from}/members`)).body.items
    assert.deepEqual(
      listed.map((each: Record<string, string>) => `${each['id']} ${each['status']}`).toSorted(),
      [`${id} ended`, `${open} ended`].toSorted(),
      'staff read who they were',
    )
    const about = { actor: people[by].id, target: from, request: 'closeAccount' }
    assert.deepEqual(
      await readTrail(bank, [id, open]),
      [id, open].toSorted().map((one) => ({ id: one, ...about })),
    )
    const told = (await readMails(bank)).filter(
      ({ subject }) => subject === 'A person acts for an account no more',
    )
    const names = told.map(({ to }) => to?.[0]?.name ?? '').toSorted()
    assert.deepEqual(names, ['Ada Okafor', 'Ben Lindqvist'])
    await assertSound(bank)
  })
}

test('a membership of a person that is erased ends by staff, its order is paused, and the owner is told', async (t) => {
  const bank = await membersScene(t)
  const { ben, from, clock, invite, accept, listed, root, sql, address } = bank
  const id = await invite('ben')
  assert.equal((await accept(id)).status, 200)
  const payee = await (
    await bank.login('ada')
  ).post(`/api/v1/accounts/${from}/beneficiaries`, {
    name: 'Grace Hopper',
    iban: 'GB33BUKB20201555555555',
  })
  const order = await ben.post(`/api/v1/accounts/${from}/orders`, {
    beneficiaryId: payee.body.id,
    amount: '1.00',
    currency: 'EUR',
    rhythm: 'weekly',
    firstOn: '2026-03-02',
  })
  assert.equal(order.status, 201, order.text)
  const next = await (await bank.login('ada')).post('/api/v1/accounts', { currency: 'EUR' })
  const path = `/api/v1/accounts/${next.body.id}/members`
  const invited = await (await bank.login('ada')).post(path, { username: 'ben', rights: 'view' })
  await root.patch(`/api/v1/admin/users/${people.ben.id}`, { status: 'disabled' })
  await readMails(bank)
  const db = openDatabase(address, { role: null })
  const holder = await openHolder(t, bank)
  await holder.query('begin')
  await holder.query('select from accounts where id = $1 for no key update', [next.body.id])
  const limits = { now: clock.now(), limit: Number.MAX_SAFE_INTEGER }
  const erasing = erasePersonWholly(db, people.ben.id, limits)
  // What is under way on an account is decided first.
  await waitingForLock(bank)
  await holder.query('commit')
  await erasing
  await db.close()
  const [member] = await listed()
  assert.deepEqual([member.id, member.status, member.endedBy], [id, 'ended', 'staff'])
  const { rows } = await sql(
    `select target, address, detail from audit_events where action = 'endMember' order by detail`,
  )
  const ends = [
    { target: from, address: 'operator', detail: id },
    { target: next.body.id, address: 'operator', detail: invited.body.id as string },
  ]
  assert.deepEqual(
    rows,
    ends.toSorted((one, other) => (one.detail < other.detail ? -1 : 1)),
  )
  const told = (await readMails(bank)).filter(
    ({ subject }) => subject === 'A person acts for an account no more',
  )
  assert.deepEqual(
    told.map(({ to }) => to?.[0]?.name),
    ['Ada Okafor'],
  )
  const orders = await sql('select status, paused_because from standing_orders')
  assert.deepEqual(orders.rows, [{ status: 'paused', paused_because: 'member' }])
  await assertSound(bank)
})

test('two people who have invited each other change their passwords in one moment, and wait in no circle', async (t) => {
  const bank = await membersScene(t)
  const { from, clock, sql } = bank
  const voices = [await bank.login('ada'), await bank.login('ben')]
  const opened = await bank.ben.post('/api/v1/accounts', { currency: 'EUR' })
  const accounts = [from, opened.body.id as string]
  const inviteOther = async (by: number): Promise<string> => {
    const body = { username: by === 0 ? 'ben' : 'ada', rights: 'pay' }
    const reply = await voices[by]?.post(`/api/v1/accounts/${accounts[by]}/members`, body)
    assert.equal(reply?.status, 201, reply?.text)
    return reply.body.id as string
  }
  for (let round = 0; round < 4; round++) {
    const ids = [await inviteOther(0), await inviteOther(1)]
    const holder = await openHolder(t, bank)
    await holder.query('begin; select from account_members for update')
    const changes = voices.map((by) =>
      by.post('/api/v1/auth/password', { currentPassword: password, newPassword: password }),
    )
    await waitingForLock(bank, 2)
    await holder.query('commit')
    for (const { status, text } of await Promise.all(changes)) assert.equal(status, 204, text)
    assert.equal((await readTrail(bank, ids)).length, 2)
    clock.advance(1000)
  }
  const { rows } = await sql(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  assert.deepEqual(rows, [{ deadlocks: 0 }])
  await assertSound(bank)
})
