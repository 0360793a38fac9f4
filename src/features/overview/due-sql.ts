// What is due in the queues of the bank: one look for all of them.
import { sql, statement } from '../../database/statements/statement.ts'
import { areOrdersDue } from '../orders/sql.ts'
import { areListsDue } from '../payment-lists/due-sql.ts'
import { areWebhooksDue } from '../webhooks/delivery-sql.ts'

/**
 * Which workers find jobs, and whether there are events without a number. `$1` is now, `$2` the day
 * of the bank, `$3` the rules of orders for holidays, `$4` until which day those are due.
 */
export const readQueues = statement(
  'overview_read_queues',
  ['timestamptz', 'text', 'text[]', 'text[]'],
  { mails: 'bool', lists: 'bool', orders: 'bool', webhooks: 'bool', events: 'bool' },
  sql`select exists (select from mails where due_at <= $1) as mails,
   ${areListsDue} as lists,
   ${areOrdersDue} as orders, ${areWebhooksDue} as webhooks,
   exists (select from events where last_number is null) as events`,
)
