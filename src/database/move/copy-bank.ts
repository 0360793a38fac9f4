// All rows of a bank from one database to another one with the same schema, in one transaction:
// the new database has all of them or none.
import type pg from 'pg'
import { StartupError } from '../../domain/startup-error.ts'
import { copyTable, readTable, type Table, tableText, type TableContent } from './copy-table.ts'

export type Contents = ReadonlyMap<string, TableContent>
type Progress = (done: number, total: number) => void

/** The tables of the schema in the order of their names; those that are cut as one. */
async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { bytes: string }>(
    `select c.relname as name, coalesce(
         (select sum(pg_table_size(relid)) from pg_partition_tree(c.oid)), pg_table_size(c.oid)
       )::text as bytes,
       json_agg(json_build_object('name', a.attname, 'type',
         format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'strongroom'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition
     group by c.oid, c.relname
     order by c.relname collate "C"`,
  )
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }))
}

/**
 * Begins the transaction in which the bank is read. Until its end the tables cannot be changed,
 * and no second transaction of this kind begins.
 */
export async function lockBank(source: pg.Client): Promise<void> {
  const tables = (await readTables(source)).map(tableText).join(', ')
  // The state that is read is the one after the lock.
  await source.query('begin isolation level repeatable read')
  await source.query("set local lock_timeout = '2s'")
  await source
    .query(`lock table ${tables} in share row exclusive mode`)
    .catch((thrown: unknown) => {
      if ((thrown as { code?: unknown }).code !== '55P03') throw thrown
      throw new StartupError('A statement is changing the bank: stop what uses it.')
    })
  await source.query('set local lock_timeout = 0')
}

/** The schemas of two releases differ in more than columns: these are compared by their files. */
async function requireSameTables(source: pg.Client, target: pg.Client): Promise<Table[]> {
  const tables = await readTables(source)
  const shape = (all: readonly Table[]) =>
    JSON.stringify(all.map(({ name, columns }) => [name, columns]))
  if (shape(tables) === shape(await readTables(target))) return tables
  throw new StartupError('The tables are not those that the migrations make: nothing was moved.')
}

/**
 * Copies all rows and sequences.
 *
 * @param source in the transaction of {@link lockBank}
 * @returns what each table holds
 */
export async function copyBank(
  source: pg.Client,
  target: pg.Client,
  progress: Progress = () => {},
): Promise<Contents> {
  const tables = await requireSameTables(source, target)
  const contents = new Map<string, TableContent>()
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  let finished = 0
  await target.query('begin')
  const restore = await suspendChecks(target)
  // The migrations have put rows into some.
  await target.query(`truncate ${tables.map(tableText).join(', ')}`)
  for (const table of tables) {
    let bytes = 0
    const content = await copyTable(source, target, table, (more) => {
      bytes += more
      progress(finished + Math.min(bytes, table.bytes), total)
    })
    contents.set(table.name, content)
    finished += table.bytes
  }
  progress(total, total)
  await copySequences(source, target)
  await restore()
  // Without statistics the first statements would read whole tables.
  await target.query(`analyze ${tables.map(tableText).join(', ')}`)
  await target.query('commit')
  return contents
}

/** Reads everything again. Throws for the first table that is another one. */
export async function compareBank(target: pg.Client, contents: Contents): Promise<void> {
  for (const table of await readTables(target)) {
    const found = await readTable(target, table)
    const { rows, digest } = contents.get(table.name) as TableContent
    if (found.digest === digest && found.rows === rows) continue
    throw new Error(`The rows of ${table.name} are not those of the former database`)
  }
}

/**
 * Takes the foreign keys off and switches the triggers off, which only the owner of the tables may:
 * `session_replication_role` asks for a superuser. A foreign key that is added again is checked for
 * all rows at once; checks of single rows would be kept in the server's memory until the end.
 *
 * @returns what puts everything back as it was
 */
async function suspendChecks(target: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await target.query<{ off: string; on: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as off,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname,
         pg_get_constraintdef(oid)) as on
     from pg_constraint
     where contype = 'f' and connamespace = 'strongroom'::regnamespace
     union all
     select format('alter table %s disable trigger %I', tgrelid::regclass, tgname),
       format('alter table %s enable %s trigger %I', tgrelid::regclass,
         case tgenabled when 'A' then 'always' when 'R' then 'replica' end, tgname)
     from pg_trigger join pg_class c on c.oid = tgrelid
     where not tgisinternal and tgenabled <> 'D' and relnamespace = 'strongroom'::regnamespace`,
  )
  const runAll = async (texts: readonly string[]) => {
    for (const text of texts) await target.query(text)
  }
  await runAll(rows.map(({ off }) => off))
  return () => runAll(rows.map((row) => row.on))
}

async function copySequences(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query<{ name: string; last: string; isCalled: boolean }>(
    `select format('%I.%I', schemaname, sequencename) as name,
       coalesce(last_value, start_value)::text as last, last_value is not null as "isCalled"
     from pg_sequences where schemaname = 'strongroom'`,
  )
  for (const { name, last, isCalled } of rows) {
    await target.query('select setval($1::regclass, $2::bigint, $3)', [name, last, isCalled])
  }
}
