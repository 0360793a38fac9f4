// What a movement names, to be locked and read before it is planned.
import type { CardRequest } from './authorizations.ts'
import type { HoldTerms } from './holds.ts'
import type { ListLine } from './list-lines.ts'
import type { Common, MayLieInSuspense } from './movement.ts'
import type { DraftUse } from './signatures.ts'
import type { OrderRun } from './standing-order-runs.ts'

export type AccountsOfMovement = Pick<Common, 'fromAccountId' | 'toAccountId'> & MayLieInSuspense

/** The accounts that a movement may move. */
export const accountsOf = ({
  fromAccountId,
  toAccountId,
  suspenseId,
}: AccountsOfMovement): string[] =>
  suspenseId === undefined ? [fromAccountId, toAccountId] : [fromAccountId, toAccountId, suspenseId]

/** What a movement may name beside its accounts, to be read with them. */
export type NamedByMovement = Pick<Common, 'caller' | 'approval'> & {
  beneficiaryId?: string
  /** The transfer that is brought back, sent or settled. */
  originalId?: string
  paymentId?: string
  hold?: HoldTerms
  request?: CardRequest
  run?: OrderRun
  line?: ListLine
  draft?: DraftUse
}

/** The hold that is changed, released, captured or refunded. */
export const holdIdOf = ({ hold, paymentId }: NamedByMovement): string | undefined =>
  hold && 'id' in hold ? hold.id : paymentId

/** The card that a hold is placed or raised for. */
export const cardIdOf = ({ hold, request }: NamedByMovement): string | undefined =>
  request?.cardId ?? (hold && 'cardId' in hold ? (hold.cardId ?? undefined) : undefined)
