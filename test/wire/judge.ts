// The rules of every answer: one error body, each header field once, nothing but the error table.
import assert from 'node:assert/strict'
import { type Code, errorMessage, Refusal, errorStatus } from '../../src/domain/errors.ts'
import { render } from '../../src/http/error-response.ts'
import type { Answer } from './socket.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const always: Record<string, string | RegExp> = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  vary: /^Authorization(, Origin)?(, Accept-Encoding)?$/,
  'x-request-id': uuid,
}
const limits: Record<string, RegExp> = {
  'ratelimit-policy': /^"\w+";q=\d+;w=\d+(, "\w+";q=\d+;w=\d+)*$/,
  ratelimit: /^"\w+";r=\d+;t=\d+(, "\w+";r=\d+;t=\d+)*$/,
}

/** @param expected the code of a refusal, or the status of another answer */
export function judge(
  { status, fields, body }: Answer,
  expected: Code | number,
  what: string,
  { isHead = false } = {},
): void {
  const names = fields.map(([name]) => name)
  assert.deepEqual(names, [...new Set(names)], `${what}: each field once`)
  const of = Object.fromEntries(fields)
  const is = typeof expected === 'number' ? expected : errorStatus(expected)
  assert.equal(status, is, `${what}: ${status} ${body.slice(0, 200)}`)
  for (const [name, value] of Object.entries({ ...always, ...limits })) {
    if (typeof value === 'string') assert.equal(of[name], value, `${what}: ${name}`)
    else assert.match(of[name] ?? '', value, `${what}: ${name}`)
  }
  for (const name of ['server', 'x-powered-by', 'via', 'set-cookie']) {
    assert.ok(!names.includes(name), `${what}: ${name}`)
  }
  if (status !== 204) assert.equal(of['content-type'], 'application/json; charset=utf-8', what)
  assert.doesNotMatch(body, /[<>&]/, `${what}: markup`)
  if (typeof expected === 'number') return
  if (!isHead) judgeBody(body, expected, what)
  assert.equal(of['allow'] === undefined, status !== 405, `${what}: allow`)
  assert.equal(of['www-authenticate'] === undefined, status !== 401, what)
  assert.match(of['www-authenticate'] ?? 'Bearer', /^Bearer( error="invalid_token")?$/, what)
}

/** The body repeats nothing that the client sent, except the place of an error. */
function judgeBody(body: string, code: Code, what: string): void {
  const error = JSON.parse(body) as { message: string; details?: { path: string }[] }
  assert.equal(error.message, errorMessage(code), what)
  const details = (error.details ?? []) as { path: string; message: string }[]
  assert.equal(
    body,
    render(new Refusal(code, { outage: 'database', details })).body,
    `${what}: the body`,
  )
  for (const { path } of details) assert.match(path, /^\/(body|query|params|headers)/, what)
}
