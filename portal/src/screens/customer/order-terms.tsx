// When a payment is made that is not made now: the fields of the form of a payment, and what is
// posted.
import { Field } from '../../parts/field.tsx'
import { bindFields, type Errors } from '../../parts/form.tsx'
import type { CreateOrderBody } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import type { Currency } from '../../texts/money.tsx'
import { isDay } from '../../texts/time.tsx'
import { toTarget, type TransferDraft } from './transfer-body.ts'

/** For how many days an order waits for money. */
export const retryOptions = (): (readonly [string, string])[] =>
  [0, 1, 2, 3, 4, 5].map((days) => [String(days), texts().orders.retries(days)])

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
  const field = bindFields(draft, change, errors)
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
      <Field {...field('retryDays')} label={t.retry} options={retryOptions()} />
    </>
  )
}

export function toOrderBody(draft: TransferDraft, amount: string, currency: Currency) {
  const { when, firstOn, lastOn, retryDays } = draft
  return {
    ...toTarget(draft.to),
    amount,
    currency,
    reference: draft.reference.trim(),
    rhythm: when as CreateOrderBody['rhythm'],
    firstOn,
    ...(when !== 'once' && lastOn !== '' && { lastOn }),
    ...(retryDays !== '0' && { retryDays: Number(retryDays) }),
  } satisfies CreateOrderBody
}
