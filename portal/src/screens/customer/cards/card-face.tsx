// A card as it is drawn: its bank, its number, its state, and what is done with it at once.
import type { ComponentChildren } from 'preact'
import { Badge } from '../../../parts/basic.tsx'
import { formatExpiry } from '../../../parts/cards.tsx'
import { bankName } from '../../../state/bank.ts'
import type { Card } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'

/** `children`: its button. */
export function CardFace({ card, children }: { card: Card; children: ComponentChildren }) {
  const t = texts().card
  const { maskedNumber, nickname, status } = card
  return (
    <div class={`plastic ${status}`}>
      <div>
        <strong>{bankName}</strong>
        <Badge>{t.statuses[status]}</Badge>
      </div>
      <strong class="code">{maskedNumber}</strong>
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
