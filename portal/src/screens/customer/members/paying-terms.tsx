// What holds before a payment is typed in: how much a member may pay, and from which amount on a
// second person signs.
import { useRead } from '../../../calls/call.ts'
import type { Account, AccountSignatures, List, Membership } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { formatMoney } from '../../../texts/money.tsx'
import { describeRights } from './member-words.ts'
import { membershipsPath } from './shared-accounts.tsx'

type Props = {
  account: Account
  /** What is signed by one person alone: an order, or a list. */
  isAlone: boolean
}

export function PayingTerms({ account: { id, membership }, isAlone }: Props) {
  const t = texts()
  const { data } = useRead<AccountSignatures>(`/accounts/${id}/signatures`)
  const memberships = useRead<List<Membership>>(membership && membershipsPath)
  const own = memberships.data?.items.find((one) => one.accountId === id && one.status === 'active')
  const from = data?.from ? formatMoney(data.from, data.currency) : undefined
  const signed = isAlone ? t.drafts.notAlone : t.drafts.secondSigns
  return (
    <div role="status">
      {own && <p>{t.members.you(describeRights(own))}</p>}
      {from !== undefined && <p>{signed(from)}</p>}
    </div>
  )
}
