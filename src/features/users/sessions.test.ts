import assert from 'node:assert/strict'
import { test } from 'node:test'
import { people, world } from '../../../test/support/world.ts'
import { mockTimers } from '../../../test/support/timers.ts'

const sessionsOfAda = `/api/v1/admin/users/${people.ada.id}/sessions`
const session = (id: string) => `/api/v1/admin/sessions/${id}`
const missingId = '01940000-0000-7000-8000-0000000000ff'
const minute = 60_000

test("staff list a person's live sessions, newest first, and none that has ended", async (t) => {
  // The timer that writes activity does not run: only the list itself can have it written.
  mockTimers(t, 'setInterval')
  const bank = await world(t)
  const phone = await bank.login('ada', { body: { device: 'Phone' } })
  bank.clock.advance(minute)
  const laptop = await bank.login('ada', { body: { device: 'Laptop' } })
  const agnes = await bank.as('agnes')
  assert.deepEqual((await agnes.get(sessionsOfAda)).body, {
    items: [
      {
        id: laptop.sessionId,
        userId: people.ada.id,
        device: 'Laptop',
        createdAt: '2026-01-02T09:01:00.000Z',
        lastUsedAt: '2026-01-02T09:01:00.000Z',
        endsAt: '2026-01-02T21:01:00.000Z',
      },
      {
        id: phone.sessionId,
        userId: people.ada.id,
        device: 'Phone',
        createdAt: '2026-01-02T09:00:00.000Z',
        lastUsedAt: '2026-01-02T09:00:00.000Z',
        endsAt: '2026-01-02T21:00:00.000Z',
      },
    ],
    nextCursor: null,
  })
  const live = async (staff = agnes) =>
    (await staff.get(sessionsOfAda)).body.items.map(({ id }: { id: string }) => id)
  // Idle for exactly five minutes: ended, although no request has arrived since.
  bank.clock.advance(4 * minute)
  assert.deepEqual(await live(), [laptop.sessionId])
  await laptop.get('/api/v1/me')
  bank.clock.advance(minute)
  // The list shows activity that was not written before. A fresh session of the reader does not
  // have it written by itself.
  assert.deepEqual(await live(await bank.login('agnes')), [laptop.sessionId])
  await laptop.post('/api/v1/auth/logout')
  assert.deepEqual(await live(), [])
  // The end of a session is the first moment at which it is over.
  const tablet = await bank.login('ada')
  const endAt = (at: number) =>
    bank.sql('update sessions set ends_at = $1 where id = $2', [new Date(at), tablet.sessionId])
  await endAt(bank.clock.now() + 1)
  assert.deepEqual(await live(), [tablet.sessionId])
  await endAt(bank.clock.now())
  assert.deepEqual(await live(), [])
  assert.equal((await agnes.get(`/api/v1/admin/users/${missingId}/sessions`)).status, 404)
})

test('staff read whose a live session is, and nothing of one that has ended', async (t) => {
  const bank = await world(t)
  const agnes = await bank.as('agnes')
  const phone = await bank.login('ada', { body: { device: 'Phone' } })
  const { status, body } = await agnes.get(session(phone.sessionId))
  assert.deepEqual([status, body.userId, body.device], [200, people.ada.id, 'Phone'])
  assert.equal((await phone.get(session(phone.sessionId))).status, 403)
  assert.equal((await agnes.get(session(missingId))).status, 404)
  await phone.post('/api/v1/auth/logout')
  assert.equal((await agnes.get(session(phone.sessionId))).status, 404)
})

test('revoking one session ends it at once, on every instance, and no other', async (t) => {
  const bank = await world(t)
  const second = await bank.another()
  const root = await bank.as('root')
  const devices = [await bank.login('ada'), await bank.login('ada'), await bank.login('ada')]
  const revoked = devices[1]?.sessionId as string
  assert.equal((await root.delete(session(revoked))).status, 204)
  for (const { send } of [bank, second]) {
    const replies = await Promise.all(
      devices.map(({ token }) => send('GET', '/api/v1/me', { token })),
    )
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 401, 200],
    )
    assert.equal(replies[1]?.body.code, 'session_revoked')
  }
  const { refreshToken } = devices[1] as { refreshToken: string }
  const refreshed = await bank.send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
  assert.equal(refreshed.status, 401)
})

test('revoking an ended session succeeds, keeps the time of its end, and becomes its reason', async (t) => {
  const bank = await world(t)
  const [root, ada] = [await bank.as('root'), await bank.as('ada')]
  const readEnd = async () =>
    (await bank.sql('select ended_at, ended_because from sessions where id = $1', [ada.sessionId]))
      .rows[0]
  await ada.post('/api/v1/auth/logout')
  const over = await readEnd()
  assert.equal(over?.['ended_because'], 'logout')
  bank.clock.advance(1000)
  for (let turn = 0; turn < 2; turn++) {
    assert.equal((await root.delete(session(ada.sessionId))).status, 204)
    assert.deepEqual(await readEnd(), { ...over, ended_because: 'revoked' })
  }
  assert.equal((await root.delete(session(missingId))).status, 404)
})

test('revoking all sessions of a person ends no session of another', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const devices = [await bank.login('ada'), await bank.login('ada')]
  const ben = await bank.as('ben')
  assert.equal((await root.delete(sessionsOfAda)).status, 204)
  for (const device of devices) assert.equal((await device.get('/api/v1/me')).status, 401)
  assert.equal((await ben.get('/api/v1/me')).status, 200)
  assert.equal((await root.get('/api/v1/me')).status, 200)
  // The person can log in again.
  assert.equal((await (await bank.login('ada')).get('/api/v1/me')).status, 200)
  assert.equal((await root.delete(`/api/v1/admin/users/${missingId}/sessions`)).status, 404)
})

test('customers neither list nor end sessions of others, agents end none', async (t) => {
  const bank = await world(t)
  const [ada, agnes] = [await bank.as('ada'), await bank.as('agnes')]
  const own = session(ada.sessionId)
  const refused = [
    await ada.get(sessionsOfAda),
    await ada.delete(sessionsOfAda),
    await ada.delete(own),
    await agnes.delete(sessionsOfAda),
    await agnes.delete(own),
  ]
  for (const { status, text } of refused) {
    assert.equal(status, 403)
    assert.equal(text, refused[0]?.text)
  }
  assert.equal((await ada.get('/api/v1/me')).status, 200)
})
