// Listens on a port; what prevents it is told to the operator in one line.
import { once } from 'node:events'
import net from 'node:net'
import { StartupError } from '../domain/startup-error.ts'

/**
 * Connections that the system accepts before the process takes them; the system may cap it. With
 * Node's 511, a burst of clients waits one to three seconds for a retransmitted SYN.
 */
const backlog = 4096

/** Whether several threads can listen on one port; elsewhere the system refuses it. */
export const canSharePort = ['linux', 'freebsd'].includes(process.platform)

type Where = Pick<net.ListenOptions, 'reusePort'> & { host: string; port: number }

/** @returns the port, which the system has chosen if it was 0 */
export async function listen(server: net.Server, where: Where): Promise<number> {
  server.listen({ ...where, backlog })
  try {
    await once(server, 'listening')
  } catch (thrown) {
    throw toStartupError(thrown as NodeJS.ErrnoException, `port ${where.port} of ${where.host}`)
  }
  return (server.address() as net.AddressInfo).port
}

/** A port that no other program can listen on until it is released. */
export type HeldPort = { port: number; release(): Promise<void> }

/**
 * Holds a port that the system chooses. A port that is only looked up may be the port of another
 * program's outgoing connection a moment later.
 *
 * @param where with `reusePort`, threads listen on the port before it is released
 */
export async function holdPort(where: Omit<Where, 'port'>): Promise<HeldPort> {
  const holder = net.createServer((socket) => socket.destroy())
  const port = await listen(holder, { ...where, port: 0 })
  return {
    port,
    async release() {
      if (!holder.listening) return
      holder.close()
      await once(holder, 'close')
    },
  }
}

/**
 * Refuses a port that another program has: threads that share a port would share it with another
 * program of the same user.
 */
export async function requireFree(host: string, port: number): Promise<void> {
  const probe = net.createServer()
  await listen(probe, { host, port })
  probe.close()
  await once(probe, 'close')
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
