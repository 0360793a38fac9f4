// Standing orders of an account: what is coming, the orders, and what became of their days.
import { useState } from 'preact/hooks'
import { Button, ButtonLink, Notice, Screen, Section } from '../../../parts/basic.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { useFocusKept } from '../../../parts/focus.ts'
import { Listed, Rows } from '../../../parts/list.tsx'
import { Menu } from '../../../parts/menu.tsx'
import { usePages } from '../../../calls/call.ts'
import { useListChanges } from '../../../calls/submit.ts'
import { to } from '../../../state/paths.ts'
import { readQuery } from '../../../state/router.ts'
import type { Account, Beneficiary, Order } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { ComingTable, OrderText, useComing } from '../../common/standing-orders.tsx'
import { WithAccount } from '../account-choice.tsx'
import { OrderChange } from './order-change.tsx'

const toReceipt = (transferId: string): string => to('receipt', { transferId })

type ComingProps = { account: Account; names: ReadonlyMap<string, string> }

function Coming({ account, names }: ComingProps) {
  const { data: runs = [] } = useComing(account)
  if (runs.length === 0) return null
  return (
    <Section title={texts().orders.upcoming}>
      <ComingTable of={runs} nameOf={(orderId) => names.get(orderId) ?? ''} />
    </Section>
  )
}

function toName(
  { beneficiaryId, toAccountId, payee: named }: Order,
  payees: readonly Beneficiary[],
  accounts: readonly Account[],
): string {
  const t = texts().orders
  const payee = payees.find(({ id }) => id === beneficiaryId)
  const own = accounts.find(({ id }) => id === toAccountId)
  const ownName = toAccountId && (own?.name ?? t.ownAccount)
  return payee?.nickname ?? ownName ?? named?.name ?? t.goneName
}

type EndingProps = { name: string; isBusy: boolean; onConfirm: () => void; onClose: () => void }

function Ending({ name, ...question }: EndingProps) {
  const t = texts().orders
  return (
    <Question title={t.endTitle(name)} confirm={t.endForGood} {...question}>
      <p>{t.endText}</p>
    </Question>
  )
}

type Verb = 'pause' | 'resume' | 'skip-next'

type MenuProps = {
  of: Order
  name: string
  changing: ReturnType<typeof useListChanges>
  onChange: () => void
  onEnd: () => void
}

function OrderMenu({ of: { id, nextOn, status }, name, changing, onChange, onEnd }: MenuProps) {
  const t = texts().orders
  const turn = (verb: Verb) => () => {
    const path = `/orders/${id}/${verb}`
    // By its name: a click that comes late leaves out no other day.
    const skip = verb === 'skip-next' && { body: { dueOn: nextOn }, isRepeatable: false }
    void changing.change({ method: 'POST', path, ...skip }, t.turned[verb])
  }
  return (
    <Menu of={name}>
      <Button onClick={onChange}>{t.change}</Button>
      {status === 'active' && (
        <>
          <Button onClick={turn('skip-next')}>{t.skip}</Button>
          <Button onClick={turn('pause')}>{t.pause}</Button>
        </>
      )}
      {status === 'paused' && <Button onClick={turn('resume')}>{t.resume}</Button>}
      <Button kind="danger" onClick={onEnd}>
        {t.end}
      </Button>
    </Menu>
  )
}

function List({ account, accounts }: { account: Account; accounts: readonly Account[] }) {
  const t = texts().orders
  const list = usePages<Order>(`/accounts/${account.id}/orders?limit=50`)
  const payees = usePages<Beneficiary>(`/accounts/${account.id}/beneficiaries?limit=100`)
  const [made] = useState(() => (readQuery().has('made') ? t.made : ''))
  const changing = useListChanges(list, made)
  const [ending, setEnding] = useState<Order>()
  const [edited, setEdited] = useState<Order>()
  useFocusKept(list.data?.length)
  const nameOf = (order: Order) => toName(order, payees.data ?? [], accounts)
  const canChange = account.status === 'active'
  const end = ({ id }: Order) =>
    changing
      .change({ method: 'DELETE', path: `/orders/${id}` }, t.ended)
      .then(() => setEnding(undefined))
  const pauses = { owner: undefined, missed: t.missed, member: t.memberLeft }
  const reader = { ownerId: account.ownerId, pauses, toPayment: toReceipt }
  const names = new Map((list.data ?? []).map((order) => [order.id, nameOf(order)]))
  return (
    <>
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
                  <OrderText of={order} name={nameOf(order)} {...reader} />
                  {canChange && order.status !== 'ended' && (
                    <OrderMenu
                      of={order}
                      name={nameOf(order)}
                      changing={changing}
                      onChange={() => setEdited(order)}
                      onEnd={() => setEnding(order)}
                    />
                  )}
                </>
              )}
            </Rows>
          )}
        </Listed>
      </Section>
      <Coming key={changing.told} account={account} names={names} />
      {edited && (
        <OrderChange
          of={edited}
          account={account}
          accounts={accounts}
          payees={payees.data ?? []}
          onDone={() => {
            setEdited(undefined)
            changing.tell(t.changed)
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
      {ending && (
        <Ending
          name={nameOf(ending)}
          isBusy={changing.isBusy}
          onConfirm={() => void end(ending)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </>
  )
}

export const Orders = () => (
  <Screen
    title={texts().orders.title}
    actions={<ButtonLink href={to('lists')}>{texts().orders.lists}</ButtonLink>}
  >
    <WithAccount>
      {(account, accounts) => <List key={account.id} account={account} accounts={accounts} />}
    </WithAccount>
  </Screen>
)
