// A plain HTTPS client for tests: one request, the whole answer, without redirects; only a crowd is
// as patient as clients are told to be.
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

export type Reply = {
  status: number
  headers: Record<string, string | undefined>
  text: string
  bytes: Buffer
  /** The parsed body; `any` on purpose, since tests assert on its shape. */
  // oxlint-disable-next-line no-explicit-any
  body: any
}

export type SendOptions = {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string | string[]>
  /** The address to connect from, in 127.0.0.0/8. */
  from?: string
  /** Hangs up at any point of the exchange. */
  signal?: AbortSignal
  /** Whether one of a crowd asks again after 503; by default as its client does. */
  isPatient?: boolean
}

export type Client = {
  send(method: string, path: string, asked?: SendOptions): Promise<Reply>
  close(): void
}

const attemptsMax = 100

/**
 * Repeats the request while the answer is 503, which the service promises under pressure: on a slow
 * machine a crowd gets some. A change has a key, or can take effect only once.
 */
export async function patiently(
  ask: () => Promise<Reply>,
  isRefused = ({ status }: Reply): boolean => status === 503,
): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    const reply = await ask()
    if (!isRefused(reply) || attempt === attemptsMax) return reply
    await sleep(100)
  }
}

/**
 * A connection that was idle for longer is not used again: the service ends it after 10 s, perhaps
 * while a test takes it. Node heeds the announced time only below this one.
 */
const idleMsMax = 3000

/** So many requests at once are a crowd: a slow machine tells some of it to come again. */
const crowdMin = 8

/** The key tells the outcome, and nothing is done twice. */
const hasKey = ({ headers }: SendOptions): boolean => headers?.['idempotency-key'] !== undefined

export function client(port: number, ca: string | Buffer, isPatient = false): Client {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 64, timeout: idleMsMax, ca })
  let underWay = 0
  async function send(method: string, path: string, asked: SendOptions = {}): Promise<Reply> {
    let isOfCrowd = ++underWay >= crowdMin
    try {
      return await patiently(
        async () => {
          const reply = await exchange({ agent, port }, method, path, asked)
          isOfCrowd ||= underWay >= crowdMin
          return reply
        },
        ({ status, body }) =>
          isOfCrowd &&
          (asked.isPatient ?? isPatient) &&
          status === 503 &&
          (body?.code === 'unavailable' || (hasKey(asked) && body?.code === 'outcome_unknown')),
      )
    } finally {
      underWay--
    }
  }
  return { send, close: () => agent.destroy() }
}

function exchange(
  { agent, port }: { agent: https.Agent; port: number },
  method: string,
  path: string,
  { token, body, headers, from, signal }: SendOptions,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const payload =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
        ? body
        : JSON.stringify(body)
    const request = https.request(
      {
        agent,
        host: '127.0.0.1',
        port,
        servername: 'localhost',
        method,
        path,
        ...(from !== undefined && { localAddress: from }),
        ...(signal && { signal }),
        headers: {
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString()
          const isJson = response.headers['content-type']?.startsWith('application/json')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string | undefined>,
            text,
            bytes,
            body: isJson && text !== '' ? JSON.parse(text) : undefined,
          })
        })
      },
    )
    request.on('error', reject)
    request.end(payload)
  })
}
