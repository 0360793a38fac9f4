// Where and when the service last saw its database: what gives away that a backup was restored.
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../config.ts'
import { isAnswer } from './failure.ts'
import { type Db, one, statement } from './statement.ts'

/**
 * The copy of a folder has files of its own: a number and a birthday that no copying keeps. Empty
 * for a database that is not in the data folder.
 */
export async function folderMark({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl !== undefined) return ''
  const file = path.join(dataDir, 'postgres/PG_VERSION')
  const found = await stat(file, { bigint: true }).catch(() => undefined)
  return found === undefined ? '' : `${found.ino.toString(36)}@${found.birthtimeNs.toString(36)}`
}

/**
 * A cluster made anew has another system identifier, one that was recovered to a moment or promoted
 * another timeline, a dump that was read in other tables (PostgreSQL sections 9.28.13 and 26.3.5).
 * Not in decimal digits: one long number in ten would pass for that of a card.
 */
const readPlace = statement(
  'last_seen_place',
  [],
  { place: 'text' },
  `select concat_ws(' ', to_hex(c.system_identifier), left(pg_walfile_name(pg_current_wal_lsn()), 8),
     d.oid, 'sessions'::regclass::oid) as place
   from pg_control_system() c, pg_database d where d.datname = current_database()`,
)

const denied = '42501'

/** Where the database is now. Where PostgreSQL's operator does not let us look, only the folder. */
export async function placeOf(db: Db, mark: string): Promise<string> {
  try {
    const found = await one(db, readPlace, [])
    return `${found?.place} ${mark}`
  } catch (thrown) {
    if (isAnswer(thrown) && thrown.code === denied) return `unknown ${mark}`
    throw thrown
  }
}

const hold = statement(
  'last_seen_hold',
  [],
  { place: 'text', at: 'timestamptz' },
  'select place, at from last_seen for update',
)
/** The instances look one after the other. */
export const holdLastSeen = (tx: Db) => one(tx, hold, [])

const write = statement(
  'last_seen_write',
  ['text', 'timestamptz'],
  {},
  'update last_seen set place = $1, at = $2',
)
export const writeLastSeen = (tx: Db, place: string, at: number) =>
  tx.run(write, [place, new Date(at)])

const renew = statement(
  'last_seen_renew',
  ['text', 'timestamptz'],
  { place: 'text' },
  'update last_seen set at = greatest(at, $2) where place = $1 returning place',
)
/** False when the database is not where it was. */
export const renewLastSeen = async (tx: Db, place: string, at: number): Promise<boolean> =>
  (await tx.run(renew, [place, new Date(at)])).length > 0
