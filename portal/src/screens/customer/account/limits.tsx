// The limits that the owner has set for the payments of an account, and a raise that waits.
import { useState } from 'preact/hooks'
import { Button, Facts, Loaded, Notice } from '../../../parts/basic.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { type Limits, LimitsDialog } from '../../../parts/limits-dialog.tsx'
import { useRead } from '../../../calls/call.ts'
import { useListChanges } from '../../../calls/submit.ts'
import type { AccountLimits } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { formatMoney, Money } from '../../../texts/money.tsx'
import { formatTime } from '../../../texts/time.tsx'

export function OwnLimits({ accountId }: { accountId: string }) {
  const t = texts().ownLimits
  const path = `/accounts/${accountId}/limits`
  const read = useRead<AccountLimits>(path)
  const { told, change, ...changing } = useListChanges(read)
  const [isAsking, setAsking] = useState(false)
  return (
    <div class="column">
      <h3>{t.title}</h3>
      {told && <Notice kind="good">{told}</Notice>}
      <Outcome of={changing} />
      <Loaded of={read} lines={3}>
        {({ currency, perPayment, perDay, spentToday, next }) => {
          const show = (limit: string | null) =>
            limit === null ? t.none : formatMoney(limit, currency)
          const save = (limits: Limits) =>
            change({ method: 'PUT', path, body: { currency, ...limits } }, t.saved)
          return (
            <div class="column">
              <Facts
                rows={[
                  [t.perPayment, show(perPayment)],
                  [t.perDay, show(perDay)],
                  [t.spentToday, <Money amount={spentToday} currency={currency} />],
                ]}
              />
              {next && (
                <Notice kind="warning">
                  <p>{t.next(show(next.perPayment), show(next.perDay), formatTime(next.from))}</p>
                  <Button
                    isBusy={changing.isBusy}
                    onClick={() =>
                      void change({ method: 'DELETE', path: `${path}/next` }, t.undone)
                    }
                  >
                    {t.undo}
                  </Button>
                </Notice>
              )}
              <Button onClick={() => setAsking(true)}>{t.change}</Button>
              {isAsking && (
                <LimitsDialog
                  title={t.change}
                  hint={t.hint}
                  limits={{ perPayment, perDay }}
                  currency={currency}
                  isBusy={changing.isBusy}
                  onSave={(limits) => void save(limits).then(() => setAsking(false))}
                  onClose={() => setAsking(false)}
                />
              )}
            </div>
          )
        }}
      </Loaded>
    </div>
  )
}
