// Sends the requests of a storm's clients to the instances of the service. It checks each answer
// for what holds of all, and repeats nothing.
import { client, type Client, type Reply } from '../support/client.ts'
import { count, type History, now, type Session, violate } from './history.ts'

/** The result of one request. Without a reply the connection was lost or refused. */
export type Heard = { reply: Reply | undefined; sentAt: number; isUnsent: boolean }

export type Said = {
  session?: Session | undefined
  body?: unknown
  key?: string | undefined
  /** Hangs up after that many milliseconds. */
  hangUpAfter?: number | undefined
}

export type StormClient = {
  /** Instances by number. */
  size: number
  ask(instance: number, method: string, path: string, said?: Said): Promise<Heard>
  close(): void
}

/**
 * The clients wait no longer. An answer later than the bound of the judge is a fault of the
 * service.
 */
const answerTimeoutMs = 20_000
/** Slower answers are recorded with their time. */
const slowAfter = 3000

const required = [
  'x-content-type-options',
  'strict-transport-security',
  'x-frame-options',
  'content-security-policy',
  'x-request-id',
]

/** @param hasFront the first port is that of a proxy before the instances */
export function openClient(
  history: History,
  ports: readonly number[],
  ca: Buffer,
  hasFront = false,
): StormClient {
  const clients = ports.map((port) => client(port, ca))
  return {
    size: ports.length,
    async ask(instance, method, path, { session, body, key, hangUpAfter } = {}) {
      const signal = AbortSignal.timeout(hangUpAfter ?? answerTimeoutMs)
      const headers = { ...(key !== undefined && { 'idempotency-key': key }) }
      const asked = { token: session?.token, body, headers, signal }
      const sentAt = now()
      const what = `${method} ${path.replace(/[0-9a-f-]{36}/g, '…')}`
      let isUnsent = false
      const reply = await (clients[instance] as Client)
        .send(method, path, asked)
        .catch((thrown: NodeJS.ErrnoException) => {
          isUnsent = thrown.code === 'ECONNREFUSED'
          return undefined
        })
      const answer = isUnsent ? 'unsent' : (reply?.status ?? 'no answer')
      count(history, `${what} ${answer}${readCode(reply)}`)
      const endedAt = now()
      const whole = { what: `${what} ${answer}${readCode(reply)}`, sentAt, endedAt }
      if (endedAt - sentAt > slowAfter) history.slow.push(whole)
      const hasFailed = reply === undefined || reply.status >= 500
      if (hasFront && instance === 0 && hasFailed) history.failed.push(whole)
      if (reply?.status === 401 && session && !session.isEndAsked) {
        violate(history, `${what}: session ${session.id} was lost: ${reply.body?.code}`)
      }
      if (reply) inspect(history, what, reply)
      if (reply && reply.status < 300 && session?.overAt !== undefined && sentAt > session.overAt) {
        const late = Math.round(sentAt - session.overAt)
        violate(
          history,
          `${what} was answered ${reply.status} with session ${session.id}, which was over ` +
            `for ${late} ms when it was sent`,
        )
      }
      return { reply, sentAt, isUnsent }
    },
    close: () => clients.forEach((each) => each.close()),
  }
}

const readCode = (reply: Reply | undefined): string =>
  reply !== undefined && reply.status >= 400 ? ` ${reply.body?.code}` : ''

/** Checks what holds of every answer. */
function inspect(history: History, what: string, { status, headers, body }: Reply): void {
  for (const name of required) {
    if (headers[name] === undefined) violate(history, `${what} ${status} came without ${name}`)
  }
  if (status === 500) violate(history, `${what} was answered 500 ${body?.code}`)
  if (status === 503 && headers['retry-after'] === undefined) {
    violate(history, `${what} 503 came without Retry-After`)
  }
}
