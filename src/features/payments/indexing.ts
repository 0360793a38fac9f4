// Writes what payments are looked up by, in small batches between purges: the events tell of what
// is new, and what is older is taken from the newest down. So no payment pays for an index, and a
// search is a few seconds behind.
import type { PurgeBatch } from '../../database/background/purge.ts'
import type { Db } from '../../database/statements/statement.ts'
import type { Days } from '../../domain/days.ts'
import { type EventType, toldBetween } from '../events/sql.ts'
import {
  addMissingTerms,
  addTerms,
  keepTextsOf,
  lockPlace,
  olderThan,
  searchablesOf,
  writePlace,
} from './index-sql.ts'
import type { Searchable } from './index-sql.ts'
import { addRefusedRuns } from './refused-sql.ts'
import { accountTerm, amountTerm, endToEndTerm, ibanTerm, wordTerms } from './terms.ts'

/** A payment of four terms takes 0.03 to 0.07 ms of the database, each 126 bytes with indexes. */
const batchSize = 1000

/** The events that tell of what is looked up. */
export const indexedEvents: EventType[] = [
  'transfer.completed',
  'transfer.pending',
  'card.payment.authorized',
  'card.payment.declined',
  'hold.created',
  'order.refused',
]

/** Payments of one engine have one text: its terms are hashed once, 3 µs for two words. */
function wordTermsOnce(): typeof wordTerms {
  const known = new Map<string, bigint[]>()
  return (text) => {
    const terms = known.get(text) ?? wordTerms(text)
    known.set(text, terms)
    return terms
  }
}

/** Each once. */
const termsOf = (
  { toAccountId, amount, currency, text, iban, endToEndId, createdAt }: Searchable,
  days: Days,
  termsOfWords: typeof wordTerms,
) =>
  new Set([
    amountTerm(amount, currency, days.dayOf(createdAt.getTime())),
    ...(toAccountId === null ? [] : [accountTerm(toAccountId)]),
    ...(iban === null ? [] : [ibanTerm(iban)]),
    ...(endToEndId === null ? [] : [endToEndTerm(endToEndId)]),
    ...termsOfWords(text),
  ])

async function index(tx: Db, ids: readonly string[], days: Days): Promise<void> {
  if (ids.length === 0) return
  const rows = await searchablesOf(tx, ids)
  const termsOfWords = wordTermsOnce()
  const found = (isWritten: boolean) =>
    rows.flatMap((row) =>
      row.isWritten === isWritten
        ? Array.from(termsOf(row, days, termsOfWords), (term) => ({ term, id: row.id }))
        : [],
    )
  await addTerms(tx, found(false))
  const known = found(true)
  if (known.length > 0) await addMissingTerms(tx, known)
}

/** What events tell of. Returns the number up to which they are done. */
async function indexNew(
  tx: Db,
  { eventNumber, lastNumber }: { eventNumber: bigint; lastNumber: bigint },
  { days, now }: { days: Days; now: number },
): Promise<bigint> {
  if (lastNumber <= eventNumber) return eventNumber
  const between = { after: eventNumber, last: lastNumber, types: indexedEvents }
  const events = await toldBetween(tx, between, batchSize)
  const idsOf = (isOfOrders: boolean) =>
    events.flatMap(({ type, resourceId }) =>
      resourceId !== null && (type === 'order.refused') === isOfOrders ? resourceId : [],
    )
  await index(tx, [...new Set(idsOf(false))], days)
  await addRefusedRuns(tx, [...new Set(idsOf(true))], now)
  return events.length < batchSize ? lastNumber : (events.at(-1)?.number ?? lastNumber)
}

/** @param days the days of the bank, as they are when a batch begins */
export const indexingPayments =
  (days: () => Days): PurgeBatch =>
  async (tx, now) => {
    const place = await lockPlace(tx)
    if (!place) return false
    const eventNumber = await indexNew(tx, place, { days: days(), now })
    const older = place.below === null ? [] : await olderThan(tx, place.below, batchSize)
    if (older.length > 0) {
      await keepTextsOf(tx, older)
      await index(tx, older, days())
    }
    const below = older.length < batchSize ? null : (older.at(-1) ?? null)
    if (eventNumber !== place.eventNumber || below !== place.below) {
      await writePlace(tx, eventNumber, below)
    }
    return below !== null || eventNumber < place.lastNumber
  }
