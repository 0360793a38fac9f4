// The cards of the customer.
import { useState } from 'preact/hooks'
import { Button, ButtonLink, Notice, Screen, Section } from '../../parts/basic.tsx'
import { CardRow, lastFour } from '../../parts/cards.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { bind, errorsOf, findUnfit, Form, Outcome, useErrors, useTyped } from '../../parts/form.tsx'
import { useFocusKept } from '../../parts/focus.ts'
import { Listed, Rows } from '../../parts/list.tsx'
import { Menu } from '../../parts/menu.tsx'
import { texts } from '../../texts/language.ts'
import { useListChanges, useSubmit } from '../../calls/submit.ts'
import { to } from '../../state/paths.ts'
import type { Account, Card } from '../../state/types.ts'
import { EveryAccount, OfAccount, type Part, useOfAccounts } from './every-account.tsx'

type CancellingProps = {
  of: Card
  isBusy: boolean
  onConfirm: () => void
  onClose: () => void
}

function Cancelling({ of: card, ...question }: CancellingProps) {
  const t = texts().cards
  const title = t.cancelTitle(lastFour(card))
  return (
    <Question title={title} confirm={t.cancelForGood} keep={t.keep} {...question}>
      <p>{t.cancelText}</p>
    </Question>
  )
}

const OrderLink = ({ account }: { account: Account }) => (
  <ButtonLink href={`${to('cards')}?account=${account.id}`}>{texts().cards.order}</ButtonLink>
)

/** Where the cards of several accounts stand together, one is ordered for a chosen account. */
function CardList(part: Part) {
  const { accounts, isAlone } = part
  const t = texts().cards
  const list = useOfAccounts<Card>(part, ({ id }) => `/accounts/${id}/cards?limit=50`)
  const accountOf = ({ accountId }: Card) => accounts.find(({ id }) => id === accountId)
  const active = accounts.find(({ status }) => status === 'active')
  const changing = useListChanges(list)
  const [cancelling, setCancelling] = useState<Card>()
  useFocusKept(list.data?.length)
  const actions = (card: Card) => {
    const { id, status, frozenBy } = card
    const account = accountOf(card)
    const isActive = account?.status === 'active'
    if (status === 'cancelled' || frozenBy === 'admin') return null
    const verb = status === 'active' ? 'freeze' : 'unfreeze'
    const path = `/cards/${id}/${verb}`
    const turn = () =>
      void changing.change({ method: 'POST', path }, t.turned[verb](lastFour(card)))
    const which = <span class="unseen"> {t.which(lastFour(card))}</span>
    return (
      <>
        {(isActive || verb === 'freeze') && (
          <Button isBusy={changing.isBusy} onClick={turn}>
            {t[verb]}
            {which}
          </Button>
        )}
        {isActive && (
          <Menu of={t.which(lastFour(card))}>
            <Button kind="danger" onClick={() => setCancelling(card)}>
              {t.cancel}
              {which}
            </Button>
          </Menu>
        )}
      </>
    )
  }
  async function cancel(card: Card): Promise<void> {
    const part = { path: `/cards/${card.id}`, body: { status: 'cancelled' } }
    await changing.change({ method: 'PUT', ...part }, t.cancelled(lastFour(card)))
    setCancelling(undefined)
  }
  return (
    <>
      <Section title={t.list} actions={active && !isAlone && <OrderLink account={active} />}>
        {changing.told && <Notice kind="good">{changing.told}</Notice>}
        <Outcome of={changing} />
        <Listed of={list} none={part.next ? texts().common.none : t.none}>
          {(items) => (
            <Rows of={items}>
              {(card) => {
                const isByBank = card.status === 'frozen' && card.frozenBy === 'admin'
                return (
                  <CardRow
                    card={card}
                    note={isByBank && t.frozenByBank}
                    of={!isAlone && <OfAccount account={accountOf(card)} />}
                  >
                    {actions(card)}
                  </CardRow>
                )
              }}
            </Rows>
          )}
        </Listed>
      </Section>
      {active && isAlone && <NewCard account={active} onDone={list.again} />}
      {cancelling && (
        <Cancelling
          of={cancelling}
          isBusy={changing.isBusy}
          onConfirm={() => void cancel(cancelling)}
          onClose={() => setCancelling(undefined)}
        />
      )}
    </>
  )
}

function NewCard({ account, onDone }: { account: Account; onDone: () => void }) {
  const t = texts().cards
  const [typed, change] = useTyped({ nickname: '' })
  const ordering = useSubmit<Card>()
  const isFull = ordering.state === 'refused' && ordering.failure?.code === 'limit_exceeded'
  const [own, accept] = useErrors()
  const errors = errorsOf(ordering, own, { nickname: texts().form.badText })
  async function submit(): Promise<void> {
    if (!accept(findUnfit(typed, 'nickname'))) return
    const path = `/accounts/${account.id}/cards`
    const body = { nickname: typed.nickname.trim() || null }
    const done = await ordering.submit({ method: 'POST', path, body, isRepeatable: false })
    if (done) change({ nickname: '' })
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
          {...bind(typed, change, errors)('nickname')}
          label={t.nickname}
          hint={t.nicknameHint}
          maxLength={70}
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
    <EveryAccount>{(part) => <CardList {...part} />}</EveryAccount>
  </Screen>
)
