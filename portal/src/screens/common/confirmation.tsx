// The one dialog by which a person confirms a risky request: what it is, and a second factor.
import { UserText } from '../../parts/accounts.tsx'
import { Button, Facts, groupIban } from '../../parts/basic.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { send } from '../../calls/call.ts'
import type { ConfirmationProps } from '../../calls/confirming.ts'
import { texts } from '../../texts/language.ts'
import { formatMoney } from '../../texts/money.tsx'
import { formatDay } from '../../texts/time.tsx'
import { ProofForm } from './proof-form.tsx'

type TextsBy<Name extends string> = Partial<Record<Name, string>>
type PaymentTerms = TextsBy<'operation' | 'payee' | 'iban' | 'amount' | 'currency'>
type CardTerms = TextsBy<'card' | 'currency' | 'perPayment' | 'perDay' | 'channels'>

/** What a card may do once this is confirmed. */
function cardFacts({ card, currency, perPayment, perDay, channels }: CardTerms) {
  const t = texts().confirmation
  const limit = (amount: string | undefined) =>
    amount && currency && (amount === 'none' ? t.noLimit : formatMoney(amount, currency))
  const names = channels
    ?.split(', ')
    .map((name) => t.channelNames[name as keyof typeof t.channelNames] ?? name)
  return [
    [t.card, card && <span class="code">{card}</span>],
    [t.perPayment, limit(perPayment)],
    [t.perDay, limit(perDay)],
    [t.channels, channels === 'none' ? t.chipOnly : names?.join(', ')],
  ] as const
}
type OrderTerms = TextsBy<'reference' | 'rhythm' | 'firstOn' | 'lastOn' | 'retryDays'>

/** All that a standing order pays by from now on. */
function orderFacts({ reference, rhythm, firstOn, lastOn, retryDays }: OrderTerms) {
  const t = texts().confirmation
  return [
    [t.reference, reference && <UserText>{reference}</UserText>],
    [t.rhythm, rhythm && t.rhythms[rhythm as keyof typeof t.rhythms]],
    [t.firstOn, firstOn && formatDay(firstOn)],
    [t.lastOn, lastOn && formatDay(lastOn)],
    [t.retryDays, retryDays],
  ] as const
}

export function Confirmation({ challenge, settle }: ConfirmationProps) {
  const t = texts().confirmation
  const { operation, payee, iban, amount, currency }: PaymentTerms = challenge.terms ?? {}
  const what = t.operations[operation as keyof typeof t.operations] ?? t.otherOperation
  const path = `/auth/confirmations/${challenge.id}`
  return (
    <Dialog title={t.title} onClose={() => settle()}>
      {amount && currency && <p class="amount-large">{formatMoney(amount, currency)}</p>}
      <Facts
        rows={[
          [t.operation, what],
          [t.payee, payee && <UserText>{payee}</UserText>],
          [t.iban, iban && <span class="code">{groupIban(iban)}</span>],
          ...orderFacts(challenge.terms ?? {}),
          ...cardFacts(challenge.terms ?? {}),
        ]}
      />
      <p>{t.onlyOwn}</p>
      <ProofForm
        challenge={challenge}
        submit={t.confirm}
        onProof={async (body) => {
          await send({ method: 'POST', path, body })
          settle(challenge.id)
        }}
      >
        <Button onClick={() => settle()}>{texts().common.cancel}</Button>
      </ProofForm>
    </Dialog>
  )
}
