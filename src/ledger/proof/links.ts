// What the chain holds of an entry beside its transfer: its external identifier, and its payment.
import { Fragment, fragment, type RowOf } from '../../database/statements/statement.ts'
import type { Links } from '../rules/hash-chain.ts'
import { canBeNumbered, kinds } from '../rules/movement.ts'

/** What the chain holds of an entry `e` beside its transfer. */
export const linkColumns = {
  numberedBy: 'uuid?',
  externalId: 'text?',
  bodyHash: 'text?',
  paymentId: 'uuid?',
} as const
export const selectLinks = fragment`x.caller_id as "numberedBy", x.external_id as "externalId",
     encode(x.body_hash, 'hex') as "bodyHash",
     coalesce(r.payment_id, l.hold_id, b.payment_id) as "paymentId"`
const numberedKinds = new Fragment(
  ['sending', 'settlement', ...kinds.filter(canBeNumbered)].map((kind) => `'${kind}'`).join(', '),
)
/** A look-up for each of the entries that may have any. */
export const joinedLinks = fragment`left join external_ids x
     on x.transfer_id = case when e.kind in (${numberedKinds}) then e.transfer_id end
     and x.is_settlement = (e.kind = 'settlement')
   left join card_refunds r on r.transfer_id = case when e.kind = 'refund' then e.transfer_id end
   left join hold_captures l
     on l.transfer_id = case when e.kind = 'clearing' then e.transfer_id end
   left join chargeback_ends n
     on n.transfer_id = case when e.kind = 'takeback' then e.transfer_id end
   left join card_chargebacks b
     on b.transfer_id = case e.kind when 'chargeback' then e.transfer_id
       when 'takeback' then n.chargeback_id end`

/**
 * The same columns, as `alias`, of an entry of that kind of a transfer, whether it is there or in
 * an archive.
 */
export const joinedLinksOf = (
  alias: Fragment,
  { transferId, kind }: { transferId: Fragment; kind: Fragment },
): Fragment => fragment`cross join lateral (
     select ${selectLinks} from (select ${transferId} as transfer_id, ${kind} as kind) e
     ${joinedLinks}
   ) ${alias}`

/**
 * Whether the links of an entry, by their digests, are those that an archive left of it: it may
 * have been sent since, with a number of its sending.
 */
export const areKeptLinks = (kept: string | null, found: string | null, isSent: boolean): boolean =>
  kept === found || (kept === null && isSent)

export function toLinks({
  numberedBy,
  externalId,
  bodyHash,
  paymentId,
  callerId,
}: RowOf<typeof linkColumns> & { callerId: string }): Links | undefined {
  if (externalId === null && paymentId === null) return undefined
  return { callerId: numberedBy ?? callerId, externalId, bodyHash, paymentId }
}
