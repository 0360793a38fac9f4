// The locks of a change: of its caller, and of the people and programs that it is about. Whatever
// ends a session or a key, or takes a role or a grant, locks the same row first. So it waits for a
// change that was judged before it, and a change that comes later is judged by what it left.
import { answersOf } from '../database/connections/cork.ts'
import { type Db, statement } from '../database/statements/statement.ts'
import type { ActingMember } from './members.ts'
import type { Named } from './ownership.ts'

/** Identifiers of rows to lock. Of a session the row of its person is locked. */
export type CallersToLock = {
  people: readonly string[]
  sessions?: readonly string[]
  programs?: readonly string[]
}

const lockPeople = statement(
  'gate_lock_people',
  ['uuid[]', 'uuid[]'],
  `select from users
   where id = any($1::uuid[] || array(select user_id from sessions where id = any($2)))
   order by id for no key update`,
)
const lockPrograms = statement(
  'gate_lock_programs',
  ['uuid[]'],
  'select from service_accounts where id = any($1) order by id for no key update',
)

/**
 * Locks people and then programs, each in the order of their identifiers, until the transaction
 * ends. Transactions that lock nothing else before, and all of them in one call, do not deadlock.
 *
 * What is read of them has to be read by a later statement: it sees what was waited for. It may be
 * sent before this one is answered.
 */
export async function lockCallers(
  tx: Db,
  { people, sessions = [], programs = [] }: CallersToLock,
): Promise<void> {
  const locks: Promise<unknown>[] = []
  if (people.length > 0 || sessions.length > 0) {
    locks.push(tx.run(lockPeople, [[...people], [...sessions]]))
  }
  if (programs.length > 0) locks.push(tx.run(lockPrograms, [[...programs]]))
  await answersOf(locks)
}

const keepCallers = statement(
  'gate_keep_callers',
  ['uuid[]'],
  { id: 'uuid' },
  'select id from unnest($1::uuid[]) as caller (id) where keep_caller(id)',
)
/** The lock that the end of all sessions, or of a signing key, takes. */
const bankId = '00000000-0000-0000-0000-000000000000'

/**
 * The callers of a batch of movements, people and programs, as far as nothing is under way that
 * ends a session or a key of theirs, or takes a role or a grant. What does so later waits for the
 * end of this transaction (`migrations/0018_orders_and_revocations.sql`).
 *
 * It waits for nothing and writes nothing. Send it behind all that may wait, and before what is
 * judged is read: who waits for this transaction then waits for no lock of others.
 */
export async function findKeptCallers(tx: Db, callerIds: readonly string[]): Promise<Set<string>> {
  const kept = new Set((await tx.run(keepCallers, [[bankId, ...callerIds]])).map(({ id }) => id))
  return kept.has(bankId) ? kept : new Set()
}

/** The caller of a change, the owner for whom a member makes it, and whom it is about. */
export function toCallersToLock(
  {
    userId,
    service,
    actingMember,
  }: { userId: string; service?: unknown; actingMember?: ActingMember },
  about: readonly Named[],
): CallersToLock {
  const owner = actingMember ? [actingMember.ownerId] : []
  const idsOf = (wanted: Named['resource']) =>
    about.flatMap(({ resource, id }) => (resource === wanted ? id : []))
  return {
    people: [...(service ? [] : [userId]), ...owner, ...idsOf('user')],
    sessions: idsOf('session'),
    programs: [...(service ? [userId] : []), ...idsOf('service account')],
  }
}
