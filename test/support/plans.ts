// The plans of statements on large tables, and a long history to plan them on.
import assert from 'node:assert/strict'
import { type Statement, statements } from '../../src/database/statements/statement.ts'
import { bankAccount } from '../../src/ledger/rules/internal-accounts.ts'
import type { Bank } from './bank.ts'

type Node = {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Rows Removed by Filter'?: number
  'Relation Name'?: string
  Plans?: Node[]
}

/** A generic plan of a statement that was run, with what it read. */
async function planRun(
  { sql }: Bank,
  { name, text, takes }: Statement,
  values: readonly Value[],
): Promise<Node> {
  // As on the connections for reads.
  await sql('set plan_cache_mode = force_generic_plan')
  await sql('set enable_seqscan = off')
  await sql(`prepare ${name} (${takes.map((type) => type.replace('?', '')).join(', ')}) as ${text}`)
  const [row] = await sql(`explain (analyze, format json) execute ${name} (${literals(values)})`)
  await sql(`deallocate ${name}`)
  const [plan] = (row as { 'QUERY PLAN': { Plan: Node }[] })['QUERY PLAN']
  return (plan as { Plan: Node }).Plan
}

/** Rows that the scans of a generic plan read, by the kind of scan. */
export async function rowsRead(bank: Bank, asked: Statement, values: readonly Value[]) {
  const read: Record<string, number> = {}
  const visit = (node: Node): void => {
    const { 'Node Type': type, 'Actual Rows': rows, 'Actual Loops': loops } = node
    const all = Math.ceil((rows + (node['Rows Removed by Filter'] ?? 0)) * loops)
    const isOfRows = type.includes('Scan') && type !== 'Subquery Scan'
    if (isOfRows) read[type] = (read[type] ?? 0) + all
    node.Plans?.forEach(visit)
  }
  visit(await planRun(bank, asked, values))
  return read
}

/** The blocks that a generic plan reads, and whether it merges the parts of a table. */
export async function blocksRead(bank: Bank, asked: Statement, values: readonly Value[]) {
  // Once before: blocks that the first run of a session reads are of the catalog.
  await planRun(bank, asked, values)
  const plan = await planRun(bank, asked, values)
  const isMerged = JSON.stringify(plan).includes('"Merge Append"')
  return { isMerged, blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] }
}

export type Value = string | number | null | readonly string[]

const literals = (values: readonly Value[]): string =>
  values
    .map((value) => {
      if (value === null) return 'null'
      const text = typeof value === 'object' ? `{${value.join(',')}}` : `${value}`
      return `'${text.replaceAll("'", "''")}'`
    })
    .join(', ')

export const sum = (read: Record<string, number>): number =>
  Object.values(read).reduce((total, rows) => total + rows, 0)

export const find = (name: string): Statement => statements.get(name) ?? assert.fail(name)

/** Tables of a few rows, however much the bank grows: they may be read whole. */
const small = ['bank_generation', 'signing_keys']

type Indexed = Node & { 'Index Name'?: string }
type Scan = Node & Record<'Relation Name' | 'Index Cond' | 'Recheck Cond', string | undefined>

/** The tables that a plan reads whole. */
export function readWhole([row]: object[]): string[] {
  const visit = (node: Scan): string[] => {
    const table = node['Relation Name']
    const isByKey = node['Index Cond'] ?? node['Recheck Cond']
    const isWhole = node['Node Type'].includes('Scan') && table && !isByKey
    const below = (node.Plans ?? []).flatMap((plan) => visit(plan as Scan))
    return isWhole && !small.includes(table) ? [table, ...below] : below
  }
  return (row as { 'QUERY PLAN': { Plan: Scan }[] })['QUERY PLAN'].flatMap(({ Plan }) =>
    visit(Plan),
  )
}

/** The indexes by which a generic plan reads each table, in the order of the plan. */
export async function indexesOf(
  { sql }: Bank,
  { text }: Pick<Statement, 'text'>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const visit = (node: Indexed, table = node['Relation Name']): void => {
    const index = node['Index Name']
    if (index !== undefined && table !== undefined) (found[table] ??= []).push(index)
    node.Plans?.forEach((plan) => visit(plan, plan['Relation Name'] ?? table))
  }
  const [row] = await sql(`explain (generic_plan, format json) ${text}`)
  const [plan] = (row as { 'QUERY PLAN': { Plan: Indexed }[] })['QUERY PLAN']
  visit((plan as { Plan: Indexed }).Plan)
  return found
}

/**
 * Accounts of Ada's with cash that came in, a cent at a time: every ten minutes from the beginning
 * of 2026, to each account in turn.
 */
export async function addHistory(
  fixture: Bank,
  accountCount: number,
  count: number,
  isAnalyzed = true,
): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < accountCount; number++) ids.push(await fixture.account())
  await fixture.sql(
    `with made as (
       select gen_random_uuid() as id, ($1::uuid[])[1 + n % $2] as account_id, 1 + n / $2 as seq,
         timestamptz '2026-01-01Z' + n * interval '10 minutes' as at
       from generate_series(0, $3::int - 1) as n
     ), paid as (
       insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
         created_at, caller_id, session_id, kind, status, currency, reference, salt)
       select id, $4, account_id, 1, seq, 1, at, $4, $4, 'deposit', 'completed', 'EUR',
         case seq % 8000 when 7 then 'Needle' else 'Wages' end,
         '\\x00000000000000000000000000000000' from made
     )
     insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
       kind, reference)
     select account_id, id, seq, 1, seq, at, sha256(''), 'deposit',
       case seq % 8000 when 7 then 'Needle' else 'Wages' end
     from made`,
    [ids, accountCount, count, bankAccount('cash', 'EUR')],
  )
  await fixture.sql(
    `update accounts a set last_seq = e.seq, balance = e.seq
     from (select account_id, max(seq) as seq from entries group by account_id) e
     where a.id = e.account_id`,
  )
  if (isAnalyzed) await fixture.sql('vacuum analyze transfers, entries, accounts')
  return ids
}
