// Requests to the issuer, whose answers may cost no more than this: what it sends is as foreign as
// what a client sends.
import https from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { CustomFetchOptions } from 'openid-client'

/** The issuer gave no answer that can be used. The message is this program's own. */
export class IssuerAway extends Error {
  override readonly name = 'IssuerAway'
}

/** The size of an answer's body. Documents and key sets of large issuers have 20 KB. */
const answerBytesMax = 256 * 1024
const headerBytesMax = 16 * 1024
/** Keys of a key set: to choose one, all are read. */
const keysMax = 50
const underWayMax = 32
/** For a whole exchange: a sign-in takes three of them, and is answered within nine seconds. */
const exchangeMsMax = 2500

type FetchOptions = Pick<CustomFetchOptions, 'method' | 'headers'> & {
  body?: CustomFetchOptions['body'] | undefined
}
export type BoundedFetch = (url: string, options: FetchOptions) => Promise<Response>

/**
 * Makes the one way by which the issuer is asked: HTTPS alone, no redirect is followed, and the
 * answer is a JSON object of bounded size that comes in time. Else it throws {@link IssuerAway}.
 *
 * @param ca certificate authorities in place of the usual ones, in PEM
 */
export function createBoundedFetch(ca: string | undefined): BoundedFetch {
  let underWay = 0
  return async (url, { method, headers, body }) => {
    if (!url.startsWith('https://')) throw new IssuerAway('a URL of it is not https')
    if (underWay >= underWayMax) throw new IssuerAway('too many requests to it are under way')
    underWay++
    try {
      const sent = toText(body)
      return await exchange(url, { method, headers, sent, ca })
    } finally {
      underWay--
    }
  }
}

function toText(body: FetchOptions['body']): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString()
  throw new IssuerAway('a body of another kind')
}

type Exchange = {
  method: string
  headers: Record<string, string>
  sent: string | undefined
  ca: string | undefined
}

function exchange(url: string, { method, headers, sent, ca }: Exchange): Promise<Response> {
  const late = AbortSignal.timeout(exchangeMsMax)
  return new Promise((resolve, reject) => {
    const fail = (because: string) => reject(new IssuerAway(because))
    const request = https.request(url, {
      method,
      headers: {
        ...headers,
        ...(sent !== undefined && { 'content-length': Buffer.byteLength(sent) }),
        connection: 'close',
      },
      agent: false,
      ...(ca !== undefined && { ca }),
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      maxHeaderSize: headerBytesMax,
      signal: late,
    })
    request.on('error', (thrown: NodeJS.ErrnoException) => {
      fail(
        late.aborted ? 'no complete answer came in time' : `the connection failed: ${thrown.code}`,
      )
    })
    // The only event after an answer 101.
    request.on('close', () => fail('the connection was closed'))
    request.on('response', (answer) => {
      readAnswer(answer, (because) => {
        fail(because)
        request.destroy()
      })
        .then(resolve)
        .catch((thrown: unknown) => {
          reject(thrown instanceof IssuerAway ? thrown : new IssuerAway('its answer was cut short'))
        })
    })
    request.end(sent)
  })
}

async function readAnswer(
  answer: IncomingMessage,
  give: (because: string) => void,
): Promise<Response> {
  const { statusCode: status = 0 } = answer
  const pieces: Buffer[] = []
  let bytes = 0
  if (status >= 300 && status < 400) give('it redirects')
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > answerBytesMax) {
      give('its answer is too large')
      throw new IssuerAway('its answer is too large')
    }
    pieces.push(piece)
  }
  const text = Buffer.concat(pieces).toString('utf8')
  requireFewKeys(text)
  // Any other status could not have this body.
  if (status < 200 || status > 599 || [204, 205, 304].includes(status)) {
    throw new IssuerAway('its answer has a status without a body')
  }
  return new Response(text, { status, headers: { 'content-type': typeOf(answer) } })
}

const typeOf = ({ headers }: IncomingMessage): string => headers['content-type'] ?? ''

function requireFewKeys(text: string): void {
  const value: unknown = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new IssuerAway('its answer is no JSON object')
  }
  const { keys } = value as { keys?: unknown }
  if (Array.isArray(keys) && keys.length > keysMax) throw new IssuerAway('its key set is too large')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
