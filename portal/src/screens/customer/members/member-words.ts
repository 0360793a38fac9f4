// What a member may do, in words.
import type { Membership } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { formatMoney } from '../../../texts/money.tsx'
import { formatTime } from '../../../texts/time.tsx'

export type Granted = Pick<Membership, 'rights' | 'currency' | 'perPayment' | 'perDay' | 'until'>

/** `may pay up to €500.00 a day, until 31 Jan 2026, 00:00` */
export function describeRights({ rights, currency, perPayment, perDay, until }: Granted): string {
  const t = texts().members
  const limits = [
    perPayment === null ? [] : t.perPayment(formatMoney(perPayment, currency)),
    perDay === null ? [] : t.perDay(formatMoney(perDay, currency)),
  ].flat()
  const may = t.may[rights]
  return [
    limits.length === 0 || rights === 'view' ? may : t.limited(may, limits.join(', ')),
    until === null ? [] : t.until(formatTime(until)),
  ]
    .flat()
    .join(', ')
}
