// Why an account was frozen or blocked is told to no owner and no member of it, staff or not: it
// may be what the law forbids to tell (Directive (EU) 2015/849, Article 39).
import { type Db, statement } from '../database/statements/statement.ts'
import type { Operation } from './actions.ts'

/** What a request or an event of each operation, but of those that read, has as its reason. */
const reasons = {
  acceptMembership: 'told',
  activateFactor: 'told',
  allowFactorReset: 'told',
  answerPayeeCheck: 'told',
  approveRequest: 'told',
  authorizeCardPayment: 'told',
  beginIssuerConfirmation: 'told',
  beginIssuerLogin: 'told',
  beginPasskeyLogin: 'told',
  blockAccount: 'kept',
  cancelDraft: 'told',
  cancelPaymentList: 'told',
  cancelTransfer: 'told',
  captureCardPayment: 'told',
  captureHold: 'told',
  changePassword: 'told',
  chargeBackCardPayment: 'told',
  checkFactorReset: 'told',
  checkPasswordReset: 'told',
  checkPayee: 'told',
  clearCardPayment: 'told',
  closeAccount: 'told',
  closeDispute: 'told',
  completeIssuerLogin: 'told',
  completeLogin: 'told',
  completePortalLogin: 'told',
  confirm: 'told',
  confirmAtIssuer: 'told',
  createAccountNote: 'told',
  createBankAccount: 'told',
  createBeneficiary: 'told',
  createDeposit: 'told',
  createDraft: 'told',
  createHold: 'told',
  createIncomingPayment: 'told',
  createOrder: 'told',
  createPaymentList: 'told',
  createPosting: 'told',
  createPostingBatch: 'told',
  createServiceAccount: 'told',
  createTransfer: 'told',
  createUser: 'told',
  createUserNote: 'told',
  createWebhook: 'told',
  createWithdrawal: 'told',
  deactivateBeneficiary: 'told',
  deleteBeneficiary: 'told',
  deleteFactor: 'told',
  deleteWebhook: 'told',
  disputeCardPayment: 'told',
  endMember: 'told',
  endOrder: 'told',
  enrolFactor: 'told',
  executePaymentList: 'told',
  findAccounts: 'told',
  findBeneficiaries: 'told',
  findChargebacks: 'told',
  findDisputes: 'told',
  findOrders: 'told',
  findPayments: 'told',
  findTransfers: 'told',
  freezeAccount: 'kept',
  freezeCard: 'told',
  incrementCardPayment: 'told',
  inspectAccount: 'told',
  inviteMember: 'told',
  issueCard: 'told',
  issueServiceAccountKey: 'told',
  leaveMembership: 'told',
  linkIssuer: 'told',
  login: 'told',
  loginToPortal: 'told',
  logout: 'told',
  logoutByIssuer: 'told',
  loseChargeback: 'told',
  mailPasswordLink: 'told',
  noteTransaction: 'told',
  openAccount: 'told',
  pauseOrder: 'told',
  proveEmail: 'told',
  reactivateBeneficiary: 'told',
  refresh: 'told',
  refundCardPayment: 'told',
  rejectRequest: 'as its request',
  releaseCardPayment: 'told',
  releaseHold: 'told',
  renameAccount: 'told',
  renameBeneficiary: 'told',
  renewWebhookSecret: 'told',
  replaceRecoveryCodes: 'told',
  requestEmailChange: 'told',
  requestPasswordReset: 'told',
  resendWebhookDelivery: 'told',
  resetPassword: 'told',
  resumeOrder: 'told',
  returnTransfer: 'told',
  reverseTransfer: 'told',
  revokeServiceAccountKey: 'told',
  revokeSession: 'told',
  revokeUserSession: 'told',
  revokeUserSessions: 'told',
  sendTransfer: 'told',
  sendTransferBatch: 'told',
  settleTransfer: 'told',
  settleTransferBatch: 'told',
  signDraft: 'told',
  skipNextOrder: 'told',
  testWebhook: 'told',
  trustBeneficiary: 'told',
  unblockAccount: 'kept',
  undoLimitRaise: 'told',
  undoSkip: 'told',
  unfreezeAccount: 'kept',
  unfreezeCard: 'told',
  unlinkIssuer: 'told',
  untrustBeneficiary: 'told',
  updateAccountLimits: 'told',
  updateAccountNotices: 'told',
  updateAccountSettings: 'told',
  updateAccountSignatures: 'told',
  updateCard: 'told',
  updateCardControls: 'told',
  updateFactor: 'told',
  updateHold: 'told',
  updateMe: 'told',
  updateMember: 'told',
  updateMyNotices: 'told',
  updateOrder: 'told',
  updateServiceAccount: 'told',
  updateUser: 'told',
  updateWebhook: 'told',
  winChargeback: 'told',
  withdrawChargeback: 'told',
  withdrawEmailChange: 'told',
  withdrawRequest: 'told',
} as const satisfies Record<
  Exclude<Operation, `get${string}` | `list${string}`>,
  'kept' | 'as its request' | 'told'
>

const those = (reason: (typeof reasons)[keyof typeof reasons]): ReadonlySet<string> =>
  new Set(Object.entries(reasons).flatMap(([name, each]) => (each === reason ? name : [])))
const withReason = those('kept')
const decisions = those('as its request')

const findKept = statement(
  'audit_find_kept_reasons',
  ['uuid[]', 'uuid', 'bool'],
  { id: 'uuid' },
  `select n.id from unnest($1::uuid[]) as n (id)
   cross join lateral (
     select coalesce((select b.account_id from account_blocks b where b.id = n.id), n.id) as id
   ) held
   where exists (select from accounts where id = held.id and owner_id = $2)
     or $3 and exists (
       select from standing_members m where m.account_id = held.id and m.person_id = $2)`,
)

/** Precedes the account, behind the operation, in the event of a request with such a reason. */
const accountWord = ' account '

/** What the trail has of a request: what it asks for, and of a kept reason on which account. */
export const describeRequest = (operation: string, params: unknown): string =>
  withReason.has(operation)
    ? `${operation}${accountWord}${(params as { accountId: string }).accountId}`
    : operation

/**
 * The trail says of a request that is gone what it asked for. The events of earlier releases do not
 * say about which account: their reasons are kept from every owner and member. An event cannot be
 * changed, and one that the purge adds would tell of a request that was not made then. They are of
 * the last 30 days before the upgrade, and other staff read them.
 */
const findKeptDecisions = statement(
  'audit_find_kept_decisions',
  ['uuid[]', 'uuid', 'bool', 'text[]', 'text'],
  { id: 'uuid' },
  `select n.id from unnest($1::uuid[]) as n (id) left join approvals a on a.id = n.id
   cross join lateral (
     select case when a.id is null then (
         select e.detail from audit_events e
         where e.target = n.id and e.action = 'requestApproval' limit 1)
       else a.operation || $5 || coalesce(a.request::json #>> '{params,accountId}', '')
       end as detail
   ) asked
   cross join lateral (
     select split_part(asked.detail, $5, 1) as operation,
       nullif(split_part(asked.detail, $5, 2), '') as account_id
   ) about
   where (about.operation is null or about.operation = any($4)) and exists (
     select from (
       select id from accounts where owner_id = $2
       union all
       select m.account_id from standing_members m where $3 and m.person_id = $2
     ) own
     where about.account_id is null or own.id::text = about.account_id)`,
)

/** A person who reads, and whether accounts have members. */
export type Reader = { userId: string; areMembersOn: boolean }

/** Those of these accounts and blocks whose reasons are kept from the reader. */
export async function keptFrom(
  db: Db,
  { userId, areMembersOn }: Reader,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db.run(findKept, [[...ids], userId, areMembersOn])
  return new Set(rows.map(({ id }) => id))
}

async function keptDecisionsFrom(
  db: Db,
  { userId, areMembersOn }: Reader,
  requests: readonly string[],
): Promise<ReadonlySet<string>> {
  if (requests.length === 0) return new Set()
  const names = [...withReason]
  const rows = await db.run(findKeptDecisions, [
    [...requests],
    userId,
    areMembersOn,
    names,
    accountWord,
  ])
  return new Set(rows.map(({ id }) => id))
}

/**
 * Finds the events whose reasons are kept from the reader. That of a decision about a freeze or a
 * block is kept as that of the change itself, also when its request is gone.
 */
export async function keptEvents<E extends { action: string; target: string | null }>(
  db: Db,
  reader: Reader,
  events: readonly E[],
): Promise<(event: E) => boolean> {
  const targetsOf = (names: ReadonlySet<string>) =>
    events.flatMap(({ action, target }) => (names.has(action) ? (target ?? []) : []))
  const kept = await keptFrom(db, reader, targetsOf(withReason))
  const keptDecisions = await keptDecisionsFrom(db, reader, targetsOf(decisions))
  return ({ action, target }) =>
    target !== null &&
    ((withReason.has(action) && kept.has(target)) ||
      (decisions.has(action) && keptDecisions.has(target)))
}

/** Whether the reasons of an account are kept from the reader. */
export const isKeptFrom = async (db: Db, reader: Reader, accountId: string): Promise<boolean> =>
  (await keptFrom(db, reader, [accountId])).size > 0

/** Whether an event or a request of that operation has a reason that is kept. */
export const hasReason = (operation: string): boolean => withReason.has(operation)

/** Whether an event of that operation may have such a reason, its own or that of its request. */
export const mayHaveReason = (action: string): boolean => hasReason(action) || decisions.has(action)
