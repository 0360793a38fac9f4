// Where a card can be used, and its limits: changed beside the card, a switch at once.
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../../parts/basic.tsx'
import { channels, describeLimits, lastFour } from '../../../parts/cards.tsx'
import { Check } from '../../../parts/field.tsx'
import { colon, texts } from '../../../texts/language.ts'
import { to } from '../../../state/paths.ts'
import type { Card } from '../../../state/types.ts'

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
            role="switch"
            label={t.channels[name]}
            checked={set[name] ?? card.channels[name]}
            onChange={(isOn) => turn(name, isOn)}
          />
        ))}
      </fieldset>
      <p>
        {t.limits}
        {colon()}
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
