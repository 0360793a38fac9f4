// A Redis or Valkey for tests, which has to be installed: in a folder of its own, on a port of this
// machine, without files.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { freePort } from './program.ts'

const program = ['valkey-server', 'redis-server']
  .flatMap((name) => (process.env['PATH'] ?? '').split(':').map((at) => path.join(at, name)))
  .find((file) => existsSync(file))

/** Why no store can be started; false when one can. */
export const missingStore: string | false =
  program === undefined &&
  'neither redis-server nor valkey-server is installed: apt-get install redis-server'

/** Why a test that needs a store is skipped: only where a developer has said so. */
export const withoutStore: string | false =
  process.env['WITHOUT_STORE'] === '1' && missingStore !== false && missingStore

/** Ends them all when a test breaks off. */
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))

export type Store = {
  url: string
  port: number
  pid(): number | undefined
  /** Stops the process: nothing is answered any more. */
  freeze(): void
  thaw(): void
  kill(): Promise<void>
  /** After {@link kill}: an empty store at the same place. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts a store that ends with the tests of this file. @param more further settings */
export async function startStore(more: readonly string[] = []): Promise<Store> {
  const store = await openStore(more)
  after(() => store.stop())
  return store
}

/** Starts a store. Its end is the caller's. */
export async function openStore(more: readonly string[] = []): Promise<Store> {
  if (missingStore !== false) {
    throw new Error(`${missingStore}; with WITHOUT_STORE=1 its tests are left out`)
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-store-'))
  const port = await freePort()
  let child: ChildProcess | undefined
  const base = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  async function start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const started = spawn(program as string, [...base, '--port', String(port), ...more], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child = started
    running.add(started)
    started.once('exit', () => running.delete(started))
    started.stdout.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve()
    })
    started.once('exit', (code) => reject(new Error(`the store ended with ${code}`)))
    await promise
  }
  async function kill(): Promise<void> {
    const ending = child
    child = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: () => child?.pid,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill,
    start,
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
