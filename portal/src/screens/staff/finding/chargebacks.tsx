// The chargebacks of the bank by how they stand. An administrator says how one has ended.
import { useState } from 'preact/hooks'
import { Button, Facts, Notice, Section } from '../../../parts/basic.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import type { Pages } from '../../../calls/call.ts'
import { isAdmin } from '../../../calls/session.ts'
import { useListChanges } from '../../../calls/submit.ts'
import type { Chargeback } from '../../../state/types.ts'
import { colon, texts } from '../../../texts/language.ts'
import { formatMoney, Money } from '../../../texts/money.tsx'
import { Time } from '../../../texts/time.tsx'
import { AccountOf, chosenState, Shop, StateChoice } from './dispute-parts.tsx'

const states = ['open', 'won', 'lost', 'withdrawn'] as const
export const chargebackState = () => chosenState('chargebacks', states)

const outcomes = ['won', 'lost', 'withdrawn'] as const
type AskedEnd = { chargeback: Chargeback; outcome: (typeof outcomes)[number] }

const moneyOf = ({ amount, currency }: Chargeback): string => formatMoney(amount, currency)

export function Chargebacks({ of: list }: { of: Pages<Chargeback> }) {
  const t = texts().disputes
  const { told, change, ...changing } = useListChanges(list)
  const [asked, setAsked] = useState<AskedEnd>()
  const close = () => setAsked(undefined)
  function end({ chargeback: { id }, outcome }: AskedEnd): void {
    close()
    void change({ method: 'POST', path: `/chargebacks/${id}/${outcome}` }, t.ended)
  }
  return (
    <Section title={t.chargebacks}>
      <p class="quiet">{t.chargebacksMeaning}</p>
      {told && <Notice kind="good">{told}</Notice>}
      <Outcome of={changing} />
      <StateChoice
        list="chargebacks"
        states={states}
        value={chargebackState()}
        label={t.chargebackState}
      />
      <Listed of={list} none={t.noChargeback} lines={4}>
        {(chargebacks) => (
          <Rows of={chargebacks}>
            {(chargeback) => (
              <div class="card-part">
                <ChargebackFacts of={chargeback} />
                {isAdmin() && chargeback.status === 'open' && (
                  <div class="actions">
                    {outcomes.map((outcome) => (
                      <Button
                        key={outcome}
                        isBusy={changing.isBusy}
                        label={`${t.states[outcome]}${colon()}${moneyOf(chargeback)}`}
                        onClick={() => setAsked({ chargeback, outcome })}
                      >
                        {t.states[outcome]}
                      </Button>
                    ))}
                  </div>
                )}
              </div>
            )}
          </Rows>
        )}
      </Listed>
      {asked && (
        <Question
          title={`${t.states[asked.outcome]}${colon()}${moneyOf(asked.chargeback)}`}
          confirm={t.states[asked.outcome]}
          kind={asked.outcome === 'won' ? 'primary' : 'danger'}
          onConfirm={() => end(asked)}
          onClose={close}
        >
          <p>{t.ends[asked.outcome]}</p>
        </Question>
      )}
    </Section>
  )
}

function ChargebackFacts({ of: chargeback }: { of: Chargeback }) {
  const t = texts().disputes
  const { amount, currency, merchant, reason, accountId, createdAt, endedAt } = chargeback
  return (
    <Facts
      rows={[
        [t.since, <Time at={createdAt} />],
        [t.amount, <Money amount={amount} currency={currency} />],
        [t.shop, <Shop of={merchant} />],
        [t.code, reason],
        [t.account, <AccountOf of={accountId} />],
        [t.states[chargeback.status], endedAt && <Time at={endedAt} />],
      ]}
    />
  )
}
