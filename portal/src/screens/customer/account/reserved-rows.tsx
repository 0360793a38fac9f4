// What is reserved in an account, as rows on top of the day on which it was.
import type { ComponentChildren } from 'preact'
import { useRead } from '../../../calls/call.ts'
import { UserText } from '../../../parts/accounts.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { initialsOf, Row } from '../../../parts/row.tsx'
import type { Account, Card, Hold, List } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { Money, negate } from '../../../texts/money.tsx'
import { localDay, Time } from '../../../texts/time.tsx'

type RowProps = { of: Hold; card: Card | undefined }

function ReservedRow({ of: hold, card }: RowProps) {
  const t = texts().entry
  return (
    <li class="held">
      <Row
        mark={initialsOf(hold.reference) || <Icon name="security" />}
        name={<UserText>{hold.reference || t.reserved}</UserText>}
        note={
          <>
            <strong>{t.reserved}</strong> · <Time at={hold.createdAt} style="clock" />
            {card && ` · ${t.card} …${card.maskedNumber.slice(-4)}`}
          </>
        }
        end={<Money amount={negate(hold.remaining)} currency={hold.currency} />}
      />
    </li>
  )
}

/**
 * By day. Nothing is read of an account in which nothing is reserved.
 *
 * @param oldest the day of the last entry that is shown, if older ones are not
 */
export function useReserved(
  { id, held }: Account,
  isWanted: boolean,
  oldest: string | undefined,
): ReadonlyMap<string, ComponentChildren> {
  const isAny = isWanted && /[1-9]/.test(held)
  const holds = useRead<List<Hold>>(
    isAny ? `/accounts/${id}/holds?status=active&limit=50` : undefined,
  )
  const items = (isAny && holds.data?.items) || []
  const hasCard = items.some(({ cardId }) => cardId !== undefined)
  const cards = useRead<List<Card>>(hasCard ? `/accounts/${id}/cards?limit=50` : undefined)
  const shown = items.filter(({ createdAt }) => !oldest || localDay(createdAt) >= oldest)
  const byDay = Map.groupBy(shown, ({ createdAt }) => localDay(createdAt))
  const cardOf = ({ cardId }: Hold) => cards.data?.items.find((card) => card.id === cardId)
  return new Map(
    [...byDay].map(([day, ofDay]) => [
      day,
      ofDay.map((hold) => <ReservedRow key={hold.id} of={hold} card={cardOf(hold)} />),
    ]),
  )
}
