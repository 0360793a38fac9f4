// What requests that move money have in common: the amount, the caller, and by what the ledger
// knows the request when it is sent again.
import type { Currency } from '../../domain/money.ts'
import type { Context } from '../../http/route.ts'
import { isRepeated, readIdempotencyKey } from '../../ledger/batch/idempotency.ts'
import { toExternalId } from '../../ledger/rules/external-ids.ts'
import type { ExternalId } from '../../ledger/rules/movement.ts'
import { toMovementCaller } from './movement-caller.ts'
import { parsePositiveAmount } from './schemas.ts'

type NumberedBy<E> = E extends string ? { externalId: ExternalId } : { externalId?: never }

/** The external identifier of a movement, where its caller gives it one. */
export const numberBy = <E extends string | undefined>(
  externalId: E,
  operation: string,
  terms: unknown,
): NumberedBy<E> =>
  (externalId === undefined
    ? {}
    : { externalId: toExternalId(externalId, operation, terms) }) as NumberedBy<E>

type MoneyBody = { amount: string; currency: Currency; externalId?: string }
/** A request of staff or of a program, or an item of one. */
export type MoneyRequest<B extends MoneyBody = MoneyBody> = { body: B } & Pick<
  Context,
  'headers' | 'caller' | 'db' | 'now'
>

/**
 * Reads what the movement of a request has. An external identifier stands in place of a key, and
 * for longer. It is compared with all terms: "1.5" and "1.50" are one amount.
 *
 * @param further terms that are not in the body as they are compared
 * @param path of the body, or of the item
 * @returns `isKnown` whether the ledger has an answer to the request: it then orders nothing
 */
export function readTerms<B extends MoneyBody>(
  { body, headers, caller, db, now }: MoneyRequest<B>,
  operation: string,
  further: object = {},
  path?: string,
) {
  const { externalId, ...rest } = body
  const amount = parsePositiveAmount(body, path)
  const key = externalId === undefined ? readIdempotencyKey(headers) : undefined
  const compared = { ...rest, ...further, amount: amount.toString() }
  const terms = {
    amount,
    currency: body.currency,
    caller: toMovementCaller(caller, 'admin'),
    ...(key !== undefined && { key }),
    ...numberBy(externalId as B['externalId'], operation, compared),
  }
  const isKnown = () => isRepeated(db, { callerId: caller.userId, key, externalId }, now)
  return { terms, isKnown }
}
