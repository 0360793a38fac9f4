// What work is traced by: the field of W3C Trace Context, and the scope that work runs in. Without
// tracing no scope is ever entered, and to look for one costs nothing worth measuring.
import { AsyncLocalStorage } from 'node:async_hooks'

/** 32 and 16 hexadecimal digits in lower case. */
export type SpanId = { traceId: string; spanId: string }

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const zeros = /^0+$/

/**
 * Reads the field `traceparent` (W3C Trace Context, section 3.2). Undefined when it is not valid:
 * it is ignored then. A version after 00 is read as far as 00 goes.
 */
export function parseTraceparent(field: unknown): (SpanId & { isSampled: boolean }) | undefined {
  if (typeof field !== 'string') return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(field) ?? []
  if (version === undefined || version === 'ff') return undefined
  if (version === '00' && more !== undefined) return undefined
  if (zeros.test(traceId) || zeros.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Names of this program, patterns and numbers: never a value that a client sent. */
export type Attributes = Readonly<Record<string, string | number>>

export type Work = { attributes?: Attributes; kind?: 'server' | 'client' }

export const toPostgres: Work = {
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql' },
}

/** A span that work runs in. */
export type Scope = SpanId & {
  /** Whether its request is still under way. What goes on afterwards is not traced. */
  isOpen(): boolean
  /** Runs `work` in a span of its own below this one. */
  within<R>(name: string, work: () => Promise<R>, about?: Work): Promise<R>
  /** The same scope, whose next spans are linked to the others as well. */
  linkedTo(others: readonly SpanId[]): Scope
  /** Ends the span. */
  end(about: { name?: string; attributes?: Attributes; isFailed: boolean }): void
}

const scopes = new AsyncLocalStorage<Scope | undefined>()

export const currentScope = (): Scope | undefined => scopes.getStore()

export const runIn = <R>(scope: Scope | undefined, work: () => R): R => scopes.run(scope, work)

/** Runs `work`, in a span of its own if it runs in a scope. */
export function runTraced<R>(name: string, work: () => Promise<R>, about?: Work): Promise<R> {
  const scope = scopes.getStore()
  return scope === undefined ? work() : scope.within(name, work, about)
}

/**
 * Runs work that several requests share, in the scope of the first that is traced; the spans in it
 * are linked to the others. A timer or a queue would run it in the scope of whichever request set
 * it.
 */
export function runFor<R>(askers: readonly Scope[], work: () => R): R {
  const [first, ...others] = askers.filter((scope) => scope.isOpen())
  const scope = first && (others.length === 0 ? first : first.linkedTo(others))
  return scope === undefined && scopes.getStore() === undefined ? work() : runIn(scope, work)
}
