// Processor time by process, from Linux's /proc: on a shared machine it says more than the clock.
import { readdir, readFile } from 'node:fs/promises'

/** Microseconds used since a process began: the service, PostgreSQL with its backends, and we. */
export type Cost = { service: number; database: number; load: number }

const tick = 10_000 // 100 per second on every Linux that matters

async function statOf(pid: string): Promise<{ parent: number; used: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), used: (Number(fields[11]) + Number(fields[12])) * tick }
}

/** Undefined where there is no /proc. */
export async function costOf(service: number, database: number): Promise<Cost | undefined> {
  const pids = await readdir('/proc').catch(() => [])
  let backends = 0
  for (const pid of pids.filter((name) => /^\d+$/.test(name))) {
    const stat = await statOf(pid)
    if (stat && (stat.parent === database || Number(pid) === database)) backends += stat.used
  }
  const { used } = (await statOf(String(service))) ?? {}
  if (used === undefined) return undefined
  const { user, system } = process.cpuUsage()
  return { service: used, database: backends, load: user + system }
}

/** `service 60 + database 50 + load 20 µs` for each of `count`. */
export function costText(before: Cost | undefined, after: Cost | undefined, count: number): string {
  if (!before || !after) return ''
  const each = (name: keyof Cost) => `${name} ${Math.round((after[name] - before[name]) / count)}`
  return `${each('service')} + ${each('database')} + ${each('load')} µs`
}
