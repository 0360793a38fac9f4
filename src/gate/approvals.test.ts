import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../config/config.ts'
import { people } from '../../test/support/people.ts'
import { refuseUse, type Standing } from './approvals.ts'
import type { SessionState } from './live-sessions.ts'

const now = Date.UTC(2026, 5, 1)
const at = (ms: number): Date => new Date(now + ms)

const session: SessionState = {
  user_id: people.root.id,
  username: 'root',
  roles: ['admin'],
  status: 'active',
  last_used_at: at(0),
  ends_at: at(1),
  ended_because: null,
  revoked_kids: null,
  has_factor: false,
  user_created_at: at(0),
  is_restricted: false,
  issuer: null,
  issuer_factor: false,
}
const byPerson: Standing = {
  id: 'a',
  operation: 'disableUser',
  status: 'pending',
  expiresAt: at(1),
  makerId: people.agnes.id,
  isMakerLive: true,
  makerRoles: ['admin'],
  makerHasFactor: false,
  makerCreatedAt: at(-999),
  makerOperations: null,
  makerEndsAt: null,
  makerAdministrators: null,
}
const byProgram: Standing = {
  ...byPerson,
  makerRoles: null,
  makerHasFactor: null,
  makerCreatedAt: null,
  makerOperations: ['disableUser'],
  makerEndsAt: at(1),
  makerAdministrators: [people.ben.id],
}

test('an approval is refused by each of its conditions alone', () => {
  const checker = { userId: people.root.id, sessionId: 's', kid: 'key' }
  const { secondFactor } = readConfig({})
  const policies = { secondFactor, secondFactorGrace: 1000 }
  const use = { id: 'a', checker, makers: ['admin'], policies }
  const cases: [what: string, refusal: string | undefined, Standing | undefined, SessionState?][] =
    [
      ['by a person', undefined, byPerson],
      ['by a program', undefined, byProgram],
      ['of an ended session', 'session_revoked', byPerson, { ...session, ended_because: 'logout' }],
      ['purged meanwhile', 'not_found', undefined],
      ["the checker's own", 'forbidden', { ...byPerson, makerId: people.root.id }],
      [
        "of the checker's program",
        'forbidden',
        { ...byProgram, makerAdministrators: [people.root.id] },
      ],
      ['by a role that may not', 'forbidden', byPerson, { ...session, roles: ['customer'] }],
      ['used up', 'illegal_transition', { ...byPerson, status: 'executed' }],
      ['expired', 'illegal_transition', { ...byPerson, expiresAt: at(0) }],
      ['of a maker who lost the role', 'illegal_transition', { ...byPerson, makerRoles: [] }],
      ['of a maker with no roles', 'illegal_transition', { ...byPerson, makerRoles: null }],
      ['of a revoked maker', 'illegal_transition', { ...byPerson, isMakerLive: false }],
      ['of a program that may not', 'illegal_transition', { ...byProgram, makerOperations: [] }],
      ['of an ended program', 'illegal_transition', { ...byProgram, makerEndsAt: at(0) }],
    ]
  for (const [what, refusal, found, asked = session] of cases)
    assert.equal(refuseUse(use, found, asked, now), refusal, what)
  const required = { ...policies, secondFactor: { ...secondFactor, admin: 'required' as const } }
  const asking = (maker: Partial<Standing>, checker: Partial<SessionState> = {}) => {
    const found = { ...byPerson, ...maker }
    return refuseUse({ ...use, policies: required }, found, { ...session, ...checker }, now)
  }
  const late = { makerCreatedAt: at(-1000) }
  assert.equal(asking(late), 'illegal_transition', 'of a maker who lacks a required factor')
  assert.equal(asking({}), undefined, 'within the grace')
  assert.equal(asking({ ...late, makerHasFactor: true }), undefined, 'with a factor')
  const lateChecker = { user_created_at: at(-1000) }
  assert.equal(asking({}, lateChecker), 'factor_enrolment_required', 'by a checker who lacks it')
  assert.equal(asking({}, { ...lateChecker, has_factor: true }), undefined, 'by one with it')
})
