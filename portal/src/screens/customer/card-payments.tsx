// What cards have paid from an account or tried to: where, how it stands, and why one was declined.
import { useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import { Facts, Screen } from '../../parts/basic.tsx'
import { lastFour } from '../../parts/cards.tsx'
import { Button } from '../../parts/basic.tsx'
import { Details } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Listed } from '../../parts/list.tsx'
import { initialsOf, Row } from '../../parts/row.tsx'
import { usePages } from '../../calls/call.ts'
import { locale, texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { changeQuery, readQuery } from '../../state/router.ts'
import { Time, timeZoneName } from '../../texts/time.tsx'
import type { Account, Card, CardPayment } from '../../state/types.ts'
import { WithAccount } from './account-choice.tsx'

const countryName = (code: string): string =>
  new Intl.DisplayNames(locale(), { type: 'region' }).of(code) ?? code

const merchantOf = ({ merchant }: CardPayment): string =>
  merchant?.name ?? texts().cardPayments.erased

type DetailProps = { of: CardPayment; card: Card | undefined; onClose: () => void }

function PaymentDetail({ of: payment, card, onClose }: DetailProps) {
  const t = texts().cardPayments
  const { status, reason, amount, held, captured, refunded, currency, merchant } = payment
  const some = (part: string) =>
    /[1-9]/.test(part) ? <Money amount={part} currency={currency} /> : undefined
  return (
    <Details title={merchantOf(payment)} onClose={onClose}>
      <Facts
        rows={[
          [t.status, t.statuses[status]],
          [t.reason, reason && t.reasons[reason]],
          [t.amount, <Money amount={amount} currency={currency} />],
          [t.held, some(held)],
          [t.until, some(held) && payment.expiresAt && <Time at={payment.expiresAt} />],
          [t.captured, some(captured)],
          [t.refunded, some(refunded)],
          [t.card, card?.maskedNumber],
          [t.how, t.channels[payment.channel]],
          [t.country, merchant && countryName(merchant.country)],
          [t.time, <Time at={payment.createdAt} style="exact" />],
        ]}
      />
    </Details>
  )
}

type ListProps = { account: Account; cards: readonly Card[] }

function List({ account, cards }: ListProps) {
  const t = texts().cardPayments
  const cardId = readQuery().get('card') ?? ''
  const list = usePages<CardPayment>(`/accounts/${account.id}/card-payments?limit=50`)
  // Of those that were read: an account has few cards.
  const ofCard = list.data?.filter((payment) => cardId === '' || payment.cardId === cardId)
  const [shown, setShown] = useState<CardPayment>()
  const cardOf = (payment: CardPayment) => cards.find(({ id }) => id === payment.cardId)
  return (
    <section class="card list">
      <div class="find no-print">
        <Field
          name="card"
          label={t.card}
          value={cardId}
          onInput={(card) => changeQuery({ card })}
          options={[['', t.all], ...cards.map((card) => [card.id, card.maskedNumber] as const)]}
        />
      </div>
      <Listed of={{ ...list, data: ofCard }} none={cardId ? t.noneOf : t.none} lines={6}>
        {(payments) => (
          <ul>
            {payments.map((payment) => {
              const { id, status, reason, amount, currency, createdAt } = payment
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
                    end={<Money amount={amount} currency={currency} />}
                    endNote={t.statuses[status]}
                  />
                </li>
              )
            })}
          </ul>
        )}
      </Listed>
      <p class="quiet small pad">{texts().common.timesIn(timeZoneName())}</p>
      {shown && (
        <PaymentDetail of={shown} card={cardOf(shown)} onClose={() => setShown(undefined)} />
      )}
    </section>
  )
}

function WithCards({ account }: { account: Account }) {
  const cards = usePages<Card>(`/accounts/${account.id}/cards?limit=50`)
  return <List account={account} cards={cards.data ?? []} />
}

export const CardPayments = () => (
  <Screen title={texts().cardPayments.title}>
    <WithAccount>{(account) => <WithCards key={account.id} account={account} />}</WithAccount>
  </Screen>
)
