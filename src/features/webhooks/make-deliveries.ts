// Makes the deliveries of a webhook from the events of its types.
import type { Db } from '../../database/statements/statement.ts'
import { newId } from '../../domain/ids.ts'
import { eventsBetween, type EventType } from '../events/sql.ts'
import { addDeliveries, writeCursor } from './delivery-sql.ts'
import type { WebhookRow } from './sql.ts'

/** Events of which deliveries are made in one transaction. */
const batchSize = 200
const lastNumber = 2n ** 63n - 1n

/** The types it is told of, and the event up to which its deliveries are made. */
export type Cursor = Pick<WebhookRow, 'id' | 'types' | 'afterNumber'>

/**
 * Makes deliveries of its next events. Lock the webhook first.
 *
 * @returns the number of the last of these events; undefined when there were none
 */
export async function makeDeliveries(
  tx: Db,
  { id, types, afterNumber }: Cursor,
  now: number,
): Promise<bigint | undefined> {
  const range = { after: afterNumber, last: lastNumber, types: types as EventType[] }
  const events = await eventsBetween(tx, range, batchSize)
  const last = events.at(-1)?.number
  if (last === undefined) return undefined
  const told = events.map((event) => ({ ...event, id: newId(now) }))
  await addDeliveries(tx, id, told, now)
  await writeCursor(tx, id, last)
  return last
}
