// Data of the outbox: waiting mails and their recipients.
import { type Db, one, type RowOf, select, sql, statement } from '../../database/statement.ts'
import { newId } from '../../domain/ids.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** How long delivery is attempted. The mail is of no use afterwards. */
const lifetimesMs = {
  reset: 30 * minuteMs,
  invitation: dayMs,
  'password-changed': dayMs,
  'email-changed': dayMs,
} as const

export type MailKind = keyof typeof lifetimesMs

const insertMail = statement(
  'mail_insert',
  ['uuid', 'text', 'uuid?', 'text?', 'text?', 'timestamptz', 'timestamptz'],
  {},
  `insert into mails (id, kind, user_id, asked_email, old_email, created_at, due_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $6, $7)`,
)

type Recipient = { userId?: string; askedEmail?: string; oldEmail?: string }

async function queue(db: Db, kind: MailKind, to: Recipient, now: number) {
  const { userId = null, askedEmail = null, oldEmail = null } = to
  const times = [new Date(now), new Date(now + lifetimesMs[kind])] as const
  await db.run(insertMail, [newId(now), kind, userId, askedEmail, oldEmail, ...times])
}

/** Queues a link to set a new password, whether or not a user has that address. */
export const queueReset = (db: Db, email: string, now: number): Promise<void> =>
  queue(db, 'reset', { askedEmail: email }, now)

/** Queues a mail to the current address of a user. */
export const queueMail = (
  tx: Db,
  kind: 'invitation' | 'password-changed',
  userId: string,
  now: number,
): Promise<void> => queue(tx, kind, { userId }, now)

/** Queues a notice, to the previous address of a user, that the address was changed. */
export const queueEmailChanged = (
  tx: Db,
  userId: string,
  oldEmail: string,
  now: number,
): Promise<void> => queue(tx, 'email-changed', { userId, oldEmail }, now)

const mail = {
  id: 'uuid',
  kind: 'text',
  userId: 'uuid?',
  askedEmail: 'text?',
  oldEmail: 'text?',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz',
  attempts: 'int4',
} as const
export type MailRow = RowOf<typeof mail>

const takeDue = statement(
  'mail_take_due',
  ['timestamptz', 'timestamptz', 'int4'],
  mail,
  sql`update mails set due_at = $2, attempts = attempts + 1
   where id in (
     select id from mails where due_at <= $1 order by due_at limit $3::int4
     for update skip locked
   )
   returning ${select(mail)}`,
)
/** Takes mails that are due. No other instance takes them until `leaseEnd`. */
export const takeDueMails = (db: Db, now: number, leaseEnd: number, count: number) =>
  db.run(takeDue, [new Date(now), new Date(leaseEnd), count])

const deleteMail = statement('mail_delete', ['uuid'], {}, 'delete from mails where id = $1')
export const removeMail = (db: Db, id: string) => db.run(deleteMail, [id])

const postpone = statement(
  'mail_postpone',
  ['uuid', 'int4', 'timestamptz'],
  {},
  'update mails set due_at = $3 where id = $1 and attempts = $2',
)
/** Sets the time of the next attempt, unless the lease ran out and another instance has it. */
export const postponeMail = (db: Db, { id, attempts }: MailRow, dueAt: number) =>
  db.run(postpone, [id, attempts, new Date(dueAt)])

const readRecipient = statement(
  'mail_read_recipient',
  ['uuid?', 'text?'],
  {
    id: 'uuid',
    username: 'text',
    email: 'text',
    givenName: 'text',
    familyName: 'text',
    hasPassword: 'bool',
  },
  `select id, username, email, given_name as "givenName", family_name as "familyName",
          password_hash is not null as "hasPassword"
   from users where id = $1 or email = $2`,
)
/** The recipient of a mail; undefined when no user has the address that was asked for. */
export const mailRecipient = (db: Db, { userId, askedEmail }: MailRow) =>
  one(db, readRecipient, [userId, askedEmail])
