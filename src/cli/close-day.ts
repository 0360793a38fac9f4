// `strongroom close-day`: what the books were at the end of a day, in a file to be kept elsewhere.
import { createHash } from 'node:crypto'
import { addEvents, commandEvent } from '../audit/sql.ts'
import type { Config } from '../config/config.ts'
import { readDays } from '../database/background/bank-days.ts'
import { databaseNow } from '../database/background/clocks.ts'
import type { Database } from '../database/connections/connect.ts'
import { transaction } from '../database/connections/transaction.ts'
import { rfc3339, systemClock } from '../domain/clock.ts'
import { isDay } from '../domain/date-range.ts'
import { formatAmount } from '../domain/money.ts'
import { StartupError } from '../domain/startup-error.ts'
import { headLine, remarkLine } from '../ledger/proof/heads.ts'
import { newestArchive } from '../ledger/archive/state-sql.ts'
import { untilSettled } from '../ledger/batch/await-batches.ts'
import { headsBefore, readTrialBalance, type TrialBalance } from '../ledger/proof/trial-balance.ts'
import { longReadMs, withOpenDatabase } from './database.ts'
import { createHeads, type NewHeads } from './heads-file.ts'
import { interruption, unlessInterrupted } from './interruption.ts'
import { UnsoundBooks } from './report.ts'

/**
 * Writes the trial balance and the heads of all chains as they were at the end of the day, beside a
 * running service. The same day gives the same file at any later time. Throws {@link UnsoundBooks}
 * when the balances do not sum to zero or are not those of the entries (exit code 1).
 */
export async function closeDayCommand(
  config: Config,
  say: (text: string) => void,
  file: string,
  { day }: { day?: string },
): Promise<void> {
  const signal = interruption()
  const written = await createHeads(file, true)
  const work = withOpenDatabase(
    config,
    async (db) => {
      const closed = await closeDay(db, written, day)
      await transaction(db, (tx) => addEvents(tx, [closed.event]))
      if (closed.problem !== undefined) {
        throw new UnsoundBooks(`The books are not sound. ${closed.problem}.`)
      }
      await written.finish(closed.digest)
      say(`The day ${closed.day} is closed. Digest: ${closed.digest}\n`)
    },
    { signal, readMs: longReadMs },
  )
  try {
    await unlessInterrupted(work)
  } finally {
    await written.discard().catch(() => {})
  }
}

async function closeDay(db: Database, written: NewHeads, given: string | undefined) {
  const now = await databaseNow(db, systemClock())
  const days = await readDays(db)
  const day = given ?? days.dayOf(days.startOf(days.dayOf(now)) - 1)
  if (!isDay(day)) throw new StartupError(`${day} is not a day, such as 2026-01-31.`)
  const end = days.endOf(day)
  if (end > now) throw new StartupError(`The day ${day} is not over.`)
  await requireInBooks(db, day, end)
  await untilSettled(db)

  const hash = createHash('sha256')
  const add = async (line: string): Promise<void> => {
    hash.update(line)
    await written.add(line)
  }
  const balances = await readTrialBalance(db, end)
  await add(remarkLine(`day ${day}, until ${rfc3339(end - 1)}`))
  for (const line of toRemarks(balances)) await add(line)
  const sums = new Map<string, bigint>()
  for await (const { currency, code, balance, ...head } of headsBefore(db, end)) {
    const name = toName(currency, code)
    sums.set(name, (sums.get(name) ?? 0n) + balance)
    await add(headLine(head))
  }
  // An archive may have begun meanwhile.
  await requireInBooks(db, day, end)
  const digest = hash.digest('hex')
  const problem = findProblem(balances, sums)
  const event = commandEvent(now, {
    action: 'closeDay',
    outcome: problem === undefined ? 'success' : 'failure',
    detail: problem?.slice(0, 140) ?? `${day} digest ${digest}`,
  })
  return { day, digest, problem, event }
}

async function requireInBooks(db: Database, day: string, end: number): Promise<void> {
  const newest = await newestArchive(db)
  if (!newest || end >= newest.until.getTime()) return
  throw new StartupError(`The day ${day} is in the archive ${newest.name}, or in an earlier one.`)
}

const toName = (currency: string, code: string | null): string =>
  `${currency} ${code ?? 'customers'}`

const toRemarks = (balances: TrialBalance): string[] =>
  balances.flatMap(({ currency, lines, total }) => [
    ...lines.map(({ code, balance }) =>
      remarkLine(`${toName(currency, code)} ${formatAmount(balance, currency)}`),
    ),
    remarkLine(`${currency} total ${formatAmount(total, currency)}`),
  ])

/** The rows of accounts and their last entries before the end have to say the same. */
function findProblem(
  balances: TrialBalance,
  sums: ReadonlyMap<string, bigint>,
): string | undefined {
  const problems = balances.flatMap(({ currency, lines, total }) => [
    ...lines.flatMap(({ code, balance }) => {
      const name = toName(currency, code)
      const sum = sums.get(name) ?? 0n
      return sum === balance ? [] : `${name} has ${balance}, its entries say ${sum}`
    }),
    ...(total === 0n ? [] : [`All accounts in ${currency} together hold ${total}, not nothing`]),
  ])
  return problems[0]
}
