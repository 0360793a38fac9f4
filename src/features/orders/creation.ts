// The creation of a standing order: once for each Idempotency-Key.
import type { Static } from '../../domain/type.ts'
import type { Db } from '../../database/statements/statement.ts'
import type { HolidayRule } from '../../domain/calendar/business-days.ts'
import { countLimit, invalid, refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Caller } from '../../gate/roles.ts'
import { once } from '../../http/once.ts'
import { Answer, type Context } from '../../http/route.ts'
import { readIdempotencyKey } from '../../ledger/batch/idempotency.ts'
import { lockAccount, type LockedRow, requireActive } from '../accounts/sql.ts'
import { parsePositiveAmount } from '../movements/schemas.ts'
import { queueOrderMail } from '../mail/sql.ts'
import { toPayeeColumns } from '../../ledger/rules/payee-check.ts'
import { signaturesNeeded } from '../../ledger/rules/signatures.ts'
import {
  type CarriedCheck,
  readCarried,
  requireProven,
  requireSamePayee,
} from '../payee-checks/carried.ts'
import { keepChange } from './changes-sql.ts'
import { type NewOrder, toOrder } from './schemas.ts'
import { addOrder, orderById, type OrderRow, ordersMax } from './sql.ts'
import { readDay, requireDays, requireTarget } from './terms.ts'

/** The caller that sets the terms: runs are judged by that caller, and their transfers name it. */
export const toTermsCaller = ({ userId, sessionId, service }: Caller) => ({
  callerId: userId,
  sessionId,
  isProgram: service !== undefined,
})

type Creation = Context<{ accountId: string }, undefined, Static<typeof NewOrder>>
type NewTerms = ReturnType<typeof readTerms> & { onHoliday: HolidayRule }
type Make = (
  tx: Db,
  account: LockedRow | undefined,
  terms: NewTerms,
  context: Creation,
  check: CarriedCheck | undefined,
) => Promise<OrderRow>

/** With an Idempotency-Key a repetition gets the first answer, also when the payee is gone. */
export async function makeOnce(context: Creation, make: Make) {
  const { body, headers, caller, db, service } = context
  const { accountId } = context.params
  const terms = readTerms(body)
  const { onHoliday = service.config.onHoliday } = body
  const check = await readCarried(db, body, caller)
  const { payeeResult, payeeAccepted } = toPayeeColumns(check)
  // Other orders add nothing, so that claims of another version compare.
  const checked = check ? [check.id, check.isAccepted] : []
  const ruled = body.onHoliday === undefined ? [] : ['onHoliday', body.onHoliday]
  const { row, isReplayed } = await once(db, service.clock, {
    callerId: caller.userId,
    key: readIdempotencyKey(headers),
    terms: ['createOrder', accountId, body.currency, ...Object.values(terms), ...checked, ...ruled],
    lock: (tx) => lockAccount(tx, accountId),
    make: (tx, account) => make(tx, account, { ...terms, onHoliday }, context, check),
    note: toNote,
    async readAgain(tx, id, noted) {
      const { limit, rule } = readNote(noted)
      const present = await orderById(tx, id)
      const { userId: callerId } = caller
      const limits = { dailyTransferLimit: limit, nextOn: terms.firstOn }
      const first = { ...terms, callerId, ...limits, onHoliday: rule, payeeResult, payeeAccepted }
      return { ...present, ...first, status: 'active' as const, pausedBecause: null }
    },
  })
  return new Answer(toOrder(row), {
    location: `/api/v1/orders/${row.id}`,
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
  })
}

/** What the first answer says that its request does not. */
function toNote({ dailyTransferLimit, onHoliday }: OrderRow): string | null {
  const limit = dailyTransferLimit?.toString() ?? null
  return onHoliday === 'pay' ? limit : `${limit ?? ''} ${onHoliday}`
}

function readNote(note: string | null): { limit: bigint | null; rule: HolidayRule } {
  const [limit = '', rule = 'pay'] = note?.split(' ') ?? []
  return { limit: limit === '' ? null : BigInt(limit), rule: rule as HolidayRule }
}

/** The terms of a new order, in one sequence: a repetition is known by their values. */
function readTerms(body: Static<typeof NewOrder>) {
  const firstOn = readDay(body.firstOn, '/body/firstOn')
  const lastOn = body.lastOn === undefined ? null : readDay(body.lastOn, '/body/lastOn')
  requireDays(firstOn, lastOn)
  return {
    beneficiaryId: body.beneficiaryId ?? null,
    toAccountId: body.toAccountId ?? null,
    amount: parsePositiveAmount(body),
    reference: body.reference ?? '',
    rhythm: body.rhythm,
    firstOn,
    lastOn,
    retryDays: body.retryDays ?? 0,
  }
}

export const makeOrder: Make = async (tx, found, terms, context, check) => {
  const { body, caller, now, service } = context
  const { accountId } = context.params
  if (terms.firstOn < service.clocks.days().dayOf(now)) invalid('/body/firstOn', 'is in the past')
  const account = requireActive(found)
  if (account.currency !== body.currency) refuse('currency_mismatch')
  const payee = await requireTarget(tx, { accountId, currency: body.currency }, body)
  requireSamePayee(check, payee)
  if (payee) await requireProven(tx, check, service)
  // Its runs are, too: no order is made that one person alone has signed.
  if (signaturesNeeded(account, terms.amount, now) > 1) refuse('signature_required')
  const { payeeResult, payeeAccepted } = toPayeeColumns(check)
  const whose = { id: newId(now), accountId, ...toTermsCaller(caller), createdAt: new Date(now) }
  if (!(await addOrder(tx, { ...whose, ...terms, payeeResult, payeeAccepted }))) {
    refuse('limit_exceeded', { limit: countLimit('orders', ordersMax) })
  }
  const version = await keepChange(tx, whose.id, context)
  await queueOrderMail(tx, 'order-made', { orderId: whose.id, version }, now)
  return orderById(tx, whose.id)
}
