// Single values of a bank's tables that somebody with all rights over the database has changed:
// which of them the verification notices.
import pg from 'pg'
import type { Address } from '../../src/database/connections/connect.ts'
import { execute } from '../../src/database/statements/query.ts'
import type { Db } from '../../src/database/statements/statement.ts'
import { verifyLedger } from '../../src/ledger/proof/verify.ts'

/** Later than all that is in the books. */
export const lastTime = Date.UTC(9999, 0)

/** Tables by name, with the SQL expression that tells which kind of row one is; '' of one kind. */
export type Tables = Readonly<Record<string, string>>

type Column = {
  table: string
  column: string
  type: string
  isNeeded: boolean
  words: string[]
}

/** The columns of the tables as the catalogue has them, with the words that their checks allow. */
const columnsOf = `
  select c.relname as "table", a.attname as "column", t.typname as type,
  a.attnotnull as "isNeeded", coalesce((
    select array_agg(distinct w[1]) from pg_constraint k
    cross join lateral regexp_matches(pg_get_constraintdef(k.oid), '''([a-z_]+)''::text', 'g') w
    where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
  ), '{}') as words
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where c.relnamespace = 'strongroom'::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition and c.relname = any($1)
  order by 1, a.attnum`

/** Values of the type as SQL, from the most plausible one; `x` is the row. */
function otherValues({ table, column, type, words }: Column): string[] {
  const value = `x."${column}"`
  const known = `(select o."${column}" from ${table} o where o."${column}" <> ${value} limit 1)`
  const first = `(select o."${column}" from ${table} o where o."${column}" is not null limit 1)`
  const made: Record<string, string> = {
    // With the time that it was made from.
    uuid: `overlay(${value}::text placing
      case when ${value}::text like '%0' then '1' else '0' end from 36)::uuid`,
    text: `translate(${value}, '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      '1234567890BCDEFGHIJKLMNOPQRSTUVWXYZAbcdefghijklmnopqrstuvwxyza')`,
    bool: `not ${value}`,
    bytea: `set_byte(${value}, 0, 255 - get_byte(${value}, 0))`,
    date: `${value} + 1`,
    timestamptz: `${value} + interval '1 day'`,
  }
  const fresh: Record<string, string> = {
    uuid: 'gen_random_uuid()',
    text: `'x'`,
    bool: 'true',
    bytea: `sha256('x')`,
    date: `date '2026-01-02'`,
    timestamptz: `timestamptz '2026-01-02 12:00Z'`,
  }
  // Any other time of another row could be one of the same minute.
  return [
    ...(type === 'timestamptz' ? [] : [known]),
    ...words.map((word) => `case when ${value} <> '${word}' then '${word}' end`),
    made[type] ?? `${value} + 1`,
    ...(made[type] ? [] : [`${value} - 1`, `${value} + 1000`]),
    `case when ${value} is null then ${first} end`,
    `case when ${value} is null then ${fresh[type] ?? '1'} end`,
  ]
}

const isRefused = (thrown: unknown): thrown is pg.DatabaseError =>
  thrown instanceof pg.DatabaseError && /^2[23]/.test(thrown.code ?? '')

type Damage = Column & {
  /** `table.column`, with the kind of the row, and ` to null` of a value that is removed. */
  name: string
  place: string
  isRemoved: boolean
}

/**
 * Changes values of the tables, one at a time, and rolls each change back.
 *
 * @param per `column`: one value of each column is changed; `kind`: one of each kind of row, and it
 *   is removed as well
 * @returns the names of what the verification did not notice, and of what could not be changed
 */
export async function tryDamages(
  address: Address,
  tables: Tables,
  per: 'column' | 'kind',
): Promise<{ unnoticed: string[]; untried: string[] }> {
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  const db: Db = { run: (statement, values) => execute(owner, statement, values) }
  const [unnoticed, untried]: [string[], string[]] = [[], []]
  try {
    // With all rights over the database: no trigger fires.
    await owner.query('set session_replication_role = replica')
    for (const damage of await findDamages(owner, tables, per)) {
      await owner.query('begin')
      if (!(await inflict(owner, damage))) untried.push(damage.name)
      else if ((await verifyLedger(db, { now: lastTime })).mismatch === undefined)
        unnoticed.push(damage.name)
      await owner.query('rollback')
    }
  } finally {
    await owner.end()
  }
  return { unnoticed, untried }
}

async function findDamages(
  owner: pg.Client,
  tables: Tables,
  per: 'column' | 'kind',
): Promise<Damage[]> {
  const { rows: columns } = await owner.query<Column>(columnsOf, [Object.keys(tables)])
  const damages: Damage[] = []
  for (const column of columns) {
    const { table, column: name } = column
    const kind = tables[table] || `''`
    const { rows } = await owner.query<{ place: string; kind: string; isNull: boolean }>(
      `select distinct on (kind) * from (
         select format('ctid = %L and tableoid = %s', ctid, tableoid) as place, ${kind} as kind,
           "${name}" is null as "isNull", ctid
         from ${table} x
       ) x order by kind, "isNull", ctid`,
    )
    const one = rows.find(({ isNull }) => !isNull) ?? rows[0]
    for (const row of per === 'kind' ? rows : one ? [one] : []) {
      const damage = {
        ...column,
        place: row.place,
        name: `${table}.${name}${row.kind && ` of ${row.kind}`}`,
        isRemoved: false,
      }
      damages.push(damage)
      if (per === 'kind' && !row.isNull && !column.isNeeded) {
        damages.push({ ...damage, name: `${damage.name} to null`, isRemoved: true })
      }
    }
  }
  return damages
}

/** False where no other value is possible. */
async function inflict(owner: pg.Client, damage: Damage): Promise<boolean> {
  const values = damage.isRemoved ? ['null'] : otherValues(damage)
  for (const value of values) if (await write(owner, damage, value, 0)) return true
  for (const value of values) if (await write(owner, damage, value, 5)) return true
  return false
}

/** @param checksMax how many checks that refuse the value are dropped, as an owner can */
async function write(
  owner: pg.Client,
  damage: Damage,
  value: string,
  checksMax: number,
): Promise<boolean> {
  const { table, column, place, isRemoved } = damage
  await owner.query('savepoint before')
  try {
    const { rowCount } = await owner.query(
      `update ${table} x set "${column}" = ${value}
       where ${place} and (${value}) is distinct from x."${column}"
         and (${isRemoved} or (${value}) is not null)`,
    )
    return rowCount === 1
  } catch (thrown) {
    if (!isRefused(thrown)) throw thrown
    await owner.query('rollback to before')
    const { code, constraint } = thrown
    if (code !== checkViolation || constraint === undefined || checksMax === 0) return false
    await owner.query(`alter table ${table} drop constraint "${constraint}"`)
    return write(owner, damage, value, checksMax - 1)
  }
}

const checkViolation = '23514'
