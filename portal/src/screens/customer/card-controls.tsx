// Where a card can be used, and its limits: changed beside the card, a switch at once.
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../parts/basic.tsx'
import { channels, describeLimits, lastFour } from '../../parts/cards.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { bind, Form, FormActions, useErrors, useTyped } from '../../parts/form.tsx'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { amountError, negate, parseTyped, sum, toTyped } from '../../texts/money.tsx'
import type { Card } from '../../state/types.ts'

type Limits = Card['limits']

/** What is sent of the card, and what is told once it is done. */
export type Change = (body: object, done: string) => void

type Props = {
  card: Card
  canChange: boolean
  isBusy: boolean
  onChange: Change
  onLimits: () => void
}

export function CardControls({ card, canChange, isBusy, onChange, onLimits }: Props) {
  const t = texts().cards
  const digits = lastFour(card)
  const which = <span class="unseen"> {t.which(digits)}</span>
  // Until the card is read after the last change, a switch stands as it was set.
  const [set, setSet] = useState<Partial<Card['channels']>>({})
  useEffect(() => {
    if (!isBusy) setSet({})
  }, [card])
  function turn(name: (typeof channels)[number], isOn: boolean): void {
    setSet((last) => ({ ...last, [name]: isOn }))
    const done = t.switched[isOn ? 'on' : 'off'](t.channels[name], digits)
    onChange({ channels: { [name]: isOn } }, done)
  }
  return (
    <div class="controls">
      <fieldset disabled={!canChange}>
        <legend class="unseen">{t.where(digits)}</legend>
        {channels.map((name) => (
          <Check
            key={name}
            label={t.channels[name]}
            checked={set[name] ?? card.channels[name]}
            onChange={(isOn) => turn(name, isOn)}
          />
        ))}
      </fieldset>
      <p>
        {t.limits}:{' '}
        {canChange ? (
          <Button kind="link" onClick={onLimits}>
            {describeLimits(card)}
            {which}
          </Button>
        ) : (
          describeLimits(card)
        )}
      </p>
      <a href={`${to('cardPayments')}?account=${card.accountId}&card=${card.id}`}>
        {t.payments}
        {which}
      </a>
    </div>
  )
}

type DialogProps = {
  card: Card
  isBusy: boolean
  onSave: (limits: Limits) => void
  onClose: () => void
}

export function LimitsDialog({ card, isBusy, onSave, onClose }: DialogProps) {
  const t = texts()
  const { currency, limits } = card
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
  const field = bind(typed, change, errors)
  return (
    <Dialog title={t.cards.limitsOf(lastFour(card))} onClose={onClose}>
      <Form errors={errors} onSubmit={save}>
        <p class="quiet">{t.cards.limitHint}</p>
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
