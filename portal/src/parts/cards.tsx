// Cards, as rows of a list.
import type { ComponentChildren } from 'preact'
import { texts } from '../texts/language.ts'
import { formatMoney } from '../texts/money.tsx'
import type { Card } from '../state/types.ts'
import { Badge } from './basic.tsx'

const kinds = { active: 'good', frozen: 'warning', cancelled: 'plain' } as const

export const lastFour = ({ maskedNumber }: Card): string => maskedNumber.slice(-4)

export const channels = ['online', 'abroad', 'contactless', 'cash'] as const

/** `€50.00 a payment, €200.00 a day`. */
export function describeLimits({ limits: { perPayment, perDay }, currency }: Card): string {
  const t = texts().cards
  const parts = [
    perPayment !== null && t.perPayment(formatMoney(perPayment, currency)),
    perDay !== null && t.perDay(formatMoney(perDay, currency)),
  ].filter((part) => part !== false)
  return parts.join(', ') || t.noLimits
}

export const formatExpiry = ({ expiryMonth, expiryYear }: Card): string =>
  `${String(expiryMonth).padStart(2, '0')}/${expiryYear}`

type Props = {
  card: Card
  note: string | false | null
  of?: ComponentChildren
  children: ComponentChildren
}

/** `of`: whose it is; `children`: what can be done with the card. */
export function CardRow({ card, note, of, children }: Props) {
  const t = texts().card
  const { maskedNumber, status, nickname } = card
  return (
    <>
      <div>
        <strong class="code">{maskedNumber}</strong>{' '}
        <Badge kind={kinds[status]}>{t.statuses[status]}</Badge>
        <p class="quiet">
          {[nickname, t.validTo(formatExpiry(card)), note].filter((part) => part).join(' · ')}
        </p>
        {of}
      </div>
      <div class="actions">{children}</div>
    </>
  )
}
