// The cards of an account.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, ButtonLink, Notice, Screen, Section } from '../../parts/basic.tsx'
import { CardRow, lastFour } from '../../parts/cards.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { bind, errorsOf, findUnfit, Form, Outcome, useErrors, useTyped } from '../../parts/form.tsx'
import { useFocusKept } from '../../parts/focus.ts'
import { Listed, Rows } from '../../parts/list.tsx'
import { Menu } from '../../parts/menu.tsx'
import { usePages } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { useListChanges, useSubmit } from '../../calls/submit.ts'
import { to } from '../../state/paths.ts'
import { readQuery } from '../../state/router.ts'
import type { Account, Card } from '../../state/types.ts'
import { accountLabel, EachAccount } from './account-choice.tsx'

type ListProps = { account: Account; title: string; hasForm: boolean; order: ComponentChildren }

function CardList({ account, title, hasForm, order }: ListProps) {
  const t = texts().cards
  const list = usePages<Card>(`/accounts/${account.id}/cards?limit=50`)
  const changing = useListChanges(list)
  const [cancelling, setCancelling] = useState<Card>()
  useFocusKept(list.data?.length)
  const isActive = account.status === 'active'
  const actions = (card: Card) => {
    const { id, status, frozenBy } = card
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
      <Section title={title} actions={order}>
        {changing.told && <Notice kind="good">{changing.told}</Notice>}
        <Outcome of={changing} />
        <Listed of={list} none={t.none}>
          {(items) => (
            <Rows of={items}>
              {(card) => {
                const isByBank = card.status === 'frozen' && card.frozenBy === 'admin'
                return (
                  <CardRow card={card} note={isByBank && t.frozenByBank}>
                    {actions(card)}
                  </CardRow>
                )
              }}
            </Rows>
          )}
        </Listed>
      </Section>
      {isActive && hasForm && <NewCard account={account} onDone={list.again} />}
      {cancelling && (
        <Question
          title={t.cancelTitle(lastFour(cancelling))}
          confirm={t.cancelForGood}
          isBusy={changing.isBusy}
          onConfirm={() => void cancel(cancelling)}
          keep={t.keep}
          onClose={() => setCancelling(undefined)}
        >
          <p>{t.cancelText}</p>
        </Question>
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

/** Where the cards of several accounts stand together, one is ordered for a chosen account. */
function CardsOf({ account, isAlone }: { account: Account; isAlone: boolean }) {
  const t = texts().cards
  const hasForm = isAlone || readQuery().has('account')
  const order = account.status === 'active' && !hasForm && (
    <ButtonLink href={`${to('cards')}?account=${account.id}`}>{t.order}</ButtonLink>
  )
  const title = isAlone ? t.list : accountLabel(account)
  return <CardList account={account} title={title} hasForm={hasForm} order={order} />
}

export const Cards = () => (
  <Screen title={texts().cards.title}>
    <EachAccount>
      {(account, all) => <CardsOf key={account.id} account={account} isAlone={all.length === 1} />}
    </EachAccount>
  </Screen>
)
