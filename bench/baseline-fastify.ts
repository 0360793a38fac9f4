// The baseline of the reads: Fastify over HTTPS with one handler per read, which sends the same
// bytes and header fields as the service. It checks nothing and has no database and no log.
import { readFile } from 'node:fs/promises'
import { fastify } from 'fastify'

/** A response by the pattern of its route. */
export type CannedResponse = { pattern: string; headers: Record<string, string>; body: string }
/** @property pem the file with the service's key and certificate */
export type Start = { pem: string; responses: readonly CannedResponse[] }

process.once('message', (message: Start) => {
  void serve(message).then((port) => process.send?.(port))
})
process.once('disconnect', () => process.exit(0))

async function serve({ pem, responses }: Start): Promise<number> {
  const keyAndCertificate = await readFile(pem)
  const https = { cert: keyAndCertificate, key: keyAndCertificate }
  const app = fastify({ https, logger: false })
  for (const { pattern, headers, body } of responses) {
    app.get(pattern, (_request, reply) => reply.headers(headers).send(body))
  }
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
}
