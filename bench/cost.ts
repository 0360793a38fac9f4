// Processor time by process, from Linux's /proc: what bounds a measurement, and whether strangers
// were in its way.
import { readdir, readFile } from 'node:fs/promises'
import type { Figures } from './harness.ts'

/** Process ids: the service, PostgreSQL's main process, and a generator of its own. */
export type Processes = { service?: number; database?: number }

type Used = { service: number; database: number; own: number; everybody: number; at: number }

const tick = 10_000 // microseconds; 100 per second on every Linux that matters

const readIfPresent = (path: string) => readFile(path, 'utf8').catch(() => undefined)

/** Microseconds of a process; with those of children that have ended when `isFamily`. */
async function readStat(pid: string, isFamily: boolean) {
  const text = await readIfPresent(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const sum = (from: number, to: number) =>
    fields.slice(from, to).reduce((total, field) => total + Number(field) * tick, 0)
  return { parent: Number(fields[1]), used: sum(11, isFamily ? 15 : 13) }
}

/** Microseconds a process has used, or undefined where that cannot be known. */
export const usedBy = async (pid: number): Promise<number | undefined> =>
  (await readStat(String(pid), false))?.used

async function usedByDatabase(main: number): Promise<number> {
  const pids = await readdir('/proc')
  let total = (await readStat(String(main), true))?.used ?? 0
  for (const pid of pids.filter((name) => /^\d+$/.test(name))) {
    const stat = await readStat(pid, false)
    if (stat?.parent === main) total += stat.used
  }
  return total
}

/** User, nice, system, irq and softirq of all cores. */
async function usedByEverybody(): Promise<number> {
  const line = (await readIfPresent('/proc/stat'))?.split('\n', 1)[0] ?? ''
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line
    .split(/ +/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq) * tick
}

async function used({ service, database }: Processes): Promise<Used | undefined> {
  if ((await readIfPresent('/proc/stat')) === undefined) return undefined
  const { user, system } = process.cpuUsage()
  return {
    service: service === undefined ? 0 : ((await usedBy(service)) ?? 0),
    database: database === undefined ? 0 : await usedByDatabase(database),
    own: user + system,
    everybody: await usedByEverybody(),
    at: performance.now(),
  }
}

/**
 * Cores that each used on average while the work was done. The bench's own are the generator's;
 * one that is a process of its own says `loadCores` itself.
 */
export async function withCost(
  processes: Processes,
  work: () => Promise<Figures>,
): Promise<Figures> {
  const before = await used(processes)
  const figures = await work()
  const after = await used(processes)
  if (!before || !after) return figures
  const microseconds = (after.at - before.at) * 1000
  const cores = (who: Exclude<keyof Used, 'at'>) => (after[who] - before[who]) / microseconds
  const [service, database, own] = [cores('service'), cores('database'), cores('own')]
  const load = figures.loadCores === undefined ? own : figures.loadCores + own
  const other = Math.max(0, cores('everybody') - service - database - load)
  return {
    ...figures,
    ...(processes.service !== undefined && { serviceCores: service }),
    ...(processes.database !== undefined && { databaseCores: database }),
    loadCores: load,
    otherCores: other,
  }
}
