// The first answer to a request whose key is known, when the request cannot become an order again:
// the beneficiary or an account it names is gone. Nothing is written.
import type { Clock } from '../domain/clock.ts'
import { beginReading, readTime } from '../database/clocks.ts'
import type { Db } from '../database/statement.ts'
import { one } from '../database/statement.ts'
import { Refusal, refuse } from '../domain/errors.ts'
import { orderFingerprint, type Posted, type Terms } from './order.ts'
import { claimFromRow, transferFromRow } from './post.ts'
import { answerRepeated, isLive } from './idempotency.ts'
import { readClaims, readTransfers } from './sql.ts'

/**
 * Throws the first answer when that was a refusal, and `idempotency_key_reused` when the key stands
 * for other terms. Refuses with `not_found` when the key is not known.
 */
export async function replay(
  db: Db,
  clock: Clock,
  terms: Terms & { key?: string | undefined },
): Promise<Posted> {
  const { key, caller } = terms
  if (key === undefined) return refuse('not_found', { because: 'gone' })
  const toTime = beginReading(clock)
  const [claims, times] = await Promise.all([
    db.run(readClaims, [[caller.userId], [key]]),
    db.run(readTime, []),
  ])
  const now = toTime(times[0]?.at as Date)
  const live = claims.find((row) => isLive(row, now))
  const claim = live && claimFromRow(live)
  const first = answerRepeated({ key }, orderFingerprint(terms), { claim, recentId: undefined })
  if (first instanceof Refusal) throw first
  const row = first && (await one(db, readTransfers, [[first.replayOf]]))
  if (!row) return refuse('not_found', { because: 'gone' })
  return { transfer: transferFromRow(row), isReplayed: true }
}
