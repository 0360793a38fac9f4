// The closed words that have texts. A table of them names its words by a type, so that a word that
// is new in the service does not compile in a language before it has its text.
import type {
  Block,
  Card,
  CardPayment,
  CreatePostingBody,
  FoundPayment,
  Hold,
  Insight,
  Member,
  Order,
  ReasonCode,
  Role,
  Transaction,
  User,
  WebhookDelivery,
} from '../client/src/generated.ts'
import type { Code, CodeOf, TermName } from '../src/domain/errors.ts'
import type { ChosenKind, DisputeStep, MailKind, NoticeKind } from '../src/features/mail/kinds.ts'
import type { BankCode } from '../src/ledger/rules/internal-accounts.ts'

export type { BankCode, DisputeStep, MailKind, ReasonCode }

/** Mails that a customer is always sent. */
export type FixedKind = Exclude<NoticeKind, ChosenKind>
export type { ChosenKind }

/**
 * What the page itself finds: no answer came, the person did not confirm a request, a second person
 * has to approve it, no passkey was used, or the link of a mail is no longer valid.
 */
export type OwnCode =
  | 'offline'
  | 'unconfirmed'
  | 'approval_pending'
  | 'passkey_failed'
  | 'link_refused'

/** Refusals of requests that no page sends: of a wrong form, size or method, or with a token. */
type NeverMet =
  | CodeOf<405 | 406 | 408 | 413 | 414 | 415 | 417 | 431 | 501>
  | 'malformed_json'
  | 'token_expired'

/** Every refusal that a person can meet. */
export type ShownCode = Exclude<Code, NeverMet> | OwnCode

/**
 * Terms of a confirmation that the page has no row for: identifiers and codes whose form the dialog
 * covers, and those of requests that programs alone send.
 */
type UnshownTerm =
  | 'approves'
  | 'from'
  | 'fromAccountId'
  | 'makerId'
  | 'payer'
  | 'to'
  | 'toAccountId'

/** The terms of a confirmation that a person reads. */
export type ShownTerm = Exclude<TermName, UnshownTerm>

/** Refusals of logins, of other requests, and of other movements than the run of an order. */
type NeverOfRun =
  | NeverMet
  | Exclude<CodeOf<400 | 401 | 403 | 422 | 429 | 500 | 503>, 'forbidden'>
  | 'account_not_empty'
  | 'already_exists'
  | 'already_reversed'
  | 'archived'
  | 'card_cancelled'
  | 'duplicate_transfer'
  | 'illegal_transition'
  | 'payee_check_required'
  | 'payee_not_accepted'
  | 'request_in_progress'

/** Why a standing order was not paid on a day. */
export type RunRefusal = Exclude<Code, NeverOfRun>

/** Why a payment was refused, as staff are told of it. */
export type RefusedReason = RunRefusal | 'duplicate_transfer' | 'payee_not_accepted'

/** What staff find when they look a payment up. */
export type FoundKind = Exclude<keyof FoundPayment, 'id'>

/** What a movement of money is, in an entry of an account. */
export type Kind = Transaction['kind']

/** What was spent without a card. */
export type SpentKind = Exclude<Insight['kinds'][number]['kind'], 'own_transfer'>

/** What becomes of a due day that is no business day. */
export type HolidayRule = NonNullable<Order['onHoliday']>

/** Where a standing order stands. */
export type OrderStatus = Order['status']

/** Why a card payment was declined. */
export type DeclineReason = NonNullable<CardPayment['reason']>

/** What an event of the feed tells, or a test of a webhook. */
export type EventWord = WebhookDelivery['type']

/** The words that the body of a request under four eyes may hold, beside texts of a person. */
export type BodyWord =
  | BankCode
  | Card['status']
  | CardPayment['channel']
  | CreatePostingBody['kind']
  | Hold['kind']
  | Role
  | User['status']
  /** The scope of accounts that may be read. */
  | 'all'

/** Why an account is blocked. */
export type BlockCause = NonNullable<Block['cause']>

/** What a member of an account may do. */
export type MemberRight = Member['rights']
/** By what a membership has ended. */
export type Ender = NonNullable<Member['endedBy']>

/** What is held or booked, as it is confirmed. */
export type ConfirmedKind = CreatePostingBody['kind'] | Hold['kind']

/** What stands in the trail in place of an address: the act of a command, or of the service. */
export type OwnAddress = 'operator' | 'service'

/**
 * The text of a word. A stored row or an answer may come from a newer release: its word is not in
 * the table, and `unknown` takes its place. A word of this release that the table lacks does not
 * compile.
 */
export const textOfWord = <W extends string>(
  table: Readonly<Record<NoInfer<W>, string>>,
  word: W,
  unknown: string,
): string => (Object.hasOwn(table, word) ? table[word] : unknown)

/** Compiles only when no word is left. */
export type NoneLeft<Left extends never> = Left
