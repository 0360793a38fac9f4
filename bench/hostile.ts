// What customers notice of strangers who hold connections and send or read next to nothing: how
// long reads at an even pace take, alone and beside sixteen hundred such connections, each of which
// comes back as soon as it is cut.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Bank, openBank } from './bank.ts'
import { usedBy } from './cost.ts'
import type { Case, Figures, Variant } from './harness.ts'
import type { Target } from './load.ts'
import { toPlan } from './reads.ts'
import { connect, pace } from './sockets.ts'
import { type Crowd, kinds } from './attackers.ts'

const file = fileURLToPath(new URL('./attackers.ts', import.meta.url))

const population = { customers: 20, accountsEach: 3, sessionsEach: 2 }

/** What they ask for first may take that long until it is dealt with, in milliseconds. */
const settling = 3000

const readers = 20
/** Milliseconds between the requests of one reader: two hundred a second in all. */
const step = 100

export const open: Case = async ({ seconds, isTiny, profile }) => {
  const bank = await openBank({ population, profile })
  const share = isTiny ? 0.02 : 1
  // Long enough that connections are cut and come back while it is measured.
  const span = isTiny ? seconds : Math.max(seconds, 20)
  const all = Object.keys(kinds)
  await readAtPace(bank, isTiny ? 0.2 : 3)
  const variant = (name: string, chosen: readonly string[]): Variant => ({
    name,
    main: 'p99Milliseconds',
    ...(chosen.length > 0 && { against: ['reads alone'] }),
    goals: chosen.length === all.length ? [{ of: 'ratio', atMost: 2 }] : [],
    measure: () =>
      bank.watch(() => beside(bank.target, chosen, share, () => readAtPace(bank, span))),
  })
  return {
    variants: [
      variant('reads alone', []),
      variant('reads beside all of them', all),
      ...all.map((kind) => variant(`reads beside ${kind}`, [kind])),
    ],
    close: () => bank.stop(),
  }
}

/** Latency counts from the moment a request was due, so that waiting for the last one shows. */
async function readAtPace({ target, customers }: Bank, seconds: number): Promise<Figures> {
  const { templates } = toPlan('details', customers)
  const latencies: number[] = []
  let refused = 0
  // Each from an address of its own, as customers come.
  const connections = await Promise.all(
    Array.from({ length: readers }, (_, at) => connect(target, `127.0.1.${at + 1}`)),
  )
  const began = performance.now()
  await Promise.all(
    connections.map(async ({ ask, close }, at) => {
      let due = began + (at * step) / readers
      for (let turn = at; due < began + seconds * 1000; turn += readers) {
        await wait(Math.max(0, due - performance.now()))
        const answer = await ask(templates[turn % templates.length] as string)
        if (answer.startsWith('HTTP/1.1 200 ')) latencies.push(performance.now() - due)
        else refused++
        due += step
      }
      close()
    }),
  )
  return {
    ...pace(latencies, seconds),
    refusedPercent: (100 * refused) / (latencies.length + refused),
  }
}

/**
 * The strangers run in a process of their own, or what they have to compute would hold up those who
 * measure; and behind all others, since on the machine of a bank they take no time from it.
 */
async function beside(
  { port, ca }: Target,
  chosen: readonly string[],
  share: number,
  work: () => Promise<Figures>,
): Promise<Figures> {
  if (chosen.length === 0) return work()
  const strangers = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(strangers, 'exit')
  const pid = strangers.pid as number
  setPriority(pid, constants.priority.PRIORITY_LOW)
  const crowd: Crowd = { port, ca: ca.toString(), kinds: chosen, share }
  strangers.send(crowd)
  try {
    // Measured is what comes after: those that are cut come back.
    await once(strangers, 'message')
    await wait(settling)
    const [before = 0, started] = [await usedBy(pid), performance.now()]
    const figures = await work()
    const spent = ((await usedBy(pid)) ?? 0) - before
    return { ...figures, loadCores: spent / ((performance.now() - started) * 1000) }
  } finally {
    strangers.kill('SIGKILL')
    await ended
  }
}
