// Types shared by the ledger: movements and transfers.
import type { AuditEvent } from '../../audit/sql.ts'
import { currencyText, type RowOf } from '../../database/statements/statement.ts'
import type { Currency } from '../../domain/money.ts'
import type { Confirmation } from '../../gate/confirmations.ts'
import type { ApprovalUse } from '../../gate/approvals.ts'
import type { Role } from '../../gate/roles.ts'
import type { Authorized, CardRequest, ClearedCard } from './authorizations.ts'
import type { CaptureTerms, Hold, HoldTerms } from './holds.ts'
import { bankAccount } from './internal-accounts.ts'
import type { ListLine } from './list-lines.ts'
import { type PayeeProof, payeeColumns } from './payee-check.ts'
import type { DraftUse } from './signatures.ts'
import type { OrderRun } from './standing-order-runs.ts'

/** What the bank itself books: one side of it at least is an account of the bank. */
export const postingKinds = ['fee', 'interest', 'correction'] as const
export type PostingKind = (typeof postingKinds)[number]

/** A reversal, a return or a cancellation brings back the money of an earlier transfer. */
export const kinds = [
  'transfer',
  'deposit',
  'withdrawal',
  'reversal',
  'return',
  'incoming',
  'cancellation',
  'capture',
  'card',
  'clearing',
  'refund',
  'chargeback',
  'takeback',
  ...postingKinds,
] as const
export type Kind = (typeof kinds)[number]

/** What is so of every transfer of a kind. A new kind says each of it in the table below. */
type Traits = {
  /** It may have an external identifier. One of a payment is of its sending. */
  canBeNumbered: boolean
  /** It captures a hold. */
  isCapture: boolean
  /** A payment by card, or money that comes back of one: neither is reversed. */
  isOfCard: boolean
  /** It may go to another bank: a payment, or a return out of suspense, which sends money back. */
  mayGoElsewhere: boolean
  /**
   * Blocks of its accounts do not stop it: it takes what was reserved before, or the bank corrects
   * its books or brings money back.
   */
  passesBlocks: boolean
  /**
   * It is booked whatever the account says: frozen, or without the money. What is lacking is its
   * unarranged overdraft.
   */
  isForced: boolean
  /** It brings back the money of an earlier transfer, which has that status then. */
  back: { statusAfter: Status | undefined } | undefined
}

const plain: Traits = {
  canBeNumbered: false,
  isCapture: false,
  isOfCard: false,
  mayGoElsewhere: false,
  passesBlocks: false,
  isForced: false,
  back: undefined,
}
const numbered: Traits = { ...plain, canBeNumbered: true }
const posting: Traits = { ...numbered, passesBlocks: true }
const back: Traits = { ...plain, passesBlocks: true }

const traits = {
  transfer: { ...plain, mayGoElsewhere: true },
  deposit: plain,
  withdrawal: plain,
  reversal: { ...back, back: { statusAfter: undefined } },
  return: {
    ...back,
    canBeNumbered: true,
    mayGoElsewhere: true,
    back: { statusAfter: 'returned' },
  },
  incoming: numbered,
  cancellation: { ...back, back: { statusAfter: 'cancelled' } },
  capture: { ...numbered, isCapture: true, passesBlocks: true },
  card: { ...numbered, isCapture: true, isOfCard: true, passesBlocks: true },
  clearing: { ...numbered, isCapture: true, isOfCard: true, passesBlocks: true, isForced: true },
  refund: { ...numbered, isOfCard: true },
  chargeback: { ...numbered, isOfCard: true },
  // A shop that wins has its money, as one has that is cleared.
  takeback: { ...back, isOfCard: true, isForced: true, back: { statusAfter: undefined } },
  fee: posting,
  interest: posting,
  correction: posting,
} as const satisfies Record<Kind, Traits>

/** None of them is true of a step that moves no money, such as a sending. */
const traitsOf = (kind: string): Traits =>
  Object.hasOwn(traits, kind) ? traits[kind as Kind] : plain

export const canBeNumbered = (kind: string): boolean => traitsOf(kind).canBeNumbered
export const isBack = (kind: string): boolean => traitsOf(kind).back !== undefined
export const isOfCard = (kind: string): boolean => traitsOf(kind).isOfCard
export const isCaptureKind = (kind: string): boolean => traitsOf(kind).isCapture
export const mayGoElsewhere = (kind: string): boolean => traitsOf(kind).mayGoElsewhere
export const passesBlocks = (kind: Kind): boolean => traits[kind].passesBlocks
export const isForced = (kind: string): boolean => traitsOf(kind).isForced
export const isPosting = (kind: string): boolean => postingKinds.some((each) => each === kind)

/** The status of a transfer whose money one of this kind has brought back; undefined: as before. */
export const statusAfter = (kind: Kind): Status | undefined => traitsOf(kind).back?.statusAfter

/** Whether such a transfer goes to another bank, and waits in clearing until a rail takes it. */
export const goesElsewhere = ({
  kind,
  toAccountId,
  currency,
}: {
  kind: string
  toAccountId: string
  currency: Currency
}): boolean => mayGoElsewhere(kind) && toAccountId === bankAccount('clearing', currency)

export const statuses = ['completed', 'pending', 'returned', 'sent', 'cancelled'] as const
export type Status = (typeof statuses)[number]

/**
 * The payee, when the money does not go to another account of the same customer. Of an incoming
 * payment the payer.
 */
export type Counterparty = {
  name: string
  /** Null when the account is in this bank; the money waits in clearing otherwise. */
  iban: string | null
}

export const detailColumns = {
  endToEndId: 'text?',
  bic: 'text?',
  reasonCode: 'text?',
  original: 'text?',
} as const

/**
 * What few transfers have beside their texts: 0028_rail.sql says what of. Personal data, which is
 * erased with the texts.
 */
export type TransferDetails = RowOf<typeof detailColumns> & Partial<RowOf<typeof payeeColumns>>

export const noDetails = { endToEndId: null, bic: null, reasonCode: null, original: null } as const

export const storedDetailColumns = { ...detailColumns, ...payeeColumns } as const

/**
 * Checked again inside the transaction: the session lives and its user has that role; or, with an
 * operation, the key that `sessionId` names lives and its service account has that grant.
 */
export type MovementCaller = {
  userId: string
  sessionId: string
  kid: string | null
  role: Role
  /** The grant that a service account uses. */
  operation?: string
  /** The owner of the account, for whom the caller acts as a member. */
  memberFor?: string
}

/** What a movement of a person with a second factor is confirmed by. */
export type MovementConfirmation = Confirmation & {
  /** A payment of at most `amount`, while at most `sum` was paid unconfirmed; in minor units. */
  exempt: { amount: bigint; sum: bigint }
  /** Written when a confirmation is used up, with the transfer as its target. */
  event: AuditEvent
}

/** What each movement has, whatever it does. */
export type Common = {
  fromAccountId: string
  toAccountId: string
  /** Minor units. */
  amount: bigint
  currency: Currency
  reference: string
  caller: MovementCaller
  /** The movement may move no account of these people: the caller, or who is behind the caller. */
  notOf?: readonly string[]
  /** The Idempotency-Key. */
  key?: string | undefined
  /** In place of a key, and for ever: see {@link toExternalId}. */
  externalId?: ExternalId
  /** One of many in a request that is confirmed as a whole. */
  isItem?: true
  /** Written to the audit trail in the transaction in which the movement takes effect. */
  events?: readonly AuditEvent[]
  /**
   * Used up in that transaction, or the movement is refused. Then the checker's session is checked
   * in place of that of the caller, who is the maker.
   */
  approval?: ApprovalUse
  /** How a person with a second factor confirms it. */
  confirmation?: MovementConfirmation
}
type OfKind<K extends string, Terms = unknown> = K extends K ? Common & { kind: K } & Terms : never

/** Large: the payer is told by mail, if the account that is debited has alerts enabled. */
type MayBeLarge = { isLarge?: boolean }
/**
 * Credited in place of `toAccountId` when it is refused because of that account. What is forced
 * upon a closed account debits it.
 */
export type MayLieInSuspense = { suspenseId?: string }

/** A payment or a transfer by the owner of the account. */
export type TransferMovement = OfKind<
  'transfer',
  MayBeLarge & {
    beneficiaryId?: string
    counterparty?: Counterparty
    /** What is known of the name of a beneficiary. */
    payee?: PayeeProof & {
      /** That the payer has accepted it, written with the transfer as its target. */
      event?: AuditEvent | undefined
    }
    details?: TransferDetails
    /** A run of a standing order: judged by that in place of the caller's session. */
    run?: OrderRun
    /** A line of a payment list: judged by that in place of the caller's session. */
    line?: ListLine
    /** The last signature of a payment draft: its caller is the signer. */
    draft?: DraftUse
  }
>

/** By staff: cash, what the bank books, and what comes from another bank. */
export type BookingMovement =
  | OfKind<'deposit' | 'withdrawal', MayBeLarge>
  | OfKind<PostingKind>
  | OfKind<
      'incoming',
      MayLieInSuspense & {
        counterparty?: Counterparty
        details?: TransferDetails
        /** In place of them if the money lies in suspense: also whom it was for. */
        suspenseDetails?: TransferDetails
      }
    >

/** A step of an earlier transfer. It moves no money. */
export type StepMovement = OfKind<'sending' | 'settlement', { originalId: string }>

type Returning = { originalId: string; counterparty?: Counterparty }
/** Brings back the money of an earlier transfer. */
export type BackMovement =
  | OfKind<'reversal' | 'cancellation', Returning>
  | OfKind<'return', Returning & MayLieInSuspense & { details?: TransferDetails }>

/** Places, changes or releases a hold in the account that both sides name: it moves no money. */
export type ReserveMovement = OfKind<'hold', { hold: Exclude<HoldTerms, CaptureTerms> }>
/** On a hold. A capture takes its amount out of one. */
export type HoldMovement = ReserveMovement | OfKind<'capture', MayBeLarge & { hold: CaptureTerms }>

/**
 * Places or raises a hold for a card: it is declined where another one would be refused. The amount
 * of an increment is what is added.
 */
export type AuthorizeMovement =
  | OfKind<
      'authorization',
      { request: CardRequest; externalId: ExternalId; expiresAt: Date | null | undefined }
    >
  | OfKind<'increment', { request: CardRequest; externalId: ExternalId; paymentId: string }>
/**
 * Takes what a shop was paid: out of the hold of its authorisation, as far as that has it, or
 * without one. Of a closed account it is debited to suspense.
 */
export type ClearMovement = OfKind<
  'clearing',
  MayLieInSuspense & { cleared: ClearedCard; paymentId?: string; counterparty: Counterparty }
>
/**
 * Takes back what a chargeback has credited, from where it lies; of a closed account from suspense.
 */
export type TakebackMovement = OfKind<
  'takeback',
  MayLieInSuspense & Returning & { paymentId: string; outcome: 'lost' | 'withdrawn' }
>
/** A step of a card payment, which is named by its hold. */
export type CardMovement =
  | AuthorizeMovement
  | ClearMovement
  | OfKind<'card', { hold: CaptureTerms; counterparty?: Counterparty }>
  | OfKind<'refund', MayLieInSuspense & { paymentId: string; counterparty?: Counterparty }>
  | OfKind<
      'chargeback',
      MayLieInSuspense & { paymentId: string; reason: string; counterparty?: Counterparty }
    >
  | TakebackMovement

/** What a caller hands to the ledger. */
export type Movement =
  | TransferMovement
  | BookingMovement
  | StepMovement
  | BackMovement
  | HoldMovement
  | CardMovement
export type MovementKind = Movement['kind']
export type MovementOf<K extends MovementKind> = Extract<Movement, { kind: K }>
/** Those that make a transfer. */
export type MoneyMovement = MovementOf<Kind>
/** Those that are answered with a transfer. */
export type PostedMovement = MoneyMovement | StepMovement

/** How the caller numbers the movement, and SHA-256, hexadecimal, over what it orders. */
export type ExternalId = { id: string; bodyHash: string }

export const textColumns = {
  reference: 'text',
  counterpartyName: 'text?',
  counterpartyIban: 'text?',
} as const

/** The texts of a transfer or of an entry: personal data, which is erased one day. */
export type Texts = RowOf<typeof textColumns>

/** The columns of a transfer that are written when it is posted. Amounts are in minor units. */
export const postedColumns = {
  id: 'uuid',
  kind: 'text',
  fromAccountId: 'uuid',
  toAccountId: 'uuid',
  fromSeq: 'int8',
  toSeq: 'int8',
  amount: 'int8',
  currency: currencyText,
  reference: 'text',
  beneficiaryId: 'uuid?',
  counterpartyName: 'text?',
  counterpartyIban: 'text?',
  reversalOf: 'uuid?',
  callerId: 'uuid',
  createdAt: 'timestamptz',
} as const

/** A transfer as it is read. Of an erased one the reference is empty, the counterparty null. */
export const transferColumns = {
  ...postedColumns,
  status: 'text',
  reversedBy: 'uuid?',
  isErased: 'bool',
} as const

export type Transfer = Omit<RowOf<typeof transferColumns>, 'kind' | 'status' | 'currency'> & {
  kind: Kind
  status: Status
  currency: Currency
}

/** `claimedBy`: the caller that has sent it to another bank. */
export type LockedTransfer = Transfer & { claimedBy: string | null }

/** A transfer that took effect; `isReplayed` when it did so on an earlier request with this key. */
export type Posted = { transfer: Transfer; isReplayed: boolean }

export type Reserved = { hold: Hold; isReplayed: boolean }

/** What came of a movement. */
export type Outcome = Posted | Reserved | Authorized
export type OutcomeOf<M extends Movement> = M extends ReserveMovement
  ? Reserved
  : M extends AuthorizeMovement
    ? Authorized
    : Posted

/**
 * Executes the movement, durably: when this resolves, its COMMIT has been answered. Throws the
 * refusal otherwise; `unavailable` means that it had no effect, `outcome_unknown` that the database
 * went away at the moment of COMMIT and did not come back in time to be asked, or that no standby
 * confirmed the COMMIT in time.
 */
export type Submit = <M extends Movement>(movement: M) => Promise<OutcomeOf<M>>
