// Whether an order of a person with a second factor is confirmed, or needs no confirmation. Exempt
// are money that stays with the same customer, trusted beneficiaries and small sums (Regulation
// (EU) 2018/389, Articles 15, 13 and 16).
import { rowArrays } from '../database/arrays.ts'
import { type Db, select, sql, statement } from '../database/statement.ts'
import { type Confirmed, confirms } from '../gate/confirmations.ts'
import type { AuditEvent } from '../audit/sql.ts'
import type { Order } from './order.ts'
import type { BeneficiaryRow } from './sql.ts'

/** Payments out of an account without a confirmation, since the last confirmed one. */
export type Unconfirmed = { amount: bigint; count: number }

/** Consecutive payments without a confirmation: Regulation (EU) 2018/389, Article 16(c). */
const unconfirmedCountMax = 5

const none: Unconfirmed = { amount: 0n, count: 0 }

type ConfirmationFacts = {
  now: number
  /** Confirmations that can be used up, by challenge. */
  confirmed: Map<string, Confirmed>
  /** By account. */
  unconfirmed: Map<string, Unconfirmed>
}

/** What is written of confirmations if the order takes effect. */
export type ConfirmationPlan = {
  /** Challenges that are used up. */
  used: string[]
  /** By account. */
  unconfirmed: Map<string, Unconfirmed>
}

/**
 * Uses up the order's confirmation and gives its event, or counts the payment among the unconfirmed
 * ones. Gives `missing` when the order has to be confirmed first; then nothing is changed.
 */
export function takeConfirmation(
  { confirmation, kind, fromAccountId, beneficiaryId, amount }: Order,
  beneficiary: Pick<BeneficiaryRow, 'trusted'> | undefined,
  { now, confirmed, unconfirmed }: ConfirmationFacts,
  plan: ConfirmationPlan,
): AuditEvent | 'missing' | undefined {
  if (!confirmation) return undefined
  const count = (payments: Unconfirmed): void => {
    unconfirmed.set(fromAccountId, payments)
    plan.unconfirmed.set(fromAccountId, payments)
  }
  const { challengeId, exempt } = confirmation
  const isPayment = kind === 'transfer' && beneficiaryId !== undefined
  if (challengeId !== undefined) {
    const challenge = confirmed.get(challengeId)
    if (!confirms(challenge, confirmation, now)) return 'missing'
    confirmed.delete(challengeId)
    plan.used.push(challengeId)
    if (isPayment) count(none)
    return confirmation.event
  }
  if (kind !== 'transfer') return 'missing'
  if (!isPayment || beneficiary?.trusted) return undefined
  const before = unconfirmed.get(fromAccountId) ?? none
  const payments = { amount: before.amount + amount, count: before.count + 1 }
  const isSmall = amount <= exempt.amount && payments.amount <= exempt.sum
  if (!isSmall || payments.count > unconfirmedCountMax) return 'missing'
  count(payments)
  return undefined
}

const unconfirmedColumns = { accountId: 'uuid', amount: 'int8', count: 'int4' } as const

/** Read behind the locks of the accounts, which every writer of them has. */
export const readUnconfirmed = statement(
  'ledger_read_unconfirmed',
  ['uuid[]'],
  unconfirmedColumns,
  sql`select ${select(unconfirmedColumns)} from unconfirmed_payments where account_id = any($1)`,
)

const payments = rowArrays<[accountId: string, Unconfirmed]>('p', {
  accountId: ['uuid', ([accountId]) => accountId],
  amount: ['int8', ([, { amount }]) => amount],
  count: ['int4', ([, { count }]) => count],
})
const writeUnconfirmedRows = statement(
  'ledger_write_unconfirmed',
  payments.takes,
  {},
  sql`insert into unconfirmed_payments (account_id, amount, count)
   select account_id, amount, count from ${payments.unnest}
   on conflict (account_id) do update set amount = excluded.amount, count = excluded.count`,
)
export const writeUnconfirmed = (db: Db, rows: Map<string, Unconfirmed>) =>
  db.run(writeUnconfirmedRows, payments.values([...rows]))
