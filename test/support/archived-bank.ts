// A bank with months of all kinds of movements, and what its archives are compared by.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openAsOwner } from './owner.ts'
import { fill } from '../../demo/fill.ts'
import type { ServiceDatabase } from '../../src/database/connections/connect.ts'
import { transaction } from '../../src/database/connections/transaction.ts'
import { utcDays } from '../../src/domain/days.ts'
import { fictitiousBank } from '../../src/domain/iban.ts'
import { listOwnEntries, seqAt } from '../../src/features/transfers/history-sql.ts'
import { findSpan } from '../../src/features/statements/rows.ts'
import {
  listDays,
  listDetails,
  listStatementEntries,
  readBalanceBefore,
  readHeading,
  readTotals,
} from '../../src/features/statements/sql.ts'
import { sumSpending } from '../../src/features/insight/sql.ts'
import { bankAccount } from '../../src/ledger/rules/internal-accounts.ts'
import { headsBefore, readTrialBalance } from '../../src/ledger/proof/trial-balance.ts'
import { verifyLedger } from '../../src/ledger/proof/verify.ts'
import { workHere } from '../../src/ledger/proof/verify-workers.ts'
import { sweepHolds } from '../../src/ledger/rows/holds.ts'
import { bank, type Bank } from './bank.ts'
import type { Span } from './database.ts'
import { isUnavailable, untilInTime } from './locks.ts'

export const year = { start: Date.UTC(2022, 10, 1), end: Date.UTC(2023, 2, 1) }
/** So late that all of it may be in an archive. */
export const later = Date.UTC(2026, 2, 1)

export type ArchivedBank = Bank & { owner: ServiceDatabase; folder: string }

/** A bank without movements, and a folder for archives. */
export async function bankWithFolder(t: Span): Promise<ArchivedBank> {
  const made = await bank(t)
  const owner = openAsOwner(made.address)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-archive-'))
  t.after(async () => {
    await owner.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { ...made, owner, folder }
}

/** Begun anew where a COMMIT was late. */
export const archivedBank = (t: Span, seed?: string): Promise<ArchivedBank> =>
  untilInTime(() => fillWithFolder(t, seed), isUnavailable)

async function fillWithFolder(t: Span, seed = 'one'): Promise<ArchivedBank> {
  const made = await bankWithFolder(t)
  const base = { days: utcDays, ...year, bank: fictitiousBank, seed }
  await fill(made.db, { year: base, hash: async () => 'not a hash', hasMembers: true })
  await transaction(made.db, (tx) => sweepHolds(tx, year.end))
  // What the search of payments makes of a text is odd.
  await made.sql(
    `insert into payment_terms (term, id)
     select hashtextextended(t.reference || n, 0) & ~1 | n, t.id
     from transfers t, generate_series(0, 1) as n`,
  )
  return made
}

export class Killed extends Error {}

/** Ends in the middle of the transaction behind so many. */
export const dyingAfter = (db: ServiceDatabase, commits: number): ServiceDatabase => {
  let left = commits
  return {
    ...db,
    runTransaction: (work, opening) =>
      db.runTransaction(async (tx) => {
        const result = await work(tx)
        if (left-- <= 0) throw new Killed()
        return result
      }, opening),
  }
}

/** Does something before the transaction with that number. */
export function interrupted(
  db: ServiceDatabase,
  at: number,
  act: () => Promise<unknown>,
): ServiceDatabase {
  let count = 0
  return {
    ...db,
    async runTransaction(work, opening) {
      if (++count === at) await act()
      return db.runTransaction(work, opening)
    },
  }
}

/** The first thing that is wrong, by the whole verification and with the entries counted. */
export async function mismatchOf({ owner }: ArchivedBank): Promise<string | undefined> {
  const { mismatch } = await verifyLedger(owner, { now: later, workers: workHere(owner, 2) })
  const byLook = await verifyLedger(owner, { now: 0 })
  return mismatch ?? byLook.mismatch
}

/** All rows of all tables but of the trail, in one order. */
export async function dumpOf({ sql }: ArchivedBank): Promise<string> {
  const tables = await sql(
    `select relname from pg_class where relnamespace = 'strongroom'::regnamespace
       and relkind in ('r', 'p') and not relispartition and relname not like 'audit_events%'
     order by relname`,
  )
  const parts: string[] = []
  for (const { relname } of tables) {
    const rows = await sql(`select t::text as row from ${String(relname)} t order by 1`)
    parts.push(`${String(relname)}\n${rows.map(({ row }) => String(row)).join('\n')}`)
  }
  return parts.join('\n\n')
}

const bigints = (_: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value

/** What statements, balances, histories and the trial balance say of the time from `from` on. */
export async function readsFrom({ db, sql }: ArchivedBank, from: number): Promise<string[]> {
  const reads: string[] = []
  const add = (name: string, found: unknown) =>
    reads.push(`${name} ${JSON.stringify(found, bigints)}`)
  const accounts = await sql('select id, kind, owner_id, code from accounts order by id')
  const middle = new Date(from + (year.end - from) / 2)
  for (const account of accounts) {
    const id = account['id'] as string
    const span = await findSpan(db, id, { from, end: year.end })
    const bounds = [id, span.first, span.endSeq] as const
    const isOfBank = account['code'] !== null
    add(`span ${id}`, span)
    add(`heading ${id}`, await db.run(readHeading, [...bounds, new Date(year.end), isOfBank]))
    add(`totals ${id}`, await db.run(readTotals, [...bounds]))
    const lines = await db.run(listStatementEntries, [...bounds, 10_000n])
    add(`lines ${id}`, lines)
    const ids = lines.map(({ transferId }) => transferId)
    const details = await db.run(listDetails, [ids, bankAccount('clearing', 'EUR')])
    add(
      `details ${id}`,
      details.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    )
    add(`days ${id}`, await db.run(listDays, [...bounds, [new Date(from), middle]]))
    const spending = await db.run(sumSpending, [...bounds, middle])
    add(`spending ${id}`, spending.map((row) => JSON.stringify(row)).toSorted())
    for (const at of [new Date(from), middle, new Date(year.end)]) {
      const balances = await db.run(readBalanceBefore, [id, at])
      add(
        `balance ${id}`,
        balances.map(({ balance, openedAt }) => ({ balance, openedAt })),
      )
    }
    add(`seq ${id}`, await seqAt(db, id, middle.getTime()))
    const own = account['owner_id'] as string | null
    if (own === null) continue
    const newest = await db.run(listOwnEntries, [own, null, null, 20n])
    add(
      `own ${id}`,
      newest.filter(({ createdAt }) => createdAt.getTime() >= from),
    )
  }
  for (const at of [from, middle.getTime(), year.end]) {
    add('trial balance', await readTrialBalance(db, at, 50))
    for await (const head of headsBefore(db, at)) add('head', head)
  }
  add('accounts', await sql('select a::text from accounts a order by id'))
  add('holds', await sql('select h::text from holds h order by id'))
  return reads
}
