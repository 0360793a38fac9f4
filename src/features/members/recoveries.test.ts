// What a member may pay after a recovery of a second factor, its own or that of the owner.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sceneIn } from '../../../test/support/fixture.ts'
import { people, world } from '../../../test/support/world.ts'

const hour = 3_600_000
const day = 24 * hour

test('a payee that was added since the member or the owner was recovered is not paid by the member for a day', async (t) => {
  const scene = await sceneIn(await world(t, { settings: { MEMBERS: 'on' } }), '500.00')
  const { login, sql, clock, from } = scene
  let voices = { ada: scene.ada, ben: await login('ben') }
  const invitation = { username: 'ben', rights: 'pay' }
  const { body: invited } = await voices.ada.post(`/api/v1/accounts/${from}/members`, invitation)
  assert.equal((await voices.ben.post(`/api/v1/members/${invited.id}/accept`)).status, 200)
  /** The sessions of before have ended then. */
  const pass = async (milliseconds: number) => {
    clock.advance(milliseconds)
    voices = { ada: await login('ada'), ben: await login('ben') }
  }
  const recover = (name: 'ada' | 'ben') =>
    sql('update users set recovered_at = $2 where id = $1', [
      people[name].id,
      new Date(clock.now()),
    ])
  const add = async (iban: string) => {
    const payee = { name: 'Grace Hopper', iban }
    const path = `/api/v1/accounts/${from}/beneficiaries`
    return (await voices.ada.post(path, payee)).body.id as string
  }
  /** By the owner and by the member. */
  const paid = async (beneficiaryId: string) => {
    const terms = { fromAccountId: from, beneficiaryId, amount: '1.00', currency: 'EUR' }
    const replies = [voices.ada, voices.ben].map((voice, index) =>
      voice.post('/api/v1/transfers', { ...terms, reference: `${clock.now()} ${index}` }),
    )
    return (await Promise.all(replies)).map(({ status, body }) => body.code ?? status)
  }
  const [made, cools] = [201, 'beneficiary_cooling']
  const old = await add('GB33BUKB20201555555555')
  clock.advance(1)
  await recover('ben')
  const ofMember = await add('DE89370400440532013000')
  assert.deepEqual(await paid(old), [made, made])
  await pass(day - 1)
  assert.deepEqual(await paid(ofMember), [made, cools])
  clock.advance(1)
  assert.deepEqual(await paid(ofMember), [made, made])
  // Of two recoveries the later one holds, whose ever it is.
  for (const [first, second, iban, between] of [
    ['ada', 'ben', 'FR1420041010050500013M02606', [made, cools]],
    ['ben', 'ada', 'NL91ABNA0417164300', [cools, cools]],
  ] as const) {
    await recover(first)
    await pass(hour)
    await recover(second)
    const ofBoth = await add(iban)
    await pass(day - hour - 1)
    assert.deepEqual(await paid(ofBoth), [cools, cools])
    clock.advance(1)
    assert.deepEqual(await paid(ofBoth), between)
    await pass(hour)
    assert.deepEqual(await paid(ofBoth), [made, made])
  }
})

test('a payee that was added after the recovery of a member, and dated before it by a clock that a failover set back, is not paid by the member', async (t) => {
  const scene = await sceneIn(await world(t, { settings: { MEMBERS: 'on' } }), '500.00')
  const { login, sql, clock, from, ada } = scene
  const ben = await login('ben')
  const path = `/api/v1/accounts/${from}`
  const { body: invited } = await ada.post(`${path}/members`, { username: 'ben', rights: 'pay' })
  assert.equal((await ben.post(`/api/v1/members/${invited.id}/accept`)).status, 200)
  await sql('update users set recovered_at = $2 where id = $1', [
    people.ben.id,
    new Date(clock.now()),
  ])
  clock.jump(-4000)
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const { body } = await ben.post(`${path}/beneficiaries`, payee)
  const terms = { fromAccountId: from, beneficiaryId: body.id, amount: '1.00', currency: 'EUR' }
  assert.equal((await ben.post('/api/v1/transfers', terms)).body.code, 'beneficiary_cooling')
  assert.equal((await ada.post('/api/v1/transfers', terms)).status, 201)
})
