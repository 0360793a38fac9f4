// A collector of spans for tests: takes OTLP/HTTP in JSON on this machine, and can fail like a real
// one.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Span } from './world.ts'

export type Received = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
  links?: { traceId: string; spanId: string }[]
  droppedLinksCount?: number
  status?: { code: number }
}

export type Collector = {
  url: string
  /** A status, or no answer at all. */
  mood: number | 'hangs'
  /** The number of the request that has no answer yet; undefined without one. */
  hanging: number | undefined
  spans: Received[]
  /** The bodies as they came. */
  bodies: string[]
}

export async function collector(t: Span): Promise<Collector> {
  let count = 0
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { mood } = made
      if (mood === 'hangs') {
        const number = ++count
        made.hanging = number
        response.once('close', () => {
          if (made.hanging === number) made.hanging = undefined
        })
        return
      }
      const isRight =
        request.method === 'POST' &&
        request.url === '/v1/traces' &&
        request.headers['content-type'] === 'application/json'
      response.writeHead(isRight ? mood : 404).end('{}')
      if (!isRight || mood !== 200) return
      const text = Buffer.concat(chunks).toString()
      made.bodies.push(text)
      const { resourceSpans } = JSON.parse(text) as {
        resourceSpans: { scopeSpans: { spans: Received[] }[] }[]
      }
      made.spans.push(...resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const made: Collector = { url, mood: 200, hanging: undefined, spans: [], bodies: [] }
  return made
}

export const attribute = ({ attributes }: Received, name: string): string | undefined => {
  const value = attributes.find(({ key }) => key === name)?.value
  return value?.stringValue ?? value?.intValue
}
