// A request whose body is held back: its head has passed the gate, its end is sent when told to.
import { readFile } from 'node:fs/promises'
import tls from 'node:tls'
import type { World } from './world.ts'

export type HeldRequest = {
  /** Sends the rest and gives the status and the body of the answer. */
  finish(): Promise<{ status: number; text: string }>
  /** Goes without a word. */
  hangUp(): void
}

/** Sends everything but the last byte. */
export async function hold(
  { running }: Pick<World, 'running'>,
  method: string,
  path: string,
  token: string | undefined,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<HeldRequest> {
  const ca = await readFile(running.certificate.caPath as string)
  const payload = JSON.stringify(body)
  const socket = tls.connect({
    host: '127.0.0.1',
    port: running.httpsPort,
    ca,
    servername: 'localhost',
  })
  await new Promise((resolve) => socket.once('secureConnect', resolve))
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: bank.example\r\nConnection: close\r\n${authorization}${more.join('')}` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(payload)}\r\n\r\n` +
      payload.slice(0, -1),
  )
  return {
    hangUp: () => void socket.destroy(),
    finish: () =>
      new Promise((resolve, reject) => {
        let answer = ''
        socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
        socket.on('error', reject)
        socket.on('close', () => {
          const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
          resolve({ status, text: answer.slice(answer.indexOf('\r\n\r\n') + 4) })
        })
        socket.write(payload.slice(-1))
      }),
  }
}
