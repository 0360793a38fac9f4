// Times in requests: any form of RFC 3339, at every place that takes one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnyTime, When } from '../../src/domain/date-range.ts'
import { Time } from '../../src/domain/schema.ts'
import { openAccount } from '../support/fixture.ts'
import { forAll, toParts, toPath } from '../support/requests.ts'
import { commonWorld, people, type Reply } from '../support/world.ts'
import type { SchemaNode } from '../../src/domain/schema.ts'
import { bodyFields, type Field, personForRoute, queryFields } from './fields.ts'

const named = ({ route, key }: Field) => `${route.method} ${route.path} ${key}`

/** Whether one of the field's schemas is this one. */
const takes = ({ node }: Field, schema: SchemaNode): boolean =>
  [node, ...(node.anyOf ?? [])].some(({ pattern }) => pattern === schema.pattern)

async function refusedPath(reply: Promise<Reply>) {
  const { status, body } = await reply
  return [status, body.details?.[0]?.path]
}

test('every time in a request may be any of RFC 3339, and one that does not exist is refused', async () => {
  const bank = await commonWorld()
  assert.deepEqual(
    [...queryFields, ...bodyFields].filter((field) => takes(field, Time)),
    [],
    'a request takes more than the form of answers',
  )
  const filters = queryFields.filter((field) => takes(field, When))
  assert.ok(filters.length >= 8)
  await forAll(filters, async (field) => {
    const { route, key } = field
    const client = await bank.as(personForRoute(route))
    const account = personForRoute(route) === 'ada' ? await openAccount(client) : people.ada.id
    const ask = (value: string) => {
      const path = toPath(route, { ...toParts(route, () => account), query: {} })
      return client.get(`${path}?${key}=${value}`)
    }
    const now = new Date(bank.clock.now()).toISOString().slice(0, 19)
    const ago = now.replace(/^(.*)T/, '2026-01-01t')
    for (const value of [`${now}%2B02:00`, `${now}+02:00`, `${key === 'to' ? now : ago}.123456z`]) {
      const reply = await ask(value)
      // It was read as the time that it is: the account has no balance of that time.
      const isEarly = reply.body.details?.[0]?.message === 'is before the account was opened'
      const isTaken = reply.status === 200 || (key === 'at' && isEarly)
      assert.ok(isTaken, `${named(field)} ${value} ${reply.text}`)
    }
    for (const value of ['2026-02-30', now, '0000-01-01', '9999-12-31T23:59:59-01:00'])
      assert.deepEqual(
        await refusedPath(ask(value)),
        [400, `/query/${key}`],
        `${named(field)} ${value}`,
      )
  })
  const bodies = bodyFields.filter((field) => takes(field, AnyTime))
  assert.deepEqual(
    bodies.map(({ route, key }) => `${route.method} ${key}`),
    [
      'POST expiresAt',
      'PATCH expiresAt',
      'POST expiresAt',
      'PATCH expiresAt',
      'POST expiresAt',
      'POST until',
      'PATCH until',
      'POST until',
    ],
  )
})
