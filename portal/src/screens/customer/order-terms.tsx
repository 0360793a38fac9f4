// A payment on a day or regularly: what its form asks beside that of a payment, and its review.
import { useRef } from 'preact/hooks'
import { Button, Facts, Notice, Screen } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { bind, type Errors, Form } from '../../parts/form.tsx'
import { type Change, useSubmit } from '../../calls/submit.ts'
import { readDraft, storeDraft } from '../../state/draft.ts'
import { to } from '../../state/paths.ts'
import { changePreferences } from '../../state/preferences.ts'
import { navigate } from '../../state/router.ts'
import type { Account, Order } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { formatMoney, parseTyped } from '../../texts/money.tsx'
import { formatDay, isDay } from '../../texts/time.tsx'
import { accountLabel } from './account-choice.tsx'
import { oncePayee, toTarget, type TransferDraft, transferDraft } from './transfer-body.ts'

const retries = [0, 1, 2, 3, 4, 5]

/** What the page itself finds wrong. */
export function findOrderErrors({ when, firstOn, lastOn }: TransferDraft): Errors {
  const t = texts().orders
  const isLast = when !== 'once' && lastOn !== ''
  return {
    firstOn: isDay(firstOn) ? undefined : t.badDay,
    lastOn: isLast && !(isDay(lastOn) && lastOn >= firstOn) ? t.badLastDay : undefined,
  }
}

type FieldsProps = {
  draft: TransferDraft
  change: (part: Partial<TransferDraft>) => void
  errors: Errors
}

export function OrderFields({ draft, change, errors }: FieldsProps) {
  const t = texts().orders
  const field = bind(draft, change, errors)
  const isOnce = draft.when === 'once'
  return (
    <>
      <Field
        {...field('firstOn')}
        type="date"
        label={isOnce ? t.day : t.firstOn}
        hint={isOnce ? t.dayHint : t.firstHint}
      />
      {!isOnce && <Field {...field('lastOn')} type="date" label={t.lastOn} hint={t.lastHint} />}
      <Field
        {...field('retryDays')}
        label={t.retry}
        options={retries.map((days) => [String(days), t.retries(days)])}
      />
    </>
  )
}

type Reviewed = { draft: TransferDraft; account: Account; payee: string }

function toChange({ draft, account: { id, currency } }: Reviewed, key: string): Change {
  const { when: rhythm, firstOn, lastOn, retryDays } = draft
  const body = {
    ...toTarget(draft.to),
    amount: parseTyped(draft.amount, currency),
    currency,
    reference: draft.reference.trim(),
    rhythm,
    firstOn,
    ...(rhythm !== 'once' && lastOn !== '' && { lastOn }),
    ...(retryDays !== '0' && { retryDays: Number(retryDays) }),
  }
  return { method: 'POST', path: `/accounts/${id}/orders`, body, key, isRepeatable: true }
}

type Row = readonly [name: string, value: string | undefined]

/** What the order says, to be read before it is made. */
function toRows({ draft, account, payee }: Reviewed): Row[] {
  const t = texts().orders
  const isRepeated = draft.when !== 'once'
  return [
    [texts().entry.from, accountLabel(account)],
    [texts().entry.to, payee],
    [texts().entry.reference, draft.reference || undefined],
    [t.rhythm, t.rhythms[draft.when as 'monthly']],
    [isRepeated ? t.firstOn : t.day, formatDay(draft.firstOn)],
    [t.lastOn, isRepeated && draft.lastOn !== '' ? formatDay(draft.lastOn) : undefined],
    [t.retry, t.retries(Number(draft.retryDays))],
  ]
}

/** @param props.onBack shows the form again, as it was typed */
export function OrderReview({ onBack, ...reviewed }: Reviewed & { onBack: () => void }) {
  const t = texts().orders
  const { draft, account } = reviewed
  const making = useSubmit<Order>()
  // As long as its answer is open, it is the same order.
  const key = useRef(crypto.randomUUID())
  const isBad = making.state === 'refused' && making.failure?.code === 'invalid_request'
  const { beneficiaryId } = toTarget(draft.to)
  const isOnce = beneficiaryId !== undefined && readDraft(oncePayee) === beneficiaryId

  async function submit(): Promise<void> {
    if (making.state === 'refused') key.current = crypto.randomUUID()
    if (!(await making.submit(toChange(reviewed, key.current)))) return
    changePreferences({ account: account.id })
    storeDraft(transferDraft, undefined)
    if (isOnce) storeDraft(oncePayee, undefined)
    navigate(`${to('orders')}?account=${account.id}&made`, { replace: true })
  }
  return (
    <Screen title={texts().transfer.titleReview}>
      <section class="card">
        <Form of={making} onSubmit={() => void submit()}>
          {isBad && (
            <Notice kind="bad" role="alert">
              {making.failure?.fields.includes('firstOn') ? t.badDay : texts().form.notAccepted}
            </Notice>
          )}
          <p class="amount-large">
            {formatMoney(parseTyped(draft.amount, account.currency) ?? '0', account.currency)}
          </p>
          <Facts rows={toRows(reviewed)} />
          {isOnce && <p class="quiet">{t.payeeStays}</p>}
          <div class="actions">
            <Button kind="primary" type="submit" isBusy={making.isBusy}>
              {t.make}
            </Button>
            <Button onClick={onBack}>{texts().transfer.change}</Button>
          </div>
        </Form>
      </section>
    </Screen>
  )
}
