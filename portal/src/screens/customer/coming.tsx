// What standing orders of an account come to next.
import { useRead } from '../../calls/call.ts'
import { accountName, UserText } from '../../parts/accounts.tsx'
import { Section } from '../../parts/basic.tsx'
import { to } from '../../state/paths.ts'
import type { Account, UpcomingRuns } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { formatDay } from '../../texts/time.tsx'

/** As many as are seen at a glance. */
const shownMax = 5

export function Coming({ account, hasName = false }: { account: Account; hasName?: boolean }) {
  const t = texts().orders
  const path = `/accounts/${account.id}/orders/upcoming`
  const { runs = [] } = useRead<UpcomingRuns>(path).data ?? {}
  if (runs.length === 0) return null
  return (
    <Section title={t.upcoming}>
      {hasName && (
        <p class="quiet small">
          <UserText>{accountName(account)}</UserText>
        </p>
      )}
      <ul class="rows">
        {runs.slice(0, shownMax).map(({ orderId, dueOn, paysOn, payee, amount, currency }) => (
          <li key={`${orderId} ${dueOn}`}>
            <div>
              <UserText>{payee?.name ?? t.goneName}</UserText>
              <p class="quiet small">{formatDay(paysOn ?? dueOn)}</p>
            </div>
            <Money amount={amount} currency={currency} />
          </li>
        ))}
      </ul>
      <a href={`${to('orders')}?account=${account.id}`}>{t.title}</a>
    </Section>
  )
}
