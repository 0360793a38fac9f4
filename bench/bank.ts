// The bank under test: `strongroom serve` as it is shipped, in a process of its own on a data
// folder of its own, with every protection on; only the windows of the limits are wide, and
// counted all the same. Its people and their sessions are written into its database beforehand.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../src/domain/clock.ts'
import { type LocalAddress, openDatabase } from '../src/database/connect.ts'
import { openEmbedded } from '../src/database/embedded.ts'
import { createSigningKeys } from '../src/gate/signing-keys.ts'
import { createTokens } from '../src/gate/token.ts'
import { freePort } from '../test/support/program.ts'
import { withCost } from './cost.ts'
import type { Figures } from './harness.ts'
import type { Target } from './load.ts'
import { type Customer, type Population, settle } from './seed.ts'

export type Bank = {
  folder: string
  /** As the owner of the schema. */
  address: LocalAddress
  target: Target
  pid: number
  databasePid: number
  customers: readonly Customer[]
  /** From the start of the process until it said that it was ready. */
  startMilliseconds: number
  /** Does the work and adds what it cost: cores by process, and how late the event loop was. */
  watch(work: () => Promise<Figures>): Promise<Figures>
  stop(): Promise<void>
}

export type BankOptions = {
  population?: Population
  /** One of an earlier bank that was stopped with `keep`; made anew otherwise. */
  folder?: string
  /** Left on disk when the bank is stopped. */
  keep?: boolean
  /** A folder for a processor profile. */
  profile?: string
  /** Settings by name without the prefix, in place of the bench's. */
  settings?: Readonly<Record<string, string>>
  /** Options of Node.js for the service. */
  nodeOptions?: readonly string[]
}

const wide = { burst: '1000000/1s', sustained: '100000000/1h' }

/** So wide that a load test from one address is let through. */
export const wideLimits = {
  ...Object.fromEntries(
    ['read', 'sensitive', 'admin', 'transfer', 'export', 'refresh', 'confirm'].map((name) => [
      name,
      wide,
    ]),
  ),
  address: { burst: '1000000/1s' },
}

const lifetime = 12 * 3600_000

const left = new Set<() => Promise<void>>()

/** Puts away what a failure has left open. */
export async function stopAll(): Promise<void> {
  for (const stop of left) await stop()
}

export async function openBank(options: BankOptions = {}): Promise<Bank> {
  const folder = options.folder ?? (await mkdtemp(path.join(tmpdir(), 'strongroom-bench-')))
  const metricsPort = await freePort()
  const service = await startService(folder, metricsPort, options)
  const database = await openEmbedded(folder)
  const stop = async () => {
    left.delete(stop)
    await database.stop()
    await service.stop()
    if (options.keep !== true) await rm(folder, { recursive: true, force: true })
  }
  left.add(stop)
  try {
    const { population } = options
    const { address } = database
    const customers = population
      ? await settle(address, population, await signer(address, service))
      : []
    const processes = { service: service.pid, database: database.pid }
    return {
      folder,
      address,
      target: { port: service.port, ca: await readFile(service.caPath) },
      pid: service.pid,
      databasePid: database.pid,
      customers,
      startMilliseconds: service.startMilliseconds,
      watch: (work) => withCost(processes, () => withLag(metricsPort, work)),
      stop,
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

type Service = {
  pid: number
  port: number
  caPath: string
  startMilliseconds: number
  stop(): Promise<void>
}

const bin = fileURLToPath(new URL('../bin/strongroom.js', import.meta.url))

async function startService(
  folder: string,
  metricsPort: number,
  { profile = '', settings, nodeOptions = [] }: BankOptions,
): Promise<Service> {
  const profiling = profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const given = {
    DATA_DIR: folder,
    HTTPS_PORT: '0',
    HTTP_PORT: '0',
    METRICS_PORT: String(metricsPort),
    LIMITS: JSON.stringify(wideLimits),
    SESSION_IDLE: '12h',
    TOKEN_TTL: '12h',
    ...settings,
  }
  const env = Object.entries(given).map(([name, value]) => [`STRONGROOM_${name}`, value])
  // The request log is written, at level info, to a file.
  const log = await open(path.join(tmpdir(), path.basename(folder) + '.log'), 'w', 0o600)
  const started = performance.now()
  const child = spawn(process.execPath, [...nodeOptions, ...profiling, bin, 'serve'], {
    env: { PATH: process.env['PATH'], ...Object.fromEntries(env) },
    stdio: ['ignore', log.fd, 'pipe'],
  })
  const greeting = await readGreeting(child)
  const startMilliseconds = performance.now() - started
  const port = Number(/https:\/\/localhost:(\d+)/.exec(greeting)?.[1])
  const caPath = /certificate authority (.+)/.exec(greeting)?.[1] ?? ''
  return {
    pid: child.pid as number,
    port,
    caPath,
    startMilliseconds,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await log.close()
      await rm(path.join(tmpdir(), path.basename(folder) + '.log'), { force: true })
    },
  }
}

function readGreeting(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('Log in:')) resolve(text)
    })
    child.on('exit', () => reject(new Error(`The service did not start: ${text}`)))
  })
}

async function signer(address: LocalAddress, { port }: Service) {
  const db = openDatabase(address)
  const clock = systemClock()
  const options = { issuer: `https://localhost:${port}`, ttl: lifetime }
  const { sign } = createTokens(createSigningKeys(db, clock, lifetime), clock, options)
  return { sign, close: () => db.close() }
}

/** Node's histogram measures from one look to the next, ten milliseconds apart when all is well. */
const resolution = 10

async function withLag(metricsPort: number, work: () => Promise<Figures>): Promise<Figures> {
  const read = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const seconds = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1]
    return Math.max(0, Number(seconds) * 1000 - resolution)
  }
  // Reading begins it anew.
  await read()
  return { ...(await work()), lagMilliseconds: await read() }
}
