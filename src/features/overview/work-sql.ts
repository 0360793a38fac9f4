// What waits for staff, and what was refused today. Each part reads a bounded number of rows, by an
// index.
import { statement } from '../../database/statements/statement.ts'

/**
 * Payments to other banks that nobody has sent, by age, and requests for a second person. `$1` is
 * now, `$2` and `$3` the identifiers of a day ago and of three, `$4` how many are read at most.
 */
export const readWaiting = statement(
  'overview_read_waiting',
  ['timestamptz', 'uuid', 'uuid', 'int8'],
  { what: 'text', count: 'int4', at: 'timestamptz?' },
  `select age.what, count(found.id)::int4, min(found.created_at) as at
   from (values ('day', $2::uuid, null), ('days', $3::uuid, $2::uuid), ('older', null, $3::uuid))
     as age (what, from_id, to_id)
   left join lateral (
     select id, created_at from transfers
     where status = 'pending'
       and id >= coalesce(age.from_id, '00000000-0000-0000-0000-000000000000')
       and id < coalesce(age.to_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
     order by id limit $4
   ) found on true
   group by age.what
   union all
   select 'approvals', count(*)::int4, min(created_at)
   from (
     select created_at, expires_at from approvals where status = 'pending' limit $4
   ) asked where expires_at > $1`,
)

/** Refused runs of standing orders since the identifier `$1`, among so many refused payments. */
export const readRefusedOrders = statement(
  'overview_read_refused_orders',
  ['uuid', 'int8'],
  { id: 'uuid' },
  `select id from (
     select id, order_id from refused_payments where id >= $1 order by id desc limit $2
   ) newest
   where order_id is not null order by id desc`,
)
