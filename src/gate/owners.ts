// Whose each resource is, and which account holds it: a look-up by identifier for each kind.
import {
  type Columns,
  type RowOf,
  type Statement,
  statement,
} from '../database/statements/statement.ts'
import type { Resource } from '../domain/ids.ts'

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

const gives = { id: 'uuid', ownerId: 'uuid?', parentId: 'uuid?', isGone: 'bool' } as const
export type OwnedRow = RowOf<Pick<typeof gives, 'id' | 'ownerId' | 'isGone'>> & {
  parentId?: string | null
}
export type Finder = { find: RowStatement<typeof gives>; within?: Resource }

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
  chargeback: owner(
    'chargeback',
    `b.transfer_id as id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `card_chargebacks b join card_authorizations p on p.id = b.payment_id
     join accounts a on a.id = p.account_id where b.transfer_id = any($1)`,
    'account',
  ),
  dispute: owner(
    'dispute',
    `d.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `card_disputes d join accounts a on a.id = d.account_id where d.id = any($1)`,
    'account',
  ),
  // For the owner of the account; for its person it is a membership.
  member: owner(
    'member',
    `m.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `account_members m join accounts a on a.id = m.account_id where m.id = any($1)`,
    'account',
  ),
  membership: owner(
    'membership',
    `id, person_id as "ownerId", null::uuid as "parentId", ended_at is not null as "isGone"`,
    'account_members where id = any($1)',
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
    `c.id, a.owner_id as "ownerId", a.id as "parentId", false as "isGone"`,
    `payee_checks c join accounts a on a.id = c.account_id where c.id = any($1)`,
  ),
  'payment draft': owner(
    'payment draft',
    `d.id, a.owner_id as "ownerId", a.id as "parentId", a.status = 'closed' as "isGone"`,
    `payment_drafts d join accounts a on a.id = d.account_id where d.id = any($1)`,
    'account',
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
export const payerAccount = owner(
  'payer_account',
  `a.id,
   (select u.id from users u
    where u.id = a.owner_id and u.status = 'active' and 'customer' = any (u.roles)) as "ownerId",
   null::uuid as "parentId", a.status = 'closed' as "isGone"`,
  `accounts a where a.id = any($1) and a.kind = 'customer'`,
)

const made = { id: 'uuid', makerId: 'uuid', callerId: 'uuid' } as const
const orderMaker = statement(
  'gate_maker_of_order',
  ['uuid[]'],
  made,
  `select id, maker_id as "makerId", caller_id as "callerId" from standing_orders
   where id = any($1)`,
)
const listMaker = statement(
  'gate_maker_of_list',
  ['uuid[]'],
  made,
  `select id, maker_id as "makerId", coalesce(caller_id, maker_id) as "callerId"
   from payment_lists where id = any($1)`,
)
/**
 * What is made for an account: a program changes what it has made, and a member what pays by its
 * right. An order that its owner has resumed or changed is the owner's.
 */
export const makers = { order: orderMaker, 'payment list': listMaker } as const
export const hasMaker = (resource: Resource): resource is keyof typeof makers =>
  Object.hasOwn(makers, resource)
