// Standing orders of an account: what is coming, the orders, and what became of their days.
import { useState } from 'preact/hooks'
import { Badge, Button, ButtonLink, Notice, Screen, Section } from '../../parts/basic.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Outcome } from '../../parts/form.tsx'
import { useFocusKept } from '../../parts/focus.ts'
import { Listed, Rows } from '../../parts/list.tsx'
import { Menu } from '../../parts/menu.tsx'
import { moneyColumn, Table } from '../../parts/table.tsx'
import { usePages, useRead } from '../../calls/call.ts'
import { me } from '../../calls/session.ts'
import { useListChanges } from '../../calls/submit.ts'
import { to } from '../../state/paths.ts'
import { readQuery } from '../../state/router.ts'
import type {
  Account,
  Beneficiary,
  Order,
  OrderRun,
  UpcomingRun,
  UpcomingRuns,
} from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { formatMoney } from '../../texts/money.tsx'
import { formatDay } from '../../texts/time.tsx'
import { WithAccount } from './account-choice.tsx'

const kinds = { active: 'good', paused: 'warning', ended: 'plain' } as const

function Runs({ order }: { order: Order }) {
  const t = texts().orders
  const list = usePages<OrderRun & { id: string }>(`/orders/${order.id}/runs?limit=20`)
  return (
    <Listed of={list} none={t.noRuns}>
      {(runs) => (
        <ul>
          {runs.map(({ dueOn, outcome, refusal, transferId }) => (
            <li key={dueOn}>
              {formatDay(dueOn)}:{' '}
              {transferId === null ? (
                t.outcomes[outcome]
              ) : (
                <a href={to('receipt', { transferId })}>{t.outcomes[outcome]}</a>
              )}
              {refusal !== null && ` – ${t.refusals[refusal as 'other'] ?? t.refusals.other}`}
            </li>
          ))}
        </ul>
      )}
    </Listed>
  )
}

function Upcoming({ account, names }: { account: Account; names: Map<string, string> }) {
  const t = texts().orders
  const { data } = useRead<UpcomingRuns>(`/accounts/${account.id}/orders/upcoming`)
  const runs = data?.runs ?? []
  if (runs.length === 0) return null
  const { currency } = account
  return (
    <Section title={t.upcoming}>
      <Table<UpcomingRun>
        caption={t.upcomingCaption}
        rows={runs}
        keyOf={({ orderId, dueOn }) => `${orderId} ${dueOn}`}
        columns={[
          { name: t.day, cell: ({ dueOn }) => formatDay(dueOn), place: 'lead' },
          { name: t.payee, cell: ({ orderId }) => names.get(orderId) ?? '', isRowHeader: true },
          moneyColumn(t.amount, ({ amount }) => ({ amount, currency }), 'end'),
          moneyColumn(t.left, ({ availableAfter }) => ({ amount: availableAfter, currency })),
        ]}
      />
    </Section>
  )
}

function OrderText({ order, name }: { order: Order; name: string }) {
  const t = texts().orders
  const { amount, currency, lastOn, nextOn, pausedBecause, reference, rhythm, status } = order
  return (
    <div>
      <strong dir="auto">{name}</strong> <Badge kind={kinds[status]}>{t.statuses[status]}</Badge>
      <p>
        {formatMoney(amount, currency)} · {t.rhythms[rhythm]}
        {reference && ` · ${reference}`}
      </p>
      <p class="quiet">
        {nextOn === null ? t.noNext : t.next(formatDay(nextOn))}
        {lastOn !== null && ` · ${t.until(formatDay(lastOn))}`}
      </p>
      {pausedBecause === 'missed' && <p class="quiet">{t.missed}</p>}
      {order.isAboveDailyLimit && status === 'active' && <p class="quiet">{t.aboveLimit}</p>}
      {order.orderedBy !== me.value?.id && <p class="quiet">{t.byProgram}</p>}
      <Fold title={t.runs}>
        <Runs order={order} />
      </Fold>
    </div>
  )
}

function toName(
  { beneficiaryId, toAccountId }: Order,
  payees: readonly Beneficiary[],
  accounts: readonly Account[],
): string {
  const t = texts().orders
  const payee = payees.find(({ id }) => id === beneficiaryId)
  const own = accounts.find(({ id }) => id === toAccountId)
  return payee?.nickname ?? payee?.name ?? own?.name ?? (toAccountId ? t.ownAccount : t.goneName)
}

type Verb = 'pause' | 'resume' | 'skip-next'

function List({ account, accounts }: { account: Account; accounts: readonly Account[] }) {
  const t = texts().orders
  const list = usePages<Order>(`/accounts/${account.id}/orders?limit=50`)
  const payees = usePages<Beneficiary>(`/accounts/${account.id}/beneficiaries?limit=100`)
  const [made] = useState(() => (readQuery().has('made') ? t.made : ''))
  const changing = useListChanges(list, made)
  const [ending, setEnding] = useState<Order>()
  useFocusKept(list.data?.length)
  const nameOf = (order: Order) => toName(order, payees.data ?? [], accounts)
  const canChange = account.status === 'active'
  const actions = (order: Order) => {
    const { id, nextOn, status } = order
    const turn = (verb: Verb) => () => {
      const path = `/orders/${id}/${verb}`
      // By its name: a click that comes late leaves out no other day.
      const skip = verb === 'skip-next' && { body: { dueOn: nextOn }, isRepeatable: false }
      void changing.change({ method: 'POST', path, ...skip }, t.turned[verb])
    }
    return (
      <Menu of={nameOf(order)}>
        {status === 'active' && (
          <>
            <Button onClick={turn('skip-next')}>{t.skip}</Button>
            <Button onClick={turn('pause')}>{t.pause}</Button>
          </>
        )}
        {status === 'paused' && <Button onClick={turn('resume')}>{t.resume}</Button>}
        <Button kind="danger" onClick={() => setEnding(order)}>
          {t.end}
        </Button>
      </Menu>
    )
  }
  const end = ({ id }: Order) =>
    changing
      .change({ method: 'DELETE', path: `/orders/${id}` }, t.ended)
      .then(() => setEnding(undefined))
  const names = new Map((list.data ?? []).map((order) => [order.id, nameOf(order)]))
  return (
    <>
      <Upcoming key={changing.told} account={account} names={names} />
      <Section
        title={t.list}
        actions={
          canChange && (
            <ButtonLink href={`${to('transfer')}?from=${account.id}&when=monthly`} kind="primary">
              {t.add}
            </ButtonLink>
          )
        }
      >
        {changing.told && <Notice kind="good">{changing.told}</Notice>}
        <Outcome of={changing} />
        <Listed of={list} none={t.none}>
          {(orders) => (
            <Rows of={orders}>
              {(order) => (
                <>
                  <OrderText order={order} name={nameOf(order)} />
                  {canChange && order.status !== 'ended' && actions(order)}
                </>
              )}
            </Rows>
          )}
        </Listed>
      </Section>
      {ending && (
        <Question
          title={t.endTitle(nameOf(ending))}
          confirm={t.endForGood}
          isBusy={changing.isBusy}
          onConfirm={() => void end(ending)}
          onClose={() => setEnding(undefined)}
        >
          <p>{t.endText}</p>
        </Question>
      )}
    </>
  )
}

export const Orders = () => (
  <Screen title={texts().orders.title}>
    <WithAccount>
      {(account, accounts) => <List key={account.id} account={account} accounts={accounts} />}
    </WithAccount>
  </Screen>
)
