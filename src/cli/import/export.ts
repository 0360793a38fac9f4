// `strongroom export`: the bank as it is at one moment, in the form that `strongroom import` reads.
// Passwords, second factors, cards, entries of this bank and staff are not of that form.
import { open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import type { Config } from '../../config/config.ts'
import type { Address } from '../../database/connections/connect.ts'
import { transaction, type Transactions } from '../../database/connections/transaction.ts'
import { type Clock, systemClock } from '../../domain/clock.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'
import { makeFolder } from '../backup-folder.ts'
import { connectPatiently, withOwner } from '../database.ts'
import { interruption } from '../interruption.ts'
import { createProgressBar, type ProgressBar } from '../progress-bar.ts'
import { fileName, type LineFile, lineFiles, type Totals, totalsName } from './format.ts'
import { type RowOfFile, selects, toLine } from './rows.ts'

type Say = (text: string) => void

export const exportCommand = (config: Config, say: Say, folder: string): Promise<void> =>
  withOwner(config, (db, address) =>
    exportFolder(folder, { db, address, say, clock: systemClock(), signal: interruption() }),
  )

type Export = {
  db: Transactions
  address: Address
  say: Say
  clock: Clock
  /** Aborted: the folder is removed. */
  signal?: AbortSignal
}

/** Writes the folder, which must not exist. It has its totals last: without them none is read. */
export async function exportFolder(
  folder: string,
  { db, address, say, clock, signal }: Export,
): Promise<void> {
  await makeFolder('export', folder)
  const client = await connectPatiently(address)
  try {
    // Before anything leaves the bank.
    const event = commandEvent(clock.now(), { action: 'exportBank' })
    await transaction(db, (tx) => addEvents(tx, [event]))
    await client.query('begin isolation level repeatable read, read only')
    const bar = createProgressBar(say, 'is written', { unit: 'lines', clock })
    const totals = await writeFiles(client, folder, bar, signal)
    bar?.end()
    await writeWhole(join(folder, totalsName), async (file) => {
      await file.write(`${JSON.stringify(totals, undefined, 2)}\n`)
    })
    const { people, accounts, beneficiaries, orders } = totals
    say(
      `Exported: ${people} people, ${accounts} accounts, ${beneficiaries} beneficiaries, ` +
        `${orders} standing orders.\n`,
    )
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true })
    throw thrown
  } finally {
    await client.end()
  }
}

async function writeWhole(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await write(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** How many rows are read at once. */
const rowsMax = 2000

async function writeFiles(
  client: pg.Client,
  folder: string,
  bar: ProgressBar | undefined,
  signal: AbortSignal | undefined,
): Promise<Totals> {
  const counts = Object.fromEntries(lineFiles.map((file) => [file, 0])) as Record<LineFile, number>
  const sums = new Map<Currency, { accounts: number; sum: bigint }>()
  const { rows } = await client.query<{ count: number }>(
    `select ((select count(1) from users) + (select count(1) from accounts)
       + (select count(1) from beneficiaries) + (select count(1) from standing_orders)
       + (select count(1) from former_entries))::int4
       as count`,
  )
  const total = rows[0]?.count ?? 0
  let done = 0
  for (const file of lineFiles) {
    await writeWhole(join(folder, fileName(file)), async (handle) => {
      for await (const page of pagesOf(client, file)) {
        signal?.throwIfAborted()
        await handle.write(page.map((row) => lineOf(file, row)).join(''))
        counts[file] += page.length
        done += page.length
        for (const row of page) addUp(sums, file, row)
        bar?.draw(Math.min(done, total), total, done)
      }
    })
  }
  const { people, accounts, blocks, beneficiaries, orders, history } = counts
  const byCurrency = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const currencies = Object.fromEntries(
    byCurrency.map(([currency, { accounts: count, sum }]) => [
      currency,
      { accounts: count, sum: formatAmount(sum, currency) },
    ]),
  )
  const all = { people, accounts, blocks, beneficiaries, orders, history, currencies }
  return { format: 'strongroom-1', ...all }
}

type Row = RowOfFile<LineFile>

async function* pagesOf(client: pg.Client, file: LineFile): AsyncGenerator<Row[]> {
  await client.query(`declare exported no scroll cursor for ${selects[file]}`)
  // Ends at an empty page.
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${rowsMax} from exported`)
    if (rows.length === 0) break
    yield rows
  }
  await client.query('close exported')
}

const lineOf = (file: LineFile, row: Row): string =>
  `${JSON.stringify((toLine[file] as (row: Row) => object)(row))}\n`

function addUp(
  sums: Map<Currency, { accounts: number; sum: bigint }>,
  file: LineFile,
  row: Row,
): void {
  if (file !== 'accounts' && file !== 'balances') return
  const { currency } = row as RowOfFile<'accounts'>
  const { accounts, sum } = sums.get(currency) ?? { accounts: 0, sum: 0n }
  if (file === 'accounts') sums.set(currency, { accounts: accounts + 1, sum })
  else sums.set(currency, { accounts, sum: sum + BigInt((row as RowOfFile<'balances'>).amount) })
}
