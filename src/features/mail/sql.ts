// Data of the outbox: waiting mails and their recipients.
import { insertInto } from '../../database/statements/rows.ts'
import {
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
  wordOrNullOf,
} from '../../database/statements/statement.ts'
import { type ChosenKind, disputeSteps, lifetimeMs, type MailKind, mailKinds } from './kinds.ts'
import { newId } from '../../domain/ids.ts'

export const newMailColumns = {
  id: 'uuid',
  kind: wordOf(mailKinds),
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz',
} as const
export const isDueNow = { as: { dueAt: ':createdAt' } } as const

export const newMail = (kind: MailKind, now: number): RowOf<typeof newMailColumns> => ({
  id: newId(now),
  kind,
  createdAt: new Date(now),
  expiresAt: new Date(now + lifetimeMs(kind)),
})

const insertMail = insertInto(
  'mail_insert',
  'mails',
  { ...newMailColumns, userId: 'uuid?', askedEmail: 'text?', oldEmail: 'text?' },
  isDueNow,
)

/** Sent in any number up to a limit (`alertsPerHour`). */
type AlertKind = 'new-device' | 'phone-changed'
/** Each tells of one version of a standing order. */
type OrderKind = 'order-made' | 'order-changed'
/** Sent once in an hour, however often there is a reason. */
export type HourlyKind = 'wrong-factor' | 'codes-refused' | 'notices-off'

type Recipient = { userId?: string; askedEmail?: string; oldEmail?: string }

async function queue(db: Db, kind: MailKind, to: Recipient, now: number) {
  const { userId = null, askedEmail = null, oldEmail = null } = to
  await insertMail(db, { ...newMail(kind, now), userId, askedEmail, oldEmail })
}

/** Queues a link to set a new password, whether or not a user has that address. */
export const queueReset = (db: Db, email: string, now: number): Promise<void> =>
  queue(db, 'reset', { askedEmail: email }, now)

/** Queues a mail to the current address of a user. */
export const queueMail = (
  tx: Db,
  kind: Exclude<
    MailKind,
    | 'reset'
    | 'email-changed'
    | 'alerts-paused'
    | 'list-ordered'
    | 'draft-waiting'
    | 'draft-paid'
    | 'draft-ended'
    | 'card-dispute'
    | 'account-overdrawn'
    | 'member-invited'
    | 'member-joined'
    | 'member-changed'
    | 'member-ended'
    | 'email-asked'
    | 'email-proof'
    | OrderKind
    | ChosenKind
    | AlertKind
    | HourlyKind
  >,
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

const findAdministrators = statement(
  'mail_find_administrators',
  [],
  { id: 'uuid' },
  `select id from users where status = 'active' and 'admin' = any(roles) order by id limit 100`,
)
/** Queues a notice to all administrators that the service has disabled a webhook. */
export async function queueWebhookDisabled(tx: Db, now: number): Promise<void> {
  for (const { id } of await tx.run(findAdministrators, [])) {
    await queueMail(tx, 'webhook-disabled', id, now)
  }
}

const insertAlert = insertInto(
  'mail_insert_alert',
  'mails',
  { ...newMailColumns, userId: 'uuid' },
  {
    ...isDueNow,
    where: `not mail_is_unwanted(:userId, :kind, :createdAt) and (
     :kind <> 'new-device'
     or exists (select from users where id = :userId and roles && '{support-agent,admin}')
     or exists (select from accounts where owner_id = :userId and status <> 'closed')
   )`,
  },
)
/**
 * Queues an alert. Of a new device only those are told who have something to lose: an open account,
 * or a role of staff.
 */
export const queueAlert = (tx: Db, kind: AlertKind, userId: string, now: number) =>
  insertAlert(tx, { ...newMail(kind, now), userId })

const insertOfOrder = insertInto(
  'mail_insert_of_order',
  'mails',
  { ...newMailColumns, orderId: 'uuid', orderVersion: 'int4' },
  {
    ...isDueNow,
    where: `exists (
     select from standing_orders o join accounts a on a.id = o.account_id
     where o.id = :orderId and not mail_is_unwanted(a.owner_id, :kind, :createdAt)
   )`,
  },
)
/** Queues a notice to the holder of the account, whether or not its alerts are enabled. */
export const queueOrderMail = (
  tx: Db,
  kind: OrderKind,
  { orderId, version: orderVersion }: { orderId: string; version: number },
  now: number,
) => insertOfOrder(tx, { ...newMail(kind, now), orderId, orderVersion })

const insertHourly = insertInto(
  'mail_insert_hourly',
  'mails',
  { ...newMailColumns, userId: 'uuid' },
  {
    ...isDueNow,
    first: `with begun as (
     insert into alert_windows as w (user_id, kind, ends_at, count, is_paused)
     values (:userId, :kind, :createdAt::timestamptz + interval '1 hour', 1, false)
     on conflict (user_id, kind) do update set ends_at = excluded.ends_at
     where w.ends_at <= :createdAt
     returning 1
   )`,
    where: 'exists (select from begun)',
  },
)
/** Queues a notice, unless the person was sent one of its kind within the last hour. */
export const queueHourly = (tx: Db, kind: HourlyKind, userId: string, now: number) =>
  insertHourly(tx, { ...newMail(kind, now), userId })

/**
 * Links of one kind that are sent on request to a person in an hour. It begins anew with each:
 * counted from the first one, five could be sent within an hour.
 */
const linksPerHour = 3

const countLink = statement(
  'mail_count_link',
  ['uuid', 'timestamptz', 'int4', 'text'],
  { count: 'int4' },
  `insert into alert_windows as w (user_id, kind, ends_at, count, is_paused)
   values ($1, $4, $2::timestamptz + interval '1 hour', 1, false)
   on conflict (user_id, kind) do update set
     ends_at = excluded.ends_at,
     count = case when w.ends_at <= $2 then 1 else w.count + 1 end
   where w.ends_at <= $2 or w.count < $3
   returning count`,
)
/**
 * Queues a link to set a password on behalf of staff: the invitation, until there is a password.
 * False when the person was sent enough of them within the hour.
 */
export async function queuePasswordLink(
  tx: Db,
  { id, email, hasPassword }: { id: string; email: string; hasPassword: boolean },
  now: number,
): Promise<boolean> {
  if (!(await one(tx, countLink, [id, new Date(now), linksPerHour, 'password-link']))) return false
  if (hasPassword) await queueReset(tx, email, now)
  else await queueMail(tx, 'invitation', id, now)
  return true
}

const deleteProofs = statement(
  'mail_delete_proofs',
  ['uuid'],
  `delete from mails where user_id = $1 and kind = 'email-proof'`,
)
/**
 * Queues a link that proves the new address which the person has asked for, in place of one that
 * waits, and tells the address of now. False when the person was sent enough of them in the hour.
 */
export async function queueEmailProof(
  tx: Db,
  { id: userId, email: oldEmail }: { id: string; email: string },
  now: number,
): Promise<boolean> {
  const counted = await one(tx, countLink, [userId, new Date(now), linksPerHour, 'email-proof'])
  if (!counted) return false
  await tx.run(deleteProofs, [userId])
  await queue(tx, 'email-proof', { userId }, now)
  await queue(tx, 'email-asked', { userId, oldEmail }, now)
  return true
}

/** Alerts of one kind that a person is sent in an hour. One more says that there were too many. */
export const alertsPerHour = 10

const countOne = statement(
  'mail_count_alert',
  ['uuid', 'uuid', 'timestamptz', 'int4'],
  { kind: wordOf(mailKinds) },
  `with counted as (
     insert into alert_windows as w (user_id, kind, ends_at, count, is_paused)
     select $2, kind, $3::timestamptz + interval '1 hour', 1, false from mails where id = $1
     on conflict (user_id, kind) do update set
       ends_at = case when w.ends_at <= $3 then excluded.ends_at else w.ends_at end,
       count = case when w.ends_at <= $3 then 1 else w.count + 1 end,
       is_paused = w.ends_at > $3 and w.count >= $4
     returning count
   )
   update mails set
     is_counted = true,
     kind = case when count > $4 then 'alerts-paused' else kind end,
     user_id = case when count > $4 then $2 else user_id end,
     transfer_id = case when count > $4 then null else transfer_id end,
     order_id = case when count > $4 then null else order_id end,
     due_on = case when count > $4 then null else due_on end,
     order_version = case when count > $4 then null else order_version end,
     arrival_id = case when count > $4 then null else arrival_id end,
     account_id = case when count > $4 then null else account_id end
   from counted where id = $1 and count <= $4 + 1
   returning kind`,
)
/**
 * Counts an alert in its hour. Gives the kind it is sent as, `alerts-paused` for the first one too
 * many; undefined for those after it, which are not sent.
 */
export const countAlert = async (tx: Db, id: string, userId: string, now: number) =>
  (await one(tx, countOne, [id, userId, new Date(now), alertsPerHour]))?.kind

const mail = {
  id: 'uuid',
  kind: wordOf(mailKinds),
  userId: 'uuid?',
  transferId: 'uuid?',
  orderId: 'uuid?',
  orderVersion: 'int4?',
  authorizationId: 'uuid?',
  disputeStep: wordOrNullOf(disputeSteps),
  chargebackId: 'uuid?',
  arrivalId: 'uuid?',
  accountId: 'uuid?',
  listId: 'uuid?',
  draftId: 'uuid?',
  memberId: 'uuid?',
  askedEmail: 'text?',
  oldEmail: 'text?',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz',
  attempts: 'int4',
  isCounted: 'bool',
} as const
const taken = { ...mail, dueOn: 'text?' } as const
export type MailRow = RowOf<typeof taken>

const takeDue = statement(
  'mail_take_due',
  ['timestamptz', 'timestamptz', 'int4'],
  taken,
  sql`update mails set due_at = $2, attempts = attempts + 1
   where id in (
     select id from mails where due_at <= $1 order by due_at limit $3::int4
     for update skip locked
   )
   returning ${select(mail)}, due_on::text as "dueOn"`,
)
/** Takes mails that are due. No other instance takes them until `leaseEnd`. */
export const takeDueMails = (db: Db, now: number, leaseEnd: number, count: number) =>
  db.run(takeDue, [new Date(now), new Date(leaseEnd), count])

const lockOne = statement(
  'mail_hold',
  ['uuid'],
  { id: 'uuid' },
  'select id from mails where id = $1 for key share',
)
/** Keeps the mail from being removed until the transaction ends. False: it is gone. */
export const lockMail = async (tx: Db, id: string): Promise<boolean> =>
  (await one(tx, lockOne, [id])) !== undefined

const deleteMail = statement('mail_delete', ['uuid'], 'delete from mails where id = $1')
export const removeMail = (db: Db, id: string) => db.run(deleteMail, [id])

const postpone = statement(
  'mail_postpone',
  ['uuid', 'int4', 'timestamptz'],
  'update mails set due_at = $3 where id = $1 and attempts = $2',
)
/** Sets the time of the next attempt, unless the lease ran out and another instance has it. */
export const postponeMail = (db: Db, { id, attempts }: MailRow, dueAt: number) =>
  db.run(postpone, [id, attempts, new Date(dueAt)])

const readRecipient = statement(
  'mail_read_recipient',
  ['uuid?', 'text?', 'uuid?', 'uuid?', 'uuid?'],
  {
    id: 'uuid',
    username: 'text',
    email: 'text',
    givenName: 'text',
    language: 'text?',
    familyName: 'text',
    hasPassword: 'bool',
  },
  `select id, username, email, given_name as "givenName", language, family_name as "familyName",
          password_hash is not null as "hasPassword"
   from users where id = $1 or email = $2 or id = (
     select a.owner_id from transfers t join accounts a on a.id = t.from_account_id
     where t.id = $3
     union all
     select a.owner_id from standing_orders o join accounts a on a.id = o.account_id
     where o.id = $4
     union all
     select person_id from account_members
     where id = $5 and $1::uuid is null and ended_at is null
   )`,
)
/** The recipient of a mail; undefined when no user has the address that was asked for. */
export const mailRecipient = (
  db: Db,
  { userId, askedEmail, transferId, orderId, memberId }: MailRow,
) => one(db, readRecipient, [userId, askedEmail, transferId, orderId, memberId])
