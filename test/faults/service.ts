// One instance of the service as a process, with a supervisor that starts it again whenever it is
// gone, and reports an end that no fault caused.
import { setTimeout as sleep } from 'node:timers/promises'
import { client } from '../support/client.ts'
import { type Program, run } from '../support/program.ts'
import { count, type History, now, violate } from './history.ts'

export type Service = {
  port: number
  /** SIGKILL; it is started again at once. */
  kill(): void
  /** SIGSTOP, and SIGCONT after that time. */
  pause(ms: number): Promise<void>
  /** SIGTERM. Resolves with the milliseconds until it had ended. */
  terminate(): Promise<number>
  /** Resolves when it answers that it is ready, with the milliseconds that took. */
  ready(): Promise<number>
  stop(): Promise<void>
}

export type ServiceOptions = {
  name: string
  port: number
  settings: Record<string, string>
  /** Of Node itself. */
  nodeOptions?: readonly string[]
  history: History
  /** Whether an end that no fault caused is expected: the database is away at the start. */
  mayFail(): boolean
  ca(): Promise<Buffer>
}

/** What a log may never hold. */
const neverLogged = /unhandled rejection|uncaught exception|"level":"?(fatal|60)/
/** Above this load of each processor, a start may time out. */
const loadMax = 2
const readyWithin = 120_000

export function keepService(options: ServiceOptions): Service {
  const { name, port, history } = options
  let program: Program | undefined
  const wanted = { is: true }
  /** The process that was told to stop. */
  let stopping: Program | undefined
  const kept = keep()

  async function keep(): Promise<void> {
    while (wanted.is) {
      const settings = { ...options.settings, HTTPS_PORT: String(port) }
      const started = run(['serve'], settings, options.nodeOptions)
      program = started
      const code = await started.ended
      const isAsked = stopping === started || !wanted.is
      if (!isAsked && mayFail(started)) count(history, 'start failed')
      else if (!isAsked) {
        violate(history, `${name} ended with ${code} by itself: ${started.err().slice(-300)}`)
      }
      const said = started
        .out()
        .split('\n')
        .find((line) => neverLogged.test(line))
      if (said !== undefined) violate(history, `${name} logged ${said}`)
      if (wanted.is && !isAsked) await sleep(100)
    }
  }

  /** Its start found no database, or a slow one: its supervisor tries again. */
  function mayFail(started: Program): boolean {
    const isStarved = history.load > loadMax
    const isFailure = /not available|cannot be used|did not start/.test(started.err())
    return isFailure && !started.err().includes('is ready') && (isStarved || options.mayFail())
  }

  function signal(name: NodeJS.Signals): void {
    program?.child.kill(name)
  }

  return {
    port,
    kill() {
      stopping = program
      signal('SIGKILL')
    },
    async pause(ms) {
      const from = now()
      signal('SIGSTOP')
      await sleep(ms)
      signal('SIGCONT')
      history.pauses.push({ from, until: now() })
    },
    async terminate() {
      const started = now()
      stopping = program
      signal('SIGTERM')
      await stopping?.ended
      return now() - started
    },
    ready: () => untilReady(options, () => program?.err() ?? ''),
    async stop() {
      wanted.is = false
      signal('SIGTERM')
      await kept
    },
  }
}

async function untilReady(
  { name, port, history, ca }: ServiceOptions,
  said: () => string,
): Promise<number> {
  const started = now()
  while (now() - started < readyWithin) {
    const trusted = await ca().catch(() => undefined)
    if (trusted) {
      const { send, close } = client(port, trusted)
      const signal = AbortSignal.timeout(2000)
      const reply = await send('GET', '/readyz', { signal }).catch(() => undefined)
      close()
      if (reply?.status === 200) return now() - started
    }
    await sleep(50)
  }
  violate(history, `${name} was not ready again within ${readyWithin} ms: ${said().slice(-300)}`)
  return readyWithin
}
