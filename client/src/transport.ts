// One request, sent once, and what came of it.
import { ApprovalPendingError, isHeld, NotReachedError, readRefusal } from './errors.ts'
import type { Attempt } from './repeat.ts'
import type { BankFile, ClientOptions } from './types.ts'

export type OutgoingRequest = {
  method: string
  /** With its query. */
  path: string
  answer: 'value' | 'nothing' | 'pages' | 'feed' | 'file'
  token?: string | undefined
  body?: unknown
  idempotencyKey?: string | undefined
  confirmation?: string | undefined
  signal?: AbortSignal | undefined
  timeoutMs: number
}

export type Transport = <T>(asked: OutgoingRequest) => Promise<Attempt<T>>

/** Throws TypeError unless the base URL is https, or http on this computer. */
export function createTransport({ baseUrl, fetch: send }: ClientOptions): Transport {
  const { protocol, hostname, origin, pathname, search, hash } = new URL(baseUrl)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal)) {
    throw new TypeError('The base URL has to be https: a token would be sent in clear')
  }
  if (search || hash) throw new TypeError('The base URL has no query and no fragment')
  const base = origin + pathname.replace(/\/$/, '')
  // Looked up at each request, so that a page can replace the global one.
  const fetchOnce = send ?? ((url, init) => fetch(url, init))

  return async <T>(request: OutgoingRequest): Promise<Attempt<T>> => {
    const { method, path, answer, token, body } = request
    const { idempotencyKey, confirmation, signal, timeoutMs } = request
    const headers: Record<string, string> = {
      accept: answer === 'file' ? '*/*' : 'application/json',
    }
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`
    const isFile = body instanceof Uint8Array
    if (body !== undefined) headers['content-type'] = `application/${isFile ? 'xml' : 'json'}`
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    if (confirmation !== undefined) headers['confirmation'] = confirmation
    const timeout = AbortSignal.timeout(timeoutMs)
    const init: RequestInit = {
      method,
      headers,
      // No answer is stored, no cookie is sent, and a token follows no redirect.
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    }
    if (isFile) init.body = body as Uint8Array<ArrayBuffer>
    else if (body !== undefined) init.body = JSON.stringify(body)
    try {
      const response = await fetchOnce(base + path, init)
      if (isHeld(response)) {
        const body = (await response.json()) as { approvalId: string }
        return { refused: new ApprovalPendingError(response, body) }
      }
      if (response.ok) return { value: (await readAnswer(response, answer)) as T }
      const refused = await readRefusal(response)
      if (refused) return { refused }
      const lost = new NotReachedError(
        `Not the bank answered, but something else: ${response.status}`,
      )
      const isCertain = response.status < 500
      return { lost, isCertain, isPointless: isCertain }
    } catch (thrown) {
      return toLost(thrown)
    }
  }
}

async function readAnswer(response: Response, answer: OutgoingRequest['answer']): Promise<unknown> {
  if (answer === 'nothing') return void (await response.arrayBuffer())
  if (answer !== 'file') return response.json()
  const { headers } = response
  const name = /filename="([\w.-]+)"/.exec(headers.get('content-disposition') ?? '')?.[1]
  const mediaType = headers.get('content-type') ?? 'application/octet-stream'
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { name: name ?? 'file', mediaType, bytes } satisfies BankFile
}

/** Codes of Node; browsers tell nothing, and then it counts as sent. */
const neverConnected = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/
const isUntrusted = /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_(TLS|SSL)/

function toLost(thrown: unknown): Attempt<never> {
  const cause = (thrown as { cause?: { code?: string; message?: string } }).cause ?? {}
  const { code = '', message = (thrown as Error).message } = cause
  const why = `The bank could not be reached: ${code || message}`
  const lost = new NotReachedError(why, { cause: thrown })
  const isPointless = isUntrusted.test(code)
  return { lost, isCertain: isPointless || neverConnected.test(code), isPointless }
}
