// The baselines over HTTPS. Bare Fastify sends the same bytes and header fields as the service for
// each read, and checks nothing. With a database it answers as a plain service would: one select
// per read, one transaction that locks its rows per transfer; no session, limit, log or audit
// trail.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { fastify } from 'fastify'
import pg from 'pg'
import type { LocalAddress } from '../src/database/connections/connect.ts'
import { makeTransfer } from './baseline-sql.ts'
import type { Service } from './service.ts'

/** A response by the pattern of its route. */
export type CannedResponse = { pattern: string; headers: Record<string, string>; body: string }
/** @property pem the file with the service's key and certificate */
type Start = { pem: string; responses: readonly CannedResponse[]; address: LocalAddress }

export const plainDetails = '/plain/accounts/:id/details'
export const plainTransfers = '/plain/transfers'

/** Starts it in a process of its own. */
export async function startFastify(
  { folder, address }: Service,
  responses: readonly CannedResponse[] = [],
) {
  const child = fork(fileURLToPath(import.meta.url))
  const start: Start = { pem: path.join(folder, 'tls', 'server.secret.pem'), responses, address }
  child.send(start)
  const [port] = (await once(child, 'message')) as [number]
  return { port, pid: child.pid as number, stop: () => child.disconnect() }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', (message: Start) => {
    void serve(message).then((port) => process.send?.(port))
  })
  process.once('disconnect', () => process.exit(0))
}

/** As many connections as the service has for its reads and its batches together. */
const poolSize = 16

async function serve({ pem, responses, address }: Start): Promise<number> {
  const keyAndCertificate = await readFile(pem)
  const https = { cert: keyAndCertificate, key: keyAndCertificate }
  const app = fastify({ https, logger: false })
  for (const { pattern, headers, body } of responses) {
    app.get(pattern, (_request, reply) => reply.headers(headers).send(body))
  }
  const pool = new pg.Pool({ ...address, max: poolSize, options: '-c search_path=strongroom' })
  app.get<{ Params: { id: string } }>(plainDetails, async ({ params }) => {
    const values = [params.id]
    return (await pool.query({ name: 'details', text: selectDetails, values })).rows[0]
  })
  app.post<{ Body: { from: number; to: number } }>(plainTransfers, async ({ body }, reply) => {
    const client = await pool.connect()
    const id = await makeTransfer(client, body.from, body.to).finally(() => client.release())
    return reply.code(201).send({ id })
  })
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
}

const selectDetails = `
  select a.id, a.iban, a.currency, a.name, a.status, a.balance, a.overdraft_limit, a.created_at,
    a.daily_transfer_limit, a.registered_phone, a.alerts_enabled,
    u.given_name, u.family_name, u.email, u.phone, u.address
  from accounts a join users u on u.id = a.owner_id where a.id = $1`
