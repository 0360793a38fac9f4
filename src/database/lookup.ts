// Look-ups by identifier: those of one statement that arrive at the same time are sent together.
import { currentScope, runFor, type Scope } from '../domain/trace.ts'
import { coalesce } from './coalesce.ts'
import type { ColumnType, Db, RowOf, Statement } from './statement.ts'

type Key = 'uuid' | 'text'
type Keys = readonly [`${Key}[]`]

/** Finds rows by many keys at once; the column `id` tells which one a row belongs to. */
export type LookupStatement<G extends Record<string, ColumnType>> = Statement<
  Keys,
  G & { readonly id: Key }
>

export type Lookups = {
  /** All rows with that `id`. No answer is older than its look-up. */
  lookup<G extends Record<string, ColumnType>>(
    statement: LookupStatement<G>,
    id: string,
  ): Promise<RowOf<G & { readonly id: Key }>[]>
  /** How many look-ups that statement has served, and how often it was sent. */
  lookupCounts(statement: Statement): LookupCounts
}

type Row = { id: string }
export type LookupCounts = { readonly asked: number; readonly sent: number }

type Kind = {
  asked: number
  sent: number
  /** The scopes of traced requests whose look-ups wait, by what they look up. */
  askers: Map<string, Scope[]>
  find(id: string): Promise<Row[] | undefined>
}

function takeAskers({ askers }: Kind, ids: readonly string[]): Scope[] {
  if (askers.size === 0) return []
  const taken = ids.flatMap((id) => askers.get(id) ?? [])
  for (const id of ids) askers.delete(id)
  return taken
}

/** @param db sends a statement; only reads by a unique key come here */
export function openLookups(db: Db): Lookups {
  const kinds = new Map<Statement, Kind>()

  function openKind(statement: Statement<Keys, { readonly id: Key }>): Kind {
    const kind: Kind = {
      asked: 0,
      sent: 0,
      askers: new Map(),
      find: coalesce(async (ids) => {
        kind.sent++
        const rows = await runFor(takeAskers(kind, ids), () => db.run(statement, [ids]))
        return Map.groupBy<string, Row>(rows, ({ id }) => id)
      }),
    }
    kinds.set(statement, kind)
    return kind
  }

  return {
    async lookup(statement, id) {
      const kind = kinds.get(statement) ?? openKind(statement)
      kind.asked++
      const asker = currentScope()
      if (asker) kind.askers.set(id, [...(kind.askers.get(id) ?? []), asker])
      return ((await kind.find(id)) ?? []) as never[]
    },
    lookupCounts: (statement) => kinds.get(statement) ?? { asked: 0, sent: 0 },
  }
}
