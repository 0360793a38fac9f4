// The published client at a test bank, with a way to lose its requests or their answers.
import { scheduler } from 'node:timers/promises'
import { type Bank, createClient } from '../../client/src/index.ts'
import type { Client } from './client.ts'

/**
 * @param meet called with the number of each request, from 1 on, before it is sent and after it was
 *   answered; what it throws is all that the client hears of the request
 */
export function publishedClient(
  send: Client['send'],
  token: string,
  meet: (when: 'before' | 'after', step: number) => void = () => {},
): Bank {
  let steps = 0
  return createClient({
    baseUrl: 'https://bank.example',
    token,
    // Its waits are short.
    clock: { now: () => Date.now(), wait: (_, signal) => scheduler.wait(5, signal && { signal }) },
    deadlineSeconds: 60,
    async fetch(url, init) {
      const step = ++steps
      meet('before', step)
      const { pathname, search } = new URL(url)
      const headers = Object.fromEntries(new Headers(init.headers))
      const body = init.body as string | undefined
      const reply = await send(init.method ?? 'GET', pathname + search, { headers, body })
      meet('after', step)
      const fields = Object.entries(reply.headers).map(([name, value]) => [name, String(value)])
      return new Response(reply.text, {
        status: reply.status,
        headers: fields as [string, string][],
      })
    },
  })
}
