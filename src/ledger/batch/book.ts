// Books a movement that takes effect, in memory: moves the money between two locked accounts, and
// links the entries to their chains.
import { newSalt } from '../../domain/ids.ts'
import { spentOn } from '../rules/decide.ts'
import {
  commitTexts,
  entryHash,
  joinLinks,
  joinTerms,
  joinTexts,
  type Links,
} from '../rules/hash-chain.ts'
import { maxBalance } from '../rules/holds.ts'
import {
  goesElsewhere,
  type Kind,
  type Movement,
  type Texts,
  type Transfer,
} from '../rules/movement.ts'
import type { LockedAccount, Mark, NewTransfer } from '../rows/transfers.ts'
import { toEntryTexts } from '../rules/entry-texts.ts'

/** Moves the money between the two accounts in memory, and links both chains. */
export function post(
  movement: Movement,
  kind: Kind,
  { from, to }: { from: LockedAccount; to: LockedAccount },
  { id, at, day }: { id: string; at: number; day: string },
): NewTransfer {
  const { amount, currency, counterparty } = movement
  if (kind === 'transfer') {
    const spent = spentOn(from, day) + amount
    from.spentAmount = spent > maxBalance ? maxBalance : spent
    from.spentOn = day
  }
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
    reference: movement.reference,
    beneficiaryId: movement.beneficiaryId ?? null,
    counterpartyName: counterparty?.name ?? null,
    counterpartyIban: counterparty?.iban ?? null,
    reversalOf: movement.originalId ?? null,
    callerId: movement.caller.userId,
    createdAt,
    status: goesElsewhere({ kind, toAccountId: to.id, currency }) ? 'pending' : 'completed',
    reversedBy: null,
    isErased: false,
  }
  const { sessionId } = movement.caller
  const salt = newSalt()
  const commitment = commitTexts(salt, transfer, movement.details)
  const terms = joinTerms({ ...transfer, sessionId }, commitment)
  const texts = toEntryTexts(transfer, { from, to })
  const links = linksOf(movement)
  const aboutFor = (own: Texts) => joinLinks(joinTexts(terms, commitTexts(salt, own)), links)
  const fromHash = append(from, kind, -amount, createdAt, aboutFor(texts.fromTexts))
  const toHash = append(to, kind, amount, createdAt, aboutFor(texts.toTexts))
  return {
    transfer,
    sessionId,
    salt,
    ...texts,
    fromBalance: from.balance,
    toBalance: to.balance,
    fromHash,
    toHash,
    fingerprint: null,
  }
}

/**
 * Takes what has come back on its day out of what counts to the daily limit of that day. A sum that
 * has reached its end stays there: more may count to it than it tells.
 */
export function giveBackSpent(
  account: LockedAccount,
  { amount }: Pick<Transfer, 'amount'>,
  day: string,
): void {
  if (account.spentOn !== day || account.spentAmount === maxBalance) return
  account.spentAmount -= amount
}

/** Undefined: it is neither numbered nor a refund. */
function linksOf({
  caller,
  externalId,
  refundOf,
}: Pick<Movement, 'caller' | 'externalId' | 'refundOf'>): Links | undefined {
  if (externalId === undefined && refundOf === undefined) return undefined
  const { id = null, bodyHash = null } = externalId ?? {}
  return { callerId: caller.userId, externalId: id, bodyHash, paymentId: refundOf ?? null }
}

/** Adds an entry to the end of an account. */
function append(
  account: LockedAccount,
  kind: Movement['kind'],
  amount: bigint,
  createdAt: Date,
  about: string,
): string {
  account.lastSeq += 1n
  account.balance += amount
  account.lastEntryAt = createdAt
  const { id: accountId, lastSeq: seq, balance: balanceAfter } = account
  const entry = { accountId, seq, kind, amount, balanceAfter, createdAt }
  account.lastHash = entryHash(account.lastHash, entry, about)
  return account.lastHash
}

/**
 * Adds a mark to the chain of the clearing account: a transfer to another bank was sent or settled.
 */
export function mark(
  movement: Pick<Movement, 'caller' | 'externalId'> & Pick<Mark, 'kind'>,
  transferId: string,
  clearing: LockedAccount,
  at: number,
): Mark {
  const createdAt = new Date(at)
  const { kind } = movement
  const hash = append(clearing, kind, 0n, createdAt, joinLinks(transferId, linksOf(movement)))
  const { id: accountId, lastSeq: seq, balance } = clearing
  return { kind, accountId, seq, balance, at: createdAt, hash }
}
