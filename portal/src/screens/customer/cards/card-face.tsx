// A card as it is drawn: its bank, its number, its state, what it has paid of the limit of its day,
// and what is done with it at once.
import type { ComponentChildren } from 'preact'
import { Bar } from '../../../parts/bar.tsx'
import { Badge } from '../../../parts/basic.tsx'
import { formatExpiry } from '../../../parts/cards.tsx'
import { bankName } from '../../../state/bank.ts'
import type { Card } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { formatMoney } from '../../../texts/money.tsx'

/** `children`: its button. */
export function CardFace({ card, children }: { card: Card; children: ComponentChildren }) {
  const t = texts().card
  const { maskedNumber, nickname, status, spentToday, currency } = card
  const { perDay } = card.limits
  return (
    <div class={`plastic ${status}`}>
      <div>
        <strong>{bankName}</strong>
        <Badge>{t.statuses[status]}</Badge>
      </div>
      <strong class="code">{maskedNumber}</strong>
      {perDay !== null && status !== 'cancelled' && (
        <p class="small">
          {texts().cards.ofToday(formatMoney(spentToday, currency), formatMoney(perDay, currency))}
          <Bar value={Number(spentToday)} max={Number(perDay)} />
        </p>
      )}
      <div>
        <span class="small">
          {nickname && <bdi>{nickname}</bdi>}
          {nickname && ' · '}
          {t.validTo(formatExpiry(card))}
        </span>
        {children}
      </div>
    </div>
  )
}
