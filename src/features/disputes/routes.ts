// Endpoints of disputes: a holder says what is wrong with a card payment; a processor charges it
// back, or staff close it with a reason.
import { type Static, Type } from '../../domain/type.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import {
  AccountId,
  CardPaymentId,
  ChargebackId,
  DisputeId,
  newId,
  UserId,
} from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import {
  Amount,
  closed,
  Currency,
  named,
  NoteText,
  nullable,
  oneOf,
  Reason,
  Time,
} from '../../domain/schema.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { Answer, route } from '../../http/route.ts'
import { lockAccount } from '../accounts/sql.ts'
import { ShownMerchantName } from '../card-payments/schemas.ts'
import { approvedById } from '../card-payments/sql.ts'
import {
  addDispute,
  closeDispute,
  disputeById,
  disputeReasons,
  type DisputeRow,
  disputesInState,
  disputesOfPayment,
  type DisputeStatus,
  disputeStatuses,
  isDisputed,
  waitingDisputes,
} from './sql.ts'

const Text = {
  ...NoteText,
  title: 'DisputeText',
  maxLength: 1000,
  examples: ['The parcel has never arrived. The shop does not answer.'],
}
const DisputeReason = oneOf(disputeReasons, { description: 'What is wrong with the payment.' })

export const Dispute = named('Dispute', {
  id: DisputeId,
  paymentId: CardPaymentId,
  accountId: AccountId,
  userId: UserId,
  merchant: ShownMerchantName,
  captured: Amount,
  currency: Currency,
  status: oneOf(disputeStatuses, {
    description:
      'Open: it waits for staff or a processor. Charged back: the money is credited ' +
      'provisionally. Won, lost, withdrawn: its chargeback has ended so. Closed: by staff.',
  }),
  reason: DisputeReason,
  text: nullable(Text),
  chargebackId: nullable(ChargebackId),
  closedReason: nullable(Reason),
  createdAt: Time,
  closedAt: nullable(Time),
})

function statusOf({ outcome, closedAt }: DisputeRow): DisputeStatus {
  if (closedAt !== null) return 'closed'
  if (outcome === null) return 'open'
  return outcome === 'open' ? 'charged_back' : outcome
}

/** Its text and its shop are null once they are erased. */
export const toDispute = (row: DisputeRow): Static<typeof Dispute> => ({
  id: row.id,
  paymentId: row.paymentId,
  accountId: row.accountId,
  userId: row.userId,
  merchant: row.merchantName,
  captured: formatAmount(row.captured, row.currency),
  currency: row.currency,
  status: statusOf(row),
  reason: row.reason,
  text: row.text,
  chargebackId: row.chargebackId,
  closedReason: row.closedReason,
  createdAt: rfc3339(row.createdAt.getTime()),
  closedAt: row.closedAt && rfc3339(row.closedAt.getTime()),
})

const path = '/api/v1/card-payments/:id/disputes'
const staff = { 'support-agent': 'any', admin: 'any' } as const
const ofPayment = closed({ id: CardPaymentId })

const create = route({
  method: 'POST',
  path,
  operation: 'disputeCardPayment',
  summary:
    'Dispute a card payment of which money was taken and has not come back. Staff and the ' +
    'processor are told. One dispute of a payment is open at a time, until it is closed or its ' +
    'chargeback has ended.',
  access: { customer: 'own' },
  limit: 'sensitive',
  params: ofPayment,
  body: closed({ reason: DisputeReason, text: Text }),
  reply: { 201: Dispute },
  refusals: ['already_exists', 'illegal_transition', 'not_found', 'unavailable'],
  example: { reason: 'not_received', text: 'The parcel has never arrived.' },
  async handle({ params, body, caller, db, service, record }) {
    const { accountId } = await approvedById(db, params.id)
    const row = await transaction(db, async (tx) => {
      // What charges it back has this lock, too.
      await lockAccount(tx, accountId)
      if (await isDisputed(tx, params.id)) refuse('already_exists')
      const { captured, refunded, chargedBack } = await approvedById(tx, params.id)
      if (captured <= refunded + chargedBack) refuse('illegal_transition')
      const now = await databaseNow(tx, service.clock)
      const made = { id: newId(now), paymentId: params.id, accountId, userId: caller.userId }
      const dispute = await addDispute(tx, { ...made, ...body, createdAt: new Date(now) })
      await record(tx, { detail: `dispute ${made.id}: ${body.reason}` })
      return dispute
    })
    return new Answer(toDispute(row), { location: `/api/v1/card-payments/${params.id}/disputes` })
  },
})

const list = route({
  method: 'GET',
  path,
  operation: 'listDisputes',
  summary: 'List the disputes of a card payment, newest first, with how each stands.',
  access: { customer: 'own', ...staff },
  service: 'read',
  limit: 'read',
  params: ofPayment,
  query: closed(pageQuery),
  reply: { 200: listSchema(Dispute) },
  refusals: ['not_found'],
  async handle({ params, db, page }) {
    await approvedById(db, params.id)
    return page({
      fetch: (after, count) => disputesOfPayment(db, params.id, after, count),
      toItem: toDispute,
    })
  },
})

const find = route({
  method: 'GET',
  path: '/api/v1/admin/disputes',
  operation: 'findDisputes',
  summary:
    'List disputes by how they stand. Without a status those that are open, which wait for staff ' +
    'or for a chargeback, oldest first; others newest first.',
  access: staff,
  service: 'operation',
  limit: 'read',
  query: closed({ ...pageQuery, status: Type.Optional(oneOf(disputeStatuses)) }),
  reply: { 200: listSchema(Dispute) },
  handle: async ({ db, query: { status = 'open' }, page }) =>
    page({
      fetch: (after, count) =>
        status === 'open'
          ? waitingDisputes(db, after, count)
          : disputesInState(db, status, after, count),
      toItem: toDispute,
    }),
})

const close = route({
  method: 'POST',
  path: '/api/v1/admin/disputes/:id/close',
  operation: 'closeDispute',
  summary: 'Close a dispute without a chargeback. Its holder reads the reason.',
  access: { admin: 'any' },
  limit: 'admin',
  params: closed({ id: DisputeId }),
  body: closed({ reason: Reason }),
  reply: { 200: Dispute },
  refusals: ['illegal_transition', 'not_found', 'unavailable'],
  example: { reason: 'The shop has proved the delivery' },
  handle: async ({ params: { id }, body, caller, db, service, record }) =>
    transaction(db, async (tx) => {
      const found = (await disputeById(tx, id)) ?? refuse('not_found')
      // A member of staff does not judge what is their own.
      if (found.userId === caller.userId)
        refuse('forbidden', { because: 'a dispute of the caller' })
      const at = new Date(await databaseNow(tx, service.clock))
      const closing = { id, at, callerId: caller.userId, reason: body.reason }
      if (!(await closeDispute(tx, closing))) refuse('illegal_transition')
      // The reason is erased one day, and the trail is not.
      await record(tx, { detail: null })
      return toDispute((await disputeById(tx, id)) as DisputeRow)
    }),
})

export const disputeRoutes = [create, list, find, close]
