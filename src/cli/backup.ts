// `strongroom backup`: a consistent copy of the embedded bank, beside a running service or without
// one. It holds all that the bank needs to start again, secrets included.
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addEvents, commandEvent } from '../audit/sql.ts'
import type { Config } from '../config/config.ts'
import { streamBaseBackup } from '../database/embedded/base-backup.ts'
import type { Database, LocalAddress } from '../database/connections/connect.ts'
import { ifPresent } from '../database/embedded/program.ts'
import { transaction } from '../database/connections/transaction.ts'
import { rfc3339, systemClock } from '../domain/clock.ts'
import { StartupError } from '../domain/startup-error.ts'
import { archiveName, createBackup, isBackupName } from './backup-folder.ts'
import { withOpenDatabase } from './database.ts'
import { interruption } from './interruption.ts'

/** Backups and restores are for the database that the service itself runs. */
export function requireEmbedded({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return
  throw new StartupError(
    'STRONGROOM_DATABASE_URL names a PostgreSQL of your own: use its tools (docs/RECORDS.md).',
  )
}

/** @param folder must not exist; it is removed when the backup fails or is interrupted */
export async function backupCommand(
  config: Config,
  say: (text: string) => void,
  folder: string,
): Promise<void> {
  requireEmbedded(config)
  const signal = interruption()
  const clock = systemClock()
  const startedAt = clock.monotonic()
  const made = await withOpenDatabase(
    config,
    async (db, address) => {
      const backup = await createBackup(folder, signal)
      try {
        const madeAt = clock.now()
        // Before the copy, so that it is in the copy as well.
        await transaction(db, (tx) => addEvents(tx, [commandEvent(madeAt, { action: 'backup' })]))
        await backup.add(archiveName, streamBaseBackup(address as LocalAddress))
        for (const name of await listTlsFiles(config)) {
          await backup.add(name, createReadStream(join(config.dataDir, name)))
        }
        const version = await readFile(join(config.dataDir, 'postgres', 'PG_VERSION'), 'utf8')
        const finished = await backup.finish({
          format: 1,
          madeAt: rfc3339(madeAt),
          postgresql: version.trim(),
          password: (address as LocalAddress).password,
        })
        await noteEnd(db, finished.digest).catch(() => say('Its end is not in the audit trail.\n'))
        return finished
      } catch (thrown) {
        await backup.discard()
        throw thrown
      }
    },
    // What is copied is files, and a backup is due before a migration.
    { signal, takesOlder: true },
  )
  const seconds = ((clock.monotonic() - startedAt) / 1000).toPrecision(3)
  say(`The backup has ${Math.ceil(made.bytes / 1e6)} MB and took ${seconds} s.\n`)
  say('It can act as the bank: it holds the signing keys, password hashes and all records.\n')
  say('Keep the digest apart from the backup, for restore --expect-digest.\n')
  process.stdout.write(`${made.digest}\n`)
}

/** Only a backup that is whole has this event: the metrics tell the time of the last one. */
async function noteEnd(db: Database, digest: string): Promise<void> {
  const event = { action: 'finishBackup', detail: `digest ${digest}` } as const
  await transaction(db, (tx) => addEvents(tx, [commandEvent(systemClock().now(), event)]))
}

/**
 * The certificate and its local authority, where the bank has made them. Copies that an editor or a
 * system leaves beside them have names that no backup takes.
 */
async function listTlsFiles({ dataDir }: Config): Promise<string[]> {
  const entries = await ifPresent(readdir(join(dataDir, 'tls'), { withFileTypes: true }))
  const files = (entries ?? []).filter((entry) => entry.isFile() || entry.isSymbolicLink())
  return files.map(({ name }) => `tls/${name}`).filter(isBackupName)
}
