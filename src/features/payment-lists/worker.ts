// Pays the lines of lists that are ordered: a list is leased with some of its lines.
import type { Clocks } from '../../database/background/clocks.ts'
import { noDetails, type TransferMovement } from '../../ledger/rules/movement.ts'
import { describeError, type Log } from '../../telemetry/log.ts'
import { type DueConfig, toDueMovement } from '../movements/due-payment.ts'
import { type DueWorker, type DueWorkerParts, openDueWorker } from '../movements/due-worker.ts'
import { type DueLine, releaseDue, takeDueLines } from './due-sql.ts'

type ListParts = DueWorkerParts & {
  clocks: Pick<Clocks, 'days'>
  config: DueConfig
  log: Pick<Log, 'warn' | 'error'>
}

const listsAtOnce = 4

export type PaymentLists = DueWorker

export function openPaymentLists(parts: ListParts): PaymentLists {
  const { clocks, config, log } = parts
  return openDueWorker<DueLine>(parts, {
    onDatabaseAway(thrown) {
      log.warn({ error: describeError(thrown) }, 'payment lists wait for the database')
    },
    take: (tx, { count, ...turn }) =>
      takeDueLines(tx, {
        ...turn,
        day: clocks.days().dayOf(turn.now),
        lists: listsAtOnce,
        lines: count,
      }),
    toMovement: (line) => toMovement(line, config),
    onFailure({ listId, attempts }, error) {
      const event = { error, because: listId, attemptCount: attempts }
      log.error(event, 'a line of a payment list could not be paid')
    },
    release: (tx, lines) => releaseDue(tx, [...new Set(lines.map(({ listId }) => listId))]),
  })
}

function toMovement(due: DueLine, config: DueConfig): TransferMovement {
  const { listId, place, endToEndId } = due
  const { movement, refused } = toDueMovement(due, config)
  return {
    ...movement,
    ...(endToEndId !== null && { details: { ...noDetails, endToEndId } }),
    line: { listId, place, ...refused },
  }
}
