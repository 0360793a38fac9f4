// `strongroom invite`: sends the people of an import the link to set their first password, so many
// in an hour. Each is marked in the transaction that queues the mail: stopped anywhere and begun
// again, it sends no second one.
import { setTimeout as sleep } from 'node:timers/promises'
import { addEvents, commandEvent } from '../../audit/sql.ts'
import type { Config } from '../../config/config.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import type { Database } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { type Db, one, statement } from '../../database/statements/statement.ts'
import { type Clock, systemClock } from '../../domain/clock.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { queueMail } from '../../features/mail/sql.ts'
import { longReadMs, withOpenDatabase } from '../database.ts'
import { interruption } from '../interruption.ts'

type Say = (text: string) => void
export type InviteOptions = { perHour: string; dryRun?: true }

const perHourMax = 100_000

export async function inviteCommand(config: Config, say: Say, options: InviteOptions) {
  const perHour = /^\d{1,6}$/.test(options.perHour) ? Number.parseInt(options.perHour, 10) : 0
  if (perHour < 1 || perHour > perHourMax) {
    throw new StartupError(`--per-hour is a whole number from 1 to ${perHourMax}.`)
  }
  const signal = interruption()
  const wait = (ms: number) =>
    sleep(ms, undefined, { signal }).catch(() => {
      throw signal.reason as Error
    })
  await withOpenDatabase(
    config,
    (db) =>
      options.dryRun
        ? foretell(db, say, perHour)
        : invite(db, { say, perHour, clock: systemClock(), wait }),
    { signal, readMs: longReadMs },
  )
}

const countWaiting = statement(
  'invite_count_waiting',
  [],
  { count: 'int8' },
  `select count(1) as count from imported i join users u on u.id = i.id
   where i.kind = 'person' and i.invited_at is null
     and u.status = 'active' and u.password_hash is null`,
)
const waiting = async (db: Db): Promise<bigint> => (await one(db, countWaiting, []))?.count ?? 0n

async function foretell(db: Db, say: Say, perHour: number): Promise<void> {
  const count = await waiting(db)
  const hours = (count + BigInt(perHour) - 1n) / BigInt(perHour)
  say(`${count} people wait for an invitation: ${hours} hours at ${perHour} an hour.\n`)
}

/** Two runs at once share one limit. */
const takeTurn = statement(
  'invite_take_turn',
  [],
  { turn: 'void' },
  `select pg_advisory_xact_lock(hashtext('strongroom invite')) as turn`,
)

const countRecent = statement(
  'invite_count_recent',
  ['timestamptz'],
  { count: 'int4' },
  'select count(1)::int4 as count from imported where invited_at > $1',
)

/** Behind {@link takeTurn}: no other run takes the same people. */
const takeWaiting = statement(
  'invite_take_waiting',
  ['timestamptz', 'int4'],
  { id: 'uuid' },
  `update imported i set invited_at = $1
   from (
     select w.source_id from imported w join users u on u.id = w.id
     where w.kind = 'person' and w.invited_at is null
       and u.status = 'active' and u.password_hash is null
     order by w.source_id limit $2::int4
   ) next
   where i.kind = 'person' and i.source_id = next.source_id
   returning i.id`,
)

const hourMs = 3_600_000
const minuteMs = 60_000
const minutes = hourMs / minuteMs

type Inviting = {
  say: Say
  perHour: number
  clock: Clock
  /** Ends after that many milliseconds, or by an error when the command is interrupted. */
  wait: (ms: number) => Promise<unknown>
}

/** Ends when no person waits. A part of the hour's mails goes each minute: servers mind bursts. */
export async function invite(db: Database, { say, perHour, clock, wait }: Inviting): Promise<void> {
  let sent = 0
  // Ends when no person waits.
  for (;;) {
    const invited = await transaction(db, async (tx) => {
      await tx.run(takeTurn, [])
      const now = await databaseNow(tx, clock)
      const recent = (await one(tx, countRecent, [new Date(now - hourMs)]))?.count ?? 0
      const count = Math.min(perHour - recent, Math.ceil(perHour / minutes))
      return count > 0 ? inviteSome(tx, count, now) : 0
    })
    sent += invited
    const left = await waiting(db)
    say(`${sent} invited, ${left} wait.\n`)
    if (left === 0n) return
    await wait(minuteMs)
  }
}

async function inviteSome(tx: Db, count: number, now: number): Promise<number> {
  const people = await tx.run(takeWaiting, [new Date(now), count])
  for (const { id } of people) await queueMail(tx, 'invitation', id, now)
  if (people.length === 0) return 0
  const detail = `${people.length} people`
  await addEvents(tx, [commandEvent(now, { action: 'inviteImported', detail })])
  return people.length
}
