// What an answer to a request looks like when the service cannot do its work.
import assert from 'node:assert/strict'
import type { Reply } from '../support/client.ts'

/** How long it took, without the time for which a busy machine held this process up. */
export type Timed = { reply: Reply; ms: number }

/** The event loop turns once in so long; what it is later than 5 ms, the machine held it up. */
const [beatMs, lateMs] = [20, 5]

/** The time that the processor has given to this thread so far. */
function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * The service is in this process: a pause of one is a pause of both. While it computes it is not
 * held up: a service that blocks its event loop answers late.
 */
export async function timed(asked: Promise<Reply>): Promise<Timed> {
  const startedAt = performance.now()
  let [last, lastUsed, heldUpMs] = [startedAt, usedMs(), 0]
  const note = (): number => {
    const [now, used] = [performance.now(), usedMs()]
    heldUpMs += Math.max(0, now - last - Math.max(beatMs + lateMs, used - lastUsed))
    lastUsed = used
    return (last = now)
  }
  const beat = setInterval(note, beatMs)
  const reply = await asked.finally(() => clearInterval(beat))
  return { reply, ms: note() - startedAt - heldUpMs }
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
