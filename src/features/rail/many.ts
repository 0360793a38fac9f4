// Many payments in one request, each with its own outcome: a rail takes and settles those of a day
// in a few requests.
import { Type } from 'typebox'
import type { Db } from '../../database/statement.ts'
import { transaction } from '../../database/transaction.ts'
import { codes, Refusal } from '../../domain/errors.ts'
import { TransferId } from '../../domain/ids.ts'
import { closed, named, oneOf } from '../../domain/schema.ts'
import type { Caller } from '../../gate/roles.ts'
import { type Context, route } from '../../http/route.ts'
import { toExternalId } from '../../ledger/external-ids.ts'
import type { Order } from '../../ledger/order.ts'
import { readTransfers } from '../../ledger/sql.ts'
import { toFollowUp } from '../transfers/follow-up.ts'
import { toTransfer, Transfer } from '../transfers/schemas.ts'
import { behind } from '../transfers/order-caller.ts'
import { ExternalId } from './schemas.ts'

const itemsMax = 1000
/** So that the queue of the ledger has room for others. */
const atOnce = 200

const access = { admin: 'any' } as const
const path = '/api/v1/admin/transfers'

const Outcome = named('TransferOutcome', {
  id: TransferId,
  transfer: Type.Optional(Transfer),
  error: Type.Optional(
    named('ItemError', {
      code: oneOf(codes, { examples: ['illegal_transition'] }),
      message: Type.String({ maxLength: 200, examples: ['This is not possible in that state.'] }),
    }),
  ),
})
const Outcomes = named('TransferOutcomes', {
  results: Type.Array(Outcome, {
    maxItems: itemsMax,
    description: 'In the order of the request, each with the transfer or the error.',
  }),
})

type Item = { id: string; externalId?: string }

/** A defect is one of the whole request. */
function toError(id: string, thrown: unknown) {
  if (!(thrown instanceof Refusal)) throw thrown
  const { code, message } = thrown
  return { id, error: { code, message } }
}

/**
 * Executes the orders of the items. What is confirmed once, and the event of the request, is one
 * transaction before them.
 */
async function executeAll(
  { body, caller, db, service }: Context<undefined, undefined, { items: Item[] }>,
  kind: 'sending' | 'settlement',
) {
  await transaction(db, async () => {})
  const results = []
  for (let first = 0; first < body.items.length; first += atOnce) {
    const items = body.items.slice(first, first + atOnce)
    const orders = await toOrders(db, items, kind, caller)
    const part = orders.map(async (order, index) => {
      const { id } = items[index] as Item
      try {
        if (!order) throw new Refusal('not_found')
        const { transfer, isReplayed } = await service.ledger.submit(order)
        // As it was answered first.
        const shown = isReplayed
          ? { ...transfer, status: 'sent' as const, reversedBy: null }
          : transfer
        return { id, transfer: toTransfer(shown, 'staff') }
      } catch (thrown) {
        return toError(id, thrown)
      }
    })
    results.push(...(await Promise.all(part)))
  }
  return { results }
}

async function toOrders(
  db: Db,
  items: readonly Item[],
  kind: 'sending' | 'settlement',
  caller: Caller,
): Promise<(Order | undefined)[]> {
  const rows = await readTransfers(db, [...new Set(items.map(({ id }) => id))])
  const found = new Map(rows.map((row) => [row.id, row]))
  return items.map(({ id, externalId }) => {
    const original = found.get(id)
    return (
      original && {
        ...toFollowUp(original, kind, '', caller),
        isItem: true,
        // The gate has seen no identifier of a list.
        notOf: behind(caller),
        ...(externalId !== undefined && {
          externalId: toExternalId(externalId, 'sendTransfer', id),
        }),
      }
    )
  })
}

const common = {
  method: 'POST',
  access,
  service: 'operation',
  confirm: ({ body }: { body: { items: Item[] } }) => ({ count: String(body.items.length) }),
  limit: 'transfer',
  bodyMax: 512 * 1024,
  reply: { 200: Outcomes },
  refusals: ['unavailable'],
} as const
const exampleId = '01890a5d-ac96-774b-bcce-b302099a8057'

const sendMany = route({
  ...common,
  path: `${path}/send`,
  operation: 'sendTransferBatch',
  each: 'sendTransfer',
  summary: `As \`sendTransfer\`, for up to ${itemsMax} payments: each has its own outcome.`,
  body: closed({
    items: Type.Array(closed({ id: TransferId, externalId: ExternalId }), {
      minItems: 1,
      maxItems: itemsMax,
    }),
  }),
  example: { items: [{ id: exampleId, externalId: '2026-01-31-000018' }] },
  handle: (context) => executeAll(context, 'sending'),
})

const settleMany = route({
  ...common,
  path: `${path}/settle`,
  operation: 'settleTransferBatch',
  each: 'settleTransfer',
  summary: `As \`settleTransfer\`, for up to ${itemsMax} payments: each has its own outcome.`,
  body: closed({
    items: Type.Array(closed({ id: TransferId }), { minItems: 1, maxItems: itemsMax }),
  }),
  example: { items: [{ id: exampleId }] },
  handle: (context) => executeAll(context, 'settlement'),
})

export const manyRoutes = [sendMany, settleMany]
