// The rows of a table from one server to another by PostgreSQL's COPY: what one sends is what the
// other one takes. The driver has no COPY of its own. The memory does not grow with the table.
import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import type pg from 'pg'

export type Table = {
  name: string
  /** Those that are stored, in order, with the name of their type. */
  columns: readonly { name: string; type: string }[]
  /** On disk, without indexes. */
  bytes: number
}

/** The same rows in any order have the same digest. */
export type TableContent = { rows: number; digest: string }

/** Called with the bytes of rows that were read. */
type OnBytes = (bytes: number) => void

/** What the driver calls of its connection. */
type Connection = {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  stream: Socket
}
type Complete = { text: string }

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const tableText = ({ name }: Pick<Table, 'name'>): string => `strongroom.${quoted(name)}`
const columnsText = ({ columns }: Table): string =>
  columns.map(({ name }) => quoted(name)).join(', ')

/** Text, which all versions of PostgreSQL read alike. */
const fromTable = (table: Table): string =>
  `copy (select ${columnsText(table)} from ${tableText(table)}) to stdout`
const intoTable = (table: Table): string =>
  `copy ${tableText(table)} (${columnsText(table)}) from stdin`

const rowCount = ({ text }: Complete): number => Number(/^COPY (\d+)$/.exec(text)?.[1])

/** Rows are sent together: one write for each would take longer than the row. */
const batchBytesMin = 65_536

type Writer = {
  /** False: the next row has to wait for `stream` to drain. */
  write(row: Buffer): boolean
  stream: Socket
  finish(): void
  /** The number of rows, after `finish`; a failure at any time. */
  done: Promise<number>
}

/** Copies all rows. After a failure neither connection can be used any more. */
export async function copyTable(
  from: pg.Client,
  to: pg.Client,
  table: Table,
  onBytes: OnBytes,
): Promise<TableContent> {
  const writer = await openWriter(to, table)
  const content = await Promise.race([
    read(from, table, onBytes, writer),
    // Only a failure ends it before all is read.
    writer.done.then(() => new Promise<never>(() => {})),
  ])
  writer.finish()
  const written = await writer.done
  if (written === content.rows) return content
  throw new Error(`${table.name} has ${content.rows} rows, and ${written} were written`)
}

/** Reads all rows, to compare them. */
export const readTable = (
  from: pg.Client,
  table: Table,
  onBytes: OnBytes = () => {},
): Promise<TableContent> => read(from, table, onBytes)

function read(
  from: pg.Client,
  table: Table,
  onBytes: OnBytes,
  writer?: Writer,
): Promise<TableContent> {
  const { promise, resolve, reject } = Promise.withResolvers<TableContent>()
  // The sum of the hashes of all rows, in four parts that overflow.
  const sum = new BigUint64Array(4)
  let rows = 0
  const query = {
    submit: (connection: Connection) => connection.query(fromTable(table)),
    // PostgreSQL sends one message for each row.
    handleCopyData({ chunk }: { chunk: Buffer }, { stream }: Connection) {
      const hash = createHash('sha256').update(chunk).digest()
      sum.forEach((part, at) => (sum[at] = part + hash.readBigUInt64LE(at * 8)))
      onBytes(chunk.length)
      if (!writer || writer.write(chunk) || stream.isPaused()) return
      stream.pause()
      writer.stream.once('drain', () => stream.resume())
    },
    handleCommandComplete: (message: Complete) => (rows = rowCount(message)),
    handleReadyForQuery: () => resolve({ rows, digest: Buffer.from(sum.buffer).toString('hex') }),
    handleError: reject,
  }
  from.query(query as unknown as pg.Submittable)
  return promise
}

function openWriter(to: pg.Client, table: Table): Promise<Writer> {
  const opened = Promise.withResolvers<Writer>()
  const done = Promise.withResolvers<number>()
  done.promise.catch(() => {})
  let batch: Buffer[] = []
  let batchBytes = 0
  let rows = 0
  const open = (connection: Connection): Writer => {
    const { stream } = connection
    const send = () => {
      connection.sendCopyFromChunk(Buffer.concat(batch))
      batch = []
      batchBytes = 0
    }
    return {
      stream,
      done: done.promise,
      write(row) {
        // The driver writes the next message over this one.
        batch.push(Buffer.from(row))
        batchBytes += row.length
        if (batchBytes >= batchBytesMin) send()
        return !stream.writableNeedDrain
      },
      finish() {
        if (batchBytes > 0) send()
        connection.endCopyFrom()
      },
    }
  }
  const query = {
    submit: (connection: Connection) => connection.query(intoTable(table)),
    handleCopyInResponse: (connection: Connection) => opened.resolve(open(connection)),
    handleCommandComplete: (message: Complete) => (rows = rowCount(message)),
    handleReadyForQuery: () => done.resolve(rows),
    handleError(thrown: unknown) {
      opened.reject(thrown)
      done.reject(thrown)
    },
  }
  to.query(query as unknown as pg.Submittable)
  return opened.promise
}
