// The database of a command: the configured one, or the embedded one, of the service that runs or
// started for the command.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { requireSameTime } from '../database/background/clocks.ts'
import {
  type Address,
  createClient,
  openDatabase,
  type ServiceDatabase,
} from '../database/connections/connect.ts'
import { openEmbedded } from '../database/embedded/embedded.ts'
import { ifPresent } from '../database/embedded/program.ts'
import {
  appliedMigrations,
  knownMigrations,
  requireOwnFiles,
} from '../database/schema/migrations.ts'
import { requireBankIsHere } from '../database/move/mark.ts'
import { one, statement } from '../database/statements/statement.ts'
import { requireVersion } from '../database/schema/version.ts'
import { StartupError } from '../domain/startup-error.ts'
import type { Log } from '../telemetry/log.ts'

/** For reads of a whole large bank: they take longer than those of a request may. */
export const longReadMs = 60_000

type Use = {
  /** Stops a database that is started for the command. */
  signal?: AbortSignal | undefined
  /** Whether the command makes a bank where there is none. Any other command is refused there. */
  makesBank?: boolean | undefined
  /** Whether it works on the schema of an older release as well. */
  takesOlder?: boolean | undefined
}

export async function withDatabase<R>(
  { databaseUrl, dataDir }: Config,
  work: (address: Address) => Promise<R>,
  { signal, makesBank = false, takesOlder = makesBank }: Use = {},
): Promise<R> {
  const workOn = async (address: Address): Promise<R> => {
    await requireUsable(address, { makesBank, takesOlder })
    return work(address)
  }
  if (databaseUrl !== undefined) return workOn({ connectionString: databaseUrl })
  if (!makesBank) await requireBank(dataDir)
  const embedded = await openEmbedded(dataDir, signal)
  try {
    return await workOn(embedded.address)
  } finally {
    await embedded.stop()
  }
}

/** Looks only, since a database that is opened is made where it is missing. */
export async function requireBank(dataDir: string): Promise<void> {
  const looking = ifPresent(stat(join(dataDir, 'postgres', 'PG_VERSION')))
  // Another failure is reported when the database is opened.
  if (await looking.catch(() => true)) return
  throw new StartupError(`There is no bank in ${dataDir} (STRONGROOM_DATA_DIR).`)
}

/** Opens the database, with the options of {@link openDatabase}, and closes it after the work. */
export const withOpenDatabase = <R>(
  config: Config,
  work: (db: ServiceDatabase, address: Address) => Promise<R>,
  { signal, makesBank, takesOlder, ...options }: Parameters<typeof openDatabase>[1] & Use = {},
): Promise<R> =>
  withDatabase(config, (address) => workOpened(address, (db) => work(db, address), options), {
    signal,
    makesBank,
    takesOlder,
  })

export async function workOpened<R>(
  address: Address,
  work: (db: ServiceDatabase) => Promise<R>,
  options: Parameters<typeof openDatabase>[1],
): Promise<R> {
  const db = openDatabase(address, options)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** As the login itself, for statements that take as long as they take. */
export async function connectPatiently(address: Address): Promise<pg.Client> {
  const endless = ['lock_timeout', 'idle_in_transaction_session_timeout']
  const client = createClient(
    address,
    undefined,
    { statementMs: 0, answerMs: 0 },
    endless.map((name) => `-c ${name}=0`),
  )
  await client.connect()
  return client
}

const readRights = statement(
  'command_read_rights',
  [],
  { is_owner: 'bool' },
  `select pg_has_role(relowner, 'usage') as is_owner
   from pg_class
   where relname = 'transfers' and relnamespace in
     (select oid from pg_namespace where nspname = 'strongroom')`,
)

/** True of a superuser too: it has every right. */
const isOwner = async (db: ServiceDatabase): Promise<boolean> =>
  (await one(db, readRights, []))?.is_owner === true

/**
 * The database with the rights of its owner, and its address. A login without them is refused in
 * one line.
 */
export const withOwner = <R>(
  config: Config,
  work: (db: ServiceDatabase, address: Address) => Promise<R>,
): Promise<R> =>
  withOpenDatabase(
    config,
    async (db, address) => {
      if (!(await isOwner(db))) throw new Error('This needs the login that owns the database.')
      return work(db, address)
    },
    { role: null, readMs: longReadMs },
  )

/** Warns once that the login of the service could read the keys and rewrite the books. */
export async function warnOfOwner(address: Address, log: Pick<Log, 'warn'>): Promise<void> {
  // The start has just used it; a failure of this look-up would be told by the next statement.
  if (!(await workOpened(address, isOwner, { role: null }).catch(() => false))) return
  log.warn(
    { because: 'STRONGROOM_DATABASE_URL' },
    "the service's login owns the database or is a superuser: give it one that does not",
  )
}

/**
 * Requires a server of a known version, the same time, because commands date keys, users and the
 * ends of sessions, and a schema that this release or one that supports it has made. A statement on
 * an older one would fail by the name of a column.
 */
export async function requireUsable(
  address: Address,
  { makesBank, takesOlder }: Required<Pick<Use, 'makesBank' | 'takesOlder'>>,
): Promise<void> {
  try {
    await requireVersion(address)
    await requireBankIsHere(address)
    await requireSameTime(address, systemClock())
    if (makesBank === true) return
    // A standby will do, and the role of the service may be missing as well.
    const applied = await readMigrations(address)
    const known = await knownMigrations()
    requireOwnFiles(applied, known)
    if (applied.length === 0) {
      throw new StartupError('The database has no schema yet; run `strongroom migrate`.')
    }
    const done = new Set(applied.map(({ name }) => name))
    const missing = known.find(({ name }) => !done.has(name))
    if (missing === undefined || takesOlder === true) return
    throw new StartupError(
      `The database has the schema of an older release (${missing.name} is missing); ` +
        'run `strongroom migrate` first.',
    )
  } catch (thrown) {
    // The work reports any other failure.
    if (thrown instanceof StartupError) throw thrown
  }
}

async function readMigrations(address: Address): ReturnType<typeof appliedMigrations> {
  const client = createClient(address, undefined)
  await client.connect()
  try {
    return await appliedMigrations(client)
  } finally {
    await client.end()
  }
}
