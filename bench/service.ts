// The service under test: `strongroom serve` as it is shipped, in its own process and data folder,
// with every protection on. Only the limits are wide. Its customers and their sessions are written
// into its database beforehand.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LocalAddress } from '../src/database/connections/connect.ts'
import { openEmbedded, startEmbedded } from '../src/database/embedded/embedded.ts'
import { toUrl } from '../test/support/database.ts'
import { freePort } from '../test/support/program.ts'
import type { Target } from './connection.ts'
import type { Figures } from './harness.ts'
import { withCost } from './processes.ts'
import { type Customer, type Population, seed } from './seed.ts'

export type Service = {
  folder: string
  /** As the owner of the schema. */
  address: LocalAddress
  target: Target
  pid: number
  databasePid: number
  customers: readonly Customer[]
  /** Runs the work and adds the processor time it cost and the delay of the event loop. */
  watch(work: () => Promise<Figures>): Promise<Figures>
  stop(): Promise<void>
}

/** Wide enough for a load test from one address. */
const wide = { burst: '1000000/1s', sustained: '100000000/1h' }
const limits = {
  read: wide,
  export: wide,
  transfer: wide,
  service: wide,
  address: { burst: '1000000/1s' },
}

const running = new Set<() => Promise<void>>()

/** A command that runs beside a service ends before it. */
export function endWithBench(child: ChildProcess, ended: Promise<unknown>): void {
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  running.add(stop)
  void ended.then(() => running.delete(stop))
}

/** Stops what a failure, or a signal, has left running. */
export async function stopAll(): Promise<void> {
  // Instances before the service whose database they use.
  for (const stop of [...running].toReversed()) await stop()
}

/**
 * @param options.profile a folder for a processor profile, empty for none
 * @param options.databaseConnections for several instances: that of `serve` takes those of one
 */
export async function openService(options: {
  profile?: string
  population: Population
  databaseConnections?: number
}): Promise<Service> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-bench-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  // A signal may end the start.
  running.add(remove)
  const { profile = '', databaseConnections } = options
  const metricsPort = await freePort()
  const own =
    databaseConnections !== undefined &&
    (await startEmbedded(folder, { max_connections: String(databaseConnections) }))
  const given = own ? { DATABASE_URL: toUrl(own.address) } : {}
  const program = await startProgram(folder, metricsPort, { profile, given })
  const database = own || (await openEmbedded(folder))
  const stop = async () => {
    running.delete(stop)
    // Own connections end before the service, a server of the benchmark behind it.
    if (!own) await database.stop()
    await program.stop()
    if (own) await own.stop()
    await remove()
    running.delete(remove)
  }
  running.add(stop)
  try {
    const { address } = database
    const { pid, port } = program
    const customers = await seed(address, options.population, `https://localhost:${port}`)
    const processes = { service: pid, database: database.pid }
    return {
      folder,
      address,
      target: { port, ca: await readFile(program.caPath) },
      pid,
      databasePid: database.pid,
      customers,
      watch: (work) => withCost(processes, () => withLag(metricsPort, work)),
      stop,
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

const bin = fileURLToPath(new URL('../bin/strongroom.js', import.meta.url))
/** As `npm start`, the unit and the image start it: `test/deploy.test.ts` holds them equal. */
const options = ['--max-semi-space-size=32']

/** @param given settings beside those of the benchmark */
export async function startProgram(
  folder: string,
  metricsPort: number,
  { profile = '', given = {} }: { profile?: string; given?: Record<string, string> } = {},
) {
  const profiling = profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const settings = {
    DATA_DIR: folder,
    HTTPS_PORT: '0',
    HTTP_PORT: '0',
    METRICS_PORT: String(metricsPort),
    LIMITS: JSON.stringify(limits),
    SESSION_IDLE: '12h',
    TOKEN_TTL: '12h',
    ...given,
  }
  const env = Object.entries(settings).map(([name, value]) => [`STRONGROOM_${name}`, value])
  // The request log is written to a file, at its default level.
  const log = await open(path.join(folder, 'request.log'), 'w', 0o600)
  const child = spawn(process.execPath, [...options, ...profiling, bin, 'serve'], {
    env: { PATH: process.env['PATH'], ...Object.fromEntries(env) },
    stdio: ['ignore', log.fd, 'pipe'],
  })
  const stop = async () => {
    running.delete(stop)
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    await log.close()
  }
  running.add(stop)
  const greeting = await readGreeting(child)
  return {
    pid: child.pid as number,
    port: Number(/https:\/\/localhost:(\d+)/.exec(greeting)?.[1]),
    caPath: /certificate authority (.+)/.exec(greeting)?.[1] ?? '',
    stop,
  }
}

export type Instance = { target: Target; pid: number; stop(): Promise<void> }

/** One more instance on the bank of the service, with its certificate. */
export async function addInstance(
  { folder, address, target }: Service,
  { name, given, profile }: { name: string; given: Record<string, string>; profile: string },
): Promise<Instance> {
  const own = path.join(folder, name)
  await mkdir(own, { mode: 0o700 })
  const pair = path.join(folder, 'tls/server.secret.pem')
  // What it prints of itself is the public URL, which is that of the service.
  const port = await freePort()
  const { pid, stop } = await startProgram(own, await freePort(), {
    profile,
    given: {
      HTTPS_PORT: String(port),
      DATABASE_URL: toUrl(address),
      PUBLIC_URL: `https://localhost:${target.port}`,
      TRUSTED_PROXIES: '127.0.0.1',
      TLS_CERT: pair,
      TLS_KEY: pair,
      ...given,
    },
  })
  return { pid, stop, target: { ...target, port } }
}

function readGreeting(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('Log in with a program:')) resolve(text)
    })
    child.on('exit', () => reject(new Error(`The service did not start: ${text}`)))
  })
}

/** Node's histogram samples the event loop every 10 ms; the delay is what exceeds that. */
const lagResolutionMs = 10

async function withLag(metricsPort: number, work: () => Promise<Figures>): Promise<Figures> {
  const read = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const seconds = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1]
    return Math.max(0, Number(seconds) * 1000 - lagResolutionMs)
  }
  // Each read resets the histogram.
  await read()
  return { ...(await work()), lagMs: await read() }
}
