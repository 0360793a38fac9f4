// The review of a movement of money by staff, and the buttons that send it once.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button, Notice } from '../../parts/basic.tsx'
import { Outcome } from '../../parts/form.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'
import { texts } from '../../texts/language.ts'
import { type Currency, sum } from '../../texts/money.tsx'
import type { Payment } from '../../calls/payment.ts'

/** `change` has a minus where money leaves. */
export type Side = { account: string; before: string; change: string }

/** The balances of the accounts that the movement changes, as they are and as they would be. */
export function Balances({ sides, currency }: { sides: readonly Side[]; currency: Currency }) {
  const t = texts().cash
  return (
    <Table
      caption={t.balances}
      rows={sides}
      keyOf={({ account }) => account}
      columns={[
        { name: t.account, cell: ({ account }) => account, isRowHeader: true },
        moneyColumn<Side>(t.before, ({ before: amount }) => ({ amount, currency })),
        moneyColumn<Side>(t.after, ({ before, change }) => ({
          amount: sum([before, change], currency),
          currency,
        })),
      ]}
    />
  )
}

type Props<B, R> = {
  of: Payment<B, R>
  /** What the button that moves the money says. */
  label: string
  children: ComponentChildren
}

/** Takes the focus when it appears in the place of what had it. */
export function Focused({ children }: { children: ComponentChildren }) {
  const part = useRef<HTMLDivElement>(null)
  useEffect(() => part.current?.focus(), [])
  return (
    <div class="focused" tabIndex={-1} ref={part}>
      {children}
    </div>
  )
}

/** Once its answer was lost, it can only be sent again: its key makes that harmless. */
export function Confirm<B, R>({ of: payment, label, children }: Props<B, R>) {
  const t = texts()
  const { isBusy, isOpen, isRefused, isTooLate } = payment
  const isLost = isOpen && !isBusy
  return (
    <Focused>
      {children}
      <Outcome of={payment} />
      {isLost && (
        <Notice kind="warning" role="alert">
          {isTooLate ? t.cash.tooLate : t.cash.lost}
        </Notice>
      )}
      <div class="actions">
        {!isRefused && !(isLost && isTooLate) && (
          <Button kind="primary" isBusy={isBusy} onClick={payment.confirm}>
            {isLost ? t.cash.findOut : label}
          </Button>
        )}
        {(!isOpen || isTooLate) && !isBusy && (
          <Button onClick={() => payment.close()}>{t.cash.change}</Button>
        )}
      </div>
    </Focused>
  )
}
