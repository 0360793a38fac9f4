// The line of each answer: what a client may have chosen is masked in it, and nothing else is
// looked at.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import pg from 'pg'
import { Refusal } from '../domain/errors.ts'
import { LoggedError } from '../domain/logged-error.ts'
import { createLog } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { logAnswer, answeredBelow, isServerError, logRefusal } from './answer-log.ts'

const card = '4111111111111111'
const token = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl'

/** The line of a request that met the route of that pattern, or none. */
function lineOf(method: string, route: string | undefined, headers: Record<string, string> = {}) {
  const lines: string[] = []
  const log = createLog('info', (line) => void lines.push(line), 'full')
  const requestState = { address: '203.0.113.77', route }
  const request = { id: 'r', method, headers, requestState }
  const reply = { statusCode: 200, elapsedTime: 1.26 } as FastifyReply
  const metrics = createMetrics()
  logAnswer({ log, metrics }, request as unknown as FastifyRequest, reply)
  assert.equal(lines.length, 1)
  return lines[0] as string
}

test('a secret as the method of a request that meets no route is masked', () => {
  for (const secret of [card, token, 'DE91007700774307234058']) {
    const line = lineOf(secret, undefined)
    assert.ok(!line.includes(secret), line)
    assert.equal((JSON.parse(line) as { method: string }).method, '[masked]')
  }
})

test('a card number as the identifier of a trace is masked', () => {
  const traceparent = `00-0af7651916cd43dd8448eb211c80319c-${card}-01`
  const line = lineOf('GET', '/api/v1/me', { traceparent })
  assert.ok(!line.includes(card), line)
  assert.match(line, /"traceId":"0af7651916cd43dd8448eb211c80319c"/)
})

test('an answer of a route says which, how long it took and to whom', () => {
  const { time, ...event } = JSON.parse(lineOf('GET', '/api/v1/me')) as Record<string, unknown>
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  assert.deepEqual(event, {
    level: 30,
    requestId: 'r',
    method: 'GET',
    route: '/api/v1/me',
    status: 200,
    milliseconds: 1.3,
    address: '203.0.113.77',
    message: 'answered',
  })
})

test('errors of the server are those from 500 on, but not 501', () => {
  assert.deepEqual([499, 500, 501, 502, 503].filter(isServerError), [500, 502, 503])
})

test('a defect below the framework is an error in the log, what is unavailable a warning, a refusal neither', () => {
  const levels = (['internal_error', 'unavailable', 'rate_limited'] as const).map((code) => {
    const lines: string[] = []
    const log = createLog('info', (line) => void lines.push(line), 'full')
    const refusal = new Refusal(code, { outage: 'database', because: new Error('away') })
    const answer = { requestId: 'r', address: '203.0.113.77', refusal }
    answeredBelow({ log, metrics: createMetrics() }, answer)
    return lines.map((line) => (JSON.parse(line) as { level: number }).level)
  })
  assert.deepEqual(levels, [[50, 30], [40, 30], [30]])
})

test('each line of a failure says why in a few words, whatever was thrown, and none of them is a value', () => {
  const database = Object.assign(new pg.DatabaseError('key (x)=(Ada) exists', 1, 'error'), {
    code: '57014',
  })
  const reasons: [because: unknown, told: string][] = [
    ['the queue is full', 'the queue is full'],
    [database, '57014'],
    [Object.assign(new Error('connect 10.0.0.1'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new TypeError('of Ada'), 'TypeError'],
    [new LoggedError('a claim is lost'), 'a claim is lost'],
    [new Refusal('unavailable', { outage: 'database', because: database }), '57014'],
    [new Refusal('forbidden'), 'forbidden'],
    [undefined, 'no error was thrown'],
  ]
  for (const code of ['internal_error', 'outcome_unknown', 'unavailable'] as const) {
    for (const [because, told] of reasons) {
      const lines: string[] = []
      const log = createLog('info', (line) => void lines.push(line), 'full')
      logRefusal(log, new Refusal(code, { outage: 'database', because }), { requestId: 'r' })
      assert.equal((JSON.parse(String(lines)) as { because: string }).because, told)
      assert.ok(!lines.join('').includes('Ada'))
    }
  }
})

test('the span of an answer has failed from 500 on', () => {
  const failed = [499, 500, 501].filter((statusCode) => {
    let isFailed: boolean | undefined
    const scope = { end: (answer: { isFailed: boolean }) => void ({ isFailed } = answer) }
    const requestState = { address: '203.0.113.77', route: '/', scope }
    const request = { id: 'r', method: 'GET', headers: {}, requestState }
    const reply = { statusCode, elapsedTime: 1 } as FastifyReply
    const metrics = createMetrics()
    logAnswer({ log: createLog('silent'), metrics }, request as unknown as FastifyRequest, reply)
    return isFailed
  })
  assert.deepEqual(failed, [500, 501])
})

/** What the metrics and the log are told of an answer. */
function toldOf(make: (sinks: Parameters<typeof answeredBelow>[0]) => void) {
  const lines: string[] = []
  const calls: unknown[][] = []
  const metrics = {
    answered: (...given: unknown[]) => void calls.push(['answered', ...given]),
    limited: (...given: unknown[]) => void calls.push(['limited', ...given]),
  }
  const log = createLog('debug', (line) => void lines.push(line), 'full')
  make({ log, metrics: metrics as unknown as ReturnType<typeof createMetrics> })
  const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  return { calls, events: events.filter(({ message }) => message === 'answered') }
}

test('each answer is measured once, by its route and its code or status, and a full window by its class', () => {
  for (const [route, code, window] of [
    ['/api/v1/me', undefined, undefined],
    ['/api/v1/me', 'rate_limited', 'read.minute'],
    [undefined, 'not_found', undefined],
    [undefined, undefined, undefined],
  ] as const) {
    const requestState = { address: '203.0.113.77', route, code, window }
    const headers = { traceparent: `00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01` }
    for (const given of [{}, headers]) {
      const request = { id: 'r', method: 'GET', headers: given, requestState } as unknown
      const reply = { statusCode: 200, elapsedTime: 1500 } as FastifyReply
      const { calls, events } = toldOf((sinks) =>
        logAnswer(sinks, request as FastifyRequest, reply),
      )
      assert.deepEqual(calls, [['answered', 'GET', route, code ?? 200, 1.5]])
      assert.equal(events.length, 1)
      const [event] = events
      assert.deepEqual([event?.['code'], event?.['window']], [code, window])
      assert.ok(!('userId' in (event ?? {})))
    }
  }
})

test('an answer below the framework is measured by its code, or as a redirection', () => {
  const answer = { requestId: 'r', address: '203.0.113.77' }
  const below = (refusal: Refusal | undefined) =>
    toldOf((sinks) => answeredBelow(sinks, { ...answer, refusal }))
  const moved = below(undefined)
  assert.deepEqual(moved.calls, [['answered', 'none', undefined, 301, 0]])
  assert.equal(moved.events[0]?.['status'], 301)
  assert.ok(!('code' in (moved.events[0] ?? {})))
  const refused = below(new Refusal('not_found'))
  assert.deepEqual(refused.calls, [['answered', 'none', undefined, 'not_found', 0]])
  const limited = below(new Refusal('rate_limited', { window: 'address.minute' }))
  assert.deepEqual(limited.calls, [
    ['answered', 'none', undefined, 'rate_limited', 0],
    ['limited', 'address'],
  ])
  assert.equal(limited.events[0]?.['window'], 'address.minute')
})

test('a span names its route and method, and none of what a client chose', () => {
  const spanOf = (
    method: string,
    route: string | undefined,
    isPortal: boolean,
    code?: string,
  ): Record<string, unknown> => {
    let told: { name: string; attributes: Record<string, unknown> } | undefined
    const scope = { end: (span: typeof told) => void (told = span) }
    const requestState = { address: '203.0.113.77', route, scope, isPortal, code }
    const request = { id: 'r', method, headers: {}, requestState } as unknown
    const reply = { statusCode: 404, elapsedTime: 1 } as FastifyReply
    toldOf((sinks) => logAnswer(sinks, request as FastifyRequest, reply))
    return { name: told?.name, ...told?.attributes }
  }
  const usual = { 'url.scheme': 'https', 'http.response.status_code': 404 }
  assert.deepEqual(spanOf('GET', '/api/v1/accounts/:accountId', false, 'not_found'), {
    ...usual,
    name: 'GET /api/v1/accounts/:accountId',
    'http.request.method': 'GET',
    'http.route': '/api/v1/accounts/:accountId',
    'url.path': '/api/v1/accounts/REDACTED',
    'error.type': 'not_found',
  })
  assert.deepEqual(spanOf('SECRET', undefined, true), {
    ...usual,
    name: 'none',
    'http.request.method': '_OTHER',
    'url.path': '/REDACTED',
  })
  assert.equal(spanOf('GET', '/api/v1/me', true)['url.path'], '/portal/api/v1/me')
  assert.equal(spanOf('GET', '/portal/', true)['url.path'], '/portal/')
})
