// Requests that wait at a point until the test releases them: before their last byte, or at the
// hash of their password.
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { connect, everything } from './connect.ts'
import type { World } from './world.ts'

export type HeldRequest = {
  /** Sends the rest and gives the status and the body of the answer. */
  finish(): Promise<{ status: number; text: string }>
  /** Closes the connection. */
  hangUp(): void
}

/** Sends everything but the last byte. */
export async function hold(
  bank: Pick<World, 'running'>,
  method: string,
  path: string,
  token: string | undefined,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<HeldRequest> {
  const payload = JSON.stringify(body)
  const socket = await connect(bank)
  await once(socket, 'secureConnect')
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: bank.example\r\nConnection: close\r\n${authorization}${more.join('')}` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(payload)}\r\n\r\n` +
      payload.slice(0, -1),
  )
  return {
    hangUp: () => void socket.destroy(),
    async finish() {
      socket.write(payload.slice(-1))
      const answer = await everything(socket)
      if (socket.errored) throw socket.errored
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
      return { status, text: answer.slice(answer.indexOf('\r\n\r\n') + 4) }
    },
  }
}

/** The hashes of that kind that are made from now on wait until they are released. */
export function holdHash(
  t: TestContext,
  { running: { core } }: Pick<World, 'running'>,
  kind: 'hash' | 'hashRaw' | 'verify' = 'hash',
) {
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const make = core.passwords[kind] as (...given: unknown[]) => Promise<unknown>
  t.mock.method(core.passwords, kind, async (...given: unknown[]) => {
    begun.resolve()
    await release.promise
    return make(...given)
  })
  return { begun: begun.promise, release: () => release.resolve() }
}
