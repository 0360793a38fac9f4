// The database of a command: the configured one, or the embedded one, of the service that runs or
// started for the command.
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { requireSameTime } from '../database/clocks.ts'
import { type Address, openDatabase, type ServiceDatabase } from '../database/connect.ts'
import { openEmbedded } from '../database/embedded.ts'
import { one, statement } from '../database/statement.ts'
import { requireVersion } from '../database/version.ts'
import { StartupError } from '../domain/startup-error.ts'

/** For reads of a whole large bank: they take longer than those of a request may. */
export const longReadMs = 60_000

/** @param signal stops a database that is started for the command */
export async function withDatabase<R>(
  config: Config,
  work: (address: Address) => Promise<R>,
  signal?: AbortSignal,
): Promise<R> {
  if (config.databaseUrl !== undefined) {
    return workInTime({ connectionString: config.databaseUrl }, work)
  }
  const embedded = await openEmbedded(config.dataDir, signal)
  try {
    return await workInTime(embedded.address, work)
  } finally {
    await embedded.stop()
  }
}

/** Opens the database, with the options of {@link openDatabase}, and closes it after the work. */
export const withOpenDatabase = <R>(
  config: Config,
  work: (db: ServiceDatabase, address: Address) => Promise<R>,
  { signal, ...options }: Parameters<typeof openDatabase>[1] & { signal?: AbortSignal } = {},
): Promise<R> =>
  withDatabase(
    config,
    async (address) => {
      const db = openDatabase(address, options)
      try {
        return await work(db, address)
      } finally {
        await db.close()
      }
    },
    signal,
  )

const readRights = statement(
  'command_read_rights',
  [],
  { is_owner: 'bool' },
  `select pg_has_role(relowner, 'usage') as is_owner
   from pg_class where oid = to_regclass('strongroom.transfers')`,
)

/** The database with the rights of its owner. A login without them is refused in one line. */
export const withOwner = <R>(
  config: Config,
  work: (db: ServiceDatabase) => Promise<R>,
): Promise<R> =>
  withOpenDatabase(
    config,
    async (db) => {
      const rights = await one(db, readRights, [])
      if (!rights) throw new Error('The database has no schema yet; run `strongroom migrate`.')
      if (!rights.is_owner) throw new Error('This needs the login that owns the database.')
      return work(db)
    },
    { role: null, readMs: longReadMs },
  )

/**
 * Requires a server of a known version, and the same time: commands date keys, users and the ends
 * of sessions.
 */
async function workInTime<R>(address: Address, work: (address: Address) => Promise<R>): Promise<R> {
  try {
    await requireVersion(address)
    await requireSameTime(address, systemClock())
  } catch (thrown) {
    // The work reports any other failure.
    if (thrown instanceof StartupError) throw thrown
  }
  return work(address)
}
