// A backup brings back what was ended after it was made: sessions that were revoked, links that
// were used. A service that finds its database restored, or its clock set back, ends them all
// before anybody is let in. It cannot tell a restore from a failover, and does the same after both.
import { scheduler } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connect.ts'
import { holdLastSeen, placeOf, renewLastSeen, writeLastSeen } from '../database/last-seen.ts'
import { transaction } from '../database/transaction.ts'
import type { Log } from '../log.ts'
import { endAll, hasLiveSession } from './end-all.ts'

/** How far the clocks of instances may be apart, and how often the time is noted; milliseconds. */
const tolerance = 5000
const every = 1000

export type Watch = { close(): Promise<void> }

type Parts = { db: Database; clock: Clock; log: Log; mark: string }

/**
 * Resolves when no session of another past is left, and keeps looking from then on: the database
 * may be replaced while the service runs. `mark` is that of `folderMark`.
 */
export async function watchForRestore(parts: Parts): Promise<Watch> {
  await compare(parts)
  let looking: Promise<void> | undefined
  const tick = (): void => {
    looking ??= look(parts)
      // Away; whoever is let in meanwhile is asked for at the same database, and so by nobody.
      .catch(() => {})
      .finally(() => (looking = undefined))
  }
  const timer = setInterval(tick, every).unref()
  return {
    async close() {
      clearInterval(timer)
      await looking
      await look(parts).catch(() => {})
    },
  }
}

async function look(parts: Parts): Promise<void> {
  const { db, clock, mark } = parts
  const place = await placeOf(db, mark)
  const isHere = await transaction(db, (tx) => renewLastSeen(tx, place, clock.now()))
  if (!isHere) await compare(parts)
}

async function compare({ db, clock, log, mark }: Parts): Promise<void> {
  const place = await placeOf(db, mark)
  const { ahead, because, sessionCount } = await transaction(db, async (tx) => {
    const last = await holdLastSeen(tx)
    const now = clock.now()
    const ahead = (last?.at.getTime() ?? 0) - now
    const because = reasonOf(last?.place, place, ahead)
    const isNew = last?.place === '' && !(await hasLiveSession(tx))
    if (because === undefined || isNew) {
      await writeLastSeen(tx, place, Math.max(now, now + ahead))
      return { ahead }
    }
    await writeLastSeen(tx, place, now)
    const sessionCount = Number.parseInt(`${await endAll(tx, { now, by: 'service', because })}`, 10)
    return { ahead: 0, because, sessionCount }
  })
  if (because !== undefined) {
    log.warn({ because, sessionCount }, 'all sessions, links and devices were ended')
  }
  // What had ended by the time that was noted last has ended now as well.
  if (ahead > 0) await scheduler.wait(ahead)
}

function reasonOf(last: string | undefined, place: string, ahead: number): string | undefined {
  if (last !== place) return 'the database is not where it was: it was restored or failed over'
  if (ahead > tolerance) return 'the clock was set back'
  return undefined
}
