// A run of HTTP/2 frames against a service, judged by another client: it is served all the time,
// and when the run is over no connection and no memory is left of it.
import { setTimeout as wait } from 'node:timers/promises'
import { connect } from '../support/connect.ts'
import type { World } from '../support/world.ts'
import { runFrames } from './frames.ts'

export type FramesAsked = {
  seed: number
  connections: number
  progress?: (done: number) => void
}

const atOnce = 50
/** What the other client waits for an answer at most, on a machine that runs other tests too. */
const answerTimeoutMs = 15_000
const pauseMs = 50
/** Above what the process holds when the connections begin. */
const memoryMax = 600e6

export async function fuzzFrames(
  bank: World,
  { seed, connections, progress = () => {} }: FramesAsked,
): Promise<{ findings: string[] }> {
  const findings: string[] = []
  const before = process.memoryUsage().rss
  let memory = 0
  const over = new AbortController()
  const judge = async () => {
    while (!over.signal.aborted) {
      const signal = AbortSignal.timeout(answerTimeoutMs)
      const { status } = await bank
        .send('GET', '/healthz', { from: '127.0.0.99', headers: { connection: 'close' }, signal })
        .catch(() => ({ status: 0 }))
      if (status !== 200) findings.push(`another client was answered ${status}`)
      memory = Math.max(memory, process.memoryUsage().rss - before)
      await wait(pauseMs)
    }
  }
  const judging = judge()
  const reached = await runFrames({
    port: bank.running.httpsPort,
    secure: (how) => connect(bank, how),
    seed,
    connections,
    atOnce,
    progress,
  })
  over.abort()
  await judging
  if (memory > memoryMax) findings.push(`${Math.round(memory / 1e6)} MB more were held`)
  // Else the run would find nothing because it gets nowhere.
  if (reached.secured < connections / 2) findings.push(`only ${reached.secured} were let in`)
  if (reached.answeredBytes < connections * 1000) findings.push('hardly anything was answered')
  return { findings }
}
