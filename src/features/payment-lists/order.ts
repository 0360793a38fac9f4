// What is done with a checked list: it is ordered to be paid, or cancelled before that.
import { addEvents } from '../../audit/sql.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import { transaction } from '../../database/connections/transaction.ts'
import type { Db } from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import { once } from '../../http/once.ts'
import { Answer, type Context } from '../../http/route.ts'
import { readIdempotencyKey } from '../../ledger/batch/idempotency.ts'
import { lockAccount, requireActive, requireOpen } from '../accounts/sql.ts'
import { queueListMail } from '../mail/lists-sql.ts'
import { toTermsCaller } from '../orders/creation.ts'
import { checkedKeptMs } from './purge.ts'
import { toList } from './schemas.ts'
import {
  addPayees,
  cancelList,
  largestOf,
  listById,
  type ListRow,
  orderList,
  unknownPayeesOf,
} from './sql.ts'

type ListContext = Context<{ id: string }>

/**
 * What a person confirms: how many payments, their sum, the three largest, and the hash of all
 * lines (Regulation (EU) 2018/389, Article 5(3)(b)).
 */
export async function showList({
  params: { id },
  db,
}: Pick<ListContext, 'params' | 'db'>): Promise<ShownTerms> {
  const list = await listById(db, id)
  const { currency, executeOn, readyCount, readyTotal } = list
  const largest = (await largestOf(db, id)).map(
    ({ amount, payeeName, payeeIban }) =>
      `${formatAmount(amount, currency)} ${payeeName ?? ''} ${payeeIban ?? ''}`,
  )
  const [first, second, third] = largest
  return {
    fromAccountId: list.accountId,
    payments: String(readyCount),
    amount: formatAmount(readyTotal, currency),
    currency,
    ...(first !== undefined && { largest: first }),
    ...(second !== undefined && { secondLargest: second }),
    ...(third !== undefined && { thirdLargest: third }),
    ...(executeOn !== null && { executeOn }),
    linesHash: list.digest.toString('hex'),
  }
}

/** No line of it was tried. */
const isUntouched = ({ madeCount, refusedCount, lineCount, readyCount }: ListRow): boolean =>
  madeCount === 0 && refusedCount === lineCount - readyCount

/** The first answer to an order of the list. */
const asOrdered = (row: ListRow): ListRow => ({
  ...row,
  status: 'ordered',
  madeCount: 0,
  madeTotal: 0n,
  refusedCount: row.lineCount - row.readyCount,
  endedAt: null,
})

/** With an Idempotency-Key a repetition gets the first answer. */
export async function orderOnce(context: ListContext) {
  const { params, headers, caller, db, service } = context
  const { id } = params
  const { accountId } = await listById(db, id)
  const { row, isReplayed } = await once(db, service.clock, {
    callerId: caller.userId,
    key: readIdempotencyKey(headers),
    terms: ['executePaymentList', id],
    async lock(tx) {
      const account = await lockAccount(tx, accountId)
      return { account, list: await listById(tx, id) }
    },
    async make(tx, { account, list }) {
      requireActive(account)
      return order(tx, list, context)
    },
    note: () => null,
    readAgain: async (tx) => asOrdered(await listById(tx, id)),
  })
  if (!isReplayed) service.paymentLists.wake()
  return new Answer(toList(row), { ...(isReplayed && { 'idempotency-replayed': 'true' }) })
}

async function order(
  tx: Db,
  list: ListRow,
  { caller, service, record, toEvent }: ListContext,
): Promise<ListRow> {
  if (list.status !== 'checked' || list.readyCount === 0) refuse('illegal_transition')
  const at = await databaseNow(tx, service.clock)
  if (at >= list.createdAt.getTime() + checkedKeptMs) {
    refuse('illegal_transition', { because: 'it was not ordered in time' })
  }
  const day = service.clocks.days().dayOf(at)
  // A list whose day is over is checked again: its owner has not said that a later day will do.
  if (list.executeOn !== null && list.executeOn < day) {
    refuse('illegal_transition', { because: 'its day is over' })
  }
  const unknown = await unknownPayeesOf(tx, list)
  const payees = unknown.map((payee) => ({ ...payee, id: newId(at) }))
  await addPayees(tx, list, payees, at)
  await orderList(tx, list.id, { ...toTermsCaller(caller), at })
  const { readyCount, readyTotal, currency } = list
  const sum = `${readyCount} ${formatAmount(readyTotal, currency)} ${currency}`
  await record(tx, { detail: `${sum} ${list.digest.toString('hex')}` })
  const added = payees.map((payee) =>
    toEvent({ action: 'createBeneficiary', target: payee.id, detail: `list ${list.id}` }),
  )
  if (added.length > 0) await addEvents(tx, added)
  await queueListMail(tx, list.id, at)
  return listById(tx, list.id)
}

/** Until its first line was tried. An administrator cancels one of a frozen account too. */
export async function cancel({ params: { id }, caller, db, service }: ListContext): Promise<void> {
  const { accountId } = await listById(db, id)
  await transaction(db, async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (caller.grant === 'any') requireOpen(account)
    else requireActive(account)
    const list = await listById(tx, id)
    const isOpen = list.status === 'checked' || list.status === 'ordered'
    if (!isOpen || !isUntouched(list)) refuse('illegal_transition')
    await cancelList(tx, id, await databaseNow(tx, service.clock))
  })
}
