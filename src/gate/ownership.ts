// Whether a resource is the caller's, by identifier alone. A resource that is not the caller's and
// one that does not exist get the same answer, so probing reveals nothing.
import type { Lookups } from '../database/connections/lookup.ts'
import {
  type Columns,
  type RowOf,
  type Statement,
  statement,
} from '../database/statements/statement.ts'
import { refuse } from '../domain/errors.ts'
import type { Resource } from '../domain/ids.ts'

/** An identifier of a request and what it names, in the order path, query, body. */
export type Named = { resource: Resource; id: string }

/** The rows of each identifier. */
export type Owners = readonly (readonly Row[])[]

/** What a row of a resource is judged by. */
export type Judged = {
  readonly id: 'uuid'
  readonly ownerId: 'uuid' | 'uuid?'
  readonly isGone: 'bool'
}

/** Reads rows of a resource together with what they are judged by. */
export type RowStatement<G extends Columns & Judged = Columns & Judged> = Statement<
  readonly ['uuid[]'],
  G
>

/** A service account that pays, by its identifier and the accounts that it may pay from. */
type Program = { userId: string; payFrom: readonly string[] }

export type Ownership = {
  /**
   * Looks up the owners that `judge` needs.
   *
   * @param row reads the first one, in place of the statement that reads its owner alone
   */
  ask(named: readonly Named[], row?: RowStatement): Promise<Owners>
  /**
   * Passes when every resource is the caller's and nested ones lie in the first resource, of those
   * named before them, that is of the kind which contains them. Refuses with `forbidden` when one
   * is not the caller's or does not exist. True when one was the caller's and is gone.
   *
   * @param found the answer of `ask` for these identifiers
   */
  judge(callerId: string, named: readonly Named[], found: Owners): boolean
  /**
   * Judges a payment of a service account in the same way. The account that is named first, or
   * that has the standing order, payment list or transfer which is, has to be one of `payFrom`; all
   * resources have to be those of its owner, an active customer. A standing order or a payment list
   * has to be one that the service account has made: it does not undo its owner's will.
   */
  judgePayment(program: Program, named: readonly Named[]): Promise<boolean>
  /** The first identifier whose account is one of theirs, on either side of a transfer. */
  findOwn(callerIds: readonly string[], named: readonly Named[]): Promise<Named | undefined>
}

const gives = { id: 'uuid', ownerId: 'uuid?', parentId: 'uuid?', isGone: 'bool' } as const
type Row = RowOf<Pick<typeof gives, 'id' | 'ownerId' | 'isGone'>> & { parentId?: string | null }
type Finder = { find: RowStatement<typeof gives>; within?: Resource }

/** A resource by its `id`, `ownerId`, `parentId` and `isGone`. */
const owner = (
  resource: Resource | 'payer_account',
  columns: string,
  tables: string,
  within?: Resource,
): Finder => ({
  find: statement(
    `gate_owner_of_${resource.replace(' ', '_')}`,
    ['uuid[]'],
    gives,
    ['select', columns, 'from', tables].join(' '),
  ),
  ...(within && { within }),
})

/**
 * The customer's account of a payment, by its key. A plan must not begin with the accounts: while
 * there were few customers when PostgreSQL counted last, it expects none, and reads all.
 */
const accountOf = (id: string): string =>
  `join lateral (
     select id, owner_id, status, kind from accounts where id = ${id} offset 0
   ) a on a.kind = 'customer'`

/** Undefined: it is no customer's, so that `own` is never granted on it. */
export const owners: Record<Resource, Finder | undefined> = {
  account: owner(
    'account',
    `id, owner_id as "ownerId", null::uuid as "parentId", status = 'closed' as "isGone"`,
    `accounts where id = any($1) and kind = 'customer'`,
  ),
  beneficiary: owner(
    'beneficiary',
    `b.id, a.owner_id as "ownerId", a.id as "parentId", b.status = 'deleted' or a.status = 'closed' as "isGone"`,
    `beneficiaries b join accounts a on a.id = b.account_id where b.id = any($1)`,
    'account',
  ),
  card: owner(
    'card',
    `c.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `cards c join accounts a on a.id = c.account_id where c.id = any($1)`,
    'account',
  ),
  'card payment': owner(
    'card payment',
    `p.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `card_authorizations p join accounts a on a.id = p.account_id
     where p.id = any($1) and (p.reason is not null or p.id = p.payment_id)`,
    'account',
  ),
  factor: owner(
    'factor',
    `id, user_id as "ownerId", null::uuid as "parentId", false as "isGone"`,
    'factors where id = any($1)',
  ),
  hold: owner(
    'hold',
    `h.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `holds h join accounts a on a.id = h.account_id where h.id = any($1)`,
    'account',
  ),
  order: owner(
    'order',
    `o.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `standing_orders o join accounts a on a.id = o.account_id where o.id = any($1)`,
    'account',
  ),
  // Any account of the customer: the name and the IBAN are those of the payee.
  'payee check': owner(
    'payee check',
    `c.id, a.owner_id as "ownerId", null::uuid as "parentId", false as "isGone"`,
    `payee_checks c join accounts a on a.id = c.account_id where c.id = any($1)`,
  ),
  'payment list': owner(
    'payment list',
    `l.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `payment_lists l join accounts a on a.id = l.account_id where l.id = any($1)`,
    'account',
  ),
  session: owner(
    'session',
    `s.id, s.user_id as "ownerId", null::uuid as "parentId", c.id is null as "isGone"`,
    `sessions s left join current_sessions c on c.id = s.id where s.id = any($1)`,
  ),
  // Two rows per transfer: each of its accounts has it as a transaction.
  transaction: owner(
    'transaction',
    `t.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `transfers t
     cross join lateral (values (t.from_account_id), (t.to_account_id)) as side (account_id)
     ${accountOf('side.account_id')}
     where t.id = any($1)`,
    'account',
  ),
  // The sender's alone: the recipient has a transaction, not the transfer.
  transfer: owner(
    'transfer',
    `t.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `transfers t ${accountOf('t.from_account_id')} where t.id = any($1)`,
  ),
  user: owner(
    'user',
    `id, id as "ownerId", null::uuid as "parentId", false as "isGone"`,
    'users where id = any($1)',
  ),
  approval: undefined,
  challenge: undefined,
  delivery: undefined,
  event: undefined,
  key: undefined,
  // A route names its account beside it.
  block: undefined,
  'former entry': undefined,
  note: undefined,
  request: undefined,
  'service account': undefined,
  webhook: undefined,
}

/** An account in a payment of a service account: unowned if its owner is no active customer. */
const payerAccount = owner(
  'payer_account',
  `a.id,
   (select u.id from users u
    where u.id = a.owner_id and u.status = 'active' and 'customer' = any (u.roles)) as "ownerId",
   null::uuid as "parentId", a.status = 'closed' as "isGone"`,
  `accounts a where a.id = any($1) and a.kind = 'customer'`,
)

const orderMaker = statement(
  'gate_maker_of_order',
  ['uuid[]'],
  { id: 'uuid', makerId: 'uuid' },
  'select id, maker_id as "makerId" from standing_orders where id = any($1)',
)
const listMaker = statement(
  'gate_maker_of_list',
  ['uuid[]'],
  { id: 'uuid', makerId: 'uuid' },
  'select id, maker_id as "makerId" from payment_lists where id = any($1)',
)
/** What is made for an account, and is changed by its maker alone where that is a program. */
const makers = { order: orderMaker, 'payment list': listMaker } as const
const hasMaker = (resource: Resource): resource is keyof typeof makers =>
  Object.hasOwn(makers, resource)

/** Users and sessions are not accounts: staff may use a staff grant on their own. */
const isOfAccount = ({ resource }: Named): boolean => resource !== 'user' && resource !== 'session'

/** As a transaction, a transfer has a row for each of its two accounts. */
const eitherSide = (resource: Resource): Resource =>
  resource === 'transfer' ? 'transaction' : resource

export function createOwnership(db: Pick<Lookups, 'lookup'>): Ownership {
  const find = (finder: Finder | undefined, id: string): Promise<readonly Row[]> =>
    finder ? db.lookup(finder.find, id) : Promise.resolve([])

  return {
    ask: (named, row) =>
      Promise.all(
        named.map(({ resource, id }, index) =>
          row && index === 0 ? db.lookup(row, id) : find(owners[resource], id),
        ),
      ),

    judge,

    async judgePayment({ userId, payFrom }, named) {
      const [source] = named
      const isAccount = source?.resource === 'account'
      const container = source && !isAccount ? await find(owners[source.resource], source.id) : []
      const accountId = isAccount ? source.id : container[0]?.parentId
      if (typeof accountId !== 'string' || !payFrom.includes(accountId)) {
        const target = source && { target: source.id }
        return refuse('forbidden', { because: 'an account that is not granted', ...target })
      }
      const made = named.flatMap(({ resource, id }) =>
        hasMaker(resource) ? [{ resource, id }] : [],
      )
      const found = await Promise.all(
        made.map(({ resource, id }) => db.lookup(makers[resource], id)),
      )
      const other = made.find((_, index) => found[index]?.[0]?.makerId !== userId)
      if (other) refuse('forbidden', { because: `another's ${other.resource}`, target: other.id })
      const [owned, [payer]] = await Promise.all([
        Promise.all(
          named.map(({ resource, id }) =>
            find(resource === 'account' ? payerAccount : owners[resource], id),
          ),
        ),
        find(payerAccount, accountId),
      ])
      return judge(payer?.ownerId, named, owned)
    },

    async findOwn(callerIds, named) {
      const isOwn = (row: Row) => row.ownerId !== null && callerIds.includes(row.ownerId)
      const ofAccounts = named.filter(isOfAccount)
      const rows = await Promise.all(
        ofAccounts.map(({ resource, id }) => find(owners[eitherSide(resource)], id)),
      )
      return ofAccounts.find((_, index) => rows[index]?.some(isOwn))
    },
  }
}

function judge(
  ownerId: string | null | undefined,
  named: readonly Named[],
  found: Owners,
): boolean {
  // All are checked before any is reported as gone.
  const owned = named.map(({ resource, id }, index) => {
    const container = owners[resource]?.within
    // What is named later is no container: a change may name an order and its new payee.
    const before = named.slice(0, index)
    const containerId = container && before.find((other) => other.resource === container)?.id
    const own = found[index]?.find(
      (row) =>
        row.ownerId !== null &&
        row.ownerId === ownerId &&
        (containerId === undefined || row.parentId === containerId),
    )
    return own ?? refuse('forbidden', { because: `${resource} is not the caller's`, target: id })
  })
  return owned.some((row) => row.isGone)
}
