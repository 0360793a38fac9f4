// Injects the faults, one after the other. The seed alone decides the schedule. After each fault
// there is a rest in which everything has to recover.
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../demo/chance.ts'
import { type Base, openBase } from './base.ts'
import { type History, now, underLoad, violate } from './history.ts'
import type { Service } from './service.ts'

export const kinds = [
  'kill the service',
  'pause the service',
  'end the service by SIGTERM',
  'stop the database',
  'kill the database',
  'end backends',
  'kill a backend',
  'slow wire',
  'silent wire',
  'cut wire',
  'swallow COMMITs',
  'lose COMMITs',
  'clients hang up',
] as const
export type Kind = (typeof kinds)[number]

/** A fault: what, to which instance, how long (milliseconds), and how much of it. */
export type Fault = { kind: string; target: number; ms: number; size: number; rest: number }

/** The faults of a seed, dealt from shuffled decks, so that each kind comes once per round. */
export function* scheduleOf(seed: number, chosen: readonly string[] = kinds): Generator<Fault> {
  const chance = createRandom(String(seed), 'nemesis')
  for (;;) {
    const deck = [...chosen]
    while (deck.length > 0) {
      const [kind] = deck.splice(chance.below(deck.length), 1) as [string]
      yield {
        kind,
        target: chance.below(2),
        ms: chance.between(200, 4000),
        size: chance.between(1, 8),
        rest: chance.between(500, 2500),
      }
    }
  }
}

/**
 * The recovery from a fault: how long it took, when the fault began, and when all was well again.
 */
export type Recovery = { kind: string; ms: number; from: number; until: number }

/** The surroundings of a storm: a database, the service's way to it, and the faults. */
export type Stage = Pick<Base, 'address' | 'url' | 'isDisturbed' | 'stop'> & {
  kinds: readonly string[]
  /** Of the instances of the service, and of the proxy before them. By default there are two. */
  ports?: readonly number[]
  frontPort?: number
  /** Further settings of each instance. */
  settings?: Record<string, string>
  /** Within this time all instances answer again. Milliseconds; longer on a loaded machine. */
  recoveryMsMax?: number
  /** Kinds that no client of the proxy notices. */
  unnoticed?: readonly string[]
  /** Undoes the rest of a fault after that. */
  settle?(): Promise<void>
  /** Resolves when the fault is over, with the time from which recovery counts. */
  inject(fault: Fault, services: readonly Service[]): Promise<number>
}

/** One PostgreSQL behind a proxy that can fail. */
export async function openStage(folder: string): Promise<Stage> {
  const base = await openBase(folder)
  return { ...base, kinds, inject: (fault, services) => inject(base, services, fault) }
}

export type Deck = { stage: Stage; services: readonly Service[]; history: History }

export type Faults = {
  hangUpWithin(): number | undefined
  /** Resolves when the storm is over and everything has recovered. */
  done: Promise<Recovery[]>
}

/** @param say told of each fault before it comes */
export function startFaults(
  deck: Deck,
  schedule: Iterator<Fault>,
  isOver: () => boolean,
  say: (fault: Fault) => void,
): Faults {
  let hangUpWithin: number | undefined
  const recoveries: Recovery[] = []
  const injectAll = async (): Promise<Recovery[]> => {
    while (!isOver()) {
      const fault = schedule.next().value as Fault
      say(fault)
      if (fault.kind === 'clients hang up') hangUpWithin = fault.size * 8
      const from = now()
      const { stage, services, history } = deck
      const since = await stage.inject(fault, services)
      hangUpWithin = undefined
      await Promise.all(services.map((service) => service.ready()))
      const ms = now() - since
      if (ms > underLoad(history, stage.recoveryMsMax ?? Infinity)) {
        violate(history, `${fault.kind}: an instance answered again after ${Math.round(ms)} ms`)
      }
      await stage.settle?.()
      const noticed = history.failed.filter(({ endedAt }) => endedAt > from)
      if (noticed.length > 0 && stage.unnoticed?.includes(fault.kind)) {
        violate(history, `${fault.kind}: ${noticed.length} noticed, as ${noticed[0]?.what}`)
      }
      recoveries.push({ kind: fault.kind, ms, from, until: now() })
      await sleep(fault.rest)
    }
    return recoveries
  }
  return { hangUpWithin: () => hangUpWithin, done: injectAll() }
}

async function inject(base: Base, services: readonly Service[], fault: Fault): Promise<number> {
  const { target, ms, size } = fault
  const kind = fault.kind as Kind
  const service = services[target % services.length] as Service
  const { wire } = base
  base.disturb(ms)
  switch (kind) {
    case 'kill the service': {
      const killed = now()
      service.kill()
      return killed
    }
    case 'pause the service':
      await service.pause(ms)
      return now()
    case 'end the service by SIGTERM':
      await service.terminate()
      return now()
    case 'stop the database':
    case 'kill the database':
      await base.crash(kind === 'stop the database' ? 'SIGQUIT' : 'SIGKILL')
      await sleep(ms)
      await base.start()
      return now()
    case 'end backends':
    case 'kill a backend':
      return endBackends(base, kind === 'end backends' ? 'asked' : 'killed', size)
    case 'slow wire':
      wire.delay(size * 40)
      break
    case 'silent wire':
      wire.drop()
      break
    case 'cut wire':
      wire.cut()
      break
    case 'swallow COMMITs':
      wire.swallowCommit(size * 2)
      break
    case 'lose COMMITs':
      wire.loseCommit(size * 2)
      break
    case 'clients hang up':
  }
  await sleep(ms)
  wire.heal()
  return now()
}

async function endBackends(base: Base, how: 'asked' | 'killed', size: number): Promise<number> {
  const times = how === 'asked' ? size : 1
  for (let turn = 0; turn < times; turn++) {
    await base.endBackends(how === 'asked' ? size : 1, how).catch(() => {})
    await sleep(50)
  }
  return now()
}
