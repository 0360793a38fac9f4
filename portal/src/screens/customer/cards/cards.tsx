// The cards of the customer.
import { useState } from 'preact/hooks'
import { Button, ButtonLink, Notice, Screen, Section } from '../../../parts/basic.tsx'
import { lastFour } from '../../../parts/cards.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findUnfit,
  Form,
  Outcome,
  useErrors,
  useTyped,
} from '../../../parts/form.tsx'
import { useFocusKept } from '../../../parts/focus.ts'
import { Listed, Rows } from '../../../parts/list.tsx'
import { LimitsDialog } from '../../../parts/limits-dialog.tsx'
import { Menu } from '../../../parts/menu.tsx'
import { texts } from '../../../texts/language.ts'
import { useListChanges, useSubmit } from '../../../calls/submit.ts'
import { to } from '../../../state/paths.ts'
import type { Account, Card } from '../../../state/types.ts'
import { CardControls } from './card-controls.tsx'
import { CardFace } from './card-face.tsx'
import { CardReplacing } from './card-replacing.tsx'
import { EveryAccount, OfAccount, type Part, useOfAccounts } from '../every-account.tsx'

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

type CardQuestion = { verb: 'cancel' | 'limits' | 'replace'; card: Card }

type ItemProps = {
  card: Card
  account: Account | undefined
  isAlone: boolean
  changing: Pick<ReturnType<typeof useListChanges>, 'isBusy' | 'change'>
  ask: (verb: CardQuestion['verb']) => void
}

/** What was frozen by the bank, or is cancelled, is not the customer's to change. */
function CardItem({ card, account, isAlone, changing, ask }: ItemProps) {
  const t = texts().cards
  const { id, status, frozenBy } = card
  const isActive = account?.status === 'active'
  const isByBank = status === 'frozen' && frozenBy === 'admin'
  const verb = status === 'active' ? 'freeze' : 'unfreeze'
  const which = <span class="unseen"> {t.which(lastFour(card))}</span>
  const mayTurn = status !== 'cancelled' && !isByBank && (isActive || verb === 'freeze')
  const turn = () => {
    const path = `/cards/${id}/${verb}`
    void changing.change({ method: 'POST', path }, t.turned[verb](lastFour(card)))
  }
  const control = (body: object, done: string) =>
    changing.change({ method: 'PATCH', path: `/cards/${id}/controls`, body }, done)
  return (
    <>
      <CardFace card={card}>
        {mayTurn && (
          <Button isBusy={changing.isBusy} onClick={turn}>
            {t[verb]}
            {which}
          </Button>
        )}
      </CardFace>
      <div>
        {!isAlone && <OfAccount account={account} />}
        {isByBank && <p class="quiet">{t.frozenByBank}</p>}
      </div>
      {isActive && status !== 'cancelled' && !isByBank && (
        <Menu of={t.which(lastFour(card))}>
          <Button onClick={() => ask('replace')}>
            {t.replace}
            {which}
          </Button>
          <Button kind="danger" onClick={() => ask('cancel')}>
            {t.cancel}
            {which}
          </Button>
        </Menu>
      )}
      {status !== 'cancelled' && (
        <CardControls
          card={card}
          canChange={isActive && !isByBank}
          isBusy={changing.isBusy}
          onChange={(body, done) => void control(body, done)}
          onLimits={() => ask('limits')}
        />
      )}
    </>
  )
}

/** Where the cards of several accounts stand together, one is ordered for a chosen account. */
function CardList(part: Part) {
  const { accounts, isAlone = false } = part
  const t = texts().cards
  const list = useOfAccounts<Card>(part, ({ id }) => `/accounts/${id}/cards?limit=50`)
  const active = accounts.find(({ status }) => status === 'active')
  const changing = useListChanges(list)
  const [asked, setAsked] = useState<CardQuestion>()
  useFocusKept(list.data?.length)
  const end = () => setAsked(undefined)
  async function cancel(card: Card): Promise<void> {
    const change = { path: `/cards/${card.id}`, body: { status: 'cancelled' } }
    await changing.change({ method: 'PUT', ...change }, t.cancelled(lastFour(card)))
    end()
  }
  async function limit(card: Card, limits: Card['limits']): Promise<void> {
    const body = { currency: card.currency, limits }
    const path = `/cards/${card.id}/controls`
    await changing.change({ method: 'PATCH', path, body }, t.limitsSaved(lastFour(card)))
    end()
  }
  return (
    <>
      <Section title={t.list} actions={active && !isAlone && <OrderLink account={active} />}>
        <Listed of={list} none={part.next ? texts().common.none : t.none}>
          {(items) => (
            <Rows of={items}>
              {(card) => (
                <CardItem
                  card={card}
                  account={accounts.find(({ id }) => id === card.accountId)}
                  isAlone={isAlone}
                  changing={changing}
                  ask={(verb) => setAsked({ verb, card })}
                />
              )}
            </Rows>
          )}
        </Listed>
        {/* Below the cards: nothing moves under the pointer. */}
        <div class="told">
          {changing.told && <Notice kind="good">{changing.told}</Notice>}
          <Outcome of={changing} />
        </div>
      </Section>
      {active && isAlone && <NewCard account={active} onDone={list.again} />}
      {asked?.verb === 'limits' && (
        <LimitsDialog
          title={t.limitsOf(lastFour(asked.card))}
          hint={t.limitHint}
          limits={asked.card.limits}
          currency={asked.card.currency}
          isBusy={changing.isBusy}
          onSave={(limits) => void limit(asked.card, limits)}
          onClose={end}
        />
      )}
      {asked?.verb === 'replace' && (
        <CardReplacing
          of={asked.card}
          onDone={(told) => {
            end()
            changing.tell(told)
          }}
          onClose={() => {
            end()
            list.again()
          }}
        />
      )}
      {asked?.verb === 'cancel' && (
        <Cancelling
          of={asked.card}
          isBusy={changing.isBusy}
          onConfirm={() => void cancel(asked.card)}
          onClose={end}
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
          {...bindFields(typed, change, errors)('nickname')}
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
