// What cards have paid from an account or tried to; of all its cards or of one.
import { Screen } from '../../../parts/basic.tsx'
import { LateDispute } from '../../common/disputes/late-dispute.tsx'
import { CardPaymentRows } from '../../../parts/card-payments.tsx'
import { Field } from '../../../parts/field.tsx'
import { Listed } from '../../../parts/list.tsx'
import { usePages } from '../../../calls/call.ts'
import { texts } from '../../../texts/language.ts'
import { changeQuery, readQuery } from '../../../state/router.ts'
import { timeZoneName } from '../../../texts/time.tsx'
import type { Account, Card, CardPayment } from '../../../state/types.ts'
import { WithAccount } from '../account-choice.tsx'

type ListProps = { account: Account; cards: readonly Card[] }

function List({ account, cards }: ListProps) {
  const t = texts().cardPayments
  const cardId = readQuery().get('card') ?? ''
  const list = usePages<CardPayment>(`/accounts/${account.id}/card-payments?limit=50`)
  // The payments that were read are enough: an account has few cards.
  const ofCard = list.data?.filter((payment) => cardId === '' || payment.cardId === cardId)
  const none = list.more ? t.noneYet : cardId ? t.noneOf : t.none
  return (
    <section class="card list">
      <div class="find no-print">
        <Field
          name="card"
          label={t.card}
          value={cardId}
          onInput={(card) => changeQuery({ card })}
          options={[['', t.all], ...cards.map((card) => [card.id, card.maskedNumber] as const)]}
        />
      </div>
      <Listed of={{ ...list, data: ofCard }} none={none} lines={6}>
        {(payments) => <CardPaymentRows dispute={LateDispute} of={payments} cards={cards} />}
      </Listed>
      <p class="quiet small pad">{texts().common.timesIn(timeZoneName())}</p>
    </section>
  )
}

function WithCards({ account }: { account: Account }) {
  const cards = usePages<Card>(`/accounts/${account.id}/cards?limit=50`)
  return <List account={account} cards={cards.data ?? []} />
}

export const CardPayments = () => (
  <Screen title={texts().cardPayments.title}>
    <WithAccount>{(account) => <WithCards key={account.id} account={account} />}</WithAccount>
  </Screen>
)
