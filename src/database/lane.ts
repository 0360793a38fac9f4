// Connections on which statements follow each other without waiting for answers.
import pg from 'pg'
import { refuse } from '../domain/errors.ts'
import { corkable } from './cork.ts'
import { translate } from './failure.ts'
import type { ColumnType, Db, ParameterType, RowOf, Statement, ValuesOf } from './statement.ts'
import { toQuery } from './values.ts'

/**
 * One connection, held for a transaction. Once it is lost, whatever is run on it is refused: no
 * statement of a transaction ever lands on another connection, outside of it.
 */
export type Held = Db & {
  /** A statement without parameters or rows. Gives the command tag, such as `COMMIT`. */
  command(text: 'begin' | 'commit' | 'rollback'): Promise<string>
  /**
   * All that `send` runs before it returns leaves in one write. A batch costs a sixth less with it.
   */
  together<R>(send: () => R): R
}

/** One connection on which statements follow each other without waiting for answers. */
export type Lane = Db & {
  /** The connection as it is now, for `begin` … `commit`. */
  hold(): Promise<Held>
  close(): Promise<void>
}

const failFastMs = 100

/**
 * Opens a lane. It connects when first used and again after a loss; while the database is out of
 * reach its statements are refused as `unavailable`, quickly. An error in one statement does not
 * touch its neighbours.
 */
export function openLane(options: () => pg.ClientConfig): Lane {
  let current: Promise<pg.Client> | undefined
  let failedAt = -Infinity
  let isClosed = false

  async function hold(): Promise<Held> {
    return toHeld(await client())
  }

  function client(): Promise<pg.Client> {
    if (current) return current
    if (isClosed || performance.now() - failedAt < failFastMs) refuse('unavailable')
    const connecting = new pg.Client({ ...options(), pipeline: true })
    const forget = () => {
      if (current === attempt) current = undefined
    }
    connecting.on('error', forget)
    connecting.on('end', forget)
    const attempt = connecting.connect().then(
      () => connecting,
      (thrown: unknown) => {
        failedAt = performance.now()
        forget()
        throw translate(thrown)
      },
    )
    current = attempt
    return attempt
  }

  return {
    run: async (statement, values) => (await hold()).run(statement, values),
    hold,
    async close() {
      isClosed = true
      const ending = current
      current = undefined
      await ending?.then((connected) => connected.end()).catch(() => {})
    },
  }
}

const toHeld = (client: pg.Client): Held => ({
  async run<T extends readonly ParameterType[], G extends Record<string, ColumnType>>(
    statement: Statement<T, G>,
    values: ValuesOf<T>,
  ) {
    try {
      const { rows } = await client.query<RowOf<G> & pg.QueryResultRow>(toQuery(statement, values))
      return rows
    } catch (thrown) {
      throw translate(thrown)
    }
  },
  async command(text) {
    try {
      const result = await client.query(text)
      return result.command
    } catch (thrown) {
      throw translate(thrown)
    }
  },
  together(send) {
    const stream = corkable('pg', client.connection.stream)
    stream.cork()
    try {
      return send()
    } finally {
      stream.uncork()
    }
  },
})
