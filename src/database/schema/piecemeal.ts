// A migration of a large table that runs piece by piece, outside a transaction: payments and reads
// go on while it builds an index or fills a column. It may take hours, and may be interrupted.
import type pg from 'pg'
import { toStored } from './migrations.ts'

/** The first line of such a file. */
const mark = '-- piece by piece\n'

export const isPiecemeal = (text: string): boolean => text.startsWith(mark)

/** A body in `$$` has semicolons of its own. */
export const toPieces = (text: string): string[] =>
  text
    .replace(/(^| )--.*$/gm, '')
    .match(/(?:\$\$[^]*?\$\$|[^;$])+;/g)
    ?.map((each) => each.trim()) ?? []

type Index = { create: string; index: string; table: string; what: string }

const builds = /^(create (?:unique )?index) concurrently if not exists (\w+)\s+on (\w+)([^]+)$/

/** An index that a piece builds beside writers; undefined: it builds none. */
export function toBuild(piece: string): Index | undefined {
  const [, create, index, table, what] = builds.exec(piece) ?? []
  return create && index && table && what ? { create, index, table, what } : undefined
}

/** As that of a migration that locks tables (`migrate.ts`), which is run again after it. */
const lockTimeoutMs = 500

/**
 * Runs the statements of the file one by one. The file runs again from its first statement when it
 * was interrupted: each of them does nothing where it is done already.
 */
export async function runPiecemeal(client: pg.Client, name: string, text: string): Promise<void> {
  // No time-out: none of these statements has others wait behind its own wait.
  await client.query('set lock_timeout = 0')
  for (const piece of toPieces(text)) {
    const built = toBuild(piece)
    if (built) await build(client, built)
    else await client.query(piece)
  }
  await client.query(toStored(name))
}

async function build(client: pg.Client, { create, index, table, what }: Index): Promise<void> {
  const buildOn = (each: string, name: string) =>
    client.query(`${create} concurrently if not exists ${name} on ${each}${what}`)
  if ((await partsOf(client, table)).length === 0) {
    await dropInvalid(client, index)
    await buildOn(table, index)
    return
  }
  // A part that is made meanwhile would have some of it.
  await client.query('select pg_advisory_lock(hashtext($1))', [yearsLock])
  try {
    // A year that is made behind an interrupted build has a copy of that of the rest: it becomes
    // part of the whole, which is there first.
    await client.query(`set lock_timeout = ${lockTimeoutMs}`)
    await client.query(`${create} if not exists ${index} on only ${table}${what}`)
    await client.query('set lock_timeout = 0')
    for (const part of await partsOf(client, table)) await dropInvalid(client, `${part}_${index}`)
    // PostgreSQL builds none of a table of parts beside its writers: each part has its own first.
    const parts = await partsOf(client, table, index)
    for (const part of parts) await buildOn(part, `${part}_${index}`)
    await client.query(`set lock_timeout = ${lockTimeoutMs}`)
    // It is valid with the last one of them.
    for (const part of parts) {
      await client.query(`alter index ${index} attach partition ${part}_${index}`)
    }
    await validate(client, index)
  } finally {
    await client.query('set lock_timeout = 0')
    await client.query('select pg_advisory_unlock(hashtext($1))', [yearsLock])
  }
}

/** A year that is made behind an interrupted build may bring the last index that it needs. */
async function validate(client: pg.Client, index: string): Promise<void> {
  const { rows } = await client.query<{ part: string }>(
    `select h.inhrelid::regclass::text as part
     from pg_index x join pg_inherits h on h.inhparent = x.indexrelid
     where x.indexrelid = to_regclass($1) and not x.indisvalid limit 1`,
    [index],
  )
  // One that is attached is looked at again.
  for (const { part } of rows) await client.query(`alter index ${index} attach partition ${part}`)
}

/** What `make_years` takes (0182_years_in_order.sql): it makes nothing without it. */
const yearsLock = 'strongroom.make_years'

/**
 * The parts of a table; if one of its indexes is named, those alone that have none of it. The rest
 * is the first: `make_years` attaches it anew, and its index with it, which makes none valid. One
 * of the others has to be the last one.
 */
async function partsOf(client: pg.Client, table: string, index?: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass($1) and not exists (
       select from pg_inherits h join pg_index x on x.indexrelid = h.inhrelid
       where h.inhparent = to_regclass($2) and x.indrelid = c.oid)
     order by c.relname <> $1 || '_rest', 1`,
    [table, index],
  )
  return rows.map(({ name }) => name)
}

/** An interrupted build leaves an index that no read uses, and that each write pays for. */
async function dropInvalid(client: pg.Client, index: string): Promise<void> {
  const { rows } = await client.query(
    `select from pg_index where indexrelid = to_regclass($1) and not indisvalid
     and not exists (select from pg_inherits where inhrelid = indexrelid)`,
    [index],
  )
  if (rows.length > 0) await client.query(`drop index concurrently ${index}`)
}
