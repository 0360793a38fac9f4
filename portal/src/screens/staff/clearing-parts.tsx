// Parts of the clearing screen: totals, the question before a run, its result, one payment.
import { UserText } from '../../parts/accounts.tsx'
import { Button, Copyable, Facts, FailureNotice, groupIban, Notice } from '../../parts/basic.tsx'
import { Details, Question } from '../../parts/dialog.tsx'
import { Later } from '../../parts/later.tsx'
import { loadTexts, texts } from '../../texts/language.ts'
import { type Currency, Money, sum } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { formatAgo } from '../../texts/ago.ts'
import { formatTime, Time } from '../../texts/time.tsx'
import type { ReasonCode, Transfer } from '../../state/types.ts'
import type { EndingBody, Verb } from './settle.ts'
import type { Run } from './use-run.ts'

/** When it was ordered, and how long ago that is. */
export const Age = ({ at }: { at: string }) => (
  <>
    <span class="desk">
      <Time at={at} />
      <br />
    </span>
    <span class="quiet small">{formatAgo(at)}</span>
  </>
)

/**
 * One side of a payment by name and IBAN; nothing of what was erased. A table on a phone has no
 * room for the IBAN beside a name.
 */
export const Named = ({ of: side }: { of: Transfer['counterparty'] }) => (
  <>
    {side?.name && (
      <span class="cut">
        <UserText>{side.name}</UserText>
      </span>
    )}
    {side?.iban && (
      <span class={side.name ? 'desk' : undefined}>
        {side.name && <br />}
        <span class="code small">{groupIban(side.iban)}</span>
      </span>
    )}
  </>
)

export const PayerOf = ({ payment: { payer, fromAccountId } }: { payment: Transfer }) => (
  <a href={to('staffAccount', { accountId: fromAccountId })}>
    <Named of={payer} />
  </a>
)

/** The sum of the payments for each currency. */
export function Totals({ of: payments }: { of: readonly Transfer[] }) {
  const byCurrency = Map.groupBy(payments, ({ currency }) => currency)
  return (
    <ul class="totals">
      {[...byCurrency].map(([currency, some]) => (
        <li key={currency}>
          <strong>
            <Money amount={total(some, currency)} currency={currency} />
          </strong>
        </li>
      ))}
    </ul>
  )
}

const total = (payments: readonly Transfer[], currency: Currency): string =>
  sum(
    payments.map(({ amount }) => amount),
    currency,
  )

type AskProps = {
  verb: Verb
  payments: readonly Transfer[]
  onConfirm: (body?: EndingBody) => void
  onClose: () => void
}

async function loadReturnQuestion() {
  const loading = [import('./return-reason.tsx'), loadTexts('returns')] as const
  const [{ ReturnQuestion }] = await Promise.all(loading)
  return ReturnQuestion
}

/** Asks before money is moved, with the total of each currency. */
export function Ask({ verb, payments, onConfirm, onClose }: AskProps) {
  const t = texts().clearing
  const confirm = (body?: EndingBody) => {
    onClose()
    onConfirm(body)
  }
  const question = { confirm: t[verb], onClose }
  if (verb === 'return') {
    const meaning = [<Totals of={payments} />, <p>{t.returnMeaning}</p>]
    const title = t.askReturn(payments.length)
    const onReturn = (reasonCode: ReasonCode) => confirm({ reasonCode })
    const asked = { ...question, title, onConfirm: onReturn, children: meaning }
    return <Later load={loadReturnQuestion} with={asked} />
  }
  return (
    <Question
      {...question}
      title={verb === 'send' ? t.askSend(payments.length) : t.askSettle(payments.length)}
      kind="primary"
      onConfirm={() => confirm()}
    >
      <Totals of={payments} />
      <p>{verb === 'send' ? t.sendMeaning : t.settleMeaning}</p>
    </Question>
  )
}

function Summary({ of: { outcomes, payments } }: { of: Run }) {
  const t = texts().clearing
  const found = payments.map(({ id }) => outcomes.get(id))
  const done = (status: Transfer['status']) =>
    payments.filter(({ id }) => {
      const outcome = outcomes.get(id)
      return outcome?.state === 'done' && outcome.status === status
    })
  const count = (state: string | undefined) =>
    found.filter((outcome) => outcome?.state === state).length
  const lines: [text: (count: number) => string, count: number, payments?: readonly Transfer[]][] =
    [
      [t.summarySent, done('sent').length, done('sent')],
      [t.summarySettled, done('completed').length, done('completed')],
      [t.summaryReturned, done('returned').length, done('returned')],
      [t.summaryOthers, count('others')],
      [t.summaryRefused, count('refused')],
      [t.summaryLeft, count(undefined)],
    ]
  return (
    <>
      {lines
        .filter(([, number]) => number > 0)
        .map(([text, number, some], line) => (
          <div key={line}>
            <p>{text(number)}</p>
            {some && <Totals of={some} />}
          </div>
        ))}
    </>
  )
}

/** How the run stands: read aloud when it changes. */
export function RunStatus({ of: run }: { of: Run }) {
  const t = texts()
  const { payments, outcomes, isRunning, failure } = run
  const finished = payments.filter(({ id }) =>
    ['done', 'others', 'refused'].includes(outcomes.get(id)?.state ?? ''),
  ).length
  const isWhole = payments.every(({ id }) => outcomes.get(id)?.state === 'done')
  const continues = failure?.waitSeconds && Date.now() + failure.waitSeconds * 1000
  return (
    <>
      <div role="status">
        {payments.length > 0 && (
          <div class={`notice ${isRunning ? 'info' : isWhole ? 'good' : 'warning'}`}>
            {isRunning ? t.clearing.running(finished, payments.length) : <Summary of={run} />}
          </div>
        )}
      </div>
      {isRunning && run.stop && <Button onClick={run.stop}>{t.clearing.stop}</Button>}
      {continues ? (
        <Notice kind="bad" role="alert">
          {t.clearing.paused(formatTime(new Date(continues).toISOString()))}
        </Notice>
      ) : (
        failure && <FailureNotice failure={failure} />
      )}
    </>
  )
}

/** Who pays whom. */
export function PaymentDetail({ payment, onClose }: { payment: Transfer; onClose: () => void }) {
  const t = texts()
  const { id, amount, currency, reference, createdAt, counterparty } = payment
  return (
    <Details title={t.clearing.payment} onClose={onClose}>
      <Facts
        rows={[
          [t.clearing.amount, <Money amount={amount} currency={currency} />],
          [t.clearing.time, <Time at={createdAt} style="exact" />],
          [t.clearing.payer, <PayerOf payment={payment} />],
          [t.clearing.payee, <Named of={counterparty} />],
          [
            t.clearing.reference,
            reference ? <UserText>{reference}</UserText> : t.clearing.noReference,
          ],
          [t.clearing.id, <Copyable text={id} name={t.clearing.id} />],
        ]}
      />
    </Details>
  )
}
