// Data of freezes: one row for each account that is frozen.
import { insertInto } from '../../database/statements/rows.ts'
import { type Db, one, type RowOf, statement } from '../../database/statements/statement.ts'

const freeze = { accountId: 'uuid', at: 'timestamptz', actorId: 'uuid', reason: 'text' } as const
export type FreezeRow = RowOf<typeof freeze>

/** The first one stays. */
export const addFreeze = insertInto('account_freezes_insert', 'account_freezes', freeze, {
  conflict: 'on conflict (account_id) do nothing',
})

const deleteFreeze = statement(
  'account_freezes_delete',
  ['uuid'],
  'delete from account_freezes where account_id = $1',
)
export const removeFreeze = (tx: Db, accountId: string) => tx.run(deleteFreeze, [accountId])

const readFreeze = statement(
  'account_freezes_read',
  ['uuid'],
  { at: 'timestamptz?', actorId: 'uuid?', reason: 'text?', name: 'text?' },
  `select f.at, f.actor_id as "actorId", f.reason, coalesce(
     (select given_name || ' ' || family_name from users where id = f.actor_id),
     (select name from service_accounts where id = f.actor_id)
   ) as name
   from accounts a left join account_freezes f on f.account_id = a.id
   where a.id = $1 and a.status = 'frozen'`,
)
/** Undefined when it is not frozen. The columns are null where an older release froze it. */
export const freezeOf = (db: Db, accountId: string) => one(db, readFreeze, [accountId])
export type ShownFreeze = NonNullable<Awaited<ReturnType<typeof freezeOf>>>
