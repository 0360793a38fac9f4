// What the detail of an audit event consists of, by the operation of the event.
import type { texts as details } from '../../../../languages/en/portal/audit-details.ts'
import type { texts } from '../../../../languages/en/portal/audit.ts'

/** An action that this release knows. An event may be of another release, and have another one. */
export type Action = keyof typeof texts.audit.actions
export type Field = keyof typeof texts.audit.fields
export type WrittenDetail = keyof typeof details.auditDetails.written

const isOneOf =
  (...actions: Action[]) =>
  (action: string): boolean =>
    actions.some((each) => each === action)

/** Reads list the names of their parameters, partial changes those of the changed fields. */
export const listsNames = (action: string): boolean =>
  /^(get|list|find|inspect|update|linkIssuer$)/.test(action)

/** The operation that is confirmed or waits for approval. */
export const beginsWithOperation = isOneOf(
  'confirm',
  'confirmAtIssuer',
  'requestApproval',
  'useConfirmation',
)

/** Parameters that turn pages, or add names: they say nothing about what was read. */
export const isPaging = (name: string): boolean =>
  ['after', 'cursor', 'limit', 'names', 'subjects', 'wait'].includes(name)

/** What the service writes of these is words of its own, never a person's. */
export const isByService = isOneOf(
  'activateFactor',
  'completeIssuerLogin',
  'completeLogin',
  'completePortalLogin',
  'disableWebhook',
  'erase',
  'login',
  'loginToPortal',
  'refresh',
  'unlinkIssuer',
)

/** What the target of an event is, where a page shows such a thing. */
export const isOfUser = isOneOf(
  'getIssuerLink',
  'getUser',
  'linkIssuer',
  'unlinkIssuer',
  'updateUser',
  'mailPasswordLink',
  'listUserSessions',
  'revokeUserSessions',
  'login',
  'loginToPortal',
)
export const isOfTransfer = isOneOf(
  'getTransfer',
  'getTransferReceipt',
  'getTransaction',
  'reverseTransfer',
  'settleTransfer',
  'returnTransfer',
)
export const isOfAccount = isOneOf(
  'getAccount',
  'getAccountDetails',
  'getAccountFreeze',
  'getAccountSettings',
  'getStatement',
  'updateAccountSettings',
  'inspectAccount',
  'freezeAccount',
  'unfreezeAccount',
  'blockAccount',
  'listAccountBlocks',
  'createDeposit',
  'createWithdrawal',
)

/** One side of a posting is an account, the other a code of the bank's own. */
export const fieldOf = <F extends string>(name: string, names: Readonly<Record<F, string>>): F =>
  (Object.hasOwn(names, name) ? name : name.replace(/(AccountId|Code)$/, '')) as F
