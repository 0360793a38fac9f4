// `strongroom serve`: configuration → database → service → listen → drain.
import { isatty } from 'node:tty'
import { systemClock } from '../domain/clock.ts'
import { type Config, environment } from '../config/config.ts'
import { holidaysEndSoon } from '../config/holidays.ts'
import { requireSameTime } from '../database/background/clocks.ts'
import type { Address, AddressSource, LocalAddress } from '../database/connections/connect.ts'
import { type OnWorking, startEmbedded } from '../database/embedded/embedded.ts'
import { translate } from '../database/connections/failure.ts'
import { migrate } from '../database/schema/migrate.ts'
import { requireBankIsHere } from '../database/move/mark.ts'
import { requireVersion } from '../database/schema/version.ts'
import { isFictitious, lacksCheckDigit, requireFittingSettings } from './bank-settings.ts'
import { provision, serviceLogin } from '../gate/provision.ts'
import { giveBackMemory } from '../telemetry/memory.ts'
import { PassingStartupError, StartupError } from '../domain/startup-error.ts'
import { Refusal } from '../domain/errors.ts'
import { release } from '../domain/release.ts'
import { isJournal } from '../telemetry/journal.ts'
import { createLog, describeError, type Log } from '../telemetry/log.ts'
import { createReach } from '../app/reach.ts'
import type { Running } from '../app/start.ts'
import { warnOfOwner } from './database.ts'
import { firstAdmin } from './first-admin.ts'
import { judgeOpenFiles } from './host.ts'
import { createReload, replaceableLogin, type ReplaceableLogin } from './reload.ts'

const clock = systemClock()

/** Runs the service until a signal to end. `say` writes the start-up text for the operator. */
export async function serve(config: Config, say: (text: string) => void): Promise<void> {
  const log = createLog(config.logLevel, undefined, config.logAddress, {
    answers: config.logAnswers,
    isJournal: isJournal(1, environment()['JOURNAL_STREAM']),
  })
  surviveDefects(log)
  log.info({ version: release }, 'starting')
  // Handled from here on, so that a signal during the start also leads to an orderly end.
  const stopping = new AbortController()
  const signals = listenForSignals()
  const signal = signals.ended.then(() => stopping.abort())
  await judgeOpenFiles(config, log)
  // The rest of the program is loaded while PostgreSQL works. Loading holds up everything else in
  // this process, so it begins after PostgreSQL.
  const { promise: working, resolve: onWorking } = Promise.withResolvers<void>()
  if (config.databaseUrl !== undefined) onWorking()
  const beside = layBeside(config, log, working)
  const [embedded, { start }] = await Promise.all([
    config.databaseUrl === undefined ? keepEmbedded(config, log, onWorking) : undefined,
    beside.loaded,
  ])
  const own = embedded ? undefined : replaceableLogin(config.databaseUrl as string)
  const address = () => embedded?.address() ?? (own as ReplaceableLogin).address()
  try {
    const { signal: stop } = stopping
    const reach = createReach({ log, clock, signal: stop })
    const given = { config, log, say, own, stop, onJudging: beside.onJudging }
    const unlessStopped = <R>(work: Promise<R>): Promise<R | undefined> =>
      work.catch((thrown: unknown) => {
        if (!stop.aborted) throw withPortSetting(config, thrown)
        return undefined
      })
    const made = await unlessStopped(reach(() => makeReady(address(), given)))
    if (made === undefined || stop.aborted) return
    beside.onReady()
    const source = embedded
      ? await unlessStopped(reach(() => toServiceAddress(embedded)))
      : (own as ReplaceableLogin).address
    if (source === undefined) return
    const parts = { clock, log, ground: beside.ground, reach }
    const running = await unlessStopped(start(config, source, parts))
    if (running === undefined) return
    say(greeting(config, running, made.hasName))
    if (isFictitious(config, running.publicUrl)) {
      log.warn({}, 'no bank has this bank code; set STRONGROOM_BANK')
    }
    if (lacksCheckDigit(config)) {
      log.warn({}, 'no check digits: set STRONGROOM_BANK_CHECK or STRONGROOM_IBANS=pool')
    }
    if (holidaysEndSoon(config.holidays, clock.now())) {
      log.warn({}, 'the file of STRONGROOM_HOLIDAYS ends within 60 days')
    }
    log.info({}, 'ready')
    giveBackMemory()
    signals.onHangUp(createReload({ config, running, database: own, log }))
    await signal
    log.info({}, 'draining')
    await running.close()
  } finally {
    await beside.end()
    await embedded?.stop()
    // With lines that cannot be written, `process.exit` would not end.
    if (!(await log.flush(flushMs))) endBy('SIGTERM')
  }
  // A connection whose other side is silent would keep the process alive.
  process.exit()
}

/**
 * Loads the rest of the program and makes what needs no database, while PostgreSQL works: the
 * certificate while it starts, the routes while it prepares the statements. A failure is told by
 * `start`, which comes to it when the database is ready.
 */
function layBeside(config: Config, log: Log, working: Promise<void>) {
  const judging = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  const loaded = working.then(() => import('../app/start.ts'))
  // Beside an embedded database the folder is in use. Else a start that is refused writes nothing.
  const folder = config.databaseUrl === undefined ? undefined : ready.promise
  const parts = { clock, log, folder, judging: judging.promise }
  const ground = loaded.then(({ layGround }) => layGround(config, parts))
  for (const each of [judging.promise, ready.promise, ground]) each.catch(() => {})
  return {
    loaded,
    ground,
    onJudging: judging.resolve,
    onReady: ready.resolve,
    async end() {
      const over = new Error('The start has ended')
      judging.reject(over)
      ready.reject(over)
      await ground.then(({ reserved }) => reserved?.release()).catch(() => {})
    },
  }
}

/** How long the end waits for the reader of the log. */
const flushMs = 2000

function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

type KeptDatabase = {
  /** The present address: a socket in a temporary folder moves with each restart. */
  address(): LocalAddress
  stop(): Promise<void>
}

async function toServiceAddress(embedded: KeptDatabase): Promise<AddressSource> {
  const login = await serviceLogin(embedded.address())
  return () => ({ ...login, host: embedded.address().host })
}

const retryMs = 1000

/** The embedded database has connections for the service and its commands. */
const settings = { max_connections: '60' }

/**
 * Starts the embedded database, and starts it again whenever it ends unasked. Until it is back,
 * requests are refused as `unavailable`.
 */
async function keepEmbedded(
  { dataDir }: Config,
  log: Log,
  onWorking: OnWorking,
): Promise<KeptDatabase> {
  let current = await startEmbedded(dataDir, settings, undefined, onWorking)
  let isStopping = false
  /** Tried each second: the first failure is told, and none after it. */
  async function startAgain(): Promise<void> {
    // Ends with a server, or when the service stops.
    for (let isFirst = true; ; isFirst = false) {
      if (isStopping) return
      try {
        current = await startEmbedded(dataDir, settings)
        log.over('error', {}, 'the embedded database is back')
        return
      } catch (thrown) {
        const because = thrown instanceof StartupError ? { because: thrown.message } : {}
        const event = { ...because, error: describeError(thrown) }
        if (isFirst) log.error(event, 'the embedded database could not be started')
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref())
      }
    }
  }
  async function keep(): Promise<void> {
    // Ends when the service stops.
    for (;;) {
      await current.ended
      if (isStopping) return
      log.error({}, 'the embedded database went away')
      await startAgain()
      if (isStopping) await current.stop()
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

type Readying = {
  config: Config
  log: Log
  say: (text: string) => void
  /** Undefined: the embedded database is used. */
  own: ReplaceableLogin | undefined
  stop: AbortSignal
  onJudging: () => void
}

/**
 * Makes the database ready with its settings and the first administrator, as each start does: it
 * may be done again. Gives whether there is a user of the configured name; undefined: the start
 * ends.
 */
async function makeReady(
  address: Address,
  { config, log, say, own, stop, onJudging }: Readying,
): Promise<{ hasName: boolean } | undefined> {
  const migrated = await prepareDatabase(address, say, { signal: stop, onJudging })
  if (stop.aborted) return undefined
  if (own) await warnOfOwner(own.address(), log)
  if (migrated.length > 0) log.info({ because: migrated.join(' ') }, 'the schema was migrated')
  await requireFittingSettings(config, address, clock)
  return { hasName: await firstAdmin(config, address, clock.now(), say) }
}

/**
 * Makes a database ready for the service: schema, keys and roles.
 *
 * @param options.signal ends a migration that waits; the error that follows has no other reason
 * @returns the names of the migrations that were run
 */
export async function prepareDatabase(
  address: Address,
  say: (text: string) => void = () => {},
  { signal, onJudging }: { signal?: AbortSignal | undefined; onJudging?: () => void } = {},
): Promise<string[]> {
  try {
    await requireVersion(address)
    await requireBankIsHere(address)
    // All statements of the service: `migrate` prepares those that are loaded.
    await import('../app/start.ts')
    const names = await migrate(address, { say, signal, onJudging })
    await requireSameTime(address, clock)
    await provision(address, clock.now())
    return names
  } catch (thrown) {
    if (thrown instanceof StartupError) throw thrown
    const isDenied = (thrown as { code?: unknown }).code === '42501'
    const hint = isDenied ? '; run `strongroom migrate` with the login that owns it' : ''
    const text = `The database cannot be used: ${firstLine(thrown)}${hint}.`
    throw new (isAway(thrown) ? PassingStartupError : StartupError)(text, { cause: thrown })
  }
}

function isAway(thrown: unknown): boolean {
  const error = translate(thrown)
  return error instanceof Refusal && error.code === 'unavailable'
}

function firstLine(thrown: unknown): string {
  const first = thrown instanceof AggregateError ? (thrown.errors[0] as Error) : (thrown as Error)
  return first.message.split('\n', 1)[0] as string
}

const portSettings = {
  httpsPort: 'STRONGROOM_HTTPS_PORT',
  httpPort: 'STRONGROOM_HTTP_PORT',
  metricsPort: 'STRONGROOM_METRICS_PORT',
} as const

/** Names the setting of a port that is taken or not permitted. */
function withPortSetting(config: Config, thrown: unknown): unknown {
  if (!(thrown instanceof StartupError)) return thrown
  const { code, port } = (thrown.cause ?? {}) as { code?: string; port?: number }
  const keys = Object.keys(portSettings) as (keyof typeof portSettings)[]
  const key = keys.find((each) => config[each] === port)
  if (key === undefined || (code !== 'EADDRINUSE' && code !== 'EACCES')) return thrown
  return new StartupError(`${thrown.message} ${portSettings[key]} chooses another port.`)
}

type Signals = {
  /** Later signals are ignored: on Ctrl-C, a terminal and `npm start` send one each. */
  ended: Promise<void>
  /** Called for each SIGHUP, also for one that came before. */
  onHangUp(work: () => void): void
}

/**
 * SIGHUP comes when the terminal is closed, and ends the service as Ctrl-C does. Without a terminal
 * it comes from a supervisor, and asks to read files again. PostgreSQL does not end by it.
 */
function listenForSignals(): Signals {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve())
  const isInTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  let isAsked = false
  let hangUp = (): void => void (isAsked = true)
  process.on('SIGHUP', () => (isInTerminal ? resolve() : hangUp()))
  return {
    ended,
    onHangUp(work) {
      hangUp = work
      if (isAsked) work()
    },
  }
}

function greeting(
  config: Config,
  { publicUrl, httpPort, certificate }: Running,
  hasName: boolean,
): string {
  const trust = certificate.caPath === undefined ? '' : ` --cacert '${certificate.caPath}'`
  const login = { username: hasName ? config.adminUsername : '…', password: '…' }
  return [
    '',
    'Strongroom is ready.',
    ...(config.portal ? [`  Portal     ${publicUrl}/portal/`] : []),
    `  API        ${publicUrl}/api/v1`,
    ...(config.docs ? [`  Reference  ${publicUrl}/docs`] : []),
    `  Plain HTTP port ${httpPort} only redirects to HTTPS.`,
    ...(certificate.caPath === undefined
      ? []
      : [`  Clients have to trust the local certificate authority ${certificate.caPath}`]),
    '',
    'Log in with a program:',
    // A password in a command is kept by the shell, and other programs see it.
    `  curl${trust} ${publicUrl}/api/v1/auth/login -H 'content-type: application/json' -d @-`,
    `Then type ${JSON.stringify(login)}, Enter and Ctrl-D.`,
    '',
    '',
  ].join('\n')
}

/**
 * An unhandled rejection is a defect of one request: it is logged, and other requests go on. After
 * an uncaught exception the state of the process is unknown, so it ends; what was acknowledged is
 * in the database.
 */
function surviveDefects(log: Log): void {
  process.on('unhandledRejection', (thrown) => {
    log.error({ error: describeError(thrown) }, 'unhandled rejection')
  })
  process.on('uncaughtException', (thrown) => {
    log.error({ error: describeError(thrown) }, 'uncaught exception')
    void log.flush(flushMs).then((isWritten) => (isWritten ? process.exit(1) : endBy('SIGKILL')))
  })
}
