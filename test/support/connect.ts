// Raw connections to a running service, for tests that send raw bytes.
import { readFile } from 'node:fs/promises'
import http2 from 'node:http2'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import type { World } from './world.ts'

export type Listening = 'https' | 'plain'

export type Connecting = {
  to?: Listening
  /** The address to connect from, in 127.0.0.0/8. */
  from?: string
  /** What the client offers by ALPN; HTTP/1.1 without. */
  protocols?: string[]
  /** Carries the TLS records in place of a TCP connection to the service. */
  over?: Duplex
}

/** The certificate authority that clients of the service have to trust. */
export const trusted = ({ running }: Pick<World, 'running'>): Promise<Buffer> =>
  readFile(running.certificate.caPath as string)

/** Begins a connection. Bytes may be written at once; the caller listens for errors. */
export async function connect(
  bank: Pick<World, 'running'>,
  { to = 'https', from, protocols, over }: Connecting = {},
): Promise<net.Socket> {
  const { httpsPort, httpPort } = bank.running
  const own = { host: '127.0.0.1', ...(from !== undefined && { localAddress: from }) }
  if (to === 'plain') return net.connect({ ...own, port: httpPort })
  return tls.connect({
    ...(over ? { socket: over } : { ...own, port: httpsPort }),
    ca: await trusted(bank),
    servername: 'localhost',
    ...(protocols && { ALPNProtocols: protocols }),
  })
}

/** All bytes until the connection closes, as one character each. An error ends it as well. */
export function everything(socket: net.Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  socket.on('error', () => {})
  return new Promise((resolve) => void socket.once('close', () => resolve(text)))
}

/** Begins an HTTP/2 connection of Node's client; the caller listens for errors. */
export async function connectHttp2(
  bank: Pick<World, 'running'>,
  options: http2.ClientSessionOptions = {},
): Promise<http2.ClientHttp2Session> {
  const ca = await trusted(bank)
  return http2.connect(`https://localhost:${bank.running.httpsPort}`, { ...options, ca })
}
