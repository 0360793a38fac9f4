// Many movements in one request, each with its own outcome.
import { type TSchema, Type } from '../../domain/type.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { asRefusal, type Code, codes, Refusal } from '../../domain/errors.ts'
import { named, oneOf } from '../../domain/schema.ts'
import { ErrorArchive } from '../../gate/archived.ts'
import type { Context } from '../../http/route.ts'
import type { PostedMovement, Transfer as Row } from '../../ledger/rules/movement.ts'
import { toTransfer, Transfer } from './schemas.ts'

export const itemsMax = 1000
/** Items in the queue of the ledger at the same time: it needs room for other callers. */
const atOnce = 200

export const itemsOf = <S extends TSchema>(item: S) =>
  Type.Array(item, { minItems: 1, maxItems: itemsMax })

/** The outcome of an item: the transfer, or the error. */
export const itemOutcome = {
  transfer: Type.Optional(Transfer),
  error: Type.Optional(
    named('ItemError', {
      code: oneOf(codes, { examples: ['illegal_transition'] }),
      message: Type.String({ maxLength: 200, examples: ['This is not possible in that state.'] }),
      archive: Type.Optional(ErrorArchive),
    }),
  ),
}

export const resultsOf = <S extends TSchema>(item: S) =>
  Type.Array(item, {
    maxItems: itemsMax,
    description: 'In the order of the request, each with the transfer or the error.',
  })

/**
 * Executes the movements of the items; a refusal among them is the outcome of its item. The
 * confirmation and the event of the request are one transaction before them. After that nothing
 * fails the whole request: a defect is the outcome of its item, and is logged.
 *
 * @param show the transfer as it was answered first
 */
export async function executeEach(
  { db, service, report }: Pick<Context, 'db' | 'service' | 'report'>,
  movements: readonly (PostedMovement | Refusal)[],
  show: (transfer: Row) => Row,
) {
  await transaction(db, async () => {})
  const failures = new Map<Code, Refusal>()
  async function execute(movement: PostedMovement | Refusal) {
    try {
      if (movement instanceof Refusal) throw movement
      const { transfer } = await service.ledger.submit({ ...movement, isItem: true })
      return { transfer: toTransfer(show(transfer), 'staff', service) }
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      const {
        code,
        message,
        options: { archive },
      } = refusal
      failures.set(code, refusal)
      return { error: { code, message, ...(archive && { archive }) } }
    }
  }
  const outcomes = []
  for (let first = 0; first < movements.length; first += atOnce) {
    outcomes.push(...(await Promise.all(movements.slice(first, first + atOnce).map(execute))))
  }
  // One line for each code: a database that is away fails a thousand alike.
  for (const refusal of failures.values()) report(refusal)
  return outcomes
}
