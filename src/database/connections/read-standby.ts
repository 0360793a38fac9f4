// Reads of requests at a standby, in the place of the primary. Each needs a position of the
// primary's log that was asked for after its request began, and is sent on a connection where the
// standby has carried the log out that far: it finds all that was committed before the request.
// Look-ups of one request share the position. What fails there is read at the primary, once. A
// standby that cannot be used is left alone meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { waitWithin } from '../../domain/bounded-wait.ts'
import { Refusal } from '../../domain/errors.ts'
import { LoggedError } from '../../domain/logged-error.ts'
import { answersOf } from './cork.ts'
import {
  type HandlerReads,
  openHandlerReads,
  openReadLanes,
  type OptionsFor,
  type Timeouts,
} from './handler-reads.ts'
import { genericPlans } from './generic-plans.ts'
import type { Lane } from './lane.ts'
import {
  findUnfit,
  type LogPosition,
  readPosition,
  readReplayed,
  type Replayed,
  toPosition,
  type Unfit,
} from './log-position.ts'
import { type Lookups, openLookups } from './lookup.ts'
import { quickTimeoutMs } from './quick-reads.ts'
import type { Snapshot } from './snapshot.ts'
import { type Db, one, type RowOf } from '../statements/statement.ts'

/** Why a standby is not used. */
export type UnusedCause = Unfit | 'no answer'

type Listener = (cause: UnusedCause | undefined) => void

/** The reads of one request: the standby's while it is used, else the primary's. */
export type RequestReads = Omit<HandlerReads, 'close'> & {
  /** Look-ups of owners. */
  lookup: Lookups['lookup']
}

export type ReadStandby = {
  /** Each read finds all that was committed before this call. */
  openRequest(): RequestReads
  isUsed(): boolean
  /** Reads that the standby has answered, and those that it left to the primary. */
  counts(): { answered: number; handedOver: number }
  /**
   * Calls the listener with the cause when the standby is not used any more, and without one when
   * it has been used again for {@link quietMs}.
   */
  onChange(listener: Listener): void
  close(): Promise<unknown>
}

/** For about 50 ms a read waits until the log is carried out. Streaming takes 1 to 5 ms. */
const pollMs = 2
const pollsMax = 20
/** For how long a standby that falls silent holds a read up. */
const guardMsMax = 250
const quickAnswerMs = 500
const retryMs = 1000
const quietMs = 10_000

class Unusable extends LoggedError {
  readonly because: UnusedCause
  constructor(because: UnusedCause) {
    super(`the standby for reads: ${because}`)
    this.because = because
  }
}

/** The primary did not tell its position: nothing is known of the standby. */
class NoPosition extends LoggedError {}

type StandbyParts = {
  slow: Timeouts
  /** The primary's. */
  lookups: Pick<Lookups, 'lookup'>
  primary: HandlerReads
}

/** @param optionsFor of connections to the standby */
export function openReadStandby(optionsFor: OptionsFor, parts: StandbyParts): ReadStandby {
  const guard = createGuard(parts.lookups)
  const pages = new NewestRequest()
  const owners = new NewestRequest()
  const there = openHandlerReads(
    optionsFor,
    { slow: parts.slow, quickAnswerMs },
    { ...guard, pagesOn: (lane) => guard.lookupsOn(lane, pages) },
  )
  const [probeLane] = openReadLanes(optionsFor, 1, []) as [Lane]
  const quick = { statementMs: quickTimeoutMs, answerMs: quickAnswerMs }
  const [ownerLane] = openReadLanes(optionsFor, 1, genericPlans, quick) as [Lane]
  const ownersThere = guard.lookupsOn(ownerLane, owners)
  const use = watchUse(() => guard.onLane(probeLane).run(readReplayed, []))
  const { primary } = parts

  function openRequest(): RequestReads {
    const begun = guard.begin()
    return {
      as(name) {
        const [first, then] = [there.as(name), primary.as(name)]
        return {
          run: (statement, values) =>
            use.firstOf(
              () => first.run(statement, values),
              () => then.run(statement, values),
            ),
        }
      },
      lookupMany: (...asked) =>
        use.firstOf(
          () => (pages.add(begun), there.lookupMany(...asked)),
          () => primary.lookupMany(...asked),
        ),
      lookup: (...asked) =>
        use.firstOf(
          () => (owners.add(begun), ownersThere.lookup(...asked)),
          () => parts.lookups.lookup(...asked),
        ),
      openSnapshot: (holder) =>
        use.firstOf(
          async () =>
            replaceableSnapshot(await there.openSnapshot(holder), use, () =>
              primary.openSnapshot(holder),
            ),
          () => primary.openSnapshot(holder),
        ),
    }
  }

  return {
    openRequest,
    isUsed: use.isUsed,
    counts: use.counts,
    onChange: use.onChange,
    close() {
      use.close()
      return Promise.all([there.close(), ...[probeLane, ownerLane].map((lane) => lane.close())])
    },
  }
}

/** When the newest of the requests began that wait for look-ups of one kind. */
class NewestRequest {
  begun = 0
  add(begun: number): void {
    this.begun = Math.max(this.begun, begun)
  }
}

function createGuard(lookups: StandbyParts['lookups']) {
  /** Positions that were asked for are numbered: a request began after so many of them. */
  let askedCount = 0
  let newest: { number: number; position: LogPosition } | undefined

  /** A position that was asked for after so many. */
  async function readWanted(begun = askedCount): Promise<LogPosition> {
    if (newest && newest.number > begun) return newest.position
    const number = ++askedCount
    // All reads of one turn of the event loop share the statement, as sessions do.
    const rows = await lookups.lookup(readPosition, 'now').catch((thrown: unknown) => {
      throw new NoPosition('the primary does not tell its position', { cause: thrown })
    })
    const position = toPosition(rows[0] as RowOf<typeof readPosition.gives>)
    if (!newest || number > newest.number) newest = { number, position }
    return position
  }

  const inTime = <R>(answer: Promise<R>) =>
    waitWithin(answer, guardMsMax, () => new Unusable('no answer'))

  /** Resolves when each read on this connection from now on has all that was committed before. */
  async function requireReplayed(db: Db, begun?: number): Promise<void> {
    const read = async () => (await inTime(one(db, readReplayed, []))) as Replayed
    const [wanted, found] = await answersOf([readWanted(begun), read()])
    let unfit = findUnfit(found, wanted)
    for (let polls = 0; unfit === 'behind' && polls < pollsMax; polls++) {
      await sleep(pollMs)
      unfit = findUnfit(await read(), wanted)
    }
    if (unfit) throw new Unusable(unfit)
  }

  const onLane = (lane: Lane, requests?: NewestRequest): Db => ({
    async run(statement, values) {
      const connection = await inTime(lane.forTransaction())
      await requireReplayed(connection, requests?.begun)
      return connection.run(statement, values)
    },
  })

  return {
    /** When a request begins: for {@link NewestRequest}. */
    begin: () => askedCount,
    onLane: (lane: Lane) => onLane(lane),
    lookupsOn(lane: Lane, requests: NewestRequest): Pick<Lookups, 'lookup'> {
      const { run } = onLane(lane, requests)
      return openLookups(async () => ({ run, together: (send) => send() }))
    },
    beforeSnapshot: (db: Db) => requireReplayed(db),
  }
}

/** Undefined: the failure is one of a statement, such as a conflict with what the log removes. */
function causeOf(thrown: unknown): UnusedCause | undefined {
  if (thrown instanceof Unusable) return thrown.because
  if (!(thrown instanceof Refusal)) return undefined
  const { outage = 'database' } = thrown.options
  return outage === 'database' ? 'no answer' : undefined
}

/** What would be refused at the primary, too. */
const isOfCaller = (thrown: unknown): boolean =>
  thrown instanceof Refusal && thrown.options.outage === 'capacity'

export type Use = Pick<ReadStandby, 'isUsed' | 'counts' | 'onChange'> & {
  /** What `there` gives; while the standby is not used, and where that fails, what `here` gives. */
  firstOf<R>(there: () => Promise<R>, here: () => Promise<R>): Promise<R>
  close(): void
}

/** @param probe a read at the standby */
export function watchUse(probe: () => Promise<unknown>): Use {
  let isUsed = false
  let isTold = false
  let quiet: NodeJS.Timeout | undefined
  const count = { answered: 0, handedOver: 0 }
  const listeners: Listener[] = []
  let isClosed = false
  let next: NodeJS.Timeout | undefined

  function tell(cause: UnusedCause | undefined): void {
    isTold = cause !== undefined
    for (const listener of listeners) listener(cause)
  }

  function leave(cause: UnusedCause): void {
    if (isClosed) return
    clearTimeout(quiet)
    if (!isTold) tell(cause)
    if (!isUsed) return
    isUsed = false
    probeLater()
  }

  function begin(): void {
    isUsed = true
    if (isTold && !isClosed) quiet = setTimeout(tell, quietMs, undefined).unref()
  }

  async function probeUntilUsed(): Promise<void> {
    try {
      await probe()
      begin()
    } catch (thrown) {
      const cause = causeOf(thrown)
      if (cause) leave(cause)
      probeLater()
    }
  }

  function probeLater(): void {
    if (!isClosed) next = setTimeout(() => void probeUntilUsed(), retryMs).unref()
  }
  // After this turn of the event loop: what opens it listens by then.
  setImmediate(() => void probeUntilUsed())

  return {
    isUsed: () => isUsed,
    counts: () => count,
    onChange: (listener) => void listeners.push(listener),
    async firstOf(there, here) {
      if (!isUsed) return here()
      try {
        const answer = await there()
        count.answered++
        return answer
      } catch (thrown) {
        if (isOfCaller(thrown)) throw thrown
        const cause = causeOf(thrown)
        if (cause) leave(cause)
        count.handedOver++
        return here()
      }
    },
    close() {
      isClosed = true
      clearTimeout(quiet)
      clearTimeout(next)
    },
  }
}

/**
 * A snapshot at the standby which, once a statement fails there, is one at the primary. That one is
 * later: a reader that goes on by sequence numbers finds the same entries there.
 */
export function replaceableSnapshot(
  there: Snapshot,
  { firstOf }: Pick<Use, 'firstOf'>,
  openHere: () => Promise<Snapshot>,
): Snapshot {
  const ending = new AbortController()
  let current: Snapshot
  let replacing: Promise<Snapshot> | undefined
  let isOpen = true
  function use(snapshot: Snapshot): Snapshot {
    const { signal } = snapshot
    signal.addEventListener('abort', () => ending.abort(signal.reason), { once: true })
    return (current = snapshot)
  }

  async function replace(): Promise<Snapshot> {
    there.close()
    const here = use(await openHere())
    if (!isOpen) here.close()
    return here
  }

  use(there)
  return {
    signal: ending.signal,
    async run(statement, values) {
      if (replacing || !isOpen || ending.signal.aborted) {
        return (await (replacing ?? current)).run(statement, values)
      }
      return firstOf(
        () => there.run(statement, values),
        async () => (await (replacing ??= replace())).run(statement, values),
      )
    },
    close() {
      isOpen = false
      current.close()
    },
  }
}
