// What a batch of movements is decided by, and what it comes to. Nothing of a plan is true until
// its COMMIT is.
import type { AuditEvent } from '../../audit/sql.ts'
import { clockDifferenceMaxMs } from '../../database/background/clocks.ts'
import type { BankCalendar } from '../../domain/calendar/business-days.ts'
import type { Days } from '../../domain/days.ts'
import type { ExceededLimit, PlainCode, Refusal } from '../../domain/errors.ts'
import type { Standing, UsedApproval } from '../../gate/approvals.ts'
import type { Confirmed } from '../../gate/confirmations.ts'
import type { Alert, BelowTold } from '../rows/payment-mails.ts'
import type {
  AuthorizationMail,
  CardEvent,
  Chargeback,
  ChargebackEnd,
  NewAuthorization,
  Payment,
  Refund,
} from '../rows/authorizations.ts'
import type { Member } from '../../gate/members.ts'
import type { CallerFacts } from '../rules/caller.ts'
import type { Card, CardSpending } from '../rules/authorizations.ts'
import type { Claim } from '../rows/claims.ts'
import type { Unconfirmed } from '../rules/confirmation.ts'
import type { DetailsRow } from '../rows/transfer-details.ts'
import type { ExternalRow, NumberedRow } from '../rules/external-ids.ts'
import type { CountedHold } from '../rules/holds.ts'
import type { Capture, HoldEvent } from '../rows/holds.ts'
import type { LockedTransfer, Outcome } from '../rules/movement.ts'
import type { LineOutcome, StandingLine } from '../rules/list-lines.ts'
import type { PaidDraft, StandingDraft } from '../rules/signatures.ts'
import type { RunOutcome, StandingOrder } from '../rules/standing-order-runs.ts'
import type { BeneficiaryRow, LockedAccount, NewTransfer, Step } from '../rows/transfers.ts'

/** What was read in the transaction, after the locks were had, and no movement changes. */
export type BatchFacts = Readonly<CallerFacts> & {
  /** Those of the daily limits. */
  readonly days: Days
  /** Read where runs of standing orders are planned, which alone it judges. */
  readonly calendar: BankCalendar
  /** By claim name. */
  readonly claims: ReadonlyMap<string, Claim>
  /** Claims whose keys are free again. */
  readonly staleClaims: readonly Claim[]
  readonly beneficiaries: ReadonlyMap<string, BeneficiaryRow>
  /** Who may act on the accounts of movements that members decide about. */
  readonly members: readonly Member[]
}

type Changing = {
  accounts: LockedAccount
  originals: LockedTransfer
  /** Those that movements name. */
  holds: CountedHold
  cards: Card
  /** By hold. */
  payments: Payment
  /** By the name of the external identifier. */
  externals: ExternalRow
  /** Transfer identifiers by fingerprint. */
  recent: string
  approvals: Standing
  /** By challenge: those that movements name and that can be used up. */
  confirmed: Confirmed
  /** By account; none of people without a second factor. */
  unconfirmed: Unconfirmed
  /** Standing orders that runs are of. */
  runs: StandingOrder
  /** By name: the lines of payment lists that are paid. */
  lines: StandingLine
  /** Payment drafts that are signed for the last time. */
  drafts: StandingDraft
  /** By account, member and day, of members with a limit of a day. */
  memberSpent: bigint
}
/** What movements change: as it was read, and then as the movements before left it. */
export type BatchState = { readonly [Name in keyof Changing]: Map<string, Changing[Name]> }

/** What a movement is planned by: a leaf of the plan reads it, and changes nothing. */
export type Before = {
  readonly facts: BatchFacts
  readonly state: { readonly [Name in keyof Changing]: ReadonlyMap<string, Changing[Name]> }
}

/** The accounts of a movement, and when it takes effect. */
export type Place = {
  from: LockedAccount
  to: LockedAccount
  /** Milliseconds since the epoch. */
  at: number
  /** The day of the bank. */
  day: string
}

/** What a movement comes to: its answer, the rows to write, and what it leaves to later ones. */
export type Rows = {
  made: Outcome
  /** The identifier of what is made, or of the transfer that took a step. */
  madeId: string
  /** As the movement leaves them, and so are the others. */
  accounts?: readonly LockedAccount[]
  transfer?: NewTransfer
  details?: DetailsRow
  alerts?: readonly Alert[]
  original?: LockedTransfer
  step?: Step | undefined
  unconfirmed?: [accountId: string, Unconfirmed] | undefined
  hold?: CountedHold
  /** None of a hold that an authorisation places: it is written with that. */
  holdEvent?: HoldEvent | undefined
  capture?: Capture
  /** To answer the change of a hold the same again. */
  note?: string
  card?: Card
  payment?: Payment
  authorization?: NewAuthorization
  spending?: CardSpending
  cardMail?: AuthorizationMail | undefined
  refund?: Refund
  chargeback?: Chargeback
  chargebackEnd?: ChargebackEnd
  cardEvent?: CardEvent | undefined
  /** That it has left the account overdrawn, or lies in suspense. */
  debtEvent?: CardEvent | undefined
  events?: readonly AuditEvent[]
  draft?: PaidDraft
  /** How much the member has let leave the account on the day, by its name. */
  memberSpent?: readonly [name: string, amount: bigint]
}

/**
 * Why a movement is refused, with the limit that its caller may know; or what gives its rows once
 * it is confirmed, under the identifier of what it makes.
 */
export type Planned =
  | { code: PlainCode; limit?: ExceededLimit | undefined }
  | ((id: string) => Rows)

/** The answer to an earlier request, still to be read: a hold, or what was asked of a card. */
export type Replay = { replayOf: string; isHold: boolean; told: string | null }

/** What the movements of a batch come to if it commits, and what is written for that. */
export type Plan = ReturnType<typeof emptyPlan>

/** @param locked the accounts that are locked while the plan is written */
export const emptyPlan = (locked: readonly string[]) => ({
  locked,
  /** One for each movement. */
  outcomes: [] as (Outcome | Replay | Refusal)[],
  transfers: [] as NewTransfer[],
  accounts: new Map<string, LockedAccount>(),
  /** By transfer. */
  steps: new Map<string, Step>(),
  claims: [] as Claim[],
  /** Not those of authorisations, which keep theirs. */
  externals: [] as NumberedRow[],
  details: [] as DetailsRow[],
  /** Events of the movements that take effect. */
  events: [] as AuditEvent[],
  /** That these movements use up. */
  approvals: [] as UsedApproval[],
  alerts: [] as Alert[],
  /** By account. */
  belowTold: new Map<string, BelowTold>(),
  runs: [] as RunOutcome[],
  lines: [] as LineOutcome[],
  drafts: [] as PaidDraft[],
  /** As they are left; not those that an authorisation has placed. */
  holds: new Map<string, CountedHold>(),
  holdEvents: [] as HoldEvent[],
  captures: [] as Capture[],
  cards: {
    authorizations: [] as NewAuthorization[],
    /** By card: of its last day alone. */
    spent: new Map<string, CardSpending>(),
    mails: [] as AuthorizationMail[],
    refunds: [] as Refund[],
    chargebacks: [] as Chargeback[],
    ends: [] as ChargebackEnd[],
    events: [] as CardEvent[],
  },
  /** Challenges that are used up. */
  used: [] as string[],
  /** By account. */
  unconfirmed: new Map<string, Unconfirmed>(),
})

/**
 * Times in an account never go back, so an entry that was dated into the future would carry its
 * date to every account that is paid from there. Movements on its account are refused until then.
 */
export class BooksAhead extends Error {
  override readonly name = 'BooksAhead'
}

/**
 * Not before `earliest`, nor before the last entry of any of the accounts. Undefined when that is
 * too far ahead.
 */
export function timeOf(
  now: number,
  earliest: number,
  ...accounts: (LockedAccount | undefined)[]
): number | undefined {
  const at = Math.max(
    now,
    earliest,
    ...accounts.map((account) => account?.lastEntryAt.getTime() ?? 0),
  )
  return at > now + clockDifferenceMaxMs ? undefined : at
}
