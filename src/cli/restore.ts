// `strongroom restore`: puts a backup into an empty data folder, ends its sessions and revokes its
// signing keys, or, as a drill, restores it beside the bank, proves its books and removes it again.
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { openEmbedded } from '../database/embedded/embedded.ts'
import { makeClusterInside, moveCluster, requireNoCluster } from '../database/embedded/cluster.ts'
import { unpackBaseBackup } from '../database/embedded/unpack-base-backup.ts'
import { systemClock } from '../domain/clock.ts'
import { StartupError } from '../domain/startup-error.ts'
import { requireEmbedded } from './backup.ts'
import { archiveName, type Backup, openBackup, requireDigest } from './backup-folder.ts'
import { endSessions } from './end-sessions.ts'
import { openHeads } from './heads-file.ts'
import { interruption } from './interruption.ts'
import { rotateKeys } from './rotate-keys.ts'
import { prepareDatabase } from './serve.ts'
import { proveBooks } from './verify.ts'

type Say = (text: string) => void
export type RestoreOptions = {
  drill?: boolean
  scratch?: string
  since?: string
  expectDigest?: string
}

/** @param folder of the backup */
export async function restoreCommand(
  config: Config,
  say: Say,
  folder: string,
  { drill, scratch = tmpdir(), expectDigest, ...proof }: RestoreOptions,
): Promise<void> {
  requireDigest(expectDigest)
  // Read now, so that a file that cannot be used is said before the long work.
  if (proof.since !== undefined) await openHeads(proof.since)
  const openExpected = async (): Promise<Backup> => {
    const backup = await openBackup(folder, { signal: interruption(), digest: expectDigest })
    if (expectDigest === undefined) say(untrusted)
    return backup
  }
  if (drill === true) return runDrill(config, say, openExpected, { scratch, ...proof })
  const signal = interruption()
  requireEmbedded(config)
  await requireNoCluster(config.dataDir)
  const backup = await openExpected()
  const inside = await unpack(config.dataDir, backup)
  try {
    const unfinished = { ...config, dataDir: inside }
    const database = await openEmbedded(inside, signal)
    try {
      await prepareDatabase(database.address, say, { signal })
      // A backup brings back sessions that were ended since, and signing keys that were revoked.
      // The bank is put into its place only when none of them is good any more.
      await endSessions(unfinished, say)
      await rotateKeys(unfinished, say, { revoke: true })
      if (proof.since !== undefined) await proveBooks(unfinished, say, proof)
    } finally {
      await database.stop()
    }
    // From here on it is done at once, and is not given up any more.
    signal.throwIfAborted()
    await copyTls(backup, config.dataDir)
    await moveCluster(inside, config.dataDir)
  } finally {
    await rm(inside, { recursive: true, force: true })
  }
  say(`The backup of ${backup.facts.madeAt} was restored to ${config.dataDir}.\n`)
  say('What was done since has to be done again: see docs/RECORDS.md.\n')
}

/** What a database holds may run by itself, such as a trigger. */
const untrusted =
  'Without --expect-digest, what is restored is only as trustworthy as the storage of the backup.\n'

/** The backup as a data folder of its own inside of another one. Returns its path. */
const unpack = (parent: string, backup: Backup): Promise<string> => {
  const { password, postgresql } = backup.facts
  return makeClusterInside(parent, password, async (path, program) => {
    if (postgresql !== program.major) {
      throw new StartupError(
        `The backup is of PostgreSQL ${postgresql}, this Strongroom runs ${program.major}: ` +
          'restore it with the Strongroom that made it.',
      )
    }
    await unpackBaseBackup(backup.read(archiveName), path, program)
  })
}

async function copyTls({ names, read }: Backup, dataDir: string): Promise<void> {
  for (const name of names.filter((each) => each.startsWith('tls/'))) {
    await mkdir(join(dataDir, 'tls'), { recursive: true, mode: 0o700 })
    const handle = await open(join(dataDir, name), 'w', 0o600)
    try {
      await handle.chmod(0o600)
      await handle.writeFile(read(name))
    } finally {
      await handle.close()
    }
  }
}

async function runDrill(
  config: Config,
  say: Say,
  openExpected: () => Promise<Backup>,
  { scratch, ...proof }: { scratch: string; since?: string },
): Promise<void> {
  const signal = interruption()
  const clock = systemClock()
  async function timed<R>(what: string, work: () => Promise<R>): Promise<R> {
    const startedAt = clock.monotonic()
    const result = await work()
    say(`${what}: ${((clock.monotonic() - startedAt) / 1000).toPrecision(3)} s\n`)
    return result
  }
  const parent = await mkdtemp(join(scratch, 'strongroom-drill-')).catch((thrown: unknown) => {
    throw new StartupError(`${scratch} cannot be used: ${(thrown as Error).message}.`)
  })
  try {
    const backup = await timed('Backup read and checked', openExpected)
    const dataDir = await timed('Restored', () => unpack(parent, backup))
    const database = await timed('Database recovered', () => openEmbedded(dataDir, signal))
    try {
      // A backup of an older release is proven as it will be used, and stays as it is.
      await timed('Schema brought up to date', () =>
        prepareDatabase(database.address, say, { signal }),
      )
      const own = { ...config, databaseUrl: undefined, dataDir }
      await timed('Books proven', () => proveBooks(own, say, proof))
    } finally {
      await database.stop()
    }
    say(`The backup of ${backup.facts.madeAt} can be restored.\n`)
  } finally {
    await rm(parent, { recursive: true, force: true })
  }
}
