// By which refusals and members a route is known as one whose requests have one effect.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closed, Name } from '../domain/schema.ts'
import { Type } from '../domain/type.ts'
import { canReplay, isNumbered, keyRefusals, takesKey } from './repeats.ts'
import type { Route } from './route.ts'

type JudgedRoute = Parameters<typeof isNumbered>[0]
const judge = (route: object) => {
  const asked = route as JudgedRoute
  return [takesKey(asked), canReplay(asked), isNumbered(asked)]
}
const numbered = closed({ externalId: Name })
const plain = closed({ name: Name })
const itemsOf = (item: typeof numbered | typeof plain) => closed({ items: Type.Array(item) })
const decides = {} as Route['decides']
const each = {} as Route['each']

const cases: [what: string, route: object, found: boolean[]][] = [
  ['plain', {}, [false, false, false]],
  ['keyed', { refusals: keyRefusals }, [true, true, false]],
  ['keyed and numbered', { refusals: keyRefusals, body: numbered }, [true, true, true]],
  ['keyed by another body', { refusals: keyRefusals, body: plain }, [true, true, false]],
  ['a decision', { refusals: keyRefusals, decides, body: numbered }, [false, false, false]],
  ['numbered alone', { refusals: ['idempotency_key_reused'], body: numbered }, [false, true, true]],
  ['with a number of no effect', { body: numbered }, [false, false, false]],
  ['in progress alone', { refusals: ['request_in_progress'] }, [true, false, false]],
  ['of other refusals', { refusals: ['not_found'], body: numbered }, [false, false, false]],
  ['of many', { each, body: itemsOf(numbered) }, [false, false, true]],
  ['of many without numbers', { each, body: itemsOf(plain) }, [false, false, false]],
  ['of many, numbered as a whole', { each, body: numbered }, [false, false, false]],
  ['of many without a body', { each }, [false, false, false]],
]

test('a route takes a key, replays, and is numbered by what it says of itself', () => {
  for (const [what, route, found] of cases) assert.deepEqual(judge(route), found, what)
})
