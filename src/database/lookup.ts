// Look-ups by identifier: those of one statement that arrive at the same time are sent together.
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

type Kind = { asked: number; sent: number; find(id: string): Promise<Row[] | undefined> }

/** @param db sends a statement; only reads by a unique key come here */
export function openLookups(db: Db): Lookups {
  const kinds = new Map<Statement, Kind>()

  function openKind(statement: Statement<Keys, { readonly id: Key }>): Kind {
    const kind: Kind = {
      asked: 0,
      sent: 0,
      find: coalesce(async (ids) => {
        kind.sent++
        return Map.groupBy<string, Row>(await db.run(statement, [ids]), ({ id }) => id)
      }),
    }
    kinds.set(statement, kind)
    return kind
  }

  return {
    async lookup(statement, id) {
      const kind = kinds.get(statement) ?? openKind(statement)
      kind.asked++
      return ((await kind.find(id)) ?? []) as never[]
    },
    lookupCounts: (statement) => kinds.get(statement) ?? { asked: 0, sent: 0 },
  }
}
