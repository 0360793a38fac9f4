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

type Verb = 'pause' | 'resume'

type MenuProps = {
  of: Order
  name: string
  changing: Pick<ReturnType<typeof useListChanges>, 'change'>
  onSkip: () => void
  onChange: () => void
  onEnd: () => void
}

function OrderMenu({ of: { id, status }, name, changing, onSkip, onChange, onEnd }: MenuProps) {
  const t = texts().orders
  const turn = (verb: Verb) => () => {
    void changing.change({ method: 'POST', path: `/orders/${id}/${verb}` }, t.turned[verb])
  }
  return (
    <Menu of={name}>
      <Button onClick={onChange}>{t.change}</Button>
      {status === 'active' && (
        <>
          <Button onClick={onSkip}>{t.skip}</Button>
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

/** Leaves the next day of an order out, and takes that back. */
function useLeavingOut({
  told,
  change,
}: Pick<ReturnType<typeof useListChanges>, 'told' | 'change'>) {
  const t = texts().orders
  /** The last order of which a day was left out, as it was before. */
  const [last, setLast] = useState<Order>()
  // The day is named: a click that comes late leaves out, or takes back, no other one.
  const turn = ({ id }: Order, verb: 'skip-next' | 'undo-skip', dueOn: string | null): void => {
    const path = `/orders/${id}/${verb}`
    void change({ method: 'POST', path, body: { dueOn }, isRepeatable: false }, t.turned[verb])
  }
  const takeBack = (order: Order, dueOn: string | null) => turn(order, 'undo-skip', dueOn)
  return {
    skip: (order: Order): void => {
      setLast(order)
      turn(order, 'skip-next', order.nextOn)
    },
    takeBackOf: (order: Order) =>
      order.status === 'active' ? (dueOn: string) => takeBack(order, dueOn) : undefined,
    /** Offered while it is told that the day is left out. */
    takeBackLast:
      last && told === t.turned['skip-next'] ? () => takeBack(last, last.nextOn) : undefined,
  }
}

function ChangeNotice({ text, takeBack }: { text: string; takeBack: (() => void) | undefined }) {
  return (
    <Notice kind="good">
      <p>{text}</p>
      {takeBack && <Button onClick={takeBack}>{texts().orders.takeBack}</Button>}
    </Notice>
  )
}

const AddLink = ({ account }: { account: Account }) => (
  <ButtonLink href={`${to('transfer')}?from=${account.id}&when=monthly`} kind="primary">
    {texts().orders.add}
  </ButtonLink>
)

function List({ account, accounts }: { account: Account; accounts: readonly Account[] }) {
  const t = texts().orders
  const list = usePages<Order>(`/accounts/${account.id}/orders?limit=50`)
  const payees = usePages<Beneficiary>(`/accounts/${account.id}/beneficiaries?limit=100`)
  const [made] = useState(() => (readQuery().has('made') ? t.made : ''))
  const changing = useListChanges(list, made)
  const [ending, setEnding] = useState<Order>()
  const [edited, setEdited] = useState<Order>()
  const leaving = useLeavingOut(changing)
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
      <Section title={t.list} actions={canChange && <AddLink account={account} />}>
        {changing.told && <ChangeNotice text={changing.told} takeBack={leaving.takeBackLast} />}
        <Outcome of={changing} />
        <Listed of={list} none={t.none}>
          {(orders) => (
            <Rows of={orders}>
              {(order) => (
                <>
                  <OrderText
                    key={order.nextOn}
                    of={order}
                    name={nameOf(order)}
                    takeBack={canChange ? leaving.takeBackOf(order) : undefined}
                    {...reader}
                  />
                  {canChange && order.status !== 'ended' && (
                    <OrderMenu
                      of={order}
                      name={nameOf(order)}
                      changing={changing}
                      onSkip={() => leaving.skip(order)}
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
      {list.data && <Coming key={changing.told} account={account} names={names} />}
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
