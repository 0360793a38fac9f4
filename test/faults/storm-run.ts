// The storm on two instances of the service over one database.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../support/program.ts'
import { type Figures, toFigures } from './figures.ts'
import { type History, newHistory, now } from './history.ts'
import { openClient } from './client.ts'
import { judgeExport } from './judge-export.ts'
import {
  type Fault,
  openStage,
  type Recovery,
  scheduleOf,
  type Stage,
  startFaults,
} from './nemesis.ts'
import { type Service, keepService } from './service.ts'
import { settings } from './seed.ts'
import { runWorkload } from './workload.ts'

export type StormOptions = {
  seconds: number
  /** It goes on, up to five times as long, until so many payments were acknowledged. */
  payments?: number
  seed: number
  /** It ends after so many faults instead. */
  rounds?: number | undefined
  /** Some of the faults of the stage. */
  kinds?: readonly string[]
  /** A defect put into the service; see bugs.ts. */
  bug?: string | undefined
  say?: ((text: string) => void) | undefined
}

/** Runs one storm. Throws only when the storm cannot be run; violations are in the figures. */
export async function storm(options: StormOptions, open = openStage): Promise<Figures> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-storm-'))
  await chmod(folder, 0o755)
  const stage = await open(path.join(folder, 'database'))
  try {
    return await stormOn(stage, folder, options)
  } finally {
    await stage.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The same on a database that is there, and empty. */
export async function stormOn(
  stage: Stage,
  folder: string,
  options: StormOptions,
): Promise<Figures> {
  const history = newHistory()
  const services = await launch(stage, folder, history, options.bug)
  const ports = [...(stage.frontPort ? [stage.frontPort] : []), ...services.map(({ port }) => port)]
  const hasFront = stage.frontPort !== undefined
  const client = openClient(history, ports, await authority(folder), hasFront)
  const recoveries: Recovery[] = []
  const { seed, seconds, rounds, say = () => {} } = options
  const started = now()
  try {
    const judged = await runWorkload({
      history,
      client,
      seed,
      address: stage.address,
      outside: {
        folder,
        ca: authorityFile(folder),
        ports: hasFront ? ports.slice(0, 1) : ports,
        nodeOptions: toNodeOptions(options.bug),
      },
      isLimitShared: hasFront,
      storm() {
        const [until, latest] = [now() + seconds * 1000, now() + seconds * 5000]
        const isEnough = () => acknowledged(history) >= (options.payments ?? 0)
        let count = 0
        const isOver = () =>
          rounds === undefined ? now() > until && (isEnough() || now() > latest) : count >= rounds
        const schedule = scheduleOf(seed, options.kinds ?? stage.kinds)
        const tell = (fault: Fault) => {
          count++
          say(told(fault, (now() - started) / 1000))
        }
        const deck = { stage, services, history }
        const { hangUpWithin, done } = startFaults(deck, schedule, isOver, tell)
        return { hangUpWithin, done: done.then((all) => void recoveries.push(...all)) }
      },
    })
    // A defect is found by then, or not at all. Behind a proxy no login makes a database.
    if (options.bug === undefined && !hasFront) await judgeExport(history, stage.address)
    return toFigures(history, { seed, seconds, recoveries, ...judged })
  } finally {
    client.close()
    await Promise.all(services.map((service) => service.stop()))
  }
}

const acknowledged = ({ counts }: History): number => counts.get('POST /api/v1/transfers 201') ?? 0

const authorityFile = (folder: string): string => path.join(folder, 'service/tls/ca.pem')
const authority = (folder: string): Promise<Buffer> => readFile(authorityFile(folder))

/** The client's programs get the same bug: it may be in their code. */
function toNodeOptions(bug: string | undefined): string[] {
  const hooks = new URL(`bug-hooks.ts?bug=${bug}`, import.meta.url)
  return bug === undefined ? [] : ['--import', hooks.href]
}

/** The first makes the schema and the certificate, so the second is started after it. */
async function launch(
  stage: Stage,
  folder: string,
  history: History,
  bug: string | undefined,
): Promise<Service[]> {
  const services: Service[] = []
  const ports = stage.ports ?? [await freePort(), await freePort()]
  for (const [index, port] of ports.entries()) {
    const service = keepService({
      name: `Instance ${index + 1}`,
      port,
      settings: {
        ...settings,
        ...stage.settings,
        DATA_DIR: path.join(folder, 'service'),
        DATABASE_URL: stage.url,
      },
      nodeOptions: toNodeOptions(bug),
      history,
      mayFail: stage.isDisturbed,
      ca: () => authority(folder),
    })
    services.push(service)
    await service.ready()
    if (history.violations.length > 0) {
      await Promise.all(services.map((each) => each.stop()))
      throw new Error(`It did not start: ${history.violations[0]}`)
    }
  }
  return services
}

const told = ({ kind, target, ms, size }: Fault, at: number): string =>
  `${at.toFixed(1).padStart(6)} s  ${kind} (instance ${target + 1}, ${ms} ms, size ${size})`
