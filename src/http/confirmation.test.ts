// What a confirmation binds of a body.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closed, Name, nullable, secretKey } from '../domain/schema.ts'
import { Type } from '../domain/type.ts'
import type { Database } from '../database/connections/connect.ts'
import { Refusal } from '../domain/errors.ts'
import { newId } from '../domain/ids.ts'
import { lockConfirmed, writeUsed } from '../gate/confirmations.ts'
import { requireConfirmation, withoutSecrets } from './confirmation.ts'
import type { Context, Route } from './route.ts'

const Secret = Type.String({ maxLength: 6, [secretKey]: true })
const Named = Type.String({ maxLength: 3, [secretKey]: false })
const schema = closed({
  name: Name,
  pinCode: Secret,
  countryCode: Named,
  by: nullable(
    closed({ name: Name, pinCode: Secret, in: closed({ pinCode: Secret, name: Name }) }),
  ),
})

test('all of a body but its secrets is bound, however deep they are', () => {
  for (const [body, bound] of [
    [
      { name: 'a', pinCode: '1', countryCode: 'IE' },
      { name: 'a', countryCode: 'IE' },
    ],
    [
      { name: 'a', by: null },
      { name: 'a', by: null },
    ],
    [{ by: { name: 'b', pinCode: '1' }, pinCode: '2' }, { by: { name: 'b' } }],
    [
      { by: { name: 'b', pinCode: '1', in: { pinCode: '2', name: 'c' } } },
      { by: { name: 'b', in: { name: 'c' } } },
    ],
    [{ by: { in: { name: 'c' } } }, { by: { in: { name: 'c' } } }],
    [{}, {}],
    [undefined, undefined],
  ]) {
    const text = JSON.stringify(body)
    assert.equal(JSON.stringify(withoutSecrets(schema, body)), JSON.stringify(bound))
    assert.equal(JSON.stringify(body), text, 'the body is as it was')
  }
})

/** The effect on a change, of which no statement is sent. */
async function effectOf({ route = {}, ...context }: { route?: object } & Partial<Context> = {}) {
  const about = {
    headers: {},
    params: { accountId: 'a' },
    query: {},
    body: undefined,
    caller: { userId: 'u', sessionId: 's' },
    service: {
      clock: { now: () => 1000 },
      config: { confirmAbove: { EUR: 3000n }, confirmSum: { EUR: 10_000n } },
    },
    ...context,
  } as unknown as Context
  const asked = { operation: 'doThing', ...route } as unknown as Route
  const toEvent = (event: object) => event as never
  return requireConfirmation(asked, about, { db: {} as Database, toEvent })
}
type Confirmed = { confirmation: { digest: Buffer; challengeId?: string; exempt: object } }
const movedBy = async (given?: Parameters<typeof effectOf>[0], currency = 'EUR') => {
  const { withMovement } = await effectOf(given)
  const moved: unknown = withMovement?.({ currency } as never)
  return (moved as Confirmed).confirmation
}

test('each part of a request is bound: one that differs needs another confirmation', async () => {
  const key = { 'idempotency-key': 'k' }
  const requests: Parameters<typeof effectOf>[0][] = [
    {},
    { route: { operation: 'doOther' } },
    { params: { accountId: 'b' } },
    { query: { from: 'x' } },
    { headers: key },
    { headers: { 'idempotency-key': 'l' } },
    { body: {} },
    { body: { name: 'a' } },
    { body: { name: 'a' }, headers: key },
    { route: { confirm: async () => ({ amount: '1.00' }) } },
    { route: { confirm: async () => ({ amount: '1.01' }) } },
  ]
  const digests = await Promise.all(
    requests.map(async (given) => (await movedBy(given)).digest.toString('hex')),
  )
  assert.equal(new Set(digests).size, requests.length)
  // What a route says of itself without terms is the same as nothing.
  const same = await movedBy({ route: { confirm: true } })
  assert.equal(same.digest.toString('hex'), digests[0])
  const other = await movedBy({ headers: { 'user-agent': 'x' } })
  assert.equal(other.digest.toString('hex'), digests[0])
})

test('a confirmation is named by an identifier alone', async () => {
  const id = newId(0)
  assert.equal((await movedBy({ headers: { confirmation: id } })).challengeId, id)
  assert.equal((await movedBy()).challengeId, undefined)
  for (const confirmation of ['', 'x', `${id} `, id.toUpperCase()]) {
    await assert.rejects(movedBy({ headers: { confirmation } }), { code: 'invalid_request' })
  }
})

test('small sums are those of the settings, and in a currency without one none is small', async () => {
  assert.deepEqual((await movedBy()).exempt, { amount: 3000n, sum: 10_000n })
  assert.deepEqual((await movedBy({}, 'USD')).exempt, { amount: 0n, sum: 0n })
})

test('what is refused for another reason makes no challenge', async () => {
  const { around } = await effectOf()
  for (const thrown of [
    new Refusal('not_found'),
    new Refusal('forbidden'),
    new Error('a defect'),
  ]) {
    const change = async () => Promise.reject(thrown)
    // A challenge would be written by a database that is not there.
    await assert.rejects(
      async () => around?.(change),
      (told) => told === thrown,
    )
  }
})

test('a change uses up the confirmation of this very request, with its event, or is refused', async () => {
  const id = newId(0)
  const given = { headers: { confirmation: id } }
  const { digest } = await movedBy(given)
  const found = { id, userId: 'u', sessionId: 's', digest, expiresAt: new Date(1001) }
  const use = async (rows: object[], asked: typeof given | undefined = given) => {
    const sent: unknown[] = []
    const tx = {
      run: async (statement: unknown) => {
        sent.push(statement)
        return statement === lockConfirmed ? rows : []
      },
    }
    const { after } = await effectOf(asked)
    await after?.(tx as never, 'made')
    return sent
  }
  const sent = await use([found])
  assert.deepEqual(sent.slice(0, 2), [lockConfirmed, writeUsed])
  assert.ok(sent.length > 2, 'the event')
  const refused = { code: 'confirmation_required' }
  await assert.rejects(use([]), refused)
  await assert.rejects(use([found], {} as never), refused)
  for (const other of [
    { userId: 'v' },
    { sessionId: 't' },
    { digest: Buffer.alloc(32) },
    { expiresAt: new Date(1000) },
  ]) {
    await assert.rejects(use([{ ...found, ...other }]), refused, Object.keys(other)[0])
  }
})
