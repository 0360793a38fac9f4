// Data of approvals: the requests of staff that wait for a second person, and what became of them.
import {
  type Db,
  fragment,
  listOf,
  one,
  pageBefore,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import { type PurgeBatch, purging } from '../../database/background/purge.ts'
import { insertInto } from '../../database/statements/rows.ts'
import { dayMs } from '../../domain/clock.ts'
import { firstId, idAt } from '../../domain/ids.ts'
import { type ApprovalStatus, approvalStatuses } from '../../gate/waiting-approval.ts'

const made = {
  id: 'uuid',
  operation: 'text',
  request: 'text',
  key: 'text?',
  makerId: 'uuid',
  makerSessionId: 'uuid',
  makerKid: 'text?',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz',
} as const
const columns = {
  ...made,
  status: wordOf(approvalStatuses),
  checkerId: 'uuid?',
  decidedAt: 'timestamptz?',
  reason: 'text?',
  resourceId: 'uuid?',
} as const
export type ApprovalRow = RowOf<typeof columns>

/** Undefined when the maker has used the key before. */
export const addApproval = insertInto('approvals_insert', 'approvals', made, {
  gives: columns,
  conflict: 'on conflict (maker_id, key) where key is not null do nothing',
})

const readByKey = statement(
  'approvals_read_by_key',
  ['uuid', 'text'],
  columns,
  sql`select ${select(columns)} from approvals where maker_id = $1 and key = $2`,
)
export const approvalByKey = (tx: Db, makerId: string, key: string) =>
  one(tx, readByKey, [makerId, key])

const readApproval = statement(
  'approvals_read',
  ['uuid'],
  columns,
  sql`select ${select(columns)} from approvals where id = $1`,
)
export const approvalById = (db: Db, id: string) => one(db, readApproval, [id])

const lockApproval = statement(
  'approvals_lock_one',
  ['uuid'],
  columns,
  sql`select ${select(columns)} from approvals where id = $1 for update`,
)
export const lockedApproval = (tx: Db, id: string) => one(tx, lockApproval, [id])

const decide = statement(
  'approvals_decide',
  ['uuid', 'text', 'timestamptz', 'uuid?', 'uuid?', 'text?'],
  columns,
  sql`update approvals set status = $2, decided_at = $3, checker_id = $4, checker_session_id = $5,
       reason = $6
     where id = $1 and status = 'pending' returning ${select(columns)}`,
)
type Decision = {
  status: 'rejected' | 'withdrawn'
  now: number
  checkerId?: string
  checkerSessionId?: string
  reason?: string
}
/** Undefined when it is not pending. */
export const writeDecision = (tx: Db, id: string, { status, now, ...by }: Decision) =>
  one(tx, decide, [
    id,
    status,
    new Date(now),
    by.checkerId ?? null,
    by.checkerSessionId ?? null,
    by.reason ?? null,
  ])

const listApprovals = statement(
  'approvals_list',
  ['uuid?', 'int4', 'text?', 'timestamptz'],
  columns,
  sql`select ${select(columns)} from approvals
     where ($3::text is null
       or case when status = 'pending' and expires_at <= $4 then 'expired' else status end = $3)
     and ${pageBefore(1)}`,
)

type Filter = { status?: Exclude<ApprovalStatus, 'pending'> | undefined; now: number }
/** Newest first. */
export const approvals = (
  db: Db,
  { status, now }: Filter,
  after: string | undefined,
  count: number,
) => db.run(listApprovals, [after ?? null, count, status ?? null, new Date(now)])

const listWaiting = statement(
  'approvals_list_waiting',
  ['timestamptz', 'uuid', 'int4'],
  columns,
  sql`select ${select(columns)} from approvals
     where status = 'pending' and expires_at > $1 and id > $2 order by id limit $3::int4`,
)
/** What has waited for the longest comes first. */
export const waitingApprovals = (db: Db, now: number, after = firstId, count: number) =>
  db.run(listWaiting, [new Date(now), after, count])

const administratorsOfKey = statement(
  'approvals_administrators_of_key',
  ['uuid'],
  { administrators: 'uuid[]' },
  `select p.administrators from service_keys k
   join service_accounts p on p.id = k.service_account_id where k.id = $1`,
)
const readPerson = statement(
  'approvals_read_person',
  ['uuid'],
  { username: 'text', roles: 'text[]' },
  'select username, roles from users where id = $1',
)

/** The maker: the person, or the administrators who made the service account and the key. */
export type Maker = { ids: string[]; username: string; roles: string[]; isProgram: boolean }

export async function readMaker(
  db: Db,
  { makerId, makerSessionId }: Pick<ApprovalRow, 'makerId' | 'makerSessionId'>,
): Promise<Maker> {
  const person = await one(db, readPerson, [makerId])
  if (person) {
    const { username, roles } = person as { username: string; roles: string[] }
    return { ids: [makerId], username, roles, isProgram: false }
  }
  const program = await one(db, administratorsOfKey, [makerSessionId])
  const ids = (program?.administrators ?? []) as string[]
  return { ids, username: '', roles: [], isProgram: true }
}

/**
 * Whether the request `a` names a person ($1), or a session, an account, a card, a hold or a
 * transfer of that person; or whether it made one of these. A card payment has the identifier of
 * its hold.
 */
export const isAboutPerson = fragment`exists (
  select from (
    select a.resource_id as id
    union all
    select found[1]::uuid from regexp_matches(a.request,
      '"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"', 'g') as found
  ) as named
  where named.id = $1
  or exists (select from sessions where sessions.id = named.id and user_id = $1)
  or exists (
    select from accounts o where o.owner_id = $1 and (
      o.id = named.id
      or exists (select from cards where cards.id = named.id and account_id = o.id)
      or exists (select from holds where holds.id = named.id and account_id = o.id)
      or exists (
        select from transfers t
        where t.id = named.id and o.id in (t.from_account_id, t.to_account_id))))
)`

const findOwn = statement(
  'approvals_find_own',
  ['uuid', 'uuid'],
  { id: 'uuid' },
  sql`select a.id from approvals a where a.id = $2 and (${isAboutPerson} or exists (
     select from service_accounts p
     where a.request like '%"' || p.id || '"%' and (
       p.customer_id = $1
       or exists (select from accounts o where o.owner_id = $1 and o.id = any(p.pay_from)))
   ))`,
)
/** Whether it changes that person, or a service account with a grant on an account of theirs. */
export const isOwnChange = async (db: Db, id: string, userId: string): Promise<boolean> =>
  (await one(db, findOwn, [userId, id])) !== undefined

const countPending = statement(
  'approvals_count_pending',
  ['uuid', 'timestamptz'],
  { count: 'int4' },
  `select count(*)::int as count from approvals
   where maker_id = $1 and status = 'pending' and expires_at > $2`,
)
/** How many requests of a maker wait. Lock the maker first. */
export const pendingCount = async (tx: Db, makerId: string, now: number): Promise<number> =>
  (await one(tx, countPending, [makerId, new Date(now)]))?.count ?? 0

export const approvalsAbout = listOf(
  'approvals_about_person',
  columns,
  fragment`select ${select(columns, 'a')} from approvals a where ${isAboutPerson}`,
  'a.id',
)

const keptMs = 30 * dayMs

const purgeOld = purging('approvals_purge', 'approvals', {
  by: 'uuid',
  past: 'id < $1 order by id',
  size: 500n,
})
/** Removes requests a month after they were made. The audit trail keeps what was done. */
export const purgeApprovals: PurgeBatch = (db, now) => purgeOld(db, idAt(now - keptMs))
