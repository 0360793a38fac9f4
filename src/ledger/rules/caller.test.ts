// The people whose rights decide about a movement are kept while its batch runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callersOf } from './caller.ts'
import type { Movement } from './movement.ts'

const caller = { userId: 'maker', sessionId: 's', kid: null, role: 'customer' }
const approval = { checker: { userId: 'checker', sessionId: 't' } }
const movement = (more: object): Movement =>
  ({ kind: 'transfer', fromAccountId: 'a', toAccountId: 'b', caller, ...more }) as Movement

test('a movement waits for a change of its maker, of who approved it, of the owner whose account it moves, and of who signed it', () => {
  const memberFor = { ...caller, memberFor: 'owner' }
  for (const [more, callers] of [
    [{}, ['maker']],
    [{ approval }, ['maker', 'checker']],
    [{ caller: memberFor }, ['maker', 'owner']],
    [{ draft: { people: ['one', 'other'] } }, ['maker', 'one', 'other']],
    [{ kind: 'deposit', approval }, ['maker', 'checker']],
    [
      { caller: memberFor, approval, draft: { people: ['one'] } },
      ['maker', 'checker', 'owner', 'one'],
    ],
  ] as const) {
    assert.deepEqual(callersOf(movement(more)), callers)
  }
})
