// Whose a resource is and what contains it: one statement per kind of resource, for the gate.
import type { Resource } from '../domain/ids.ts'
import { type Statement, statement } from '../database/statement.ts'

const gives = { id: 'uuid', owner_id: 'uuid?', parent_id: 'uuid?', is_gone: 'bool' } as const
type Found = Statement<readonly ['uuid[]'], typeof gives>
const find = (resource: Resource, text: string): Found =>
  statement(`gate_owner_of_${resource}`, ['uuid[]'], gives, text)

/** How to find the owner of a resource, and what contains it. */
type Row = { find: Found; within?: Resource }

export const owners: Partial<Record<Resource, Row>> = {
  account: {
    find: find(
      'account',
      `select id, owner_id, null::uuid as parent_id, status = 'closed' as is_gone
       from accounts where id = any($1) and kind = 'customer'`,
    ),
  },
  beneficiary: {
    find: find(
      'beneficiary',
      `select b.id, a.owner_id, a.id as parent_id,
              b.status = 'deleted' or a.status = 'closed' as is_gone
       from beneficiaries b join accounts a on a.id = b.account_id
       where b.id = any($1)`,
    ),
    within: 'account',
  },
  card: {
    find: find(
      'card',
      `select c.id, a.owner_id, a.id as parent_id, a.status = 'closed' as is_gone
       from cards c join accounts a on a.id = c.account_id
       where c.id = any($1)`,
    ),
    within: 'account',
  },
  session: {
    find: find(
      'session',
      `select s.id, s.user_id as owner_id, null::uuid as parent_id, c.id is null as is_gone
       from sessions s left join current_sessions c on c.id = s.id
       where s.id = any($1)`,
    ),
  },
  transaction: {
    // Two rows per transfer: each of its accounts sees it as a transaction of its own.
    find: find(
      'transaction',
      `select t.id, a.owner_id, a.id as parent_id, a.status = 'closed' as is_gone
       from transfers t
       cross join lateral (values (t.from_account_id), (t.to_account_id)) as side (account_id)
       join accounts a on a.id = side.account_id and a.kind = 'customer'
       where t.id = any($1)`,
    ),
    within: 'account',
  },
  transfer: {
    // Whoever sent it: the recipient sees a transaction, not the transfer.
    find: find(
      'transfer',
      `select t.id, a.owner_id, a.id as parent_id, a.status = 'closed' as is_gone
       from transfers t join accounts a on a.id = t.from_account_id and a.kind = 'customer'
       where t.id = any($1)`,
    ),
  },
  user: {
    find: find(
      'user',
      `select id, id as owner_id, null::uuid as parent_id, false as is_gone
       from users where id = any($1)`,
    ),
  },
}
