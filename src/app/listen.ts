// Listens on a port; what prevents it is told to the operator in one line.
import { once } from 'node:events'
import net from 'node:net'
import { StartupError } from '../domain/startup-error.ts'

/**
 * Connections that the system accepts before the process takes them; the system may cap it. With
 * Node's 511, a burst of clients waits one to three seconds for a retransmitted SYN.
 */
const backlog = 4096

type Where = { host: string; port: number }

const loopback4 = '127.0.0.1'
const loopback6 = '::1'

/**
 * On a machine without the loopback address of IPv4, that of IPv6 takes its place.
 *
 * @returns the port, which the system has chosen if it was 0
 */
export async function listen(server: net.Server, where: Where): Promise<number> {
  server.listen({ ...where, backlog })
  try {
    await once(server, 'listening')
  } catch (thrown) {
    const error = thrown as NodeJS.ErrnoException
    if (error.code === 'EADDRNOTAVAIL' && where.host === loopback4) {
      return listen(server, { ...where, host: loopback6 })
    }
    throw toStartupError(error, `port ${where.port} of ${where.host}`)
  }
  return (server.address() as net.AddressInfo).port
}

/** A port that no other program can listen on until it is released. */
export type ReservedPort = { port: number; release(): Promise<void> }

/**
 * Holds a port that the system chooses. A port that is only looked up may be the port of another
 * program's outgoing connection a moment later.
 */
export async function reservePort(host: string): Promise<ReservedPort> {
  const holder = net.createServer((socket) => socket.destroy())
  const port = await listen(holder, { host, port: 0 })
  return {
    port,
    async release() {
      if (!holder.listening) return
      holder.close()
      await once(holder, 'close')
    },
  }
}

function toStartupError(error: NodeJS.ErrnoException, where: string): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another program does already',
    EACCES: 'not permitted',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'this machine has no such address',
  }
  const reason = reasons[error.code ?? '']
  return reason
    ? new StartupError(`Cannot listen on ${where}: ${reason}.`, { cause: error })
    : error
}
