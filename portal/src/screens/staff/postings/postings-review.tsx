// Many postings before they are booked, with the sum of each direction, and what became of each.
import type { ComponentChildren } from 'preact'
import { UserText } from '../../../parts/accounts.tsx'
import { Button, groupIban, Notice, Section } from '../../../parts/basic.tsx'
import { type Column, moneyColumn, Table } from '../../../parts/table.tsx'
import type { Payment } from '../../../calls/payment.ts'
import { approvalPage, to } from '../../../state/paths.ts'
import type { CreatePostingBatchBody, PostingOutcomes } from '../../../state/types.ts'
import { explainFailure } from '../../../texts/explain.ts'
import { colon, texts } from '../../../texts/language.ts'
import { formatCount, Money, sum } from '../../../texts/money.tsx'
import { bankAccountName } from '../bank-name.ts'
import { Confirm, Focused } from '../review.tsx'
import { type CheckedRows, groupAmounts, type PostingItem } from './posting-rows.ts'
import type { RowOutcome } from './use-ask-each.ts'

type Checked = { checked: CheckedRows }

/** What the postings sum up to, for each direction and currency. */
function Sums({ of: items }: { of: readonly PostingItem[] }) {
  const t = texts().postings
  return (
    <ul>
      {groupAmounts(items).map(({ key, direction, currency, amounts }) => (
        <li key={key}>
          {t.directions[direction]}
          {colon()}
          <strong>
            <Money amount={sum(amounts, currency)} currency={currency} />
          </strong>{' '}
          ({t.count(amounts.length)})
        </li>
      ))}
    </ul>
  )
}

type SideProps = { accountId: string | undefined; code: string | undefined } & Checked

/** A customer’s account by its IBAN, one of the bank by its name. */
function Side({ accountId, code, checked: { ibans } }: SideProps) {
  if (accountId === undefined) return <>{bankAccountName(code ?? '', code ?? '')}</>
  return <span class="code small">{groupIban(ibans[accountId] ?? accountId)}</span>
}

type RowsProps = Checked & {
  items: readonly PostingItem[]
  outcomeOf?: (item: PostingItem) => ComponentChildren
}

function PostingRows({ items, checked, outcomeOf }: RowsProps) {
  const { postings: t, cash, entry } = texts()
  const columns: Column<PostingItem>[] = [
    {
      name: cash.reason,
      isRowHeader: true,
      cell: ({ externalId, reason }) => (
        <>
          {formatCount(checked.lines[externalId] ?? 0)}. <UserText>{reason}</UserText>
        </>
      ),
    },
    { name: t.kind, cell: ({ kind }) => entry.kinds[kind] },
    {
      name: t.from,
      cell: ({ fromAccountId, fromCode }) => (
        <Side accountId={fromAccountId} code={fromCode} checked={checked} />
      ),
    },
    {
      name: t.to,
      place: 'to',
      cell: ({ toAccountId, toCode }) => (
        <Side accountId={toAccountId} code={toCode} checked={checked} />
      ),
    },
    moneyColumn(cash.amount, ({ amount, currency }) => ({ amount, currency }), 'end'),
    ...(outcomeOf ? [{ name: t.outcome, cell: outcomeOf }] : []),
  ]
  return (
    <Table
      caption={t.caption}
      rows={items}
      keyOf={({ externalId }) => externalId}
      columns={columns}
    />
  )
}

type ReviewProps = Checked & {
  of: Payment<CreatePostingBatchBody, PostingOutcomes>
  items: readonly PostingItem[]
  /** In place of the buttons that book all. */
  children: ComponentChildren
}

export function PostingsReview({ of: payment, items, checked, children }: ReviewProps) {
  const t = texts()
  const shown = (
    <>
      <Sums of={items} />
      <PostingRows items={items} checked={checked} />
    </>
  )
  return (
    <Section title={t.cash.review}>
      {children ? (
        <Focused>
          {shown}
          {children}
        </Focused>
      ) : (
        <Confirm of={payment} label={t.postings.confirm(items.length)}>
          {shown}
        </Confirm>
      )}
    </Section>
  )
}

function OutcomeText({ of: { transfer, error } }: { of: RowOutcome }) {
  const t = texts().postings
  if (transfer) return <a href={to('staffTransfer', { transferId: transfer.id })}>{t.booked}</a>
  if (!error) return null
  if (error.code === 'approval_pending') return <a href={approvalPage(error.location)}>{t.waits}</a>
  return <span class="error">{explainFailure({ code: error.code, limit: undefined })}</span>
}

type ResultProps = Checked & {
  items: readonly PostingItem[]
  /** In the order of the items. */
  outcomes: readonly RowOutcome[]
  /** Begins anew with the rows of these. */
  onAgain: (items: readonly PostingItem[]) => void
}

export function PostingsResult({ items, outcomes, checked, onAgain }: ResultProps) {
  const t = texts().postings
  const byNumber = new Map(items.map(({ externalId }, at) => [externalId, outcomes[at] ?? {}]))
  const outcomeOf = ({ externalId }: PostingItem): RowOutcome => byNumber.get(externalId) ?? {}
  const booked = items.filter((item) => outcomeOf(item).transfer)
  const waiting = items.filter((item) => outcomeOf(item).error?.code === 'approval_pending')
  const refused = items.filter((item) => !booked.includes(item) && !waiting.includes(item))
  return (
    <Section title={t.result}>
      <Focused>
        <Notice kind={refused.length > 0 ? 'warning' : 'good'}>
          {booked.length > 0 && <p>{t.summaryBooked(booked.length)}</p>}
          {waiting.length > 0 && <p>{t.summaryWaits(waiting.length)}</p>}
          {refused.length > 0 && <p>{t.summaryRefused(refused.length)}</p>}
          <Sums of={booked} />
        </Notice>
      </Focused>
      <PostingRows
        items={items}
        checked={checked}
        outcomeOf={(item) => <OutcomeText of={outcomeOf(item)} />}
      />
      <div class="actions">
        {refused.length > 0 && (
          <Button kind="primary" onClick={() => onAgain(refused)}>
            {t.takeUp}
          </Button>
        )}
        <Button onClick={() => onAgain([])}>{t.another}</Button>
      </div>
    </Section>
  )
}
