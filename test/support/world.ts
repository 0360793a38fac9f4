// The harness of all tests that use HTTP: a real server on a database of its own, a clock that
// moves only when told to, and five people who can log in.
import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { getCallSites } from 'node:util'
import pg from 'pg'
import { createReach } from '../../src/app/reach.ts'
import { type Clock, systemClock } from '../../src/domain/clock.ts'
import { fakeClock, type FakeClock } from './clock.ts'
import { readConfig } from '../../src/config/config.ts'
import { createPasswords } from '../../src/features/credentials/passwords.ts'
import type { Address } from '../../src/database/connections/connect.ts'
import { changeCalendar } from '../../src/cli/days/calendar.ts'
import { changeTimeZone } from '../../src/cli/days/time-zone.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { type Running, start } from '../../src/app/start.ts'
import { trusted } from './connect.ts'
import { type SendOptions, client, patiently, type Client, type Reply } from './client.ts'
import {
  cheapHashing,
  cloneTemplate,
  cluster,
  clusterVariable,
  publicUrl,
  type Span,
  type TestCluster,
} from './database.ts'
import { wide } from './limits.ts'
import { password, people, type PersonName } from './people.ts'

export type { Span } from './database.ts'
export { password, people, type PersonName } from './people.ts'
export type { Reply } from './client.ts'

export type ApiClient = {
  token: string
  sessionId: string
  refreshToken: string
  get(path: string, asked?: SendOptions): Promise<Reply>
  post(path: string, body?: unknown, asked?: SendOptions): Promise<Reply>
  put(path: string, body?: unknown, asked?: SendOptions): Promise<Reply>
  patch(path: string, body?: unknown, asked?: SendOptions): Promise<Reply>
  delete(path: string, asked?: SendOptions): Promise<Reply>
}

export type World = {
  clock: FakeClock
  running: Running
  address: Address
  /** All lines logged so far. */
  logged: string[]
  /** Sends one request, without a token unless one is given. */
  send: Client['send']
  /** That person, logged in on one device; the same session each time. */
  as(name: PersonName): Promise<ApiClient>
  /** Logs in anew, on another device. */
  login(name: PersonName, asked?: SendOptions): Promise<ApiClient>
  /** Direct access to the database as its owner, for what the interface does not show. */
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult<Record<string, unknown>>>
  /**
   * A second service on the same database, as another instance would be; or what the service would
   * be after a restart at another time.
   */
  another(changes?: Changes): Promise<{ running: Running; send: Client['send'] }>
}

/** The settings are in place of those of the first service, or beside them. */
export type Changes = { clock?: Clock; settings?: Record<string, string> }

export type WorldOptions = {
  /** Settings by name without the prefix, such as `SESSION_IDLE`. */
  settings?: Record<string, string>
  /** The clock of the first service, instead of a fake one: for a client that waits real time. */
  clock?: Clock
  /** `real`: passwords are hashed as in production, for tests of hashing and of its time. */
  hashing?: 'cheap' | 'real'
  /**
   * Mails, standing orders and webhooks are looked for once a second, and what is past its time is
   * purged, as in production. Otherwise only `work()` looks for jobs, and nothing is purged: what
   * begins by itself could overtake the next step of a test.
   */
  isPolling?: boolean
  /** Instead, how often they are looked for, in milliseconds; what wakes a worker does so, too. */
  pollMs?: number
  /** `default`: those of the service, instead of limits that only a test of limits reaches. */
  limits?: 'default' | 'wide'
  /** The authority of the certificate of the responder for payees of other banks, in PEM. */
  responderCa?: string
  /** The folder of the portal's built files, instead of a small stand-in. */
  portal?: URL
  /** Where its database is made, instead of in the cluster of the run. */
  cluster?: TestCluster
  /** The database that is copied, instead of the template with nothing but people. */
  original?: string
  /** At the end the database is left, for others to copy. */
  isLeft?: boolean
  /** Makes the address at which the service finds its database, such as that of a proxy to it. */
  through?: (real: { host: string; port: number }) => Promise<{ host: string; port: number }>
}

/** Settings of an issuer that never answers, for what needs one to be set. */
export const farIssuer = {
  OIDC_ISSUER: 'https://localhost:9',
  OIDC_CLIENT_ID: 'strongroom',
  OIDC_CLIENT_SECRET: 'secret',
}

const standInPortal = new URL('./portal/', import.meta.url)
/** As a program starts, for which a busy machine may be too slow at first. */
const reaching = { log: { warn() {} }, signal: new AbortController().signal }

type CommonOptions = Pick<WorldOptions, 'settings' | 'limits'>

let shared: Promise<TestCluster> | undefined

/** The cluster of the worlds of this process. */
export const worldCluster = (): Promise<TestCluster> => (shared ??= cluster())

/** Makes a world that ends with the test. */
export async function world(t: Span, options: WorldOptions = {}): Promise<World> {
  const where = options.cluster ?? (await worldCluster())
  const {
    address,
    login: serviceAddress,
    certified,
    stop,
  } = await cloneTemplate(where, options.original)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-world-'))
  if (certified !== undefined) cpSync(certified, folder, { recursive: true })
  const clock = fakeClock()
  const logged: string[] = []
  const closers: (() => Promise<void> | void)[] = []
  const reached = { ...serviceAddress, ...(await options.through?.(serviceAddress)) }
  // Where a test takes the database away, 503 is what it asks about.
  const isPatient = options.through === undefined && options.cluster === undefined
  const configWith = (settings: Record<string, string> = {}) =>
    readConfig({
      STRONGROOM_DATA_DIR: folder,
      STRONGROOM_HTTPS_PORT: '0',
      STRONGROOM_HTTP_PORT: '0',
      STRONGROOM_METRICS_PORT: '0',
      STRONGROOM_PUBLIC_URL: publicUrl,
      ...(options.limits === 'default' ? {} : { STRONGROOM_LIMITS: wide }),
      ...Object.fromEntries(
        Object.entries({ ...options.settings, ...settings }).map(([name, value]) => [
          `STRONGROOM_${name}`,
          value,
        ]),
      ),
    })
  const config = configWith()
  if (config.timeZone !== 'UTC') await changeTimeZone(address, config.timeZone, clock)
  if (config.holidays.kind !== 'none' || config.cutOff !== undefined) {
    await changeCalendar(address, config, clock)
  }

  const log = createLog('trace', (line) => void logged.push(line), config.logAddress, {
    answers: config.logAnswers,
  })

  async function instance(changes: Changes = {}) {
    const running = await start(changes.settings ? configWith(changes.settings) : config, reached, {
      clock: changes.clock ?? options.clock ?? clock,
      log,
      reach: createReach({ ...reaching, clock: systemClock() }),
      portal: options.portal ?? standInPortal,
      ...(options.responderCa !== undefined && { responderSender: { ca: options.responderCa } }),
      ...(options.hashing !== 'real' && { hashing: cheapHashing }),
      ...(options.isPolling !== true && { pollMs: options.pollMs ?? 'never' }),
    })
    const ca = await trusted({ running })
    const own = client(running.httpsPort, ca, isPatient)
    closers.unshift(
      () => own.close(),
      () => running.close(),
    )
    return { running, send: own.send }
  }

  const { running, send } = await instance()
  const owner = new pg.Pool({ ...address, max: 1, options: '-c search_path=strongroom' })
  owner.on('error', () => {})
  closers.push(() => owner.end())
  t.after(async () => {
    for (const close of closers) await close()
    if (!options.isLeft) await stop()
    await rm(folder, { recursive: true, force: true })
  })

  if (options.hashing === 'real') {
    const { hash } = await createPasswords()
    await owner.query('update users set password_hash = $1', [await hash(password)])
  }
  const login = (name: PersonName, asked?: SendOptions) => logIn(send, name, asked)
  return {
    clock,
    running,
    address,
    logged,
    send,
    login,
    as: rememberLogins(login),
    sql: (text, values) => owner.query<Record<string, unknown>>(text, values),
    another: instance,
  }
}

/** The worlds that a file's tests have in common. */
class CommonWorlds {
  private readonly ends: (() => Promise<void>)[] = []
  private readonly byOptions = new Map<string, Promise<World>>()
  readonly file: string | undefined

  constructor(file: string | undefined) {
    this.file = file
  }

  get(options: CommonOptions): Promise<World> {
    const key = JSON.stringify(options)
    const span = { after: (end: () => Promise<void>) => void this.ends.push(end) }
    const made = this.byOptions.get(key) ?? world(span, options)
    this.byOptions.set(key, made)
    made.catch(() => this.byOptions.delete(key))
    return made
  }

  async end(): Promise<void> {
    for (const end of this.ends) await end()
  }
}

let common = new CommonWorlds(undefined)

/**
 * The world that tests of one file have in common, one for each set of options. Each test logs
 * people in on devices of its own; it may not assume that nobody else has accounts, and nothing it
 * changes may concern the others. The worlds of a file end when the next file asks for one.
 */
export async function commonWorld(options: CommonOptions = {}): Promise<World> {
  const file = getCallSites().find(({ scriptName }) => scriptName.includes('.test.'))?.scriptName
  const former = common
  if (former.file !== file) common = new CommonWorlds(file)
  const making = common.get(options)
  if (former !== common) await former.end()
  const made = await making
  return { ...made, as: rememberLogins(made.login) }
}

after(async () => {
  await common.end()
  // A cluster this process started for itself, because one file is run alone, ends with it.
  if (process.env[clusterVariable] === undefined) await (await shared)?.stop()
})

function rememberLogins(login: World['login']): World['as'] {
  const voices = new Map<PersonName, Promise<ApiClient>>()
  return (name) => {
    const voice = voices.get(name) ?? login(name)
    voices.set(name, voice)
    return voice
  }
}

async function logIn(
  send: Client['send'],
  name: PersonName,
  asked: SendOptions = {},
): Promise<ApiClient> {
  const { username } = people[name]
  const body = { username, password, ...(asked.body as object | undefined) }
  const reply = await patiently(() => send('POST', '/api/v1/auth/login', { ...asked, body }))
  if (reply.status !== 200) throw new Error(`${name} could not log in: ${reply.text}`)
  const { token, sessionId, refreshToken } = reply.body
  return { sessionId, refreshToken, ...clientWith(send, token) }
}

/** Requests with that token or key. */
export const clientWith = (
  send: Client['send'],
  token: string,
): Omit<ApiClient, 'sessionId' | 'refreshToken'> => ({
  token,
  get: (at, more) => send('GET', at, { token, ...more }),
  post: (at, body, more) => send('POST', at, { token, body, ...more }),
  put: (at, body, more) => send('PUT', at, { token, body, ...more }),
  patch: (at, body, more) => send('PATCH', at, { token, body, ...more }),
  delete: (at, more) => send('DELETE', at, { token, ...more }),
})
