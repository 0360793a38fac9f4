// Tracing without a service: which requests are traced, and what becomes of spans that the
// collector does not take.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../test/support/clock.ts'
import { collector } from '../../test/support/collector.ts'
import { currentScope, runFor, runIn, type Scope, runTraced } from '../domain/trace.ts'
import { refuse } from '../domain/errors.ts'
import { createLog } from './log.ts'
import { type Exporter, openExporter } from './otlp.ts'
import { createTracer, type Span } from './tracer.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const asked = { traceparent: `00-${traceId}-${spanId}-01` }
const declined = { traceparent: `00-${traceId}-${spanId}-00` }

function tracing(ratio: number, random = () => 0.5) {
  const clock = fakeClock()
  const spans: Span[] = []
  let dropped = 0
  const exporter = { add: (span: Span) => void spans.push(span), drop: () => void dropped++ }
  const tracer = createTracer({ clock, ratio, exporter, random })
  const isTraced = (headers: Record<string, string>): boolean => {
    let scope: Scope | undefined
    tracer.request(headers, () => (scope = currentScope()))
    return scope !== undefined
  }
  const begin = (headers: Record<string, string> = {}): Scope => {
    let scope: Scope | undefined
    tracer.request(headers, () => (scope = currentScope()))
    return scope ?? assert.fail('not traced')
  }
  return { clock, spans, isTraced, begin, droppedCount: () => dropped }
}

test('without a caller the ratio decides; a caller that does not trace is followed', () => {
  const draws = [0.1, 0.29, 0.3, 0.9]
  const { isTraced } = tracing(0.3, () => draws.shift() ?? 1)
  assert.deepEqual([{}, {}, {}, {}].map(isTraced), [true, true, false, false])
  assert.equal(tracing(1).isTraced(declined), false)
  assert.equal(tracing(0, () => 0).isTraced({}), false)
})

test('callers that ask to be traced get ten requests in a second between them, and no more', () => {
  const { isTraced, clock } = tracing(0)
  const ask = (count: number) =>
    Array.from({ length: count }, () => isTraced(asked)).filter(Boolean).length
  assert.equal(ask(1000), 10)
  clock.advance(999)
  assert.equal(ask(1000), 0)
  clock.advance(1)
  assert.equal(ask(1000), 10)
  const forged = { traceparent: `00-${'0'.repeat(32)}-${spanId}-01` }
  clock.advance(1000)
  assert.equal(isTraced(forged), false)
})

test('a trace is continued from its caller, or begins with a number of its own', async () => {
  const { begin, spans } = tracing(1)
  begin(asked).end({ isFailed: false })
  begin({ traceparent: 'forged' }).end({ isFailed: true })
  const [continued, own] = spans
  assert.deepEqual([continued?.traceId, continued?.parentSpanId], [traceId, spanId])
  assert.match(own?.traceId ?? '', /^[0-9a-f]{32}$/)
  assert.notEqual(own?.traceId, traceId)
  assert.deepEqual([own?.parentSpanId, own?.isFailed], [undefined, true])
})

test('work is a span below the one it runs in, with its duration and the code of its refusal', async () => {
  const { begin, spans, clock } = tracing(1)
  const scope = begin()
  await runIn(scope, () =>
    runTraced('outer', async () => {
      clock.advance(5)
      await runTraced('inner', async () => clock.advance(2))
    }),
  )
  const refused = runIn(scope, () => runTraced('refused', async () => refuse('forbidden')))
  await assert.rejects(refused, { code: 'forbidden' })
  const broken = runIn(scope, () => runTraced('broken', async () => Promise.reject(new Error('x'))))
  await assert.rejects(broken)
  const [inner, outer, forbidden, defect] = spans
  assert.deepEqual(
    [inner, outer].map((span) => [span?.name, (span?.endedAfter ?? 0) - (span?.startedAfter ?? 0)]),
    [
      ['inner', 2],
      ['outer', 7],
    ],
  )
  assert.equal(inner?.parentSpanId, outer?.spanId)
  assert.equal(outer?.parentSpanId, scope.spanId)
  assert.deepEqual(
    [forbidden?.isFailed, forbidden?.attributes],
    [false, { 'error.type': 'forbidden' }],
  )
  assert.deepEqual(
    [defect?.isFailed, defect?.attributes],
    [true, { 'error.type': 'internal_error' }],
  )
})

test('shared work is below the first request that is still under way, and linked to the others', async () => {
  const { begin, spans } = tracing(1)
  const [over, first, second, third] = [begin(), begin(), begin(), begin()]
  over.end({ isFailed: false })
  spans.length = 0
  await runFor([over, first, second, third], () => runTraced('shared', async () => {}))
  assert.deepEqual([spans.length, spans[0]?.parentSpanId], [1, first.spanId])
  assert.deepEqual(
    spans[0]?.links.map((link) => link.spanId),
    [second.spanId, third.spanId],
  )
  // It belongs to nobody who is traced, though a traced request set it going.
  await runIn(first, () => runFor([], () => runTraced('of others', async () => {})))
  await runIn(over, () => runTraced('left behind', async () => {}))
  assert.equal(spans.length, 1)
  const many = Array.from({ length: 200 }, () => begin())
  await runFor(many, () => runTraced('crowded', async () => {}))
  assert.deepEqual([spans[1]?.links.length, spans[1]?.droppedLinkCount], [128, 71])
})

test('a request has a bounded number of spans, and those beyond it are counted', async () => {
  const { begin, spans, droppedCount } = tracing(1)
  const scope = begin()
  await runIn(scope, async () => {
    for (let count = 0; count < 200; count++) await runTraced('statement', async () => {})
  })
  scope.end({ isFailed: false })
  assert.deepEqual([spans.length, droppedCount()], [128, 73])
  assert.equal(spans.at(-1)?.spanId, scope.spanId)
})

const span: Span = {
  traceId,
  spanId,
  parentSpanId: undefined,
  name: 'GET /x',
  kind: 'server',
  epoch: 1_767_344_400_123,
  startedAfter: 0.25,
  endedAfter: 2.5,
  attributes: { 'http.response.status_code': 200, 'http.route': '/x' },
  links: [],
  droppedLinkCount: 0,
  isFailed: false,
}

function exporterTo(t: TestContext, url: string): Exporter & { logged: string[] } {
  const logged: string[] = []
  const exporter = openExporter(
    url,
    createLog('info', (line) => void logged.push(line)),
  )
  t.after(() => exporter.close())
  return { ...exporter, logged }
}

const fill = (exporter: Exporter, count: number): void => {
  for (let added = 0; added < count; added++) exporter.add(span)
}

test('a span is sent as OTLP writes it: hexadecimal identifiers, nanoseconds as text', async (t) => {
  const to = await collector(t)
  const exporter = exporterTo(t, `${to.url}/`)
  exporter.add(span)
  exporter.add({ ...span, links: [{ traceId, spanId }], isFailed: true, kind: undefined })
  await exporter.flush()
  const [plain, linked] = to.spans
  assert.deepEqual(plain, {
    traceId,
    spanId,
    name: 'GET /x',
    kind: 2,
    startTimeUnixNano: '1767344400123250000',
    endTimeUnixNano: '1767344400125500000',
    attributes: [
      { key: 'http.response.status_code', value: { intValue: '200' } },
      { key: 'http.route', value: { stringValue: '/x' } },
    ],
  })
  assert.deepEqual([linked?.links, linked?.status], [[{ traceId, spanId }], { code: 2 }])
  assert.equal(linked?.kind, 1)
})

test('a full queue drops what is new and counts it; what it holds arrives once the collector answers', async (t) => {
  const to = await collector(t)
  to.mood = 503
  const exporter = exporterTo(t, to.url)
  fill(exporter, 3000)
  assert.equal(exporter.droppedCount(), 952)
  await exporter.flush()
  await exporter.flush()
  assert.equal(to.spans.length, 0)
  to.mood = 200
  await exporter.flush()
  assert.deepEqual([to.spans.length, exporter.droppedCount()], [2048, 952])
  const messages = exporter.logged.map((line) => (JSON.parse(line) as { message: string }).message)
  assert.deepEqual(messages, ['no spans reach the collector', 'spans reach the collector again'])
})

test('spans that the collector refuses are dropped and counted, those for a dead one wait', async (t) => {
  const to = await collector(t)
  to.mood = 400
  const exporter = exporterTo(t, to.url)
  fill(exporter, 600)
  await exporter.flush()
  assert.equal(exporter.droppedCount(), 600)
  const dead = exporterTo(t, 'http://127.0.0.1:9')
  fill(dead, 5)
  await dead.flush()
  assert.equal(dead.droppedCount(), 0)
  await dead.close()
  assert.equal(dead.droppedCount(), 5)
  dead.add(span)
  assert.equal(dead.droppedCount(), 6)
})

test('the end sends what waits, and waits two seconds for a collector that hangs', async (t) => {
  const to = await collector(t)
  const exporter = exporterTo(t, to.url)
  fill(exporter, 700)
  await exporter.close()
  assert.deepEqual([to.spans.length, exporter.droppedCount()], [700, 0])
  to.mood = 'hangs'
  const slow = exporterTo(t, to.url)
  fill(slow, 7)
  const startedAt = performance.now()
  await slow.close()
  const took = performance.now() - startedAt
  assert.ok(took > 1900 && took < 4800, `${took} ms`)
  assert.equal(slow.droppedCount(), 7)
})
