// The cards of an account. Administrators freeze and unfreeze them in one step.
import { Button, Notice, Section } from '../../parts/basic.tsx'
import { CardRow, lastFour } from '../../parts/cards.tsx'
import { Outcome } from '../../parts/form.tsx'
import { Listed, Rows } from '../../parts/list.tsx'
import { usePages } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { useListChanges } from '../../calls/submit.ts'
import type { Account, Card } from '../../state/types.ts'

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
              <CardRow card={card} note={card.frozenBy && t.frozenBy[card.frozenBy]}>
                {mayFreeze && card.status !== 'cancelled' && turn(card)}
              </CardRow>
            )}
          </Rows>
        )}
      </Listed>
    </Section>
  )
}
