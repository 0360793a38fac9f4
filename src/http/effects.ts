// What is added to each change of a handler: in its transaction, or in its order for the ledger.
// The handler gets a database and a ledger with all of it, and has no other way to write.
import type { MakeEvent } from '../audit/hooks.ts'
import { addEvents } from '../audit/sql.ts'
import type { Database } from '../database/connections/connect.ts'
import { answersOf } from '../database/connections/cork.ts'
import type { Db } from '../database/statements/statement.ts'
import type { Opening } from '../database/connections/transaction.ts'
import type { Ledger } from '../ledger/batch/batch.ts'
import type { Movement, Submit } from '../ledger/rules/movement.ts'
import type { Service } from './services.ts'

/**
 * All effects, from the outside to the work. Before the work they follow in this order, behind it
 * in the reverse order. A transaction is: BEGIN with the judgement of the caller, the judgement of
 * the approval, the work, the use of the approval, the event of the approved change, the use of
 * the confirmation with its event, the event of the request, COMMIT.
 */
const inwards = ['caller', 'request', 'confirmation', 'approved', 'approval'] as const
export type Effects = Partial<Record<(typeof inwards)[number], Effect>>

export type Effect = {
  /** Sent together with BEGIN: locks and judges, and writes nothing. */
  opening?: Opening
  /** In the transaction, before the work. */
  before?(tx: Db): Promise<unknown>
  /** In the transaction, behind the work. */
  after?(tx: Db, madeId: string | undefined): Promise<unknown>
  /** The movement with what the ledger does in its transaction. */
  withMovement?(movement: Movement): Movement
  /** Around the whole change, outside its transaction. */
  around?<R>(change: () => Promise<R>): Promise<R>
}

/**
 * The event of a change, in the transaction of the change.
 *
 * @param isRecorded whether the handler has recorded it in that transaction
 */
export const afterRecording = (
  makeEvent: MakeEvent,
  isRecorded: (tx: Db) => boolean = () => false,
): Effect => ({
  after: async (tx, madeId) => isRecorded(tx) || addEvents(tx, [makeEvent(madeId)]),
  withMovement: (movement) => ({
    ...movement,
    events: [...(movement.events ?? []), makeEvent(undefined)],
  }),
})

export type Changing = { db: Database; service: Service }

/**
 * Both, with these effects inside those that they have.
 *
 * @param makes whether a transaction returns what it has made, with its `id`: on a route that
 *   answers 201 (RFC 9110, section 15.3.2)
 */
export const withEffects = (
  { db, service }: Changing,
  effects: Effects,
  makes: boolean,
): Changing => ({
  db: databaseWith(db, effects, makes),
  service: { ...service, ledger: ledgerWith(service.ledger, effects) },
})

/**
 * What the transaction of a handler returns when it kept or found an answer and made nothing: it
 * commits without an event, and uses up no confirmation.
 */
export class NothingMade<Answer> {
  readonly answer: Answer
  constructor(answer: Answer) {
    this.answer = answer
  }
}

/** Put in order when a change is made: most requests make none. */
const inOrder = (effects: Effects): Effect[] => inwards.flatMap((name) => effects[name] ?? [])

const around = <R>(outwards: readonly Effect[], change: () => Promise<R>): Promise<R> =>
  outwards.reduce((inner, effect) => () => effect.around?.(inner) ?? inner(), change)()

/** The same database, whose transactions have these effects. */
export const databaseWith = (db: Database, effects: Effects, makes: boolean): Database => ({
  ...db,
  runTransaction(work, inner) {
    const given = inOrder(effects)
    const outwards = given.toReversed()
    const opening: Opening = (tx) =>
      answersOf([...given.map((effect) => effect.opening?.(tx)), inner?.(tx)])
    return around(outwards, () =>
      db.runTransaction(async (tx) => {
        for (const { before } of given) await before?.(tx)
        const result = await work(tx)
        if (result instanceof NothingMade) return result
        const madeId = makes ? idOf(result) : undefined
        for (const { after } of outwards) await after?.(tx, madeId)
        return result
      }, opening),
    )
  },
})

const ledgerWith = (ledger: Ledger, effects: Effects): Ledger => ({
  submit: ((asked: Movement) => {
    // What the items of one request share was used up before them.
    const own: Effects = asked.isItem && effects.request ? { request: effects.request } : effects
    const outwards = inOrder(own).toReversed()
    const movement = outwards.reduce((more, effect) => effect.withMovement?.(more) ?? more, asked)
    return around(outwards, () => ledger.submit(movement))
  }) as Submit,
})

function idOf(made: unknown): string | undefined {
  const id = (made as { id?: unknown } | null | undefined)?.id
  return typeof id === 'string' ? id : undefined
}
