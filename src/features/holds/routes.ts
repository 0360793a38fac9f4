// Endpoints of holds: amounts of an account that are reserved.
import { readTerms } from '../movements/terms.ts'
import type { Static } from '../../domain/type.ts'
import { Type } from '../../domain/type.ts'
import type { Db } from '../../database/statements/statement.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId, HoldId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { closed, oneOf } from '../../domain/schema.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { keyRefusals } from '../../http/repeats.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import { type Hold as Row, holdStatuses } from '../../ledger/rules/holds.ts'
import { isRepeated, readIdempotencyKey } from '../../ledger/batch/idempotency.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import type { ReserveMovement, Reserved } from '../../ledger/rules/movement.ts'
import { findBankAccount } from '../bank-accounts/sql.ts'
import { readAccount, requireOpen } from '../accounts/sql.ts'
import { cardById } from '../cards/sql.ts'
import { toMovementCaller } from '../movements/movement-caller.ts'
import { parsePositiveAmount, toTransfer, Transfer } from '../movements/schemas.ts'
import { isAbove, toAnswer } from '../movements/answer.ts'
import { Hold, HoldCapture, HoldChange, NewHold, readExpiry, toHold } from './schemas.ts'
import { capturesOf, holdById, holdsByAccount } from './sql.ts'

const readers = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const
const access = { admin: 'any' } as const
const ofAccount = closed({ accountId: AccountId })
const byId = closed({ id: HoldId })

/** The same answer again when the request is repeated. */
const toHoldAnswer = ({ hold, isReplayed }: Reserved, headers: Record<string, string> = {}) =>
  new Answer(toHold(hold), { ...headers, ...(isReplayed && { 'idempotency-replayed': 'true' }) })

const create = route({
  method: 'POST',
  path: '/api/v1/accounts/:accountId/holds',
  operation: 'createHold',
  summary:
    'Reserve an amount of an account: it cannot leave by anything else until the hold is ' +
    'captured, released or expired. It is no entry and counts to no daily limit.',
  access,
  service: 'operation',
  confirm: ({ body: { amount, currency, kind } }) => ({ kind, amount, currency }),
  limit: 'transfer',
  params: ofAccount,
  body: NewHold,
  reply: { 201: Hold },
  refusals: [
    'account_frozen',
    'card_cancelled',
    'currency_mismatch',
    'debits_blocked',
    'illegal_transition',
    'insufficient_funds',
    'limit_exceeded',
    'not_found',
    ...keyRefusals,
  ],
  example: {
    amount: '12.00',
    currency: 'EUR',
    kind: 'dispute',
    reference: 'Hotel Marina, disputed',
    externalId: '2026-01-31-D00017',
  },
  async handle(context) {
    const { params, body, db, now, service } = context
    const { accountId } = params
    const { terms, isKnown } = readTerms(context, 'createHold', { accountId })
    const { kind, reference, cardId = null, expiresAt: end } = body
    const expiresAt = end === undefined ? undefined : await readExpiry(end, now, isKnown)
    if (cardId !== null && !(await isCardOf(db, cardId, accountId)) && !(await isKnown())) {
      refuse('not_found')
    }
    const reserved = await service.ledger.submit({
      ...terms,
      kind: 'hold',
      fromAccountId: accountId,
      toAccountId: accountId,
      reference,
      hold: { step: 'place', kind, cardId, expiresAt },
    })
    return toHoldAnswer(reserved, { location: `/api/v1/holds/${reserved.hold.id}` })
  },
})

const isCardOf = async (db: Db, cardId: string, accountId: string): Promise<boolean> =>
  (await cardById(db, cardId))?.accountId === accountId

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/holds',
  operation: 'listHolds',
  summary: 'List the holds of an account, newest first; all of them or those of one status.',
  access: readers,
  service: 'read',
  member: 'view',
  limit: 'read',
  params: ofAccount,
  query: closed({ status: Type.Optional(oneOf(holdStatuses)), ...pageQuery }),
  reply: { 200: listSchema(Hold) },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ params: { accountId }, query: { status }, db, page, row }) {
    requireOpen(row)
    return page({
      fetch: (after, count) => holdsByAccount(db, accountId, status, after, count),
      toItem: toHold,
    })
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/holds/:id',
  operation: 'getHold',
  summary: 'Read a hold.',
  access: readers,
  service: 'read',
  member: 'view',
  limit: 'read',
  params: byId,
  reply: { 200: Hold },
  refusals: ['not_found'],
  async handle({ params, db }) {
    return toHold(await holdById(db, params.id))
  },
})

const captures = route({
  method: 'GET',
  path: '/api/v1/holds/:id/captures',
  operation: 'listHoldCaptures',
  summary: 'List the transfers by which a hold was captured, newest first.',
  access: readers,
  service: 'read',
  member: 'view',
  limit: 'read',
  params: byId,
  query: closed(pageQuery),
  reply: { 200: listSchema(Transfer) },
  refusals: ['not_found'],
  async handle({ params: { id }, caller, db, page, service }) {
    await holdById(db, id)
    return page({
      fetch: (after, count) => capturesOf(db, id, after, count),
      toItem: (row) => toTransfer(row, caller.grant === 'any' ? 'staff' : 'owner', service),
    })
  },
})

type StepContext<B> = Context<Static<typeof byId>, undefined, B>

/** The terms of a step that a person confirms: the hold, and its amount. */
const showHold = async ({
  params,
  db,
}: {
  params: { id: string }
  db: Db
}): Promise<ShownTerms> => {
  const { kind, remaining, currency } = await holdById(db, params.id)
  return { kind, amount: formatAmount(remaining, currency), currency }
}

/** The movement of a step that moves no money. */
function toStep(
  { accountId, currency, reference }: Row,
  hold: ReserveMovement['hold'],
  { caller, headers }: Pick<StepContext<unknown>, 'caller' | 'headers'>,
): ReserveMovement {
  return {
    key: readIdempotencyKey(headers),
    kind: 'hold',
    fromAccountId: accountId,
    toAccountId: accountId,
    amount: 0n,
    currency,
    reference,
    hold,
    caller: toMovementCaller(caller, 'admin'),
  }
}

const capture = route({
  method: 'POST',
  path: '/api/v1/holds/:id/capture',
  operation: 'captureHold',
  summary:
    'Take held money: a transfer to an account of the bank, by default that of money on its way ' +
    'to other banks. A hold can be captured in parts, until one is final or nothing is left. A ' +
    'program captures, changes and releases only holds that it placed.',
  access,
  service: 'operation',
  confirm: ({ body: { amount, currency, toCode = 'clearing' } }) => ({
    amount,
    currency,
    to: toCode,
  }),
  limit: 'transfer',
  params: byId,
  body: HoldCapture,
  reply: { 201: Transfer },
  refusals: [
    'account_frozen',
    'currency_mismatch',
    'duplicate_transfer',
    'illegal_transition',
    'limit_exceeded',
    'not_found',
    ...keyRefusals,
  ],
  example: { amount: '9.90', currency: 'EUR', final: true, externalId: '2026-02-02-C00004' },
  async handle(context) {
    const { params, body, db, service } = context
    const { id } = params
    const hold = await holdById(db, id)
    const { currency, final: isFinal = false, toCode, reference = hold.reference } = body
    const { terms } = readTerms(context, 'captureHold', { id })
    const toAccountId =
      toCode === undefined
        ? bankAccount('clearing', currency)
        : (await findBankAccount(db, { code: toCode, currency })).id
    const posted = await service.ledger.submit({
      ...terms,
      kind: 'capture',
      fromAccountId: hold.accountId,
      toAccountId,
      reference,
      hold: { step: 'capture', id, isFinal },
      isLarge: isAbove(service.config.alertAbove, terms),
    })
    return toAnswer(posted, 'staff', service)
  },
})

const release = route({
  method: 'POST',
  path: '/api/v1/holds/:id/release',
  operation: 'releaseHold',
  summary: 'End a hold: what remains of it is free again, also of a frozen account.',
  access,
  service: 'operation',
  confirm: showHold,
  limit: 'transfer',
  params: byId,
  reply: { 200: Hold },
  refusals: ['illegal_transition', 'not_found', ...keyRefusals],
  async handle({ params: { id }, headers, caller, db, service }) {
    const movement = toStep(await holdById(db, id), { step: 'release', id }, { caller, headers })
    return toHoldAnswer(await service.ledger.submit(movement))
  },
})

const update = route({
  method: 'PATCH',
  path: '/api/v1/holds/:id',
  operation: 'updateHold',
  summary:
    'Change how much a hold reserves in all, what was captured included, or when it expires. ' +
    'Null: it stands until it is released; not of an authorization.',
  access,
  service: 'operation',
  confirm: async ({ params, body: { amount }, db }) => ({
    ...(await showHold({ params, db })),
    ...(amount !== undefined && { amount }),
  }),
  limit: 'transfer',
  params: byId,
  body: HoldChange,
  reply: { 200: Hold },
  refusals: [
    'account_frozen',
    'debits_blocked',
    'illegal_transition',
    'insufficient_funds',
    'limit_exceeded',
    'not_found',
    ...keyRefusals,
  ],
  example: { amount: '15.00' },
  async handle({ params: { id }, body, headers, caller, db, now, service }) {
    const hold = await holdById(db, id)
    const { amount, expiresAt: end } = body
    if (end === null && hold.kind === 'authorization') {
      invalid('/body/expiresAt', 'is needed of an authorization')
    }
    const currency = hold.currency
    const sent = { callerId: caller.userId, key: readIdempotencyKey(headers) }
    const isKnown = () => isRepeated(db, sent, now)
    const change: ReserveMovement['hold'] = {
      step: 'change',
      id,
      ...(amount !== undefined && { amount: parsePositiveAmount({ amount, currency }) }),
      ...(end !== undefined && {
        expiresAt: end === null ? null : await readExpiry(end, now, isKnown),
      }),
    }
    return toHoldAnswer(await service.ledger.submit(toStep(hold, change, { caller, headers })))
  },
})

export const holdRoutes = [create, list, read, captures, update, capture, release]
