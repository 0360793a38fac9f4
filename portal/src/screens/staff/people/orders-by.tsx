// Standing orders by who made or changed them, or whose accounts they pay from: ended ones as well.
import { nameOf, UserText } from '../../../parts/accounts.tsx'
import { Section } from '../../../parts/basic.tsx'
import { Field } from '../../../parts/field.tsx'
import { FilterForm, useFilters } from '../../../parts/filters.tsx'
import { bindFields, useErrors } from '../../../parts/form.tsx'
import { useRead } from '../../../calls/call.ts'
import { to } from '../../../state/paths.ts'
import type { Order, ServiceAccount, User } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { OrdersToEnd } from '../../common/orders-to-end.tsx'
import { findPerson } from '../finding/find-person.ts'

/** `program`: the maker too, whose page is another; `ownerId`: the holder. */
const filterNames = ['orderedBy', 'program', 'ownerId', 'status'] as const
type Filter = Record<(typeof filterNames)[number], string>

/** Whom the list is about, as a link. A session or key has no page. */
function About({ of: { orderedBy, program, ownerId } }: { of: Filter }) {
  const t = texts().openOrders
  const personId = orderedBy || ownerId
  const person = useRead<User>(personId ? `/admin/users/${personId}` : undefined).data
  const service = useRead<ServiceAccount>(
    program ? `/admin/service-accounts/${program}` : undefined,
  ).data
  const page = service
    ? to('staffServiceAccount', { serviceAccountId: program })
    : to('staffCustomer', { userId: personId })
  const name = service?.name ?? (person && nameOf(person))
  if (name === undefined) return null
  return (
    <p>
      {orderedBy || program ? t.madeBy : t.heldBy}{' '}
      <a href={page}>
        <UserText>{name}</UserText>
      </a>
    </p>
  )
}

/** Where another than the maker of the list has a part in the order. */
function toNote({ madeBy, orderedBy, accountId }: Order, maker: string) {
  const t = texts().openOrders
  const isMade = madeBy === maker
  const isChanged = orderedBy === maker
  return (
    <p class="quiet">
      <a href={to('staffAccount', { accountId })}>{t.toAccount}</a>
      {isMade && !isChanged && ` · ${t.changedByOther}`}
      {isChanged && !isMade && ` · ${t.madeByOther}`}
    </p>
  )
}

export function OrdersBy() {
  const { openOrders: t, orders, audit } = texts()
  const filters = useFilters(filterNames)
  const { applied, typed, type } = filters
  const [errors, accept] = useErrors()
  const field = bindFields(typed, type, errors)
  const maker = applied.program || applied.orderedBy
  const query = new URLSearchParams({ limit: '50' })
  if (maker) query.set('orderedBy', maker)
  if (applied.ownerId) query.set('ownerId', applied.ownerId)
  if (applied.status) query.set('status', applied.status)
  async function apply(): Promise<void> {
    const orderedBy = await findPerson(typed.orderedBy)
    if (!accept({ orderedBy: orderedBy === undefined ? audit.unknownPerson : undefined })) return
    // Who asks for another maker asks for no program or holder beside.
    const isOther = orderedBy !== applied.orderedBy && orderedBy !== ''
    filters.apply({
      orderedBy: orderedBy as string,
      ...(isOther && { program: '', ownerId: '' }),
    })
  }
  return (
    <Section title={orders.title}>
      <FilterForm of={filters} onApply={() => void apply()} isUnfolded={maker === ''}>
        <Field {...field('orderedBy')} label={t.maker} hint={t.makerHint} />
        <Field
          {...field('status')}
          label={t.status}
          options={[['', t.all], ['open', t.open], ...Object.entries(orders.statuses)]}
        />
      </FilterForm>
      <About of={applied} />
      <OrdersToEnd
        key={query.toString()}
        path={`/orders?${query}`}
        isOwn={false}
        none={t.noneBy}
        noteOf={(order) => toNote(order, maker)}
      />
    </Section>
  )
}
