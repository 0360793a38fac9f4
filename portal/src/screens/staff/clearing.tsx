// Payments of the whole bank to others, not sent yet or on their way: administrators settle and
// return several at once.
import { useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import { Button, ButtonLink, Screen, Section } from '../../parts/basic.tsx'
import { Check } from '../../parts/field.tsx'
import { Listed } from '../../parts/list.tsx'
import { type Column, moneyColumn, Table } from '../../parts/table.tsx'
import { usePages } from '../../calls/call.ts'
import { explainFailure } from '../../texts/explain.ts'
import { texts } from '../../texts/language.ts'
import { formatMoney } from '../../texts/money.tsx'
import { isAdmin } from '../../calls/session.ts'
import { to } from '../../state/paths.ts'
import { timeZoneName } from '../../texts/time.tsx'
import type { Transfer } from '../../state/types.ts'
import { Age, Ask, Named, PayerOf, PaymentDetail, RunStatus, Totals } from './clearing-parts.tsx'
import type { Outcome, Verb } from './settle.ts'
import { isEnded, type Run, useRun } from './use-run.ts'

/** What became of one payment, in words. */
function OutcomeText({ of: outcome }: { of: Outcome | undefined }) {
  const t = texts().clearing
  if (!outcome) return null
  if (outcome.state === 'refused')
    return <span class="error">{explainFailure(outcome.failure)}</span>
  return <span class="quiet">{outcome.state === 'checking' ? t.checking : t.waiting}</span>
}

const titleOf = ({ reference }: Transfer): string => reference || texts().clearing.noReference

type Choose = (ids: readonly string[], isChosen: boolean) => void

/** Which payments are selected, by their identifiers. */
function useChosen() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const choose: Choose = (ids, isChosen) => {
    const others = [...chosen].filter((id) => !ids.includes(id))
    setChosen(new Set(isChosen ? [...others, ...ids] : others))
  }
  return { chosen, choose, clear: () => setChosen(new Set()) }
}

const toSelect = (
  chosen: ReadonlySet<string>,
  isRunning: boolean,
  choose: Choose,
): Column<Transfer> => ({
  name: texts().clearing.select,
  place: 'lead',
  cell: (payment) => (
    <input
      type="checkbox"
      aria-label={texts().clearing.selectOne(
        formatMoney(payment.amount, payment.currency),
        titleOf(payment),
      )}
      checked={chosen.has(payment.id)}
      disabled={isRunning}
      onChange={(event) => choose([payment.id], event.currentTarget.checked)}
    />
  ),
})

/** Since when it waits, and who pays whom. */
const sides = (): Column<Transfer>[] => {
  const t = texts().clearing
  return [
    { name: t.time, cell: ({ createdAt }) => <Age at={createdAt} /> },
    { name: t.payer, cell: (payment) => <PayerOf payment={payment} /> },
    { name: t.payee, place: 'to', cell: ({ counterparty }) => <Named of={counterparty} /> },
  ]
}

/** It opens all of the payment. */
const toReference = (onShow: (payment: Transfer) => void): Column<Transfer> => ({
  name: texts().clearing.reference,
  isRowHeader: true,
  cell: (payment) => (
    <Button kind="link" onClick={() => onShow(payment)}>
      <span class="cut">
        <UserText>{titleOf(payment)}</UserText>
      </span>
    </Button>
  ),
})

const toOutcome = ({ outcomes }: Run): Column<Transfer> => ({
  name: texts().clearing.outcome,
  cell: ({ id }) => <OutcomeText of={outcomes.get(id)} />,
})

type Open = 'pending' | 'sent'
/** What was sent is not sent again. */
const verbsOf: Readonly<Record<Open, readonly Verb[]>> = {
  pending: ['send', 'settle', 'return'],
  sent: ['settle', 'return'],
}

type StatusProps = { of: Open; isBusy: boolean; onChoose: (status: Open) => void }

function StatusChoice({ of: status, isBusy, onChoose }: StatusProps) {
  const t = texts().clearing
  return (
    <div class="choices no-print" role="group" aria-label={t.pending}>
      {(['pending', 'sent'] as const).map((each) => (
        <button
          key={each}
          type="button"
          class="button"
          aria-pressed={each === status}
          disabled={isBusy}
          onClick={() => onChoose(each)}
        >
          {t.statuses[each]}
        </button>
      ))}
    </div>
  )
}

type BulkProps = {
  of: readonly Transfer[]
  verbs: readonly Verb[]
  isBusy: boolean
  onAsk: (verb: Verb) => void
}

/** What may be done with those that are selected. */
function Bulk({ of: selected, verbs, isBusy, onAsk }: BulkProps) {
  const t = texts().clearing
  return (
    <div class="card bulk no-print">
      <p role="status">{t.selected(selected.length)}</p>
      <Totals of={selected} />
      <div class="actions">
        {verbs.map((verb) => (
          <Button
            key={verb}
            kind={verb === 'settle' ? 'primary' : 'plain'}
            disabled={selected.length === 0}
            isBusy={isBusy}
            onClick={() => onAsk(verb)}
          >
            {t[verb]}
          </Button>
        ))}
      </div>
    </div>
  )
}

type PaymentsProps = {
  of: readonly Transfer[]
  hasMore: boolean
  selected: readonly Transfer[]
  choose: Choose
  columns: Column<Transfer>[]
}

function Payments({ of: payments, hasMore, selected, choose, columns }: PaymentsProps) {
  const t = texts()
  const ids = payments.map(({ id }) => id)
  return (
    <>
      <p class="quiet">{t.clearing.shown(payments.length, hasMore)}</p>
      {isAdmin() && (
        <Check
          label={t.clearing.selectAll}
          checked={selected.length === payments.length}
          onChange={(isChosen) => choose(ids, isChosen)}
        />
      )}
      <Table
        caption={t.clearing.caption}
        rows={payments}
        keyOf={({ id }) => id}
        columns={columns}
      />
      <p class="quiet small">{t.common.timesIn(timeZoneName())}</p>
    </>
  )
}

export function Clearing() {
  const t = texts()
  const [status, setStatus] = useState<Open>('pending')
  const list = usePages<Transfer>(`/admin/transfers?status=${status}&limit=50`)
  const { chosen, choose, clear } = useChosen()
  const [asking, setAsking] = useState<Verb>()
  const [shown, setShown] = useState<Transfer>()
  const run = useRun()
  const isOpen = ({ id }: Transfer) => !isEnded(run.outcomes.get(id))
  // What has ended leaves the list at once; the result of the run tells of it.
  const open = (list.data ?? []).filter(isOpen)
  const selected = open.filter(({ id }) => chosen.has(id))
  const forget = () => {
    clear()
    run.clear()
  }
  const refresh = () => {
    forget()
    list.again()
  }
  const show = (next: Open) => {
    forget()
    setStatus(next)
  }
  const columns: Column<Transfer>[] = [
    ...(isAdmin() ? [toSelect(chosen, run.isRunning, choose)] : []),
    ...sides(),
    toReference(setShown),
    moneyColumn(t.clearing.amount, ({ amount, currency }) => ({ amount, currency }), 'end'),
    ...(run.outcomes.size > 0 ? [toOutcome(run)] : []),
  ]
  return (
    <Screen
      title={t.nav.clearing}
      actions={
        <>
          {isAdmin() && <ButtonLink href={to('incoming')}>{t.clearing.incoming}</ButtonLink>}
          <Button isBusy={run.isRunning} onClick={refresh}>
            {t.clearing.refresh}
          </Button>
        </>
      }
    >
      <p>
        {t.clearing.intro} {!isAdmin() && t.clearing.readOnly}
      </p>
      <RunStatus of={run} />
      <Section title={t.clearing.pending}>
        <StatusChoice of={status} isBusy={run.isRunning} onChoose={show} />
        <Listed
          of={{ ...list, data: list.data && open }}
          none={status === 'sent' ? t.clearing.noneSent : t.clearing.none}
          lines={8}
        >
          {(items) => (
            <Payments
              of={items}
              hasMore={list.more !== undefined}
              selected={selected}
              choose={choose}
              columns={columns}
            />
          )}
        </Listed>
      </Section>
      {isAdmin() && open.length > 0 && (
        <Bulk of={selected} verbs={verbsOf[status]} isBusy={run.isRunning} onAsk={setAsking} />
      )}
      {asking && (
        <Ask
          verb={asking}
          payments={selected}
          onConfirm={(body) => void run.start(asking, selected, body)}
          onClose={() => setAsking(undefined)}
        />
      )}
      {shown && <PaymentDetail payment={shown} onClose={() => setShown(undefined)} />}
    </Screen>
  )
}
