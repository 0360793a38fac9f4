// A consistent copy of a running PostgreSQL by its replication protocol (PostgreSQL 18, section
// 54.4), as pg_basebackup takes it: one tar archive with all data files and the write-ahead log
// that makes them consistent. The server checks every page's checksum while it reads.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import pg from 'pg'
import type { LocalAddress } from '../connections/connect.ts'

// Everything that was committed before the command is in it. The log that the copy needs is kept
// for it by a replication slot, which ends with the connection.
const command = `BASE_BACKUP (
  LABEL 'strongroom backup', CHECKPOINT 'fast', WAL true, WAIT true, MANIFEST 'no')`

/** The archive as a stream. It fails when the copy does; its end means that the copy is whole. */
export function streamBaseBackup(address: LocalAddress): Readable {
  const archive = new PassThrough({ highWaterMark: 4_000_000 })
  void copy(address, archive).then(
    () => archive.end(),
    (thrown: unknown) => archive.destroy(thrown as Error),
  )
  return archive
}

async function copy(address: LocalAddress, archive: PassThrough): Promise<void> {
  const options = { ...address, application_name: 'strongroom backup', replication: 'true' }
  const client = new pg.Client(options)
  const failed = new Promise<never>((_, reject) => client.on('error', reject))
  failed.catch(() => {})
  await client.connect()
  try {
    const slot = `strongroom_backup_${randomBytes(6).toString('hex')}`
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL (RESERVE_WAL true)`)
    // A reader that gives up ends the copy too.
    const closed = once(archive, 'close').then(() => {
      throw new Error('The backup was given up')
    })
    closed.catch(() => {})
    await Promise.race([receive(client, archive), failed, closed])
  } finally {
    // Not awaited: the server may be in the middle of the copy.
    void client.end().catch(() => {})
  }
}

/** What the driver calls of a query; it has no COPY of its own. */
type Connection = { query(text: string): void; stream: Socket }

// The kinds of messages in the copy: another archive begins, and bytes of the archive.
const newArchive = 'n'
const content = 'd'

function receive(client: pg.Client, archive: PassThrough): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let archives = 0
  const query = {
    submit: (connection: Connection) => connection.query(command),
    handleRowDescription() {},
    handleDataRow() {},
    handleCommandComplete() {},
    handleCopyData({ chunk }: { chunk: Buffer }, { stream }: Connection) {
      const kind = String.fromCharCode(chunk[0] ?? 0)
      if (kind === newArchive && ++archives > 1) {
        reject(new Error('The database has tablespaces, which cannot be backed up in this way'))
      }
      if (kind !== content) return
      // The driver writes the next message over this one.
      if (archive.write(Buffer.from(chunk.subarray(1)))) return
      stream.pause()
      archive.once('drain', () => stream.resume())
    },
    handleReadyForQuery: () => resolve(),
    handleError: reject,
  }
  client.query(query as unknown as pg.Submittable)
  return promise
}
