// The cards of an account. Administrators freeze and unfreeze them in one step.
import { Badge, Button, FailureNotice, Loaded, More, Section } from '../../parts/basic.tsx'
import { usePages } from '../../call.ts'
import { texts } from '../../language.ts'
import { useSubmit } from '../../submit.ts'
import type { Account, Card } from '../../types.ts'

export function Cards({ account, mayChange }: { account: Account; mayChange: boolean }) {
  const t = texts().staffAccount
  const list = usePages<Card>(`/accounts/${account.id}/cards?limit=50`)
  const changing = useSubmit<Card>()
  // The service refuses changes of cards of a frozen account.
  const mayFreeze = mayChange && account.status === 'active'
  async function change(card: Card): Promise<void> {
    const verb = card.status === 'frozen' ? 'unfreeze' : 'freeze'
    const path = `/cards/${card.id}/${verb}`
    await changing.submit({ method: 'POST', path, isRepeatable: true })
    list.again()
  }
  return (
    <Section title={t.cards}>
      {changing.failure && <FailureNotice failure={changing.failure} />}
      <p class="unseen" role="status">
        {changing.result &&
          t.cardChanged(
            changing.result.maskedNumber.slice(-4),
            t.cardStatuses[changing.result.status],
          )}
      </p>
      <Loaded of={{ ...list, data: list.items }}>
        {(cards) =>
          cards.length === 0 ? (
            <p class="quiet">{t.noCards}</p>
          ) : (
            <ul class="rows">
              {cards.map((card) => {
                const ending = card.maskedNumber.slice(-4)
                const month = String(card.expiryMonth).padStart(2, '0')
                const isFrozen = card.status === 'frozen'
                return (
                  <li key={card.id}>
                    <div>
                      <span class="code">{card.maskedNumber}</span>{' '}
                      <Badge kind={card.status === 'active' ? 'good' : 'warning'}>
                        {t.cardStatuses[card.status]}
                      </Badge>
                      <p class="quiet">
                        {[
                          card.nickname,
                          t.cardValid(`${month}/${card.expiryYear}`),
                          card.frozenBy && t.frozenBy[card.frozenBy],
                        ]
                          .filter((part) => part)
                          .join(' · ')}
                      </p>
                    </div>
                    {mayFreeze && card.status !== 'cancelled' && (
                      <Button
                        label={isFrozen ? t.unfreezeCard(ending) : t.freezeCard(ending)}
                        isBusy={changing.isBusy}
                        onClick={() => void change(card)}
                      >
                        {isFrozen ? t.unfreeze.confirm : t.freeze.confirm}
                      </Button>
                    )}
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
      <More of={list} />
    </Section>
  )
}
