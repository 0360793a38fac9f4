// Several instances on one machine: one without a store of limits, and one, two and four that share
// one by its Unix socket. All of them have the same database and customers; the load goes to each
// instance directly, and in one variant to three of them by HAProxy, as deploy/haproxy.cfg has it.
import path from 'node:path'
import { programs, end } from '../test/cluster/programs.ts'
import { startHaproxy } from '../test/cluster/haproxy.ts'
import { freePort } from '../test/support/program.ts'
import { openStore, missingStore } from '../test/support/redis.ts'
import { type Target, warmTokens } from './connection.ts'
import { CannotRun, type Case, type Figures, type Variant } from './harness.ts'
import { load, type Templates, warmUpSeconds } from './load.ts'
import { withCost } from './processes.ts'
import { toReads } from './reads.ts'
import { choosePopulation } from './seed.ts'
import { addInstance, type Instance, openService } from './service.ts'
import { uniform } from './transfers.ts'

const sharedCount = 4
/** Of five instances, each of which takes up to 29. */
const databaseConnections = 200

/** The connections in equal parts to each target. */
async function spread(
  targets: readonly Target[],
  templates: Templates,
  connections: number,
  seconds: number,
): Promise<Figures> {
  const share = Math.max(1, Math.round(connections / targets.length))
  const all = await Promise.all(targets.map((each) => load(each, templates, share, seconds)))
  const lost = all.reduce((total, each) => total + (each.lost ?? 0), 0)
  const of = (figure: 'perSecond' | 'p50Ms' | 'p99Ms') => all.map((each) => each[figure] ?? 0)
  return {
    perSecond: of('perSecond').reduce((total, each) => total + each, 0),
    p50Ms: of('p50Ms').reduce((total, each) => total + each, 0) / all.length,
    p99Ms: Math.max(...of('p99Ms')),
    refusedPercent: Math.max(...all.map(({ refusedPercent = 0 }) => refusedPercent)),
    ...(lost > 0 && { lost }),
  }
}

export const open: Case = async ({ seconds, connections, isTiny, profile }) => {
  if (missingStore !== false) throw new CannotRun(missingStore)
  const service = await openService({
    population: choosePopulation(isTiny),
    profile,
    databaseConnections,
  })
  const { folder, customers, databasePid: database } = service
  const socket = path.join(folder, 'limits.sock')
  const store = await openStore(['--unixsocket', socket])
  const frontPort = await freePort()
  const instances: Instance[] = []
  const haproxy = await prepare()
  const [reads, transfers] = [toReads('details', customers), uniform(customers)]
  const fronted = instances.slice(0, 3)
  const ways: { name: string; targets: Target[]; pids: number[] }[] = [
    { name: 'one without a store', targets: [service.target], pids: [service.pid] },
    ...[1, 2, sharedCount].map((count) => {
      const chosen = instances.slice(0, count)
      const name = `${['', 'one', 'two', '', 'four'][count]} with the store`
      return {
        name,
        targets: chosen.map(({ target }) => target),
        pids: chosen.map(({ pid }) => pid),
      }
    }),
    ...(haproxy && fronted[0]
      ? [
          {
            name: 'three with the store, by HAProxy',
            targets: [{ ...fronted[0].target, port: frontPort }],
            pids: [...fronted.map(({ pid }) => pid), haproxy.pid as number],
          },
        ]
      : []),
  ]

  /** All of them show the certificate of the service. */
  async function prepare() {
    for (let index = 0; index < sharedCount; index++) {
      const given = { REDIS_URL: `unix://${socket}` }
      instances.push(await addInstance(service, { name: `${index + 1}`, given, profile }))
    }
    if (programs.haproxy === undefined) return undefined
    const ports = instances.slice(0, 3).map(({ target }) => target.port)
    return startHaproxy(folder, { dataDir: folder, servicePorts: ports, frontPort })
  }

  for (const { targets } of ways) {
    for (const target of targets) {
      await warmTokens(target, customers)
      await load(target, reads, 16, isTiny ? 0.1 : warmUpSeconds / 2)
      await load(target, transfers, 16, isTiny ? 0.1 : warmUpSeconds / 2)
    }
  }
  const kinds = { details: reads, transfers }
  const variants = Object.entries(kinds).flatMap(([kind, templates]) =>
    connections.flatMap((count) =>
      ways.map(({ name, targets, pids }, index): Variant => ({
        name: `${kind}, ${name}, ${count} connections`,
        main: 'perSecond',
        ...(index > 0 && { against: [`${kind}, ${ways[0]?.name}, ${count} connections`] }),
        measure: () =>
          withCost({ service: pids, database, store: store.pid() ?? 0 }, () =>
            spread(targets, templates, count, seconds),
          ),
      })),
    ),
  )
  return {
    variants,
    async close() {
      if (haproxy) await end(haproxy)
      for (const { stop } of instances) await stop()
      await store.stop()
      await service.stop()
    },
  }
}
