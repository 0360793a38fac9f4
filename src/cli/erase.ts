// `strongroom erase`: removes personal data whose retention time is over (GDPR Art. 5(1)(e), 17).
// `verify` still proves the books afterwards.
import type { WrittenDetail } from '../audit/actions.ts'
import { addEvents, type AuditEvent, commandEvent } from '../audit/sql.ts'
import { systemClock } from '../domain/clock.ts'
import { readDays } from '../database/background/bank-days.ts'
import { isDay } from '../domain/date-range.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/connections/connect.ts'
import { type Db, one } from '../database/statements/statement.ts'
import { transaction } from '../database/connections/transaction.ts'
import { isIdentifier } from '../domain/ids.ts'
import { StartupError } from '../domain/startup-error.ts'
import { eraseBefore, eraseOfAccount } from '../ledger/erasure/erase.ts'
import { endAllMemberships } from '../features/members/due-end.ts'
import { erasePerson, listAccounts, lockErasable } from '../features/users/erase-sql.ts'
import { besideNoArchive } from './archive/lock.ts'
import { withOwner } from './database.ts'

export type EraseOptions = { person?: string; before?: string; retentionYears: string }

const retentionYearsMax = 100

export async function eraseCommand(
  config: Config,
  say: (text: string) => void,
  options: EraseOptions,
): Promise<void> {
  const now = systemClock().now()
  const limit = retentionEnd(now, options.retentionYears)
  const target = readTarget(options)
  // Texts that are in an archive by then would be left out, and come back with it.
  const report = await withOwner(config, (owner, address) =>
    besideNoArchive(owner, address, async (db) =>
      'person' in target
        ? erasePersonWholly(db, target.person, { now, limit })
        : eraseTextsBefore(db, (await readDays(db)).startOf(target.before), { now, limit }),
    ),
  )
  say(report)
}

type Time = {
  now: number
  /** Records from before this time may be erased. */
  limit: number
}

function retentionEnd(now: number, years: string): number {
  const count = /^\d{1,3}$/.test(years) ? Number.parseInt(years, 10) : Infinity
  if (count > retentionYearsMax) {
    throw new StartupError(`--retention-years is a whole number from 0 to ${retentionYearsMax}.`)
  }
  const end = new Date(now)
  end.setUTCFullYear(end.getUTCFullYear() - count)
  return end.getTime()
}

function readTarget({ person, before }: EraseOptions): { person: string } | { before: string } {
  if ((person === undefined) === (before === undefined)) {
    throw new StartupError('Say either --person or --before.')
  }
  if (before === undefined) {
    if (isIdentifier(person)) return { person }
    throw new StartupError('--person is the identifier of a user: a UUID in lower case.')
  }
  if (isDay(before)) return { before }
  throw new StartupError('--before is a day, such as 2015-12-31.')
}

async function record(tx: Db, now: number, about: Partial<AuditEvent>): Promise<string> {
  const event = commandEvent(now, { action: 'erase', ...about })
  await addEvents(tx, [event])
  return event.id
}

/** @returns a sentence for the operator */
export async function eraseTextsBefore(
  db: Database,
  before: number,
  { now, limit }: Time,
): Promise<string> {
  const days = await readDays(db)
  if (before > limit) {
    throw new Error(`Records from ${days.dayOf(limit)} on are within their legal time.`)
  }
  const detail = `texts of transfers before ${days.dayOf(before)}`
  const id = await transaction(db, (tx) => record(tx, now, { detail }))
  const { erased, pending } = await eraseBefore(db, before, id)
  const left = pending === 0n ? '' : ` ${pending} are pending still and keep theirs.`
  return `The texts of ${erased} transfers were erased.${left}\n`
}

/** @returns a sentence for the operator */
export async function erasePersonWholly(
  db: Database,
  userId: string,
  { now, limit }: Time,
): Promise<string> {
  const erasureId = await transaction(db, async (tx) => {
    const person = await one(tx, lockErasable, [userId])
    if (!person) throw new Error('There is no such user.')
    if (person.status !== 'disabled') throw new Error('The user is not disabled.')
    if (person.openAccounts > 0n) {
      throw new Error(`The user has ${person.openAccounts} open accounts: close them first.`)
    }
    if (person.openPayments > 0n) {
      throw new Error(`${person.openPayments} payments of the user are not settled or returned.`)
    }
    const last = person.lastAt.getTime()
    if (last > limit) {
      const day = (await readDays(tx)).dayOf(last)
      throw new Error(`The last record of the user, of ${day}, is within its legal time.`)
    }
    const id = await record(tx, now, { target: userId, detail: 'a person' satisfies WrittenDetail })
    // Before its mails are deleted: the owners of the accounts alone are told.
    await endAllMemberships(tx, userId, now)
    await tx.run(erasePerson, [userId, new Date(now)])
    return id
  })
  let erased = 0
  for (const { id } of await db.run(listAccounts, [userId])) {
    erased += await eraseOfAccount(db, id, erasureId)
  }
  return `The user was erased, with the texts of ${erased} transfers.\n`
}
