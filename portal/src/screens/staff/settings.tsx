// The settings of an account: limits, overdraft, registered phone and alerts.
import { useState } from 'preact/hooks'
import { Button, Facts, Loaded, Notice, Section } from '../../parts/basic.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { bindFields, errorsOf, Form, FormActions, useErrors, useTyped } from '../../parts/form.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { amountError, type Currency, Money, parseTyped, toTyped } from '../../texts/money.tsx'
import { useSubmit } from '../../calls/submit.ts'
import type { Account, AccountSettings } from '../../state/types.ts'

type Typed = {
  dailyTransferLimit: string
  overdraftLimit: string
  registeredPhone: string
  alertsEnabled: boolean
}

/** Undefined where the text is no amount; null where nothing was typed. */
function parseLimit(typed: string, currency: Currency): string | null | undefined {
  return typed.trim() === '' ? null : parseTyped(typed, currency, 'zero')
}

const toForm = ({ currency, ...settings }: AccountSettings): Typed => ({
  dailyTransferLimit:
    settings.dailyTransferLimit === null ? '' : toTyped(settings.dailyTransferLimit, currency),
  overdraftLimit: /^[0.]+$/.test(settings.overdraftLimit)
    ? ''
    : toTyped(settings.overdraftLimit, currency),
  registeredPhone: settings.registeredPhone ?? '',
  alertsEnabled: settings.alertsEnabled,
})

type FormProps = { accountId: string; settings: AccountSettings; onEnd: (isSaved: boolean) => void }

function Change({ accountId, settings, onEnd }: FormProps) {
  const t = texts()
  const words = t.staffAccount
  const { currency } = settings
  const before = toForm(settings)
  const [typed, setTyped] = useTyped(before)
  const [own, accept] = useErrors()
  const saving = useSubmit<AccountSettings>()
  const isTooLow = saving.failure?.code === 'limit_exceeded'
  const found = { ...own, ...(isTooLow && { overdraftLimit: words.overdraftTooLow }) }
  const errors = errorsOf(saving, found, {
    registeredPhone: words.badPhone,
    dailyTransferLimit: amountError(typed.dailyTransferLimit, currency),
    overdraftLimit: amountError(typed.overdraftLimit, currency),
  })
  const change = (part: Partial<Typed>) => {
    if (isTooLow) saving.reset()
    setTyped(part)
  }
  const field = bindFields(typed, change, errors)
  async function save(): Promise<void> {
    const daily = parseLimit(typed.dailyTransferLimit, currency)
    const overdraft = parseLimit(typed.overdraftLimit, currency)
    const wrong = (amount: unknown, text: string) =>
      amount === undefined ? amountError(text, currency) : undefined
    const unfit = {
      dailyTransferLimit: wrong(daily, typed.dailyTransferLimit),
      overdraftLimit: wrong(overdraft, typed.overdraftLimit),
    }
    if (!accept(unfit)) return
    const phone = typed.registeredPhone.replace(/[\s()/-]/g, '')
    // Only what was changed: somebody else may have changed another setting meanwhile.
    const body = {
      ...(typed.dailyTransferLimit !== before.dailyTransferLimit && { dailyTransferLimit: daily }),
      ...(typed.overdraftLimit !== before.overdraftLimit && { overdraftLimit: overdraft ?? '0' }),
      ...(typed.registeredPhone !== before.registeredPhone && {
        registeredPhone: phone === '' ? null : phone,
      }),
      ...(typed.alertsEnabled !== before.alertsEnabled && { alertsEnabled: typed.alertsEnabled }),
    }
    if (Object.keys(body).length === 0) return onEnd(false)
    const path = `/accounts/${accountId}/settings`
    if (await saving.submit({ method: 'PATCH', path, body, isRepeatable: true })) onEnd(true)
  }
  return (
    <Form errors={errors} {...(!isTooLow && { of: saving })} onSubmit={() => void save()}>
      <Field
        {...field('dailyTransferLimit')}
        label={words.dailyIn(currency)}
        hint={words.dailyHint}
        inputMode="decimal"
      />
      <Field
        {...field('overdraftLimit')}
        label={words.overdraftIn(currency)}
        hint={words.overdraftHint}
        inputMode="decimal"
      />
      <Field {...field('registeredPhone')} label={words.phone} hint={words.phoneHint} type="tel" />
      <Check
        label={words.alerts}
        checked={typed.alertsEnabled}
        onChange={(alertsEnabled) => change({ alertsEnabled })}
      />
      <FormActions label={t.common.save} isBusy={saving.isBusy} cancel={() => onEnd(false)} />
    </Form>
  )
}

type Props = { account: Account; mayChange: boolean; onChanged: () => void }

export function Settings({ account: { id, currency }, mayChange, onChanged }: Props) {
  const t = texts()
  const words = t.staffAccount
  const read = useRead<AccountSettings>(`/accounts/${id}/settings`)
  const [isChanging, setChanging] = useState(false)
  const [isSaved, setSaved] = useState(false)
  function end(saved: boolean): void {
    setChanging(false)
    setSaved(saved)
    if (!saved) return
    read.again()
    onChanged()
  }
  return (
    <Section
      title={words.settings}
      actions={
        mayChange &&
        !isChanging &&
        read.data && <Button onClick={() => setChanging(true)}>{words.changeSettings}</Button>
      }
    >
      {isSaved && !isChanging && <Notice kind="good">{words.saved}</Notice>}
      <Loaded of={read} lines={4}>
        {(settings) =>
          isChanging ? (
            <Change accountId={id} settings={settings} onEnd={end} />
          ) : (
            <Facts
              rows={[
                [
                  words.daily,
                  settings.dailyTransferLimit === null ? (
                    t.common.none
                  ) : (
                    <Money amount={settings.dailyTransferLimit} currency={currency} />
                  ),
                ],
                [words.overdraft, <Money amount={settings.overdraftLimit} currency={currency} />],
                [words.phone, settings.registeredPhone ?? t.common.none],
                [words.alerts, settings.alertsEnabled ? t.common.yes : t.common.no],
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
