// Every mail by its kind. Its words are in languages/*/mail.ts, what it tells is in templates.ts.
import { dayMs } from '../../domain/clock.ts'

/** What a mail may tell of the dispute of a card payment. */
export const disputeSteps = ['opened', 'closed', 'made', 'won', 'lost', 'withdrawn'] as const
export type DisputeStep = (typeof disputeSteps)[number]

const minuteMs = 60_000

type KindTraits = {
  /** How long delivery is attempted: the mail is of no use afterwards. */
  lifetimeMs: number
  isAlert: boolean
  /**
   * `on`: sent unless the customer switches it off. `off`: sent once the customer switches it on.
   * `fixed`: about access and security, and always sent. `staff`: no customer is sent it.
   */
  notice: 'on' | 'off' | 'fixed' | 'staff'
}

const kinds = {
  reset: { lifetimeMs: 30 * minuteMs, isAlert: false, notice: 'fixed' },
  invitation: { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'password-changed': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'email-changed': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'email-set': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'new-device': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  'phone-changed': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  // Queued by the ledger.
  payment: { lifetimeMs: dayMs, isAlert: true, notice: 'on' },
  'alerts-paused': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  // Queued by the ledger.
  'order-refused': { lifetimeMs: dayMs, isAlert: true, notice: 'on' },
  'order-paused': { lifetimeMs: dayMs, isAlert: true, notice: 'on' },
  'order-made': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  'order-changed': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  'card-payment': { lifetimeMs: dayMs, isAlert: true, notice: 'on' },
  'card-declined': { lifetimeMs: dayMs, isAlert: true, notice: 'on' },
  'webhook-disabled': { lifetimeMs: dayMs, isAlert: false, notice: 'staff' },
  'factor-added': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'factor-removed': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'recovery-codes-made': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'recovery-code-used': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'factor-reset': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'wrong-factor': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'codes-refused': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'issuer-linked': { lifetimeMs: dayMs, isAlert: false, notice: 'staff' },
  'issuer-unlinked': { lifetimeMs: dayMs, isAlert: false, notice: 'staff' },
  'limits-raised': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'list-ordered': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  // Queued by the ledger.
  'list-refused': { lifetimeMs: dayMs, isAlert: true, notice: 'on' },
  'signatures-lowered': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'draft-waiting': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  // Queued by the ledger.
  'draft-paid': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  'draft-ended': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  // The name that was invited may be a stranger's.
  'member-invited': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  // Counted by no hour: the owner is told of each person that may act. Invitations have a limit.
  'member-joined': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'member-changed': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  'member-ended': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  // To the address before, and to the new one.
  'email-asked': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  'email-proof': { lifetimeMs: 30 * minuteMs, isAlert: false, notice: 'fixed' },
  'notices-off': { lifetimeMs: dayMs, isAlert: false, notice: 'fixed' },
  // Both queued by the ledger.
  'money-arrived': { lifetimeMs: dayMs, isAlert: true, notice: 'off' },
  'balance-below': { lifetimeMs: dayMs, isAlert: true, notice: 'on' },
  // Queued by the ledger. It costs the holder money, so it is always sent.
  'account-overdrawn': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
  // Some are queued by the ledger. They tell of money that is given and taken, so they are sent.
  'card-dispute': { lifetimeMs: dayMs, isAlert: true, notice: 'fixed' },
} as const satisfies Record<string, KindTraits>

export type MailKind = keyof typeof kinds
type KindsOf<N extends KindTraits['notice']> = {
  [K in MailKind]: (typeof kinds)[K]['notice'] extends N ? K : never
}[MailKind]
/** Those that a customer may switch on and off. */
export type ChosenKind = KindsOf<'on' | 'off'>
/** Those that a customer may be sent. */
export type NoticeKind = ChosenKind | KindsOf<'fixed'>

export const mailKinds = Object.keys(kinds) as MailKind[]
const noticeOf = (kind: MailKind): KindTraits['notice'] => kinds[kind].notice
export const noticeKinds = mailKinds.filter(
  (kind): kind is NoticeKind => noticeOf(kind) !== 'staff',
)
export const isChosen = (kind: NoticeKind): kind is ChosenKind => noticeOf(kind) !== 'fixed'
export const chosenKinds = noticeKinds.filter(isChosen)
/** Whether a customer who has chosen nothing is sent it. `mail_is_unwanted` says the same. */
export const isSentUnasked = (kind: NoticeKind): boolean => noticeOf(kind) !== 'off'
/** A person is sent a number of alerts in an hour, and then one mail that there were more. */
export const isAlert = (kind: MailKind): boolean => kinds[kind].isAlert
export const lifetimeMs = (kind: MailKind): number => kinds[kind].lifetimeMs
