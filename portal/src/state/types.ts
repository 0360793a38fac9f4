// What the API answers, in the types of the client. Types only: no code of it is in the page.
import type { Challenge as ChallengeReply } from '../../../client/src/generated.ts'

export type {
  Account,
  AccountFreeze,
  AccountBalances,
  AccountDetails,
  AccountLimits,
  AccountNotices,
  AccountSettings,
  AccountSignatures,
  Approval,
  AuditEvent,
  Factors as OwnFactors,
  BankAccount,
  BankCalendar,
  Beneficiary,
  Block,
  Card,
  CardPayment,
  Code,
  Chargeback,
  Dispute,
  CreateIncomingPaymentBody,
  CreateOrderBody,
  CreatePaymentListBody,
  CreatePostingBody,
  Event,
  FoundPayment,
  Factor,
  FormerEntry,
  Hold,
  Insight,
  FactorActivation as Activation,
  FactorEnrolment as Enrolment,
  IssuedServiceKey,
  IssuerLink,
  Me,
  Member,
  Membership,
  NumberedAccount,
  Note,
  Notices,
  Order,
  OrderRun,
  Overview,
  OwnEmail,
  PaymentDraft,
  PaymentList,
  PaymentListLine,
  /** An entry of any of one's own accounts. */
  OwnTransaction,
  ServiceAccount,
  ServiceAccountWithKey,
  PayeeCheck,
  ReasonCode,
  Session as OwnSession,
  Transaction,
  Transfer,
  TrialBalance,
  OwnUpcomingRuns,
  UpcomingRun,
  UpcomingRuns,
  UpdateOrderBody,
  User,
  UserEvents,
  UserFactors,
  UserSession,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
} from '../../../client/src/generated.ts'

/** What has to be answered with a second factor. */
export type Challenge = ChallengeReply & {
  /** What is confirmed, to be shown to the person. */
  terms?: Readonly<Record<string, string>>
}
export type { Role } from '../../../src/gate/roles.ts'

/** A page of a list. */
export type List<I> = { items: I[]; nextCursor: string | null }
