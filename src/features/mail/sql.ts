// Data of the outbox: mails that wait, and whom they are for.
import { type Db, one, type RowOf, statement } from '../../database/statement.ts'
import { newId } from '../../domain/ids.ts'

const minute = 60_000
const hour = 60 * minute

/** How long a mail is tried, in milliseconds: what it brings is of no use afterwards. */
const triedFor = {
  reset: 30 * minute,
  invitation: 24 * hour,
  'password-changed': 24 * hour,
  'email-changed': 24 * hour,
} as const

export type MailKind = keyof typeof triedFor

const insertMail = statement(
  'mail_insert',
  ['uuid', 'text', 'uuid?', 'text?', 'text?', 'timestamptz', 'timestamptz'],
  {},
  `insert into mails (id, kind, user_id, asked_email, old_email, created_at, due_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $6, $7)`,
)

type To = { userId?: string; askedEmail?: string; oldEmail?: string }

async function queue(db: Db, kind: MailKind, to: To, now: number) {
  const { userId = null, askedEmail = null, oldEmail = null } = to
  const times = [new Date(now), new Date(now + triedFor[kind])] as const
  await db.run(insertMail, [newId(now), kind, userId, askedEmail, oldEmail, ...times])
}

/** Queues a link to set a new password, whether or not somebody has that address. */
export const queueReset = (db: Db, email: string, now: number): Promise<void> =>
  queue(db, 'reset', { askedEmail: email }, now)

/** Queues a link to set the first password, or word that the password was changed. */
export const queueMail = (
  tx: Db,
  kind: 'invitation' | 'password-changed',
  userId: string,
  now: number,
): Promise<void> => queue(tx, kind, { userId }, now)

/** Queues word, to the address before, that a user has another one now. */
export const queueEmailChanged = (
  tx: Db,
  userId: string,
  oldEmail: string,
  now: number,
): Promise<void> => queue(tx, 'email-changed', { userId, oldEmail }, now)

const mail = {
  id: 'uuid',
  kind: 'text',
  user_id: 'uuid?',
  asked_email: 'text?',
  old_email: 'text?',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
  attempts: 'int4',
} as const
export type MailRow = RowOf<typeof mail>

const takeDue = statement(
  'mail_take_due',
  ['timestamptz', 'timestamptz', 'int4'],
  mail,
  `update mails set due_at = $2, attempts = attempts + 1
   where id in (
     select id from mails where due_at <= $1 order by due_at limit $3::int4
     for update skip locked
   )
   returning id, kind, user_id, asked_email, old_email, created_at, expires_at, attempts`,
)
/** Takes mails that are due; until `leaseEnd` nobody else does. */
export const takeDueMails = (db: Db, now: number, leaseEnd: number, count: number) =>
  db.run(takeDue, [new Date(now), new Date(leaseEnd), count])

const deleteMail = statement('mail_delete', ['uuid'], {}, 'delete from mails where id = $1')
/** It was sent, or there is nobody to send it to. */
export const removeMail = (db: Db, id: string) => db.run(deleteMail, [id])

const postpone = statement(
  'mail_postpone',
  ['uuid', 'int4', 'timestamptz'],
  {},
  'update mails set due_at = $3 where id = $1 and attempts = $2',
)
/** The next attempt, unless the lease ran out and somebody else is at it already. */
export const postponeMail = (db: Db, { id, attempts }: MailRow, dueAt: number) =>
  db.run(postpone, [id, attempts, new Date(dueAt)])

const readRecipient = statement(
  'mail_read_recipient',
  ['uuid?', 'text?'],
  {
    id: 'uuid',
    username: 'text',
    email: 'text',
    given_name: 'text',
    family_name: 'text',
    has_password: 'bool',
  },
  `select id, username, email, given_name, family_name, password_hash is not null as has_password
   from users where id = $1 or email = $2`,
)
/** Whom a mail is for; undefined when nobody has the address that was asked for. */
export const mailRecipient = (db: Db, { user_id, asked_email }: MailRow) =>
  one(db, readRecipient, [user_id, asked_email])
