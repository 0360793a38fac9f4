// Data of notices: which mails a person wants, and below which balance the owner of an account is
// told.
import { rowArrays } from '../../database/statements/arrays.ts'
import { updateIn } from '../../database/statements/rows.ts'
import {
  currencyText,
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import { belowColumns } from '../../ledger/rules/balance-notice.ts'
import { chosenKinds } from '../mail/kinds.ts'

export const channels = ['mail', 'off'] as const
export type Channel = (typeof channels)[number]

const choice = { kind: wordOf(chosenKinds), channel: wordOf(channels) } as const
export type Choice = RowOf<typeof choice>

const readChoices = statement(
  'notices_read',
  ['uuid'],
  choice,
  sql`select ${select(choice)} from notice_choices where user_id = $1`,
)
export const choicesOf = (db: Db, userId: string) => db.run(readChoices, [userId])

const lockPerson = statement(
  'notices_lock_person',
  ['uuid'],
  { id: 'uuid' },
  'select id from users where id = $1 for no key update',
)
/** The choices of a person, locked until the transaction ends. */
export async function lockedChoices(tx: Db, userId: string): Promise<Choice[]> {
  await tx.run(lockPerson, [userId])
  return choicesOf(tx, userId)
}

const chosen = rowArrays<Choice & { userId: string }>('c', {
  userId: ['uuid', ({ userId }) => userId],
  kind: ['text', ({ kind }) => kind],
  channel: ['text', ({ channel }) => channel],
})
const writeChoiceRows = statement(
  'notices_write',
  chosen.takes,
  sql`insert into notice_choices (user_id, kind, channel)
   select user_id, kind, channel from ${chosen.unnest}
   on conflict (user_id, kind) do update set channel = excluded.channel`,
)
export const writeChoices = (tx: Db, userId: string, choices: readonly Choice[]) =>
  tx.run(writeChoiceRows, chosen.values(choices.map((one) => ({ ...one, userId }))))

const account = {
  id: 'uuid',
  ownerId: 'uuid',
  iban: 'text',
  currency: currencyText,
  status: 'text',
  balance: 'int8',
  ...belowColumns,
} as const
export type NoticeAccount = RowOf<typeof account>

const readAccount = statement(
  'notices_read_account',
  ['uuid'],
  account,
  sql`select ${select(account)} from accounts
   where id = $1 and kind = 'customer' and status <> 'closed'`,
)
/** Undefined when the account is closed or does not exist. */
export const noticeAccount = (db: Db, accountId: string) => one(db, readAccount, [accountId])

const lockAccount = statement(
  'notices_lock_account',
  ['uuid'],
  account,
  sql`select ${select(account)} from accounts
   where id = $1 and kind = 'customer' and status <> 'closed' for no key update`,
)
/** The same behind the lock of the account: its balance stays as it is until the end. */
export const lockedNoticeAccount = (tx: Db, accountId: string) => one(tx, lockAccount, [accountId])

export const writeBelow = updateIn('notices_write_below', 'accounts', {
  id: 'uuid',
  ...belowColumns,
})
