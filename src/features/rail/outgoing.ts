// Payments to other banks as rails and administrators carry them: found, sent, settled, returned.
import { numberBy } from '../movements/terms.ts'
import { Type } from '../../domain/type.ts'
import {
  type Db,
  type ParameterType,
  fragment,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { periodEnd, periodStart, When } from '../../domain/date-range.ts'
import { refuse } from '../../domain/errors.ts'
import { firstId, idAt, lastId, TransferId } from '../../domain/ids.ts'
import { closed, oneOf } from '../../domain/schema.ts'
import { requireTimeInBooks } from '../../gate/archived.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { Answer, route } from '../../http/route.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import {
  type Status,
  statuses,
  type Transfer as Row,
  transferColumns,
} from '../../ledger/rules/movement.ts'
import { showTransfer, toMoneyBack, toStep } from '../movements/follow-up.ts'
import { addDetails, addPayers, type DetailedTransfer } from '../movements/details.ts'
import { toTransfer, Transfer, type WithCalendar } from '../movements/schemas.ts'
import { pageOfTransfers, requirePage, transferById, transfersOf } from '../movements/sql.ts'
import { ReasonCode } from './reasons.ts'
import { ExternalId } from './schemas.ts'

const access = { admin: 'any' } as const
const byId = closed({ id: TransferId })
const path = '/api/v1/admin/transfers'

const takes = ['uuid', 'uuid', 'int4'] as const satisfies readonly ParameterType[]

const listAll = statement(
  'rail_find_transfers',
  takes,
  transferColumns,
  sql`${transfersOf(pageOfTransfers(fragment`id > $1`, 2))}`,
)
const listCompleted = statement(
  'rail_find_completed_transfers',
  takes,
  transferColumns,
  sql`${transfersOf(pageOfTransfers(fragment`status = 'completed' and id > $1`, 2))}`,
)
/** `status <> 'completed'`: these few have an index. */
const listOthers = statement(
  'rail_find_transfers_by_status',
  [...takes, 'text'],
  transferColumns,
  sql`${transfersOf(
    pageOfTransfers(fragment`status <> 'completed' and status = $4 and id > $1`, 2),
  )}`,
)

function list(
  db: Db,
  status: Status | undefined,
  [from, before]: readonly [string, string],
  count: number,
): Promise<Row[]> {
  const page = [from, before, requirePage(count)] as const
  const rows =
    status === undefined
      ? db.run(listAll, [...page])
      : status === 'completed'
        ? db.run(listCompleted, [...page])
        : db.run(listOthers, [...page, status])
  return rows as Promise<Row[]>
}

/** A hundred years. */
const ageSecondsMax = 3_155_760_000

const find = route({
  method: 'GET',
  path,
  operation: 'findTransfers',
  summary:
    'List all transfers of the bank, newest first, by their status, the time of their order and ' +
    'their age.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  query: closed({
    status: Type.Optional(oneOf(statuses)),
    from: Type.Optional(When),
    to: Type.Optional(When),
    minAgeSeconds: Type.Optional(
      Type.String({
        pattern: '^[0-9]+$',
        minLength: 1,
        maxLength: 10,
        description: 'Those that are at least as old.',
      }),
    ),
    ...pageQuery,
  }),
  reply: { 200: listSchema(Transfer) },
  refusals: ['archived'],
  async handle({ query, db, page, now, service }) {
    const days = service.clocks.days()
    const { status, from, to, minAgeSeconds = '0' } = query
    const ageSeconds = Math.min(Number.parseInt(minAgeSeconds, 10), ageSecondsMax)
    const start = from === undefined ? undefined : periodStart(from, '/query/from', days)
    const stops = [
      ...(to === undefined ? [] : [periodEnd(to, '/query/to', days)]),
      ...(ageSeconds === 0 ? [] : [now - ageSeconds * 1000 + 1]),
    ]
    // Without bounds a list just ends where an archive begins.
    const needed = start ?? (stops.length === 0 ? undefined : Math.min(...stops) - 1)
    const first = start === undefined ? firstId : idAt(start)
    const end = stops.length === 0 ? lastId : idAt(Math.min(...stops))
    return page({
      async fetch(after = lastId, count) {
        const before = after < end ? after : end
        const rows = await list(db, status, [first, before], count)
        // None leaves that is on its way.
        const isOnItsWay = status === 'pending' || status === 'sent'
        if (needed !== undefined && !isOnItsWay) await requireTimeInBooks(db, needed)
        return addPayers(db, await addDetails(db, rows))
      },
      toItem: (row) => toTransfer(row, 'staff', service),
    })
  },
})

const confirm = async ({ params, db }: { params: { id: string }; db: Db }): Promise<ShownTerms> =>
  showTransfer(await transferById(db, params.id))

/** The answer about the transfer that was asked for, as it was then. */
const answerAs = (
  transfer: DetailedTransfer,
  { isReplayed }: { isReplayed: boolean },
  service: WithCalendar,
) =>
  new Answer(toTransfer(transfer, 'staff', service), {
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
  })

const refusals = [
  'idempotency_key_reused',
  'illegal_transition',
  'outcome_unknown',
  'unavailable',
] as const

const send = route({
  method: 'POST',
  path: `${path}/:id/send`,
  operation: 'sendTransfer',
  summary:
    'Take a pending payment to carry it to another bank: from then on it cannot be cancelled. Of ' +
    'several that try, one has it.',
  access,
  service: 'operation',
  confirm,
  limit: 'transfer',
  params: byId,
  body: closed({ externalId: ExternalId }),
  example: { externalId: '2026-01-31-000018' },
  reply: { 200: Transfer },
  refusals,
  async handle({ params: { id }, body, caller, db, service }) {
    const original = await transferById(db, id)
    const posted = await service.ledger.submit({
      kind: 'sending',
      ...toStep(original, caller),
      ...numberBy(body.externalId, 'sendTransfer', id),
    })
    return answerAs({ ...original, status: 'sent', reversedBy: null }, posted, service)
  },
})

const settle = route({
  method: 'POST',
  path: `${path}/:id/settle`,
  operation: 'settleTransfer',
  summary:
    'Note that a pending or sent payment has arrived at the other bank. A program settles none ' +
    'that another caller has sent.',
  access,
  service: 'operation',
  confirm,
  limit: 'transfer',
  params: byId,
  body: closed({ externalId: Type.Optional(ExternalId) }),
  bodyIsOptional: true,
  example: { externalId: '2026-01-31-S00018' },
  reply: { 200: Transfer },
  refusals,
  async handle({ params: { id }, body: { externalId }, caller, db, service }) {
    const original = await transferById(db, id)
    const posted = await service.ledger.submit({
      kind: 'settlement',
      ...toStep(original, caller),
      ...numberBy(externalId, 'settleTransfer', id),
    })
    return answerAs({ ...original, status: 'completed', reversedBy: null }, posted, service)
  },
})

/** Money from another bank is sent back by a reversal: it has its references, to a shown IBAN. */
function requirePayment<T extends { kind: string }>(original: T): T {
  return original.kind === 'incoming' ? refuse('illegal_transition') : original
}

const refund = route({
  method: 'POST',
  path: `${path}/:id/return`,
  operation: 'returnTransfer',
  summary:
    'Note that a payment to another bank came back, before it arrived there or after: the money ' +
    'goes back to its source, also if that is frozen. If its source is closed it lies in the ' +
    'suspense account of the bank. A program returns none that another caller has sent. Money ' +
    'from another bank in suspense is sent back by `reverseTransfer`.',
  access,
  service: 'operation',
  async confirm({ params, db }) {
    return showTransfer(requirePayment(await transferById(db, params.id)))
  },
  limit: 'transfer',
  params: byId,
  body: closed({
    reasonCode: Type.Optional(ReasonCode),
    externalId: Type.Optional(ExternalId),
  }),
  bodyIsOptional: true,
  example: { reasonCode: 'AC04', externalId: '2026-01-31-R00003' },
  reply: { 200: Transfer },
  refusals: [...refusals, 'already_reversed', 'limit_exceeded'],
  async handle({ params: { id }, body, caller, db, service }) {
    const { reasonCode = null, externalId } = body
    const original = requirePayment(await transferById(db, id))
    const details = { endToEndId: null, bic: null, reasonCode, original: null }
    const posted = await service.ledger.submit({
      kind: 'return',
      ...toMoneyBack(original, original.reference, caller),
      suspenseId: bankAccount('suspense', original.currency),
      ...(reasonCode !== null && { details }),
      ...numberBy(externalId, 'returnTransfer', { id, reasonCode }),
    })
    const returned = { status: 'returned', reversedBy: posted.transfer.id, details } as const
    return answerAs({ ...original, ...returned }, posted, service)
  },
})

export const outgoingRoutes = [find, send, settle, refund]
