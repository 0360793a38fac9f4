// What the caller gives to the client: its options, and the place where tokens are kept.

/** The options of every call. */
export type CallOptions = {
  /**
   * Ends the call. A change that may have taken effect by then is an `OutcomeUnknownError`;
   * anything else throws the signal's reason.
   */
  signal?: AbortSignal | undefined
}

/** The options of a call that a person with a second factor confirms. */
export type ConfirmedOptions = CallOptions & {
  /**
   * The challenge of `confirmation_required`, once `bank.auth.confirm` has taken its answer.
   * Give the same body, and for a payment the key in the terms of the challenge.
   */
  confirmation?: string | undefined
}

/** The options of a call that moves money. */
export type PaymentOptions = ConfirmedOptions & {
  /**
   * 1–255 visible ASCII characters. One is made for each call that does not give one. To learn the
   * outcome of an earlier call, give the same body and the key of its `OutcomeUnknownError`.
   */
  idempotencyKey?: string | undefined
}

/** A file that was received whole. */
export type BankFile = {
  /** Such as `statement-5685-2026-10.csv`. */
  name: string
  mediaType: string
  bytes: Uint8Array
}

/** What the client remembers between calls. A program that can read it can act as the person. */
export type StoredTokens = {
  /** Absent before the login and after the logout. */
  session?: {
    token: string
    refreshToken: string
    sessionId: string
    /** Milliseconds since the epoch, by this computer's clock. */
    expiresAt: number
  }
  /** Names this device at the next login. It stays after a logout. */
  deviceToken?: string
}

/** Where tokens are kept; in memory by default. */
export type TokenStore = {
  read(): StoredTokens | Promise<StoredTokens>
  write(tokens: StoredTokens): void | Promise<void>
}

/** The time of waits and deadlines; a test gives its own. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after that many milliseconds. Rejects with the signal's reason when it is aborted. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>
}

export type ClientOptions = {
  /** Such as `https://bank.example`. Plain http is accepted for this computer only. */
  baseUrl: string
  /** A key that is sent as it is, such as that of a service account. Nothing is refreshed then. */
  token?: string | undefined
  /** For a person's session, which `bank.auth.login` opens. */
  tokens?: TokenStore | undefined
  /** Sends one request; the global `fetch` by default. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** How long one call may go on with its waits and repeats; 60 by default. */
  deadlineSeconds?: number | undefined
  /** A longer Retry-After is not waited for: its refusal is thrown at once; 30 by default. */
  retryAfterSecondsMax?: number | undefined
  /** How long one attempt waits for its answer; 30 by default. */
  attemptSeconds?: number | undefined
  clock?: Clock | undefined
}
