// The cards of an account.
import { useState } from 'preact/hooks'
import { Badge, Button, Dialog, Empty, Loaded, More, Notice } from '../../parts/basic.tsx'
import { Screen, Section } from '../../parts/basic.tsx'
import { errorsOf, Field, Form, Outcome } from '../../parts/form.tsx'
import { usePages } from '../../call.ts'
import { texts } from '../../language.ts'
import { type Change, useSubmit } from '../../submit.ts'
import type { Account, Card } from '../../types.ts'
import { WithAccount } from './account-choice.tsx'
import { useFocusKept } from './beneficiaries.tsx'

const kinds = { active: 'good', frozen: 'warning', cancelled: 'plain' } as const

const expiry = ({ expiryMonth, expiryYear }: Card): string =>
  `${String(expiryMonth).padStart(2, '0')}/${expiryYear}`

const lastFour = ({ maskedNumber }: Card): string => maskedNumber.slice(-4)

type RowProps = {
  card: Card
  isActive: boolean
  isBusy: boolean
  turn: (verb: 'freeze' | 'unfreeze') => void
  cancel: () => void
}

function Row({ card, isActive, isBusy, turn, cancel }: RowProps) {
  const t = texts().cards
  const { status, nickname, frozenBy } = card
  const isByBank = frozenBy === 'admin'
  const which = <span class="unseen"> {t.which(lastFour(card))}</span>
  return (
    <li>
      <div>
        <strong class="code">{card.maskedNumber}</strong>{' '}
        <Badge kind={kinds[status]}>{t.statuses[status]}</Badge>
        <p class="quiet">
          {nickname && `${nickname} · `}
          {t.validTo(expiry(card))}
        </p>
        {isByBank && status === 'frozen' && <p>{t.frozenByBank}</p>}
      </div>
      <div class="actions">
        {status === 'active' && (
          <Button isBusy={isBusy} onClick={() => turn('freeze')}>
            {t.freeze}
            {which}
          </Button>
        )}
        {status === 'frozen' && !isByBank && isActive && (
          <Button isBusy={isBusy} onClick={() => turn('unfreeze')}>
            {t.unfreeze}
            {which}
          </Button>
        )}
        {status !== 'cancelled' && !isByBank && isActive && (
          <Button kind="danger" onClick={cancel}>
            {t.cancel}
            {which}
          </Button>
        )}
      </div>
    </li>
  )
}

function CardList({ account }: { account: Account }) {
  const t = texts().cards
  const list = usePages<Card>(`/accounts/${account.id}/cards?limit=50`)
  const changing = useSubmit<Card>()
  const [said, setSaid] = useState('')
  const [cancelling, setCancelling] = useState<Card>()
  useFocusKept(list.items?.length)
  const isActive = account.status === 'active'

  async function change(part: Pick<Change, 'method' | 'path' | 'body'>, done: string) {
    setSaid('')
    if (await changing.submit({ ...part, isRepeatable: true })) setSaid(done)
    setCancelling(undefined)
    list.again()
  }
  return (
    <>
      <Section title={t.list}>
        {said && <Notice kind="good">{said}</Notice>}
        <Outcome of={changing} />
        <Loaded of={{ ...list, data: list.items }}>
          {(items) =>
            items.length === 0 ? (
              <Empty>{t.none}</Empty>
            ) : (
              <ul class="rows">
                {items.map((card) => (
                  <Row
                    key={card.id}
                    card={card}
                    isActive={isActive}
                    isBusy={changing.isBusy}
                    turn={(verb) => {
                      const path = `/cards/${card.id}/${verb}`
                      void change({ method: 'POST', path }, t.turned[verb](lastFour(card)))
                    }}
                    cancel={() => setCancelling(card)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
        <More of={list} />
      </Section>
      {isActive && <NewCard account={account} onDone={list.again} />}
      {cancelling && (
        <Dialog
          title={t.cancelTitle(lastFour(cancelling))}
          onClose={() => setCancelling(undefined)}
        >
          <p>{t.cancelText}</p>
          <div class="actions">
            <Button
              kind="danger"
              isBusy={changing.isBusy}
              onClick={() => {
                const path = `/cards/${cancelling.id}`
                const body = { status: 'cancelled' }
                void change({ method: 'PUT', path, body }, t.cancelled(lastFour(cancelling)))
              }}
            >
              {t.cancelForGood}
            </Button>
            <Button onClick={() => setCancelling(undefined)}>{t.keep}</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function NewCard({ account, onDone }: { account: Account; onDone: () => void }) {
  const t = texts().cards
  const [nickname, setNickname] = useState('')
  const ordering = useSubmit<Card>()
  const isFull = ordering.state === 'refused' && ordering.failure?.code === 'limit_exceeded'
  const errors = errorsOf(ordering, {}, { nickname: texts().form.badText })
  async function submit(): Promise<void> {
    const path = `/accounts/${account.id}/cards`
    const body = { nickname: nickname.trim() || null }
    if (await ordering.submit({ method: 'POST', path, body, isRepeatable: false })) setNickname('')
    onDone()
  }
  return (
    <Section title={t.order}>
      {ordering.result && ordering.state === 'done' && (
        <Notice kind="good">{t.ordered(lastFour(ordering.result))}</Notice>
      )}
      {isFull && (
        <Notice kind="bad" role="alert">
          {t.tooMany}
        </Notice>
      )}
      <Form errors={errors} {...(!isFull && { of: ordering })} onSubmit={() => void submit()}>
        <Field
          name="nickname"
          label={t.nickname}
          hint={t.nicknameHint}
          autocomplete="off"
          maxLength={70}
          value={nickname}
          onInput={setNickname}
          error={errors['nickname']}
        />
        <Button type="submit" isBusy={ordering.isBusy}>
          {t.order}
        </Button>
      </Form>
    </Section>
  )
}

export const Cards = () => (
  <Screen title={texts().cards.title}>
    <WithAccount>{(account) => <CardList key={account.id} account={account} />}</WithAccount>
  </Screen>
)
