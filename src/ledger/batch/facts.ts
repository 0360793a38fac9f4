// What a batch of movements is decided by, and what it comes to. Nothing of a plan is true until
// its COMMIT is.
import type { AuditEvent } from '../../audit/sql.ts'
import { clockDifferenceMaxMs } from '../../database/background/clocks.ts'
import type { Days } from '../../domain/days.ts'
import type { Refusal } from '../../domain/errors.ts'
import type { UsedApproval } from '../../gate/approvals.ts'
import type { Confirmed } from '../../gate/confirmations.ts'
import type { Alert } from '../rows/payment-mails.ts'
import type { CardFacts, CardRows } from '../rows/authorizations.ts'
import type { CallerFacts } from '../rules/caller.ts'
import type { Claim } from '../rows/claims.ts'
import type { ConfirmationPlan, Unconfirmed } from '../rules/confirmation.ts'
import type { DetailsRow } from '../rows/transfer-details.ts'
import type { ExternalRow, NumberedRow } from '../rules/external-ids.ts'
import type { CountedHold } from '../rules/holds.ts'
import type { HoldPlan } from '../rows/holds.ts'
import type { LockedTransfer, Outcome } from '../rules/movement.ts'
import type { RunOutcome, StandingOrder } from '../rules/standing-order-runs.ts'
import type { BeneficiaryRow, LockedAccount, NewTransfer, Step } from '../rows/transfers.ts'

/** All that was read in the transaction, after the locks were had. */
export type BatchFacts = CallerFacts &
  CardFacts & {
    /** Those of the daily limits. */
    days: Days
    accounts: Map<string, LockedAccount>
    /** By claim name. */
    claims: Map<string, Claim>
    /** Claims whose keys are free again. */
    staleClaims: Claim[]
    /** By the name of the external identifier. */
    externals: Map<string, ExternalRow>
    /** Transfer identifiers by fingerprint. */
    recent: Map<string, string>
    originals: Map<string, LockedTransfer>
    beneficiaries: Map<string, BeneficiaryRow>
    /** By challenge: those that movements name and that can be used up. */
    confirmed: Map<string, Confirmed>
    /** By account; none of people without a second factor. */
    unconfirmed: Map<string, Unconfirmed>
    /** Standing orders that runs are of. */
    runs: Map<string, StandingOrder>
    /** Those that movements name. */
    holds: Map<string, CountedHold>
  }

/** The answer to an earlier request, still to be read: a hold where the order is about one. */
export type Replay = { replayOf: string; isHold: boolean; told: string | null }

/** What the movements of a batch come to if it commits, and what is written for that. */
export type Plan = ConfirmationPlan &
  HoldPlan & {
    /** The accounts that are locked while the plan is written. */
    locked: readonly string[]
    /** One for each movement. */
    outcomes: (Outcome | Replay | Refusal)[]
    transfers: NewTransfer[]
    accounts: Set<LockedAccount>
    /** By transfer. */
    steps: Map<string, Step>
    claims: Claim[]
    /** Not those of authorisations, which keep theirs. */
    externals: NumberedRow[]
    details: DetailsRow[]
    /** Of the movements that take effect. */
    events: AuditEvent[]
    /** That these movements use up. */
    approvals: UsedApproval[]
    alerts: Alert[]
    runs: RunOutcome[]
    cards: CardRows
  }

export const emptyPlan = (locked: readonly string[]): Plan => ({
  locked,
  outcomes: [],
  transfers: [],
  accounts: new Set(),
  steps: new Map(),
  claims: [],
  externals: [],
  details: [],
  events: [],
  approvals: [],
  alerts: [],
  runs: [],
  holds: new Map(),
  holdEvents: [],
  captures: [],
  cards: { authorizations: [], spent: new Map(), mails: [], refunds: [], events: [] },
  used: [],
  unconfirmed: new Map(),
})

/**
 * Times in an account never go back, so an entry that was dated into the future would carry its
 * date to every account that is paid from there. Orders on its account are refused until then.
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
