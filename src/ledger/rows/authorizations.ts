// Statements of card payments, in the transaction of the batch: what it reads behind the locks of
// the accounts, and writes before its COMMIT.
import { rowArrays, sameColumns } from '../../database/statements/arrays.ts'
import {
  bareColumns,
  type Db,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import {
  type Authorization,
  authorizationColumns,
  type Card,
  cardColumns,
  type CardMail,
  type CardSpending,
  sealedTerms,
} from '../rules/authorizations.ts'
import { cardDayColumns, selectCardDay } from './card-days.ts'
import { sealNumber } from '../rules/external-ids.ts'
import { toProof } from './external-ids.ts'
import { withRows } from './feed-rows.ts'
import type { HeldAccount } from '../rules/holds.ts'
import type { ExternalId } from '../rules/movement.ts'
import { ifAny } from './transfers.ts'

const readCardRows = statement(
  'ledger_read_cards',
  ['uuid[]'],
  { ...cardColumns, ...cardDayColumns },
  sql`select ${select(cardColumns)}, ${selectCardDay}
   from cards where id = any($1)`,
)
export const readCards = (db: Db, ids: string[]): Promise<Card[]> =>
  ifAny(ids, () => db.run(readCardRows, [ids]))

const payment = {
  id: 'uuid',
  callerId: 'uuid',
  tolerance: 'int2',
  refunded: 'int8',
  chargedBack: 'int8',
  wonIds: 'uuid[]',
} as const
/** A card payment, by the identifier of its hold. */
export type Payment = RowOf<typeof payment>

const readPaymentRows = statement(
  'ledger_read_card_payments',
  ['uuid[]'],
  payment,
  `select a.id, a.caller_id as "callerId", a.tolerance, coalesce((
     select sum(t.amount) from card_refunds r join transfers t on t.id = r.transfer_id
     where r.payment_id = a.id
   ), 0)::int8 as refunded, coalesce((
     select sum(t.amount) from card_chargebacks b join transfers t on t.id = b.transfer_id
     left join chargeback_ends e on e.chargeback_id = b.transfer_id
     where b.payment_id = a.id and (e.outcome is null or e.outcome = 'won')
   ), 0)::int8 as "chargedBack", array(
     select b.transfer_id from card_chargebacks b
     join chargeback_ends e on e.chargeback_id = b.transfer_id
     where b.payment_id = a.id and e.outcome = 'won'
   ) as "wonIds"
   from card_authorizations a where a.id = any($1) and a.payment_id = a.id`,
)
/** Those of these holds that are card payments. */
export const readPayments = (db: Db, holdIds: string[]): Promise<Payment[]> =>
  ifAny(holdIds, () => db.run(readPaymentRows, [holdIds]))

const readAuthorizationRows = statement(
  'ledger_read_authorizations',
  ['uuid[]'],
  authorizationColumns,
  sql`select ${select(authorizationColumns)} from card_authorizations where id = any($1)`,
)
export const readAuthorizations = (db: Db, ids: string[]): Promise<Authorization[]> =>
  ifAny(ids, () => db.run(readAuthorizationRows, [ids]))

/** An authorisation with what is written beside it: its number, and of an approved one its hold. */
export type NewAuthorization = Authorization & {
  /** What the hold shows. */
  reference: string
  /** The day of the bank, `2026-01-31`. */
  day: string
  externalId: ExternalId | undefined
}
export type AuthorizationMail = {
  id: string
  kind: CardMail | 'card-dispute'
  userId: string
  authorizationId: string
  /** What has happened to the chargeback that a `card-dispute` is about. */
  step?: 'made' | 'lost' | 'withdrawn'
  chargebackId?: string
  createdAt: Date
}
export type Refund = { transferId: string; paymentId: string }
/** `reason`: the code of the scheme. */
export type Chargeback = Refund & { reason: string }
/** `transferId`: what has taken the money back; of one that was won null. */
export type ChargebackEnd = {
  chargebackId: string
  outcome: 'won' | 'lost' | 'withdrawn'
  transferId: string | null
  endedAt: Date
  callerId: string
}
/**
 * What is told of a card payment that was there before, in the feed of events; of `overdrawn` the
 * account is told, of a chargeback that.
 */
export type CardEvent = {
  id: string
  word:
    | 'authorized'
    | 'captured'
    | 'released'
    | 'refunded'
    | 'suspended'
    | 'overdrawn'
    | 'chargeback.made'
    | 'chargeback.lost'
    | 'chargeback.withdrawn'
  at: Date
}
/** What is written of card payments. */
export type CardRows = {
  authorizations: NewAuthorization[]
  /** By card: of its last day alone. */
  spent: Map<string, CardSpending>
  mails: AuthorizationMail[]
  refunds: Refund[]
  chargebacks: Chargeback[]
  ends: ChargebackEnd[]
  events: CardEvent[]
}

/** The hash and the seal of the number of an authorisation. */
function toSealedProof(row: NewAuthorization): Buffer | null {
  const { externalId: number, callerId, id: transferId } = row
  if (!number) return null
  const known = { callerId, externalId: number.id, bodyHash: number.bodyHash, transferId }
  return toProof({ ...known, seal: sealNumber(known, sealedTerms(row)) })
}

const authorizations = rowArrays<NewAuthorization>('a', {
  ...sameColumns(authorizationColumns, (row: NewAuthorization) => row),
  reference: ['text', ({ reference }) => reference],
  day: ['text', ({ day }) => day],
  externalId: ['text', ({ externalId }) => externalId?.id ?? null],
  proof: ['bytea', toSealedProof],
})
const spent = rowArrays<CardSpending>(
  's',
  {
    cardId: ['uuid', ({ cardId }) => cardId],
    day: ['text', ({ day }) => day],
    amount: ['int8', ({ amount }) => amount],
  },
  authorizations.takes.length + 1,
)
const accounts = rowArrays<HeldAccount>(
  'h',
  {
    id: ['uuid', ({ id }) => id],
    held: ['int8', ({ held }) => held],
    heldUntil: ['timestamptz', ({ heldUntil }) => heldUntil],
    activeHolds: ['int4', ({ activeHolds }) => activeHolds],
  },
  authorizations.takes.length + spent.takes.length + 1,
)
// A cancelled card authorises nothing any more, and its row stays as it is.
const writeAuthorizationRows = statement(
  'ledger_write_authorizations',
  [...authorizations.takes, ...spent.takes, ...accounts.takes],
  sql`with asked as materialized (
     select ${bareColumns(authorizationColumns)},
       reason is null and payment_id = id and not is_cleared as is_placed,
       reference, day, external_id, proof
     from ${authorizations.unnest}
   ), kept as (
     update accounts a
     set held = h.held, held_until = h.held_until, active_holds = h.active_holds
     from ${accounts.unnest} where a.id = h.id
   ), placed as (
     insert into holds (
       id, account_id, card_id, kind, currency, reference, caller_id, created_at, amount, remaining,
       status, expires_at, counted, counted_on
     )
     select id, account_id, card_id, 'authorization', currency, reference, caller_id, created_at,
       amount, amount, 'active', expires_at, amount, day::date
     from asked where is_placed
   ), counted as (
     update cards c
     set spent_on = s.day::date, spent_amount = s.amount
       + case when c.spent_on = s.day::date then c.spent_amount else 0 end
     from ${spent.unnest}
     where c.id = s.card_id and c.status <> 'cancelled'
       and (c.spent_on is null or c.spent_on <= s.day::date)
   ), numbered as (
     -- In one order in every batch: two batches can wait for each other in one direction only.
     insert into external_ids (caller_id, external_id, body_hash, transfer_id, seal)
     select caller_id, external_id, substring(proof, 1, 32), id, substring(proof, 33)
     from asked where external_id is not null
     order by caller_id, external_id collate "C"
   ), told as (
     insert into events (type, at, ids)
     select told.type, of.at, told.ids
     from (
       select max(created_at) as at, array_agg(id) filter (where is_placed) as placed,
         array_agg(id) filter (where reason is not null) as declined
       from asked
     ) of, lateral (values
       ('hold.created', of.placed), ('card.payment.authorized', of.placed),
       ('card.payment.declined', of.declined)
     ) as told (type, ids)
     where told.ids is not null
   )
   insert into card_authorizations (${bareColumns(authorizationColumns)})
   select ${bareColumns(authorizationColumns)} from asked`,
)
/**
 * Writes, in one statement, the authorisations, the holds that they place, their numbers, the
 * events, and what counts to the day's limit of cards.
 *
 * @param held accounts of which only that has changed what they hold
 */
export const writeAuthorizations = (
  db: Db,
  rows: Pick<CardRows, 'authorizations' | 'spent'>,
  held: readonly HeldAccount[],
) =>
  db.run(writeAuthorizationRows, [
    ...authorizations.values(rows.authorizations),
    ...spent.values([...rows.spent.values()]),
    ...accounts.values(held),
  ])

const mails = rowArrays<AuthorizationMail>('m', {
  id: ['uuid', ({ id }) => id],
  kind: ['text', ({ kind }) => kind],
  userId: ['uuid', ({ userId }) => userId],
  authorizationId: ['uuid', ({ authorizationId }) => authorizationId],
  step: ['text', ({ step }) => step ?? null],
  chargebackId: ['uuid', ({ chargebackId }) => chargebackId ?? null],
  createdAt: ['timestamptz', ({ createdAt }) => createdAt],
})
const refunds = rowArrays<Refund>(
  'r',
  {
    transferId: ['uuid', ({ transferId }) => transferId],
    paymentId: ['uuid', ({ paymentId }) => paymentId],
  },
  mails.takes.length + 1,
)
const events = rowArrays<CardEvent & { row: number }>(
  'e',
  {
    id: ['uuid', ({ id }) => id],
    row: ['int4', ({ row }) => row],
    word: ['text', ({ word }) => word],
    at: ['timestamptz', ({ at }) => at],
  },
  mails.takes.length + refunds.takes.length + 1,
)
const writeCardRowsStatement = statement(
  'ledger_write_card_rows',
  [...mails.takes, ...refunds.takes, ...events.takes],
  sql`with told as (
     insert into events (type, at, ids)
     select case
         when e.word = 'overdrawn' then 'account.' || e.word
         when e.word like 'chargeback.%' then e.word
         else 'card.payment.' || e.word
       end,
       max(e.at), array_agg(e.id) from ${events.unnest}
     group by e.row, e.word order by e.row
   ), refunded as (
     insert into card_refunds (transfer_id, payment_id)
     select r.transfer_id, r.payment_id from ${refunds.unnest}
   )
   insert into mails (
     id, kind, user_id, authorization_id, dispute_step, chargeback_id, created_at, due_at,
     expires_at
   )
   select m.id, m.kind, m.user_id, m.authorization_id, m.step, m.chargeback_id, m.created_at,
     m.created_at, m.created_at + interval '1 day'
   from ${mails.unnest} where not mail_is_unwanted(m.user_id, m.kind, m.created_at)`,
)
/** What else is written of card payments, behind the holds, which refunds refer to. */
export const writeCardRows = (db: Db, rows: Pick<CardRows, 'mails' | 'refunds' | 'events'>) =>
  db.run(writeCardRowsStatement, [
    ...mails.values(rows.mails),
    ...refunds.values(rows.refunds),
    ...events.values(withRows(rows.events)),
  ])
const chargebacks = rowArrays<Chargeback>('b', {
  transferId: ['uuid', ({ transferId }) => transferId],
  paymentId: ['uuid', ({ paymentId }) => paymentId],
  reason: ['text', ({ reason }) => reason],
})
const ends = rowArrays<ChargebackEnd>(
  'n',
  {
    chargebackId: ['uuid', ({ chargebackId }) => chargebackId],
    outcome: ['text', ({ outcome }) => outcome],
    transferId: ['uuid', ({ transferId }) => transferId],
    endedAt: ['timestamptz', ({ endedAt }) => endedAt],
    callerId: ['uuid', ({ callerId }) => callerId],
  },
  chargebacks.takes.length + 1,
)
const writeChargebackRows = statement(
  'ledger_write_chargebacks',
  [...chargebacks.takes, ...ends.takes],
  sql`with ended as (
     insert into chargeback_ends (chargeback_id, outcome, transfer_id, ended_at, caller_id)
     select n.chargeback_id, n.outcome, n.transfer_id, n.ended_at, n.caller_id from ${ends.unnest}
   )
   insert into card_chargebacks (transfer_id, payment_id, reason)
   select b.transfer_id, b.payment_id, b.reason from ${chargebacks.unnest}`,
)
const takeUpDispute = statement(
  'ledger_take_up_dispute',
  ['uuid', 'uuid'],
  `update card_disputes set chargeback_id = $2
   where payment_id = $1 and chargeback_id is null and closed_at is null`,
)
/**
 * Chargebacks and ends of such. There are few, so that the open dispute of a payment, which names
 * its chargeback from then on, is looked up by a statement of its own.
 */
export const writeChargebacks = (db: Db, rows: Pick<CardRows, 'chargebacks' | 'ends'>) =>
  Promise.all([
    db.run(writeChargebackRows, [
      ...chargebacks.values(rows.chargebacks),
      ...ends.values(rows.ends),
    ]),
    ...rows.chargebacks.map(({ paymentId, transferId }) =>
      db.run(takeUpDispute, [paymentId, transferId]),
    ),
  ])
