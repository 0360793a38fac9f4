// The chain of an account: each entry follows from the one before it and from its transfer.
import type { Currency } from '../../domain/money.ts'
import {
  entryHash,
  joinTerms,
  joinTexts,
  readAbouts,
  readCommitment,
  zeroHash,
} from '../rules/hash-chain.ts'
import { isBankAccountId } from '../rules/internal-accounts.ts'
import { isPosting } from '../rules/movement.ts'
import { toLinks } from './links.ts'
import type { Entry, Flaw } from './verify-sql.ts'
import { hasRightTexts } from './verify-texts.ts'

export class Mismatch extends Error {}
export const fail = (text: string): never => {
  throw new Mismatch(text)
}

/** How far a chain is proven, and its state there. */
export type ChainState = {
  seq: bigint
  markCount: bigint
  /** Entries that are one of the two of a transfer with an identifier below a bound. */
  sideCount: number
  balance: bigint
  hash: string
  at: Date
}

export const emptyChain: Readonly<ChainState> = {
  seq: 0n,
  markCount: 0n,
  sideCount: 0,
  balance: 0n,
  hash: zeroHash,
  at: new Date(0),
}

export type ChainAccount = { id: string; kind: string; currency: Currency; ownerId: string | null }
export type Chain = ChainState & { readonly account: ChainAccount }

/** The first difference between an entry and its transfer, by its name in the statement. */
const flaws = {
  missing: 'its transfer is missing',
  settlement: 'its transfer does not say that it was settled',
  sending: 'its transfer does not say that it was sent',
  place: 'its transfer does not name it',
  amount: 'its amount is not that of its transfer',
  kind: 'its kind is not that of its transfer',
  time: 'its time is not right',
} as const satisfies Record<Flaw, string>

/**
 * Proves the next entry of an account, or throws a {@link Mismatch} and leaves the chain as it was.
 *
 * @param sidesBefore the bound of {@link ChainState.sideCount}
 */
export function extend(chain: Chain, entry: Entry, sidesBefore: string): void {
  const { account } = chain
  const { seq, kind, createdAt, hash } = entry
  const failHere = (text: string): never => fail(`Entry ${seq} of account ${account.id}: ${text}`)
  if (seq !== chain.seq + 1n) failHere(`entry ${chain.seq + 1n} is missing before it`)
  if (entry.flaw !== null) failHere(`${flaws[entry.flaw as Flaw]} (${entry.transferId})`)
  if (kind === 'transfer' && entry.amount < 0n && isBankAccountId(account.id)) {
    failHere('a transfer does not leave an account of the bank')
  }
  if (isPosting(kind) && ![account.id, entry.otherAccountId].some(isBankAccountId)) {
    failHere('a posting is from or to an account of the bank')
  }
  if (entry.currency !== account.currency) failHere("its currency is not the account's")
  if (createdAt < chain.at) failHere('its time is not right')
  const balance = chain.balance + entry.amount
  if (entry.balanceAfter !== balance) {
    failHere(`the balance after it is ${entry.balanceAfter}, not ${balance}`)
  }
  const isMark = kind === 'settlement' || kind === 'sending'
  const about = isMark ? entry.transferId : aboutOf(entry)
  const isInChain = (each: string): boolean => entryHash(chain.hash, entry, each) === hash
  if (!readAbouts(about, toLinks(entry)).some(isInChain)) failHere('the chain breaks')
  if (!hasRightTexts(account.kind, entry)) {
    failHere(`its texts are not those of its transfer (${entry.transferId})`)
  }
  if (isMark) chain.markCount++
  else if (entry.transferId < sidesBefore) chain.sideCount++
  chain.seq = seq
  chain.balance = balance
  chain.hash = hash
  chain.at = createdAt
}

/** Only the owner pays from an account of a person, and its members and programs that may. */
export const isOfOther = ({ kind, amount, callerId }: Entry, { ownerId }: ChainAccount): boolean =>
  kind === 'transfer' && amount < 0n && callerId !== ownerId

/** The terms of the transfer, and the texts of the entry if the chain holds them. */
function aboutOf(entry: Entry): string {
  const terms = termsIn(entry)
  if (!entry.textsInChain) return terms
  const { salt, ownReference, ownName, ownIban, ownCommitment } = entry
  const texts = {
    reference: ownReference ?? '',
    counterpartyName: ownName,
    counterpartyIban: ownIban,
  }
  return joinTexts(terms, readCommitment({ ...texts, salt, commitment: ownCommitment }))
}

/** The terms of the transfer; of what an entry shares with it, the entry's. */
function termsIn(entry: Entry): string {
  const { accountId, otherAccountId, amount } = entry
  const [fromAccountId, toAccountId] =
    amount < 0n ? [accountId, otherAccountId] : [otherAccountId, accountId]
  return joinTerms(
    {
      id: entry.transferId,
      kind: entry.kind,
      fromAccountId,
      toAccountId,
      amount: amount < 0n ? -amount : amount,
      currency: entry.currency,
      beneficiaryId: entry.beneficiaryId,
      reversalOf: entry.reversalOf,
      callerId: entry.callerId,
      sessionId: entry.sessionId,
      createdAt: entry.createdAt,
    },
    readCommitment(entry, entry),
  )
}
