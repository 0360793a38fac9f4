// The reads of handlers at one server: quick and slow lanes, a lane of pages, and snapshots.
import type { ClientOptions } from './client.ts'
import { byKeys, genericPlans } from './generic-plans.ts'
import { type Lane, openLane } from './lane.ts'
import { type Lookups, openLookups } from './lookup.ts'
import { quickFirst, quickTimeoutMs } from './quick-reads.ts'
import { openReaders, type Readers } from './readers.ts'
import { openSnapshots, type Snapshots } from './snapshot.ts'
import type { Db } from '../statements/statement.ts'

export type HandlerReads = Readers & {
  /** A look-up that finds many rows, and is cut off like a quick read: see {@link quickFirst}. */
  readonly lookupMany: Lookups['lookup']
  readonly openSnapshot: Snapshots['open']
  close(): Promise<unknown>
}

export type Timeouts = { statementMs: number; answerMs: number }
export type OptionsFor = (settings?: readonly string[], timeouts?: Timeouts) => () => ClientOptions

const quickLaneCount = 2
const slowLaneCount = 5

const readOnly = '-c default_transaction_read_only=on'

export const openReadLanes = (
  optionsFor: OptionsFor,
  count: number,
  settings: readonly string[],
  timeouts?: Timeouts,
): Lane[] =>
  Array.from({ length: count }, () => openLane(optionsFor([...settings, readOnly], timeouts)))

/** Uses the lanes in turn. */
export function inTurn<L>(lanes: readonly L[]): () => L {
  let turn = 0
  return () => lanes[(turn = (turn + 1) % lanes.length)] as L
}

type ReadTimes = {
  /** How long a statement may take. */
  slow: Timeouts
  /** How long an answer of a quick read may take. */
  quickAnswerMs: number
}

/** What is asked of a server before it reads. */
export type Guard = {
  /** Reads on the lane. */
  onLane(lane: Lane): Db
  /** Look-ups of pages on the lane. */
  pagesOn(lane: Lane): Pick<Lookups, 'lookup'>
  /** Before a snapshot is taken. */
  beforeSnapshot(db: Db): Promise<void>
}

/** @param guard undefined: the primary, of which nothing is asked */
export function openHandlerReads(
  optionsFor: OptionsFor,
  { slow, quickAnswerMs }: ReadTimes,
  guard?: Guard,
): HandlerReads {
  const quick = { statementMs: quickTimeoutMs, answerMs: quickAnswerMs }
  const quickLanes = openReadLanes(optionsFor, quickLaneCount, [byKeys], quick)
  const slowLanes = openReadLanes(optionsFor, slowLaneCount, [byKeys], slow)
  // Sessions are looked up on others: no page holds them up.
  const [pageLane] = openReadLanes(optionsFor, 1, genericPlans, quick) as [Lane]
  const nextQuick = inTurn(guard ? quickLanes.map(guard.onLane) : quickLanes)
  const readers = openReaders(guard ? slowLanes.map(guard.onLane) : slowLanes, slow.answerMs)
  const pages = guard?.pagesOn(pageLane) ?? openLookups(pageLane.forTransaction)
  const snapshots = openSnapshots(optionsFor(), { before: guard?.beforeSnapshot })
  return {
    ...quickFirst({ run: (statement, values) => nextQuick().run(statement, values) }, readers),
    lookupMany: pages.lookup,
    openSnapshot: snapshots.open,
    close: () =>
      Promise.all([
        ...[...quickLanes, ...slowLanes, pageLane].map((lane) => lane.close()),
        snapshots.close(),
      ]),
  }
}
