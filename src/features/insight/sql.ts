// What an account has spent, from its entries.
import { statement, wordOf } from '../../database/statements/statement.ts'
import type { Kind } from '../../ledger/rules/movement.ts'

/** Payments to shops, by card. */
type ShopKind = 'card' | 'clearing' | 'refund' | 'chargeback' | 'takeback'
/** What comes in, or brings back what came: nothing is spent by it. */
type NotSpent = 'deposit' | 'incoming' | 'reversal' | 'return' | 'cancellation'
/** What is spent beside payments to shops. A transfer to an account of the same owner is own. */
export const spendingKinds = [
  'transfer',
  'own_transfer',
  'withdrawal',
  'capture',
  'fee',
  'interest',
  'correction',
] as const satisfies readonly (Exclude<Kind, ShopKind | NotSpent> | 'own_transfer')[]

/**
 * The sums of the entries `$2` to before `$3` of account `$1`, since the time `$4` and before it,
 * each by the merchant of a card payment, else by its kind. Money that came back counts where it
 * was spent. A sum is text: it may exceed int8.
 */
export const sumSpending = statement(
  'insight_sum_spending',
  ['uuid', 'int8', 'int8', 'timestamptz'],
  {
    kind: wordOf(['shop', ...spendingKinds]),
    name: 'text?',
    category: 'text?',
    spent: 'text',
    spentBefore: 'text',
  },
  `select line.kind, c.merchant_name as name, c.merchant_category as category,
     coalesce(-sum(line.amount) filter (where line.created_at >= $4), 0)::text as spent,
     coalesce(-sum(line.amount) filter (where line.created_at < $4), 0)::text as "spentBefore"
   from (
     select e.amount, e.created_at, coalesce(h.hold_id, r.payment_id, b.payment_id) as payment_id,
       case
         when e.kind in ('card', 'clearing', 'refund', 'chargeback', 'takeback') then 'shop'
         when coalesce(o.kind, e.kind) = 'transfer' and payee.id is not null then 'own_transfer'
         else coalesce(o.kind, e.kind)
       end as kind
     from entries e
     join accounts a on a.id = e.account_id
     left join transfers t on t.id = case
       when e.kind in ('transfer', 'takeback', 'reversal', 'return', 'cancellation')
       then e.transfer_id end
     -- What the entry brings back.
     left join transfers o on o.id = case
       when e.kind in ('reversal', 'return', 'cancellation') then t.reversal_of end
     left join accounts payee
       on payee.id = coalesce(o.to_account_id, t.to_account_id) and payee.owner_id = a.owner_id
     left join hold_captures h on h.transfer_id = case
       when e.kind in ('card', 'clearing') then e.transfer_id end
     left join card_refunds r on r.transfer_id = case when e.kind = 'refund' then e.transfer_id end
     left join card_chargebacks b on b.transfer_id = case e.kind
       when 'chargeback' then e.transfer_id when 'takeback' then t.reversal_of end
     where e.account_id = $1 and e.seq >= $2 and e.seq < $3 and case
       when e.kind in ('reversal', 'return', 'cancellation') then e.amount > 0
       when e.kind in ('refund', 'chargeback') then true
       else e.amount < 0
     end
   ) line
   left join card_authorizations c on c.id = line.payment_id
   group by line.kind, c.merchant_name, c.merchant_category`,
)
