// Support for tests of the embedded PostgreSQL: folders, services in separate processes, waiting.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Embedded, type Opened, startEmbedded } from '../../src/database/embedded/embedded.ts'
import { StartupError } from '../../src/domain/startup-error.ts'

export const isRoot = process.getuid?.() === 0

const ends = new WeakMap<TestContext, (() => unknown)[]>()

/** Runs at the end of the test in reverse order; the test runner would keep the order. */
export function atEnd(t: TestContext, undo: () => unknown): void {
  const undos = ends.get(t) ?? []
  undos.unshift(undo)
  if (ends.has(t)) return
  ends.set(t, undos)
  t.after(async () => {
    for (const undo of undos) await undo()
  })
}

/** A path in a new folder that every user may enter, removed after the test. */
export async function newFolder(t: TestContext, name = 'data'): Promise<string> {
  const parent = await mkdtemp('/tmp/embedded-test-')
  await chmod(parent, 0o711)
  atEnd(t, () => rm(parent, { recursive: true, force: true, maxRetries: 5 }))
  return join(parent, name)
}

let template: Promise<string> | undefined
after(async () => template && rm(dirname(await template), { recursive: true, force: true }))

/** The same with a database that was used and stopped: a copy, which is quicker than a set-up. */
export async function usedFolder(t: TestContext): Promise<string> {
  template ??= makeTemplate()
  const folder = await newFolder(t)
  await promisify(execFile)('/bin/cp', ['-a', await template, folder])
  return folder
}

async function makeTemplate(): Promise<string> {
  const parent = await mkdtemp('/tmp/embedded-test-')
  await chmod(parent, 0o711)
  const folder = join(parent, 'data')
  const embedded = await startEmbedded(folder)
  await query(embedded, 'create table kept as select 7 as n')
  await embedded.stop()
  return folder
}

export async function started(t: TestContext, folder: string): Promise<Embedded> {
  const embedded = await startEmbedded(folder)
  atEnd(t, () => embedded.stop())
  return embedded
}

export async function query({ address }: Opened, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(address)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

export const refused = (message: RegExp) => (thrown: unknown) => {
  assert.ok(thrown instanceof StartupError, String(thrown))
  assert.match(thrown.message, message)
  assert.ok(!thrown.message.includes('\n'), 'one line')
  return true
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** After so long no slow machine is the cause. */
const untilMsMax = 120_000

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + untilMsMax
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `not within ${untilMsMax} ms: ${isSo.toString()}`)
    await sleep(20)
  }
}

export type Service = { process: ChildProcess; line(): Promise<string> }

/** A process of its own that starts the database and prints its process id. */
export function service(t: TestContext, folder: string, more = '', account = {}): Service {
  const module = new URL('../../src/database/embedded/embedded.ts', import.meta.url).href
  const script = `
    const { startEmbedded } = await import(${JSON.stringify(module)})
    const embedded = await startEmbedded(${JSON.stringify(folder)})
    setInterval(() => {}, 1000)
    ${more}
    console.log(embedded.pid)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    detached: true,
    ...account,
  })
  atEnd(t, () => child.kill('SIGKILL'))
  child.stdout.setEncoding('utf8')
  return {
    process: child,
    line: async () => String((await once(child.stdout, 'data'))[0]).trim(),
  }
}
