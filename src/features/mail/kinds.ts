// Every mail by its kind. Its words are in languages/*/mail.ts, what it tells is in templates.ts.
import { dayMs } from '../../domain/clock.ts'

const minuteMs = 60_000

/** How long delivery is attempted: the mail is of no use afterwards. And whether it is an alert. */
const kinds = {
  reset: { lifetimeMs: 30 * minuteMs, isAlert: false },
  invitation: { lifetimeMs: dayMs, isAlert: false },
  'password-changed': { lifetimeMs: dayMs, isAlert: false },
  'email-changed': { lifetimeMs: dayMs, isAlert: false },
  'email-set': { lifetimeMs: dayMs, isAlert: false },
  'new-device': { lifetimeMs: dayMs, isAlert: true },
  'phone-changed': { lifetimeMs: dayMs, isAlert: true },
  // Queued by the ledger.
  payment: { lifetimeMs: dayMs, isAlert: true },
  'alerts-paused': { lifetimeMs: dayMs, isAlert: false },
  // Queued by the ledger.
  'order-refused': { lifetimeMs: dayMs, isAlert: true },
  'order-paused': { lifetimeMs: dayMs, isAlert: true },
  'order-made': { lifetimeMs: dayMs, isAlert: true },
  'order-changed': { lifetimeMs: dayMs, isAlert: true },
  'card-payment': { lifetimeMs: dayMs, isAlert: true },
  'card-declined': { lifetimeMs: dayMs, isAlert: true },
  'webhook-disabled': { lifetimeMs: dayMs, isAlert: false },
  'factor-added': { lifetimeMs: dayMs, isAlert: false },
  'factor-removed': { lifetimeMs: dayMs, isAlert: false },
  'recovery-codes-made': { lifetimeMs: dayMs, isAlert: false },
  'recovery-code-used': { lifetimeMs: dayMs, isAlert: false },
  'factor-reset': { lifetimeMs: dayMs, isAlert: false },
  'wrong-factor': { lifetimeMs: dayMs, isAlert: false },
  'codes-refused': { lifetimeMs: dayMs, isAlert: false },
  'issuer-linked': { lifetimeMs: dayMs, isAlert: false },
  'issuer-unlinked': { lifetimeMs: dayMs, isAlert: false },
  'limits-raised': { lifetimeMs: dayMs, isAlert: false },
} as const

export type MailKind = keyof typeof kinds
export const mailKinds = Object.keys(kinds) as MailKind[]
/** A person is sent a number of alerts in an hour, and then one mail that there were more. */
export const isAlert = (kind: MailKind): boolean => kinds[kind].isAlert
export const lifetimeMs = (kind: MailKind): number => kinds[kind].lifetimeMs
