// Latency of reads at a steady rate, alone and beside attackers: 1,600 connections that send or
// read next to nothing and are opened again as soon as they are closed; 200 guessers of passwords.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Attack, guessers, kinds } from './attackers.ts'
import { connect, toPace } from './connection.ts'
import type { Case, Figures, Settings, Variant } from './harness.ts'
import { toReads } from './reads.ts'
import { openService, type Service } from './service.ts'

const file = fileURLToPath(new URL('./attackers.ts', import.meta.url))

const population = { customers: 20, accountsEach: 3, sessionsEach: 2 }

/** How long the first requests of the attackers may take to be handled. */
const settlingMs = 3000

/** 20 readers with a request each per 100 ms: two hundred requests per second. */
const readerCount = 20
const readIntervalMs = 100

/** What reads are measured beside: kinds of attackers by the name of the variant. */
type Besides = Readonly<Record<string, readonly string[]>>

const all = Object.keys(kinds)
export const open: Case = (settings) =>
  openBeside(settings, {
    'reads beside all of them': all,
    ...Object.fromEntries(all.map((kind) => [`reads beside ${kind}`, [kind]])),
  })

/** The guessers meet the limits of the contract: most of their guesses are refused, not hashed. */
export const openFlood: Case = (settings) =>
  openBeside(settings, { 'reads beside password guessers': [guessers.kind] })

const openBeside = async (
  { seconds, isTiny, profile }: Settings,
  besides: Besides,
): ReturnType<Case> => {
  const service = await openService({ population, profile })
  const { port, ca } = service.target
  const attack = { port, ca: ca.toString(), share: isTiny ? 0.02 : 1 }
  // Long enough that connections are closed and reopened during the measurement.
  const duration = isTiny ? seconds : Math.max(seconds, 20)
  await readSteadily(service, isTiny ? 0.2 : 3)
  const alone = 'reads alone'
  const variants = Object.entries({ [alone]: [], ...besides }).map(([name, chosen]): Variant => ({
    name,
    main: 'p99Ms',
    ...(name !== alone && { against: [alone] }),
    ...(name !== alone && { goal: { atMost: 1.5 } }),
    measure: () =>
      service.watch(() =>
        beside({ ...attack, kinds: chosen }, () => readSteadily(service, duration)),
      ),
  }))
  return { variants, close: () => service.stop() }
}

/** Latency counts from the time a request is due, so it includes the wait for the previous one. */
async function readSteadily({ target, customers }: Service, seconds: number): Promise<Figures> {
  const templates = toReads('details', customers)
  const latencies: number[] = []
  let refused = 0
  // Each reader has its own address, as customers do.
  const connections = await Promise.all(
    Array.from({ length: readerCount }, (_, at) => connect(target, `127.0.1.${at + 1}`)),
  )
  const startedAt = performance.now()
  await Promise.all(
    connections.map(async ({ ask, close }, at) => {
      let due = startedAt + (at * readIntervalMs) / readerCount
      for (let turn = at; due < startedAt + seconds * 1000; turn += readerCount) {
        await wait(Math.max(0, due - performance.now()))
        const response = await ask(templates[turn % templates.length] as string)
        if (response.startsWith('HTTP/1.1 200 ')) latencies.push(performance.now() - due)
        else refused++
        due += readIntervalMs
      }
      close()
    }),
  )
  return {
    ...toPace(latencies, seconds),
    refusedPercent: (100 * refused) / (latencies.length + refused),
  }
}

/**
 * The attackers run in their own process, so that their work does not delay the readers, and with
 * low priority, since real attackers take no processor time from the machine of the bank.
 */
async function beside(attack: Attack, work: () => Promise<Figures>): Promise<Figures> {
  if (attack.kinds.length === 0) return work()
  const attackers = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(attackers, 'exit')
  setPriority(attackers.pid as number, constants.priority.PRIORITY_LOW)
  attackers.send(attack)
  try {
    await once(attackers, 'message')
    await wait(settlingMs)
    return await work()
  } finally {
    attackers.kill('SIGKILL')
    await ended
  }
}
