// Many kills: the service with its embedded database, as `npm start` runs it, under load. Service
// and database are killed in turn with SIGKILL, and a supervisor starts the service again.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../demo/chance.ts'
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { openEmbedded } from '../../src/database/embedded/embedded.ts'
import { freePort } from '../support/program.ts'
import { type Figures, toFigures } from './figures.ts'
import { newHistory, now } from './history.ts'
import { openClient } from './client.ts'
import { judgeExport } from './judge-export.ts'
import type { Recovery } from './nemesis.ts'
import { keepService, type Service } from './service.ts'
import { settings } from './seed.ts'
import { runWorkload } from './workload.ts'

type KillOptions = { kills: number; seed: number; say: (text: string) => void }

export async function kill({ kills, seed, say }: KillOptions): Promise<Figures> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-kills-'))
  await chmod(folder, 0o755)
  const data = path.join(folder, 'data')
  const history = newHistory()
  const ca = () => readFile(path.join(data, 'tls/ca.pem'))
  const service = keepService({
    name: 'The service',
    port: await freePort(),
    settings: { ...settings, DATA_DIR: data },
    history,
    mayFail: () => false,
    ca,
  })
  const started = now()
  const recoveries: Recovery[] = []
  await service.ready()
  const client = openClient(history, [service.port], await ca())
  try {
    const done = async () => {
      const chance = createRandom(String(seed), 'killer')
      for (let turn = 1; turn <= kills; turn++) {
        await sleep(chance.between(200, 1500))
        const recovery = await killOne(turn % 2 === 1 ? 'service' : 'database', data, service)
        recoveries.push(recovery)
        say(`kill ${turn} of ${kills}: ${recovery.kind}, ready in ${Math.round(recovery.ms)} ms`)
      }
    }
    const address = await addressIn(data)
    const storm = () => ({ hangUpWithin: () => undefined, done: done() })
    const outside = { folder, ca: path.join(data, 'tls/ca.pem'), ports: [service.port] }
    const judged = await runWorkload({ history, client, seed, address, outside, storm })
    await judgeExport(history, address)
    const seconds = Math.round((now() - started) / 1000)
    return toFigures(history, { seed, seconds, recoveries, ...judged })
  } finally {
    client.close()
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function killOne(
  whom: 'service' | 'database',
  data: string,
  service: Service,
): Promise<Recovery> {
  const started = now()
  const before = await readPostmasterPid(data)
  if (whom === 'service') service.kill()
  else process.kill(before, 'SIGKILL')
  // The killed one may still be listed for a moment.
  while ([0, before].includes(await readPostmasterPid(data)) && now() - started < 30_000)
    await sleep(20)
  await service.ready()
  const until = now()
  return { kind: `kill the ${whom}`, ms: until - started, from: started, until }
}

/** The process id of the database's main process, or 0 while there is none. */
async function readPostmasterPid(data: string): Promise<number> {
  const text = await readFile(path.join(data, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
  return Number.parseInt(text, 10) || 0
}

/** It does not change while the folder exists. */
async function addressIn(data: string): Promise<LocalAddress> {
  const shared = await openEmbedded(data)
  await shared.stop()
  return shared.address
}
