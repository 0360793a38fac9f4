// The core for a thread of its own that answers requests: what it asks, and what is answered there.
import { refuse } from '../domain/errors.ts'
import type { LimitTable } from '../config/config.ts'
import { currentScope, type SpanId } from '../domain/trace.ts'
import { checkPassword } from '../features/auth/passwords.ts'
import { windowsOf } from '../gate/limits.ts'
import type { Order, Posted } from '../ledger/order.ts'
import type { Log } from '../telemetry/log.ts'
import type { Tracer } from '../telemetry/tracer.ts'
import type { Charge, Decision, Limit, Settlement } from '../gate/window.ts'
import type { Channel } from './channel.ts'
import type { Core } from './core.ts'

/**
 * What a request costs the two threads is mostly the cloning of objects, so charges and decisions
 * cross as flat lists: name and key of each window; and a number that names what was reserved (0:
 * nothing), the wait, and what remains and when it is reset of each window.
 */
type SentCharges = string[]
type SentDecision = number[]
type Waits = Parameters<Core['feed']['waitForNewer']>[1]

/** The limits of the service by the names of their windows, which both threads know. */
const byName = (limits: LimitTable): ReadonlyMap<string, Limit> =>
  new Map(windowsOf(limits).map((limit) => [limit.window, limit]))

/** The functions of the core for one other thread. */
export function toCoreFunctions(
  { windows, ledger, passwords, feed }: Core,
  { limits, log, tracer }: { limits: LimitTable; log: Log; tracer: Tracer | undefined },
) {
  const limitsByName = byName(limits)
  const reserved = new Map<number, Decision['settle']>()
  let lastReservation = 0

  function toCharges(sent: SentCharges): Charge[] {
    const charges: Charge[] = []
    for (let at = 0; at < sent.length; at += 2) {
      const limit = limitsByName.get(sent[at] as string)
      if (!limit) throw new Error('a window that the service does not have')
      charges.push({ limit, key: sent[at + 1] as string })
    }
    return charges
  }

  function toSent({ waitMs, usages, settle }: Decision, charges: readonly Charge[]): SentDecision {
    const isReserved = waitMs === 0 && charges.some(({ limit }) => limit.isReserved)
    if (isReserved) reserved.set(++lastReservation, settle)
    const sent = [isReserved ? lastReservation : 0, waitMs]
    for (const { remaining, resetMs } of usages) sent.push(remaining, resetMs)
    return sent
  }

  function decide(verb: 'take' | 'peek', sent: SentCharges): SentDecision | Promise<SentDecision> {
    const charges = toCharges(sent)
    const counted = verb === 'take' ? charges : []
    const decision = windows[verb](charges)
    return decision instanceof Promise
      ? decision.then((made) => toSent(made, counted))
      : toSent(decision, counted)
  }

  return {
    take: (charges: SentCharges) => decide('take', charges),
    peek: (charges: SentCharges) => decide('peek', charges),
    async settle(reservation: number, outcome: Settlement): Promise<void> {
      const settle = reserved.get(reservation)
      reserved.delete(reservation)
      await settle?.(outcome)
    },
    submit(order: Order, asker: SpanId | undefined): Promise<Posted> {
      const submit = () => ledger.submit(order)
      return tracer && asker ? tracer.resume(asker, 'ledger.submit', submit) : submit()
    },
    hash: (password: string) => passwords.hash(password),
    hashRaw: (texts: string[], salt: Uint8Array) => passwords.hashRaw(texts, Buffer.from(salt)),
    verify: (stored: string | null, password: string) => passwords.verify(stored, password),
    renewed: (stored: string, password: string) => passwords.renewed(stored, password),
    lastEvent: () => feed.last(),
    waitForEvent: (callerId: string, wait: Omit<Waits, 'signal'>, signal: AbortSignal) =>
      feed.waitForNewer(callerId, { ...wait, signal }),
    log: (line: string) => log.line(line),
  }
}

export type CoreFunctions = ReturnType<typeof toCoreFunctions>

/** @param isEnding whether requests may no longer wait for events */
export function remoteCore(
  { call, isFull }: Channel<CoreFunctions>,
  isEnding: () => boolean,
): Core {
  async function decide(verb: 'take' | 'peek', charges: readonly Charge[]): Promise<Decision> {
    // Every request begins with one, so no request begins beyond the bound.
    if (isFull()) refuse('unavailable', { because: 'too many calls' })
    const sent = charges.flatMap(({ limit, key }) => [limit.window, key])
    const [reservation, waitMs, ...numbers] = await call(verb, [sent])
    if (reservation === undefined || waitMs === undefined || numbers.length !== sent.length) {
      throw new Error('a decision without all its windows')
    }
    const usages = charges.map((_, index) => ({
      remaining: numbers[2 * index] as number,
      resetMs: numbers[2 * index + 1] as number,
    }))
    const settle = async (outcome: Settlement): Promise<void> => {
      if (reservation > 0) await call('settle', [reservation, outcome])
    }
    return { waitMs, usages, settle }
  }

  return {
    windows: {
      take: (charges) => decide('take', charges),
      peek: (charges) => decide('peek', charges),
    },
    ledger: { submit: (order) => call('submit', [order, toSpanId(currentScope())]) },
    passwords: {
      check: checkPassword,
      hash: (password) => call('hash', [password]),
      hashRaw: async (texts, salt) =>
        (await call('hashRaw', [[...texts], salt])).map((each) => Buffer.from(each)),
      verify: (stored, password) => call('verify', [stored, password]),
      renewed: (stored, password) => call('renewed', [stored, password]),
    },
    feed: {
      last: () => call('lastEvent', []),
      waitForNewer: (callerId, { signal, ...wait }) =>
        call('waitForEvent', [callerId, wait], signal),
      isEnding,
    },
  }
}

const toSpanId = (scope: SpanId | undefined): SpanId | undefined =>
  scope && { traceId: scope.traceId, spanId: scope.spanId }
