// HAProxy by deploy/haproxy.cfg, with the tests' own addresses, ports and certificate.
import type { ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { localCertificate } from '../../src/http/listeners/local-certificate.ts'
import { freePort } from '../support/program.ts'
import { launch, programs } from './programs.ts'

type Ways = {
  /** A data folder whose certificate all instances and HAProxy show. */
  dataDir: string
  servicePorts: readonly number[]
  frontPort: number
  /** The way to the primary of a cluster; without it the service knows its database itself. */
  database?: { port: number; members: readonly { name: string; postgres: number; rest: number }[] }
}

const template = new URL('../../deploy/haproxy.cfg', import.meta.url)
const databaseSection = /^# The member that Patroni says.*\nlisten database\n(?: .*\n)*/m

/** Starts it for three instances. */
export async function startHaproxy(
  folder: string,
  { dataDir, servicePorts, frontPort, database }: Ways,
): Promise<ChildProcess> {
  await localCertificate(dataDir, ['localhost'], Date.now())
  const places: Record<string, string> = {
    'global\n': `global\n    stats socket ${socketIn(folder)} mode 600\n`,
    ':80\n': `127.0.0.1:${await freePort()}\n`,
    ':443 ': `127.0.0.1:${frontPort} `,
    '/etc/ssl/bank.example/chain-and-key.pem': path.join(dataDir, 'tls/server.secret.pem'),
    '/var/lib/strongroom/tls/ca.pem': path.join(dataDir, 'tls/ca.pem'),
  }
  for (const [index, port] of servicePorts.entries()) {
    places[`bank${index + 1}.example:8443`] = `127.0.0.1:${port}`
  }
  let text = await readFile(template, 'utf8')
  if (database) {
    places['127.0.0.1:5432'] = `127.0.0.1:${database.port}`
    places['check port 8008'] = 'check'
    for (const { name, postgres, rest } of database.members) {
      places[`${name}.example:5432`] = `127.0.0.1:${postgres} port ${rest}`
    }
  } else {
    text = text.replace(databaseSection, '')
  }
  for (const [place, own] of Object.entries(places)) {
    if (!text.includes(place)) throw new Error(`${fileURLToPath(template)} names no ${place}`)
    text = text.replaceAll(place, own)
  }
  const file = path.join(folder, 'haproxy.cfg')
  await writeFile(file, text)
  return launch(programs.haproxy, ['-db', '-f', file], { log: path.join(folder, 'haproxy.log') })
}

const socketIn = (folder: string): string => path.join(folder, 'haproxy.sock')

/** What HAProxy in that folder takes each instance for, by its latest checks. */
async function readStates(folder: string): Promise<(string | undefined)[]> {
  const socket = connect(socketIn(folder))
  socket.write('show stat\n')
  const [head = '', ...lines] = (await textOf(socket)).replace(/^# /, '').split('\n')
  const names = head.split(',')
  const rows = lines.map((line) => line.split(','))
  return ['one', 'two', 'three'].map((name) => {
    const row = rows.find(([proxy, server]) => proxy === 'strongroom' && server === name)
    return row?.[names.indexOf('status')]
  })
}

/**
 * An operator goes on by what the proxy says, not by a time: the checks of a busy machine are late.
 */
async function waitFor(folder: string, sees: (states: (string | undefined)[]) => boolean) {
  // Ends with the test's own time-out.
  while (!sees(await readStates(folder))) await sleep(50)
}

/** Resolves when HAProxy gives requests to each instance. */
export const seenUp = (folder: string): Promise<void> =>
  waitFor(folder, (states) => states.every((state) => state === 'UP'))

/** Resolves when HAProxy gives no request to the instance any more. */
export const seenDown = (folder: string, index: number): Promise<void> =>
  waitFor(folder, (states) => states[index] === 'DOWN')
