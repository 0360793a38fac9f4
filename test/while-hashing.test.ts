// Hashing takes long enough for much to happen: what was decided about the caller meanwhile counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdHash } from './support/held.ts'
import { people, password, world, type World } from './support/world.ts'

const newPassword = 'another fine password'

const ends: [what: string, end: (bank: World, sessionId: string) => Promise<unknown>][] = [
  [
    'its session is revoked',
    async (bank, id) => (await bank.as('root')).delete(`/api/v1/admin/sessions/${id}`),
  ],
  [
    'all sessions of its user are revoked',
    async (bank) => {
      return (await bank.as('root')).delete(`/api/v1/admin/users/${people.ada.id}/sessions`)
    },
  ],
  [
    'its user is disabled',
    async (bank) => {
      const path = `/api/v1/admin/users/${people.ada.id}`
      await (await bank.as('root')).patch(path, { status: 'disabled' })
      await (await bank.as('root')).patch(path, { status: 'active' })
    },
  ],
  ['its session reaches its absolute end', async (bank) => bank.clock.advance(4 * 60_000)],
]

for (const [what, end] of ends) {
  test(`a password change changes nothing and ends no session when ${what} while it hashes`, async (t) => {
    const bank = await world(t, { settings: { SESSION_MAX: '5m', TOKEN_TTL: '5m' } })
    const thief = await bank.login('ada')
    await bank.as('root')
    bank.clock.advance(60_000)
    const held = holdHash(t, bank)
    const body = { currentPassword: password, newPassword }
    const changing = thief.post('/api/v1/auth/password', body)
    await held.begun
    await end(bank, thief.sessionId)
    const owner = await bank.login('ada')
    held.release()
    assert.equal((await changing).status, 401)
    assert.equal((await owner.get('/api/v1/me')).status, 200)
    await bank.login('ada')
  })
}

test('a password change that is not disturbed while it hashes is made', async (t) => {
  const bank = await world(t)
  const [ada, other] = [await bank.login('ada'), await bank.login('ada')]
  const held = holdHash(t, bank)
  const body = { currentPassword: password, newPassword }
  const changing = ada.post('/api/v1/auth/password', body)
  await held.begun
  held.release()
  assert.equal((await changing).status, 204)
  assert.equal((await ada.get('/api/v1/me')).status, 200)
  assert.equal((await other.get('/api/v1/me')).status, 401)
})
