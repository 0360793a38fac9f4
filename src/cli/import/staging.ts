// The lines of a folder in temporary tables of one connection, where they are compared with each
// other and with the bank. What is kept in the memory of this process does not grow with them.
import type pg from 'pg'
import { sql } from '../../database/statements/statement.ts'
import { newId } from '../../domain/ids.ts'
import { type LineFile, lineFiles } from './format.ts'
import type { StagedRow } from './parse.ts'
import { stagedTables } from './tables.ts'

const columnsOf: Record<LineFile, string> = {
  people: `username text, email text, given_name text, family_name text, folded_name text,
    phone text, address text, language text, status text`,
  accounts: `owner text, iban text, currency text, name text, status text, frozen_because text,
    overdraft_limit int8, daily_transfer_limit int8, own_per_payment int8, own_per_day int8,
    registered_phone text, alerts_enabled bool`,
  blocks: 'account text, debits bool, credits bool, cause text, note text, until timestamptz',
  balances: 'amount int8, currency text, unarranged_since timestamptz',
  beneficiaries: 'account text, name text, iban text, nickname text, status text',
  orders: `account text, beneficiary text, to_account text, amount int8, currency text,
    reference text, rhythm text, first_on date, last_on date, next_on date, retry_days int2,
    on_holiday text, status text`,
  history: `account text, booked_on date, amount int8, currency text, counterparty_name text,
    counterparty_iban text, reference text`,
}

/** Makes the tables, in an open transaction: they are gone at its end. */
export async function createStaging(client: pg.Client): Promise<void> {
  for (const file of lineFiles) {
    const columns = `line int, source_id text, hash bytea, id uuid, is_known bool`
    await client.query(
      `create temporary table ${stagedTables[file].text} (${columns}, ${columnsOf[file]})
       on commit drop`,
    )
  }
}

const inserts: Record<LineFile, string> = {
  people: insertInto('people'),
  accounts: insertInto('accounts'),
  blocks: insertInto('blocks'),
  balances: insertInto('balances'),
  beneficiaries: insertInto('beneficiaries'),
  orders: insertInto('orders'),
  history: insertInto('history'),
}

function insertInto(file: LineFile): string {
  const table = stagedTables[file]
  return sql`insert into ${table} select r.* from json_populate_recordset(null::${table}, $1) r`
}

/** Rows that are sent together. */
const batchMax = 1000

const dayMs = 86_400_000

/** Entries of former days are listed by their identifiers: by day, and on one day by line. */
const timeOfFormer = ({ booked_on: day }: StagedRow, line: number): number =>
  Date.parse(`${day}`) + (line % dayMs)

/** Takes rows of one file, and sends them in batches: one is written while the next is read. */
export function openStage(client: pg.Client, file: LineFile, now: number) {
  let batch: StagedRow[] = []
  let underWay: Promise<unknown> = Promise.resolve()
  const send = async () => {
    const rows = batch
    batch = []
    await underWay
    const query = { name: `stage ${file}`, text: inserts[file], values: [JSON.stringify(rows)] }
    underWay = client.query(query)
    // Its failure is thrown where it is waited for.
    underWay.catch(() => {})
  }
  return {
    async add(line: number, row: StagedRow): Promise<void> {
      const at = file === 'history' ? timeOfFormer(row, line) : now
      batch.push({ ...row, line, id: newId(at), is_known: false })
      if (batch.length === batchMax) await send()
    },
    async finish(): Promise<void> {
      await send()
      await underWay
    },
  }
}

/** What the comparisons look rows up by; and the numbers of rows, so that they are planned well. */
export async function indexStaging(client: pg.Client): Promise<void> {
  for (const file of lineFiles) {
    const { text: table } = stagedTables[file]
    await client.query(`create index on ${table} (source_id)`)
    await client.query(`analyze ${table}`)
  }
}
