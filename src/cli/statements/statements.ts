// `strongroom statements`: the statement of a month of every customer's account, as files for an
// archive or a mail house. The bytes are those that a customer downloads. A run that was ended
// anywhere is continued by the same command: a file that is in its place is whole.
import { createHash } from 'node:crypto'
import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import type { Config } from '../../config/config.ts'
import { readDays } from '../../database/background/bank-days.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { syncFolder } from '../../database/embedded/secrets.ts'
import { statement } from '../../database/statements/statement.ts'
import { type Clock, systemClock } from '../../domain/clock.ts'
import { isDay } from '../../domain/date-range.ts'
import type { Days } from '../../domain/days.ts'
import { addDays } from '../../domain/calendar/rhythm.ts'
import { Refusal } from '../../domain/errors.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { requireExpressible } from '../../features/statements/camt.ts'
import { fileFormats } from '../../features/statements/file.ts'
import { requireStillInBooks } from '../../gate/archived.ts'
import { type Period, readStatementFile, settleMs } from '../../features/statements/rows.ts'
import { newestArchive } from '../../ledger/archive/state-sql.ts'
import { longReadMs, withOpenDatabase } from '../database.ts'
import { interruption } from '../interruption.ts'
import { createProgressBar } from '../progress-bar.ts'

const formats = Object.keys(fileFormats) as (keyof typeof fileFormats)[]
type Format = (typeof formats)[number]
type Say = (text: string) => void

export async function statementsCommand(
  config: Config,
  say: Say,
  folder: string,
  { month, format = 'pdf' }: { month: string; format?: string },
): Promise<void> {
  const known = formats.find((each) => each === format)
  if (known === undefined) {
    throw new StartupError(`There is no format ${format}; there are ${formats.join(', ')}.`)
  }
  const clock = systemClock()
  await withOpenDatabase(
    config,
    (db) =>
      writeStatements(folder, {
        db,
        month,
        format: known,
        bank: config,
        say,
        clock,
        signal: interruption(),
      }),
    { signal: interruption(), readMs: longReadMs },
  )
}

type Task = {
  db: Database
  /** `2026-10` */
  month: string
  format: Format
  bank: Pick<Config, 'bankName' | 'bic'>
  say: Say
  clock: Clock
  /** Aborted: what is written stays, and the next run goes on behind it. */
  signal?: AbortSignal | undefined
}

/**
 * One file for each account of a customer that was opened before the end of the month, and is open
 * or has an entry in the month; at last `index.ndjson`, which names all of them. Without the index
 * the run was ended before its end.
 */
export async function writeStatements(folder: string, task: Task): Promise<void> {
  const { db, month, format, say, clock, signal } = task
  const days = await readDays(db)
  const now = await databaseNow(db, clock)
  const period = toMonth(month, days)
  if (period.end + settleMs > now) {
    throw new StartupError(`The month ${month} is not over for an hour.`)
  }
  await refuseArchived(db, month, period)
  await requirePlace(folder, toEnding(task))
  // Before anything leaves the bank.
  const detail = `${month} ${format}`
  const event = commandEvent(clock.now(), { action: 'writeStatements', detail })
  await transaction(db, (tx) => addEvents(tx, [event]))
  const bar = createProgressBar(say, 'of all accounts', { unit: 'accounts', clock })
  const { total = 0 } = (await db.run(countAccounts, [new Date(period.end)]))[0] ?? {}
  let [seen, written] = [0, 0]
  await writeWhole(folder, indexName, async function* lines() {
    for await (const account of accountsBefore(db, period.end)) {
      signal?.throwIfAborted()
      const line = await writeOne(folder, { ...task, ...period, days, now }, account)
      if (line !== undefined) yield `${line}\n`
      written += line === undefined ? 0 : 1
      bar?.draw(++seen, total, seen)
    }
  }).catch(async (thrown: unknown) => {
    if (thrown instanceof Refusal && thrown.code === 'archived') {
      await refuseArchived(db, month, period)
    }
    throw thrown
  })
  await syncFolder(folder)
  bar?.end()
  say(`Written: ${written} statements of ${month}.\n`)
}

const indexName = 'index.ndjson'
const partSuffix = '.part'

/** The end of the names of all files of a run. */
const toEnding = ({ month, format }: Pick<Task, 'month' | 'format'>): string =>
  `-${month}.${fileFormats[format].extension}`

function toMonth(month: string, days: Days): Period {
  const first = `${month}-01`
  if (!/^\d{4}-\d\d$/.test(month) || !isDay(first)) {
    throw new StartupError('--month is a month, such as 2026-01.')
  }
  // The first day of the next month is at most 31 days after that of this one.
  const next = `${addDays(first, 31).slice(0, 7)}-01`
  return { from: days.startOf(first), end: days.startOf(next) }
}

async function refuseArchived(db: Database, month: string, { from }: Period): Promise<void> {
  const newest = await newestArchive(db)
  if (!newest || from >= newest.until.getTime()) return
  throw new StartupError(
    `The month ${month} is in the archive ${newest.name}, or in an earlier one.`,
  )
}

/** A folder of its owner alone, new or with files of this very run. */
async function requirePlace(folder: string, ending: string): Promise<void> {
  const refuse = (reason: string): never => {
    throw new StartupError(`The statements cannot be written to ${folder}: ${reason}.`)
  }
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((thrown: Error) =>
    refuse(thrown.message),
  )
  const names = await readdir(folder)
  if (names.includes(indexName)) refuse('its statements are complete')
  const parts = names.filter((name) => name.endsWith(partSuffix))
  const other = names.find((name) => !name.endsWith(ending) && !parts.includes(name))
  if (other !== undefined) refuse(`it holds ${other}`)
  for (const name of parts) await rm(join(folder, name))
}

const readAccounts = statement(
  'statements_read_accounts',
  ['uuid?', 'timestamptz'],
  { id: 'uuid', isOpen: 'bool' },
  `select id, status <> 'closed' as "isOpen" from accounts
   where ($1::uuid is null or id > $1) and kind = 'customer' and created_at < $2
   order by id limit 1000`,
)
const countAccounts = statement(
  'statements_count_accounts',
  ['timestamptz'],
  { total: 'int4' },
  `select count(*)::int4 as total from accounts where kind = 'customer' and created_at < $1`,
)

type Account = { id: string; isOpen: boolean }

/** The accounts of customers that were opened before a time, in the order of their identifiers. */
async function* accountsBefore(db: Database, end: number): AsyncGenerator<Account> {
  // Ends behind the last account.
  for (let after: string | null = null; ;) {
    const page: Account[] = await db.run(readAccounts, [after, new Date(end)])
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

/** Asked for by no request, and by no person. */
const caller = '00000000-0000-0000-0000-000000000000'

/** Returns the line of the index; undefined for an account without a statement of the month. */
async function writeOne(
  folder: string,
  { db, format, month, bank, ...period }: Task & Period & { days: Days; now: number },
  { id, isOpen }: Account,
): Promise<string | undefined> {
  const { bankName, bic } = bank
  const { from, end, days, now } = period
  // An archive may take entries while they are read: what is left may even add up.
  const requireAll = () => requireStillInBooks(db, id, from)
  const reading = readStatementFile(db, {
    accountId: id,
    isOfBank: false,
    callerId: caller,
    requestId: caller,
    bankName,
    bic,
    from,
    end,
    days,
    now,
    tellsDetails: format === 'camt053',
    isProgram: false,
    spreadsheet: undefined,
  })
  await reading.then(requireAll, requireAll)
  const file = await reading
  const { iban, holder, currency, language, credits, debits } = file.heading
  const entries = credits.count + debits.count
  if (!isOpen && entries === 0) return undefined
  if (format === 'camt053') requireExpressible(file.heading)
  const name = `${iban}${toEnding({ month, format })}`
  const sha256 =
    (await hashOf(join(folder, name))) ??
    (await writeWhole(folder, name, async function* () {
      yield* fileFormats[format].write(file)
      await requireAll()
    }))
  return JSON.stringify({
    file: name,
    sha256,
    accountId: id,
    iban,
    currency,
    holder,
    language,
    entries,
  })
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The SHA-256 of a file that an earlier run has written. */
const hashOf = (path: string): Promise<string | undefined> =>
  readFile(path).then(digestOf, (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined
    throw thrown
  })

/** Puts a file into its place when all of it is on the disk. Returns its SHA-256. */
async function writeWhole(
  folder: string,
  name: string,
  content: () => AsyncIterable<string | Buffer>,
): Promise<string> {
  const path = join(folder, name)
  const hash = createHash('sha256')
  const handle = await open(`${path}${partSuffix}`, 'w', 0o600)
  try {
    for await (const piece of content()) {
      hash.update(piece)
      await handle.appendFile(piece)
    }
    await handle.sync()
  } catch (thrown) {
    await rm(`${path}${partSuffix}`)
    throw thrown
  } finally {
    await handle.close()
  }
  await rename(`${path}${partSuffix}`, path)
  return hash.digest('hex')
}
