// Four eyes inside a transaction: whether a stored request may be executed now, judged by the state
// of both people, and its use. The transaction of the change and a batch of the ledger share them.
import type { Config } from '../config/config.ts'
import type { PlainCode } from '../domain/errors.ts'
import { answersOf } from '../database/connections/cork.ts'
import {
  bareColumns,
  type Db,
  type RowOf,
  sql,
  statement,
} from '../database/statements/statement.ts'
import { type Acting, endedAt, type SessionState } from './live-sessions.ts'
import { lacksFactor, type Role } from './roles.ts'

/** Ascending, so that two transactions with the same approvals wait in one direction only. */
const lockRows = statement(
  'approvals_lock',
  ['uuid[]'],
  'select from approvals where id = any($1) order by id for update',
)

const standing = {
  id: 'uuid',
  operation: 'text',
  status: 'text',
  expiresAt: 'timestamptz',
  makerId: 'uuid',
  isMakerLive: 'bool',
  makerRoles: 'text[]?',
  makerHasFactor: 'bool?',
  makerCreatedAt: 'timestamptz?',
  makerOperations: 'text[]?',
  makerEndsAt: 'timestamptz?',
  makerAdministrators: 'uuid[]?',
} as const
export type Standing = RowOf<typeof standing>

/**
 * A person may be logged out by now. A session that was revoked, or all sessions of its user since,
 * such as by a new password, leaves no request behind that could be executed: a thief may have made
 * it. So does a revoked key that signed its token.
 */
const readStanding = statement(
  'approvals_standing',
  ['uuid[]'],
  standing,
  sql`select a.id, a.operation, a.status, a.expires_at as "expiresAt", a.maker_id as "makerId",
       case when k.id is null
         then u.status = 'active' and s.generation = u.session_generation
           and s.bank_generation = (select number from bank_generation)
           and coalesce(s.ended_because, '') not in ('revoked', 'reuse')
           and not exists (
             select from signing_keys where kid = a.maker_kid and revoked_at is not null)
         else p.status = 'active' and k.revoked_at is null
       end is true as "isMakerLive",
       u.roles as "makerRoles", (u.has_factor or s.issuer_factor) as "makerHasFactor",
       u.created_at as "makerCreatedAt", p.operations as "makerOperations",
       p.expires_at as "makerEndsAt",
       p.administrators as "makerAdministrators"
     from approvals a
     left join sessions s on s.id = a.maker_session_id and s.user_id = a.maker_id
     left join users u on u.id = s.user_id
     left join service_keys k
       on k.id = a.maker_session_id and k.service_account_id = a.maker_id
     left join service_accounts p on p.id = k.service_account_id
     where a.id = any($1)`,
)

export const lockApprovals = (tx: Db, ids: readonly string[]) => tx.run(lockRows, [[...ids]])

/** How approvals and their makers stand. Sent behind the lock, it sees what that waited for. */
export const readStandings = (tx: Db, ids: readonly string[]) => tx.run(readStanding, [[...ids]])

/** Locks the approvals and reads how they and their makers stand. Sent together. */
export async function lockedStandings(tx: Db, ids: readonly string[]): Promise<Standing[]> {
  const [, rows] = await answersOf([lockApprovals(tx, ids), readStandings(tx, ids)])
  return rows
}

/** An approval that a change uses up. */
export type ApprovalUse = {
  id: string
  checker: Acting & { sessionId: string }
  /** The roles that may make the change. */
  makers: readonly string[]
  policies: Pick<Config, 'secondFactor' | 'secondFactorGrace'>
}

/**
 * Why the approval cannot be used now; undefined if it can. `forbidden`, a missing factor and the
 * codes of an ended session are about the checker, `illegal_transition` about the request or its
 * maker.
 *
 * @param session of the checker
 */
export function refuseUse(
  { checker, makers, policies }: ApprovalUse,
  found: Standing | undefined,
  session: SessionState | undefined,
  now: number,
): PlainCode | undefined {
  const mayMake = (roles: readonly string[]) => roles.some((role) => makers.includes(role))
  const ended = endedAt(session, checker, now)
  if (ended) return ended
  if (!found) return 'not_found'
  const { makerId, makerRoles, makerOperations, makerEndsAt, makerAdministrators } = found
  const { roles, has_factor: hasFactor, user_created_at: createdAt } = session as SessionState
  const person = { roles: roles as Role[], hasFactor, createdAt }
  const isSecond = checker.userId !== makerId && !makerAdministrators?.includes(checker.userId)
  if (!isSecond || !mayMake(person.roles)) return 'forbidden'
  if (lacksFactor(policies, person, now)) return 'factor_enrolment_required'
  if (found.status !== 'pending' || found.expiresAt.getTime() <= now) return 'illegal_transition'
  const mayMaker = makerOperations
    ? makerOperations.includes(found.operation)
    : mayMake((makerRoles ?? []) as string[])
  const isMakerLive = found.isMakerLive && !(makerEndsAt && makerEndsAt.getTime() <= now)
  return isMakerLive && mayMaker && !lacksRequired(found, policies, now)
    ? undefined
    : 'illegal_transition'
}

/** A person without the factor that a role requires by now could not ask for it either. */
function lacksRequired(
  { makerRoles, makerHasFactor: hasFactor, makerCreatedAt: createdAt }: Standing,
  policies: ApprovalUse['policies'],
  now: number,
): boolean {
  if (hasFactor === null || createdAt === null) return false
  return lacksFactor(policies, { roles: makerRoles as Role[], hasFactor, createdAt }, now)
}

const used = {
  id: 'uuid',
  checkerId: 'uuid',
  checkerSessionId: 'uuid',
  resourceId: 'uuid?',
} as const
export type UsedApproval = RowOf<typeof used>

const useRows = statement(
  'approvals_use',
  ['timestamptz', 'uuid[]', 'uuid[]', 'uuid[]', 'uuid[]'],
  { id: 'uuid' },
  sql`update approvals a set status = 'executed', decided_at = $1, checker_id = u.checker_id,
       checker_session_id = u.checker_session_id, resource_id = u.resource_id
     from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[]) as u (${bareColumns(used)})
     where a.id = u.id and a.status = 'pending'
     returning a.id`,
)

/** Writes in the transaction of the changes that these approvals are used up, which are locked. */
export async function writeUsed(
  tx: Db,
  rows: readonly UsedApproval[],
  now: number,
): Promise<unknown> {
  return tx.run(useRows, [
    new Date(now),
    rows.map(({ id }) => id),
    rows.map(({ checkerId }) => checkerId),
    rows.map(({ checkerSessionId }) => checkerSessionId),
    rows.map(({ resourceId }) => resourceId),
  ])
}
