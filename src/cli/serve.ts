// `strongroom serve`: configuration → database → service → listen → drain.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { addFirstAdmin } from '../features/auth/first-admin.ts'
import { createPasswords } from '../features/auth/passwords.ts'
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { requireSameTime } from '../database/clocks.ts'
import {
  type Address,
  type AddressSource,
  type LocalAddress,
  openDatabase,
} from '../database/connect.ts'
import { startEmbedded } from '../database/embedded.ts'
import { translate } from '../database/failure.ts'
import { migrate, NewerSchema } from '../database/migrate.ts'
import { provision, serviceLogin } from '../gate/provision.ts'
import { StartupError } from '../domain/startup-error.ts'
import { Refusal } from '../domain/errors.ts'
import { createLog, describe, type Log } from '../telemetry/log.ts'
import type { Running } from '../app.ts'

const clock = systemClock()

/** Runs the service until SIGTERM or SIGINT. `say` writes the start-up text for people. */
export async function serve(config: Config, say: (text: string) => void): Promise<void> {
  const log = createLog(config.logLevel, undefined, config.logAddress)
  surviveDefects(log)
  // From the first moment on: whoever asks while it starts gets a clean end as well.
  const asked = askedToEnd()
  // The rest of the program is read while PostgreSQL starts.
  const [embedded, { start }] = await Promise.all([
    config.databaseUrl === undefined ? keepEmbedded(config.dataDir, log) : undefined,
    import('../app.ts'),
  ])
  const address = embedded?.address() ?? { connectionString: config.databaseUrl as string }
  try {
    await prepare(address)
    const password = await firstAdmin(config, address)
    const own = embedded ? await serviceAddress(embedded) : address
    const running = await start(config, own, { clock, log })
    say(greeting(config, running, password))
    log.info({}, 'ready')
    giveBackMemory()
    await asked
    log.info({}, 'draining')
    await running.close()
  } finally {
    await embedded?.stop()
    log.flush()
  }
}

const retryMs = 1000

type Kept = {
  /** Where it is now; elsewhere after a restart, when its socket is in a temporary folder. */
  address(): LocalAddress
  stop(): Promise<void>
}

async function serviceAddress(embedded: Kept): Promise<AddressSource> {
  const login = await serviceLogin(embedded.address())
  return () => ({ ...login, host: embedded.address().host })
}

/**
 * The embedded database, started again whenever it goes without having been asked to: while it is
 * away requests are refused as `unavailable`, and the service comes back without a restart.
 */
async function keepEmbedded(folder: string, log: Log): Promise<Kept> {
  let current = await startEmbedded(folder)
  let isStopping = false
  async function keep(): Promise<void> {
    for (;;) {
      await current.ended
      if (isStopping) return
      log.error({}, 'the embedded database went away')
      try {
        current = await startEmbedded(folder)
        log.info({}, 'the embedded database is back')
        if (isStopping) await current.stop()
      } catch (thrown) {
        const told = thrown instanceof StartupError ? { because: thrown.message } : {}
        const error = describe(thrown)
        log.error({ ...told, error }, 'the embedded database could not be started')
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref())
      }
    }
  }
  const kept = keep()
  return {
    address: () => current.address,
    async stop() {
      isStopping = true
      await current.stop()
      await kept
    },
  }
}

/** Brings a database to where the service can run on it. */
export async function prepare(address: Address): Promise<void> {
  try {
    // Also refuses a server that is too old to be asked for its time.
    await migrate(address)
    await requireSameTime(address, clock)
    await provision(address, clock.now())
  } catch (thrown) {
    if (thrown instanceof StartupError) throw thrown
    if (thrown instanceof NewerSchema) {
      throw new StartupError(`The database was made by a newer Strongroom (${thrown.message}).`)
    }
    const isDenied = (thrown as { code?: unknown }).code === '42501'
    const hint = isDenied ? '; run `strongroom migrate` with the login that owns it' : ''
    const text = `The database cannot be used: ${firstLine(thrown)}${hint}.`
    // One that is away may be back in a moment: whoever restarts us must not give up on it.
    throw isAway(thrown) ? new Error(text) : new StartupError(text)
  }
}

function isAway(thrown: unknown): boolean {
  const meant = translate(thrown)
  return meant instanceof Refusal && meant.code === 'unavailable'
}

function firstLine(thrown: unknown): string {
  const first = thrown instanceof AggregateError ? (thrown.errors[0] as Error) : (thrown as Error)
  return first.message.split('\n', 1)[0] as string
}

async function firstAdmin(config: Config, address: Address): Promise<string | undefined> {
  const db = openDatabase(address)
  try {
    const username = config.adminUsername
    const admin = { username, email: `${username}@localhost`, password: config.adminPassword }
    return await addFirstAdmin(db, await createPasswords(), admin, clock.now())
  } finally {
    await db.close()
  }
}

/**
 * A start leaves more than 50 MB of young generation behind, which Node.js keeps although it is
 * empty. Asked for with its last resort, the collector returns it to the system.
 */
function giveBackMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: Record<string, string>) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
}

function greeting(
  config: Config,
  { publicUrl, httpPort, certificate }: Running,
  password: string | undefined,
): string {
  const trust = certificate.caPath === undefined ? '' : ` --cacert '${certificate.caPath}'`
  const shown = config.adminPassword === undefined ? password : undefined
  const login = { username: config.adminUsername, password: shown ?? '…' }
  return [
    '',
    'Strongroom is ready.',
    `  API        ${publicUrl}/api/v1`,
    ...(config.docs ? [`  Reference  ${publicUrl}/docs`] : []),
    `  Plain HTTP port ${httpPort} only redirects to HTTPS.`,
    ...(certificate.caPath === undefined
      ? []
      : [`  Clients have to trust the local certificate authority ${certificate.caPath}`]),
    ...(shown === undefined
      ? []
      : [
          '',
          'The first administrator was created. This is shown only once:',
          `  user name  ${config.adminUsername}`,
          `  password   ${shown}`,
        ]),
    '',
    'Log in:',
    `  curl${trust} ${publicUrl}/api/v1/auth/login -H 'content-type: application/json' \\`,
    `    -d '${JSON.stringify(login)}'`,
    '',
    '',
  ].join('\n')
}

/**
 * A rejection nobody waited for is a defect of one request: it is logged and the others go on.
 * An exception nobody caught leaves the process in doubt, so it ends; nothing that was acknowledged
 * depends on it.
 */
function surviveDefects(log: Log): void {
  process.on('unhandledRejection', (thrown) => {
    log.error({ error: describe(thrown) }, 'unhandled rejection')
  })
  process.on('uncaughtException', (thrown) => {
    log.error({ error: describe(thrown) }, 'uncaught exception')
    log.flush()
    process.exit(1)
  })
}
