// What the service holds in memory: all of it when idle, and how much more for each session that
// was used and for each address that is counted, after a garbage collection.
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/support/program.ts'
import { type Bank, openBank } from './bank.ts'
import type { Case, Figures } from './harness.ts'
import { toRequest } from './plan.ts'
import { toPlan } from './reads.ts'
import { residentBytes } from './processes.ts'
import { sendAll } from './sockets.ts'

export const open: Case = async ({ isTiny }) => {
  const sessions = isTiny ? 20 : 10_000
  const addresses = isTiny ? 100 : 100_000
  return {
    variants: [
      {
        name: 'service, idle',
        main: 'megabytes',
        goals: [{ of: 'megabytes', atMost: 150 }],
        measure: () => idle(isTiny ? 100 : 5000),
      },
      {
        name: `each of ${sessions.toLocaleString('en')} sessions used`,
        main: 'bytesEach',
        rounds: 1,
        measure: () => perSession(sessions),
      },
      {
        name: `each of ${addresses.toLocaleString('en')} addresses counted`,
        main: 'bytesEach',
        rounds: 1,
        measure: () => perAddress(addresses),
      },
    ],
    close: async () => {},
  }
}

/** A while after it was ready and has answered a few. */
async function idle(milliseconds: number): Promise<Figures> {
  const bank = await openBank({ population: { customers: 1, accountsEach: 1, sessionsEach: 1 } })
  try {
    await sendAll(bank.target, toPlan('details', bank.customers).templates)
    await sleep(milliseconds)
    return { megabytes: await residentBytes(bank.pid) }
  } finally {
    await bank.stop()
  }
}

async function perSession(count: number): Promise<Figures> {
  const population = { customers: count / 10, accountsEach: 1, sessionsEach: 10 }
  const requests = ({ customers }: Bank) => toPlan('details', customers).templates
  return grownBy({ population }, requests, count)
}

/** Each from an address of its own, behind a proxy; of refreshes two windows are counted. */
async function perAddress(count: number): Promise<Figures> {
  const requests = Array.from({ length: count }, (_, at) => {
    const address = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`
    return toRequest({
      method: 'POST',
      path: '/api/v1/auth/refresh',
      headers: { 'x-forwarded-for': address },
      body: { refreshToken: 'x'.repeat(43) },
    })
  })
  return grownBy({ settings: { TRUSTED_PROXIES: '127.0.0.1' } }, () => requests, count)
}

async function grownBy(
  options: Parameters<typeof openBank>[0],
  toRequests: (bank: Bank) => readonly string[],
  count: number,
): Promise<Figures> {
  const port = await freePort()
  const bank = await openBank({ ...options, nodeOptions: [`--inspect=127.0.0.1:${port}`] })
  try {
    const requests = toRequests(bank)
    await sendAll(bank.target, requests.slice(0, Math.ceil(count / 100)))
    const before = await usedAfterCollection(port)
    await sendAll(bank.target, requests)
    const after = await usedAfterCollection(port)
    return {
      bytesEach: (after - before) / (count * 0.99),
      megabytes: await residentBytes(bank.pid),
    }
  } finally {
    await bank.stop()
  }
}

type Message = { id: number; result?: { usedSize?: number; backingStorageSize?: number } }

/** Bytes of JavaScript objects and their buffers that are reachable, by the inspector. */
async function usedAfterCollection(port: number): Promise<number> {
  const [{ webSocketDebuggerUrl }] = (await (
    await fetch(`http://127.0.0.1:${port}/json/list`)
  ).json()) as [{ webSocketDebuggerUrl: string }]
  const socket = new WebSocket(webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
  const ask = async (id: number, method: string): Promise<Message['result']> => {
    const { promise, resolve } = Promise.withResolvers<Message['result']>()
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(data as string) as Message
      if (message.id === id) resolve(message.result)
    })
    socket.send(JSON.stringify({ id, method }))
    return promise
  }
  await ask(1, 'HeapProfiler.collectGarbage')
  const { usedSize = 0, backingStorageSize = 0 } = (await ask(2, 'Runtime.getHeapUsage')) ?? {}
  socket.close()
  return usedSize + backingStorageSize
}
