// A refusal on the wire: its status, its fields, and what is told to which caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Code, codes, errorMessage, errorStatus, Refusal } from '../domain/errors.ts'
import { render, securityHeaders, toRefusal, withoutMarkup } from './error-response.ts'

const refusal = (code: Code, options: object = {}): Refusal =>
  new Refusal(code as 'not_found', options)
const read = (...given: Parameters<typeof render>) => {
  const { status, headers, body } = render(...given)
  return { status, headers, body: JSON.parse(body) as Record<string, unknown> }
}

test('every code has its status and message, and the fields of its status alone', () => {
  for (const code of codes) {
    const { status, headers, body } = read(refusal(code))
    assert.equal(status, errorStatus(code), code)
    assert.deepEqual([body['code'], body['message']], [code, errorMessage(code)])
    assert.ok(typeof body['error'] === 'string' && body['error'].length > 0, code)
    assert.equal(headers['www-authenticate'], status === 401 ? 'Bearer' : undefined, code)
    assert.equal(headers['retry-after'], status === 503 ? '1' : undefined, code)
    assert.deepEqual(body['details'], code === 'invalid_request' ? [] : undefined, code)
    for (const none of ['challenge', 'limit', 'archive']) assert.ok(!(none in body), code)
  }
})

test('the reason phrases are those of RFC 9110', () => {
  assert.equal(read(refusal('payload_too_large')).body['error'], 'Content Too Large')
  assert.equal(read(refusal('not_found')).body['error'], 'Not Found')
  const phrases = codes
    .filter((code) => errorStatus(code) === 422)
    .map((code) => read(refusal(code)))
  for (const { body } of phrases) assert.equal(body['error'], 'Unprocessable Content')
})

test('what a refusal brings is told: fields, a wait, details, a challenge, a limit', () => {
  const headers = { location: '/there' }
  const limited = read(refusal('rate_limited', { retryAfter: 0, headers }))
  assert.deepEqual(limited.headers, { ...headers, 'retry-after': '0' })
  const late = read(refusal('unavailable', { outage: 'pool', retryAfter: 7, because: 'secret' }))
  assert.equal(late.headers['retry-after'], '7')
  assert.ok(!JSON.stringify(late.body).includes('secret'))
  const details = [{ path: '/body/a', message: 'is missing' }]
  assert.deepEqual(read(refusal('invalid_request', { details })).body['details'], details)
  // Other codes have no details.
  assert.equal(read(refusal('not_found', { details })).body['details'], undefined)
  const [challenge, limit] = [{ id: 'c' }, { name: 'drafts', amount: '1', used: '1' }]
  assert.deepEqual(
    read(refusal('confirmation_required', { challenge })).body['challenge'],
    challenge,
  )
  assert.deepEqual(read(refusal('limit_exceeded', { limit })).body['limit'], limit)
})

test('the name of an archive is for staff alone', () => {
  const archive = { name: 'books', until: '2026-01-01T00:00:00.000Z' }
  const told = (isOfStaff?: boolean) =>
    read(refusal('archived', { archive }), isOfStaff === undefined ? {} : { isOfStaff }).body[
      'archive'
    ]
  assert.deepEqual(told(true), archive)
  for (const isOfStaff of [false, undefined])
    assert.deepEqual(told(isOfStaff), { until: archive.until })
})

test('with a key an unknown outcome says how to learn it, and nothing else does', () => {
  for (const code of codes) {
    const [plain, keyed] = [read(refusal(code)), read(refusal(code), { hasKey: true })]
    const isTold = plain.body['message'] !== keyed.body['message']
    assert.equal(isTold, code === 'outcome_unknown', code)
  }
  const { body } = read(refusal('outcome_unknown'), { hasKey: true })
  assert.match(body['message'] as string, /Idempotency-Key/)
})

test('an error of the framework is the refusal that it means, and any other a defect', () => {
  const cases: [thrown: unknown, code: Code][] = [
    [{ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }, 'payload_too_large'],
    [{ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }, 'unsupported_media_type'],
    [{ code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH', statusCode: 400 }, 'invalid_request'],
    [{ statusCode: 400 }, 'invalid_request'],
    [{ statusCode: 401 }, 'internal_error'],
    [{ statusCode: 500 }, 'internal_error'],
    [new Error('a defect'), 'internal_error'],
    // The framework sets a status on a refusal that a schema made.
    [Object.assign(refusal('not_found'), { statusCode: 400 }), 'not_found'],
  ]
  for (const [thrown, code] of cases) assert.equal(toRefusal(thrown).code, code)
})

test('no text leaves with raw markup, and a text without it leaves as it is', () => {
  assert.equal(
    withoutMarkup('{"a":"<&>\u2028\u2029"}'),
    '{"a":"\\u003c\\u0026\\u003e\\u2028\\u2029"}',
  )
  assert.equal(withoutMarkup('{"a":"b"}'), '{"a":"b"}')
  const details = [{ path: '/body/<script>', message: 'is not known here' }]
  assert.doesNotMatch(render(refusal('invalid_request', { details })).body, /[<>&]/)
})

test('the fields of every answer keep it out of caches, frames and other types', () => {
  assert.equal(securityHeaders['cache-control'], 'no-store')
  assert.equal(securityHeaders['x-content-type-options'], 'nosniff')
  assert.ok(Object.isFrozen(securityHeaders))
})
