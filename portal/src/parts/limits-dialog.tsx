// The limits of a card or of an account, typed in.
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { bindFields, Form, FormActions, useErrors, useTyped } from './form.tsx'
import type { Card } from '../state/types.ts'
import { texts } from '../texts/language.ts'
import { amountError, type Currency, negate, parseTyped, sum, toTyped } from '../texts/money.tsx'

/** Amounts of one payment and of a day; null: no limit. */
export type Limits = Card['limits']

type Props = {
  title: string
  hint: string
  limits: Limits
  currency: Currency
  isBusy: boolean
  onSave: (limits: Limits) => void
  onClose: () => void
}

export function LimitsDialog({ title, hint, limits, currency, isBusy, onSave, onClose }: Props) {
  const t = texts()
  const shown = (amount: string | null) => (amount === null ? '' : toTyped(amount, currency))
  const [typed, change] = useTyped({
    perPayment: shown(limits.perPayment),
    perDay: shown(limits.perDay),
  })
  const [errors, accept] = useErrors()
  function save(): void {
    const parse = (text: string) => (text.trim() === '' ? null : parseTyped(text, currency, 'zero'))
    const [perPayment, perDay] = [parse(typed.perPayment), parse(typed.perDay)]
    const isAboveDay =
      perPayment && perDay && sum([perDay, negate(perPayment)], currency).startsWith('-')
    const found = {
      perPayment:
        perPayment === undefined
          ? amountError(typed.perPayment, currency)
          : isAboveDay
            ? t.cards.aboveDay
            : undefined,
      perDay: perDay === undefined ? amountError(typed.perDay, currency) : undefined,
    }
    if (!accept(found)) return
    if (perPayment !== undefined && perDay !== undefined) onSave({ perPayment, perDay })
  }
  const field = bindFields(typed, change, errors)
  return (
    <Dialog title={title} onClose={onClose}>
      <Form errors={errors} onSubmit={save}>
        <p class="quiet">{hint}</p>
        <Field
          {...field('perPayment')}
          isFirst
          label={t.cards.perPaymentIn(currency)}
          inputMode="decimal"
          maxLength={30}
        />
        <Field
          {...field('perDay')}
          label={t.cards.perDayIn(currency)}
          inputMode="decimal"
          maxLength={30}
        />
        <FormActions label={t.common.save} isBusy={isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}
