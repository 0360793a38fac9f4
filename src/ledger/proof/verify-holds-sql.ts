// Statements of the verification that read holds, authorisations and cards, with what the books and
// the trail say of them.
import {
  bareColumns,
  currencyText,
  fragment,
  type Fragment,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { chooseOf } from './verify-pages.ts'

/** The first identifier of a time. */
const idOf = (time: Fragment): Fragment =>
  fragment`(lpad(to_hex((extract(epoch from ${time}) * 1000)::int8), 12, '0')
       || repeat('0', 20))::uuid`

/**
 * Events of a hold at about a time: recorded with the request, up to a quarter of an hour before
 * the transaction of the change is dated.
 */
const eventsAbout = (target: Fragment, time: Fragment): Fragment =>
  fragment`select detail, actor_id from audit_events
     where target = ${target} and outcome = 'success'
       and id >= ${idOf(fragment`${time} - interval '15 minutes'`)}
       and id < ${idOf(fragment`${time} + interval '1 minute'`)}`

const hold = {
  id: 'uuid',
  accountId: 'uuid',
  kind: 'text',
  currency: currencyText,
  callerId: 'uuid',
  createdAt: 'timestamptz',
  amount: 'int8',
  captured: 'int8',
  remaining: 'int8',
  status: 'text',
  expiresAt: 'timestamptz?',
  endedAt: 'timestamptz?',
  counted: 'int8',
} as const

/** Those that are active, are new since `$3`, or have ended or moved money since `$3` and `$4`. */
const chosenHolds = chooseOf(
  {
    columns: fragment`${bareColumns(hold)}, card_id, counted_on, reference`,
    from: fragment`holds where id > $1`,
    key: fragment`id`,
  },
  fragment`(id >= $3 or status = 'active' or ended_at >= $4 or id in (
       select hold_id from hold_captures where transfer_id >= $3
       union all
       select payment_id from card_refunds where transfer_id >= $3
       union all
       select payment_id from card_chargebacks where transfer_id >= $3
       union all
       select c.payment_id from chargeback_ends e
       join card_chargebacks c on c.transfer_id = e.chargeback_id
       where e.ended_at >= $4 or e.transfer_id >= $3
     ))`,
)

/**
 * Holds with what the books say was captured of them and came back, and with what the trail has of
 * those that are no card payments, or were changed beside their authorisations. They are those that
 * are active, and those that are new since `$3` and `$4` or have ended or moved money since then.
 *
 * - `lastCapturedAt`: what was cleared after its end is left out; `unheld` is what of all that was
 *   captured was not held;
 * - `approvals`: of a card payment what was authorised, each amount with its time in milliseconds
 *   since the epoch; `authorized` is their sum, `authorizedUntil` when the last of them expires;
 * - `placing`: the detail of the event that placed it;
 * - `changes`: those of its last changes, a line each. Two at once may be recorded in any order.
 */
export const readHoldPage = statement(
  'verify_read_hold_page',
  ['uuid', 'int8', 'uuid', 'timestamptz'],
  {
    ...hold,
    capturedByTransfers: 'int8',
    lastCapturedAt: 'timestamptz?',
    unheld: 'int8',
    isRightlyCaptured: 'bool',
    isOfAccount: 'bool',
    refundedByTransfers: 'int8',
    isRightlyRefunded: 'bool',
    chargedBack: 'int8',
    isRightlyChargedBack: 'bool',
    isOfCard: 'bool',
    isRightlyAuthorized: 'bool',
    countedOn: 'text?',
    isCounted: 'bool',
    approvals: 'text?',
    authorized: 'int8?',
    authorizedUntil: 'timestamptz?',
    placing: 'text?',
    placedBy: 'uuid?',
    changes: 'text?',
    isReleaseRecorded: 'bool',
  },
  sql`select ${select(hold, 'h')}, c.amount as "capturedByTransfers",
     c.last_at as "lastCapturedAt", c.unheld, c.is_right as "isRightlyCaptured",
     coalesce(a.currency = h.currency, false)
       and (h.card_id is null or coalesce(d.account_id = h.account_id, false)) as "isOfAccount",
     r.amount as "refundedByTransfers", r.is_right as "isRightlyRefunded",
     g.amount as "chargedBack", g.is_right as "isRightlyChargedBack",
     h.counted_on is not null or coalesce(p.is_cleared, false) as "isOfCard",
     coalesce(p.is_right, h.counted_on is null) as "isRightlyAuthorized",
     h.counted_on::text as "countedOn",
     h.counted_on is null or coalesce(d.status = 'cancelled' or d.spent_on >= h.counted_on, false)
       as "isCounted",
     y.approvals, y.amount as authorized, y.until as "authorizedUntil",
     n.detail as placing, n.actor_id as "placedBy", u.details as changes,
     coalesce(e.is_recorded, false) as "isReleaseRecorded"
   from ${chosenHolds} h
   left join accounts a on a.id = h.account_id
   left join cards d on d.id = h.card_id
   cross join lateral (
     select string_agg(x.amount || ' ' || (extract(epoch from x.created_at) * 1000)::int8, ',')
         filter (where not x.is_cleared) as approvals,
       sum(x.amount)::int8 as amount, (array_agg(x.expires_at order by x.id desc))[1] as until
     from (
       select id, amount, created_at, expires_at, is_cleared from card_authorizations
       where id = h.id and reason is null
       union all
       select id, amount, created_at, expires_at, is_cleared from card_authorizations
       where payment_id = h.id and payment_id <> id and reason is null
     ) x
   ) y
   left join lateral (
     select reason is null and payment_id = h.id and card_id = h.card_id
       and account_id = h.account_id and currency = h.currency and caller_id = h.caller_id
       and created_at = h.created_at and h.kind = 'authorization'
       and (h.counted_on is null) = is_cleared
       and (not is_cleared
         or (h.status, h.ended_at, tolerance) = ('captured', h.created_at, 0))
       -- Each may be erased.
       and (merchant_name is null or h.reference in (merchant_name, '')) as is_right,
       is_cleared, trunc(h.amount::numeric * tolerance / 100) as tolerated
     from card_authorizations where id = h.id
   ) p on true
   cross join lateral (
     select coalesce(sum(t.amount), 0)::int8 as amount,
       max(t.created_at) filter (where t.kind <> 'clearing' or t.created_at <= h.ended_at)
         as last_at,
       coalesce(sum(k.unheld), 0)::int8 as unheld,
       coalesce(bool_and(coalesce(
         t.kind = any(case when p.is_right then array['card', 'clearing'] else array['capture'] end)
           and t.currency = h.currency and k.unheld <= t.amount and (
             t.from_account_id = h.account_id
             -- What was cleared when the account was closed.
             or (t.kind = 'clearing' and exists (
               select from accounts where id = t.from_account_id and kind = 'suspense')))
           -- Before its end all was held; after it nothing, and only a clearing takes that.
           and (k.unheld = 0 or t.created_at >= h.ended_at)
           and (t.created_at <= h.ended_at or h.ended_at is null
             or (t.kind = 'clearing' and k.unheld = t.amount)), false
       )), true)
         and coalesce(sum(k.unheld) filter (where t.kind <> 'clearing'), 0)
           <= coalesce(p.tolerated, 0)
         and coalesce(sum(t.amount - k.unheld), 0)
           <= case when p.is_cleared then 0 else h.amount end
         -- The clearing that made it.
         and (not coalesce(p.is_cleared, false)
           or coalesce(bool_or(t.kind = 'clearing' and t.created_at = h.created_at
             and t.amount = h.amount), false)) as is_right
     from hold_captures k left join transfers t on t.id = k.transfer_id
     where k.hold_id = h.id
   ) c
   cross join lateral (
     select coalesce(sum(t.amount), 0)::int8 as amount, coalesce(bool_and(coalesce(
       t.kind = 'refund' and t.currency = h.currency and (
         t.to_account_id = h.account_id
         -- What came back when the account was closed.
         or exists (select from accounts where id = t.to_account_id and kind = 'suspense')),
       false
     )), true) as is_right
     from card_refunds k left join transfers t on t.id = k.transfer_id
     where k.payment_id = h.id
   ) r
   cross join lateral (
     select coalesce(sum(t.amount) filter (where coalesce(n.outcome, 'won') = 'won'), 0)::int8
         as amount,
       coalesce(bool_and(coalesce(
         t.kind = 'chargeback' and t.currency = h.currency and p.is_right and (
           t.to_account_id = h.account_id
           -- What came back when the account was closed.
           or exists (select from accounts where id = t.to_account_id and kind = 'suspense')),
         false
       )), true) as is_right
     from card_chargebacks k left join transfers t on t.id = k.transfer_id
     left join chargeback_ends n on n.chargeback_id = k.transfer_id
     where k.payment_id = h.id
   ) g
   left join lateral (
     ${eventsAbout(fragment`h.account_id`, fragment`h.created_at`)}
       and action = 'createHold' and h.counted_on is null and detail like 'hold ' || h.id || '%'
     limit 1
   ) n on true
   cross join lateral (
     select string_agg(coalesce(v.detail, ''), E'\\n') as details from (
       select detail from audit_events
       where target = h.id and outcome = 'success'
         and action in ('updateHold', 'incrementCardPayment')
         and (h.counted_on is null or (h.amount, h.expires_at) is distinct from (y.amount, y.until))
       order by id desc limit 3
     ) v
   ) u
   left join lateral (
     select true as is_recorded from (
       ${eventsAbout(fragment`h.id`, fragment`h.ended_at`)}
         and action in ('releaseHold', 'releaseCardPayment') and h.status = 'released'
       limit 1
     ) v
   ) e on true
   order by h.id`,
)

/**
 * Authorisations that name a card, an account or a payment which is not there, or not theirs. One
 * that raises a payment is of its channel and of its merchant. The demo of 0.3.0 numbered none:
 * only those since the migration of the next release have to have a number.
 */
export const readAuthorizationPage = statement(
  'verify_read_authorization_page',
  ['uuid', 'int8'],
  {
    id: 'uuid',
    createdAt: 'timestamptz',
    isNumbered: 'bool',
    isErasedWhole: 'bool',
    isOfCard: 'bool',
    isOfPayment: 'bool',
  },
  sql`select x.id, x.created_at as "createdAt",
     x.is_cleared or exists (select from external_ids where transfer_id = x.id) or exists (
       select from migrations where name = '0056_sealed_numbers' and run_on > x.created_at
     ) as "isNumbered",
     num_nulls(x.merchant_name, x.merchant_category, x.merchant_country) in (0, 3)
       as "isErasedWhole",
     coalesce(c.account_id = x.account_id, false) as "isOfCard",
     case
       when x.payment_id is null then not x.is_cleared
       when x.payment_id = x.id then coalesce(h.card_id = x.card_id, false)
       else coalesce(
         h.card_id = x.card_id and h.account_id = x.account_id and f.channel = x.channel
           and not x.is_cleared
           and (f.merchant_name is null or x.merchant_name is null
             or (f.merchant_name, f.merchant_category, f.merchant_country)
               = (x.merchant_name, x.merchant_category, x.merchant_country)),
         false)
     end as "isOfPayment"
   from (
     select id, card_id, account_id, payment_id, channel, created_at, merchant_name,
       merchant_category, merchant_country, is_cleared
     from card_authorizations where id > $1 order by id limit $2
   ) x
   left join cards c on c.id = x.card_id
   left join holds h on h.id = x.payment_id
   left join card_authorizations f on f.id = case when x.payment_id <> x.id then x.payment_id end
   order by x.id`,
)

/** Those of chargebacks that are new since `$3`, or ended since `$4`. */
const chosenEnds = chooseOf(
  {
    columns: fragment`chargeback_id, outcome, transfer_id, ended_at, caller_id`,
    from: fragment`chargeback_ends where chargeback_id > $1`,
    key: fragment`chargeback_id`,
  },
  fragment`(chargeback_id >= $3 or ended_at >= $4 or transfer_id >= $3)`,
)

/**
 * Ends of chargebacks, with whether what took the money back says the same, and whether the trail
 * has the request that ended it so.
 */
export const readChargebackEndPage = statement(
  'verify_read_chargeback_end_page',
  ['uuid', 'int8', 'uuid', 'timestamptz'],
  { id: 'uuid', endedAt: 'timestamptz', isTakenBack: 'bool', isRecorded: 'bool' },
  sql`select n.chargeback_id as id, n.ended_at as "endedAt",
     case when n.outcome = 'won' then n.transfer_id is null
       else coalesce(t.kind = 'takeback' and t.reversal_of = n.chargeback_id
         and t.created_at = n.ended_at and t.caller_id = n.caller_id, false)
     end as "isTakenBack",
     coalesce(e.is_recorded, false) as "isRecorded"
   from ${chosenEnds} n
   left join transfers t on t.id = n.transfer_id
   left join lateral (
     select true as is_recorded from (
       ${eventsAbout(fragment`n.chargeback_id`, fragment`n.ended_at`)}
         and actor_id = n.caller_id
         and action = case n.outcome when 'won' then 'winChargeback'
           when 'lost' then 'loseChargeback' else 'withdrawChargeback' end
       limit 1
     ) v
   ) e on true
   order by n.chargeback_id`,
)

/** Longer than a day of the bank, and than its midnight can be from that of UTC. */
const aroundDay = fragment`interval '15 hours'`

/** Cards that were used since a day before `$3`. */
const cardsOfDays = chooseOf(
  {
    columns: fragment`id, account_id, spent_on, spent_amount`,
    from: fragment`cards where id > $1 and spent_on is not null and status <> 'cancelled'`,
    key: fragment`id`,
  },
  fragment`spent_on >= ($3::timestamptz - interval '1 day')::date`,
)

/**
 * Cards with what their payments say counts to the limit of their last day. Authorisations are
 * found by the time in their identifiers, beside those of the account.
 */
export const readCardPage = statement(
  'verify_read_card_page',
  ['uuid', 'int8', 'timestamptz'],
  { id: 'uuid', spentAmount: 'int8', spentByHolds: 'int8' },
  sql`select c.id, c.spent_amount as "spentAmount", (
     select coalesce(sum(h.counted), 0)::int8 from holds h
     where h.counted_on = c.spent_on and h.card_id = c.id and h.id in (
       select payment_id from card_authorizations
       where account_id = c.account_id and card_id = c.id and reason is null
         and id >= ${idOf(fragment`c.spent_on::timestamp - ${aroundDay}`)}
         and id < ${idOf(fragment`c.spent_on::timestamp + interval '1 day' + ${aroundDay}`)}
     )
   ) as "spentByHolds"
   from ${cardsOfDays} c
   order by c.id`,
)
