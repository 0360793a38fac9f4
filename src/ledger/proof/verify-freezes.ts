// The verification of frozen accounts: since when, by whom and why is what the trail says.
import { type RowOf, statement } from '../../database/statements/statement.ts'
import type { HasEventsOf } from './verify-trail.ts'

/**
 * Freezes, each with whether an event of it was recorded within a minute. An account that an
 * instance of 0.2.0 unfroze keeps the row of its freeze: `isOver`.
 */
export const readFreezePage = statement(
  'verify_read_freeze_page',
  ['uuid', 'int8'],
  { id: 'uuid', at: 'timestamptz', isFrozen: 'bool', isRecorded: 'bool', isOver: 'bool' },
  `select f.account_id as id, f.at, coalesce(a.status = 'frozen', false) as "isFrozen",
     exists (
       select from audit_events
       where target = f.account_id and action = 'freezeAccount' and outcome = 'success'
         and actor_id = f.actor_id and detail = f.reason
         and at between f.at - interval '1 minute' and f.at + interval '1 minute'
     ) as "isRecorded",
     coalesce((
       select action = 'unfreezeAccount' from audit_events
       where target = f.account_id and action in ('freezeAccount', 'unfreezeAccount')
         and outcome = 'success'
       order by id desc limit 1
     ), false) as "isOver"
   from (
     select account_id, at, actor_id, reason from account_freezes
     where account_id > $1 order by account_id limit $2
   ) f
   left join accounts a on a.id = f.account_id
   order by f.account_id`,
)

/** What is wrong with the freeze of an account; undefined: nothing. */
export function findFreezeFlaw(
  { id, at, isRecorded, isFrozen, isOver }: RowOf<typeof readFreezePage.gives>,
  hasEventsOf: HasEventsOf,
): string | undefined {
  if (!isRecorded && hasEventsOf(at)) return `The freeze of account ${id} is not that of the trail`
  return isFrozen || isOver ? undefined : `Account ${id} is frozen, and its status is another`
}
