// What an answer to a request looks like when the service cannot do its work.
import assert from 'node:assert/strict'
import type { Reply } from '../support/client.ts'

export type Timed = { reply: Reply; ms: number }

export async function timed(asked: Promise<Reply>): Promise<Timed> {
  const startedAt = performance.now()
  const reply = await asked
  return { reply, ms: performance.now() - startedAt }
}

/** 503 in full form: the body of an error, Retry-After, and every header that all answers have. */
export function assertUnavailable(reply: Reply, what: string, code = 'unavailable'): void {
  assert.equal(reply.status, 503, `${what}: ${reply.text}`)
  assert.deepEqual(Object.keys(reply.body), ['error', 'code', 'message'], what)
  assert.equal(reply.body.code, code, what)
  const { headers } = reply
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/, what)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8', what)
  assert.equal(headers['x-content-type-options'], 'nosniff', what)
  assert.equal(headers['x-frame-options'], 'DENY', what)
  assert.equal(headers['strict-transport-security'], 'max-age=31536000; includeSubDomains', what)
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; frame-ancestors 'none'",
    what,
  )
  assert.equal(headers['referrer-policy'], 'no-referrer', what)
  assert.equal(headers['cache-control'], 'no-store', what)
  assert.match(headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/, what)
  assert.equal(headers['server'], undefined, what)
}
