// What a process holds in memory, and `strongroom verify` as an operator runs it.
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../test/support/program.ts'
import type { Figures } from './harness.ts'

/** Megabytes that a process holds in memory. */
export async function residentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024
}

/** Adds the most that the process held while the work was done. */
export async function watchMemory(pid: number, work: () => Promise<Figures>): Promise<Figures> {
  let megabytes = 0
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted) {
      const resident = await residentBytes(pid)
      if (resident > megabytes) megabytes = resident
      await sleep(50)
    }
  })()
  try {
    return { ...(await work()), megabytes }
  } finally {
    over.abort()
    await watching
  }
}

/** Proves the books beside the running service; throws when they are not sound. */
export async function verifyBeside(folder: string): Promise<Figures> {
  const { child, ended, err } = run(['verify'], { DATA_DIR: folder })
  const figures = await watchMemory(child.pid as number, async () => {
    const started = performance.now()
    const code = await ended
    const spent = performance.now() - started
    if (code !== 0) throw new Error(err())
    const entries = Number(/(\d+) entries/.exec(err())?.[1])
    return { seconds: spent / 1000, microsecondsPerEntry: (spent * 1000) / entries }
  })
  return figures
}
