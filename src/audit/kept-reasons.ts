// Why an account was frozen or blocked is told to no owner and no member of it, staff or not: it
// may be what the law forbids to tell (Directive (EU) 2015/849, Article 39).
import { type Db, statement } from '../database/statements/statement.ts'
import type { Operation } from './actions.ts'

/** Whose request or event holds such a reason. */
const withReason: readonly string[] = [
  'blockAccount',
  'freezeAccount',
  'unblockAccount',
  'unfreezeAccount',
] as const satisfies readonly Operation[]

const findKept = statement(
  'audit_find_kept_reasons',
  ['uuid[]', 'uuid', 'bool'],
  { id: 'uuid' },
  `select n.id from unnest($1::uuid[]) as n (id)
   cross join lateral (
     select coalesce((select b.account_id from account_blocks b where b.id = n.id), n.id) as id
   ) held
   where exists (select from accounts where id = held.id and owner_id = $2)
     or $3 and exists (
       select from standing_members m where m.account_id = held.id and m.person_id = $2)`,
)

/** A person who reads, and whether accounts have members. */
export type Reader = { userId: string; areMembersOn: boolean }

/** Those of these accounts and blocks whose reasons are kept from the reader. */
export async function keptFrom(
  db: Db,
  { userId, areMembersOn }: Reader,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db.run(findKept, [[...ids], userId, areMembersOn])
  return new Set(rows.map(({ id }) => id))
}

/** Whether the reasons of an account are kept from the reader. */
export const isKeptFrom = async (db: Db, reader: Reader, accountId: string): Promise<boolean> =>
  (await keptFrom(db, reader, [accountId])).size > 0

/** Whether an event or a request of that operation has a reason. */
export const hasReason = (operation: string): boolean => withReason.includes(operation)
