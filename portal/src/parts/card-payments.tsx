// What cards have paid or tried to, as the holder and staff read it: where, how each payment
// stands, and why one was declined.
import type { ComponentType } from 'preact'
import { useState } from 'preact/hooks'
import { locale, texts } from '../texts/language.ts'
import { formatMoney, Money } from '../texts/money.tsx'
import { Time } from '../texts/time.tsx'
import type { Card, CardPayment } from '../state/types.ts'
import { UserText } from './accounts.tsx'
import { Button, Facts } from './basic.tsx'
import { lastFour } from './cards.tsx'
import { Details } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { initialsOf, Row } from './row.tsx'

const countryName = (code: string): string =>
  new Intl.DisplayNames(locale(), { type: 'region' }).of(code) ?? code

const merchantOf = ({ merchant }: CardPayment): string =>
  merchant?.name ?? texts().cardPayments.erased

const isSome = (amount: string): boolean => /[1-9]/.test(amount)

/** What the card paid; as long as that is open, or was nothing, what was asked for. */
const shownAmount = ({ status, amount, captured }: CardPayment): string =>
  status === 'captured' ? captured : amount

/** How it stands. Money that came back is told before all else, and how much where it is a part. */
function describeState({ status, held, captured, refunded, currency }: CardPayment): string {
  const t = texts().cardPayments
  if (isSome(refunded)) {
    const isAll = refunded === captured && !isSome(held)
    return isAll ? t.refunded : t.partRefunded(formatMoney(refunded, currency))
  }
  const isPart = isSome(captured) && status === 'authorized'
  return isPart ? t.partPaid(formatMoney(captured, currency)) : t.statuses[status]
}

/** How the dispute of a payment stands, or how one begins. */
type WithDispute = { dispute: ComponentType<{ payment: CardPayment }> }

type DetailProps = WithDispute & { of: CardPayment; card: Card | undefined; onClose: () => void }

function PaymentDetail({ of: payment, card, onClose, dispute: Dispute }: DetailProps) {
  const t = texts().cardPayments
  const { reason, amount, held, captured, refunded, chargedBack, currency, merchant } = payment
  const some = (part: string) =>
    isSome(part) ? <Money amount={part} currency={currency} /> : undefined
  return (
    <Details title={merchantOf(payment)} onClose={onClose}>
      <Facts
        rows={[
          [t.status, describeState(payment)],
          [t.reason, reason && t.reasons[reason]],
          [t.amount, <Money amount={amount} currency={currency} />],
          [t.asked, !payment.authorized && !reason && t.notAsked],
          [t.tolerance, payment.tolerance > 0 && `${payment.tolerance} %`],
          [t.held, some(held)],
          [t.until, isSome(held) && payment.expiresAt && <Time at={payment.expiresAt} />],
          [t.captured, some(captured)],
          [t.refunded, some(refunded)],
          [t.chargedBack, some(chargedBack)],
          [t.card, card?.maskedNumber],
          [t.how, t.channels[payment.channel]],
          [t.country, merchant && countryName(merchant.country)],
          [t.time, <Time at={payment.createdAt} style="exact" />],
        ]}
      />
      {isSome(captured) && <Dispute payment={payment} />}
    </Details>
  )
}

type Props = WithDispute & { of: readonly CardPayment[]; cards: readonly Card[] }

export function CardPaymentRows({ of: payments, cards, dispute }: Props) {
  const t = texts().cardPayments
  const [shown, setShown] = useState<CardPayment>()
  const cardOf = (payment: CardPayment) => cards.find(({ id }) => id === payment.cardId)
  return (
    <>
      <ul>
        {payments.map((payment) => {
          const { id, reason, currency, createdAt } = payment
          const card = cardOf(payment)
          return (
            <li key={id}>
              <Row
                mark={initialsOf(payment.merchant?.name ?? '') || <Icon name="cards" />}
                name={
                  <Button kind="link" onClick={() => setShown(payment)}>
                    <UserText>{merchantOf(payment)}</UserText>
                  </Button>
                }
                note={
                  reason ? (
                    <span class="whole">{t.reasons[reason]}</span>
                  ) : (
                    <>
                      <Time at={createdAt} />
                      {card && ` · …${lastFour(card)}`}
                    </>
                  )
                }
                end={<Money amount={shownAmount(payment)} currency={currency} />}
                endNote={describeState(payment)}
              />
            </li>
          )
        })}
      </ul>
      {shown && (
        <PaymentDetail
          dispute={dispute}
          of={shown}
          card={cardOf(shown)}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  )
}
