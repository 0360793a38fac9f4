// Whose rights decide about a movement, and what ends them between the gate and its batch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Code } from '../../domain/errors.ts'
import type { Standing } from '../../gate/approvals.ts'
import type { SessionState } from '../../gate/live-sessions.ts'
import type { KeyState } from '../../gate/service-keys.ts'
import { callersOf, refuseCaller } from './caller.ts'
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

const now = 1000
const later = new Date(now + 1)
const session = {
  user_id: 'maker',
  roles: ['customer'],
  status: 'active',
  ends_at: later,
  ended_because: null,
  revoked_kids: null,
  has_factor: false,
  user_created_at: new Date(0),
} as unknown as SessionState
const key = {
  accountId: 'maker',
  isLive: true,
  expiresAt: null,
  operations: ['createIncomingPayment'],
  payFrom: ['a'],
} as unknown as KeyState

const judge = (
  made: Movement,
  found: { session?: SessionState; key?: KeyState; checker?: SessionState; standing?: Standing },
): Code | undefined => {
  const mapOf = <V>(id: string, value: V | undefined) =>
    new Map(value === undefined ? [] : [[id, value]])
  const callers = new Map([...mapOf('s', found.session), ...mapOf('t', found.checker)])
  const facts = { kept: new Set<string>(), now, callers, keys: mapOf('s', found.key) }
  return refuseCaller(made, facts, mapOf('approval', found.standing))
}

test('a person moves money while its session and role live, and no longer', () => {
  const cases: [more: Partial<SessionState> | undefined, code: Code | undefined][] = [
    [{}, undefined],
    [undefined, 'unauthenticated'],
    [{ user_id: 'other' }, 'unauthenticated'],
    [{ status: 'disabled' }, 'session_revoked'],
    [{ ended_because: 'revoked' }, 'session_revoked'],
    [{ ended_because: 'expired' }, 'session_expired'],
    [{ ends_at: new Date(now) }, 'session_expired'],
    [{ roles: ['support-agent'] }, 'forbidden'],
    [{ roles: [] }, 'forbidden'],
    [{ roles: ['support-agent', 'customer'] }, undefined],
    // The end of the session is told before the role.
    [{ roles: [], ends_at: new Date(now) }, 'session_expired'],
  ]
  for (const [more, code] of cases) {
    const found = more && { session: { ...session, ...more } }
    assert.equal(judge(movement({}), found ?? {}), code, JSON.stringify(more))
  }
  const signed = movement({ caller: { ...caller, kid: 'kid' } })
  const revoked = { ...session, revoked_kids: ['kid'] }
  assert.equal(judge(signed, { session: revoked }), 'unauthenticated')
  assert.equal(judge(signed, { session: { ...session, revoked_kids: ['other'] } }), undefined)
  // A key of that identifier is no session.
  assert.equal(judge(movement({}), { key }), 'unauthenticated')
})

test('a program moves money while its key lives: from the accounts of its grant, or by a granted operation', () => {
  const byKey = { ...caller, operation: 'createIncomingPayment' }
  const of = (kind: string, more: object = {}) => movement({ kind, caller: byKey, ...more })
  const cases: [made: Movement, more: Partial<KeyState> | undefined, code: Code | undefined][] = [
    [of('incoming'), {}, undefined],
    [of('incoming'), undefined, 'unauthenticated'],
    [of('incoming'), { accountId: 'other' }, 'unauthenticated'],
    [of('incoming'), { isLive: false }, 'unauthenticated'],
    [of('incoming'), { expiresAt: new Date(now) }, 'unauthenticated'],
    [of('incoming'), { expiresAt: later }, undefined],
    [of('incoming'), { operations: ['postFee'] }, 'forbidden'],
    [of('incoming'), { payFrom: [] }, undefined],
    // A payment is granted by its account, whatever operations are.
    [of('transfer'), { operations: [] }, undefined],
    [of('transfer'), { payFrom: ['b'] }, 'forbidden'],
    [of('transfer'), { payFrom: ['b', 'a'] }, undefined],
    [of('cancellation', { fromAccountId: 'clearing', toAccountId: 'a' }), {}, undefined],
    [of('cancellation', { fromAccountId: 'a', toAccountId: 'b' }), {}, 'forbidden'],
    [of('cancellation'), { operations: ['createIncomingPayment'], payFrom: [] }, 'forbidden'],
  ]
  for (const [made, more, code] of cases) {
    const found = more && { key: { ...key, ...more } }
    const told = `${made.kind} ${JSON.stringify(more)}`
    assert.equal(judge(made, { session, ...found }), code, told)
  }
})

test('what was approved is judged by its checker and its maker, and confirmed where the checker has a factor by now', () => {
  const off = { customer: 'off', 'support-agent': 'off', admin: 'off' } as const
  const policies = { secondFactor: { ...off, admin: 'optional' }, secondFactorGrace: 0 } as const
  const use = { id: 'approval', checker: { ...approval.checker, kid: null }, makers: ['admin'] }
  const approved = (more: object = {}) =>
    movement({ kind: 'deposit', approval: { ...use, checker: use.checker, policies, ...more } })
  const checker: SessionState = { ...session, user_id: 'checker', roles: ['admin'] }
  const standing = {
    operation: 'deposit',
    status: 'pending',
    expiresAt: later,
    makerId: 'maker',
    isMakerLive: true,
    makerRoles: ['admin'],
    makerHasFactor: false,
    makerCreatedAt: new Date(0),
    makerOperations: null,
    makerEndsAt: null,
    makerAdministrators: null,
  } as unknown as Standing
  const factor = { ...checker, has_factor: true }
  const confirmation = { challengeId: 'c' }
  // The maker may be logged out: its own session is not asked.
  assert.equal(judge(approved(), { checker, standing }), undefined)
  assert.equal(judge(approved(), { session, standing }), 'unauthenticated')
  assert.equal(judge(approved(), { checker }), 'not_found')
  const own = { ...standing, makerId: 'checker' }
  assert.equal(judge(approved(), { checker, standing: own }), 'forbidden')
  assert.equal(judge(approved(), { checker: factor, standing }), 'confirmation_required')
  const confirmed = { ...approved(), confirmation } as unknown as Movement
  assert.equal(judge(confirmed, { checker: factor, standing }), undefined)
  assert.equal(judge(confirmed, { checker, standing }), undefined)
  // A factor that no policy asks for confirms nothing.
  const free = { ...policies, secondFactor: off }
  assert.equal(judge(approved({ policies: free }), { checker: factor, standing }), undefined)
  // What is wrong with the request is told before the factor.
  const done = { ...standing, status: 'executed' }
  assert.equal(judge(approved(), { checker: factor, standing: done }), 'illegal_transition')
})
