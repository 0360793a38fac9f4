// Runs standing orders on their days.
import type { Clocks } from '../../database/background/clocks.ts'
import type { TransferMovement } from '../../ledger/rules/movement.ts'
import { describeError, type Log } from '../../telemetry/log.ts'
import { type DueConfig, toDueMovement } from '../movements/due-payment.ts'
import { type DueWorker, type DueWorkerParts, openDueWorker } from '../movements/due-worker.ts'
import { dueDays, type DuePlace, type DueRow, takeDueOrders, takeWaitingOrders } from './sql.ts'

type OrderParts = DueWorkerParts & {
  clocks: Pick<Clocks, 'days' | 'calendar'>
  config: DueConfig
  log: Pick<Log, 'warn' | 'error'>
}

export type Orders = DueWorker

export function openOrders(parts: OrderParts): Orders {
  const { clocks, config, log } = parts
  /** The last one that was taken of the orders that are due, and of those that wait. */
  let place: DuePlace | undefined
  let after: string | undefined
  return openDueWorker<DueRow>(parts, {
    onDatabaseAway(thrown) {
      log.warn({ error: describeError(thrown) }, 'standing orders wait for the database')
    },
    async take(tx, turn) {
      const day = clocks.days().dayOf(turn.now)
      const due = dueDays(clocks.calendar().at(turn.now), day)
      let untried = await takeDueOrders(tx, { ...turn, due }, place)
      // What has become due before that place meanwhile.
      if (untried.length === 0 && place) untried = await takeDueOrders(tx, { ...turn, due })
      place = untried.at(-1)
      if (untried.length > 0) return untried
      const waiting = await takeWaitingOrders(tx, { ...turn, day }, after)
      after = waiting.after
      return waiting.due
    },
    toMovement: (row) => toMovement(row, config),
    onFailure({ id, attempts }, error) {
      const event = { error, because: id, attemptCount: attempts }
      log.error(event, 'a standing order could not be run')
    },
  })
}

function toMovement(row: DueRow, config: DueConfig): TransferMovement {
  const { movement, refused } = toDueMovement(row, config)
  const run = { orderId: row.id, dueOn: row.nextOn as string, version: row.version }
  return { ...movement, run: { ...run, ...refused } }
}
