// The outbox: takes due mails from the database, writes and sends them, and retries those that
// could not be sent. Every instance runs one. A mail is leased to one of them at a time, for longer
// than any attempt takes, so the mail of an instance that dies is sent by another.
import type { Clock } from '../../domain/clock.ts'
import type { Clocks } from '../../database/background/clocks.ts'
import type { Database } from '../../database/connections/connect.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { describeError, type Log } from '../../telemetry/log.ts'
import { normaliseEmail } from '../../domain/usernames.ts'
import { openQueueWorker, type QueueWorker } from '../../database/background/queue-worker.ts'
import { type Link, renderMail } from './templates.ts'
import { readDraftOf } from './drafts-sql.ts'
import { readListOf } from './lists-sql.ts'
import { readMemberOf } from './members-sql.ts'
import { isAlert, type MailKind } from './kinds.ts'
import {
  readArrival,
  readAuthorizationOf,
  readBelow,
  readDisputedPayment,
  readLacking,
  readOrderOf,
  readOrderTerms,
  readPayment,
} from './about-sql.ts'
import {
  countAlert,
  lockMail,
  type MailRow,
  postponeMail,
  mailRecipient,
  removeMail,
  takeDueMails,
} from './sql.ts'
import type { Message, Transport } from './transport.ts'

/** The mails with a link whose token is created when they are written. */
const linkKinds = ['reset', 'invitation', 'factor-reset', 'email-proof'] as const
export type LinkKind = (typeof linkKinds)[number]

export type OutboxParts = {
  db: Database
  clock: Clock
  clocks: Pick<Clocks, 'require' | 'days'>
  isAsleep?: boolean | undefined
  log: Log
  transport: Transport
  publicUrl: string
  bankName: string
  /** Creates the token of a link; undefined when the user may not have one. */
  issueToken: (
    tx: Db,
    userId: string,
    kind: LinkKind,
    now: number,
  ) => Promise<(Link & { email: string }) | undefined>
}

const sendsMax = 4
/** A total per attempt, so that a server which answers byte by byte cannot hold one for longer. */
const attemptTimeoutMs = 20_000
const leaseMs = 60_000
export type Outbox = QueueWorker & { givenUpCount(): number }

export function openOutbox(parts: OutboxParts): Outbox {
  const { db, log, transport } = parts
  let givenUpCount = 0
  const worker = openQueueWorker<MailRow>({
    ...parts,
    onDatabaseAway(thrown) {
      log.warn({ error: describeError(thrown) }, 'the outbox waits for the database')
    },
    async take(now, { length }) {
      const free = sendsMax - length
      return free > 0 ? transaction(db, (tx) => takeDueMails(tx, now, now + leaseMs, free)) : []
    },
    run: (mail, cutOff) => deliver({ ...parts, onGivenUp: () => givenUpCount++ }, mail, cutOff),
  })
  return {
    ...worker,
    givenUpCount: () => givenUpCount,
    async close() {
      await worker.close()
      transport.close()
    },
  }
}

/** One attempt at one mail. Never rejects: if its result cannot be stored, the lease runs out. */
async function deliver(
  parts: OutboxParts & { onGivenUp(): void },
  mail: MailRow,
  cutOff: AbortSignal,
): Promise<void> {
  const { db, clock, log, transport } = parts
  const { kind } = mail
  const event = { ...(mail.userId !== null && { userId: mail.userId }), code: kind }
  try {
    if (clock.now() < mail.expiresAt.getTime()) {
      const message = await write(parts, mail, kind)
      const signal = AbortSignal.any([cutOff, AbortSignal.timeout(attemptTimeoutMs)])
      if (message) await transport.send({ ...message, id: mail.id, now: clock.now() }, signal)
    } else {
      parts.onGivenUp()
      log.error({ ...event, attemptCount: mail.attempts - 1 }, 'mail given up')
    }
  } catch (thrown) {
    const error = describeError(thrown)
    log.warn({ ...event, attemptCount: mail.attempts, error }, 'mail not sent; will try again')
    const dueAt = clock.now() + retryDelay(mail)
    await transaction(db, (tx) => postponeMail(tx, mail, dueAt)).catch(() => {})
    return
  }
  // At least once: if this fails, the mail is sent again when the lease ends.
  await transaction(db, (tx) => removeMail(tx, mail.id)).catch(() => {})
}

/** Doubles with each attempt, up to a twelfth of the lifetime of the mail. */
function retryDelay({ attempts, createdAt, expiresAt }: MailRow): number {
  const lifetime = expiresAt.getTime() - createdAt.getTime()
  return Math.min(1000 * 2 ** Math.min(attempts, 20), lifetime / 12)
}

/**
 * The mail as text. Each attempt creates a token of its own, which exists only in that mail and
 * voids the previous one. Undefined when there is no recipient.
 */
async function write(
  parts: OutboxParts,
  mail: MailRow,
  queued: MailKind,
): Promise<Omit<Message, 'id' | 'now'> | undefined> {
  const { db, clock, clocks, publicUrl, bankName } = parts
  const days = clocks.days()
  const user = await mailRecipient(db, mail)
  if (!user || (queued === 'invitation' && user.hasPassword)) return undefined
  // The new address proves itself: what it replaces may have no mailbox.
  const isReached = queued === 'email-proof' || !isPlaceholder(mail.oldEmail ?? user.email)
  if (!isReached) return undefined
  const kind =
    isAlert(queued) && !mail.isCounted
      ? await transaction(db, (tx) => countAlert(tx, mail.id, user.id, clock.now()))
      : queued
  if (kind === undefined) return undefined
  const linkKind = linkKinds.find((one) => one === kind)
  const link = linkKind && (await issueLink(parts, mail, user.id, linkKind))
  if (linkKind && !link) return undefined
  // The stored address, never the one that was asked for, and only if it is exactly one address.
  const address = normaliseEmail(mail.oldEmail ?? link?.email ?? user.email)
  if (address === undefined) return undefined
  const to = { name: `${user.givenName} ${user.familyName}`, address }
  const payment =
    kind === 'payment' && mail.transferId !== null
      ? await readPayment(db, mail.transferId)
      : undefined
  const { orderId, orderVersion, dueOn } = mail
  const order =
    orderId !== null && dueOn !== null ? await readOrderOf(db, orderId, dueOn) : undefined
  const run = order && dueOn !== null ? { ...order, dueOn } : undefined
  const ordered =
    kind !== 'alerts-paused' && orderId !== null && orderVersion !== null
      ? await readOrderTerms(db, orderId, orderVersion)
      : undefined
  const { authorizationId } = mail
  const authorization =
    authorizationId === null ? undefined : await readAuthorizationOf(db, authorizationId)
  const { disputeStep, chargebackId } = mail
  const ofDispute =
    authorizationId !== null && disputeStep !== null
      ? await readDisputedPayment(db, authorizationId, chargebackId)
      : undefined
  const disputed =
    ofDispute && disputeStep !== null ? { ...ofDispute, step: disputeStep } : undefined
  const { arrivalId, accountId } = mail
  const arrival = arrivalId === null ? undefined : await readArrival(db, arrivalId)
  const readLow = kind === 'account-overdrawn' ? readLacking : readBelow
  const low = accountId === null ? undefined : await readLow(db, accountId)
  // Its owner wants no notice of the balance any more, or nothing is lacking any more.
  if (isOfAccount(kind) && !low) return undefined
  const list = mail.listId === null ? undefined : await readListOf(db, mail.listId)
  const draft = mail.draftId === null ? undefined : await readDraftOf(db, mail.draftId)
  const member = mail.memberId === null ? undefined : await readMemberOf(db, mail.memberId)
  const at = mail.createdAt.getTime()
  const ofCards = { authorization, disputed }
  const told = { link, payment, run, ordered, ...ofCards, arrival, low, list, draft, member }
  const about = { publicUrl, bankName, days, at, ...told }
  return { to, kind, ...renderMail(kind, user, about) }
}

const isOfAccount = (kind: MailKind): boolean =>
  kind === 'balance-below' || kind === 'account-overdrawn'

/**
 * The link of a mail that still waits. All links and mails may have been voided since it was taken:
 * then there is none. The link is created before the mail is looked at, since the two are locked in
 * this order where all are voided.
 */
async function issueLink(
  { db, clock, issueToken }: OutboxParts,
  mail: MailRow,
  userId: string,
  kind: LinkKind,
) {
  const voided = new Error('The mail was voided')
  const issuing = transaction(db, async (tx) => {
    const link = await issueToken(tx, userId, kind, clock.now())
    if (!(await lockMail(tx, mail.id))) throw voided
    return link
  })
  return issuing.catch((thrown: unknown) => {
    if (thrown !== voided) throw thrown
    return undefined
  })
}

/** The first administrator gets such an address by default; it has no mailbox. */
const isPlaceholder = (email: string): boolean => email.endsWith('@localhost')
