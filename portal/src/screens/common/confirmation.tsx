// The one dialog by which a person confirms a risky request: what it is, and a second factor.
import {
  type ConfirmedKind,
  type HolidayRule,
  type MemberRight,
  type ShownTerm,
  textOfWord,
} from '../../../../languages/words.ts'
import { useEffect } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import { Button, type Fact, Facts, groupIban } from '../../parts/basic.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { send } from '../../calls/call.ts'
import type { ConfirmationProps } from '../../calls/confirming.ts'
import type { Card, Order, PayeeCheck } from '../../state/types.ts'
import { type PageMessage, pagesOfBrowser } from '../../calls/session.ts'
import { to } from '../../state/paths.ts'
import { texts } from '../../texts/language.ts'
import { formatMoney } from '../../texts/money.tsx'
import { formatDay, formatTime } from '../../texts/time.tsx'
import { ProofForm } from './proof-form.tsx'

type ChallengeTerms = { readonly [Name in ShownTerm]?: string }
type Channel = keyof Card['channels']
type Operation = keyof ReturnType<typeof texts>['confirmation']['operations']

/** `12.50 EUR, 300 JPY` in the notation of the page. */
const formatSums = (sums: string): string =>
  sums
    .split(', ')
    .map((sum) => formatMoney(...(sum.split(' ') as [amount: string, currency: string])))
    .join(', ')

/** A row for each term, in the order in which they are read. The amount stands above them. */
function toRows({ card, currency, channels, ...terms }: ChallengeTerms) {
  const t = texts().confirmation
  const { kind, payee, iban, reference, rhythm, firstOn, lastOn, retryDays, onHoliday } = terms
  const { payeeHolder } = terms
  const payeeResult = terms.payeeResult as PayeeCheck['result'] | undefined
  const limit = (amount: string | undefined) =>
    amount && currency && (amount === 'none' ? t.noLimit : formatMoney(amount, currency))
  const names = channels
    ?.split(', ')
    .map((name) => textOfWord(t.channelNames, name as Channel, name))
  return {
    kind: [t.kind, kind && textOfWord(t.kinds, kind as ConfirmedKind, kind)],
    payee: [t.payee, payee && <UserText>{payee}</UserText>],
    iban: [t.iban, iban && <span class="code">{groupIban(iban)}</span>],
    email: [t.email, terms.email && <span class="code">{terms.email}</span>],
    payeeResult: [t.payeeResult, payeeResult && textOfWord(t.payeeResults, payeeResult, '')],
    payeeHolder: [t.holder, payeeHolder && <UserText>{payeeHolder}</UserText>],
    acceptPayee: [t.payeeResult, terms.acceptPayee && t.accepted],
    reference: [t.reference, reference && <UserText>{reference}</UserText>],
    rhythm: [t.rhythm, rhythm && textOfWord(t.rhythms, rhythm as Order['rhythm'], rhythm)],
    firstOn: [t.firstOn, firstOn && formatDay(firstOn)],
    lastOn: [t.lastOn, lastOn && formatDay(lastOn)],
    retryDays: [t.retryDays, retryDays],
    onHoliday: [
      t.onHoliday,
      onHoliday && textOfWord(t.holidayRules, onHoliday as HolidayRule, onHoliday),
    ],
    member: [t.member, terms.member && <UserText>{terms.member}</UserText>],
    rights: [
      t.rights,
      terms.rights && textOfWord(t.memberRights, terms.rights as MemberRight, terms.rights),
    ],
    until: [t.until, terms.until && formatTime(terms.until)],
    count: [t.count, terms.count],
    total: [t.total, terms.total && formatSums(terms.total)],
    payments: [t.payments, terms.payments],
    executeOn: [t.executeOn, terms.executeOn && formatDay(terms.executeOn)],
    largest: [t.largest, terms.largest && <UserText>{terms.largest}</UserText>],
    secondLargest: [
      t.secondLargest,
      terms.secondLargest && <UserText>{terms.secondLargest}</UserText>,
    ],
    thirdLargest: [t.thirdLargest, terms.thirdLargest && <UserText>{terms.thirdLargest}</UserText>],
    linesHash: [t.linesHash, terms.linesHash && <span class="code">{terms.linesHash}</span>],
    card: [t.card, card && <span class="code">{card}</span>],
    perPayment: [t.perPayment, limit(terms.perPayment)],
    perDay: [t.perDay, limit(terms.perDay)],
    signaturesFrom: [t.signaturesFrom, limit(terms.signaturesFrom)],
    channels: [t.channels, channels === 'none' ? t.chipOnly : names?.join(', ')],
  } satisfies Record<Exclude<ShownTerm, 'amount' | 'currency'>, Fact>
}

export function Confirmation({ challenge, settle }: ConfirmationProps) {
  const t = texts().confirmation
  const terms: ChallengeTerms & { operation?: string } = challenge.terms ?? {}
  const { amount, currency } = terms
  const operation = terms.operation as Operation
  const path = `/auth/confirmations/${challenge.id}`
  useEffect(() => {
    const hear = ({ data }: MessageEvent<PageMessage>) => {
      if (data.what === 'confirmed' && data.challengeId === challenge.id) settle(challenge.id)
    }
    pagesOfBrowser.addEventListener('message', hear)
    return () => pagesOfBrowser.removeEventListener('message', hear)
  }, [challenge.id])
  return (
    <Dialog title={t.title} onClose={() => settle()}>
      {amount && currency && <p class="amount-large">{formatMoney(amount, currency)}</p>}
      <Facts
        rows={[
          [t.operation, textOfWord(t.operations, operation, t.otherOperation)],
          ...Object.values(toRows(terms)),
        ]}
      />
      <p>{t.onlyOwn}</p>
      {challenge.methods.includes('issuer') && (
        <p>
          <a
            class="button primary"
            href={`${to('signedIn')}#confirm=${challenge.id}`}
            target="_blank"
          >
            {t.atIssuer}
          </a>
        </p>
      )}
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
