// What a handler changes with: a database each of whose transactions begins with the judgement of
// the caller, under locks (gate/hold.ts), and with its confirmation where one is needed. A handler
// has no other way to write. Exempt are public routes, which have no caller, and orders of money:
// the ledger judges their callers inside its batch.
import type { AuditEvent } from '../audit/sql.ts'
import type { Database, ServiceDatabase } from '../database/connect.ts'
import { openingWith } from '../database/transaction.ts'
import { addressKey } from '../domain/address.ts'
import { Refusal, refuse } from '../domain/errors.ts'
import type { Gate } from '../gate/gate.ts'
import type { Named } from '../gate/ownership.ts'
import type { Caller } from '../gate/roles.ts'
import { confirmedContext } from './confirmation.ts'
import type { Context, Route } from './route.ts'
import type { Service } from './services.ts'

type Request = {
  caller: Caller | undefined
  /** The client's address. */
  address: string
  params: unknown
  named: readonly Named[]
  /** A person with a second factor has to confirm it. */
  isToConfirm: boolean
  toEvent(about: Partial<AuditEvent>): AuditEvent
}
type Parts = { gate: Gate; db: ServiceDatabase; service: Service }

export type Change = {
  /** For the context of the handler, before any other decoration. */
  db: Database
  /** Runs the handler in its context, which is made to use up the confirmation if one is needed. */
  run<R>(context: Context, handle: (context: Context) => Promise<R>): Promise<R>
}

export function createChange(
  route: Route,
  { caller, address, params, named, isToConfirm, toEvent }: Request,
  { gate, db: shared, service }: Parts,
): Change {
  const unjudged = shared.onBehalfOf(caller?.userId ?? addressKey(address))
  if (!caller) return { db: unjudged, run: (context, handle) => handle(context) }
  // A restricted session enrols a factor because those that would confirm it are lost.
  const mustConfirm = ({ hasFactor, isRestricted }: Caller): boolean =>
    isToConfirm && hasFactor && !isRestricted
  let isConfirmed = mustConfirm(caller)
  let about = named

  const db = openingWith(unjudged, async (tx) => {
    const present = await gate.hold(tx, route, caller, about)
    if (mustConfirm(present) && !isConfirmed) refuse('confirmation_required')
  })

  return {
    db,
    async run(context, handle) {
      if (route.about) {
        const more = await route.about({ params: params as never, db, service })
        about = [...named, ...more]
      }
      const attempt = async () =>
        handle(isConfirmed ? await confirmedContext(route, context, { db, toEvent }) : context)
      try {
        return await attempt()
      } catch (thrown) {
        // The person has a factor only since the request was admitted.
        const isLate = thrown instanceof Refusal && thrown.code === 'confirmation_required'
        if (!isLate || isConfirmed) throw thrown
        isConfirmed = true
        return await attempt()
      }
    },
  }
}
