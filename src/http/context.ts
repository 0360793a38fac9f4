// A request of the framework as the parts behind it see it: handlers, the gate and the audit trail.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { addressKey } from '../domain/address.ts'
import type { Asked } from '../audit/hooks.ts'
import { addEvents } from '../audit/sql.ts'
import { witnessedDatabase } from '../audit/audited-transaction.ts'
import type { Clock } from '../domain/clock.ts'
import type { Database } from '../database/connect.ts'
import { witnessedLedger } from '../ledger/batch.ts'
import type { Named } from '../gate/ownership.ts'
import type { Context } from './route.ts'
import type { Identifier } from '../domain/ids.ts'
import type { Service } from './services.ts'

type Parts = { db: Database; service: Service; clock: Clock }

/** What the handler of a request is given; staff's changes work with what is witnessed. */
export function contextOf(request: FastifyRequest, reply: FastifyReply, parts: Parts): Context {
  const { admission, address, recorder } = request.held
  const witness = recorder?.witness(askedOf(request))
  const { service } = parts
  const db = parts.db.onBehalfOf(admission?.caller?.userId ?? addressKey(address))
  return {
    params: request.params,
    query: request.query,
    body: request.body,
    headers: request.headers as Record<string, string | undefined>,
    caller: admission?.caller as never,
    address,
    requestId: request.id,
    db: witness ? witnessedDatabase(db, witness) : db,
    now: parts.clock.now(),
    service: witness ? { ...service, ledger: witnessedLedger(service.ledger, witness) } : service,
    async record(tx, about = {}) {
      if (!recorder) throw new Error('The request met no route')
      return addEvents(tx, [recorder.event(askedOf(request), about)])
    },
    async takeMore(keys, name) {
      if (!admission) throw new Error('Nothing was admitted')
      const taken = await admission.takeMore(keys, name)
      reply.headers(taken.headers())
      return taken
    },
  }
}

/** A request as the audit trail sees it. */
export const askedOf = ({ held, params, query, body, id: requestId }: FastifyRequest): Asked => ({
  params,
  query,
  body,
  requestId,
  address: held.address,
  caller: held.admission?.caller,
})

/** The identifiers a request names, in the order path, query, body. */
export function namedIn(request: FastifyRequest, identifiers: readonly Identifier[]): Named[] {
  return identifiers.flatMap(({ part, keys, resource }) => {
    const id = keys.reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | null | undefined)?.[key],
      request[part],
    )
    return typeof id === 'string' ? [{ resource, id }] : []
  })
}
