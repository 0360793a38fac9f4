// Statements of card payments, in the transaction of the batch: what it reads behind the locks of
// the accounts, and writes before its COMMIT.
import { rowArrays, sameColumns } from '../database/arrays.ts'
import { bare, type Db, type RowOf, select, sql, statement } from '../database/statement.ts'
import { idAt } from '../domain/ids.ts'
import {
  type Authorization,
  authorizationColumns,
  type Card,
  cardColumns,
  type CardMail,
  type Spending,
} from './authorizations.ts'
import { withRows } from './feed-rows.ts'
import { ifAny } from './sql.ts'

const readCardRows = statement(
  'ledger_read_cards',
  ['uuid[]'],
  cardColumns,
  sql`select ${select(cardColumns)} from cards where id = any($1)`,
)
export const readCards = (db: Db, ids: string[]): Promise<Card[]> =>
  ifAny(ids, () => db.run(readCardRows, [ids]))

/**
 * Longer than any day of the bank, also one in which its time zone changes: from the one farthest
 * ahead to the one farthest behind. And by how far clocks may differ.
 */
const longestDayMs = 52 * 3_600_000 + 10_000

// `offset 0`: each card is looked up by itself, whatever PostgreSQL knows of the tables.
const readSpendingRows = statement(
  'ledger_read_spendings',
  ['uuid[]', 'uuid'],
  {
    cardId: 'uuid',
    paymentId: 'uuid',
    amount: 'int8',
    createdAt: 'timestamptz',
    captured: 'int8',
    remaining: 'int8',
    expiresAt: 'timestamptz?',
  },
  `select a.card_id as "cardId", a.payment_id as "paymentId", a.amount, a.created_at as "createdAt",
     h.captured, h.remaining, h.expires_at as "expiresAt"
   from cards c
   cross join lateral (
     select card_id, payment_id, amount, created_at from card_authorizations
     where card_id = c.id and id >= $2 and reason is null offset 0
   ) a
   cross join lateral (
     select captured, remaining, expires_at from holds where id = a.payment_id offset 0
   ) h
   where c.id = any($1) and c.per_day_limit is not null`,
)
/** Of cards with a limit of the day: what was authorised on the day of `now`, and maybe before. */
export const readSpendings = (db: Db, cardIds: string[], now: number): Promise<SpendingRow[]> =>
  ifAny(cardIds, () => db.run(readSpendingRows, [cardIds, idAt(now - longestDayMs)]))
type SpendingRow = RowOf<typeof readSpendingRows.gives>

/** What a batch reads of cards. */
export type CardFacts = {
  cards: Map<string, Card>
  /** By card. */
  spendings: Map<string, readonly Spending[]>
  /** By hold. */
  payments: Map<string, Payment>
}

/** What a hold keeps of its account at that time, and what was taken of it. */
export const keptOf = (
  { captured, remaining, expiresAt }: Pick<SpendingRow, 'captured' | 'remaining' | 'expiresAt'>,
  at: number,
): bigint => (expiresAt !== null && expiresAt.getTime() <= at ? captured : captured + remaining)

export function toCardFacts(
  cards: readonly Card[],
  spendings: readonly SpendingRow[],
  payments: readonly Payment[],
  now: number,
): CardFacts {
  const toSpending = (row: SpendingRow): Spending => ({ ...row, kept: keptOf(row, now) })
  const byCard = Map.groupBy(
    spendings.map(toSpending),
    (_, index) => spendings[index]?.cardId ?? '',
  )
  return {
    cards: new Map(cards.map((row) => [row.id, row])),
    spendings: byCard,
    payments: new Map(payments.map((row) => [row.id, row])),
  }
}

const payment = { id: 'uuid', callerId: 'uuid', refunded: 'int8' } as const
/** A card payment, by the identifier of its hold. Changed as orders are decided. */
export type Payment = {
  -readonly [Name in keyof RowOf<typeof payment>]: RowOf<typeof payment>[Name]
}

const readPaymentRows = statement(
  'ledger_read_card_payments',
  ['uuid[]'],
  payment,
  `select a.id, a.caller_id as "callerId", coalesce((
     select sum(t.amount) from card_refunds r join transfers t on t.id = r.transfer_id
     where r.payment_id = a.id
   ), 0)::int8 as refunded
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

/** An authorisation with the mail that tells its holder of it. */
export type NewAuthorization = Authorization & {
  mail: { id: string; kind: CardMail; userId: string } | null
}
export type Refund = { transferId: string; paymentId: string }
/** What is told of a card payment, in the feed of events. */
export type CardEvent = {
  id: string
  word: 'authorized' | 'declined' | 'captured' | 'released' | 'refunded'
  at: Date
}
/** What is written of card payments. */
export type CardRows = {
  authorizations: NewAuthorization[]
  refunds: Refund[]
  events: CardEvent[]
}

const authorizations = rowArrays<NewAuthorization>('a', {
  ...sameColumns(authorizationColumns, (row: NewAuthorization) => row),
  mailId: ['uuid', ({ mail }) => mail?.id ?? null],
  mailKind: ['text', ({ mail }) => mail?.kind ?? null],
  userId: ['uuid', ({ mail }) => mail?.userId ?? null],
})
const refunds = rowArrays<Refund>(
  'r',
  {
    transferId: ['uuid', ({ transferId }) => transferId],
    paymentId: ['uuid', ({ paymentId }) => paymentId],
  },
  authorizations.takes.length + 1,
)
const events = rowArrays<CardEvent & { row: number }>(
  'e',
  {
    id: ['uuid', ({ id }) => id],
    row: ['int4', ({ row }) => row],
    word: ['text', ({ word }) => word],
    at: ['timestamptz', ({ at }) => at],
  },
  authorizations.takes.length + refunds.takes.length + 1,
)
const writeCardRowsStatement = statement(
  'ledger_write_card_rows',
  [...authorizations.takes, ...refunds.takes, ...events.takes],
  {},
  sql`with asked as materialized (
     select ${bare(authorizationColumns)}, mail_id, mail_kind, user_id
     from ${authorizations.unnest}
   ), told as (
     insert into events (type, at, ids)
     select 'card.payment.' || e.word, max(e.at), array_agg(e.id) from ${events.unnest}
     group by e.row, e.word order by e.row
   ), mailed as (
     insert into mails (id, kind, user_id, authorization_id, created_at, due_at, expires_at)
     select mail_id, mail_kind, user_id, id, created_at, created_at, created_at + interval '1 day'
     from asked where mail_id is not null and not alerts_paused(user_id, mail_kind, created_at)
   ), refunded as (
     insert into card_refunds (transfer_id, payment_id)
     select transfer_id, payment_id from ${refunds.unnest}
   )
   insert into card_authorizations (${bare(authorizationColumns)})
   select ${bare(authorizationColumns)} from asked`,
)
/** Behind the holds, which authorisations and refunds refer to. */
export const writeCardRows = (db: Db, rows: CardRows) =>
  db.run(writeCardRowsStatement, [
    ...authorizations.values(rows.authorizations),
    ...refunds.values(rows.refunds),
    ...events.values(withRows(rows.events)),
  ])
