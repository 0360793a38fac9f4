// Look-ups by identifier that many requests make in the same moment.
import { coalesce } from '../database/coalesce.ts'
import type { Database } from '../database/connect.ts'
import { type ColumnType, type RowOf, type Statement } from '../database/statement.ts'

/**
 * Turns a statement over many identifiers into a look-up of one row by its `id`. All look-ups of
 * one statement on one database that wait in the same moment share one round trip. Only a whole
 * {@link Database} will do: within a transaction others' questions have no place.
 */
export function byId<G extends Record<string, ColumnType> & { id: 'uuid' }>(
  statement: Statement<readonly ['uuid[]'], G>,
): (db: Database, id: string) => Promise<RowOf<G> | undefined> {
  const lookUps = new WeakMap<Database, (id: string) => Promise<RowOf<G> | undefined>>()

  const lookUpOf = (db: Database) =>
    coalesce(async (ids: string[]) => {
      const rows = await db.run(statement, [ids])
      return new Map(rows.map((row) => [(row as { id: string }).id, row]))
    })

  return (db, id) => {
    const lookUp = lookUps.get(db) ?? lookUpOf(db)
    lookUps.set(db, lookUp)
    return lookUp(id)
  }
}
