// What a handler changes with: its transactions and its orders have the effects of the request.
// Each transaction begins with the judgement of the caller, under locks (gate/lock-callers.ts).
// Exempt are public routes, which have no caller, and orders of money: the ledger judges those.
import type { MakeEvent } from '../audit/hooks.ts'
import type { AuditEvent } from '../audit/sql.ts'
import type { ServiceDatabase } from '../database/connections/connect.ts'
import type { RequestReads } from '../database/connections/read-standby.ts'
import type { Db } from '../database/statements/statement.ts'
import { addressKey } from '../domain/address.ts'
import { Refusal, refuse } from '../domain/errors.ts'
import type { Gate } from '../gate/gate.ts'
import type { Named } from '../gate/ownership.ts'
import type { Caller } from '../gate/roles.ts'
import { requireConfirmation } from './confirmation.ts'
import {
  type Changing,
  databaseWith,
  type Effects,
  afterRecording,
  withEffects,
} from './effects.ts'
import type { Context, Route } from './route.ts'
import type { Service } from './services.ts'

type Request = {
  caller: Caller | undefined
  /** The client's address. */
  address: string
  params: unknown
  named: readonly Named[]
  reads: RequestReads | undefined
  /** A person with a second factor has to confirm it. */
  isToConfirm: boolean
  /** It is stored for a second person, in place of being made. */
  isToApprove: boolean
  makeEvent: MakeEvent | undefined
  toEvent(about: Partial<AuditEvent>): AuditEvent
}
type ChangeParts = { gate: Gate; db: ServiceDatabase; service: Service }

export type Change = {
  /** For the context of the handler. */
  changing: Changing &
    Pick<Context, 'requireConfirmed'> & {
      /** Transactions in which the handler has recorded the request. */
      recordedIn: WeakSet<Db>
    }
  /** Runs the handler in its context, which is made to use up the confirmation if one is needed. */
  run<R>(context: Context, handle: (context: Context) => Promise<R>): Promise<R>
}

export function createChange(
  route: Route,
  { caller, address, params, named, reads, isToConfirm, isToApprove, makeEvent, toEvent }: Request,
  { gate, db: shared, service }: ChangeParts,
): Change {
  const db = shared.onBehalfOf(caller?.userId ?? addressKey(address), reads)
  const plain = { db, service }
  const recordedIn = new WeakSet<Db>()
  if (!caller) {
    const changing = { ...plain, requireConfirmed: () => {}, recordedIn }
    return { changing, run: (context, handle) => handle(context) }
  }
  // A restricted session enrols a factor because those that would confirm it are lost.
  const mustConfirm = ({ hasFactor, isRestricted }: Caller): boolean =>
    isToConfirm && hasFactor && !isRestricted
  const confirmsAll = !route.confirmsSome
  let isConfirmed = confirmsAll && mustConfirm(caller)
  let about = named
  /** As the transaction found the caller. */
  let present = caller
  const requireConfirmed = (): void => {
    if (mustConfirm(present) && !isConfirmed) refuse('confirmation_required')
  }

  const judged: Effects = {
    caller: {
      async opening(tx) {
        present = await gate.recheckLocked(tx, route, caller, about)
        if (confirmsAll) requireConfirmed()
      },
    },
  }
  // A held change makes an approval. Its own event is written when it is made.
  const makes = isToApprove || route.success === 201
  const isRecorded = (tx: Db) => recordedIn.has(tx)
  const effects =
    makeEvent && !isToApprove
      ? { ...judged, request: afterRecording(makeEvent, isRecorded) }
      : judged
  // A read and a movement of a customer pay for nothing else: the ledger judges the caller.
  const changing = {
    ...(effects === judged
      ? { db: databaseWith(plain.db, judged, makes), service }
      : withEffects(plain, effects, makes)),
    requireConfirmed,
    recordedIn,
  }

  async function confirming(context: Context): Promise<Context> {
    // A challenge is stored although the change was refused.
    const db = databaseWith(plain.db, judged, false)
    const confirmation = await requireConfirmation(route, context, { db, toEvent })
    return { ...context, ...withEffects(plain, { ...effects, confirmation }, makes) }
  }

  return {
    changing,
    async run(context, handle) {
      if (route.about) {
        const more = await route.about({ params: params as never, ...changing })
        about = [...named, ...more]
      }
      const attempt = async () => handle(isConfirmed ? await confirming(context) : context)
      try {
        return await attempt()
      } catch (thrown) {
        // The handler says so, or the person has a factor only since the request was admitted.
        const isLate = thrown instanceof Refusal && thrown.code === 'confirmation_required'
        if (!isLate || isConfirmed) throw thrown
        isConfirmed = true
        return await attempt()
      }
    },
  }
}
