// When a payment is made that is not made now: the fields of the form of a payment, and what is
// posted.
import { Field } from '../../../parts/field.tsx'
import { bindFields, type Errors } from '../../../parts/form.tsx'
import { useRead } from '../../../calls/call.ts'
import type { HolidayRule } from '../../../../../languages/words.ts'
import type { BankCalendar, CreateOrderBody } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import type { Currency } from '../../../texts/money.tsx'
import { isDay } from '../../../texts/time.tsx'
import { toTarget, type TransferDraft } from '../transfer-body.ts'

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

type HolidayProps = {
  typed: { name: string; value: string; onInput: (text: string) => void; error: string | undefined }
}

/** What happens on a day that is no business day. A bank without holidays does not ask. */
export function HolidayField({ typed }: HolidayProps) {
  const t = texts().orders
  const { data } = useRead<BankCalendar>('/calendar')
  if (data === undefined || data.holidays === 'none') return null
  const value = typed.value || data.onHoliday
  return (
    <Field {...typed} value={value} label={t.onHoliday} options={Object.entries(t.holidayRules)} />
  )
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
      <HolidayField typed={field('onHoliday')} />
    </>
  )
}

export function toOrderBody(draft: TransferDraft, amount: string, currency: Currency) {
  const { when, firstOn, lastOn, retryDays, onHoliday } = draft
  return {
    ...toTarget(draft.to),
    amount,
    currency,
    reference: draft.reference.trim(),
    rhythm: when as CreateOrderBody['rhythm'],
    firstOn,
    ...(when !== 'once' && lastOn !== '' && { lastOn }),
    ...(retryDays !== '0' && { retryDays: Number(retryDays) }),
    ...(onHoliday !== '' && { onHoliday: onHoliday as HolidayRule }),
  } satisfies CreateOrderBody
}
