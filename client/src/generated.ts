// Generated from the routes of the service: `npm run documents`. Changes are overwritten.
import type { BankFile, CallOptions, ConfirmedOptions, PaymentOptions } from './types.ts'
import type { Feed } from './feed.ts'
import type { Pages } from './pages.ts'

/**
 * The stable code of a refusal; programs decide by it. A newer bank can send one that is not
 * listed, as it can answer other new words: a program keeps a way for them.
 */
export type Code =
  | 'invalid_request'
  | 'malformed_json'
  | 'invalid_credentials'
  | 'issuer_refused'
  | 'second_factor_required'
  | 'session_expired'
  | 'session_revoked'
  | 'token_expired'
  | 'unauthenticated'
  | 'confirmation_required'
  | 'factor_enrolment_required'
  | 'forbidden'
  | 'archived'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'request_timeout'
  | 'account_closed'
  | 'account_frozen'
  | 'account_not_empty'
  | 'already_exists'
  | 'already_reversed'
  | 'beneficiary_cooling'
  | 'beneficiary_inactive'
  | 'card_cancelled'
  | 'credits_blocked'
  | 'currency_mismatch'
  | 'debits_blocked'
  | 'duplicate_transfer'
  | 'illegal_transition'
  | 'insufficient_funds'
  | 'limit_exceeded'
  | 'payee_check_required'
  | 'payee_not_accepted'
  | 'request_in_progress'
  | 'signature_required'
  | 'payload_too_large'
  | 'uri_too_long'
  | 'unsupported_media_type'
  | 'expectation_failed'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal_error'
  | 'not_implemented'
  | 'issuer_unavailable'
  | 'outcome_unknown'
  | 'unavailable'

export type Account = {
  id: AccountId
  ownerId: UserId
  iban: Iban
  currency: Currency
  name: Name | null
  status: 'active' | 'frozen' | 'closed'
  balance: SignedAmount
  held: Amount
  available: SignedAmount
  /** Since when a card clearing, or a lost chargeback, has left it below what is arranged: `available` is below zero by that. Null: it is not. */
  overdrawnSince: Time | null
  /** What a block stops: what leaves the account, what arrives on it. */
  blocked: {
    debits: boolean
    credits: boolean
  }
  createdAt: Time
  /** Whose account it is, and what you may do. Absent: it is your own. */
  membership?: {
    ownerName: string
    rights: MemberRights
  }
}

export type AccountBalances = {
  currency: Currency
  from: Time
  to: Time
  openingBalance: SignedAmount
  closingBalance: SignedAmount
  entryCount: number
  days: readonly {
    date: Day
    in: SignedAmount
    out: SignedAmount
    entryCount: number
    balance: SignedAmount
  }[]
}

export type AccountDetails = {
  id: AccountId
  ownerId: UserId
  iban: Iban
  currency: Currency
  name: Name | null
  status: 'active' | 'frozen' | 'closed'
  balance: SignedAmount
  held: Amount
  available: SignedAmount
  /** Since when a card clearing, or a lost chargeback, has left it below what is arranged: `available` is below zero by that. Null: it is not. */
  overdrawnSince: Time | null
  /** What a block stops: what leaves the account, what arrives on it. */
  blocked: {
    debits: boolean
    credits: boolean
  }
  createdAt: Time
  registeredPhone: Phone | null
  bank: {
    name: Name
    bic: Bic | null
  }
  holder: {
    userId: UserId
    givenName: Name
    familyName: Name
    email: string
    phone: Phone | null
    address: OptionalText | null
  }
}

export type AccountFreeze = {
  frozen: boolean
  since: Time | null
  by?: {
    /** A person, or a service account. */
    id: string
    name: string | null
  } | null
  reason?: Reason | null
}

/** The identifier of the account: a UUID in lower case. */
export type AccountId = string

export type AccountLimits = {
  currency: Currency
  perPayment: Amount | null
  perDay: Amount | null
  spentToday: Amount
  /** Limits that were raised, and when they hold. Absent if none wait. */
  next?: {
    perPayment: Amount | null
    perDay: Amount | null
    from: Time
  }
}

export type AccountNotices = {
  currency: Currency
  balanceBelow: Amount | null
}

export type AccountSettings = {
  currency: Currency
  registeredPhone: Phone | null
  dailyTransferLimit: Amount | null
  overdraftLimit: Amount
  /** Whether its holder is mailed about payments from it, to it and with its cards, as far as the holder wants that (`GET /api/v1/me/notices`). */
  alertsEnabled: boolean
}

export type AccountSignatures = {
  currency: Currency
  from: Amount | null
  /** How many people sign from that amount on. */
  count: number
  /** What was asked for with less protection, and when it holds. */
  next?: {
    from: Amount | null
    at: Time
  }
}

export type AccountStatement = {
  account: {
    id: AccountId
    iban: string
    currency: Currency
  }
  from: Time
  to: Time
  openingBalance: SignedAmount
  closingBalance: SignedAmount
  entries: readonly Transaction[]
  nextCursor: string | null
  /** Present if the former bank of the account booked entries in this period: the path of their list. They are no part of the statement, its balances and its sums. A PDF and a camt.053 file say so in words; the rows of a CSV file are entries of this bank alone. */
  formerEntries?: string
}

export type ActivateFactorBody = {
  code?: string | undefined
  passkey?: PasskeyRegistration | undefined
}

/** Decimal string, at most the minor digits of the currency. */
export type Amount = string

export type AnswerPayeeCheckBody = {
  /** Any text: another bank has other rules for names. */
  name: string
  iban: Iban
}

/** A time in RFC 3339, which is cut to milliseconds. */
export type AnyTime = string

export type Approval = {
  id: ApprovalId
  status: 'pending' | 'executed' | 'rejected' | 'withdrawn' | 'expired'
  operation: string
  path: string | null
  body: string | null
  /** The person or service account. */
  makerId: string
  checkerId: string | null
  createdAt: Time
  expiresAt: Time
  decidedAt: Time | null
  reason: Text | null
  resourceId: string | null
  subject?: ApprovalSubject
  /** With `subjects`: of the person or program. */
  makerName?: string
  /** With `subjects`: of the person or program. */
  checkerName?: string
}

/** The identifier of the approval: a UUID in lower case. */
export type ApprovalId = string

export type ApprovalSubject = {
  holder: {
    id: UserId
    name: string
  }
  account: {
    id: AccountId
    iban: Iban
    currency: Currency
    balance: SignedAmount
  } | null
  /** The members of the body as they stand now, those that have one, as JSON. */
  before: string
}

export type AuditEvent = {
  id: EventId
  at: Time
  actorId: UserId | null
  /** The operation, by its name in the API reference; or the act of a command, such as `backup`. */
  action: string
  target: string | null
  outcome: 'success' | 'failure' | 'limited' | 'forbidden'
  requestId: RequestId
  address: string
  detail: string | null
  order?: ChangedOrder
  /** With `names`: of the person, of the holder of the account or card, or of the program. The trail itself has no names, and a program that keeps it gets none. */
  actorName?: string
  /** With `names`: of the person, of the holder of the account or card, or of the program. The trail itself has no names, and a program that keeps it gets none. */
  targetName?: string
}

export type AuthorizeCardPaymentBody = {
  amount: Amount
  currency: Currency
  externalId: ExternalId
  merchant: MerchantInput
  /** How the card was used. Cash: at a machine or a counter. */
  channel: 'online' | 'contactless' | 'chip' | 'cash'
  expiresAt?: AnyTime | undefined
  /** Percent of what is authorised that captures may take above it, such as a tip. */
  tolerance?: number | undefined
}

export type BalanceAt = {
  currency: Currency
  at: Time
  balance: SignedAmount
}

export type BankAccount = {
  code: BankCode
  currency: Currency
  name: Name
  balance: SignedAmount
  entryCount: number
  createdAt: Time
}

export type BankAccountStatement = {
  account: {
    code: BankCode
    currency: Currency
  }
  from: Time
  to: Time
  openingBalance: SignedAmount
  closingBalance: SignedAmount
  entries: readonly Transaction[]
  nextCursor: string | null
}

export type BankCalendar = {
  from: Day
  to: Day
  /** Dates: Saturdays, Sundays and the days of the bank. None: each is a business day. */
  holidays: 'none' | 'target2' | 'dates'
  /** The days of the range that are no business days. */
  closedDays: readonly Day[]
  /** What becomes of a due day on one of them, where an order does not say so. */
  onHoliday: 'pay' | 'before' | 'after'
  cutOff: string | null
  /** The day on which a payment to another bank leaves that is made now. */
  leavesOn: string
  /** The day at whose end the other bank has it at the latest. */
  arrivesBy: string
}

/** In every currency: `cash`, `clearing` (on its way from or to another bank), `fees`, `interest`, `suspense` (of no account yet) and `opening`. */
export type BankCode = string

export type Beneficiary = {
  id: BeneficiaryId
  accountId: AccountId
  name: Name
  iban: Iban
  nickname: Name | null
  /** Deactivated: cannot be paid until reactivated. */
  status: 'active' | 'deactivated'
  /** True if payments to it need no confirmation; absent otherwise. */
  trusted?: boolean
  payeeCheck?: CheckedPayee
  createdAt: Time
}

/** The identifier of the beneficiary: a UUID in lower case. */
export type BeneficiaryId = string

/** ISO 9362. */
export type Bic = string

export type Block = {
  id: BlockId
  accountId: AccountId
  /** Stops what leaves the account at its customer’s will: transfers, payments, withdrawals, runs of orders, new card payments and new holds for them. */
  debits: boolean
  /** Stops what arrives: transfers, deposits, money from other banks, card refunds, chargebacks. */
  credits: boolean
  /** Ended: its time is over. Only an active one stops anything. */
  status: 'active' | 'ended' | 'lifted'
  causeClass: BlockCauseClass
  cause?: BlockCause
  note?: NoteText | null
  until: Time | null
  setAt: Time
  setBy?: {
    /** A person, or a service account. */
    id: string
    name: string | null
  }
  liftedAt: Time | null
  liftedBy?: {
    /** A person, or a service account. */
    id: string
    name: string | null
  } | null
}

export type BlockAccountBody = {
  /** Stops what leaves the account at its customer’s will: transfers, payments, withdrawals, runs of orders, new card payments and new holds for them. */
  debits: boolean
  /** Stops what arrives: transfers, deposits, money from other banks, card refunds, chargebacks. */
  credits: boolean
  cause: BlockCause
  note: NoteText
  until?: AnyTime | undefined
  externalId?: ExternalId | undefined
}

export type BlockCause = 'court_order' | 'insolvency' | 'sanctions' | 'money_laundering' | 'fraud' | 'takeover' | 'death' | 'guardianship' | 'customer_request' | 'identification' | 'bank_request'

export type BlockCauseClass = 'authority' | 'security' | 'person' | 'bank'

/** The identifier of the block: a UUID in lower case. */
export type BlockId = string

export type CaptureCardPaymentBody = {
  amount: Amount
  currency: Currency
  externalId: ExternalId
  final?: boolean | undefined
}

export type CaptureHoldBody = {
  amount: Amount
  currency: Currency
  /** Whether what is left is given back. */
  final?: boolean | undefined
  toCode?: BankCode | undefined
  reference?: Reason | undefined
  externalId?: ExternalId | undefined
}

export type Card = {
  id: CardId
  accountId: AccountId
  /** The last four digits; the service does not store the others. */
  maskedNumber: string
  expiryMonth: number
  expiryYear: number
  nickname: Name | null
  /** A cancelled card stays cancelled. */
  status: 'active' | 'frozen' | 'cancelled'
  frozenBy: 'customer' | 'admin' | null
  frozenAt: Time | null
  frozenByActor?: {
    /** A person, or a service account. */
    id: string
    name: string | null
  } | null
  currency: Currency
  /** What counts to `limits.perDay` on the bank's present day: what was authorised for the card on it, as far as it is held or was captured. What is released or expires counts no more. A refund, a clearing without authorisation and a capture above what was authorised change nothing. Of a cancelled card it stays as it was. */
  spentToday: string
  limits: CardLimits
  channels: CardChannels
  createdAt: Time
}

export type CardAuthorization = {
  id: CardPaymentId
  paymentId: CardPaymentId | null
  accountId: AccountId
  cardId: CardId
  status: 'approved' | 'declined'
  reason: 'card_cancelled' | 'card_frozen' | 'card_expired' | 'account_frozen' | 'debits_blocked' | 'currency_mismatch' | 'channel_off' | 'per_payment_limit' | 'per_day_limit' | 'insufficient_funds' | null
  amount: Amount
  currency: Currency
  merchant: Merchant | null
  /** How the card was used. Cash: at a machine or a counter. */
  channel: 'online' | 'contactless' | 'chip' | 'cash'
  expiresAt: Time | null
  /** Percent of what is authorised that captures may take above it, such as a tip. */
  tolerance: number
  createdAt: Time
}

export type CardChannels = {
  online: boolean
  /** At merchants in another country than that of the bank. */
  abroad: boolean
  contactless: boolean
  /** Withdrawals at machines and counters. */
  cash: boolean
}

/** The identifier of the card: a UUID in lower case. */
export type CardId = string

/** Null: no limit of the card. */
export type CardLimits = {
  perPayment: Amount | null
  perDay: Amount | null
}

export type CardPayment = {
  id: CardPaymentId
  accountId: AccountId
  cardId: CardId
  /** Authorized: its amount is reserved, as far as it was not captured. */
  status: 'authorized' | 'captured' | 'released' | 'expired' | 'declined'
  reason: 'card_cancelled' | 'card_frozen' | 'card_expired' | 'account_frozen' | 'debits_blocked' | 'currency_mismatch' | 'channel_off' | 'per_payment_limit' | 'per_day_limit' | 'insufficient_funds' | null
  amount: Amount
  held: Amount
  captured: Amount
  refunded: Amount
  chargedBack: Amount
  currency: Currency
  merchant: Merchant | null
  /** How the card was used. Cash: at a machine or a counter. */
  channel: 'online' | 'contactless' | 'chip' | 'cash'
  expiresAt: Time | null
  /** Percent of what is authorised that captures may take above it, such as a tip. */
  tolerance: number
  /** False: nothing was asked for before it was cleared, or it was declined. */
  authorized: boolean
  createdAt: Time
}

/** The identifier of the card payment: a UUID in lower case. */
export type CardPaymentId = string

export type Challenge = {
  id: ChallengeId
  expiresAt: Time
  methods: readonly ChallengeMethod[]
  passkey?: PasskeyRequest
}

/** The identifier of the challenge: a UUID in lower case. */
export type ChallengeId = string

export type ChallengeMethod = 'passkey' | 'totp' | 'recovery-code' | 'issuer'

export type ChangePasswordBody = {
  currentPassword: string
  newPassword: string
}

export type ChangedOrder = {
  before: OrderTerms | null
  after: OrderTerms
}

export type ChargeBackCardPaymentBody = {
  amount: Amount
  currency?: Currency | undefined
  externalId: ExternalId
  reason: ChargebackReason
}

export type Chargeback = {
  id: ChargebackId
  paymentId: CardPaymentId
  accountId: AccountId
  merchant: string | null
  /** Open: the money is credited provisionally. Won: for good. Else: taken back. */
  status: 'open' | 'won' | 'lost' | 'withdrawn'
  amount: Amount
  currency: Currency
  reason: ChargebackReason
  takenBackBy: TransferId | null
  createdAt: Time
  endedAt: Time | null
}

/** The identifier of the chargeback: a UUID in lower case. */
export type ChargebackId = string

/** The reason code of the card scheme. */
export type ChargebackReason = string

export type CheckFactorResetBody = {
  token: string
}

export type CheckPasswordResetBody = {
  token: string
}

export type CheckPayeeBody = {
  name: Name
  iban: Iban
}

export type CheckedLine = {
  index: number
  status: 'ready' | 'refused'
  refusal?: 'account_closed' | 'account_frozen' | 'beneficiary_cooling' | 'beneficiary_inactive' | 'credits_blocked' | 'currency_mismatch' | 'debits_blocked' | 'forbidden' | 'insufficient_funds' | 'invalid_request' | 'limit_exceeded' | 'not_found' | 'payee_check_required' | 'signature_required'
  /** The refusal as a code of ISO 20022 ExternalStatusReason1Code. */
  reason?: 'AC04' | 'AC06' | 'AG01' | 'AM03' | 'AM04' | 'AC01' | 'AM14' | 'BE06' | 'BE01'
}

export type CheckedPayee = {
  result: 'match' | 'close_match' | 'no_match' | 'not_possible'
  /** The holder's name that the payer was told. */
  name?: string
  /** Whether the payer went on although the name does not match. */
  accepted: boolean
}

export type CheckedPaymentList = {
  id: PaymentListId
  accountId: AccountId
  /** The person or the service account that sent it. */
  madeBy: string
  /** Who ordered it to be paid: its payments are in that name. */
  orderedBy?: string
  /** How the customer numbers the list (ISO 20022 MsgId): once for ever in an account. */
  messageId?: string
  /** What the list was sent as. */
  form: 'json' | 'pain.001.001.03' | 'pain.001.001.09'
  currency: Currency
  executeOn: Day | null
  /** Ordered: it waits for its day, or is being paid line by line. */
  status: 'checked' | 'ordered' | 'executed' | 'cancelled'
  all: {
    count: number
    total: Amount
  }
  /** What is confirmed: the lines that were not refused when it was checked. */
  ready: {
    count: number
    total: Amount
  }
  made: {
    count: number
    total: Amount
  }
  refusedCount: number
  /** SHA-256 over the list and all its lines: none of them changes any more. */
  hash: string
  createdAt: Time
  orderedAt?: Time
  endedAt?: Time
  /** One for each item, in their order. */
  lines: readonly CheckedLine[]
}

export type ClearCardPaymentBody = {
  amount: Amount
  currency: Currency
  externalId: ExternalId
  merchant: MerchantInput
  /** How the card was used. Cash: at a machine or a counter. */
  channel: 'online' | 'contactless' | 'chip' | 'cash'
  authorizationId?: CardPaymentId | undefined
}

export type CloseDisputeBody = {
  reason: Reason
}

export type CompleteLoginBody = {
  challengeId: ChallengeId
  code?: string | undefined
  passkey?: PasskeyAssertion | undefined
  recoveryCode?: string | undefined
  /** From the mail by which staff let you replace your factors. */
  recoveryToken?: string | undefined
  device?: Name | undefined
  deviceToken?: string | undefined
}

export type ConfirmAtIssuerBody = {
  state: string
  code?: string | undefined
  iss?: string | undefined
  error?: string | undefined
}

export type ConfirmBody = {
  code?: string | undefined
  passkey?: PasskeyAssertion | undefined
}

export type Confirmation = {
  id: ChallengeId
  expiresAt: Time
}

export type Counterparty = {
  name: string | null
  iban: string | null
}

export type CreateAccountNoteBody = {
  text: NoteText
}

export type CreateBankAccountBody = {
  code: BankCode
  currency: Currency
  name: Name
}

export type CreateBeneficiaryBody = {
  name: Name
  iban: Iban
  nickname?: Name | null | undefined
  trusted?: boolean | undefined
  payeeCheckId?: PayeeCheckId | undefined
  /** True: the payer goes on although the name does not match. */
  acceptPayee?: boolean | undefined
}

export type CreateDepositBody = {
  amount: Amount
  currency: Currency
  reason: Reason
}

export type CreateDraftBody = {
  toAccountId?: AccountId | undefined
  beneficiaryId?: BeneficiaryId | undefined
  amount: Amount
  currency: Currency
  reference?: OptionalText | undefined
  payeeCheckId?: PayeeCheckId | undefined
  /** True: the payer goes on although the name does not match. */
  acceptPayee?: boolean | undefined
}

/** At most 400 days ahead. Without it an authorization expires in seven days, and others stand until they are released. */
export type CreateHoldBody = {
  amount: Amount
  currency: Currency
  /** Authorization: for a card payment that is still to come. Seizure: for a court or an authority. Dispute: while a payment is disputed. */
  kind: 'authorization' | 'seizure' | 'dispute'
  reference: Reason
  expiresAt?: AnyTime | undefined
  cardId?: CardId | undefined
  externalId?: ExternalId | undefined
}

export type CreateIncomingPaymentBody = {
  iban: Iban
  amount: Amount
  currency: Currency
  externalId: ExternalId
  debtor: Debtor
  reference?: RailReference | undefined
  endToEndId?: EndToEndId | undefined
  /** Where the money lies when it cannot be credited to an IBAN of this bank. Without it the payment is refused. */
  onRefusal?: 'suspense' | undefined
}

export type CreateOrderBody = {
  beneficiaryId?: BeneficiaryId | undefined
  toAccountId?: AccountId | undefined
  amount: Amount
  currency: Currency
  reference?: OptionalText | undefined
  rhythm: 'once' | 'weekly' | 'monthly' | 'yearly'
  firstOn: Day
  lastOn?: Day | undefined
  /** For how many days after the due one a run waits for money. Without it the run is refused. */
  retryDays?: number | undefined
  /** Whether a due day that is no business day is paid on it, on the business day before it, or on the one after it. */
  onHoliday?: 'pay' | 'before' | 'after' | undefined
  payeeCheckId?: PayeeCheckId | undefined
  /** True: the payer goes on although the name does not match. */
  acceptPayee?: boolean | undefined
}

export type CreatePaymentListBody = {
  /** How the customer numbers the list (ISO 20022 MsgId): once for ever in an account. */
  messageId?: string | undefined
  currency: Currency
  executeOn?: Day | undefined
  debtorIban?: Iban | undefined
  /** What the list was sent as. */
  form?: 'json' | 'pain.001.001.03' | 'pain.001.001.09' | undefined
  /** Each to a beneficiary of the account, or to a name and an IBAN. */
  items: readonly ({
    beneficiaryId?: BeneficiaryId | undefined
    name?: Name | undefined
    iban?: Iban | undefined
    amount: Amount
    reference?: OptionalText | undefined
    /** The reference that the payment keeps until its payee (ISO 20022 EndToEndId). */
    endToEndId?: string | undefined
    /** The block of a pain.001 file that the payment stood in (ISO 20022 PmtInfId). */
    blockId?: string | undefined
  })[]
}

export type CreatePostingBatchBody = {
  items: readonly ({
    fromAccountId?: AccountId | undefined
    fromCode?: BankCode | undefined
    toAccountId?: AccountId | undefined
    toCode?: BankCode | undefined
    amount: Amount
    currency: Currency
    kind: 'fee' | 'interest' | 'correction'
    reason: Reason
    externalId: ExternalId
  })[]
}

export type CreatePostingBody = {
  fromAccountId?: AccountId | undefined
  fromCode?: BankCode | undefined
  toAccountId?: AccountId | undefined
  toCode?: BankCode | undefined
  amount: Amount
  currency: Currency
  kind: 'fee' | 'interest' | 'correction'
  reason: Reason
  externalId?: ExternalId | undefined
}

export type CreateServiceAccountBody = {
  name: Name
  grants: ServiceGrants
  /** Addresses and CIDR ranges to call from; none: from anywhere. */
  addresses?: readonly string[] | undefined
  expiresAt?: AnyTime | null | undefined
}

export type CreateTransferBody = {
  fromAccountId: AccountId
  toAccountId?: AccountId | undefined
  beneficiaryId?: BeneficiaryId | undefined
  amount: Amount
  currency: Currency
  reference?: OptionalText | undefined
  payeeCheckId?: PayeeCheckId | undefined
  /** True: the payer goes on although the name does not match. */
  acceptPayee?: boolean | undefined
}

export type CreateUserBody = {
  username: string
  email: string
  givenName: Name
  familyName: Name
  phone?: Phone | null | undefined
  address?: OptionalText | null | undefined
  language?: 'de' | 'en' | 'es' | 'fr' | undefined
  roles: readonly Role[]
  password?: string | undefined
  externalId?: ExternalId | undefined
}

export type CreateUserNoteBody = {
  text: NoteText
}

export type CreateWebhookBody = {
  url: WebhookUrl
  /** The types of the events that are delivered. */
  types: readonly EventType[]
  description?: OptionalText | undefined
}

export type CreateWithdrawalBody = {
  amount: Amount
  currency: Currency
  reason: Reason
}

/** ISO 4217 code. */
export type Currency = 'AED' | 'AUD' | 'BHD' | 'CAD' | 'CHF' | 'CZK' | 'DKK' | 'EUR' | 'GBP' | 'HUF' | 'JPY' | 'KWD' | 'NOK' | 'NZD' | 'PLN' | 'SEK' | 'SGD' | 'TND' | 'USD'

/** A day of the bank. */
export type Day = string

export type Debtor = {
  name: DebtorName
  iban?: DebtorIban | undefined
  bic?: DebtorBic | undefined
}

/** Any text. What is no character of `Text` is shown as the nearest one, and what is longer than 11 is cut and ends in `...`; the text as it came is kept. Of a card number the last four digits are shown and kept. */
export type DebtorBic = string

/** Any text. What is no character of `Text` is shown as the nearest one, and what is longer than 34 is cut and ends in `...`; the text as it came is kept. Of a card number the last four digits are shown and kept. */
export type DebtorIban = string

/** Any text. What is no character of `Text` is shown as the nearest one, and what is longer than 140 is cut and ends in `...`; the text as it came is kept. Of a card number the last four digits are shown and kept. */
export type DebtorName = string

/** The identifier of the delivery: a UUID in lower case. */
export type DeliveryId = string

export type Dispute = {
  id: DisputeId
  paymentId: CardPaymentId
  accountId: AccountId
  userId: UserId
  merchant: string | null
  captured: Amount
  currency: Currency
  /** Open: it waits for staff or a processor. Charged back: the money is credited provisionally. Won, lost, withdrawn: its chargeback has ended so. Closed: by staff. */
  status: 'open' | 'charged_back' | 'won' | 'lost' | 'withdrawn' | 'closed'
  /** What is wrong with the payment. */
  reason: 'not_authorized' | 'not_received' | 'not_as_described' | 'duplicate' | 'wrong_amount' | 'cancelled' | 'other'
  text: DisputeText | null
  chargebackId: ChargebackId | null
  closedReason: Reason | null
  createdAt: Time
  closedAt: Time | null
}

export type DisputeCardPaymentBody = {
  /** What is wrong with the payment. */
  reason: 'not_authorized' | 'not_received' | 'not_as_described' | 'duplicate' | 'wrong_amount' | 'cancelled' | 'other'
  text: DisputeText
}

/** The identifier of the dispute: a UUID in lower case. */
export type DisputeId = string

/** Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. Also line feeds. Without a card number. */
export type DisputeText = string

export type DraftPayee = {
  name?: string
  iban: string
}

/** Any text. What is no character of `Text` is shown as the nearest one, and what is longer than 35 is cut and ends in `...`; the text as it came is kept. Of a card number the last four digits are shown and kept. */
export type EndToEndId = string

export type EnrolFactorBody = {
  kind: 'passkey' | 'totp'
  name: Name
  password: string
}

/** Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. Without a card number. */
export type EntryNote = string

/** The archive that has what was asked for: what was booked before `until`. */
export type ErrorArchive = {
  /** Its folder, for staff alone. */
  name?: string
  until: Time
}

export type Event = {
  number: EventNumber
  type: EventType
  at: Time
  resourceId: string | null
  /** The accounts that it concerns: of a transfer its source and its destination. */
  accountIds: readonly AccountId[]
  /** With `names`: who holds these accounts, in their order, without the bank. */
  holders?: readonly string[]
}

/** The identifier of the event: a UUID in lower case. */
export type EventId = string

/** The place of an event in the order of commit: 1, 2, 3 … without gaps, but for a great one after a restore of the bank or another end of all sessions. */
export type EventNumber = string

export type EventType = 'account.opened' | 'account.frozen' | 'account.unfrozen' | 'account.blocked' | 'account.unblocked' | 'account.overdrawn' | 'account.covered' | 'account.closed' | 'beneficiary.added' | 'beneficiary.deactivated' | 'beneficiary.reactivated' | 'beneficiary.deleted' | 'card.issued' | 'card.frozen' | 'card.unfrozen' | 'card.cancelled' | 'card.payment.authorized' | 'card.payment.declined' | 'card.payment.captured' | 'card.payment.released' | 'card.payment.refunded' | 'card.payment.suspended' | 'draft.made' | 'draft.paid' | 'draft.cancelled' | 'draft.expired' | 'draft.void' | 'chargeback.made' | 'chargeback.won' | 'chargeback.lost' | 'chargeback.withdrawn' | 'dispute.opened' | 'dispute.closed' | 'hold.created' | 'hold.changed' | 'hold.captured' | 'hold.released' | 'hold.expired' | 'list.ordered' | 'list.executed' | 'list.cancelled' | 'member.invited' | 'member.joined' | 'member.changed' | 'member.ended' | 'order.created' | 'order.paused' | 'order.resumed' | 'order.ended' | 'order.refused' | 'session.revoked' | 'transfer.completed' | 'transfer.pending' | 'transfer.settled' | 'transfer.returned' | 'transfer.reversed' | 'transfer.sent' | 'transfer.cancelled'

/** How the caller numbers this: unique for ever among those of the caller. Visible ASCII and space, without a card number: digits that begin and are as many as those of a card scheme, and pass the Luhn formula. The same again with the same body is answered as the first time, with another body 422 `idempotency_key_reused`. */
export type ExternalId = string

export type Factor = {
  id: FactorId
  kind: 'passkey' | 'totp'
  name: Name
  createdAt: Time
  lastUsedAt: Time | null
}

export type FactorActivation = {
  factor: Factor
  /** Shown this once; each of them logs you in once to enrol a new factor. */
  recoveryCodes?: readonly string[]
}

export type FactorEnrolment = {
  id: FactorId
  expiresAt: Time
  totp?: {
    /** Base32 (RFC 4648). */
    secret: string
    /** For a QR code: `otpauth://`. */
    uri: string
  }
  passkey?: PasskeyCreation
}

/** The identifier of the factor: a UUID in lower case. */
export type FactorId = string

export type FactorResetLink = {
  username: string
}

export type Factors = {
  factors: readonly Factor[]
  recoveryCodesLeft: number
  policy: 'optional' | 'required'
}

export type FindAccountsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
  iban?: Iban | undefined
  ownerId?: UserId | undefined
  holder?: Name | undefined
  status?: 'active' | 'frozen' | 'closed' | undefined
  externalId?: ExternalId | undefined
  /** Only those in unarranged overdraft. */
  overdrawn?: 'yes' | undefined
}

export type FindBeneficiariesQuery = {
  text?: Text | undefined
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type FindChargebacksQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
  status?: 'open' | 'won' | 'lost' | 'withdrawn' | undefined
}

export type FindDisputesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
  status?: 'open' | 'charged_back' | 'won' | 'lost' | 'withdrawn' | 'closed' | undefined
}

export type FindOrdersQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
  ownerId?: UserId | undefined
  /** A person, service account, session or key. */
  orderedBy?: string | undefined
  /** Open: active or paused. */
  status?: 'active' | 'paused' | 'ended' | 'open' | undefined
}

export type FindPaymentsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
  id?: TransferId | undefined
  externalId?: ExternalId | undefined
  /** ISO 20022 EndToEndId. Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. */
  endToEndId?: string | undefined
  iban?: Iban | undefined
  amount?: Amount | undefined
  currency?: Currency | undefined
  day?: Day | undefined
  /** Whole words, all of which are in it. Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. */
  reference?: string | undefined
}

export type FindTransfersQuery = {
  status?: 'completed' | 'pending' | 'returned' | 'sent' | 'cancelled' | undefined
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  from?: string | undefined
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  to?: string | undefined
  /** Those that are at least as old. */
  minAgeSeconds?: string | undefined
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type FormerEntry = {
  id: FormerEntryId
  accountId: AccountId
  /** It is no part of the books of this bank: no balance and no statement has it. */
  bookedBy: 'former_bank'
  bookedOn: Day
  amount: SignedAmount
  currency: Currency
  counterpartyName: Name | null
  counterpartyIban: Iban | null
  reference: OptionalText
}

/** The identifier of the former entry: a UUID in lower case. */
export type FormerEntryId = string

export type FoundPayment = {
  /** The identifier of what was found. */
  id: string
  transfer?: Transfer
  cardPayment?: CardPayment
  hold?: Hold
  refused?: RefusedPayment
}

export type FreezeAccountBody = {
  reason: Reason
}

export type GetApprovalQuery = {
  /** With holder and account as they stand now, and with names, for people. */
  subjects?: 'true' | undefined
}

export type GetAuditEventQuery = {
  /** With names, for people. */
  names?: 'true' | undefined
}

export type GetBalanceAtQuery = {
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  at?: string | undefined
}

export type GetBalancesQuery = {
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  from?: string | undefined
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  to?: string | undefined
}

export type GetBankAccountStatementQuery = {
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  from?: string | undefined
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  to?: string | undefined
  format?: 'json' | 'csv' | 'pdf' | 'camt053' | undefined
  /** The language of the spreadsheet that opens a CSV file. The file has a byte order mark then, and the separator and the decimal sign of that language. */
  spreadsheet?: 'de' | 'en' | 'es' | 'fr' | undefined
  cursor?: string | undefined
}

export type GetCalendarQuery = {
  from?: Day | undefined
  to?: Day | undefined
}

export type GetInsightQuery = {
  /** A month of the bank, since 1970. */
  month?: string | undefined
}

export type GetPaymentListQuery = {
  format?: 'json' | 'pain002' | undefined
}

export type GetStatementQuery = {
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  from?: string | undefined
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  to?: string | undefined
  format?: 'json' | 'csv' | 'pdf' | 'camt053' | undefined
  /** The language of the spreadsheet that opens a CSV file. The file has a byte order mark then, and the separator and the decimal sign of that language. */
  spreadsheet?: 'de' | 'en' | 'es' | 'fr' | undefined
  cursor?: string | undefined
}

export type GetTransferReceiptQuery = {
  format?: 'json' | 'pdf' | undefined
}

export type GetTrialBalanceQuery = {
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  at?: string | undefined
  format?: 'json' | 'csv' | undefined
  /** The language of the spreadsheet that opens a CSV file. The file has a byte order mark then, and the separator and the decimal sign of that language. */
  spreadsheet?: 'de' | 'en' | 'es' | 'fr' | undefined
}

export type Hold = {
  id: HoldId
  accountId: AccountId
  cardId?: CardId
  /** Authorization: for a card payment that is still to come. Seizure: for a court or an authority. Dispute: while a payment is disputed. */
  kind: 'authorization' | 'seizure' | 'dispute'
  amount: Amount
  captured: Amount
  remaining: Amount
  currency: Currency
  reference: OptionalText
  /** An active hold keeps `remaining` from leaving the account. Others are over. */
  status: 'active' | 'captured' | 'released' | 'expired'
  createdAt: Time
  expiresAt: Time | null
  endedAt: Time | null
}

/** The identifier of the hold: a UUID in lower case. */
export type HoldId = string

/** ISO 13616, without spaces. */
export type Iban = string

export type IncrementCardPaymentBody = {
  amount: Amount
  currency: Currency
  externalId: ExternalId
}

export type Insight = {
  month: Month
  monthBefore: Month
  currency: Currency
  spent: SignedAmount
  spentBefore: SignedAmount
  /** By shop, the largest of either month first. Null: its name was erased. */
  shops: readonly ({
    name: string | null
    category: string | null
    spent: SignedAmount
    spentBefore: SignedAmount
  })[]
  /** All other shops together. */
  otherShops: {
    count: number
    spent: SignedAmount
    spentBefore: SignedAmount
  }
  /** By category of all shops, the largest of either month first. */
  categories: readonly ({
    category: string | null
    spent: SignedAmount
    spentBefore: SignedAmount
  })[]
  /** What was spent without a card, by kind. `own_transfer`: to an account of the same owner, which no sum has. */
  kinds: readonly ({
    kind: 'transfer' | 'own_transfer' | 'withdrawal' | 'capture' | 'fee' | 'interest' | 'correction'
    spent: SignedAmount
    spentBefore: SignedAmount
  })[]
}

export type InviteMemberBody = {
  username: string
  rights: MemberRights
  currency?: Currency | undefined
  perPayment?: Amount | null | undefined
  perDay?: Amount | null | undefined
  until?: AnyTime | null | undefined
}

export type IssueCardBody = {
  nickname?: Name | null | undefined
}

export type IssuedServiceKey = {
  id: KeyId
  key: ServiceKey
  createdAt: Time
}

export type IssuerAddress = {
  /** The page of the issuer; the browser is sent there. */
  location: string
}

export type IssuerLink = {
  /** As in `iss`. */
  issuer: string
  subject: string | null
  linkedAt: Time | null
  linkedBy: UserId | null
}

export type IssuerLogout = {
  ended: number
}

export type ItemError = {
  code: 'invalid_request' | 'malformed_json' | 'invalid_credentials' | 'issuer_refused' | 'second_factor_required' | 'session_expired' | 'session_revoked' | 'token_expired' | 'unauthenticated' | 'confirmation_required' | 'factor_enrolment_required' | 'forbidden' | 'archived' | 'not_found' | 'method_not_allowed' | 'not_acceptable' | 'request_timeout' | 'account_closed' | 'account_frozen' | 'account_not_empty' | 'already_exists' | 'already_reversed' | 'beneficiary_cooling' | 'beneficiary_inactive' | 'card_cancelled' | 'credits_blocked' | 'currency_mismatch' | 'debits_blocked' | 'duplicate_transfer' | 'illegal_transition' | 'insufficient_funds' | 'limit_exceeded' | 'payee_check_required' | 'payee_not_accepted' | 'request_in_progress' | 'signature_required' | 'payload_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'expectation_failed' | 'idempotency_key_reused' | 'rate_limited' | 'headers_too_large' | 'internal_error' | 'not_implemented' | 'issuer_unavailable' | 'outcome_unknown' | 'unavailable'
  message: string
  archive?: ErrorArchive
}

/** The identifier of the key: a UUID in lower case. */
export type KeyId = string

export type LinkIssuerBody = {
  /** As in `sub`: what the issuer calls the person for this client, to the letter. */
  subject: string
}

export type ListAccountBlocksQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListAccountNotesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListAccountTransactionsQuery = {
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  from?: string | undefined
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  to?: string | undefined
  kind?: 'transfer' | 'deposit' | 'withdrawal' | 'reversal' | 'return' | 'incoming' | 'cancellation' | 'capture' | 'card' | 'clearing' | 'refund' | 'chargeback' | 'takeback' | 'fee' | 'interest' | 'correction' | undefined
  direction?: 'in' | 'out' | undefined
  amount?: Amount | undefined
  minAmount?: Amount | undefined
  maxAmount?: Amount | undefined
  text?: Text | undefined
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListAccountsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListApprovalsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
  status?: 'pending' | 'executed' | 'rejected' | 'withdrawn' | 'expired' | undefined
  /** With holder and account as they stand now, and with names, for people. */
  subjects?: 'true' | undefined
}

export type ListAuditEventsQuery = {
  actorId?: UserId | undefined
  /** The operation, by its name in the API reference; or the act of a command, such as `backup`. */
  action?: string | undefined
  /** The identifier of what the event is about, such as an account or a person. */
  target?: string | undefined
  outcome?: 'success' | 'failure' | 'limited' | 'forbidden' | undefined
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  from?: string | undefined
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  to?: string | undefined
  requestId?: RequestId | undefined
  /** Without what was only read, and without renewed sessions. */
  changes?: 'true' | undefined
  /** With names, for people. */
  names?: 'true' | undefined
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListBankAccountTransactionsQuery = {
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  from?: string | undefined
  /** A day of the bank, or a time in RFC 3339, which is cut to milliseconds. Both ends belong to the range, a day as a whole. */
  to?: string | undefined
  kind?: 'transfer' | 'deposit' | 'withdrawal' | 'reversal' | 'return' | 'incoming' | 'cancellation' | 'capture' | 'card' | 'clearing' | 'refund' | 'chargeback' | 'takeback' | 'fee' | 'interest' | 'correction' | undefined
  direction?: 'in' | 'out' | undefined
  amount?: Amount | undefined
  minAmount?: Amount | undefined
  maxAmount?: Amount | undefined
  text?: Text | undefined
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListBankAccountsQuery = {
  currency?: Currency | undefined
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListBeneficiariesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListCardPaymentsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListCardsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListChargebacksQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListDisputesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListDraftsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListDraftsToSignQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListEventsQuery = {
  /** A number, or `last`: that of the newest event there is. */
  after?: string | undefined
  /** Only events of these types, separated by commas. */
  types?: string | undefined
  /** For how many seconds to wait for an event, at most 25. */
  wait?: string | undefined
  /** With the names of the holders, for people. */
  names?: 'true' | undefined
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
}

export type ListFormerEntriesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListHoldCapturesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListHoldsQuery = {
  status?: 'active' | 'captured' | 'released' | 'expired' | undefined
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListMadeUsersQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
  externalId?: ExternalId | undefined
}

export type ListMembersQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListMyMembershipsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListOrderRunsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListOrdersQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListPaymentListLinesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
  status?: 'ready' | 'made' | 'refused' | undefined
}

export type ListPaymentListsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListServiceAccountsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListSessionsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListTransactionsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListTransfersQuery = {
  accountId?: AccountId | undefined
  status?: 'pending' | undefined
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListUserBeneficiariesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListUserNotesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListUserRefusedPaymentsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListUserSessionsQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListUsersQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
  username?: string | undefined
  email?: string | undefined
  name?: Name | undefined
  /** Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. Also `@` and `_`. */
  search?: string | undefined
  /** A name in any order, each word of four letters from its beginning, or with one letter wrong or letters doubled or not; a telephone number of 6 digits or more, with its country or without; the last four digits of a card, alone or beside a name; the IBAN of an account; the beginning of a user name or an e-mail address. Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. Also `@` and `_`. */
  q?: string | undefined
  status?: 'active' | 'disabled' | undefined
  role?: Role | undefined
  externalId?: ExternalId | undefined
}

export type ListWebhookDeliveriesQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type ListWebhooksQuery = {
  /** How many items at most; default 20, capped to the page size. */
  limit?: number | undefined
  cursor?: string | undefined
}

export type Login = {
  token: string
  tokenType: 'Bearer'
  /** Seconds until the access token expires. */
  expiresIn: number
  refreshToken: string
  sessionId: SessionId
  deviceToken: string
  user: {
    id: UserId
    username: string
    roles: readonly Role[]
  }
  /** The session may only enrol a second factor; absent if it may do anything. */
  restricted?: boolean
}

export type LoginBody = {
  /** User name or e-mail. */
  username: string
  password: string
  device?: Name | undefined
  deviceToken?: string | undefined
}

export type LogoutByIssuerBody = {
  logout_token: string
}

export type Me = {
  id: UserId
  username: string
  email: string
  givenName: Name
  familyName: Name
  phone: Phone | null
  address: OptionalText | null
  language: 'de' | 'en' | 'es' | 'fr' | null
  roles: readonly Role[]
  status: 'active' | 'disabled'
  /** The person has set no password yet; absent if they have. */
  invited?: boolean
  externalId?: ExternalId
  createdAt: Time
  /** Your session may only enrol a second factor; absent if it may do anything. */
  restricted?: boolean
}

export type Member = {
  id: MemberId
  accountId: AccountId
  /** As it was invited, whether or not a customer has it. Null: erased. */
  username: string | null
  /** Null before it is accepted. */
  personId: UserId | null
  /** Null before it is accepted, and once it is erased. */
  name: string | null
  rights: MemberRights
  currency: Currency
  perPayment: Amount | null
  perDay: Amount | null
  until: Time | null
  /** Invited: not accepted yet. Active: may act now. Inactive: the bank lets the person or the owner do nothing at the moment. Ended: for good. */
  status: 'invited' | 'active' | 'inactive' | 'ended'
  invitedAt: Time
  expiresAt: Time
  acceptedAt: Time | null
  endedAt: Time | null
  /** Time: `until` has come, or the invitation was not accepted in time. Revocation: the session or signing key by which the invitation was sent, or changed last, was revoked. */
  endedBy: 'owner' | 'member' | 'staff' | 'time' | 'revocation' | null
}

/** The identifier of the member: a UUID in lower case. */
export type MemberId = string

/** View: read the account. Prepare: also prepare payments that another person sends. Pay: also pay. */
export type MemberRights = 'view' | 'prepare' | 'pay'

export type Membership = {
  id: MembershipId
  /** Null before the invitation is accepted. */
  accountId: AccountId | null
  /** Null before the invitation is accepted. */
  iban: string | null
  ownerName: string
  rights: MemberRights
  currency: Currency
  perPayment: Amount | null
  perDay: Amount | null
  until: Time | null
  /** Invited: not accepted yet. Active: may act now. Inactive: the bank lets the person or the owner do nothing at the moment. Ended: for good. */
  status: 'invited' | 'active' | 'inactive' | 'ended'
  invitedAt: Time
  expiresAt: Time
  acceptedAt: Time | null
  endedAt: Time | null
  /** Time: `until` has come, or the invitation was not accepted in time. Revocation: the session or signing key by which the invitation was sent, or changed last, was revoked. */
  endedBy: 'owner' | 'member' | 'staff' | 'time' | 'revocation' | null
}

/** The identifier of the membership: a UUID in lower case. */
export type MembershipId = string

export type Merchant = {
  name: string
  /** Merchant category code of ISO 18245. */
  category: string
  /** ISO 3166-1 alpha-2. */
  country: string
}

export type MerchantInput = {
  name: MerchantName
  /** Merchant category code of ISO 18245. */
  category: string
  /** ISO 3166-1 alpha-2. */
  country: string
}

/** Any text. What is no character of `Text` is shown as the nearest one, and what is longer than 140 is cut and ends in `...`; the text as it came is kept. Of a card number the last four digits are shown and kept. */
export type MerchantName = string

/** A month of the bank. */
export type Month = string

/** Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. */
export type Name = string

export type Note = {
  id: NoteId
  userId: UserId
  accountId?: AccountId
  writtenBy: {
    /** A person, or a service account. */
    id: string
    name: string | null
  }
  text: NoteText
  createdAt: Time
}

/** The identifier of the note: a UUID in lower case. */
export type NoteId = string

/** Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. Also line feeds. Without a card number. */
export type NoteText = string

export type NoteTransactionBody = {
  text: EntryNote
}

export type Notice = {
  kind: 'reset' | 'invitation' | 'password-changed' | 'email-changed' | 'email-set' | 'new-device' | 'phone-changed' | 'payment' | 'alerts-paused' | 'order-refused' | 'order-paused' | 'order-made' | 'order-changed' | 'card-payment' | 'card-declined' | 'factor-added' | 'factor-removed' | 'recovery-codes-made' | 'recovery-code-used' | 'factor-reset' | 'wrong-factor' | 'codes-refused' | 'limits-raised' | 'list-ordered' | 'list-refused' | 'signatures-lowered' | 'draft-waiting' | 'draft-paid' | 'draft-ended' | 'member-invited' | 'member-joined' | 'member-changed' | 'member-ended' | 'email-asked' | 'email-proof' | 'notices-off' | 'money-arrived' | 'balance-below' | 'account-overdrawn' | 'card-dispute'
  channel: 'mail' | 'off'
  /** It is about access or security, and cannot be switched off. */
  fixed: boolean
}

export type Notices = {
  notices: readonly Notice[]
}

export type NumberedAccount = {
  id: AccountId
  ownerId: UserId
  iban: Iban
  currency: Currency
  name: Name | null
  status: 'active' | 'frozen' | 'closed'
  balance: SignedAmount
  held: Amount
  available: SignedAmount
  /** Since when a card clearing, or a lost chargeback, has left it below what is arranged: `available` is below zero by that. Null: it is not. */
  overdrawnSince: Time | null
  /** What a block stops: what leaves the account, what arrives on it. */
  blocked: {
    debits: boolean
    credits: boolean
  }
  createdAt: Time
  externalId?: ExternalId
}

export type OpenAccountBody = {
  currency: Currency
  name?: Name | undefined
  ownerId?: UserId | undefined
  iban?: Iban | undefined
  externalId?: ExternalId | undefined
}

/** Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. */
export type OptionalText = string

export type Order = {
  id: OrderId
  accountId: AccountId
  /** The person or the service account that made it. */
  madeBy: string
  /** Whose terms it has now: its payments are made in that name. */
  orderedBy: string
  /** The session, or the key of the service account, of these terms. For staff alone. */
  orderedWith?: string
  beneficiaryId?: BeneficiaryId
  toAccountId?: AccountId
  payee?: OrderPayee
  payeeCheck?: CheckedPayee
  amount: Amount
  currency: Currency
  reference: OptionalText
  /** Each day is counted from the first one. */
  rhythm: 'once' | 'weekly' | 'monthly' | 'yearly'
  firstOn: Day
  lastOn: Day | null
  retryDays: number | null
  /** Absent: a due day is paid, whatever day it is. */
  onHoliday?: 'pay' | 'before' | 'after'
  /** An ended order stays ended. */
  status: 'active' | 'paused' | 'ended'
  pausedBecause: 'owner' | 'missed' | 'member' | null
  nextOn: Day | null
  /** Whether its amount alone is more than may leave the account in a day. */
  isAboveDailyLimit: boolean
  createdAt: Time
  changedAt?: Time
}

/** The identifier of the order: a UUID in lower case. */
export type OrderId = string

export type OrderPayee = {
  name: string
  iban: string
}

export type OrderRun = {
  dueOn: Day
  /** The business day that the due day is moved to. Absent: it is not moved. */
  paysOn?: string
  /** Waiting: for money, until the days of retry are over. */
  outcome: 'made' | 'refused' | 'skipped' | 'waiting'
  transferId: TransferId | null
  refusal: 'invalid_request' | 'malformed_json' | 'invalid_credentials' | 'issuer_refused' | 'second_factor_required' | 'session_expired' | 'session_revoked' | 'token_expired' | 'unauthenticated' | 'confirmation_required' | 'factor_enrolment_required' | 'forbidden' | 'archived' | 'not_found' | 'method_not_allowed' | 'not_acceptable' | 'request_timeout' | 'account_closed' | 'account_frozen' | 'account_not_empty' | 'already_exists' | 'already_reversed' | 'beneficiary_cooling' | 'beneficiary_inactive' | 'card_cancelled' | 'credits_blocked' | 'currency_mismatch' | 'debits_blocked' | 'duplicate_transfer' | 'illegal_transition' | 'insufficient_funds' | 'limit_exceeded' | 'payee_check_required' | 'payee_not_accepted' | 'request_in_progress' | 'signature_required' | 'payload_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'expectation_failed' | 'idempotency_key_reused' | 'rate_limited' | 'headers_too_large' | 'internal_error' | 'not_implemented' | 'issuer_unavailable' | 'outcome_unknown' | 'unavailable' | null
  at: Time
}

export type OrderTerms = {
  beneficiaryId?: BeneficiaryId
  toAccountId?: AccountId
  payeeName: string | null
  payeeIban: string | null
  payeeCheck?: CheckedPayee
  amount: Amount
  currency: Currency
  reference: OptionalText | null
  rhythm: 'once' | 'weekly' | 'monthly' | 'yearly'
  firstOn: Day
  lastOn: Day | null
  retryDays: number | null
  /** Absent: a due day is paid, whatever day it is. */
  onHoliday?: 'pay' | 'before' | 'after'
  status: 'active' | 'paused' | 'ended'
  pausedBecause: 'owner' | 'missed' | 'member' | null
  nextOn: Day | null
  /** Whose terms these are. */
  orderedBy: string
  /** The session, or the key of the service account, of these terms. */
  orderedWith: string
}

export type Overview = {
  at: Time
  currencies: readonly {
    currency: Currency
    openAccounts: number
    customerBalance: SignedAmount
    pendingTransfers: number
    pendingAmount: SignedAmount
    /** Like `heldAmount`, among 100000 active holds of the bank at most. */
    activeHolds: number
    heldAmount: SignedAmount
  }[]
  users: {
    active: number
    disabled: number
  }
  /** Accounts in unarranged overdraft, up to 10000. */
  overdrawn: {
    accounts: number
    oldestSince: Time | null
  }
  /** Disputes that wait for staff or a processor, up to 10000. */
  disputes: {
    waiting: number
    oldestSince: Time | null
  }
  /** Among the 10000 sessions that were opened last. */
  liveSessions: number
  /** Audit events of the last 24 hours by outcome; 10000: so many or more. */
  refusals: {
    failure: number
    limited: number
    forbidden: number
  }
  /** What waits for staff; each is counted up to 10000. */
  work: {
    /** Pending payments: of the last 24 hours, of the two days before, and older. */
    pending: {
      day: number
      threeDays: number
      older: number
      oldestSince: Time | null
    }
    approvals: {
      waiting: number
      oldestSince: Time | null
    }
    /** Money that belongs to no account yet. */
    suspense: readonly ({
      currency: Currency
      amount: Amount
      since: Time | null
    })[]
    /** Runs of standing orders that were refused on this day of the bank. */
    refusedOrders: {
      count: number
      latest: readonly RefusedPayment[]
    }
  }
  lastVerification: {
    eventId: EventId
    at: Time
    isSound: boolean
  } | null
}

export type OwnEmail = {
  email: string
  /** A new address that has not been proved yet, and until when it can be. */
  next?: {
    email: string
    until: Time
  }
}

export type OwnTransaction = {
  accountId: AccountId
  id: TransactionId
  amount: SignedAmount
  currency: Currency
  balanceAfter: SignedAmount
  counterparty: Counterparty | null
  reference: OptionalText
  kind: 'transfer' | 'deposit' | 'withdrawal' | 'reversal' | 'return' | 'incoming' | 'cancellation' | 'capture' | 'card' | 'clearing' | 'refund' | 'chargeback' | 'takeback' | 'fee' | 'interest' | 'correction'
  createdAt: Time
  note?: EntryNote
}

export type OwnUpcomingRuns = {
  runs: readonly UpcomingRun[]
  troubled: readonly TroubledOrder[]
}

/** Members that are not named here are ignored (WebAuthn Level 3, section 7.1). */
export type PasskeyAssertion = {
  /** Base64url without padding (RFC 4648 section 5). */
  id: string
  /** Base64url without padding (RFC 4648 section 5). */
  rawId: string
  type: 'public-key'
  authenticatorAttachment?: 'platform' | 'cross-platform' | null | undefined
  /** Members that are not named here are ignored (WebAuthn Level 3, section 7.1). */
  clientExtensionResults: {}
  /** Members that are not named here are ignored (WebAuthn Level 3, section 7.1). */
  response: {
    /** Base64url without padding (RFC 4648 section 5). */
    clientDataJSON: string
    /** Base64url without padding (RFC 4648 section 5). */
    authenticatorData: string
    /** Base64url without padding (RFC 4648 section 5). */
    signature: string
    /** Base64url without padding (RFC 4648 section 5). */
    userHandle?: string | undefined
    attestationObject?: string | null | undefined
  }
}

export type PasskeyCreation = {
  challenge: string
  rp: {
    id: string
    name: string
  }
  user: {
    id: string
    name: string
    displayName: string
  }
  pubKeyCredParams: readonly {
    type: 'public-key'
    alg: number
  }[]
  timeout: number
  attestation: 'none'
  authenticatorSelection: {
    residentKey: 'required'
    requireResidentKey: boolean
    userVerification: 'required'
  }
  excludeCredentials: readonly PasskeyDescriptor[]
}

export type PasskeyDescriptor = {
  type: 'public-key'
  id: string
  transports: readonly string[]
}

export type PasskeyLogin = {
  challenge: Challenge
}

/** Members that are not named here are ignored (WebAuthn Level 3, section 7.1). */
export type PasskeyRegistration = {
  /** Base64url without padding (RFC 4648 section 5). */
  id: string
  /** Base64url without padding (RFC 4648 section 5). */
  rawId: string
  type: 'public-key'
  authenticatorAttachment?: 'platform' | 'cross-platform' | null | undefined
  /** Members that are not named here are ignored (WebAuthn Level 3, section 7.1). */
  clientExtensionResults: {}
  /** Members that are not named here are ignored (WebAuthn Level 3, section 7.1). */
  response: {
    /** Base64url without padding (RFC 4648 section 5). */
    clientDataJSON: string
    /** Base64url without padding (RFC 4648 section 5). */
    attestationObject: string
    /** Base64url without padding (RFC 4648 section 5). */
    authenticatorData?: string | undefined
    publicKey?: string | null | undefined
    publicKeyAlgorithm?: number | undefined
    transports?: readonly string[] | undefined
  }
}

export type PasskeyRequest = {
  challenge: string
  rpId: string
  timeout: number
  userVerification: 'required'
  allowCredentials: readonly PasskeyDescriptor[]
}

export type PasswordReset = {
  message: string
}

export type PasswordResetLink = {
  username: string
}

export type PayeeCheck = {
  id: PayeeCheckId
  /** Not possible: no account here has that IBAN, or the other bank did not tell. */
  result: 'match' | 'close_match' | 'no_match' | 'not_possible'
  /** The holder's name, with `close_match` only. */
  name?: string
  /** Off: nothing is compared. Required: a payment has to name a check. */
  policy: 'off' | 'shown' | 'required'
  expiresAt: Time
}

export type PayeeCheckAnswer = {
  id: PayeeCheckId
  /** Not possible: no account here has that IBAN, or the other bank did not tell. */
  result: 'match' | 'close_match' | 'no_match' | 'not_possible'
  /** The holder's name, with `close_match` only. */
  name?: string
}

/** The identifier of the payee check: a UUID in lower case. */
export type PayeeCheckId = string

export type PaymentDraft = {
  id: PaymentDraftId
  accountId: AccountId
  /** The person that made it. */
  madeBy: string
  toAccountId?: AccountId
  beneficiaryId?: BeneficiaryId
  payee?: DraftPayee
  payeeCheck?: CheckedPayee
  amount: Amount
  currency: Currency
  reference: OptionalText
  /** Void: its maker or a signer may not any more, or the session or signing key of one was revoked. */
  status: 'waiting' | 'paid' | 'cancelled' | 'expired' | 'void'
  signedBy: readonly string[]
  /** How many people have to sign it; of a paid one, how many had to then. */
  signaturesNeeded: number
  expiresAt: Time
  createdAt: Time
  endedAt?: Time
  /** The person that cancelled it. */
  cancelledBy?: string
  transferId?: TransferId
}

/** The identifier of the payment draft: a UUID in lower case. */
export type PaymentDraftId = string

export type PaymentList = {
  id: PaymentListId
  accountId: AccountId
  /** The person or the service account that sent it. */
  madeBy: string
  /** Who ordered it to be paid: its payments are in that name. */
  orderedBy?: string
  /** How the customer numbers the list (ISO 20022 MsgId): once for ever in an account. */
  messageId?: string
  /** What the list was sent as. */
  form: 'json' | 'pain.001.001.03' | 'pain.001.001.09'
  currency: Currency
  executeOn: Day | null
  /** Ordered: it waits for its day, or is being paid line by line. */
  status: 'checked' | 'ordered' | 'executed' | 'cancelled'
  all: {
    count: number
    total: Amount
  }
  /** What is confirmed: the lines that were not refused when it was checked. */
  ready: {
    count: number
    total: Amount
  }
  made: {
    count: number
    total: Amount
  }
  refusedCount: number
  /** SHA-256 over the list and all its lines: none of them changes any more. */
  hash: string
  createdAt: Time
  orderedAt?: Time
  endedAt?: Time
}

/** The identifier of the payment list: a UUID in lower case. */
export type PaymentListId = string

export type PaymentListLine = {
  index: number
  payee?: PaymentListPayee
  beneficiaryId?: BeneficiaryId
  toAccountId?: AccountId
  amount: Amount
  currency: Currency
  reference: OptionalText
  /** The reference that the payment keeps until its payee (ISO 20022 EndToEndId). */
  endToEndId?: string
  /** The block of a pain.001 file that the payment stood in (ISO 20022 PmtInfId). */
  blockId?: string
  /** Ready: neither made nor refused so far. */
  status: 'ready' | 'made' | 'refused'
  refusal?: 'account_closed' | 'account_frozen' | 'beneficiary_cooling' | 'beneficiary_inactive' | 'credits_blocked' | 'currency_mismatch' | 'debits_blocked' | 'forbidden' | 'insufficient_funds' | 'invalid_request' | 'limit_exceeded' | 'not_found' | 'payee_check_required' | 'signature_required'
  /** The refusal as a code of ISO 20022 ExternalStatusReason1Code. */
  reason?: 'AC04' | 'AC06' | 'AG01' | 'AM03' | 'AM04' | 'AC01' | 'AM14' | 'BE06' | 'BE01'
  transferId?: TransferId
  at?: Time
  /** The business day on which a payment leaves for another bank. Absent of a bank without holidays and cut-off time. */
  leavesOn?: string
  /** The business day at whose end the other bank has it at the latest. */
  arrivesBy?: string
}

export type PaymentListPayee = {
  name: string
  iban: string
}

/** Telephone number in E.164 form, such as +442079460000. */
export type Phone = string

export type PostingOutcome = {
  externalId: ExternalId
  transfer?: Transfer
  error?: ItemError
}

export type PostingOutcomes = {
  /** In the order of the request, each with the transfer or the error. */
  results: readonly PostingOutcome[]
}

export type ProveEmailBody = {
  token: string
}

/** Any text. What is no character of `Text` is shown as the nearest one, and what is longer than 140 is cut and ends in `...`; the text as it came is kept. Of a card number the last four digits are shown and kept. */
export type RailReference = string

/** Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. Without a card number: 13 to 19 digits that pass the Luhn formula. */
export type Reason = string

/** Why it came back: a code of ISO 20022 ExternalReturnReason1Code. */
export type ReasonCode = 'AC01' | 'AC03' | 'AC04' | 'AC06' | 'AC13' | 'AC14' | 'AC15' | 'AC16' | 'AC17' | 'AG01' | 'AG02' | 'AM01' | 'AM02' | 'AM03' | 'AM04' | 'AM05' | 'AM06' | 'AM07' | 'AM09' | 'AM10' | 'ARDT' | 'BE01' | 'BE04' | 'BE05' | 'BE06' | 'BE07' | 'BE08' | 'CNOR' | 'CURR' | 'CUST' | 'DNOR' | 'DT01' | 'DUPL' | 'ED01' | 'ED03' | 'ED05' | 'EMVL' | 'ERIN' | 'FF05' | 'FOCR' | 'FR01' | 'FRTR' | 'MD01' | 'MD02' | 'MD05' | 'MD06' | 'MD07' | 'MS02' | 'MS03' | 'NARR' | 'NOAS' | 'NOCM' | 'NOOR' | 'PINL' | 'RC01' | 'RC07' | 'RF01' | 'RR01' | 'RR02' | 'RR03' | 'RR04' | 'RUTA' | 'SL01' | 'SL02' | 'SP01' | 'SP02' | 'SVNR' | 'TECH' | 'TM01' | 'TRAC' | 'UPAY'

export type RecoveryCodes = {
  /** Shown this once; each of them logs you in once to enrol a new factor. */
  recoveryCodes: readonly string[]
}

export type RefundCardPaymentBody = {
  amount: Amount
  currency: Currency
  externalId: ExternalId
}

export type RefusedPayment = {
  /** The identifier of what was found. */
  id: string
  accountId: AccountId
  /** The code of the refusal. */
  reason: 'invalid_request' | 'malformed_json' | 'invalid_credentials' | 'issuer_refused' | 'second_factor_required' | 'session_expired' | 'session_revoked' | 'token_expired' | 'unauthenticated' | 'confirmation_required' | 'factor_enrolment_required' | 'forbidden' | 'archived' | 'not_found' | 'method_not_allowed' | 'not_acceptable' | 'request_timeout' | 'account_closed' | 'account_frozen' | 'account_not_empty' | 'already_exists' | 'already_reversed' | 'beneficiary_cooling' | 'beneficiary_inactive' | 'card_cancelled' | 'credits_blocked' | 'currency_mismatch' | 'debits_blocked' | 'duplicate_transfer' | 'illegal_transition' | 'insufficient_funds' | 'limit_exceeded' | 'payee_check_required' | 'payee_not_accepted' | 'request_in_progress' | 'signature_required' | 'payload_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'expectation_failed' | 'idempotency_key_reused' | 'rate_limited' | 'headers_too_large' | 'internal_error' | 'not_implemented' | 'issuer_unavailable' | 'outcome_unknown' | 'unavailable'
  amount: Amount
  currency: Currency
  target: string | null
  /** `in`: a payment from another bank, for the account. */
  direction: 'out' | 'in'
  orderId?: OrderId
  dueOn?: Day
  createdAt: Time
}

export type RejectRequestBody = {
  reason: Reason
}

export type RenameAccountBody = {
  name: Name | null
}

export type RenameBeneficiaryBody = {
  nickname: Name | null
}

export type RequestEmailChangeBody = {
  email: string
  currentPassword: string
}

/** The identifier of the request: a UUID in lower case. */
export type RequestId = string

export type RequestPasswordResetBody = {
  email: string
}

export type ResetPasswordBody = {
  token: string
  newPassword: string
}

export type ReturnTransferBody = {
  reasonCode?: ReasonCode | undefined
  externalId?: ExternalId | undefined
}

export type ReverseTransferBody = {
  reason: Reason
}

export type Role = 'customer' | 'support-agent' | 'admin'

export type SendTransferBatchBody = {
  items: readonly {
    id: TransferId
    externalId: ExternalId
  }[]
}

export type SendTransferBody = {
  externalId: ExternalId
}

export type ServiceAccount = {
  id: ServiceAccountId
  name: Name
  status: 'active' | 'disabled'
  grants: ServiceGrants
  /** Addresses and CIDR ranges to call from; none: from anywhere. */
  addresses: readonly string[]
  expiresAt: Time | null
  /** The live keys. The last use is exact to five minutes. */
  keys: readonly ServiceAccountKey[]
  /** Who made or changed it or was shown a key of it. */
  administrators: readonly UserId[]
  createdAt: Time
  /** How many standing orders that it made or changed are open: its end, or that of a key, ends none of them. `GET /api/v1/orders?status=open&orderedBy=` lists them. */
  openOrders?: number
}

/** The identifier of the service account: a UUID in lower case. */
export type ServiceAccountId = string

export type ServiceAccountKey = {
  id: KeyId
  createdAt: Time
  lastUsedAt: Time | null
}

export type ServiceAccountWithKey = {
  id: ServiceAccountId
  name: Name
  status: 'active' | 'disabled'
  grants: ServiceGrants
  /** Addresses and CIDR ranges to call from; none: from anywhere. */
  addresses: readonly string[]
  expiresAt: Time | null
  /** The live keys. The last use is exact to five minutes. */
  keys: readonly ServiceAccountKey[]
  /** Who made or changed it or was shown a key of it. */
  administrators: readonly UserId[]
  createdAt: Time
  key: ServiceKey
}

export type ServiceGrants = {
  readAccounts: string | null
  /** The accounts to pay from. */
  payFrom: readonly AccountId[]
  /** Operations of staff, by name. */
  operations: readonly string[]
}

/** Shown in this answer alone. The last six characters are a checksum. */
export type ServiceKey = string

export type Session = {
  id: SessionId
  device: Name | null
  createdAt: Time
  lastUsedAt: Time
  current: boolean
}

/** The identifier of the session: a UUID in lower case. */
export type SessionId = string

export type SettleTransferBatchBody = {
  items: readonly ({
    id: TransferId
    externalId?: ExternalId | undefined
  })[]
}

export type SettleTransferBody = {
  externalId?: ExternalId | undefined
}

export type SignedAmount = string

export type SkipNextOrderBody = {
  dueOn?: Day | undefined
}

/** Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and U+200D between two letters; no other character that shows nothing. */
export type Text = string

/** RFC 3339, UTC, milliseconds. */
export type Time = string

/** One entry of an account, by the identifier of its transfer. */
export type Transaction = {
  id: TransactionId
  amount: SignedAmount
  currency: Currency
  balanceAfter: SignedAmount
  counterparty: Counterparty | null
  reference: OptionalText
  kind: 'transfer' | 'deposit' | 'withdrawal' | 'reversal' | 'return' | 'incoming' | 'cancellation' | 'capture' | 'card' | 'clearing' | 'refund' | 'chargeback' | 'takeback' | 'fee' | 'interest' | 'correction'
  createdAt: Time
  note?: EntryNote
}

/** The identifier of the transaction: a UUID in lower case. */
export type TransactionId = string

export type Transfer = {
  id: TransferId
  kind: 'transfer' | 'deposit' | 'withdrawal' | 'reversal' | 'return' | 'incoming' | 'cancellation' | 'capture' | 'card' | 'clearing' | 'refund' | 'chargeback' | 'takeback' | 'fee' | 'interest' | 'correction'
  fromAccountId: AccountId
  toAccountId?: AccountId
  beneficiaryId?: BeneficiaryId
  amount: Amount
  currency: Currency
  reference: OptionalText
  /** Pending: to be sent to another bank. Sent: on its way there, no longer to be cancelled. Returned or cancelled: the money is back. */
  status: 'completed' | 'pending' | 'returned' | 'sent' | 'cancelled'
  createdAt: Time
  /** The member of the account who made it, in place of the owner. */
  madeBy?: string
  draftId?: PaymentDraftId
  /** Who has signed the draft that it has paid. */
  signedBy?: readonly string[]
  /** The business day on which a payment leaves for another bank. Absent of a bank without holidays and cut-off time. */
  leavesOn?: string
  /** The business day at whose end the other bank has it at the latest. */
  arrivesBy?: string
  counterparty?: Counterparty
  payeeCheck?: CheckedPayee
  payer?: Counterparty
  /** The reference that a payment keeps from bank to bank (ISO 20022 EndToEndId): that of its payer, or of one to another bank its identifier as 32 hexadecimal digits. */
  endToEndId?: string
  /** For staff, of what lies in suspense since it could not be credited: the IBAN that it was for. */
  creditorIban?: string
  creditorAccountId?: AccountId
  cardPaymentId?: CardPaymentId
  /** Why it came back: a code of ISO 20022 ExternalReturnReason1Code. */
  reasonCode?: string
  reversalOf?: TransferId
  reversedBy?: TransferId
}

/** The identifier of the transfer: a UUID in lower case. */
export type TransferId = string

export type TransferOutcome = {
  id: TransferId
  transfer?: Transfer
  error?: ItemError
}

export type TransferOutcomes = {
  /** In the order of the request, each with the transfer or the error. */
  results: readonly TransferOutcome[]
}

export type TrialBalance = {
  at: Time
  currencies: readonly {
    currency: Currency
    accounts: readonly {
      code: BankCode
      name: Name
      balance: SignedAmount
    }[]
    customers: SignedAmount
    total: SignedAmount
  }[]
}

export type TroubledOrder = {
  orderId: OrderId
  accountId: AccountId
  /** Paused; waiting for money; or refused on its last due day, within the last 14 days and without a change of the order since. */
  because: 'paused' | 'waiting' | 'refused'
  dueOn?: Day
  refusal?: 'invalid_request' | 'malformed_json' | 'invalid_credentials' | 'issuer_refused' | 'second_factor_required' | 'session_expired' | 'session_revoked' | 'token_expired' | 'unauthenticated' | 'confirmation_required' | 'factor_enrolment_required' | 'forbidden' | 'archived' | 'not_found' | 'method_not_allowed' | 'not_acceptable' | 'request_timeout' | 'account_closed' | 'account_frozen' | 'account_not_empty' | 'already_exists' | 'already_reversed' | 'beneficiary_cooling' | 'beneficiary_inactive' | 'card_cancelled' | 'credits_blocked' | 'currency_mismatch' | 'debits_blocked' | 'duplicate_transfer' | 'illegal_transition' | 'insufficient_funds' | 'limit_exceeded' | 'payee_check_required' | 'payee_not_accepted' | 'request_in_progress' | 'signature_required' | 'payload_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'expectation_failed' | 'idempotency_key_reused' | 'rate_limited' | 'headers_too_large' | 'internal_error' | 'not_implemented' | 'issuer_unavailable' | 'outcome_unknown' | 'unavailable'
  payee?: OrderPayee
  amount: Amount
  currency: Currency
}

export type UndoSkipBody = {
  dueOn: Day
}

export type UnfreezeAccountBody = {
  reason: Reason
}

export type UpcomingRun = {
  orderId: OrderId
  accountId: AccountId
  dueOn: Day
  /** The business day that the due day is moved to. Absent: it is not moved. */
  paysOn?: string
  payee?: OrderPayee
  amount: Amount
  currency: Currency
  availableAfter: SignedAmount
}

export type UpcomingRuns = {
  runs: readonly UpcomingRun[]
}

export type UpdateAccountLimitsBody = {
  currency: Currency
  perPayment: Amount | null
  perDay: Amount | null
}

export type UpdateAccountNoticesBody = {
  currency: Currency
  balanceBelow: Amount | null
}

export type UpdateAccountSettingsBody = {
  currency?: Currency | undefined
  registeredPhone?: Phone | null | undefined
  dailyTransferLimit?: Amount | null | undefined
  overdraftLimit?: Amount | undefined
  alertsEnabled?: boolean | undefined
}

export type UpdateAccountSignaturesBody = {
  currency: Currency
  from: Amount | null
  /** How many people sign from that amount on. */
  count: number
}

export type UpdateCardBody = {
  status?: 'active' | 'frozen' | 'cancelled' | undefined
  nickname?: Name | null | undefined
}

export type UpdateCardControlsBody = {
  currency?: Currency | undefined
  limits?: {
    perPayment?: Amount | null | undefined
    perDay?: Amount | null | undefined
  } | undefined
  channels?: {
    online?: boolean | undefined
    /** At merchants in another country than that of the bank. */
    abroad?: boolean | undefined
    contactless?: boolean | undefined
    /** Withdrawals at machines and counters. */
    cash?: boolean | undefined
  } | undefined
}

export type UpdateFactorBody = {
  name: Name
}

export type UpdateHoldBody = {
  amount?: Amount | undefined
  expiresAt?: AnyTime | null | undefined
}

export type UpdateMeBody = {
  language: 'de' | 'en' | 'es' | 'fr'
}

export type UpdateMemberBody = {
  rights?: MemberRights | undefined
  currency?: Currency | undefined
  perPayment?: Amount | null | undefined
  perDay?: Amount | null | undefined
  until?: AnyTime | null | undefined
}

export type UpdateMyNoticesBody = {
  notices: readonly ({
    kind: 'reset' | 'invitation' | 'password-changed' | 'email-changed' | 'email-set' | 'new-device' | 'phone-changed' | 'payment' | 'alerts-paused' | 'order-refused' | 'order-paused' | 'order-made' | 'order-changed' | 'card-payment' | 'card-declined' | 'factor-added' | 'factor-removed' | 'recovery-codes-made' | 'recovery-code-used' | 'factor-reset' | 'wrong-factor' | 'codes-refused' | 'limits-raised' | 'list-ordered' | 'list-refused' | 'signatures-lowered' | 'draft-waiting' | 'draft-paid' | 'draft-ended' | 'member-invited' | 'member-joined' | 'member-changed' | 'member-ended' | 'email-asked' | 'email-proof' | 'notices-off' | 'money-arrived' | 'balance-below' | 'account-overdrawn' | 'card-dispute'
    channel: 'mail' | 'off'
  })[]
}

export type UpdateOrderBody = {
  beneficiaryId?: BeneficiaryId | undefined
  toAccountId?: AccountId | undefined
  amount?: Amount | undefined
  reference?: OptionalText | undefined
  lastOn?: Day | null | undefined
  retryDays?: number | null | undefined
  /** Whether a due day that is no business day is paid on it, on the business day before it, or on the one after it. */
  onHoliday?: 'pay' | 'before' | 'after' | undefined
  payeeCheckId?: PayeeCheckId | undefined
  /** True: the payer goes on although the name does not match. */
  acceptPayee?: boolean | undefined
}

export type UpdateServiceAccountBody = {
  name?: Name | undefined
  grants?: ServiceGrants | undefined
  /** Addresses and CIDR ranges to call from; none: from anywhere. */
  addresses?: readonly string[] | undefined
  expiresAt?: AnyTime | null | undefined
  status?: 'active' | 'disabled' | undefined
}

export type UpdateUserBody = {
  email?: string | undefined
  givenName?: Name | undefined
  familyName?: Name | undefined
  phone?: Phone | null | undefined
  address?: OptionalText | null | undefined
  language?: 'de' | 'en' | 'es' | 'fr' | undefined
  roles?: readonly Role[] | undefined
  status?: 'active' | 'disabled' | undefined
}

export type UpdateWebhookBody = {
  url?: WebhookUrl | undefined
  /** The types of the events that are delivered. */
  types?: readonly EventType[] | undefined
  description?: OptionalText | undefined
  status?: 'active' | 'disabled' | undefined
}

export type User = {
  id: UserId
  username: string
  email: string
  givenName: Name
  familyName: Name
  phone: Phone | null
  address: OptionalText | null
  language: 'de' | 'en' | 'es' | 'fr' | null
  roles: readonly Role[]
  status: 'active' | 'disabled'
  /** The person has set no password yet; absent if they have. */
  invited?: boolean
  externalId?: ExternalId
  createdAt: Time
}

export type UserEvent = {
  id: EventId
  at: Time
  by: {
    /** A person, or a service account. */
    id: string
    name: string | null
  } | null
  /** The operation, by its name in the API reference; or the act of a command, such as `backup`. */
  action: string
  outcome: 'success' | 'failure' | 'limited' | 'forbidden'
  detail: string | null
}

export type UserEvents = {
  events: readonly UserEvent[]
  payments: readonly OwnTransaction[]
}

export type UserFactors = {
  factors: readonly Factor[]
  recoveryCodesLeft: number
  policy: 'off' | 'optional' | 'required'
}

/** The identifier of the user: a UUID in lower case. */
export type UserId = string

export type UserSession = {
  id: SessionId
  device: Name | null
  createdAt: Time
  lastUsedAt: Time
  userId: UserId
  endsAt: Time
}

export type Webhook = {
  id: WebhookId
  url: WebhookUrl
  description: OptionalText
  /** The types of the events that are delivered. */
  types: readonly EventType[]
  status: 'active' | 'disabled'
  disabledBecause: 'administrator' | 'gone' | 'failing' | null
  /** Verifies signatures `v1a` (Ed25519). */
  publicKey: string
  previousKeysEndAt: Time | null
  createdAt: Time
}

export type WebhookDelivery = {
  id: DeliveryId
  number: EventNumber | null
  type: 'account.opened' | 'account.frozen' | 'account.unfrozen' | 'account.blocked' | 'account.unblocked' | 'account.overdrawn' | 'account.covered' | 'account.closed' | 'beneficiary.added' | 'beneficiary.deactivated' | 'beneficiary.reactivated' | 'beneficiary.deleted' | 'card.issued' | 'card.frozen' | 'card.unfrozen' | 'card.cancelled' | 'card.payment.authorized' | 'card.payment.declined' | 'card.payment.captured' | 'card.payment.released' | 'card.payment.refunded' | 'card.payment.suspended' | 'draft.made' | 'draft.paid' | 'draft.cancelled' | 'draft.expired' | 'draft.void' | 'chargeback.made' | 'chargeback.won' | 'chargeback.lost' | 'chargeback.withdrawn' | 'dispute.opened' | 'dispute.closed' | 'hold.created' | 'hold.changed' | 'hold.captured' | 'hold.released' | 'hold.expired' | 'list.ordered' | 'list.executed' | 'list.cancelled' | 'member.invited' | 'member.joined' | 'member.changed' | 'member.ended' | 'order.created' | 'order.paused' | 'order.resumed' | 'order.ended' | 'order.refused' | 'session.revoked' | 'transfer.completed' | 'transfer.pending' | 'transfer.settled' | 'transfer.returned' | 'transfer.reversed' | 'transfer.sent' | 'transfer.cancelled' | 'webhook.test'
  at: Time
  resourceId: string | null
  status: 'waiting' | 'delivered' | 'failed'
  attempts: number
  dueAt: Time | null
  lastStatus: number | null
  failure: string | null
  doneAt: Time | null
}

/** The identifier of the webhook: a UUID in lower case. */
export type WebhookId = string

/** Where it is sent to. Only `https`, port 443 and addresses of the public internet are; what is refused is said in the deliveries. */
export type WebhookUrl = string

export type WebhookWithSecret = {
  id: WebhookId
  url: WebhookUrl
  description: OptionalText
  /** The types of the events that are delivered. */
  types: readonly EventType[]
  status: 'active' | 'disabled'
  disabledBecause: 'administrator' | 'gone' | 'failing' | null
  /** Verifies signatures `v1a` (Ed25519). */
  publicKey: string
  previousKeysEndAt: Time | null
  createdAt: Time
  /** Verifies signatures `v1` (HMAC-SHA256). Shown in this answer alone. */
  secret: string
}

/** The operations of the bank, by resource. */
export type Bank = {
  auth: {
    /** Log in: opens a session on this device and answers with its tokens. */
    login(body: LoginBody, options?: CallOptions): Promise<Login>
    /** Answer the challenge of a login with one of `code`, `passkey`, `recoveryCode` and `recoveryToken`: opens the session. After a recovery it may only enrol a factor. */
    completeLogin(body: CompleteLoginBody, options?: CallOptions): Promise<Login>
    /** Begin a login by passkey alone; its challenge is answered like that of a password. */
    beginPasskeyLogin(options?: CallOptions): Promise<PasskeyLogin>
    /** Log out: revoke the session of this token at once; the others go on. */
    logout(options?: CallOptions): Promise<void>
    /** List your own live sessions, newest first. */
    sessions(query?: ListSessionsQuery, options?: CallOptions): Pages<Session>
    /** Revoke one of your own sessions; the others go on, and so do ordered payment lists and standing orders (`GET /api/v1/orders?status=open&orderedBy=<sessionId>`). Waiting payment drafts that were made or signed in it become void, and unanswered invitations that were sent or changed last in it are taken back. */
    revokeSession(sessionId: string, options?: CallOptions): Promise<void>
    /** Change your password; your other sessions are revoked. Ordered payment lists go on, and so do standing orders (`GET /api/v1/orders?status=open`). Waiting payment drafts that were made or signed in those sessions become void, and unanswered invitations that you sent are taken back. */
    changePassword(body: ChangePasswordBody, options?: ConfirmedOptions): Promise<void>
    /** Ask for a link to set a new password; it is mailed if the address is known. */
    requestPasswordReset(body: RequestPasswordResetBody, options?: CallOptions): Promise<PasswordReset>
    /** Tell whose password a mailed link sets, before it is used; the link stays as it is. */
    checkPasswordReset(body: CheckPasswordResetBody, options?: CallOptions): Promise<PasswordResetLink>
    /** Tell whose second factors a mailed link replaces, before it is used; the link stays as it is. */
    checkFactorReset(body: CheckFactorResetBody, options?: CallOptions): Promise<FactorResetLink>
    /** Set a new password with the token of a mailed link, which follows `#token=`; all sessions are revoked. Ordered payment lists go on, and so do standing orders (`GET /api/v1/orders?status=open`). Waiting payment drafts that were made or signed in those sessions become void, and unanswered invitations that you sent are taken back. */
    resetPassword(body: ResetPasswordBody, options?: CallOptions): Promise<void>
    /** List your second factors, oldest first, and how many recovery codes are left. */
    factors(options?: CallOptions): Promise<Factors>
    /** Begin to enrol a second factor: it counts once its challenge is answered. */
    enrolFactor(body: EnrolFactorBody, options?: ConfirmedOptions): Promise<FactorEnrolment>
    /** Answer the challenge of an enrolment with a code or a new passkey: the factor counts from here on, your other sessions are revoked, and a restricted session may do anything. Waiting payment drafts that were made or signed in the revoked sessions become void, and unanswered invitations that you sent are taken back. */
    activateFactor(factorId: string, body: ActivateFactorBody, options?: CallOptions): Promise<FactorActivation>
    /** Rename one of your second factors. */
    updateFactor(factorId: string, body: UpdateFactorBody, options?: CallOptions): Promise<Factor>
    /** Remove one of your second factors; your other sessions are revoked. Waiting payment drafts that were made or signed in those become void, and unanswered invitations that you sent are taken back. The last one stays while your role requires one. */
    deleteFactor(factorId: string, options?: ConfirmedOptions): Promise<void>
    /** Make ten new recovery codes; the previous ones are void. */
    replaceRecoveryCodes(options?: ConfirmedOptions): Promise<RecoveryCodes>
    /** Confirm a request with a second factor. Then send the same request again, in the same session, with `Confirmation: <challenge>`. */
    confirm(challengeId: string, body: ConfirmBody, options?: CallOptions): Promise<Confirmation>
    /** Confirm a request at the issuer, with a new sign-in there: where the browser goes. For a session that began there with its second factor. */
    beginIssuerConfirmation(challengeId: string, options?: CallOptions): Promise<IssuerAddress>
    /** Confirm a request with what the issuer gave the browser: the same person signed in there anew, with its second factor. */
    confirmAtIssuer(challengeId: string, body: ConfirmAtIssuerBody, options?: CallOptions): Promise<Confirmation>
    /** End sessions that began at the issuer, by its logout token (OpenID Connect Back-Channel Logout 1.0): those of its `sid`, and those of its `sub` that name none; without a `sid` all of its `sub`. A token works once. */
    logoutByIssuer(body: LogoutByIssuerBody, options?: CallOptions): Promise<IssuerLogout>
  }
  me: {
    /** Read your own user record. */
    get(options?: CallOptions): Promise<Me>
    /** Choose the language of your mails and pages. */
    update(body: UpdateMeBody, options?: CallOptions): Promise<User>
    /** Read your e-mail address, and a new one that has not been proved yet. */
    myEmail(options?: CallOptions): Promise<OwnEmail>
    /** Ask for another e-mail address. A link that is mailed there proves it; until then everything goes to the address before, which is told at once. A newer request takes the place of an earlier one. It ends with all sessions, and if this one is revoked. At most three are sent in an hour. */
    requestEmailChange(body: RequestEmailChangeBody, options?: ConfirmedOptions): Promise<OwnEmail>
    /** Withdraw a new e-mail address before it is proved. Its link is void. */
    withdrawEmailChange(options?: CallOptions): Promise<OwnEmail>
    /** Prove the new e-mail address with the token of the mailed link, which follows `#token=`, in any session of yours. It is your address then: all sessions are revoked, mailed links void. */
    proveEmail(body: ProveEmailBody, options?: CallOptions): Promise<OwnEmail>
    /** Read which mails you are sent, by kind, and which of them cannot be switched off. */
    myNotices(options?: CallOptions): Promise<Notices>
    /** Choose which mails you are sent. Kinds that are left out stay as they are. What is switched off is confirmed, and told by mail. */
    updateMyNotices(body: UpdateMyNoticesBody, options?: ConfirmedOptions): Promise<Notices>
    /** List the accounts of others that you may act on, and your invitations, newest first. */
    myMemberships(query?: ListMyMembershipsQuery, options?: CallOptions): Pages<Membership>
    /** List the payment drafts that wait for your signature, on all accounts, newest first. */
    draftsToSign(query?: ListDraftsToSignQuery, options?: CallOptions): Pages<PaymentDraft>
  }
  admin: {
    users: {
      /** Create a person. Without a password, an invitation to set one is sent. A program creates customers, and each by an invitation. With a password there is no `externalId`. */
      create(body: CreateUserBody, options?: ConfirmedOptions): Promise<User>
      /** List people, newest first. The name filter matches from the start of any word of a name; search also from the start of the user name or e-mail address. `q` takes what a caller says, and lists the best first. */
      list(query?: ListUsersQuery, options?: CallOptions): Pages<User>
      /** List the people that the caller has created, newest first. For a program that may not see all people. */
      madeUsers(query?: ListMadeUsersQuery, options?: CallOptions): Pages<User>
      /** Read a person. */
      get(userId: string, options?: CallOptions): Promise<User>
      /** Change a person: contact data, roles or status. Another e-mail address or status voids mailed links. */
      update(userId: string, body: UpdateUserBody, options?: ConfirmedOptions): Promise<User>
      /** Mail a person a link to set a password: the invitation once more, or a reset. Nothing changes until it is used; earlier links are void. A person is sent three in an hour at most. */
      mailPasswordLink(userId: string, options?: ConfirmedOptions): Promise<void>
      /** Mail a person a link that, with the password, lets them enrol a second factor in place of all others; their sessions are revoked, waiting payment drafts that were made or signed in them become void, and unanswered invitations that the person sent are taken back. An administrator cannot do it for themselves. */
      allowFactorReset(userId: string, options?: ConfirmedOptions): Promise<void>
      /** Read whom the issuer means by a person of staff; its fields are null without a link. */
      issuerLink(userId: string, options?: CallOptions): Promise<IssuerLink>
      /** Let a person of staff sign in as that subject of the issuer; their sessions are revoked. Another subject needs the former link undone first. No administrator does it for oneself. */
      linkIssuer(userId: string, body: LinkIssuerBody, options?: ConfirmedOptions): Promise<IssuerLink>
      /** Undo the link of a person to the issuer; their sessions are revoked, and they sign in with a password of this bank. An administrator cannot do it for themselves. */
      unlinkIssuer(userId: string, options?: ConfirmedOptions): Promise<void>
      /** List the live sessions of a person, newest first. */
      sessions(userId: string, query?: ListUserSessionsQuery, options?: CallOptions): Pages<UserSession>
      /** Revoke all sessions of a person, on all devices, at once. Ordered payment lists go on, and so do standing orders (`GET /api/v1/orders?status=open&ownerId=<userId>`). Waiting payment drafts that were made or signed in them become void, and unanswered invitations that the person sent are taken back. */
      revokeSessions(userId: string, options?: CallOptions): Promise<void>
      /** List the beneficiaries of all open accounts of a person, newest first. */
      beneficiaries(userId: string, query?: ListUserBeneficiariesQuery, options?: CallOptions): Pages<Beneficiary>
      /** List the second factors of a person, oldest first, and how many codes are left. */
      factors(userId: string, options?: CallOptions): Promise<UserFactors>
      /** List what was refused on the accounts of a person, and why, newest first: payments of the last 90 days, and payments by card. */
      refusedPayments(userId: string, query?: ListUserRefusedPaymentsQuery, options?: CallOptions): Pages<FoundPayment>
      /** List what staff noted about a person and about the accounts of the person. */
      notes(userId: string, query?: ListUserNotesQuery, options?: CallOptions): Pages<Note>
      /** Note something about a person, for staff. A note is never changed, and an export of personal data shows it. */
      createNote(userId: string, body: CreateUserNoteBody, options?: CallOptions): Promise<Note>
      /** The last 10 changes and sign-ins of a person, and changes to the person, the accounts and the cards, newest first, among the last 500 events of each; and the last 10 entries of the open accounts, which are no events. Support agents read those of customers who are no staff. */
      events(userId: string, options?: CallOptions): Promise<UserEvents>
    }
    sessions: {
      /** Read a live session: whose it is, and on which device. */
      userSession(sessionId: string, options?: CallOptions): Promise<UserSession>
      /** Revoke one session at once; other sessions of the same person go on, and so do ordered payment lists and standing orders (`GET /api/v1/orders?status=open&orderedBy=<sessionId>`). Waiting payment drafts that were made or signed in it become void, and unanswered invitations that were sent or changed last in it are taken back. */
      revokeUserSession(sessionId: string, options?: CallOptions): Promise<void>
    }
    serviceAccounts: {
      /** Create a service account, and show its first key: this once. */
      create(body: CreateServiceAccountBody, options?: ConfirmedOptions): Promise<ServiceAccountWithKey>
      /** List service accounts, newest first. */
      list(query?: ListServiceAccountsQuery, options?: CallOptions): Pages<ServiceAccount>
      /** Read a service account with its live keys, of which only the use is shown. */
      get(serviceAccountId: string, options?: CallOptions): Promise<ServiceAccount>
      /** Change the name, grants, addresses or expiry of a service account, or disable it. */
      update(serviceAccountId: string, body: UpdateServiceAccountBody, options?: ConfirmedOptions): Promise<ServiceAccount>
      /** Issue another key, and show it this once. A service account has two live keys at most. */
      issueKey(serviceAccountId: string, options?: ConfirmedOptions): Promise<IssuedServiceKey>
      /** Revoke a key at once; another key of the same service account goes on. No standing order ends (`GET /api/v1/orders?status=open&orderedBy=<keyId>`): its days are refused while the service account has no live key. */
      revokeKey(serviceAccountId: string, keyId: string, options?: ConfirmedOptions): Promise<void>
    }
    accounts: {
      /** Find accounts, closed ones included, by IBAN, holder, external id or status, newest first. `holder` matches from the beginning of any word of the name. */
      find(query?: FindAccountsQuery, options?: CallOptions): Pages<NumberedAccount>
      /** Read an account in any state, closed included. */
      inspect(accountId: string, options?: CallOptions): Promise<NumberedAccount>
      /** Freeze an account: until it is unfrozen, only card payments that are cleared, and chargebacks that are lost or withdrawn, take money from it. */
      freeze(accountId: string, body: FreezeAccountBody, options?: CallOptions): Promise<Account>
      /** Unfreeze an account. */
      unfreeze(accountId: string, body: UnfreezeAccountBody, options?: ConfirmedOptions): Promise<Account>
      /** List what staff noted about an account. */
      notes(accountId: string, query?: ListAccountNotesQuery, options?: CallOptions): Pages<Note>
      /** Note something about an account, for staff. A note is never changed, and an export of personal data shows it. */
      createNote(accountId: string, body: CreateAccountNoteBody, options?: CallOptions): Promise<Note>
      /** Pay cash into an account. */
      createDeposit(accountId: string, body: CreateDepositBody, options?: PaymentOptions): Promise<Transfer>
      /** Pay cash out of an account. */
      createWithdrawal(accountId: string, body: CreateWithdrawalBody, options?: PaymentOptions): Promise<Transfer>
      /** Block what leaves an account at the will of its customer, what arrives on it, or both, to a time or until the block is lifted. Blocks add up. What was reserved before is still taken, and what the bank posts or brings back still moves. Stopped money from another bank lies in suspense where its rail asks for that. The owner sees which side is blocked, never why. */
      block(accountId: string, body: BlockAccountBody, options?: ConfirmedOptions): Promise<Block>
      /** List the blocks of an account, newest first, also those that were lifted or have ended. Support agents are told the class of a cause alone. A program sees those that it has set. */
      blocks(accountId: string, query?: ListAccountBlocksQuery, options?: CallOptions): Pages<Block>
      /** Lift a block. It stays in the list, with who lifted it and when; what other blocks stop is still stopped. A program lifts those alone that it has set. */
      unblock(accountId: string, blockId: string, options?: ConfirmedOptions): Promise<Block>
    }
    payeeChecks: {
      /** Tell another bank whether a name is that of the holder of an account here. The audit event of the answer has `id` as its target. */
      answer(body: AnswerPayeeCheckBody, options?: CallOptions): Promise<PayeeCheckAnswer>
    }
    chargebacks: {
      /** List the chargebacks of the bank, newest first. */
      find(query?: FindChargebacksQuery, options?: CallOptions): Pages<Chargeback>
    }
    disputes: {
      /** List disputes by how they stand. Without a status those that are open, which wait for staff or for a chargeback, oldest first; others newest first. */
      find(query?: FindDisputesQuery, options?: CallOptions): Pages<Dispute>
      /** Close a dispute without a chargeback. Its holder reads the reason. */
      close(id: string, body: CloseDisputeBody, options?: CallOptions): Promise<Dispute>
    }
    payments: {
      /** Find payments, payments by card, holds and refused payments (of 90 days) over the whole bank, newest first, by one of: identifier, external id, end-to-end id, IBAN of either side, amount with currency and day, or words of the reference. They are found some seconds after they were made. */
      find(query?: FindPaymentsQuery, options?: CallOptions): Pages<FoundPayment>
    }
    bankAccounts: {
      /** List the entries of one of the bank's own accounts, newest first, filtered as those of a customer's account. Each has the identifier of its transfer, and names no customer. */
      transactions(code: string, currency: string, query?: ListBankAccountTransactionsQuery, options?: CallOptions): Pages<Transaction>
      /** Read the statement of one of the bank's own accounts, as of a customer's. Its code and currency stand in place of an IBAN. */
      statement(code: string, currency: string, query?: Omit<GetBankAccountStatementQuery, 'format'>, options?: CallOptions): Promise<BankAccountStatement>
      /** Read the statement of one of the bank's own accounts, as of a customer's. Its code and currency stand in place of an IBAN. */
      statementFile(code: string, currency: string, query: Omit<GetBankAccountStatementQuery, 'format' | 'cursor'> & { format: 'csv' | 'pdf' | 'camt053' }, options?: CallOptions): Promise<BankFile>
      /** List the bank's own accounts with their balances, of all currencies or of one. */
      list(query?: ListBankAccountsQuery, options?: CallOptions): Pages<BankAccount>
      /** Add an account of the bank in a currency, at most 50 in all. It stays: entries name it for ever. */
      create(body: CreateBankAccountBody, options?: CallOptions): Promise<BankAccount>
      /** Read one of the bank's own accounts. */
      get(code: string, currency: string, options?: CallOptions): Promise<BankAccount>
    }
    transfers: {
      /** Reverse a completed transfer, once: a new transfer brings the money back. A payment from another bank that lies in suspense is sent back there: by a pending `return`, which a rail takes like a payment. */
      reverse(id: string, body: ReverseTransferBody, options?: PaymentOptions): Promise<Transfer>
      /** List all transfers of the bank, newest first, by their status, the time of their order and their age. */
      find(query?: FindTransfersQuery, options?: CallOptions): Pages<Transfer>
      /** Take a pending payment to carry it to another bank: from then on it cannot be cancelled. Of several that try, one has it. */
      send(id: string, body: SendTransferBody, options?: ConfirmedOptions): Promise<Transfer>
      /** Note that a pending or sent payment has arrived at the other bank. A program settles none that another caller has sent. */
      settle(id: string, options?: ConfirmedOptions & { body?: SettleTransferBody }): Promise<Transfer>
      /** Note that a payment to another bank came back, before it arrived there or after: the money goes back to its source, also if that is frozen. If its source is closed it lies in the suspense account of the bank. A program returns none that another caller has sent. Money from another bank in suspense is sent back by `reverseTransfer`. */
      return(id: string, options?: ConfirmedOptions & { body?: ReturnTransferBody }): Promise<Transfer>
      /** As `sendTransfer`, for up to 1000 payments: each has its own outcome. */
      sendBatch(body: SendTransferBatchBody, options?: ConfirmedOptions): Promise<TransferOutcomes>
      /** As `settleTransfer`, for up to 1000 payments: each has its own outcome. */
      settleBatch(body: SettleTransferBatchBody, options?: ConfirmedOptions): Promise<TransferOutcomes>
    }
    incomingPayments: {
      /** Credit an account with a payment that came from another bank. A refusal tells a rail to send the money back: 404 no such account here, 409 closed, of another currency, or a block stops it. A frozen account is credited: no money leaves it. With `onRefusal` the bank keeps the money in its suspense account, also that for an account of the people behind the caller. */
      create(body: CreateIncomingPaymentBody, options?: ConfirmedOptions): Promise<Transfer>
    }
    approvals: {
      /** List the requests that wait for a second person or did in the last 30 days, newest first; those that are `pending` oldest first. */
      list(query?: ListApprovalsQuery, options?: CallOptions): Pages<Approval>
      /** Read a request that waits for a second person, and what became of it. */
      get(approvalId: string, query?: GetApprovalQuery, options?: CallOptions): Promise<Approval>
      /** Execute the request of another person, in whose name it is done. What refuses it leaves it pending. */
      approveRequest(approvalId: string, options?: ConfirmedOptions): Promise<Approval>
      /** Reject the request of another person for good. */
      rejectRequest(approvalId: string, body: RejectRequestBody, options?: CallOptions): Promise<Approval>
      /** Withdraw a request of your own. */
      withdrawRequest(approvalId: string, options?: CallOptions): Promise<void>
    }
    auditEvents: {
      /** List audit events, newest first. An event has to match every filter. */
      list(query?: ListAuditEventsQuery, options?: CallOptions): Pages<AuditEvent>
      /** Read one audit event. */
      get(eventId: string, query?: GetAuditEventQuery, options?: CallOptions): Promise<AuditEvent>
    }
    webhooks: {
      /** Create a webhook, which is told of events from now on, and show its secret: this once. Signed by Standard Webhooks; an event is delivered at least once, in no sure order. */
      create(body: CreateWebhookBody, options?: ConfirmedOptions): Promise<WebhookWithSecret>
      /** List webhooks, newest first. */
      list(query?: ListWebhooksQuery, options?: CallOptions): Pages<Webhook>
      /** Read a webhook. */
      get(webhookId: string, options?: CallOptions): Promise<Webhook>
      /** Change the URL, types or description of a webhook, disable it, or enable it again. When it is enabled, or a type is added, it is told of such events from then on. Either is confirmed, and another URL; what sends less is not. */
      update(webhookId: string, body: UpdateWebhookBody, options?: ConfirmedOptions): Promise<Webhook>
      /** Delete a webhook. What waits for it is not sent. */
      delete(webhookId: string, options?: CallOptions): Promise<void>
      /** Renew the secret and the key pair. The old ones sign for 24 hours beside the new ones, and there is no further renewal until then. */
      renewSecret(webhookId: string, options?: ConfirmedOptions): Promise<WebhookWithSecret>
      /** Send an event of the type `webhook.test`, which has no number and names nothing. */
      test(webhookId: string, options?: CallOptions): Promise<WebhookDelivery>
      /** List the deliveries of a webhook in the last 30 days, newest first. The `id` is the `webhook-id`, the same at every attempt. */
      deliveries(webhookId: string, query?: ListWebhookDeliveriesQuery, options?: CallOptions): Pages<WebhookDelivery>
      /** Send a delivery now, even once more, under the same `webhook-id`. */
      resendDelivery(webhookId: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>
    }
    overview: {
      /** Read totals of the bank: accounts, customers' balances and pending transfers by currency, users, overdrawn accounts, disputes, sessions, refusals, the last run of `strongroom verify`, and what waits for staff. */
      get(options?: CallOptions): Promise<Overview>
    }
    postings: {
      /** Book a fee, interest or a correction: between a customer’s account and an account of the bank, which is named by its code, or between two of the bank. The holder reads the reason. It is reversed like any transfer. */
      create(body: CreatePostingBody, options?: PaymentOptions): Promise<Transfer>
      /** As `createPosting`, for up to 1000 postings, each exactly once by its externalId and with its own outcome. Where each takes a second person, many at once are refused (403). */
      createBatch(body: CreatePostingBatchBody, options?: ConfirmedOptions): Promise<PostingOutcomes>
    }
    trialBalance: {
      /** Read what each account of the bank and all customers together held at a time, or at the end of a day; by default now, and for today as well. Each total is zero. The same time in the past always has the same balances. `format` takes precedence over `Accept`. */
      get(query?: Omit<GetTrialBalanceQuery, 'format'>, options?: CallOptions): Promise<TrialBalance>
      /** Read what each account of the bank and all customers together held at a time, or at the end of a day; by default now, and for today as well. Each total is zero. The same time in the past always has the same balances. `format` takes precedence over `Accept`. */
      getFile(query: Omit<GetTrialBalanceQuery, 'format' | 'cursor'> & { format: 'csv' }, options?: CallOptions): Promise<BankFile>
    }
  }
  accounts: {
    /** List your accounts, newest first; for staff, those of all customers. */
    list(query?: ListAccountsQuery, options?: CallOptions): Pages<Account>
    /** Open an account. An administrator opens it for any active customer, with `iban` as a number of the bank that no account has. A customer has at most 100 open accounts. */
    open(body: OpenAccountBody, options?: CallOptions): Promise<NumberedAccount>
    /** Read an account with its balance. */
    get(accountId: string, options?: CallOptions): Promise<Account>
    /** Read an account with the personal data of its holder. */
    details(accountId: string, options?: CallOptions): Promise<AccountDetails>
    /** Read whether an account is frozen, and since when. Staff see who froze it and why; its owner and members do not. */
    freeze(accountId: string, options?: CallOptions): Promise<AccountFreeze>
    /** Give an account another name, or none. */
    rename(accountId: string, body: RenameAccountBody, options?: CallOptions): Promise<Account>
    /** Close an account for good. Its balance must be zero, nothing held of it, no payment to another bank on its way, and no block on it. */
    close(accountId: string, options?: CallOptions): Promise<void>
    /** Read the settings of an account. */
    settings(accountId: string, options?: CallOptions): Promise<AccountSettings>
    /** Change settings of an account. Settings that are left out stay as they are. */
    updateSettings(accountId: string, body: UpdateAccountSettingsBody, options?: ConfirmedOptions): Promise<AccountSettings>
    /** List the beneficiaries of an account, deactivated ones included, newest first. */
    beneficiaries(accountId: string, query?: ListBeneficiariesQuery, options?: CallOptions): Pages<Beneficiary>
    /** Add a beneficiary whom the account may pay, at this bank or another. One at this bank counts as a payee check too. */
    createBeneficiary(accountId: string, body: CreateBeneficiaryBody, options?: ConfirmedOptions): Promise<Beneficiary>
    /** Read a beneficiary of an account. */
    beneficiary(accountId: string, beneficiaryId: string, options?: CallOptions): Promise<Beneficiary>
    /** Compare a payee's name with that of the holder, here or at another bank. For 15 minutes a payment, a payee or an order names the check. */
    checkPayee(accountId: string, body: CheckPayeeBody, options?: CallOptions): Promise<PayeeCheck>
    /** List the cards of an account, cancelled ones included, newest first. */
    cards(accountId: string, query?: ListCardsQuery, options?: CallOptions): Pages<Card>
    /** Issue a card for an account: without limits, and with all channels on. */
    issueCard(accountId: string, body: IssueCardBody, options?: ConfirmedOptions): Promise<Card>
    /** Reserve an amount of an account: it cannot leave by anything else until the hold is captured, released or expired. It is no entry and counts to no daily limit. */
    createHold(accountId: string, body: CreateHoldBody, options?: PaymentOptions): Promise<Hold>
    /** List the holds of an account, newest first; all of them or those of one status. */
    holds(accountId: string, query?: ListHoldsQuery, options?: CallOptions): Pages<Hold>
    /** List the card payments of an account, newest first, declined attempts included. */
    cardPayments(accountId: string, query?: ListCardPaymentsQuery, options?: CallOptions): Pages<CardPayment>
    /** Read the limits that its owner has set for the transfers of an account. */
    limits(accountId: string, options?: CallOptions): Promise<AccountLimits>
    /** Set how much may leave an account by one transfer and by all of a day; null is no limit of yours. A lower limit holds at once. A higher one is confirmed, and holds 12 hours later. */
    updateLimits(accountId: string, body: UpdateAccountLimitsBody, options?: ConfirmedOptions): Promise<AccountLimits>
    /** Undo a raise of the limits of an account before it holds. */
    undoLimitRaise(accountId: string, options?: CallOptions): Promise<AccountLimits>
    /** Read below which balance of an account you are told by mail. */
    notices(accountId: string, options?: CallOptions): Promise<AccountNotices>
    /** Choose below which balance of an account you are told by mail: once, until the balance has reached the amount again. Null: you are not told. Less than before is confirmed, and told. */
    updateNotices(accountId: string, body: UpdateAccountNoticesBody, options?: ConfirmedOptions): Promise<AccountNotices>
    /** Invite another customer to act on an account: to view it, to prepare payments, or to pay. The answer is the same whether or not a customer has that user name. Whoever has it may accept within 7 days. An account has at most 20 members and invitations. */
    inviteMember(accountId: string, body: InviteMemberBody, options?: ConfirmedOptions): Promise<Member>
    /** List the members of an account and those invited, newest first, also those of before. `status` says who may act now, as each request is judged. */
    members(accountId: string, query?: ListMembersQuery, options?: CallOptions): Pages<Member>
    /** Change what a member may do, or until when. It holds at once: a payment draft that waits with a signature of the member above the new limits is void. */
    updateMember(accountId: string, memberId: string, body: UpdateMemberBody, options?: ConfirmedOptions): Promise<Member>
    /** End a membership at once, or take back an invitation. Staff may do so too. */
    endMember(accountId: string, memberId: string, options?: CallOptions): Promise<void>
    /** Order payments on days: once, weekly, monthly or yearly from the first day on. A day that its month lacks is its last one. An account has at most 100 orders that are not ended. With an Idempotency-Key, a repetition is answered as the first time. */
    createOrder(accountId: string, body: CreateOrderBody, options?: PaymentOptions): Promise<Order>
    /** List the standing orders of an account, ended ones included, newest first. */
    orders(accountId: string, query?: ListOrdersQuery, options?: CallOptions): Pages<Order>
    /** The payments that active orders of an account come to within 30 days, in their order, with what is left after each. */
    upcomingOrders(accountId: string, options?: CallOptions): Promise<UpcomingRuns>
    /** Check up to 1000 payments: each line is ready, or is refused with its reason. Nothing is paid yet. An account has at most 50 lists that are not paid. One that is not ordered within 30 days is cancelled. */
    createPaymentList(accountId: string, body: CreatePaymentListBody | Uint8Array, options?: PaymentOptions): Promise<CheckedPaymentList>
    /** List the payment lists of an account, newest first. */
    paymentLists(accountId: string, query?: ListPaymentListsQuery, options?: CallOptions): Pages<PaymentList>
    /** Read from which amount on two people sign what leaves an account. */
    signatures(accountId: string, options?: CallOptions): Promise<AccountSignatures>
    /** Set from which amount on two people sign what leaves an account; null: from none. A lower amount holds at once. A higher one, and null, holds 12 hours later; the present amount undoes that until then. */
    updateSignatures(accountId: string, body: UpdateAccountSignaturesBody, options?: ConfirmedOptions): Promise<AccountSignatures>
    /** Prepare a payment for others to sign. Its terms do not change. A person that may pay so much signs it by making it, and confirms it, or else after another one. It expires after 30 days, or 7 days after its first signature. An account has at most 100 drafts that wait. */
    createDraft(accountId: string, body: CreateDraftBody, options?: PaymentOptions): Promise<PaymentDraft>
    /** List the payment drafts of an account, ended ones included, newest first. */
    drafts(accountId: string, query?: ListDraftsQuery, options?: CallOptions): Pages<PaymentDraft>
    /** List the transactions of an account, newest first. Amounts are filtered without sign. `text` is a part of the reference, of the name of the counterparty or of its IBAN (four characters at least), in any case and Unicode form, or the exact amount, also with a comma; the owner also finds a part of an own note, and is shown the notes on what is found. A request reads 20000 entries at most, or fewer with many letters that are not ASCII: a page may have fewer items than `limit`, or none, and a `nextCursor` to search on with. */
    transactions(accountId: string, query?: ListAccountTransactionsQuery, options?: CallOptions): Pages<Transaction>
    /** Read one transaction of an account. */
    transaction(accountId: string, transactionId: string, options?: CallOptions): Promise<Transaction>
    /** Note something on a transaction of an account of your own, for yourself alone; an empty text takes the note away. The books have no notes: one goes with the data of its person. */
    noteTransaction(accountId: string, transactionId: string, body: NoteTransactionBody, options?: CallOptions): Promise<void>
    /** List what the former bank of an imported account booked there, newest first. None of it is part of the books of this bank, of a balance or of a statement. */
    formerEntries(accountId: string, query?: ListFormerEntriesQuery, options?: CallOptions): Pages<FormerEntry>
    /** Read what an account has spent in a month of the bank and in the month before, from its entries: by shop and by merchant category, and by kind where no card was used. What came back of it is deducted in the month of that entry. By default this month; both have 25000 entries at most. */
    insight(accountId: string, query?: GetInsightQuery, options?: CallOptions): Promise<Insight>
    /** Read the statement of an account: balances and entries, oldest first, of at most a year; by default of this month. Every page has the balances of the whole period. A CSV, PDF or camt.053 file has all entries of the period. `format` takes precedence over `Accept`. */
    statement(accountId: string, query?: Omit<GetStatementQuery, 'format'>, options?: CallOptions): Promise<AccountStatement>
    /** Read the statement of an account: balances and entries, oldest first, of at most a year; by default of this month. Every page has the balances of the whole period. A CSV, PDF or camt.053 file has all entries of the period. `format` takes precedence over `Accept`. */
    statementFile(accountId: string, query: Omit<GetStatementQuery, 'format' | 'cursor'> & { format: 'csv' | 'pdf' | 'camt053' }, options?: CallOptions): Promise<BankFile>
    /** Read the balance of an account at a time, or at the end of a day; by default now, and for today as well. It is the closing balance of a statement up to then. */
    balanceAt(accountId: string, query?: GetBalanceAtQuery, options?: CallOptions): Promise<BalanceAt>
    /** Read what came in and went out of an account on each day of the bank with an entry, oldest first, and its balance at the end of the day. The period is that of the statement, with 50000 entries at most. */
    balances(accountId: string, query?: GetBalancesQuery, options?: CallOptions): Promise<AccountBalances>
  }
  beneficiaries: {
    /** List the beneficiaries of all your open accounts, newest first; with `text`, those whose name, nickname or IBAN have it. */
    find(query?: FindBeneficiariesQuery, options?: CallOptions): Pages<Beneficiary>
    /** Read a beneficiary. */
    get(id: string, options?: CallOptions): Promise<Beneficiary>
    /** Give a beneficiary another nickname, or none. Its name and IBAN never change. */
    rename(id: string, body: RenameBeneficiaryBody, options?: CallOptions): Promise<Beneficiary>
    /** Delete a beneficiary for good; its personal data is erased. */
    delete(id: string, options?: CallOptions): Promise<void>
    /** Deactivate a beneficiary: it is not trusted any more, nor paid until it is reactivated. */
    deactivate(id: string, options?: CallOptions): Promise<Beneficiary>
    /** Reactivate a deactivated beneficiary. */
    reactivate(id: string, options?: CallOptions): Promise<Beneficiary>
    /** Trust a beneficiary: payments to it need no confirmation. */
    trust(id: string, options?: ConfirmedOptions): Promise<Beneficiary>
    /** Trust a beneficiary no more. */
    untrust(id: string, options?: ConfirmedOptions): Promise<Beneficiary>
  }
  cards: {
    /** Read a card. */
    get(id: string, options?: CallOptions): Promise<Card>
    /** Freeze a card. Only an administrator unfreezes a card that an administrator froze. */
    freeze(id: string, options?: CallOptions): Promise<Card>
    /** Unfreeze a card. 403 for a customer if an administrator froze it. */
    unfreeze(id: string, options?: ConfirmedOptions): Promise<Card>
    /** Change the status or the nickname of a card, or both. A status has the same effect as its own route, and a cancelled card stays cancelled. A customer cannot cancel a card that an administrator froze. Only what unfreezes the card is confirmed. */
    update(id: string, body: UpdateCardBody, options?: ConfirmedOptions): Promise<Card>
    /** Change limits and channels of a card. What is left out stays, null ends a limit. What allows the card more than before is confirmed, what allows it less is not. */
    updateControls(id: string, body: UpdateCardControlsBody, options?: ConfirmedOptions): Promise<Card>
    /** Ask for a payment by card. An approved one reserves its amount until it is captured, released or expires, after seven days by default. A decline is an answer, too: it is stored, and told to the holder. */
    authorizePayment(id: string, body: AuthorizeCardPaymentBody, options?: ConfirmedOptions): Promise<CardAuthorization>
    /** Book what a shop was paid, whatever the account says: after its authorisation has expired, above it, or without one; on a frozen account and for a cancelled card, too. What was held for it is taken first. What the account lacks is its unarranged overdraft: until money that comes in has covered it, none leaves. Of a closed account, suspense pays. */
    clearPayment(id: string, body: ClearCardPaymentBody, options?: ConfirmedOptions): Promise<Transfer>
  }
  holds: {
    /** Read a hold. */
    get(id: string, options?: CallOptions): Promise<Hold>
    /** List the transfers by which a hold was captured, newest first. */
    captures(id: string, query?: ListHoldCapturesQuery, options?: CallOptions): Pages<Transfer>
    /** Change how much a hold reserves in all, what was captured included, or when it expires. Null: it stands until it is released; not of an authorization. */
    update(id: string, body: UpdateHoldBody, options?: PaymentOptions): Promise<Hold>
    /** Take held money: a transfer to an account of the bank, by default that of money on its way to other banks. A hold can be captured in parts, until one is final or nothing is left. A program captures, changes and releases only holds that it placed. */
    capture(id: string, body: CaptureHoldBody, options?: PaymentOptions): Promise<Transfer>
    /** End a hold: what remains of it is free again, also of a frozen account. */
    release(id: string, options?: PaymentOptions): Promise<Hold>
  }
  cardPayments: {
    /** Read a card payment, or a declined attempt. */
    get(id: string, options?: CallOptions): Promise<CardPayment>
    /** Ask for more of a payment that is authorised: its amount rises by this one. If that is declined, the payment stays as it is. */
    increment(id: string, body: IncrementCardPaymentBody, options?: ConfirmedOptions): Promise<CardAuthorization>
    /** Take an authorised amount, a part of it, or more by its tolerance if the account has that: the money leaves the account. A final capture gives back what it leaves. */
    capture(id: string, body: CaptureCardPaymentBody, options?: ConfirmedOptions): Promise<Transfer>
    /** Give up what is still reserved of a payment. One that was released or has expired is answered as it is. */
    release(id: string, options?: ConfirmedOptions): Promise<CardPayment>
    /** Give back money of a payment that was captured, in all at most as much as was. A frozen account is credited, and one whose card is cancelled. The money for one that is closed, or whose credits are blocked, lies in the suspense account of the bank. */
    refund(id: string, body: RefundCardPaymentBody, options?: ConfirmedOptions): Promise<Transfer>
    /** Credit the holder of a card payment provisionally, in all refunds and chargebacks at most what was captured. The currency is that of the payment. An open dispute of the payment names it. The money for an account that is closed, or whose credits are blocked, lies in suspense. */
    chargeBackCardPayment(id: string, body: ChargeBackCardPaymentBody, options?: ConfirmedOptions): Promise<Chargeback>
    /** List the chargebacks of a card payment, newest first. */
    chargebacks(id: string, query?: ListChargebacksQuery, options?: CallOptions): Pages<Chargeback>
    /** Dispute a card payment of which money was taken and has not come back. Staff and the processor are told. One dispute of a payment is open at a time, until it is closed or its chargeback has ended. */
    dispute(id: string, body: DisputeCardPaymentBody, options?: CallOptions): Promise<Dispute>
    /** List the disputes of a card payment, newest first, with how each stands. */
    disputes(id: string, query?: ListDisputesQuery, options?: CallOptions): Pages<Dispute>
  }
  chargebacks: {
    /** Read a chargeback. */
    get(id: string, options?: CallOptions): Promise<Chargeback>
    /** The scheme has decided for the holder: the credit is final. One that is won is answered as it is. */
    win(id: string, options?: ConfirmedOptions): Promise<Chargeback>
    /** The scheme has decided for the shop: the provisional credit is taken back, whatever the account says, as a clearing is. What the account lacks is its unarranged overdraft; of a closed account, suspense pays. One that is lost is answered as it is. */
    lose(id: string, options?: ConfirmedOptions): Promise<Chargeback>
    /** The chargeback was withdrawn: the provisional credit is taken back as that of a lost one. One that is withdrawn is answered as it is. */
    withdraw(id: string, options?: ConfirmedOptions): Promise<Chargeback>
  }
  transfers: {
    /** Move money out of one of your accounts, to another of yours or to a beneficiary. With an Idempotency-Key, a repetition is answered as the first time; without one, the same transfer within 10 seconds is refused. */
    create(body: CreateTransferBody, options?: PaymentOptions): Promise<Transfer>
    /** List transfers by the account they left, newest first; all of them or the pending ones. */
    list(query?: ListTransfersQuery, options?: CallOptions): Pages<Transfer>
    /** Read one transfer. */
    get(id: string, options?: CallOptions): Promise<Transfer>
    /** Cancel a payment of your own to another bank that is pending: the money is back at once. One that was sent cannot be cancelled. A service account cancels what it has ordered. */
    cancel(id: string, options?: PaymentOptions): Promise<Transfer>
    /** Read the receipt of a transfer: a PDF that says so while the payment is on its way; as JSON the transfer itself. `format` takes precedence over `Accept`. */
    receipt(id: string, options?: CallOptions): Promise<Transfer>
    /** Read the receipt of a transfer: a PDF that says so while the payment is on its way; as JSON the transfer itself. `format` takes precedence over `Accept`. */
    receiptFile(id: string, query: Omit<GetTransferReceiptQuery, 'format' | 'cursor'> & { format: 'pdf' }, options?: CallOptions): Promise<BankFile>
  }
  members: {
    /** Accept an invitation to act on an account of another customer. */
    accepthip(id: string, options?: CallOptions): Promise<Membership>
    /** Decline an invitation, or act no more on the account of another customer. */
    leavehip(id: string, options?: CallOptions): Promise<void>
  }
  calendar: {
    /** Read which days of a range, at most 366, are no business days, and when a payment to another bank arrives that is made now. Without `from` the range begins today. */
    get(query?: GetCalendarQuery, options?: CallOptions): Promise<BankCalendar>
  }
  orders: {
    /** List your standing orders on all accounts, newest first; for staff, those of all customers. `orderedBy`: those that a person, a service account, a session or a key made or changed, also when others changed them since. */
    find(query?: FindOrdersQuery, options?: CallOptions): Pages<Order>
    /** The payments that active orders of all your accounts come to within 30 days, and the orders that wait for you. */
    ownUpcomingOrders(options?: CallOptions): Promise<OwnUpcomingRuns>
    /** Read a standing order, with the name and IBAN of its payee while that is not deleted. */
    get(id: string, options?: CallOptions): Promise<Order>
    /** What became of each due day of a standing order, the last one first. */
    runs(id: string, query?: ListOrderRunsQuery, options?: CallOptions): Pages<OrderRun>
    /** Change the payee, amount, reference, last day, days of retry or the rule for holidays of a standing order. */
    update(id: string, body: UpdateOrderBody, options?: ConfirmedOptions): Promise<Order>
    /** Pause a standing order: no day is due until it is resumed. */
    pause(id: string, options?: CallOptions): Promise<Order>
    /** Resume a standing order. Days of the pause are not made up for. */
    resume(id: string, options?: CallOptions): Promise<Order>
    /** Leave out the next due day of a standing order: `dueOn`, or 409 when that is not the next. */
    skipNextOrder(id: string, options?: CallOptions & { body?: SkipNextOrderBody }): Promise<Order>
    /** Take back that the last day of a standing order was left out: it is the next one again. It must not be over, and no later day may have an outcome. */
    undoSkip(id: string, body: UndoSkipBody, options?: CallOptions): Promise<Order>
    /** End a standing order for good. It and its runs stay readable. An administrator ends one of a frozen account too. */
    end(id: string, options?: CallOptions): Promise<void>
  }
  paymentLists: {
    /** Read a payment list: how many of its lines were made or refused so far; or, as a file, what became of each (ISO 20022 pain.002.001.10). `format` takes precedence over `Accept`. */
    get(id: string, options?: CallOptions): Promise<PaymentList>
    /** Read a payment list: how many of its lines were made or refused so far; or, as a file, what became of each (ISO 20022 pain.002.001.10). `format` takes precedence over `Accept`. */
    getFile(id: string, query: Omit<GetPaymentListQuery, 'format' | 'cursor'> & { format: 'pain002' }, options?: CallOptions): Promise<BankFile>
    /** What became of each line of a payment list, in their order. */
    lines(id: string, query?: ListPaymentListLinesQuery, options?: CallOptions): Pages<PaymentListLine>
    /** Order a checked list to be paid, at once or on its day. Its new payees at other banks are added. Each line is a payment of its own: one that is refused stops no other. */
    execute(id: string, options?: PaymentOptions): Promise<PaymentList>
    /** Cancel a payment list before its first line is paid. The texts of its lines are erased. An administrator cancels one of a frozen account too. */
    cancel(id: string, options?: CallOptions): Promise<void>
  }
  drafts: {
    /** Read a payment draft. */
    get(id: string, options?: CallOptions): Promise<PaymentDraft>
    /** Sign a payment draft. It is paid with its last signature: by one person that may pay, or from the amount on that two people sign, by two. Nobody signs twice, and its maker not first. What a member signs counts to its limit of that day until the draft ends unpaid. */
    sign(id: string, options?: ConfirmedOptions): Promise<PaymentDraft>
    /** Cancel a payment draft that waits: by its maker, or by a person that may pay. Its reference is erased. One of a frozen account too. */
    cancel(id: string, options?: CallOptions): Promise<void>
  }
  transactions: {
    /** List the transactions of all your open accounts, newest first. */
    list(query?: ListTransactionsQuery, options?: CallOptions): Pages<OwnTransaction>
  }
  events: {
    /** Read events in the order of commit, without gaps: those with a number greater than `after`. Ask again with `after` set to `nextAfter`. With `wait`, an answer without events is given only when that time is over. A service account that reads the accounts of one customer gets the events of these alone: `nextAfter` moves on also where none of them is. */
    list(query?: Omit<ListEventsQuery, 'wait'>, options?: CallOptions): Feed<Event>
  }
}

/** Method, path and what the client has to know of each operation, by its name in `Bank`. */
export const operations = {
  'auth.login': { method: 'POST', path: '/api/v1/auth/login', answer: 'value', takes: ['body'] },
  'auth.completeLogin': { method: 'POST', path: '/api/v1/auth/login/second-factor', answer: 'value', takes: ['body'] },
  'auth.beginPasskeyLogin': { method: 'POST', path: '/api/v1/auth/login/passkey', answer: 'value', takes: [] },
  'auth.logout': { method: 'POST', path: '/api/v1/auth/logout', answer: 'nothing', takes: ['token'] },
  'auth.sessions': { method: 'GET', path: '/api/v1/auth/sessions', answer: 'pages', takes: ['token', 'query'] },
  'auth.revokeSession': { method: 'DELETE', path: '/api/v1/auth/sessions/:sessionId', answer: 'nothing', takes: ['token'] },
  'auth.changePassword': { method: 'POST', path: '/api/v1/auth/password', answer: 'nothing', takes: ['token', 'body'] },
  'auth.requestPasswordReset': { method: 'POST', path: '/api/v1/auth/password-reset', answer: 'value', takes: ['body'] },
  'auth.checkPasswordReset': { method: 'POST', path: '/api/v1/auth/password-reset/check', answer: 'value', takes: ['body'] },
  'auth.checkFactorReset': { method: 'POST', path: '/api/v1/auth/factor-reset/check', answer: 'value', takes: ['body'] },
  'auth.resetPassword': { method: 'POST', path: '/api/v1/auth/password-reset/confirm', answer: 'nothing', takes: ['body'] },
  'auth.factors': { method: 'GET', path: '/api/v1/auth/factors', answer: 'value', takes: ['token'] },
  'auth.enrolFactor': { method: 'POST', path: '/api/v1/auth/factors', answer: 'value', takes: ['token', 'body'] },
  'auth.activateFactor': { method: 'POST', path: '/api/v1/auth/factors/:factorId/activate', answer: 'value', takes: ['token', 'body'] },
  'auth.updateFactor': { method: 'PATCH', path: '/api/v1/auth/factors/:factorId', answer: 'value', takes: ['token', 'body'] },
  'auth.deleteFactor': { method: 'DELETE', path: '/api/v1/auth/factors/:factorId', answer: 'nothing', takes: ['token'] },
  'auth.replaceRecoveryCodes': { method: 'POST', path: '/api/v1/auth/recovery-codes', answer: 'value', takes: ['token'] },
  'auth.confirm': { method: 'POST', path: '/api/v1/auth/confirmations/:challengeId', answer: 'value', takes: ['token', 'body'] },
  'auth.beginIssuerConfirmation': { method: 'POST', path: '/api/v1/auth/confirmations/:challengeId/issuer', answer: 'value', takes: ['token'] },
  'auth.confirmAtIssuer': { method: 'POST', path: '/api/v1/auth/confirmations/:challengeId/issuer/answer', answer: 'value', takes: ['token', 'body'] },
  'auth.logoutByIssuer': { method: 'POST', path: '/api/v1/auth/issuer-logout', answer: 'value', takes: ['body'] },
  'me.get': { method: 'GET', path: '/api/v1/me', answer: 'value', takes: ['token'] },
  'me.update': { method: 'PATCH', path: '/api/v1/me', answer: 'value', takes: ['token', 'body'] },
  'me.myEmail': { method: 'GET', path: '/api/v1/me/email', answer: 'value', takes: ['token'] },
  'me.requestEmailChange': { method: 'POST', path: '/api/v1/me/email', answer: 'value', takes: ['token', 'body'] },
  'me.withdrawEmailChange': { method: 'DELETE', path: '/api/v1/me/email/next', answer: 'value', takes: ['token'] },
  'me.proveEmail': { method: 'POST', path: '/api/v1/me/email/proof', answer: 'value', takes: ['token', 'body'] },
  'admin.users.create': { method: 'POST', path: '/api/v1/admin/users', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'admin.users.list': { method: 'GET', path: '/api/v1/admin/users', answer: 'pages', takes: ['token', 'query'] },
  'admin.users.madeUsers': { method: 'GET', path: '/api/v1/admin/users/made', answer: 'pages', takes: ['token', 'query'] },
  'admin.users.get': { method: 'GET', path: '/api/v1/admin/users/:userId', answer: 'value', takes: ['token'] },
  'admin.users.update': { method: 'PATCH', path: '/api/v1/admin/users/:userId', answer: 'value', takes: ['token', 'body'] },
  'admin.users.mailPasswordLink': { method: 'POST', path: '/api/v1/admin/users/:userId/password-link', answer: 'nothing', takes: ['token'] },
  'admin.users.allowFactorReset': { method: 'POST', path: '/api/v1/admin/users/:userId/factor-reset', answer: 'nothing', takes: ['token'] },
  'admin.users.issuerLink': { method: 'GET', path: '/api/v1/admin/users/:userId/issuer-link', answer: 'value', takes: ['token'] },
  'admin.users.linkIssuer': { method: 'PUT', path: '/api/v1/admin/users/:userId/issuer-link', answer: 'value', takes: ['token', 'body'] },
  'admin.users.unlinkIssuer': { method: 'DELETE', path: '/api/v1/admin/users/:userId/issuer-link', answer: 'nothing', takes: ['token'] },
  'admin.users.sessions': { method: 'GET', path: '/api/v1/admin/users/:userId/sessions', answer: 'pages', takes: ['token', 'query'] },
  'admin.sessions.userSession': { method: 'GET', path: '/api/v1/admin/sessions/:sessionId', answer: 'value', takes: ['token'] },
  'admin.users.revokeSessions': { method: 'DELETE', path: '/api/v1/admin/users/:userId/sessions', answer: 'nothing', takes: ['token'] },
  'admin.sessions.revokeUserSession': { method: 'DELETE', path: '/api/v1/admin/sessions/:sessionId', answer: 'nothing', takes: ['token'] },
  'admin.users.beneficiaries': { method: 'GET', path: '/api/v1/admin/users/:userId/beneficiaries', answer: 'pages', takes: ['token', 'query'] },
  'admin.users.factors': { method: 'GET', path: '/api/v1/admin/users/:userId/factors', answer: 'value', takes: ['token'] },
  'admin.serviceAccounts.create': { method: 'POST', path: '/api/v1/admin/service-accounts', answer: 'value', takes: ['token', 'body'] },
  'admin.serviceAccounts.list': { method: 'GET', path: '/api/v1/admin/service-accounts', answer: 'pages', takes: ['token', 'query'] },
  'admin.serviceAccounts.get': { method: 'GET', path: '/api/v1/admin/service-accounts/:serviceAccountId', answer: 'value', takes: ['token'] },
  'admin.serviceAccounts.update': { method: 'PATCH', path: '/api/v1/admin/service-accounts/:serviceAccountId', answer: 'value', takes: ['token', 'body'] },
  'admin.serviceAccounts.issueKey': { method: 'POST', path: '/api/v1/admin/service-accounts/:serviceAccountId/keys', answer: 'value', takes: ['token'] },
  'admin.serviceAccounts.revokeKey': { method: 'DELETE', path: '/api/v1/admin/service-accounts/:serviceAccountId/keys/:keyId', answer: 'nothing', takes: ['token'] },
  'accounts.list': { method: 'GET', path: '/api/v1/accounts', answer: 'pages', takes: ['token', 'query'] },
  'accounts.open': { method: 'POST', path: '/api/v1/accounts', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'accounts.get': { method: 'GET', path: '/api/v1/accounts/:accountId', answer: 'value', takes: ['token'] },
  'accounts.details': { method: 'GET', path: '/api/v1/accounts/:accountId/details', answer: 'value', takes: ['token'] },
  'accounts.freeze': { method: 'GET', path: '/api/v1/accounts/:accountId/freeze', answer: 'value', takes: ['token'] },
  'accounts.rename': { method: 'PATCH', path: '/api/v1/accounts/:accountId', answer: 'value', takes: ['token', 'body'] },
  'accounts.close': { method: 'DELETE', path: '/api/v1/accounts/:accountId', answer: 'nothing', takes: ['token'] },
  'accounts.settings': { method: 'GET', path: '/api/v1/accounts/:accountId/settings', answer: 'value', takes: ['token'] },
  'accounts.updateSettings': { method: 'PATCH', path: '/api/v1/accounts/:accountId/settings', answer: 'value', takes: ['token', 'body'] },
  'admin.accounts.find': { method: 'GET', path: '/api/v1/admin/accounts', answer: 'pages', takes: ['token', 'query'] },
  'admin.accounts.inspect': { method: 'GET', path: '/api/v1/admin/accounts/:accountId', answer: 'value', takes: ['token'] },
  'admin.accounts.freeze': { method: 'POST', path: '/api/v1/admin/accounts/:accountId/freeze', answer: 'value', takes: ['token', 'body'] },
  'admin.accounts.unfreeze': { method: 'POST', path: '/api/v1/admin/accounts/:accountId/unfreeze', answer: 'value', takes: ['token', 'body'] },
  'accounts.beneficiaries': { method: 'GET', path: '/api/v1/accounts/:accountId/beneficiaries', answer: 'pages', takes: ['token', 'query'] },
  'beneficiaries.find': { method: 'GET', path: '/api/v1/beneficiaries', answer: 'pages', takes: ['token', 'query'] },
  'accounts.createBeneficiary': { method: 'POST', path: '/api/v1/accounts/:accountId/beneficiaries', answer: 'value', takes: ['token', 'body'] },
  'accounts.beneficiary': { method: 'GET', path: '/api/v1/accounts/:accountId/beneficiaries/:beneficiaryId', answer: 'value', takes: ['token'] },
  'beneficiaries.get': { method: 'GET', path: '/api/v1/beneficiaries/:id', answer: 'value', takes: ['token'] },
  'beneficiaries.rename': { method: 'PATCH', path: '/api/v1/beneficiaries/:id', answer: 'value', takes: ['token', 'body'] },
  'beneficiaries.delete': { method: 'DELETE', path: '/api/v1/beneficiaries/:id', answer: 'nothing', takes: ['token'] },
  'beneficiaries.deactivate': { method: 'POST', path: '/api/v1/beneficiaries/:id/deactivate', answer: 'value', takes: ['token'] },
  'beneficiaries.reactivate': { method: 'POST', path: '/api/v1/beneficiaries/:id/reactivate', answer: 'value', takes: ['token'] },
  'beneficiaries.trust': { method: 'POST', path: '/api/v1/beneficiaries/:id/trust', answer: 'value', takes: ['token'] },
  'beneficiaries.untrust': { method: 'POST', path: '/api/v1/beneficiaries/:id/untrust', answer: 'value', takes: ['token'] },
  'accounts.checkPayee': { method: 'POST', path: '/api/v1/accounts/:accountId/payee-checks', answer: 'value', takes: ['token', 'body'] },
  'admin.payeeChecks.answer': { method: 'POST', path: '/api/v1/admin/payee-checks', answer: 'value', takes: ['token', 'body'] },
  'accounts.cards': { method: 'GET', path: '/api/v1/accounts/:accountId/cards', answer: 'pages', takes: ['token', 'query'] },
  'accounts.issueCard': { method: 'POST', path: '/api/v1/accounts/:accountId/cards', answer: 'value', takes: ['token', 'body'] },
  'cards.get': { method: 'GET', path: '/api/v1/cards/:id', answer: 'value', takes: ['token'] },
  'cards.freeze': { method: 'POST', path: '/api/v1/cards/:id/freeze', answer: 'value', takes: ['token'] },
  'cards.unfreeze': { method: 'POST', path: '/api/v1/cards/:id/unfreeze', answer: 'value', takes: ['token'] },
  'cards.update': { method: 'PUT', path: '/api/v1/cards/:id', answer: 'value', takes: ['token', 'body'] },
  'cards.updateControls': { method: 'PATCH', path: '/api/v1/cards/:id/controls', answer: 'value', takes: ['token', 'body'] },
  'accounts.createHold': { method: 'POST', path: '/api/v1/accounts/:accountId/holds', answer: 'value', takes: ['token', 'body', 'key', 'externalId'] },
  'accounts.holds': { method: 'GET', path: '/api/v1/accounts/:accountId/holds', answer: 'pages', takes: ['token', 'query'] },
  'holds.get': { method: 'GET', path: '/api/v1/holds/:id', answer: 'value', takes: ['token'] },
  'holds.captures': { method: 'GET', path: '/api/v1/holds/:id/captures', answer: 'pages', takes: ['token', 'query'] },
  'holds.update': { method: 'PATCH', path: '/api/v1/holds/:id', answer: 'value', takes: ['token', 'body', 'key'] },
  'holds.capture': { method: 'POST', path: '/api/v1/holds/:id/capture', answer: 'value', takes: ['token', 'body', 'key', 'externalId'] },
  'holds.release': { method: 'POST', path: '/api/v1/holds/:id/release', answer: 'value', takes: ['token', 'key'] },
  'accounts.cardPayments': { method: 'GET', path: '/api/v1/accounts/:accountId/card-payments', answer: 'pages', takes: ['token', 'query'] },
  'cardPayments.get': { method: 'GET', path: '/api/v1/card-payments/:id', answer: 'value', takes: ['token'] },
  'cards.authorizePayment': { method: 'POST', path: '/api/v1/cards/:id/authorizations', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'cardPayments.increment': { method: 'POST', path: '/api/v1/card-payments/:id/increments', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'cardPayments.capture': { method: 'POST', path: '/api/v1/card-payments/:id/captures', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'cards.clearPayment': { method: 'POST', path: '/api/v1/cards/:id/clearings', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'cardPayments.release': { method: 'POST', path: '/api/v1/card-payments/:id/release', answer: 'value', takes: ['token'] },
  'cardPayments.refund': { method: 'POST', path: '/api/v1/card-payments/:id/refunds', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'cardPayments.chargeBackCardPayment': { method: 'POST', path: '/api/v1/card-payments/:id/chargebacks', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'cardPayments.chargebacks': { method: 'GET', path: '/api/v1/card-payments/:id/chargebacks', answer: 'pages', takes: ['token', 'query'] },
  'admin.chargebacks.find': { method: 'GET', path: '/api/v1/admin/chargebacks', answer: 'pages', takes: ['token', 'query'] },
  'chargebacks.get': { method: 'GET', path: '/api/v1/chargebacks/:id', answer: 'value', takes: ['token'] },
  'chargebacks.win': { method: 'POST', path: '/api/v1/chargebacks/:id/won', answer: 'value', takes: ['token'] },
  'chargebacks.lose': { method: 'POST', path: '/api/v1/chargebacks/:id/lost', answer: 'value', takes: ['token'] },
  'chargebacks.withdraw': { method: 'POST', path: '/api/v1/chargebacks/:id/withdrawn', answer: 'value', takes: ['token'] },
  'cardPayments.dispute': { method: 'POST', path: '/api/v1/card-payments/:id/disputes', answer: 'value', takes: ['token', 'body'] },
  'cardPayments.disputes': { method: 'GET', path: '/api/v1/card-payments/:id/disputes', answer: 'pages', takes: ['token', 'query'] },
  'admin.disputes.find': { method: 'GET', path: '/api/v1/admin/disputes', answer: 'pages', takes: ['token', 'query'] },
  'admin.disputes.close': { method: 'POST', path: '/api/v1/admin/disputes/:id/close', answer: 'value', takes: ['token', 'body'] },
  'transfers.create': { method: 'POST', path: '/api/v1/transfers', answer: 'value', takes: ['token', 'body', 'key'] },
  'transfers.list': { method: 'GET', path: '/api/v1/transfers', answer: 'pages', takes: ['token', 'query'] },
  'transfers.get': { method: 'GET', path: '/api/v1/transfers/:id', answer: 'value', takes: ['token'] },
  'transfers.cancel': { method: 'POST', path: '/api/v1/transfers/:id/cancel', answer: 'value', takes: ['token', 'key'] },
  'admin.payments.find': { method: 'GET', path: '/api/v1/admin/payments', answer: 'pages', takes: ['token', 'query'] },
  'admin.users.refusedPayments': { method: 'GET', path: '/api/v1/admin/users/:userId/refused-payments', answer: 'pages', takes: ['token', 'query'] },
  'admin.users.notes': { method: 'GET', path: '/api/v1/admin/users/:userId/notes', answer: 'pages', takes: ['token', 'query'] },
  'admin.users.createNote': { method: 'POST', path: '/api/v1/admin/users/:userId/notes', answer: 'value', takes: ['token', 'body'] },
  'admin.accounts.notes': { method: 'GET', path: '/api/v1/admin/accounts/:accountId/notes', answer: 'pages', takes: ['token', 'query'] },
  'admin.accounts.createNote': { method: 'POST', path: '/api/v1/admin/accounts/:accountId/notes', answer: 'value', takes: ['token', 'body'] },
  'accounts.limits': { method: 'GET', path: '/api/v1/accounts/:accountId/limits', answer: 'value', takes: ['token'] },
  'accounts.updateLimits': { method: 'PUT', path: '/api/v1/accounts/:accountId/limits', answer: 'value', takes: ['token', 'body'] },
  'accounts.undoLimitRaise': { method: 'DELETE', path: '/api/v1/accounts/:accountId/limits/next', answer: 'value', takes: ['token'] },
  'me.myNotices': { method: 'GET', path: '/api/v1/me/notices', answer: 'value', takes: ['token'] },
  'me.updateMyNotices': { method: 'PUT', path: '/api/v1/me/notices', answer: 'value', takes: ['token', 'body'] },
  'accounts.notices': { method: 'GET', path: '/api/v1/accounts/:accountId/notices', answer: 'value', takes: ['token'] },
  'accounts.updateNotices': { method: 'PUT', path: '/api/v1/accounts/:accountId/notices', answer: 'value', takes: ['token', 'body'] },
  'accounts.inviteMember': { method: 'POST', path: '/api/v1/accounts/:accountId/members', answer: 'value', takes: ['token', 'body'] },
  'accounts.members': { method: 'GET', path: '/api/v1/accounts/:accountId/members', answer: 'pages', takes: ['token', 'query'] },
  'accounts.updateMember': { method: 'PATCH', path: '/api/v1/accounts/:accountId/members/:memberId', answer: 'value', takes: ['token', 'body'] },
  'accounts.endMember': { method: 'DELETE', path: '/api/v1/accounts/:accountId/members/:memberId', answer: 'nothing', takes: ['token'] },
  'me.myMemberships': { method: 'GET', path: '/api/v1/me/memberships', answer: 'pages', takes: ['token', 'query'] },
  'members.accepthip': { method: 'POST', path: '/api/v1/members/:id/accept', answer: 'value', takes: ['token'] },
  'members.leavehip': { method: 'DELETE', path: '/api/v1/members/:id', answer: 'nothing', takes: ['token'] },
  'calendar.get': { method: 'GET', path: '/api/v1/calendar', answer: 'value', takes: ['token', 'query'] },
  'accounts.createOrder': { method: 'POST', path: '/api/v1/accounts/:accountId/orders', answer: 'value', takes: ['token', 'body', 'key'] },
  'accounts.orders': { method: 'GET', path: '/api/v1/accounts/:accountId/orders', answer: 'pages', takes: ['token', 'query'] },
  'orders.find': { method: 'GET', path: '/api/v1/orders', answer: 'pages', takes: ['token', 'query'] },
  'accounts.upcomingOrders': { method: 'GET', path: '/api/v1/accounts/:accountId/orders/upcoming', answer: 'value', takes: ['token'] },
  'orders.ownUpcomingOrders': { method: 'GET', path: '/api/v1/orders/upcoming', answer: 'value', takes: ['token'] },
  'orders.get': { method: 'GET', path: '/api/v1/orders/:id', answer: 'value', takes: ['token'] },
  'orders.runs': { method: 'GET', path: '/api/v1/orders/:id/runs', answer: 'pages', takes: ['token', 'query'] },
  'orders.update': { method: 'PATCH', path: '/api/v1/orders/:id', answer: 'value', takes: ['token', 'body'] },
  'orders.pause': { method: 'POST', path: '/api/v1/orders/:id/pause', answer: 'value', takes: ['token'] },
  'orders.resume': { method: 'POST', path: '/api/v1/orders/:id/resume', answer: 'value', takes: ['token'] },
  'orders.skipNextOrder': { method: 'POST', path: '/api/v1/orders/:id/skip-next', answer: 'value', takes: ['token'] },
  'orders.undoSkip': { method: 'POST', path: '/api/v1/orders/:id/undo-skip', answer: 'value', takes: ['token', 'body'] },
  'orders.end': { method: 'DELETE', path: '/api/v1/orders/:id', answer: 'nothing', takes: ['token'] },
  'accounts.createPaymentList': { method: 'POST', path: '/api/v1/accounts/:accountId/payment-lists', answer: 'value', takes: ['token', 'body', 'key'] },
  'accounts.paymentLists': { method: 'GET', path: '/api/v1/accounts/:accountId/payment-lists', answer: 'pages', takes: ['token', 'query'] },
  'paymentLists.get': { method: 'GET', path: '/api/v1/payment-lists/:id', answer: 'value', takes: ['token'] },
  'paymentLists.getFile': { method: 'GET', path: '/api/v1/payment-lists/:id', answer: 'file', takes: ['token', 'query'] },
  'paymentLists.lines': { method: 'GET', path: '/api/v1/payment-lists/:id/lines', answer: 'pages', takes: ['token', 'query'] },
  'paymentLists.execute': { method: 'POST', path: '/api/v1/payment-lists/:id/execute', answer: 'value', takes: ['token', 'key'] },
  'paymentLists.cancel': { method: 'DELETE', path: '/api/v1/payment-lists/:id', answer: 'nothing', takes: ['token'] },
  'accounts.signatures': { method: 'GET', path: '/api/v1/accounts/:accountId/signatures', answer: 'value', takes: ['token'] },
  'accounts.updateSignatures': { method: 'PUT', path: '/api/v1/accounts/:accountId/signatures', answer: 'value', takes: ['token', 'body'] },
  'accounts.createDraft': { method: 'POST', path: '/api/v1/accounts/:accountId/drafts', answer: 'value', takes: ['token', 'body', 'key'] },
  'accounts.drafts': { method: 'GET', path: '/api/v1/accounts/:accountId/drafts', answer: 'pages', takes: ['token', 'query'] },
  'drafts.get': { method: 'GET', path: '/api/v1/drafts/:id', answer: 'value', takes: ['token'] },
  'me.draftsToSign': { method: 'GET', path: '/api/v1/me/signatures', answer: 'pages', takes: ['token', 'query'] },
  'drafts.sign': { method: 'POST', path: '/api/v1/drafts/:id/sign', answer: 'value', takes: ['token'] },
  'drafts.cancel': { method: 'DELETE', path: '/api/v1/drafts/:id', answer: 'nothing', takes: ['token'] },
  'accounts.transactions': { method: 'GET', path: '/api/v1/accounts/:accountId/transactions', answer: 'pages', takes: ['token', 'query'] },
  'admin.bankAccounts.transactions': { method: 'GET', path: '/api/v1/admin/bank-accounts/:code/:currency/transactions', answer: 'pages', takes: ['token', 'query'] },
  'accounts.transaction': { method: 'GET', path: '/api/v1/accounts/:accountId/transactions/:transactionId', answer: 'value', takes: ['token'] },
  'accounts.noteTransaction': { method: 'PUT', path: '/api/v1/accounts/:accountId/transactions/:transactionId/note', answer: 'nothing', takes: ['token', 'body'] },
  'transactions.list': { method: 'GET', path: '/api/v1/transactions', answer: 'pages', takes: ['token', 'query'] },
  'accounts.formerEntries': { method: 'GET', path: '/api/v1/accounts/:accountId/former-entries', answer: 'pages', takes: ['token', 'query'] },
  'accounts.insight': { method: 'GET', path: '/api/v1/accounts/:accountId/insight', answer: 'value', takes: ['token', 'query'] },
  'accounts.statement': { method: 'GET', path: '/api/v1/accounts/:accountId/statement', answer: 'value', takes: ['token', 'query'] },
  'accounts.statementFile': { method: 'GET', path: '/api/v1/accounts/:accountId/statement', answer: 'file', takes: ['token', 'query'] },
  'admin.bankAccounts.statement': { method: 'GET', path: '/api/v1/admin/bank-accounts/:code/:currency/statement', answer: 'value', takes: ['token', 'query'] },
  'admin.bankAccounts.statementFile': { method: 'GET', path: '/api/v1/admin/bank-accounts/:code/:currency/statement', answer: 'file', takes: ['token', 'query'] },
  'accounts.balanceAt': { method: 'GET', path: '/api/v1/accounts/:accountId/balance', answer: 'value', takes: ['token', 'query'] },
  'accounts.balances': { method: 'GET', path: '/api/v1/accounts/:accountId/balances', answer: 'value', takes: ['token', 'query'] },
  'transfers.receipt': { method: 'GET', path: '/api/v1/transfers/:id/receipt', answer: 'value', takes: ['token'] },
  'transfers.receiptFile': { method: 'GET', path: '/api/v1/transfers/:id/receipt', answer: 'file', takes: ['token', 'query'] },
  'admin.accounts.createDeposit': { method: 'POST', path: '/api/v1/admin/accounts/:accountId/deposits', answer: 'value', takes: ['token', 'body', 'key'] },
  'admin.accounts.createWithdrawal': { method: 'POST', path: '/api/v1/admin/accounts/:accountId/withdrawals', answer: 'value', takes: ['token', 'body', 'key'] },
  'admin.transfers.reverse': { method: 'POST', path: '/api/v1/admin/transfers/:id/reversal', answer: 'value', takes: ['token', 'body', 'key'] },
  'admin.incomingPayments.create': { method: 'POST', path: '/api/v1/admin/incoming-payments', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'admin.transfers.find': { method: 'GET', path: '/api/v1/admin/transfers', answer: 'pages', takes: ['token', 'query'] },
  'admin.transfers.send': { method: 'POST', path: '/api/v1/admin/transfers/:id/send', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'admin.transfers.settle': { method: 'POST', path: '/api/v1/admin/transfers/:id/settle', answer: 'value', takes: ['token', 'externalId'] },
  'admin.transfers.return': { method: 'POST', path: '/api/v1/admin/transfers/:id/return', answer: 'value', takes: ['token', 'externalId'] },
  'admin.transfers.sendBatch': { method: 'POST', path: '/api/v1/admin/transfers/send', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'admin.transfers.settleBatch': { method: 'POST', path: '/api/v1/admin/transfers/settle', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'admin.accounts.block': { method: 'POST', path: '/api/v1/admin/accounts/:accountId/blocks', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'admin.accounts.blocks': { method: 'GET', path: '/api/v1/admin/accounts/:accountId/blocks', answer: 'pages', takes: ['token', 'query'] },
  'admin.accounts.unblock': { method: 'DELETE', path: '/api/v1/admin/accounts/:accountId/blocks/:blockId', answer: 'value', takes: ['token'] },
  'admin.approvals.list': { method: 'GET', path: '/api/v1/admin/approvals', answer: 'pages', takes: ['token', 'query'] },
  'admin.approvals.get': { method: 'GET', path: '/api/v1/admin/approvals/:approvalId', answer: 'value', takes: ['token', 'query'] },
  'admin.approvals.approveRequest': { method: 'POST', path: '/api/v1/admin/approvals/:approvalId/approve', answer: 'value', takes: ['token'] },
  'admin.approvals.rejectRequest': { method: 'POST', path: '/api/v1/admin/approvals/:approvalId/reject', answer: 'value', takes: ['token', 'body'] },
  'admin.approvals.withdrawRequest': { method: 'DELETE', path: '/api/v1/admin/approvals/:approvalId', answer: 'nothing', takes: ['token'] },
  'admin.auditEvents.list': { method: 'GET', path: '/api/v1/admin/audit-events', answer: 'pages', takes: ['token', 'query'] },
  'admin.auditEvents.get': { method: 'GET', path: '/api/v1/admin/audit-events/:eventId', answer: 'value', takes: ['token', 'query'] },
  'admin.users.events': { method: 'GET', path: '/api/v1/admin/users/:userId/audit-events', answer: 'value', takes: ['token'] },
  'events.list': { method: 'GET', path: '/api/v1/events', answer: 'feed', takes: ['token', 'query'] },
  'admin.webhooks.create': { method: 'POST', path: '/api/v1/admin/webhooks', answer: 'value', takes: ['token', 'body'] },
  'admin.webhooks.list': { method: 'GET', path: '/api/v1/admin/webhooks', answer: 'pages', takes: ['token', 'query'] },
  'admin.webhooks.get': { method: 'GET', path: '/api/v1/admin/webhooks/:webhookId', answer: 'value', takes: ['token'] },
  'admin.webhooks.update': { method: 'PATCH', path: '/api/v1/admin/webhooks/:webhookId', answer: 'value', takes: ['token', 'body'] },
  'admin.webhooks.delete': { method: 'DELETE', path: '/api/v1/admin/webhooks/:webhookId', answer: 'nothing', takes: ['token'] },
  'admin.webhooks.renewSecret': { method: 'POST', path: '/api/v1/admin/webhooks/:webhookId/secret', answer: 'value', takes: ['token'] },
  'admin.webhooks.test': { method: 'POST', path: '/api/v1/admin/webhooks/:webhookId/test', answer: 'value', takes: ['token'] },
  'admin.webhooks.deliveries': { method: 'GET', path: '/api/v1/admin/webhooks/:webhookId/deliveries', answer: 'pages', takes: ['token', 'query'] },
  'admin.webhooks.resendDelivery': { method: 'POST', path: '/api/v1/admin/webhooks/:webhookId/deliveries/:deliveryId/resend', answer: 'value', takes: ['token'] },
  'admin.overview.get': { method: 'GET', path: '/api/v1/admin/overview', answer: 'value', takes: ['token'] },
  'admin.bankAccounts.list': { method: 'GET', path: '/api/v1/admin/bank-accounts', answer: 'pages', takes: ['token', 'query'] },
  'admin.bankAccounts.create': { method: 'POST', path: '/api/v1/admin/bank-accounts', answer: 'value', takes: ['token', 'body'] },
  'admin.bankAccounts.get': { method: 'GET', path: '/api/v1/admin/bank-accounts/:code/:currency', answer: 'value', takes: ['token'] },
  'admin.postings.create': { method: 'POST', path: '/api/v1/admin/postings', answer: 'value', takes: ['token', 'body', 'key', 'externalId'] },
  'admin.postings.createBatch': { method: 'POST', path: '/api/v1/admin/postings/batch', answer: 'value', takes: ['token', 'body', 'externalId'] },
  'admin.trialBalance.get': { method: 'GET', path: '/api/v1/admin/trial-balance', answer: 'value', takes: ['token', 'query'] },
  'admin.trialBalance.getFile': { method: 'GET', path: '/api/v1/admin/trial-balance', answer: 'file', takes: ['token', 'query'] },
} as const
