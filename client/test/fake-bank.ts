// A bank without a network, for tests of the client: answers by a list, and a clock of its own.
import { type ClientOptions, createClient } from '../src/index.ts'

export type Request = {
  method: string
  /** With its query. */
  path: string
  headers: Headers
  body: unknown
  signal: AbortSignal
}

export type Answer = (request: Request) => Response | Promise<Response>

export const reply =
  (status: number, body?: unknown, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(body === undefined ? null : JSON.stringify(body), { status, headers })

export const refusal = (status: number, code: string, retryAfter?: number): Answer =>
  reply(
    status,
    { error: 'Refused', code, message: `The message of ${code}.` },
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  )

/** The connection ends without an answer; Node names a reason when it was never there. */
export const lost =
  (code?: string): Answer =>
  () => {
    throw new TypeError('fetch failed', code === undefined ? {} : { cause: { code } })
  }

/**
 * A client whose requests get these answers in turn, the last one for ever. Waits take no time: the
 * clock moves on, and each is noted in `waits`, in milliseconds.
 */
export function fakeBank(answers: readonly Answer[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = []
  const waits: number[] = []
  const clock = { at: Date.UTC(2026, 0, 2, 9) }
  const bank = createClient({
    baseUrl: 'https://bank.example',
    clock: {
      now: () => clock.at,
      wait: async (milliseconds, signal) => {
        waits.push(milliseconds)
        signal?.throwIfAborted()
        clock.at += milliseconds
      },
    },
    async fetch(url, init) {
      const { pathname, search } = new URL(url)
      const request: Request = {
        method: init.method ?? 'GET',
        path: pathname + search,
        headers: new Headers(init.headers),
        body: init.body === undefined ? undefined : JSON.parse(init.body as string),
        signal: init.signal as AbortSignal,
      }
      const answer = answers[Math.min(requests.length, answers.length - 1)] as Answer
      requests.push(request)
      return answer(request)
    },
    ...options,
  })
  return { bank, requests, waits, clock }
}
