// Many payments in one request, each with its own outcome: a rail takes and settles those of a day
// in a few requests.
import { numberBy } from '../movements/terms.ts'
import { Type } from '../../domain/type.ts'
import { Refusal } from '../../domain/errors.ts'
import { TransferId } from '../../domain/ids.ts'
import { closed, named } from '../../domain/schema.ts'
import { findArchived } from '../../gate/archived.ts'
import { type Context, route } from '../../http/route.ts'
import { readTransfers } from '../../ledger/rows/transfers.ts'
import { toStep } from '../movements/follow-up.ts'
import { executeEach, itemsMax, itemsOf, itemOutcome, resultsOf } from '../movements/many.ts'
import { peopleBehind } from '../movements/movement-caller.ts'
import { ExternalId } from './schemas.ts'

const access = { admin: 'any' } as const
const path = '/api/v1/admin/transfers'

const Outcomes = named('TransferOutcomes', {
  results: resultsOf(named('TransferOutcome', { id: TransferId, ...itemOutcome })),
})

type Item = { id: string; externalId?: string }

/** What each item does: the operation of one alone, its movement, how its transfer stands then. */
const steps = {
  sendTransfer: { kind: 'sending', status: 'sent' },
  settleTransfer: { kind: 'settlement', status: 'completed' },
} as const

async function executeAll(
  { body: { items }, caller, ...context }: Context<undefined, undefined, { items: Item[] }>,
  operation: keyof typeof steps,
) {
  const { kind, status } = steps[operation]
  const ids = [...new Set(items.map(({ id }) => id))]
  const rows = await readTransfers(context.db, ids)
  const found = new Map(rows.map((row) => [row.id, row]))
  const missing = ids.filter((id) => !found.has(id))
  const archived = await findArchived(context.db, missing)
  const movements = items.map(({ id, externalId }) => {
    const original = found.get(id)
    if (!original) return archived.get(id) ?? new Refusal('not_found')
    return {
      kind,
      ...toStep(original, caller),
      // The gate has seen no identifier of a list.
      notOf: peopleBehind(caller),
      ...numberBy(externalId, operation, id),
    }
  })
  const show = (transfer: (typeof rows)[number]) => ({ ...transfer, status, reversedBy: null })
  const outcomes = await executeEach(context, movements, show)
  return { results: outcomes.map((each, index) => ({ id: (items[index] as Item).id, ...each })) }
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
  body: closed({ items: itemsOf(closed({ id: TransferId, externalId: ExternalId })) }),
  example: { items: [{ id: exampleId, externalId: '2026-01-31-000018' }] },
  handle: (context) => executeAll(context, 'sendTransfer'),
})

const settleMany = route({
  ...common,
  path: `${path}/settle`,
  operation: 'settleTransferBatch',
  each: 'settleTransfer',
  summary: `As \`settleTransfer\`, for up to ${itemsMax} payments: each has its own outcome.`,
  body: closed({
    items: itemsOf(closed({ id: TransferId, externalId: Type.Optional(ExternalId) })),
  }),
  example: { items: [{ id: exampleId, externalId: '2026-01-31-S00018' }] },
  handle: (context) => executeAll(context, 'settleTransfer'),
})

export const manyRoutes = [sendMany, settleMany]
