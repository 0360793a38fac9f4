// What is reserved in an account: each hold that is active, what it is for and until when.
import { UserText } from '../../parts/accounts.tsx'
import { Details } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Listed } from '../../parts/list.tsx'
import { Row } from '../../parts/row.tsx'
import { usePages } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { Money } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { formatTime } from '../../texts/time.tsx'
import type { Account, Hold } from '../../state/types.ts'

type Props = { account: Account; onClose: () => void }

export function Reserved({ account: { id }, onClose }: Props) {
  const t = texts().reserved
  const words = texts().hold
  const list = usePages<Hold>(`/accounts/${id}/holds?status=active&limit=50`)
  return (
    <Details title={t.title} onClose={onClose}>
      <p class="quiet">{t.note}</p>
      <Listed of={list} none={t.none}>
        {(holds) => (
          <ul>
            {holds.map(({ id: holdId, kind, reference, remaining, currency, expiresAt }) => (
              <li key={holdId}>
                <Row
                  mark={<Icon name={kind === 'authorization' ? 'cards' : 'security'} />}
                  name={<UserText>{reference || words.kinds[kind]}</UserText>}
                  note={
                    <span class="whole">
                      {words.kinds[kind]},{' '}
                      {expiresAt ? words.until(formatTime(expiresAt)) : words.open}
                    </span>
                  }
                  end={<Money amount={remaining} currency={currency} />}
                />
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <a href={`${to('cardPayments')}?account=${id}`}>{t.cardPayments}</a>
    </Details>
  )
}
