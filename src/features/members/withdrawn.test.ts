// What ends beside a request about a membership: an invitation with all sessions of the owner, and
// a membership with its account.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, sceneIn } from '../../../test/support/fixture.ts'
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

/** Each ends all sessions of Ada but at most one. */
const ends: Record<string, (bank: MembersScene) => Promise<unknown>> = {
  'a new password': async ({ login }) => {
    const [ada, other] = [await login('ada'), 'seven lean kine and a barn']
    const change = { currentPassword: password, newPassword: other }
    assert.equal((await ada.post('/api/v1/auth/password', change)).status, 204)
    const back = { currentPassword: other, newPassword: password }
    assert.equal((await ada.post('/api/v1/auth/password', back)).status, 204)
  },
  'staff who end all sessions': ({ root }) =>
    root.delete(`/api/v1/admin/users/${people.ada.id}/sessions`),
  'staff who disable the owner': async ({ root }) => {
    const person = `/api/v1/admin/users/${people.ada.id}`
    await root.patch(person, { status: 'disabled' })
    await root.patch(person, { status: 'active' })
  },
}

test('an open invitation ends with all sessions of its owner, and a membership does not', async (t) => {
  const bank = await membersScene(t)
  const { ben, from, clock, invite, accept, listed, sql } = bank
  for (const [what, end] of Object.entries(ends)) {
    const standing = await invite('ben', 'view')
    assert.equal((await accept(standing)).status, 200)
    await ben.delete(`/api/v1/members/${standing}`)
    const open = await invite('ben')
    const unknown = await invite('somebody')
    const kept = await invite('both', 'view')
    await sql('update account_members set accepted_at = invited_at where id = $1', [kept])
    await end(bank)
    assert.equal((await accept(open)).body.code, 'not_found', what)
    assert.equal((await ben.get(`/api/v1/accounts/${from}`)).status, 403, what)
    const states = new Map<string, unknown[]>(
      (await listed()).map((one: Record<string, unknown>) => [
        one['id'],
        [one['status'], one['endedBy'], one['endedAt']],
      ]),
    )
    const ended = ['ended', 'owner', new Date(clock.now()).toISOString()]
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
    const told = (await readMails(bank)).filter(
      ({ subject }) => subject === 'A person acts for an account no more',
    )
    const names = told.map(({ to }) => to?.[0]?.name ?? '').toSorted()
    assert.deepEqual(names, ['Ada Okafor', 'Ben Lindqvist'])
    await assertSound(bank)
  })
}
