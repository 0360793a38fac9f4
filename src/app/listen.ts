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

/**
 * Finds a free port, or makes sure that this one is free. Threads that share a port would otherwise
 * share it with another program of the same user.
 */
export async function findFreePort(host: string, wanted = 0): Promise<number> {
  const probe = net.createServer()
  const port = await listen(probe, { host, port: wanted })
  probe.close()
  await once(probe, 'close')
  return port
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
