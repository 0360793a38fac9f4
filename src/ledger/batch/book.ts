// Books a movement that takes effect: moves the money between two locked accounts, and links the
// entries to their chains. Pure but for new identifiers and salts, as are the leaves of the plan.
import type { AuditEvent } from '../../audit/sql.ts'
import { newId, newSalt } from '../../domain/ids.ts'
import {
  commitTexts,
  entryHash,
  joinLinks,
  joinTerms,
  joinTexts,
  type Links,
} from '../rules/hash-chain.ts'
import { countInCard } from '../rules/authorizations.ts'
import { captureHold, type CountedHold, type Held } from '../rules/holds.ts'
import {
  type Counterparty,
  goesElsewhere,
  type Kind,
  type MoneyMovement,
  type MovementKind,
  type MovementOf,
  type StepMovement,
  type Texts,
  type Transfer,
  type TransferDetails,
} from '../rules/movement.ts'
import { holdIdOf, type NamedByMovement } from '../rules/named-by-movement.ts'
import type { HoldWord } from '../rows/holds.ts'
import type { Alert } from '../rows/payment-mails.ts'
import type { LockedAccount, Mark, NewTransfer } from '../rows/transfers.ts'
import { toEntryTexts } from '../rules/entry-texts.ts'
import type { Before, Place, Rows } from './facts.ts'

/** What a movement books: its own terms, but for the texts of an erased transfer, say. */
type BookedTerms = Pick<MoneyMovement, 'amount' | 'currency' | 'reference' | 'caller'> &
  Pick<MoneyMovement, 'externalId' | 'events'> & {
    kind: Kind
    beneficiaryId?: string
    counterparty?: Counterparty | undefined
    originalId?: string
    paymentId?: string
    details?: TransferDetails | undefined
    isLarge?: boolean
  }

export type Booked = Rows & { transfer: NewTransfer; accounts: [LockedAccount, LockedAccount] }

/**
 * The transfer with its entries, its events and its mail.
 *
 * @param about the account that the trail names
 */
export function bookTransfer(
  terms: BookedTerms,
  { from, to, at }: Place,
  id: string,
  about: LockedAccount = to,
): Booked {
  const { kind, amount, currency, counterparty, details, caller } = terms
  const createdAt = new Date(at)
  const transfer: Transfer = {
    id,
    kind,
    fromAccountId: from.id,
    toAccountId: to.id,
    fromSeq: from.lastSeq + 1n,
    toSeq: to.lastSeq + 1n,
    amount,
    currency,
    reference: terms.reference,
    beneficiaryId: terms.beneficiaryId ?? null,
    counterpartyName: counterparty?.name ?? null,
    counterpartyIban: counterparty?.iban ?? null,
    reversalOf: terms.originalId ?? null,
    callerId: caller.userId,
    createdAt,
    status: goesElsewhere({ kind, toAccountId: to.id, currency }) ? 'pending' : 'completed',
    reversedBy: null,
    isErased: false,
  }
  const { sessionId } = caller
  const salt = newSalt()
  const joined = joinTerms({ ...transfer, sessionId }, commitTexts(salt, transfer, details))
  const texts = toEntryTexts(transfer, { from, to })
  const links = linksOf(terms)
  const aboutFor = (own: Texts) => joinLinks(joinTexts(joined, commitTexts(salt, own)), links)
  const payer = append(from, kind, -amount, createdAt, aboutFor(texts.fromTexts))
  const payee = append(to, kind, amount, createdAt, aboutFor(texts.toTexts))
  return {
    made: { transfer, isReplayed: false },
    madeId: id,
    accounts: [payer, payee],
    transfer: {
      transfer,
      sessionId,
      salt,
      ...texts,
      fromBalance: payer.balance,
      toBalance: payee.balance,
      fromHash: payer.lastHash,
      toHash: payee.lastHash,
      fingerprint: null,
    },
    ...(details && { details: { ...details, transferId: id } }),
    alerts: [...alertPayer(terms, from, transfer), ...alertPayee(from, to, transfer)],
    // Its reference, which may name a person, can be erased in the transfer only.
    events: aboutThing(terms.events, about.id, `transfer ${id}`),
  }
}

/** The mail to the owner of an account, none where its alerts are off. */
export const alertOwner = (
  { alertsEnabled, ownerId }: LockedAccount,
  about: Pick<Alert, 'kind' | 'aboutId' | 'at'>,
): Alert[] =>
  alertsEnabled && ownerId !== null ? [{ ...about, id: newId(about.at.getTime()), ownerId }] : []

/** The mail of a large payment. */
const alertPayer = (
  { isLarge }: BookedTerms,
  from: LockedAccount,
  { id: aboutId, createdAt: at }: Transfer,
): Alert[] => (isLarge ? alertOwner(from, { kind: 'payment', aboutId, at }) : [])

/** The mail of money that arrives from somebody else. */
function alertPayee(
  from: LockedAccount,
  to: LockedAccount,
  { kind, id: aboutId, createdAt: at }: Transfer,
): Alert[] {
  const isTold = to.isArrivalTold && (kind === 'transfer' || kind === 'incoming')
  return isTold && from.ownerId !== to.ownerId
    ? alertOwner(to, { kind: 'money-arrived', aboutId, at })
    : []
}

/** The events of a movement, with what it was about where its request names nothing. */
export const aboutThing = (
  events: readonly AuditEvent[] = [],
  thingId: string,
  detail?: string,
): readonly AuditEvent[] =>
  events.map((event) => ({
    ...event,
    target: event.target ?? thingId,
    ...(detail !== undefined && { detail }),
  }))

/** Undefined: it is neither numbered nor a refund. */
function linksOf({
  caller,
  externalId,
  paymentId,
}: Pick<BookedTerms, 'caller' | 'externalId' | 'paymentId'>): Links | undefined {
  if (externalId === undefined && paymentId === undefined) return undefined
  const { id = null, bodyHash = null } = externalId ?? {}
  return { callerId: caller.userId, externalId: id, bodyHash, paymentId: paymentId ?? null }
}

/** The account with an entry more at its end. */
function append(
  account: LockedAccount,
  kind: MovementKind,
  amount: bigint,
  createdAt: Date,
  about: string,
): LockedAccount {
  const [seq, balance] = [account.lastSeq + 1n, account.balance + amount]
  const entry = { accountId: account.id, seq, kind, amount, balanceAfter: balance, createdAt }
  const lastHash = entryHash(account.lastHash, entry, about)
  return { ...account, lastSeq: seq, balance, lastEntryAt: createdAt, lastHash }
}

/** The clearing account with a mark: a transfer to another bank was sent or settled. */
export function bookMark(
  movement: StepMovement,
  { to, at }: Place,
): { clearing: LockedAccount; mark: Mark } {
  const { kind, originalId } = movement
  const createdAt = new Date(at)
  const clearing = append(to, kind, 0n, createdAt, joinLinks(originalId, linksOf(movement)))
  const { id: accountId, lastSeq: seq, balance, lastHash: hash } = clearing
  return { clearing, mark: { kind, accountId, seq, balance, at: createdAt, hash } }
}

/** The hold that a movement names, and whether it is a card payment. */
export function findHold(movement: NamedByMovement, { state }: Before) {
  const id = holdIdOf(movement) ?? ''
  return { hold: state.holds.get(id), payment: state.payments.get(id) }
}

/** The rows of a hold as a movement leaves it, and of what counts to the limit of its card. */
export const toHoldRows = (
  { hold, from }: Held<LockedAccount>,
  before: CountedHold | undefined,
  { word, at }: { word: HoldWord; at: number },
  { state }: Before,
) => ({
  accounts: [from],
  hold,
  holdEvent: { id: hold.id, word, at: new Date(at) },
  ...countInCard(before, hold, state.cards.get(hold.cardId ?? '')),
})

/** A transfer, and the hold that its amount is taken out of. */
export function bookCapture(
  movement: MovementOf<'capture' | 'card' | 'clearing'>,
  hold: CountedHold,
  place: Place,
  id: string,
  before: Before,
): Booked {
  const booked = bookTransfer(movement, place, id)
  const [from, to] = booked.accounts
  const { amount } = movement
  const isFinal = movement.kind !== 'clearing' && movement.hold.isFinal
  const taken = captureHold({ hold, from }, { isFinal, amount }, place.at)
  return {
    ...booked,
    ...toHoldRows(taken, hold, { word: 'captured', at: place.at }, before),
    accounts: [taken.from, to],
    capture: { transferId: id, holdId: hold.id, unheld: taken.unheld },
  }
}
