// What to give to somebody who is to pay to this account: the IBAN, an address, and a QR code.
import { nameOf } from '../../../parts/accounts.tsx'
import { Copyable, Facts, Iban } from '../../../parts/basic.tsx'
import { Details } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import { bindFields, signError, useTyped } from '../../../parts/form.tsx'
import { QrCode } from '../../../parts/qr.tsx'
import { me } from '../../../calls/session.ts'
import type { Account, Me } from '../../../state/types.ts'
import { toCreditTransferText, toPayTo } from '../../../texts/credit-transfer-text.ts'
import { texts } from '../../../texts/language.ts'
import { amountError, parseTyped } from '../../../texts/money.tsx'

/** As long as the reference of a payment in euro may be. */
const referenceMax = 140

export function GetPaid({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = texts().getPaid
  const { iban, currency } = account
  const [typed, change] = useTyped({ amount: '', reference: '' })
  const isAny = typed.amount.trim() === ''
  const amount = isAny ? undefined : parseTyped(typed.amount, currency)
  const errors = {
    amount: isAny || amount ? undefined : amountError(typed.amount, currency),
    reference: signError(typed.reference),
  }
  const field = bindFields(typed, change, errors)
  const asked = { name: nameOf(me.value as Me), iban, amount, reference: typed.reference.trim() }
  const isReady = !errors.amount && !errors.reference
  const text = isReady && currency === 'EUR' ? toCreditTransferText(asked) : undefined
  return (
    <Details title={t.title} onClose={onClose}>
      <Facts
        rows={[
          [t.name, <Copyable text={asked.name} name={t.name} />],
          ['IBAN', <Iban iban={iban} />],
        ]}
      />
      <Field
        {...field('amount')}
        label={t.amountIn(currency)}
        hint={t.amountHint}
        inputMode="decimal"
        maxLength={30}
      />
      <Field {...field('reference')} label={t.reference} maxLength={referenceMax} />
      {text && (
        <>
          <QrCode text={text} title={t.code} />
          <p class="quiet small">{t.codeText}</p>
        </>
      )}
      {isReady && (
        <p>
          <Copyable text={toPayTo(asked, currency)} shown={t.link} name={t.link} />
        </p>
      )}
    </Details>
  )
}
