// The stage of a storm on the lab with Patroni: machines, PostgreSQL, etcd and the network fail,
// and so do three instances of the service, which share a store of limits behind HAProxy.
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { now } from '../faults/history.ts'
import { narrow } from '../faults/limited.ts'
import type { Fault, Stage } from '../faults/nemesis.ts'
import type { Service } from '../faults/service.ts'
import { openStore } from '../support/redis.ts'
import { freePort } from '../support/program.ts'
import { seenUp } from './haproxy.ts'
import { type EtcdMember, type Lab, openLab } from './patroni.ts'

export const patroniKinds = [
  'kill the primary',
  'kill and start the primary',
  'kill PostgreSQL of the primary',
  'kill a standby',
  'stop the primary',
  'stop a standby',
  'isolate the primary',
  'isolate a standby',
  'cut the primary from etcd',
  'kill a member of etcd',
  'kill etcd',
  'kill an instance',
  'restart the instances in turn',
] as const
export type PatroniKind = (typeof patroniKinds)[number]

/** The service has found a new primary so soon after its promotion. */
const foundMsMax = 10_000

export async function openPatroni(folder: string): Promise<Stage> {
  const ports = [await freePort(), await freePort(), await freePort()]
  const dataDir = path.join(folder, '../service')
  const lab = await openLab(folder, { servicePorts: ports, dataDir })
  const store = await openStore()
  const { user, password, host, port, database } = lab.address
  let isDisturbed = false
  /** What is left to undo. */
  let undo: () => Promise<void> = async () => {}
  let turn = 0
  return {
    address: lab.address,
    url: `postgres://${user}:${password}@${host}:${port}/${database}`,
    ports,
    frontPort: lab.frontPort,
    settings: { REDIS_URL: store.url, TRUSTED_PROXIES: '127.0.0.1', LIMITS: narrow, DRAIN: '4s' },
    recoveryMsMax: foundMsMax,
    unnoticed: ['restart the instances in turn'],
    kinds: patroniKinds,
    isDisturbed: () => isDisturbed,
    async inject(fault, services) {
      isDisturbed = true
      undo = async () => {}
      const next = services[turn++ % services.length] as Service
      return injectInto(lab, fault, { folder, services, next, after: (how) => void (undo = how) })
    },
    async settle() {
      await undo()
      await lab.whole()
      await seenUp(folder)
      isDisturbed = false
    },
    async stop() {
      await lab.stop()
      await store.stop()
    },
  }
}

type Scene = {
  folder: string
  services: readonly Service[]
  next: Service
  /** Done when the service has found its way. */
  after(undo: () => Promise<void>): void
}

/** Resolves with the moment from which the service may find its way again. */
async function injectInto(
  lab: Lab,
  { kind, ms, size }: Fault,
  { folder, services, next, after }: Scene,
): Promise<number> {
  const primary = await lab.primary()
  const standby = await lab.standby()
  const startedAt = now()
  const promoted = async (except?: typeof primary) => (await lab.promotion(startedAt, except)).at
  switch (kind as PatroniKind) {
    case 'kill the primary':
      await primary.kill()
      after(() => primary.start())
      return promoted(primary)
    case 'kill and start the primary':
      await primary.kill()
      await sleep(ms)
      await primary.start()
      return promoted()
    case 'kill PostgreSQL of the primary':
      primary.killPostgres()
      return promoted()
    case 'kill a standby':
      await standby.kill()
      await sleep(ms)
      await standby.start()
      return startedAt
    case 'stop the primary':
      await primary.signal('SIGSTOP')
      after(() => primary.signal('SIGCONT'))
      return promoted(primary)
    case 'stop a standby':
      await standby.signal('SIGSTOP')
      await sleep(ms)
      await standby.signal('SIGCONT')
      return now()
    case 'isolate the primary':
      primary.isolate()
      after(async () => primary.heal())
      return promoted(primary)
    case 'isolate a standby':
      standby.isolate()
      await sleep(ms)
      standby.heal()
      return now()
    case 'cut the primary from etcd':
      primary.cutFromEtcd()
      // Others may lead meanwhile, or it goes on because it reaches them.
      await sleep(ms * 10)
      primary.heal()
      return now()
    case 'kill a member of etcd':
    case 'kill etcd': {
      const some = kind === 'kill etcd' ? lab.etcd : [lab.etcd[size % 3] as EtcdMember]
      await Promise.all(some.map((member) => member.kill()))
      await sleep(ms * 2)
      await Promise.all(some.map((member) => member.start()))
      return now()
    }
    case 'kill an instance':
      next.kill()
      return startedAt
    case 'restart the instances in turn':
      for (const service of services) {
        await service.terminate()
        await service.ready()
        await seenUp(folder)
      }
      return now()
  }
}
