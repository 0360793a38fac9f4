// The database of a command: the configured one, or the embedded one, of the service that runs or
// started for the command.
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { requireSameTime } from '../database/clocks.ts'
import { type Address, type Database, openDatabase } from '../database/connect.ts'
import { openEmbedded } from '../database/embedded.ts'
import { one, statement } from '../database/statement.ts'
import { StartupError } from '../domain/startup-error.ts'

export async function withDatabase<R>(
  config: Config,
  work: (address: Address) => Promise<R>,
): Promise<R> {
  if (config.databaseUrl !== undefined) {
    return workInTime({ connectionString: config.databaseUrl }, work)
  }
  const embedded = await openEmbedded(config.dataDir)
  try {
    return await workInTime(embedded.address, work)
  } finally {
    await embedded.stop()
  }
}

const readRights = statement(
  'command_read_rights',
  [],
  { is_owner: 'bool' },
  `select pg_has_role(relowner, 'usage') as is_owner
   from pg_class where oid = to_regclass('strongroom.transfers')`,
)

/** A database with the rights of its owner. A login without them is refused in one line. */
export async function withOwner<R>(config: Config, work: (db: Database) => Promise<R>): Promise<R> {
  return withDatabase(config, async (address) => {
    const db = openDatabase(address, { role: null })
    try {
      const rights = await one(db, readRights, [])
      if (!rights) throw new Error('The database has no schema yet; run `strongroom migrate`.')
      if (!rights.is_owner) throw new Error('This needs the login that owns the database.')
      return await work(db)
    } finally {
      await db.close()
    }
  })
}

/** Requires the same time, because commands date keys, users and the ends of sessions. */
async function workInTime<R>(address: Address, work: (address: Address) => Promise<R>): Promise<R> {
  await requireSameTime(address, systemClock()).catch((thrown: unknown) => {
    // The work reports any other failure.
    if (thrown instanceof StartupError) throw thrown
  })
  return work(address)
}
