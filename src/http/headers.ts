// The header fields that every response carries, whoever writes it: route, error, redirect, parser.

/** `Content-Type` of every response with a body (spec section 7.4). */
export const json = 'application/json; charset=utf-8'

/** OWASP REST Security and HTTP Headers cheat sheets; spec section 7.5. */
export const securityHeaders: Readonly<Record<string, string>> = Object.freeze({
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  // Nothing may be kept in front of a check (RFC 9111 section 3.5).
  'cache-control': 'no-store',
  vary: 'Authorization',
})
