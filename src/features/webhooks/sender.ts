// Sends one request to another system, such as a webhook. The name of the target is resolved here,
// once; every address it has must be allowed, and the connection goes to the address that was
// checked (CWE-918, CWE-350).
import { Resolver } from 'node:dns/promises'
import https from 'node:https'
import net, { isIP } from 'node:net'
import tls from 'node:tls'
import { isPublicAddress } from './addresses.ts'
import { sendRequest } from '../../http/node-http.ts'

export type SenderOptions = {
  /** Every address of a host name. */
  resolve?: (hostname: string) => Promise<readonly string[]>
  isAllowed?: (address: string) => boolean
  /** Ports that may be sent to. */
  ports?: readonly number[]
  /** For development, and a target that the operator names: any address and port, and `http`. */
  isOpen?: boolean
  /** The body of the answer is kept. One that is too large is refused then. */
  keepsBody?: boolean
  /** Certificate authorities in place of the usual ones, in PEM. */
  ca?: string
  /** For the whole exchange, the resolution of the name included. */
  timeoutMs?: number
  /** Cuts the exchange off. */
  signal?: AbortSignal
}

/** Why nothing was sent, or no answer was read: for the delivery log alone. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
}

export type Received = {
  status: number
  /** The field Retry-After as it was sent. */
  retryAfter: string | undefined
  /** If it is kept. */
  body?: Buffer
}

const answerTimeoutMs = 15_000
/**
 * All that a target sends counts: interim answers (1xx, which may come without end), heads, the
 * framing of chunks, trailers and the body.
 */
const receivedBytesMax = 32 * 1024
const headerBytesMax = 8 * 1024
/**
 * And below that: certificates, session tickets, renewals of keys and renegotiations, of which TLS
 * allows any number. Each of them takes the processor for longer than its bytes.
 */
const transportBytesMax = 128 * 1024
/** How often those bytes are looked at: TLS tells of none of them. */
const transportCheckMs = 50

/**
 * By the name servers of the system. Its own resolver, `getaddrinfo`, would hold a thread of those
 * that hash passwords while a name server does not answer.
 */
async function resolveAll(hostname: string): Promise<readonly string[]> {
  // RFC 6761 section 6.3.
  if (/(^|\.)localhost$/.test(hostname)) return ['127.0.0.1', '::1']
  const resolver = new Resolver()
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
}

/**
 * The URL of a target. Refuses with {@link NotDelivered} what is not `https`, holds credentials, or
 * has another port than those allowed.
 */
function toTarget(text: string, { ports = [443], isOpen = false }: SenderOptions): URL {
  if (!URL.canParse(text)) throw new NotDelivered('The target is not a URL')
  const url = new URL(text)
  const isAllowed = url.protocol === 'https:' || (isOpen && url.protocol === 'http:')
  if (!isAllowed) throw new NotDelivered('The target is not https')
  if (url.username !== '' || url.password !== '') throw new NotDelivered('The target has a login')
  const port = Number.parseInt(url.port || '443', 10)
  if (!isOpen && !ports.includes(port)) throw new NotDelivered(`The port ${port} is not allowed`)
  return url
}

/**
 * Sends the body to the target by POST and reads the status of the answer. Redirects are not
 * followed and no proxy is used. Refuses with {@link NotDelivered}.
 */
export async function sendWebhook(
  target: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  options: SenderOptions = {},
): Promise<Received> {
  const { timeoutMs = answerTimeoutMs, ca, signal, keepsBody = false } = options
  const url = toTarget(target, options)
  const timeout = AbortSignal.timeout(timeoutMs)
  const late = signal ? AbortSignal.any([timeout, signal]) : timeout
  const send = async () => {
    const addresses = await findAddresses(url.hostname, options)
    late.throwIfAborted()
    return exchange(url, addresses, { headers, body, late, ca, keepsBody })
  }
  return await untilAborted(send(), late).catch((thrown: unknown) => {
    throw late.aborted ? tooLate() : toNotDelivered(thrown)
  })
}

const tooLate = () => new NotDelivered('No complete answer came in time')

const toNotDelivered = (thrown: unknown): NotDelivered => {
  if (thrown instanceof NotDelivered) return thrown
  const { code, message } = thrown as NodeJS.ErrnoException
  return new NotDelivered(`The connection failed: ${code ?? message}`, { cause: thrown })
}

async function untilAborted<R>(work: Promise<R>, signal: AbortSignal): Promise<R> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(tooLate())
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** One that is not allowed refuses all of them. */
async function findAddresses(
  hostname: string,
  { resolve = resolveAll, isAllowed = isPublicAddress, isOpen = false }: SenderOptions,
): Promise<readonly string[]> {
  // The URL has brought every spelling of an IPv4 address into one form.
  const literal = withoutBrackets(hostname)
  const addresses = isIP(literal) ? [literal] : await resolveName(hostname, resolve)
  const forbidden = addresses.find((address) => !isIP(address) || !(isOpen || isAllowed(address)))
  if (forbidden !== undefined) throw new NotDelivered(`The address ${forbidden} is not public`)
  return addresses.length > 0 ? addresses : notFound(hostname)
}

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

const notFound = (hostname: string): never => {
  throw new NotDelivered(`The name ${hostname} has no address`)
}

const resolveName = (hostname: string, resolve: typeof resolveAll): Promise<readonly string[]> =>
  resolve(hostname).catch(() => notFound(hostname))

type Exchange = {
  headers: Readonly<Record<string, string>>
  body: string
  late: AbortSignal
  ca: string | undefined
  keepsBody: boolean
}

/**
 * How long one address may take before the next one is tried: this machine, or the target, may have
 * only one of IPv4 and IPv6.
 */
const eachAddress = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 5000 }

/**
 * A connection of its own, by no proxy of the environment, to the addresses that were judged:
 * nothing is resolved again.
 */
function connect(url: URL, addresses: readonly string[], signal: AbortSignal): net.Socket {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return net.connect({
    host: withoutBrackets(url.hostname),
    port: Number.parseInt(url.port || (url.protocol === 'http:' ? '80' : '443'), 10),
    lookup: (_hostname, _options, answer) => answer(null, found),
    ...eachAddress,
    signal,
  })
}

/** By TLS. The certificate is checked for the name. */
function secure(transport: net.Socket, url: URL, ca: string | undefined): tls.TLSSocket {
  const host = withoutBrackets(url.hostname)
  return tls.connect({
    socket: transport,
    host,
    ...(!isIP(host) && { servername: host }),
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  })
}

function exchange(
  url: URL,
  addresses: readonly string[],
  { headers, body, late, ca, keepsBody }: Exchange,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const transport = connect(url, addresses, late)
    const isPlain = url.protocol === 'http:'
    const sending = (isPlain ? sendRequest : https.request)({
      method: 'POST',
      host: url.hostname,
      path: url.pathname + url.search,
      createConnection(_, give) {
        if (isPlain) return transport
        // Which of the addresses it is has to be known.
        transport.on('connect', () => {
          const secured = secure(transport, url, ca)
          transport.on('error', (thrown) => secured.destroy(thrown))
          give(null, secured)
        })
        transport.on('error', (thrown) => give(thrown, transport))
        return undefined
      },
      maxHeaderSize: headerBytesMax,
      signal: late,
      headers: {
        'user-agent': 'Strongroom-Webhooks',
        ...headers,
        host: url.host,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      },
    })
    sending.on('error', reject)
    let isAnswered = false
    let finish = () => reject(new NotDelivered('The answer is too large'))
    const stop = () => {
      finish()
      sending.destroy()
    }
    sending.on('socket', (given) => {
      let receivedBytes = 0
      // Node has read these bytes by now: it listens before this event.
      given.on('data', ({ length }: Buffer) => {
        receivedBytes += length
        if (receivedBytes > receivedBytesMax) stop()
      })
    })
    const watch = setInterval(() => {
      if (transport.bytesRead > transportBytesMax) stop()
    }, transportCheckMs)
    transport.on('close', () => clearInterval(watch))
    // The only event after an answer 101: Node ends such a connection by itself.
    sending.on('close', () => {
      if (!isAnswered) reject(new NotDelivered('The answer is not one of HTTP'))
    })
    sending.on('response', (answer) => {
      const { statusCode: status = 0, headers: fields } = answer
      if (status < 100) return void sending.destroy()
      isAnswered = true
      const kept: Buffer[] = []
      const end = () => {
        const body = keepsBody && { body: Buffer.concat(kept) }
        resolve({ status, retryAfter: fields['retry-after'], ...body })
      }
      if (keepsBody) answer.on('data', (chunk: Buffer) => kept.push(chunk))
      else finish = end
      answer.on('end', () => {
        end()
        sending.destroy()
      })
      answer.on('error', reject)
      answer.resume()
    })
    sending.end(body)
  })
}
