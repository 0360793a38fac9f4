// Processor time by process, from Linux's /proc: what limits a measurement, and whether other
// programs disturbed it.
import { readdir, readFile } from 'node:fs/promises'
import type { Figures } from './harness.ts'

/** Process ids of the service, of PostgreSQL's main process, and of the store of limits. */
export type Processes = { service?: number | readonly number[]; database?: number; store?: number }

const tickMicroseconds = 10_000 // 100 ticks per second on every common Linux

const readIfPresent = (path: string) => readFile(path, 'utf8').catch(() => '')

/** Microseconds a process has used, including those of its children that have ended. */
async function readStat(pid: number | string): Promise<{ parent: number; used: number }> {
  const text = await readIfPresent(`/proc/${pid}/stat`)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0)
  return { parent: Number(fields[1]), used: ticks * tickMicroseconds }
}

/** The most memory a process has held so far, in MB (10^6 bytes). 0 when it has ended. */
export async function readPeakMb(pid: number): Promise<number> {
  const [, kib = '0'] = /^VmHWM:\s+(\d+)/m.exec(await readIfPresent(`/proc/${pid}/status`)) ?? []
  return (Number(kib) * 1024) / 1e6
}

async function usedByDatabase(main: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const workers = (await Promise.all(pids.map(readStat))).filter(({ parent }) => parent === main)
  return workers.reduce((total, { used }) => total + used, (await readStat(main)).used)
}

/** User, nice, system, irq and softirq time of all cores. */
async function usedByAll(): Promise<number> {
  const fields = (await readIfPresent('/proc/stat')).split('\n', 1)[0]?.split(/ +/) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields.slice(1).map(Number)
  return (user + nice + system + irq + softirq) * tickMicroseconds
}

const toPids = (service: Processes['service']): readonly number[] =>
  typeof service === 'number' ? [service] : (service ?? [])

const usedBy = async (pids: readonly number[]): Promise<number> =>
  (await Promise.all(pids.map(readStat))).reduce((total, { used }) => total + used, 0)

const readUsed = async ({ service, database, store }: Processes) => ({
  serviceCores: await usedBy(toPids(service)),
  storeCores: store === undefined ? 0 : await usedBy([store]),
  databaseCores: database === undefined ? 0 : await usedByDatabase(database),
  // The benchmark, and the load generators that it has started.
  loadCores: (await readStat(process.pid)).used,
  otherCores: await usedByAll(),
})

/** Adds the cores that each process used on average while the work was done. */
export async function withCost(
  processes: Processes,
  work: () => Promise<Figures>,
): Promise<Figures> {
  if ((await readIfPresent('/proc/stat')) === '') return work()
  const startedAt = performance.now()
  const before = await readUsed(processes)
  const figures = await work()
  const after = await readUsed(processes)
  const microseconds = (performance.now() - startedAt) * 1000
  const cores = (name: keyof typeof after) => (after[name] - before[name]) / microseconds
  const [serviceCores, databaseCores] = [cores('serviceCores'), cores('databaseCores')]
  const [loadCores, storeCores] = [cores('loadCores'), cores('storeCores')]
  const known = serviceCores + databaseCores + loadCores + storeCores
  const otherCores = cores('otherCores') - known
  const each = (cores: number) => (cores * 1e6) / (figures.perSecond ?? Number.NaN)
  return {
    ...figures,
    ...(processes.service !== undefined && {
      serviceCores,
      serviceMicroseconds: each(serviceCores),
      peakMb: Math.max(...(await Promise.all(toPids(processes.service).map(readPeakMb)))),
    }),
    ...(processes.database !== undefined && {
      databaseCores,
      databaseMicroseconds: each(databaseCores),
    }),
    ...(processes.store !== undefined && { storeCores, storeMicroseconds: each(storeCores) }),
    loadCores,
    otherCores: Math.max(0, otherCores),
  }
}
