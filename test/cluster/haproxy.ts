// HAProxy by deploy/haproxy.cfg, with the tests' own addresses, ports and certificate.
import type { ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
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
