// From which amount on two people sign what leaves an account, and who signs a payment draft.
import { type RowOf } from '../../database/statements/statement.ts'
import type { PlainCode } from '../../domain/errors.ts'
import { isHigher, lowerLimit, raiseWaitMs } from './own-limits.ts'

export const signatureColumns = {
  signaturesFrom: 'int8?',
  nextSignaturesFrom: 'int8?',
  nextSignaturesAt: 'timestamptz?',
} as const
/** In minor units; null: one person is enough. */
export type StoredSignatures = RowOf<typeof signatureColumns>

/** The amount that holds at that time, in milliseconds since the epoch. */
export const signaturesFromAt = (
  { signaturesFrom, nextSignaturesFrom, nextSignaturesAt }: StoredSignatures,
  at: number,
): bigint | null =>
  nextSignaturesAt !== null && nextSignaturesAt.getTime() <= at
    ? nextSignaturesFrom
    : signaturesFrom

/** The amount that waits at that time, and when it holds; undefined: none does. */
export const waitingSignatures = (
  { nextSignaturesFrom: amount, nextSignaturesAt: from }: StoredSignatures,
  at: number,
): { amount: bigint | null; from: Date } | undefined =>
  from === null || from.getTime() <= at ? undefined : { amount, from }

/**
 * What is stored when the owner wants two people from that amount on. A lower amount holds at once;
 * a higher one, and none, waits as a raise of the owner's limits does. The same again waits no
 * longer than the first time.
 */
export function changeSignatures(
  stored: StoredSignatures,
  wanted: bigint | null,
  at: number,
): StoredSignatures {
  const present = signaturesFromAt(stored, at)
  const signaturesFrom = lowerLimit(wanted, present)
  if (!isHigher(wanted, present)) {
    return { signaturesFrom, nextSignaturesFrom: null, nextSignaturesAt: null }
  }
  const waiting = waitingSignatures(stored, at)
  const isSame = waiting !== undefined && waiting.amount === wanted
  const nextSignaturesAt = isSame ? waiting.from : new Date(at + raiseWaitMs)
  return { signaturesFrom, nextSignaturesFrom: wanted, nextSignaturesAt }
}

/** How many people sign a payment of that amount. */
export function signaturesNeeded(stored: StoredSignatures, amount: bigint, at: number): 1 | 2 {
  const from = signaturesFromAt(stored, at)
  return from !== null && amount >= from ? 2 : 1
}

/** The draft that a movement pays, and those who have made and signed it. */
export type DraftUse = { id: string; people: readonly string[] }

export const standingDraftColumns = {
  id: 'uuid',
  accountId: 'uuid',
  makerId: 'uuid',
  beneficiaryId: 'uuid?',
  toAccountId: 'uuid?',
  amount: 'int8',
  reference: 'text',
  status: 'text',
  expiresAt: 'timestamptz',
} as const
type DraftRow = RowOf<typeof standingDraftColumns>

export const memberRights = ['view', 'prepare', 'pay'] as const
/** A person that a draft is about, and the right on its account; null: none any more. */
export type DraftPerson = {
  personId: string
  rights: (typeof memberRights)[number] | null
  /** When the right ends. */
  until: Date | null
  /** The most that the person may let leave by one payment, in minor units; null: any amount. */
  most: bigint | null
  /** The session or signing key by which the person has made or signed it was revoked. */
  isRevoked: boolean
}

const holds = ({ until }: DraftPerson, at: number): boolean =>
  until === null || at < until.getTime()
const mayPay = (person: DraftPerson, at: number): boolean =>
  person.rights === 'pay' && holds(person, at)
/** A member signs up to its own limits, as it pays. */
const maySign = (person: DraftPerson, { amount }: { amount: bigint }, at: number): boolean =>
  mayPay(person, at) && (person.most === null || amount <= person.most)
const mayPrepare = (person: DraftPerson, at: number): boolean =>
  mayPay(person, at) || (person.rights === 'prepare' && holds(person, at))

/** A draft behind its lock, with its signatures and the people that it is about. */
export type StandingDraft = DraftRow & {
  signedBy: readonly string[]
  /** Its maker, those that have signed it, and who signs it now. */
  people: readonly DraftPerson[]
}

type Signature = {
  signerId: string
  /** How many signatures the payment needs. */
  needed: 1 | 2
  /** Milliseconds since the epoch. */
  at: number
}

/**
 * Whether the right of its maker, or of one that has signed it, has ended, or the session or
 * signing key by which one of them did so was revoked: the draft is void.
 */
export const isVoid = (draft: StandingDraft, at: number): boolean => {
  const { makerId, signedBy, people } = draft
  const find = (id: string) => people.filter(({ personId }) => personId === id)
  return (
    people.some(({ isRevoked }) => isRevoked) ||
    !find(makerId).some((person) => mayPrepare(person, at)) ||
    !signedBy.every((id) => find(id).some((person) => maySign(person, draft, at)))
  )
}

/**
 * What comes of a signature: why it is refused; `waits`: one more is needed; `pays`: it is the last
 * one. No person signs twice. A maker whose limits allowed it has signed by making it; one whose
 * limits did not, such as what was left of its day, signs after another person.
 */
export function judgeSignature(
  draft: StandingDraft | undefined,
  { signerId, needed, at }: Signature,
): PlainCode | 'waits' | 'pays' {
  if (!draft) return 'not_found'
  const { status, expiresAt, makerId, signedBy, people } = draft
  if (status !== 'waiting' || expiresAt.getTime() <= at || isVoid(draft, at)) {
    return 'illegal_transition'
  }
  const signer = people.find((one) => one.personId === signerId && mayPay(one, at))
  const isFirst = signedBy.length === 0
  if (!signer || signedBy.includes(signerId) || (isFirst && signerId === makerId)) {
    return 'forbidden'
  }
  // The limits of the last one are judged with the payment.
  if (signedBy.length + 1 >= needed) return 'pays'
  return maySign(signer, draft, at) ? 'waits' : 'limit_exceeded'
}

/** Whether a payment has exactly the terms of its draft. */
export const isOfDraft = (
  draft: DraftRow,
  movement: {
    fromAccountId: string
    toAccountId: string
    beneficiaryId?: string
    amount: bigint
    reference: string
  },
): boolean =>
  draft.accountId === movement.fromAccountId &&
  draft.beneficiaryId === (movement.beneficiaryId ?? null) &&
  (draft.toAccountId === null || draft.toAccountId === movement.toAccountId) &&
  draft.amount === movement.amount &&
  draft.reference === movement.reference

/** What is written of a draft that is paid. */
export type PaidDraft = {
  id: string
  transferId: string
  signerId: string
  sessionId: string
  kid: string | null
  needed: 1 | 2
  /** The mail that tells its maker. */
  mailId: string
  at: Date
}
