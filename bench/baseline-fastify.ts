// What the product's reads are measured against: Fastify over HTTPS with one handler for each read,
// which answers the very bytes that the product answers, header fields and all. No token is looked
// at, no session, no limit, no owner, no database, no log.
import { readFile } from 'node:fs/promises'
import { fastify } from 'fastify'

/** An answer by the pattern of its route. */
export type Answer = { pattern: string; headers: Record<string, string>; body: string }
/** @property pem the file with the product's own key and certificate */
export type Told = { pem: string; answers: readonly Answer[] }

process.once('message', (told: Told) => {
  void serve(told).then((port) => process.send?.(port))
})
process.once('disconnect', () => process.exit(0))

async function serve({ pem, answers }: Told): Promise<number> {
  const both = await readFile(pem)
  const https = { cert: both, key: both }
  const app = fastify({ https, logger: false })
  for (const { pattern, headers, body } of answers) {
    app.get(pattern, (_request, reply) => reply.headers(headers).send(body))
  }
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return Number(new URL(url).port)
}
