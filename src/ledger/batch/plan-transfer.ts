// Transfers of customers, also those that a standing order makes on its day.
import { rfc3339 } from '../../domain/clock.ts'
import type { ExceededLimit, PlainCode } from '../../domain/errors.ts'
import type { Member } from '../../gate/members.ts'
import { type Currency, formatAmount } from '../../domain/money.ts'
import { decide, type Exceeded, findExceeded } from '../rules/decide.ts'
import { maxBalance, spentOn } from '../rules/holds.ts'
import { toSpendingName } from '../rows/member-spending.ts'
import type { MemberLimits } from '../rules/members.ts'
import type { TransferMovement } from '../rules/movement.ts'
import { refusePayee } from '../rules/payee-check.ts'
import { isOfDraft, judgeSignature, type PaidDraft, signaturesNeeded } from '../rules/signatures.ts'
import { newId } from '../../domain/ids.ts'
import { bookTransfer } from './book.ts'
import type { BeneficiaryRow } from '../rows/transfers.ts'
import type { Before, Place, Planned } from './facts.ts'

export function planTransfer(movement: TransferMovement, place: Place, before: Before): Planned {
  const { beneficiaries, days } = before.facts
  const acting = findMember(movement, place, before)
  const beneficiary = withCooling(beneficiaries.get(movement.beneficiaryId ?? ''), acting)
  const { payee } = movement
  const signed = movement.draft && planSignature(movement, place, before)
  if (typeof signed === 'string') return { code: signed }
  // Last: a payer is asked to check, or to accept, what can be paid.
  const member = acting && limitsOf(acting, place, before)
  const code =
    decide(movement, {
      ...place,
      beneficiary,
      member,
      ...(signed && { signatures: signed.count }),
    }) ??
    (payee && refusePayee(payee, place.at))
  if (code === 'limit_exceeded') {
    return { code, limit: findLimit(movement, { ...place, member }, days) }
  }
  if (code !== undefined) return { code }
  return (id) => {
    const { accounts, events = [], ...booked } = bookTransfer(movement, place, id)
    const accepted = payee?.event ? [{ ...payee.event, target: id }] : []
    const [from, to] = accounts
    const spent = spentOn(from, place.day) + movement.amount
    const spentAmount = spent > maxBalance ? maxBalance : spent
    const memberSpent = member?.day && {
      memberSpent: [
        toSpendingName(from.id, movement.caller.userId, place.day),
        member.day.used + movement.amount,
      ] as const,
    }
    return {
      ...booked,
      ...memberSpent,
      accounts: [{ ...from, spentOn: place.day, spentAmount }, to],
      events: [...events, ...accepted],
      ...(signed && { draft: { ...signed.paid, transferId: id } }),
    }
  }
}

type Signed = { count: number; paid: Omit<PaidDraft, 'transferId'> }

/** The last signature of a draft, or why it is not. */
function planSignature(
  movement: TransferMovement,
  { from, at }: Place,
  { state }: Before,
): Signed | PlainCode {
  const { amount, caller } = movement
  const draft = state.drafts.get(movement.draft?.id ?? '')
  const needed = signaturesNeeded(from, amount, at)
  const judged = judgeSignature(draft, { signerId: caller.userId, needed, at })
  if (judged === 'waits') return 'signature_required'
  if (judged !== 'pays') return judged
  if (!draft || !isOfDraft(draft, movement)) return 'illegal_transition'
  // Signed since it was read: the batch keeps no end of that person's rights waiting.
  const { people = [] } = movement.draft ?? {}
  if (!draft.signedBy.every((id) => people.includes(id))) return 'illegal_transition'
  const { userId: signerId, sessionId, kid } = caller
  const signed = { id: draft.id, signerId, sessionId, kid, needed }
  const paid = { ...signed, mailId: newId(at), at: new Date(at) }
  return { count: draft.signedBy.length + 1, paid }
}

/** The member that makes the payment. */
const findMember = (
  { caller: { userId, memberFor } }: TransferMovement,
  { from }: Place,
  { facts: { members } }: Before,
): Member | undefined =>
  memberFor === undefined
    ? undefined
    : members.find((one) => one.accountId === from.id && one.personId === userId)

/** What it may let leave the account. */
const limitsOf = (
  { personId, perPayment, perDay }: Member,
  { from, day }: Place,
  { state: { memberSpent } }: Before,
): MemberLimits => {
  if (perDay === null) return { perPayment, day: undefined }
  // It was read for each member with such a limit.
  const used = memberSpent.get(toSpendingName(from.id, personId, day)) as bigint
  return { perPayment, day: { limit: perDay, used } }
}

/** A payee that was added since the owner, or the member, was recovered is not paid for a day. */
function withCooling(
  beneficiary: BeneficiaryRow | undefined,
  { coolingSince = null, coolsUntil = null }: Partial<Member> = {},
): BeneficiaryRow | undefined {
  const addedAt = beneficiary?.createdAt ?? null
  const isSince = coolingSince !== null && addedAt !== null && coolingSince <= addedAt
  if (!beneficiary || !isSince) return beneficiary
  const times = [beneficiary.coolsUntil, coolsUntil].filter((time) => time instanceof Date)
  return { ...beneficiary, coolsUntil: new Date(Math.max(...times.map(Number))) }
}

/**
 * The limit that refuses the transfer. It is told to the owner of the account: to a program with a
 * grant to pay from it, neither the limit nor what else was paid is told.
 */
function findLimit(
  movement: TransferMovement,
  place: Place & { member: MemberLimits | undefined },
  days: Before['facts']['days'],
): ExceededLimit | undefined {
  const { currency, caller } = movement
  const exceeded = findExceeded(movement, place)
  if (!exceeded || caller.operation !== undefined) return undefined
  return tellExceeded(exceeded, { currency, dayEnd: days.endOf(place.day) })
}

/** As it is told to one who may know it. */
export function tellExceeded(
  { name, ...exceeded }: Exceeded,
  { currency, dayEnd }: { currency: Currency; dayEnd: number },
): ExceededLimit {
  const amount = formatAmount(exceeded.limit, currency)
  const used = formatAmount(exceeded.used, currency)
  return {
    name,
    amount,
    used,
    currency,
    ...(name === 'dailyTransfers' && { resetsAt: rfc3339(dayEnd) }),
  }
}
