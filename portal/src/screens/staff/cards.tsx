// The cards of an account with their limits, and what they have paid. Administrators freeze and
// unfreeze them in one step.
import { Button, Notice, Section } from '../../parts/basic.tsx'
import { CardPaymentRows } from '../../parts/card-payments.tsx'
import { CardRow, channels, describeLimits, lastFour } from '../../parts/cards.tsx'
import { Outcome } from '../../parts/form.tsx'
import { Listed, Rows } from '../../parts/list.tsx'
import { usePages } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { useListChanges } from '../../calls/submit.ts'
import type { Account, Card, CardPayment } from '../../state/types.ts'
import { LateStaffDispute } from './finding/late-dispute.tsx'

/** What the holder allows the card, in words: nothing is told by colour or order alone. */
function Controls({ of: card }: { of: Card }) {
  const t = texts().cards
  const named = (isOn: boolean) =>
    channels.filter((name) => card.channels[name] === isOn).map((name) => t.channels[name])
  const lines = [
    [t.usable, named(true)],
    [t.switchedOff, named(false)],
  ] as const
  return (
    <>
      <p class="quiet">{describeLimits(card)}</p>
      {lines.map(([name, some]) =>
        some.length > 0 ? (
          <p class="quiet" key={name}>
            {name}: {some.join(', ')}
          </p>
        ) : null,
      )}
    </>
  )
}

export function CardPayments({ account: { id } }: { account: Account }) {
  const cards = usePages<Card>(`/accounts/${id}/cards?limit=50`)
  const list = usePages<CardPayment>(`/accounts/${id}/card-payments?limit=20`)
  return (
    <Listed of={list} none={texts().cardPayments.none}>
      {(payments) => (
        <CardPaymentRows dispute={LateStaffDispute} of={payments} cards={cards.data ?? []} />
      )}
    </Listed>
  )
}

export function Cards({ account, mayChange }: { account: Account; mayChange: boolean }) {
  const t = texts().staffAccount
  const { statuses } = texts().card
  const list = usePages<Card>(`/accounts/${account.id}/cards?limit=50`)
  const changing = useListChanges(list)
  // The service refuses changes of cards of a frozen account.
  const mayFreeze = mayChange && account.status === 'active'
  const turn = (card: Card) => {
    const isFrozen = card.status === 'frozen'
    const [verb, next] = isFrozen
      ? (['unfreeze', 'active'] as const)
      : (['freeze', 'frozen'] as const)
    const path = `/cards/${card.id}/${verb}`
    const done = t.cardChanged(lastFour(card), statuses[next])
    return (
      <Button
        label={(isFrozen ? t.unfreezeCard : t.freezeCard)(lastFour(card))}
        isBusy={changing.isBusy}
        onClick={() => void changing.change({ method: 'POST', path }, done)}
      >
        {t[verb].confirm}
      </Button>
    )
  }
  return (
    <Section title={t.cards}>
      {changing.told && <Notice kind="good">{changing.told}</Notice>}
      <Outcome of={changing} />
      <Listed of={list} none={t.noCards}>
        {(cards) => (
          <Rows of={cards}>
            {(card) => (
              <CardRow
                card={card}
                note={card.frozenBy && t.frozenBy[card.frozenBy]}
                of={card.status !== 'cancelled' && <Controls of={card} />}
              >
                {mayFreeze && card.status !== 'cancelled' && turn(card)}
              </CardRow>
            )}
          </Rows>
        )}
      </Listed>
    </Section>
  )
}

export { PaymentsFound } from './finding/payments-found.tsx'
