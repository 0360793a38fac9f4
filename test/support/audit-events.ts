// The audit trail, as an administrator reads it.
import assert from 'node:assert/strict'
import type { AuditEvent } from '../../src/audit/sql.ts'
import type { Reply, World } from './world.ts'

export const trailPath = '/api/v1/admin/audit-events'
export type Event = Omit<AuditEvent, 'at'> & { at: string; order?: object }

/** The default address that tests send from. */
export const here = '127.0.0.1'

/** The events of one request. */
export async function readEvents(bank: World, { headers }: Reply): Promise<Event[]> {
  const root = await bank.as('root')
  const reply = await root.get(`${trailPath}?requestId=${headers['x-request-id']}`)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.items as Event[]
}

/** The only event of a request, without the fields that differ each time. */
export async function readEvent(bank: World, reply: Reply) {
  const events = await readEvents(bank, reply)
  assert.equal(events.length, 1, JSON.stringify(events))
  const { id, at, requestId, ...rest } = events[0] as Event
  assert.equal(requestId, reply.headers['x-request-id'])
  assert.equal(Date.parse(at), bank.clock.now())
  assert.match(id, /^[0-9a-f-]{36}$/)
  return rest
}
