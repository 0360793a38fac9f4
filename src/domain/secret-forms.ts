// The forms of the secrets that this service gives out. What makes them, what reads them and what
// masks them in the log take them from here.

/** Marks the key of a service account, also for programs that look for secrets in source code. */
export const serviceKeyPrefix = 'srk_'

/** Marks the shared key of a webhook (Standard Webhooks 1.0). */
export const webhookSecretPrefix = 'whsec_'

/** 32 bytes in base64url: tokens of refresh, of mails and of devices, handles of sessions. */
export const opaqueSecret = '[A-Za-z0-9_-]{43}'

/**
 * Each form as part of a regular expression. A text that goes on in letters, digits, `-`, `_`, `.`
 * or `/` is none of the last three, but an identifier, the name of a file or a longer token.
 */
export const secretForms: readonly string[] = [
  `(?:${[serviceKeyPrefix, webhookSecretPrefix].join('|')})[A-Za-z0-9+/_-]+=*`,
  ...[
    // Also what is longer, such as the hash of one in hexadecimal.
    `${opaqueSecret}[A-Za-z0-9_-]*`,
    // A recovery code as it is shown, and a secret of one-time codes: both are base32.
    '[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}',
    '[A-Z2-7]{32}',
  ].map((form) => `(?<![\\w/.-])${form}(?![\\w/.-])`),
]
