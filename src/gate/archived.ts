// What is in an archive is not in the database any more: an identifier of its time gets an answer
// that says so, whether it was ever used or not.
import type { Lookups } from '../database/connections/lookup.ts'
import { type Db, one, statement } from '../database/statements/statement.ts'
import { rfc3339 } from '../domain/clock.ts'
import { Refusal, refuse, type RefusalOptions } from '../domain/errors.ts'
import type { Resource } from '../domain/ids.ts'
import { closed, Time } from '../domain/schema.ts'
import { Type } from '../domain/type.ts'

/** As an error names an archive. */
export const ErrorArchive = closed(
  {
    name: Type.Optional(
      Type.String({ maxLength: 200, description: 'Its folder, for staff alone.' }),
    ),
    until: Time,
  },
  {
    title: 'ErrorArchive',
    description: 'The archive that has what was asked for: what was booked before `until`.',
  },
)

/**
 * The first archive that may have a transfer, by its identifier, which begins with its time: of a
 * clock that may have been ahead of the one that dated it.
 */
const findArchive = statement(
  'gate_find_archive',
  ['uuid[]'],
  { id: 'uuid', name: 'text', until: 'timestamptz' },
  `select i.id, a.name, a.until from unnest($1::uuid[]) as i (id)
   cross join lateral (
     select name, until from archives where i.id < least_id_at(until + interval '1 minute')
     order by i.id >= least_id_at(until), id limit 1
   ) a`,
)

const findArchiveOfTime = statement(
  'gate_find_archive_of_time',
  ['timestamptz'],
  { name: 'text', until: 'timestamptz' },
  'select name, until from archives where until > $1 order by id limit 1',
)

type Found = { name: string; until: Date }
const toRefusal = ({ name, until }: Found, options: RefusalOptions = {}): Refusal =>
  new Refusal('archived', { ...options, archive: { name, until: rfc3339(until.getTime()) } })

/** What of the books an archive may have. */
export const isOfBooks = (resource: Resource): boolean =>
  resource === 'transfer' || resource === 'transaction'

/** Refuses with `archived` where an archive may have the transfer; else does nothing. */
export async function refuseIfArchived(
  db: Pick<Lookups, 'lookup'>,
  id: string,
  options?: RefusalOptions,
): Promise<void> {
  const [found] = await db.lookup(findArchive, id)
  if (found) throw toRefusal(found, options)
}

/** The refusals of those of the transfers that an archive may have. */
export async function findArchived(db: Db, ids: string[]): Promise<Map<string, Refusal>> {
  const found = ids.length === 0 ? [] : await db.run(findArchive, [ids])
  return new Map(found.map((row) => [row.id, toRefusal(row)]))
}

/** Refuses a transfer that is not there. */
export async function refuseMissing(db: Db, id: string): Promise<never> {
  throw (await findArchived(db, [id])).get(id) ?? new Refusal('not_found')
}

/**
 * Refuses what is about a time in an archive; else does nothing. Behind the reads of a period: none
 * of its transfers has left meanwhile.
 */
export async function requireTimeInBooks(db: Db, time: number): Promise<void> {
  const found = await one(db, findArchiveOfTime, [new Date(time)])
  if (found) throw toRefusal(found)
}

/** Refuses what is about a time in an archive. */
export async function refuseTime(db: Db, time: number): Promise<never> {
  await requireTimeInBooks(db, time)
  return refuse('archived')
}

/** The time of the last entry of an account that is in an archive. */
const readArchivedAt = statement(
  'gate_read_archived_at',
  ['uuid'],
  { at: 'timestamptz' },
  'select at from archived_heads where account_id = $1',
)

/** Refuses with the archive that has the last of the entries that have left; else does nothing. */
export async function refuseWhatLeft(db: Db, accountId: string): Promise<void> {
  const found = await one(db, readArchivedAt, [accountId])
  if (found) await refuseTime(db, found.at.getTime())
}

/**
 * Refuses with `archived` what is about a time before the last entry in an archive.
 *
 * @param time the first one that is needed
 */
export async function requireInBooks(
  db: Db,
  time: number,
  archivedAt: Date | null | undefined,
): Promise<void> {
  if (archivedAt && time <= archivedAt.getTime()) await refuseTime(db, time)
}

/**
 * Behind the reads of a period that began outside of archives: it still does, so none of its
 * entries has left meanwhile.
 */
export async function requireStillInBooks(db: Db, accountId: string, from: number): Promise<void> {
  await requireInBooks(db, from, (await one(db, readArchivedAt, [accountId]))?.at)
}
