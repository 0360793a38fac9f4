// The outbox: takes mails that are due out of the database, writes and sends them, and tries again
// what could not be sent. Every instance runs one; a mail is taken by one of them at a time, under
// a lease that outlives any attempt, so one that dies with its mail is followed by another.
import type { Clock } from '../../domain/clock.ts'
import type { Clocks } from '../../database/clocks.ts'
import type { Database } from '../../database/connect.ts'
import type { Db } from '../../database/statement.ts'
import { transaction } from '../../database/transaction.ts'
import { describe, type Log } from '../../telemetry/log.ts'
import { normaliseEmail } from '../../domain/usernames.ts'
import { type Letter, renderMail, type Link } from './templates.ts'
import {
  type MailKind,
  type MailRow,
  postponeMail,
  mailRecipient,
  removeMail,
  takeDueMails,
} from './sql.ts'
import type { Transport } from './transport.ts'
import type { Outbox } from '../../http/services.ts'

type LinkKind = 'reset' | 'invitation'

export type OutboxParts = {
  db: Database
  clock: Clock
  clocks: Pick<Clocks, 'require'>
  log: Log
  transport: Transport
  publicUrl: string
  /** Makes the token of a link; undefined when the person may not have one. */
  issueToken: (
    tx: Db,
    userId: string,
    kind: LinkKind,
    now: number,
  ) => Promise<(Link & { email: string }) | undefined>
}

const lookIntervalMs = 1000
const sendsMax = 4
/** An attempt is given up after this; no server holds one for longer by answering drop by drop. */
const attemptTimeoutMs = 20_000
const leaseMs = 60_000
/** What is under way at the end may finish within this; less than a supervisor's stop time-out. */
const drainTimeoutMs = 5000

export function openOutbox(parts: OutboxParts): Outbox {
  const { db, clock, clocks, log, transport } = parts
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()
  const ending = new AbortController()
  let taking: Promise<void> | undefined
  let isAway = false

  /** Fills the free places with due mails until there are none. */
  async function take(): Promise<void> {
    try {
      while (!closing.signal.aborted && underWay.size < sendsMax) {
        // By a wrong clock, mails would be too old to send.
        clocks.require()
        const now = clock.now()
        const free = sendsMax - underWay.size
        const mails = await transaction(db, (tx) => takeDueMails(tx, now, now + leaseMs, free))
        isAway = false
        if (mails.length === 0) return
        mails.forEach(begin)
      }
    } catch (thrown) {
      // Said once: the service says elsewhere, and louder, that the database is away.
      if (!isAway) log.warn({ error: describe(thrown) }, 'the outbox waits for the database')
      isAway = true
    }
  }

  const tick = (): Promise<void> => (taking ??= take().finally(() => (taking = undefined)))

  function begin(mail: MailRow): void {
    const delivery = deliver(parts, mail, ending.signal).finally(() => {
      underWay.delete(delivery)
      void tick()
    })
    underWay.add(delivery)
  }

  const timer = setInterval(() => void tick(), lookIntervalMs).unref()

  return {
    async work() {
      // What was queued before this call may be newer than a question already asked.
      await taking
      await tick()
      while (underWay.size > 0) {
        await Promise.all(underWay)
        await tick()
      }
    },
    async close() {
      closing.abort()
      clearInterval(timer)
      await taking
      const cutOff = setTimeout(() => ending.abort(), drainTimeoutMs)
      await Promise.all(underWay)
      clearTimeout(cutOff)
      transport.close()
    },
  }
}

/** One attempt at one mail. Never rejects: what cannot be written down is mended by the lease. */
async function deliver(parts: OutboxParts, mail: MailRow, ending: AbortSignal): Promise<void> {
  const { db, clock, log } = parts
  const event = { ...(mail.user_id !== null && { userId: mail.user_id }), code: mail.kind }
  try {
    if (clock.now() < mail.expires_at.getTime()) await attempt(parts, mail, ending)
    else log.error({ ...event, attemptCount: mail.attempts - 1 }, 'mail given up')
  } catch (thrown) {
    const error = describe(thrown)
    log.warn({ ...event, attemptCount: mail.attempts, error }, 'mail not sent; will try again')
    const dueAt = clock.now() + delayAfter(mail)
    await transaction(db, (tx) => postponeMail(tx, mail, dueAt)).catch(() => {})
    return
  }
  // Lost here, the mail is sent once more when the lease ends: at least once, never not at all.
  await transaction(db, (tx) => removeMail(tx, mail.id)).catch(() => {})
}

/** Twice as long after each attempt, but no longer than a twelfth of the time a mail is tried. */
function delayAfter({ attempts, created_at, expires_at }: MailRow): number {
  const triedFor = expires_at.getTime() - created_at.getTime()
  return Math.min(1000 * 2 ** Math.min(attempts, 20), triedFor / 12)
}

async function attempt(parts: OutboxParts, mail: MailRow, ending: AbortSignal): Promise<void> {
  const written = await write(parts, mail)
  if (!written) return
  const signal = AbortSignal.any([ending, AbortSignal.timeout(attemptTimeoutMs)])
  const kind = mail.kind as MailKind
  await parts.transport.send({ ...written, id: mail.id, kind, now: parts.clock.now() }, signal)
}

/**
 * The mail in words, with a token that is made now and known to nobody else; each attempt makes its
 * own, and so voids the one before. Undefined when there is nobody to send it to.
 */
async function write(
  { db, clock, publicUrl, issueToken }: OutboxParts,
  mail: MailRow,
): Promise<(Letter & { to: { name: string; address: string } }) | undefined> {
  const kind = mail.kind as MailKind
  const person = await mailRecipient(db, mail)
  if (!person || (kind === 'invitation' && person.has_password)) return undefined
  if (isMadeUp(mail.old_email ?? person.email)) return undefined
  const needsLink = kind === 'reset' || kind === 'invitation'
  const link = needsLink
    ? await transaction(db, (tx) => issueToken(tx, person.id, kind, clock.now()))
    : undefined
  if (needsLink && !link) return undefined
  // The stored address, never the one that was asked for; and only if it is exactly one.
  const address = normaliseEmail(mail.old_email ?? link?.email ?? person.email)
  if (address === undefined) return undefined
  const to = { name: `${person.given_name} ${person.family_name}`, address }
  const addressee = { username: person.username, givenName: person.given_name }
  return { to, ...renderMail(kind, addressee, publicUrl, link) }
}

/** The first administrator is made with such an address; no mailbox is behind it. */
const isMadeUp = (email: string): boolean => email.endsWith('@localhost')
