// Traces requests: which ones, and the spans they consist of. A span holds names of this program,
// the pattern of the route, status, code and times: no identifier, no text of a client.
import { randomBytes, randomInt } from 'node:crypto'
import type { Clock } from '../domain/clock.ts'
import { asRefusal, errorStatus } from '../domain/errors.ts'
import {
  type Attributes,
  parseTraceparent,
  runIn,
  type Scope,
  type SpanId,
  type Work,
} from '../domain/trace.ts'

/** A span that has ended. Times are in milliseconds since the epoch. */
export type Span = SpanId & {
  parentSpanId: string | undefined
  name: string
  kind: Work['kind']
  /** Whole milliseconds; the others are added to it, so that they keep their fractions. */
  epoch: number
  startedAfter: number
  endedAfter: number
  attributes: Attributes
  links: readonly SpanId[]
  droppedLinkCount: number
  isFailed: boolean
}

export type Tracer = {
  /** Runs `work` in the scope of a request, if the request is traced. */
  request(headers: Readonly<Record<string, unknown>>, work: () => void): void
}

/** One request has at most so many: a long file is read by many statements. */
const spansPerRequestMax = 128
/** As many as OpenTelemetry's SDKs keep. */
const linksMax = 128
/**
 * Requests that are traced in a second because their caller asks for it. A caller may be anybody:
 * beyond this the ratio decides, as for everybody.
 */
const askedPerSecondMax = 10

const newRandom = (): number => randomInt(1_000_000) / 1_000_000

const newHex = (byteCount: number): string => randomBytes(byteCount).toString('hex')

type TracerOptions = {
  clock: Pick<Clock, 'now' | 'monotonic'>
  /** The part of the requests that are traced, from 0 to 1. */
  ratio: number
  /** Takes spans that have ended; counts those that are not kept. */
  exporter: { add(span: Span): void; drop(): void }
  /** From 0 to 1, evenly spread. */
  random?: () => number
}

/** Makes the test whether a caller's wish to be traced is granted. */
function limitAsked(clock: Pick<Clock, 'monotonic'>): () => boolean {
  let second = -Infinity
  let askedCount = 0
  return () => {
    const now = clock.monotonic()
    if (now - second >= 1000) {
      second = now
      askedCount = 0
    }
    return ++askedCount <= askedPerSecondMax
  }
}

export function createTracer({
  clock,
  ratio,
  exporter,
  random = newRandom,
}: TracerOptions): Tracer {
  const isGranted = limitAsked(clock)

  function begin(traceId: string, parentSpanId: string | undefined): Scope {
    const epoch = clock.now()
    const startedAt = clock.monotonic()
    const since = () => clock.monotonic() - startedAt
    let isOpen = true
    let spanCount = 0

    type Begun = { name: string; parentSpanId: string | undefined; links: readonly SpanId[] } & Work
    function open({ name, parentSpanId: parent, links, kind, attributes: known }: Begun): Scope {
      const id = { traceId, spanId: newHex(8) }
      const startedAfter = since()
      const index = spanCount++
      const toScope = (next: readonly SpanId[]): Scope => ({
        ...id,
        isOpen: () => isOpen,
        linkedTo: toScope,
        async within(child, work, about) {
          if (!isOpen) return runIn(undefined, work)
          const scope = open({ name: child, parentSpanId: id.spanId, links: next, ...about })
          try {
            const result = await runIn(scope, work)
            scope.end({ isFailed: false })
            return result
          } catch (thrown) {
            const { code } = asRefusal(thrown)
            const isFailed = errorStatus(code) >= 500
            scope.end({ isFailed, attributes: { 'error.type': code } })
            throw thrown
          }
        },
        end({ name: last = name, attributes, isFailed }) {
          if (index === 0) isOpen = false
          if (index >= spansPerRequestMax) return exporter.drop()
          exporter.add({
            ...id,
            parentSpanId: parent,
            name: last,
            kind,
            epoch,
            startedAfter,
            endedAfter: since(),
            attributes: { ...known, ...attributes },
            links: links.slice(0, linksMax),
            droppedLinkCount: Math.max(0, links.length - linksMax),
            isFailed,
          })
        },
      })
      return toScope([])
    }
    return open({ name: 'request', parentSpanId, links: [], kind: 'server' })
  }

  return {
    request(headers, work) {
      const parent = parseTraceparent(headers['traceparent'])
      // By a number of our own, not by the trace's identifier, which a caller chooses.
      const isChosen = parent?.isSampled !== false && random() < ratio
      if (!isChosen && !(parent?.isSampled && isGranted())) return work()
      runIn(begin(parent?.traceId ?? newHex(16), parent?.spanId), work)
    },
  }
}
