// What a mail is about, read when it is written.
import {
  currencyText,
  type Db,
  one,
  type RowOf,
  statement,
} from '../../database/statements/statement.ts'

/** The name of the person `u`; null: it was erased, or there is none. */
export const nameOrNull = `case when u.erased_at is null
     then u.given_name || ' ' || u.family_name end`
/** Whether a member of the account has made it, and its name; null: it was erased. */
export const actor = { isByMember: 'bool', memberName: 'text?' } as const
export type ByMember = RowOf<typeof actor>
/** Its columns: `a` is the account, `u` the person of the caller, if it is one. */
export const selectActor = (alias: string): string =>
  `coalesce(${alias}.caller_id = u.id and u.id <> a.owner_id, false) as "isByMember",
     ${nameOrNull} as "memberName"`

const readOne = statement(
  'mail_read_payment',
  ['uuid'],
  {
    kind: 'text',
    amount: 'int8',
    currency: currencyText,
    iban: 'text',
    payeeIban: 'text?',
    ...actor,
  },
  `select t.kind, t.amount, t.currency, a.iban,
     coalesce(t.counterparty_iban, payee.iban) as "payeeIban", ${selectActor('t')}
   from transfers t
   join accounts a on a.id = t.from_account_id
   join accounts payee on payee.id = t.to_account_id
   left join users u on u.id = t.caller_id and t.kind = 'transfer'
   where t.id = $1`,
)
export const readPayment = (db: Db, transferId: string) => one(db, readOne, [transferId])

const readOfOrder = statement(
  'mail_read_order',
  ['uuid', 'text'],
  { amount: 'int8', currency: currencyText, iban: 'text', refusal: 'text?' },
  `select o.amount, a.currency, a.iban, r.refusal
   from standing_orders o join accounts a on a.id = o.account_id
   left join standing_order_runs r on r.order_id = o.id and r.due_on = $2::text::date
   where o.id = $1`,
)
export const readOrderOf = (db: Db, orderId: string, dueOn: string) =>
  one(db, readOfOrder, [orderId, dueOn])

const readTermsOfOrder = statement(
  'mail_read_order_terms',
  ['uuid', 'int4'],
  {
    amount: 'int8',
    currency: currencyText,
    iban: 'text',
    payeeIban: 'text?',
    rhythm: 'text',
    nextOn: 'text',
    isProgram: 'bool',
    ...actor,
  },
  `select (c.terms->>'amount')::int8 as amount, c.terms->>'currency' as currency, a.iban,
     c.payee_iban as "payeeIban", c.terms->>'rhythm' as rhythm,
     coalesce(c.terms->>'nextOn', c.terms->>'firstOn') as "nextOn",
     (c.terms->>'isProgram')::bool as "isProgram", ${selectActor('c')}
   from standing_order_changes c
   join standing_orders o on o.id = c.order_id join accounts a on a.id = o.account_id
   left join users u on u.id = c.caller_id
   where c.order_id = $1 and c.version = $2`,
)
/** The terms of an order from that version on. */
export const readOrderTerms = (db: Db, orderId: string, version: number) =>
  one(db, readTermsOfOrder, [orderId, version])

const readOfCard = statement(
  'mail_read_authorization',
  ['uuid'],
  {
    amount: 'int8',
    currency: currencyText,
    iban: 'text',
    lastFour: 'text',
    merchant: 'text?',
    reason: 'text?',
  },
  `select p.amount, p.currency, a.iban, c.last_four as "lastFour", p.merchant_name as merchant,
     p.reason
   from card_authorizations p
   join cards c on c.id = p.card_id
   join accounts a on a.id = p.account_id
   where p.id = $1`,
)
export const readAuthorizationOf = (db: Db, id: string) => one(db, readOfCard, [id])

const readDisputeOf = statement(
  'mail_read_dispute',
  ['uuid', 'uuid?'],
  { amount: 'int8', currency: currencyText, lastFour: 'text', merchant: 'text?' },
  `select coalesce((select amount from transfers where id = $2), h.captured) as amount, h.currency,
     c.last_four as "lastFour", p.merchant_name as merchant
   from card_authorizations p
   join holds h on h.id = p.id
   join cards c on c.id = p.card_id
   where p.id = $1`,
)
export const readDisputedPayment = (db: Db, paymentId: string, chargebackId: string | null) =>
  one(db, readDisputeOf, [paymentId, chargebackId])

const readArrivalOf = statement(
  'mail_read_arrival',
  ['uuid'],
  { kind: 'text', amount: 'int8', currency: currencyText, iban: 'text', payerIban: 'text?' },
  `select t.kind, t.amount, t.currency, payee.iban,
     case t.kind when 'incoming' then t.counterparty_iban else payer.iban end as "payerIban"
   from transfers t
   join accounts payer on payer.id = t.from_account_id
   join accounts payee on payee.id = t.to_account_id
   where t.id = $1`,
)
export const readArrival = (db: Db, transferId: string) => one(db, readArrivalOf, [transferId])

const readBelowOf = statement(
  'mail_read_below',
  ['uuid'],
  { amount: 'int8', currency: currencyText, iban: 'text' },
  `select notice_below as amount, currency, iban from accounts
   where id = $1 and notice_below is not null`,
)
/** The amount that the balance of an account is below; undefined once its owner wants no notice. */
export const readBelow = (db: Db, accountId: string) => one(db, readBelowOf, [accountId])

const readLackingOf = statement(
  'mail_read_lacking',
  ['uuid'],
  { amount: 'int8', currency: currencyText, iban: 'text' },
  `select unarranged as amount, currency, iban from accounts where id = $1 and unarranged > 0`,
)
/** What an account lacks; undefined once it lacks nothing. */
export const readLacking = (db: Db, accountId: string) => one(db, readLackingOf, [accountId])
