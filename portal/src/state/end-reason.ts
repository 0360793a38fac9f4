// Why a session has ended.

/** `mayBeOpen`: it was left, and the server has not told that it is over. */
export type EndReason =
  | 'idle'
  | 'expired'
  | 'revoked'
  | 'signedOut'
  | 'mayBeOpen'
  | 'passwordSet'
  | 'emailProved'
