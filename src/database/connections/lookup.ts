// Look-ups by identifier. Those that arrive in one turn of the event loop are sent together: one
// statement for each kind of row, all of them in one write. They cost less as the load grows.
import { currentScope, runFor, type Scope } from '../../domain/trace.ts'
import type { Transaction } from './lane.ts'
import type { ColumnType, RowOf, Statement } from '../statements/statement.ts'

type Key = 'uuid' | 'text'
type Keys = readonly [`${Key}[]`]

/** Finds rows by many keys at once; the column `id` tells which one a row belongs to. */
export type LookupStatement<G extends Record<string, ColumnType>> = Statement<
  Keys,
  G & { readonly id: Key }
>

export type Lookups = {
  /**
   * All rows with that `id`. No answer is older than its look-up.
   *
   * @param keysMax look-ups of one statement with it, fewer where each finds many rows
   */
  lookup<G extends Record<string, ColumnType>>(
    statement: LookupStatement<G>,
    id: string,
    keysMax?: number,
  ): Promise<RowOf<G & { readonly id: Key }>[]>
  /** How many look-ups that statement has served, and how often it was sent. */
  lookupCounts(statement: Statement): LookupCounts
}

export type LookupQueue = Lookups & {
  /** Calls `callback` once, before any look-up is sent that is made after this call. */
  beforeSending(callback: () => void): void
}

type Row = { id: string }
type KeyedStatement = Statement<Keys, { readonly id: Key }>
export type LookupCounts = { readonly asked: number; readonly sent: number }

type Waiting = PromiseWithResolvers<Row[]> & {
  /** The scopes of the traced requests that asked. */
  askers: Scope[]
}

type Kind = {
  asked: number
  sent: number
  underWay: number
  keysMax: number
  /** By identifier. */
  waiting: Map<string, Waiting>
}

/** Statements of one kind that run at the same time. */
const concurrency = 2
const keysPerStatementMax = 500

type Connection = Pick<Transaction, 'run' | 'together'>

/** @param connect gives a connection; only reads by a unique key are sent on it */
export function openLookups(connect: () => Promise<Connection>): LookupQueue {
  const kinds = new Map<KeyedStatement, Kind>()
  let isScheduled = false
  const callbacks = createCallbacks()

  const canSend = ({ waiting, underWay }: Kind): boolean =>
    waiting.size > 0 && underWay < concurrency

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    // After this turn of the event loop, so that all requests parsed in it share the statements.
    setImmediate(() => void flush())
  }

  async function flush(): Promise<void> {
    isScheduled = false
    if (!kinds.values().some(canSend)) return callbacks.run()
    try {
      const connection = await connect()
      callbacks.run()
      connection.together(() => {
        for (const [statement, kind] of kinds) {
          while (canSend(kind)) send(connection, statement, kind)
        }
      })
    } catch (thrown) {
      callbacks.run()
      for (const { waiting } of kinds.values()) {
        waiting.forEach(({ reject }) => reject(thrown))
        waiting.clear()
      }
    }
  }

  /** A look-up joins only a statement that was not sent yet: no answer is older than it. */
  function send({ run }: Connection, statement: KeyedStatement, kind: Kind): void {
    const batch = takeBatch(kind)
    const askers = [...batch.values()].flatMap((waiting) => waiting.askers)
    kind.sent++
    kind.underWay++
    runFor(askers, () => run(statement, [[...batch.keys()]]))
      .then((rows) => Map.groupBy<string, Row>(rows, ({ id }) => id))
      .then(
        (found) => batch.forEach(({ resolve }, id) => resolve(found.get(id) ?? [])),
        (thrown: unknown) => batch.forEach(({ reject }) => reject(thrown)),
      )
      .finally(() => {
        kind.underWay--
        if (canSend(kind)) schedule()
      })
  }

  return {
    lookup(statement, id, keysMax = keysPerStatementMax) {
      const kind = kinds.get(statement) ?? newKind()
      kinds.set(statement, kind)
      kind.asked++
      // What was asked for before has its limit until it is sent.
      kind.keysMax = kind.waiting.size === 0 ? keysMax : Math.min(kind.keysMax, keysMax)
      let lookup = kind.waiting.get(id)
      if (!lookup) {
        lookup = { ...Promise.withResolvers<Row[]>(), askers: [] }
        kind.waiting.set(id, lookup)
        if (canSend(kind)) schedule()
      }
      const asker = currentScope()
      if (asker) lookup.askers.push(asker)
      return lookup.promise as Promise<never[]>
    },
    beforeSending(callback) {
      callbacks.add(callback)
      schedule()
    },
    lookupCounts: (statement) => kinds.get(statement as KeyedStatement) ?? { asked: 0, sent: 0 },
  }
}

const newKind = (): Kind => ({ asked: 0, sent: 0, underWay: 0, keysMax: 0, waiting: new Map() })

/** Callbacks that are called once. */
function createCallbacks(): { add(callback: () => void): void; run(): void } {
  let waiting: (() => void)[] = []
  return {
    add: (callback) => void waiting.push(callback),
    run() {
      const due = waiting
      waiting = []
      for (const callback of due) callback()
    },
  }
}

function takeBatch(kind: Kind): Map<string, Waiting> {
  const { waiting: all, keysMax } = kind
  if (all.size <= keysMax) {
    kind.waiting = new Map()
    return all
  }
  const entries = [...all]
  kind.waiting = new Map(entries.slice(keysMax))
  return new Map(entries.slice(0, keysMax))
}
