// The verification of standing orders: each one has the terms of its last change, which the trail
// keeps, and stands where its runs have led it since.
import { type RowOf, sql, statement } from '../../database/statements/statement.ts'
import { dueAfter, type Rhythm } from '../../domain/calendar/rhythm.ts'

/** Orders after one, each with its last terms in the trail and its last day with an outcome. */
export const readOrderPage = statement(
  'verify_read_order_page',
  ['uuid', 'int8'],
  {
    id: 'uuid',
    isOfAccount: 'bool',
    version: 'int4',
    terms: 'jsonb',
    reference: 'text',
    payeeIban: 'text?',
    isClosed: 'bool',
    keptVersion: 'int4?',
    kept: 'jsonb?',
    keptReference: 'text?',
    keptIban: 'text?',
    isErased: 'bool',
    isErasureRecorded: 'bool',
    lastOn: 'text?',
  },
  sql`select o.id, t.id is not null as "isOfAccount", coalesce(t.version, 0) as version,
     coalesce(t.terms, '{}') as terms, coalesce(t.reference, '') as reference,
     t.payee_iban as "payeeIban", coalesce(a.status = 'closed', false) as "isClosed",
     c.version as "keptVersion", c.terms as kept, c.reference as "keptReference",
     c.payee_iban as "keptIban",
     c.erasure_id is not null as "isErased",
     coalesce((select e.action = 'erase' from audit_events e where e.id = c.erasure_id), false)
       as "isErasureRecorded",
     (select max(r.due_on) from standing_order_runs r
      where r.order_id = o.id and r.outcome <> 'waiting')::text as "lastOn"
   from (
     select id, account_id from standing_orders where id > $1 order by id limit $2
   ) o
   left join standing_order_terms t on t.id = o.id
   left join accounts a on a.id = o.account_id
   left join lateral (
     select version, terms, reference, payee_iban, erasure_id from standing_order_changes
     where order_id = o.id order by version desc limit 1
   ) c on true
   order by o.id`,
)

type Order = RowOf<typeof readOrderPage.gives>
/** As `standing_order_terms` makes them. */
type OrderTerms = {
  status: string
  pausedBecause: string | null
  nextOn: string | null
  rhythm: Rhythm
  firstOn: string
  lastOn: string | null
}

/** Runs move an order from day to day; nothing else is changed without a change in the trail. */
const moving: ReadonlySet<string> = new Set(['status', 'pausedBecause', 'nextOn'])

/** What is wrong with an order, in words; undefined: nothing. */
export function findOrderFlaw(order: Order): string | undefined {
  const flaw = findFlaw(order)
  return flaw && `Order ${order.id}: ${flaw}`
}

function findFlaw(order: Order): string | undefined {
  const { version, keptVersion, terms, kept, isErased, isErasureRecorded } = order
  if (!order.isOfAccount) return 'its account is missing'
  if (kept === null) return 'the trail does not have it'
  if (version !== keptVersion) return `its version is ${version}, the trail has ${keptVersion}`
  const differing = findDifference(terms as OrderTerms, kept as OrderTerms)
  if (differing !== undefined) return `its ${differing} is not that of its last change`
  if (isErased && !isErasureRecorded) return 'its texts were erased without a record'
  if (!hasRightReference(order)) return 'its reference is not that of its last change'
  const { payeeIban, keptIban } = order
  // Null: the payee is deleted, or the text is erased.
  if (payeeIban !== null && keptIban !== null && payeeIban !== keptIban) {
    return 'the IBAN of its payee is not that of its last change'
  }
  return hasRightPlace(order) ? undefined : 'it is not where its last change and its runs led it'
}

function findDifference(terms: OrderTerms, kept: OrderTerms): string | undefined {
  const names = Object.keys({ ...terms, ...kept }) as (keyof OrderTerms)[]
  return names.find((name) => !moving.has(name) && terms[name] !== kept[name])
}

/** An ended order loses its reference with its account, before the trail does. */
function hasRightReference({ terms, reference, keptReference, isClosed }: Order): boolean {
  const isEnded = (terms as OrderTerms).status === 'ended'
  return reference === (keptReference ?? '') || (reference === '' && isEnded && isClosed)
}

function hasRightPlace({ terms, kept, lastOn }: Order): boolean {
  const { status, pausedBecause, nextOn } = terms as OrderTerms
  const from = kept as OrderTerms
  if (from.status !== 'active' || from.nextOn === null) {
    return status === from.status && pausedBecause === from.pausedBecause && nextOn === from.nextOn
  }
  const hasRun = lastOn !== null && lastOn >= from.nextOn
  const next = hasRun ? (dueAfter(from, lastOn) ?? null) : from.nextOn
  return (
    status === (next === null ? 'ended' : 'active') && nextOn === next && pausedBecause === null
  )
}
