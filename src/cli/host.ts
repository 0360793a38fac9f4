// What the host gives the service, judged at its start: a limit that is too small shows under load
// otherwise, as connections that fail one by one.
import { readFile } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { StartupError } from '../domain/startup-error.ts'
import type { Log } from '../telemetry/log.ts'

/** For the program's own files, its connections to the database, and a few clients. */
const openFilesMin = 256
/** Beside the connections of clients: files, other servers, and connections that are closing. */
const otherFileCount = 128

/**
 * Warns in one line when connections would fail for want of open files, and throws
 * {@link StartupError} when the service itself could not work.
 *
 * @param openFilesMax for tests
 */
export async function judgeOpenFiles(
  { connectionsMax }: Pick<Config, 'connectionsMax'>,
  log: Pick<Log, 'warn'>,
  openFilesMax?: number,
): Promise<void> {
  const openFileCount = openFilesMax ?? (await readOpenFilesMax())
  // Both listeners, HTTPS and the one that redirects.
  const neededCount = 2 * connectionsMax + otherFileCount
  if (openFileCount < openFilesMin) {
    throw new StartupError(
      `Only ${openFileCount} files may be open at once (ulimit -n): ${openFilesMin} are the ` +
        `least, and ${neededCount} are needed for STRONGROOM_MAX_CONNECTIONS.`,
    )
  }
  if (openFileCount >= neededCount) return
  log.warn(
    { openFileCount, neededCount },
    'too few files may be open at once (ulimit -n) for STRONGROOM_MAX_CONNECTIONS',
  )
}

/** Node has raised the soft limit to the hard one. Systems without this file are not judged. */
async function readOpenFilesMax(): Promise<number> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, count] = /^Max open files +(\d+) /m.exec(text) ?? []
  return count === undefined ? Infinity : Number.parseInt(count, 10)
}
