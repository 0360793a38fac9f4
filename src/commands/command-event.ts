// What the audit trail says of a command: an operator gave it, at no address of the network.
import type { AuditEvent } from '../audit/sql.ts'
import { newId } from '../ids.ts'

export const commandEvent = (action: string, now: number, detail: string | null): AuditEvent => ({
  id: newId(now),
  at: now,
  actorId: null,
  action,
  target: null,
  outcome: 'success',
  requestId: newId(now),
  address: 'operator',
  detail,
})
