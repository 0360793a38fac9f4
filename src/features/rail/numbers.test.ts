// How other systems number what they order: the same rule at each door.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBelongings, sendTo, toParts } from '../../../test/support/requests.ts'
import { world } from '../../../test/support/world.ts'
import { routes } from '../routes.ts'

const card = '4111-1111-1111-1111'

test('an externalId that holds a card number is refused at each door', async (t) => {
  const bank = await world(t)
  const own = await readBelongings(bank, 'ada')
  const { token } = await bank.as('root')
  const doors: string[] = []
  for (const route of routes.filter((each) =>
    JSON.stringify(each.body)?.includes('"externalId"'),
  )) {
    const parts = toParts(route, ({ resource }) => own[resource])
    const items = parts.body?.['items'] as Record<string, unknown>[] | undefined
    const [holder = parts.body] = items ?? []
    Object.assign(holder as object, { externalId: `A ${card}` })
    const { status, body, text } = await sendTo(bank, route, parts, token)
    const at = items ? '/body/items/0/externalId' : '/body/externalId'
    const details = [{ path: at, message: 'holds what looks like a card number' }]
    assert.deepEqual([status, body.details], [400, details], `${route.path}: ${text}`)
    doors.push(route.operation)
  }
  assert.ok(doors.length >= 13, doors.join(' '))
})
