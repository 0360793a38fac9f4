// `@strongroom/client`: the API of a Strongroom bank, typed, without dependencies.
export { createClient } from './client.ts'
export {
  ApiError,
  ApprovalPendingError,
  type BankError,
  type Challenge,
  type Detail,
  isBankError,
  NotReachedError,
  OutcomeUnknownError,
} from './errors.ts'
export { Feed, type FeedPage } from './feed.ts'
export type * from './generated.ts'
export { money } from './money.ts'
export { type Page, Pages } from './pages.ts'
export type {
  BankFile,
  CallOptions,
  ClientOptions,
  Clock,
  ConfirmedOptions,
  PaymentOptions,
  StoredTokens,
  TokenStore,
} from './types.ts'
