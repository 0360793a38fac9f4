// Sends spans to a collector by OTLP/HTTP in JSON (OpenTelemetry protocol 1.x). They wait in memory
// in a bounded queue: no request waits for the collector, and what does not fit is counted.
import type { SpanId } from '../domain/trace.ts'
import { describeError, type Log } from './log.ts'
import type { Span } from './tracer.ts'

export type Exporter = {
  /** Takes a span to be sent soon. Never fails. */
  add(span: Span): void
  /** Counts a span that is not kept. */
  drop(): void
  droppedCount(): number
  /** One attempt at what waits. Never rejects. */
  flush(): Promise<void>
  /** Sends what waits, for a moment, and drops the rest. */
  close(): Promise<void>
}

const waitingMax = 2048
const batchSizeMax = 512
const flushIntervalMs = 1000
const attemptTimeoutMs = 5000
const closeTimeoutMs = 2000

/** Statuses of OTLP/HTTP after which the same spans may be sent again. */
const mayRetry = new Set([429, 502, 503, 504])

/** @param url of the collector, to which `/v1/traces` is added */
export function openExporter(url: string, log: Log): Exporter {
  const target = `${url.replace(/\/+$/, '')}/v1/traces`
  const closing = new AbortController()
  let waiting: Span[] = []
  let droppedCount = 0
  let sending: Promise<void> | undefined
  let isAway = false

  function report(error?: ReturnType<typeof describeError>): void {
    const isAwayNow = error !== undefined
    if (isAwayNow && !isAway) log.warn({ error }, 'no spans reach the collector')
    if (!isAwayNow && isAway) log.over('warn', {}, 'spans reach the collector again')
    isAway = isAwayNow
  }

  async function sendSpans(batch: readonly Span[]): Promise<'taken' | 'refused' | 'later'> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(attemptTimeoutMs)])
    const headers = { 'content-type': 'application/json' }
    const body = toJson(batch)
    try {
      const response = await fetch(target, {
        method: 'POST',
        headers,
        body,
        redirect: 'error',
        signal,
      })
      await response.body?.cancel()
      if (response.ok) {
        report()
        return 'taken'
      }
      report({ name: 'Refused', stack: undefined, state: String(response.status) })
      return mayRetry.has(response.status) ? 'later' : 'refused'
    } catch (thrown) {
      report(describeError(thrown))
      return 'later'
    }
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSizeMax)
      const outcome = await sendSpans(batch)
      if (outcome === 'later') return
      if (outcome === 'refused') droppedCount += batch.length
      waiting = waiting.slice(batch.length)
    }
  }

  const flush = (): Promise<void> => (sending ??= sendAll().finally(() => (sending = undefined)))
  const timer = setInterval(() => void flush(), flushIntervalMs).unref()

  return {
    add(span) {
      if (waiting.length < waitingMax && !closing.signal.aborted) waiting.push(span)
      else droppedCount++
    },
    drop: () => void droppedCount++,
    droppedCount: () => droppedCount,
    flush,
    async close() {
      clearInterval(timer)
      const timeout = setTimeout(() => closing.abort(), closeTimeoutMs)
      await sending
      if (!closing.signal.aborted) await flush()
      clearTimeout(timeout)
      closing.abort()
      droppedCount += waiting.length
      waiting = []
    },
  }
}

/** Numbers of `SpanKind`; a span without one is internal. */
const kinds = { server: 2, client: 3 } as const
const statusError = 2

const nanoseconds = (epoch: number, after: number): string =>
  String(BigInt(Math.floor(epoch)) * 1_000_000n + BigInt(Math.round(after * 1e6)))

const toAttributes = (attributes: Span['attributes']) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))

const toLink = ({ traceId, spanId }: SpanId) => ({ traceId, spanId })

/** The body of an `ExportTraceServiceRequest`. Identifiers are in hexadecimal (OTLP, JSON). */
function toJson(spans: readonly Span[]): string {
  const resource = { attributes: toAttributes({ 'service.name': 'strongroom' }) }
  const list = spans.map((span) => ({
    ...toLink(span),
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.kind ? kinds[span.kind] : 1,
    startTimeUnixNano: nanoseconds(span.epoch, span.startedAfter),
    endTimeUnixNano: nanoseconds(span.epoch, span.endedAfter),
    attributes: toAttributes(span.attributes),
    ...(span.links.length > 0 && { links: span.links.map(toLink) }),
    ...(span.droppedLinkCount > 0 && { droppedLinksCount: span.droppedLinkCount }),
    ...(span.isFailed && { status: { code: statusError } }),
  }))
  const scopeSpans = [{ scope: { name: 'strongroom' }, spans: list }]
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
}
