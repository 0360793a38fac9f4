// Pages of histories that a standby reads, beside an instance without one: the processor time that
// the primary takes for each.
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { prepareDatabase } from '../src/cli/serve.ts'
import { openPair } from '../test/cluster/pair.ts'
import { toUrl } from '../test/support/database.ts'
import { freePort } from '../test/support/program.ts'
import { warmTokens } from './connection.ts'
import type { Case, Variant } from './harness.ts'
import { load, warmUpSeconds } from './load.ts'
import { withCost } from './processes.ts'
import { toReads } from './reads.ts'
import { choosePopulation, type Customer, seed } from './seed.ts'
import { startProgram } from './service.ts'
import { store } from './store.ts'

const issuer = 'https://bank.example'

export const open: Case = async ({ seconds, connections, profile, isTiny }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-bench-'))
  await chmod(folder, 0o711)
  let customers: readonly Customer[] = []
  const pair = await openPair(folder, async (address) => {
    await prepareDatabase(address)
    customers = await seed(address, choosePopulation(isTiny), issuer)
    await store(address, customers, isTiny ? 500 : 20_000)
  })
  const address = { ...pair.primary.address, database: 'postgres' }
  async function start(name: string, given: Record<string, string>) {
    const own = path.join(folder, name)
    await mkdir(own, { mode: 0o700 })
    // What it prints of itself is the public URL.
    const port = await freePort()
    const settings = { HTTPS_PORT: String(port), DATABASE_URL: toUrl(address), PUBLIC_URL: issuer }
    const { pid, caPath, stop } = await startProgram(own, await freePort(), {
      profile,
      given: { ...settings, ...given },
    })
    return { pid, stop, target: { port, ca: await readFile(caPath) } }
  }
  const instances = {
    primary: await start('alone', {}),
    standby: await start('beside', { READ_DATABASE_URL: pair.urlFor(address) }),
  }
  const templates = toReads('transactions, 20', customers)
  for (const { target } of Object.values(instances)) {
    await warmTokens(target, customers)
    await load(target, templates, 64, isTiny ? 0.1 : warmUpSeconds)
  }
  const nameOf = (at: string, count: number) => `20 transactions, ${at}, ${count} connections`
  const variantOf = (at: keyof typeof instances, count: number): Variant => ({
    name: nameOf(at, count),
    main: 'databaseMicroseconds',
    ...(at === 'standby' && { against: [nameOf('primary', count)], goal: { atMost: 0.25 } }),
    measure: () =>
      withCost({ service: instances[at].pid, database: pair.primary.pid }, () =>
        load(instances[at].target, templates, count, seconds),
      ),
  })
  return {
    variants: connections.flatMap((count) => [
      variantOf('primary', count),
      variantOf('standby', count),
    ]),
    async close() {
      for (const { stop } of Object.values(instances)) await stop()
      await pair.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
