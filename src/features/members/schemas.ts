// Members and memberships in requests and responses: what the owner sees of one, and what its
// person does.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { AnyTime } from '../../domain/date-range.ts'
import { AccountId, MemberId, MembershipId, UserId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { Amount, closed, Currency, named, nullable, oneOf, Time } from '../../domain/schema.ts'
import { enders, isOver, type Member as Present } from '../../gate/members.ts'
import { MemberRights } from '../accounts/schemas.ts'
import type { MemberRow } from './sql.ts'

const personName = nullable(Type.String({ maxLength: 141, examples: ['Ben Lindqvist'] }))

const granted = {
  rights: MemberRights,
  currency: Currency,
  perPayment: nullable(Amount),
  perDay: nullable(Amount),
  until: nullable(Time),
}

const statuses = ['invited', 'active', 'inactive', 'ended'] as const
const dates = {
  status: oneOf(statuses, {
    description:
      'Invited: not accepted yet. Active: may act now. Inactive: the bank lets the person or the ' +
      'owner do nothing at the moment. Ended: for good.',
    examples: ['active'],
  }),
  invitedAt: Time,
  expiresAt: Time,
  acceptedAt: nullable(Time),
  endedAt: nullable(Time),
  endedBy: {
    ...nullable(oneOf(enders)),
    description:
      'Time: `until` has come, or the invitation was not accepted in time. Revocation: the ' +
      'session or signing key by which the invitation was sent, or changed last, was revoked.',
  },
}

export const Member = named('Member', {
  id: MemberId,
  accountId: AccountId,
  username: {
    ...nullable(Type.String({ maxLength: 32, examples: ['ben'] })),
    description: 'As it was invited, whether or not a customer has it. Null: erased.',
  },
  personId: { ...nullable(UserId), description: 'Null before it is accepted.' },
  name: { ...personName, description: 'Null before it is accepted, and once it is erased.' },
  ...granted,
  ...dates,
})

export const Membership = named('Membership', {
  id: MembershipId,
  accountId: {
    ...nullable(AccountId),
    description: 'Null before the invitation is accepted.',
  },
  iban: {
    ...nullable(Type.String({ maxLength: 34, examples: ['IE29AIBK93115212345678'] })),
    description: 'Null before the invitation is accepted.',
  },
  ownerName: Type.String({ maxLength: 141, examples: ['Ada Okafor'] }),
  ...granted,
  ...dates,
})

const limits = {
  currency: Type.Optional(Currency),
  perPayment: Type.Optional(nullable(Amount)),
  perDay: Type.Optional(nullable(Amount)),
  until: Type.Optional(nullable(AnyTime)),
}
export const NewMember = closed({
  username: Type.String({ minLength: 1, maxLength: 64, examples: ['ben'] }),
  rights: MemberRights,
  ...limits,
})
export const MemberChange = closed({ rights: Type.Optional(MemberRights), ...limits })
export type WantedLimits = Pick<Static<typeof MemberChange>, keyof typeof limits>

const time = (at: Date | null): string | null => at && rfc3339(at.getTime())

/** When it was over, and by what; undefined: it is not. */
function endOf(
  row: MemberRow,
  at: number,
): { endedAt: Date; endedBy: (typeof enders)[number] } | undefined {
  const { endedAt, endedBy, expiresAt, acceptedAt, until } = row
  if (endedAt !== null && endedBy !== null) return { endedAt, endedBy }
  const isLapsed = acceptedAt === null && isOver(expiresAt, at)
  const ends = [isLapsed ? expiresAt : undefined, isOver(until, at) ? until : undefined]
  const first = ends
    .filter((end) => end instanceof Date)
    .toSorted((one, other) => one.getTime() - other.getTime())[0]
  return first && { endedAt: first, endedBy: 'time' }
}

/** Whether the person may act is what the guard says. */
function statusOf(
  row: MemberRow,
  { at, present }: { at: number; present: readonly Present[] },
): (typeof statuses)[number] {
  if (endOf(row, at)) return 'ended'
  if (row.acceptedAt === null) return 'invited'
  return present.some(({ membershipId }) => membershipId === row.id) ? 'active' : 'inactive'
}

export type ShownAt = { at: number; present: readonly Present[] }

function toCommon(row: MemberRow, shown: ShownAt) {
  const { currency, perPayment, perDay } = row
  const end = endOf(row, shown.at)
  return {
    rights: row.rights,
    currency,
    perPayment: perPayment === null ? null : formatAmount(perPayment, currency),
    perDay: perDay === null ? null : formatAmount(perDay, currency),
    until: time(row.until),
    status: statusOf(row, shown),
    invitedAt: rfc3339(row.invitedAt.getTime()),
    expiresAt: rfc3339(row.expiresAt.getTime()),
    acceptedAt: time(row.acceptedAt),
    endedAt: time(end?.endedAt ?? null),
    endedBy: end?.endedBy ?? null,
  }
}

/** For the owner, and for staff. */
export const toMember = (row: MemberRow, shown: ShownAt): Static<typeof Member> => ({
  id: row.id,
  accountId: row.accountId,
  username: row.username === '' ? null : row.username,
  personId: row.acceptedAt === null ? null : row.personId,
  name: row.memberName,
  ...toCommon(row, shown),
})

/** For the person. A name may have been mistyped: before it accepts, it learns no number. */
export const toMembership = (row: MemberRow, shown: ShownAt): Static<typeof Membership> => ({
  id: row.id,
  accountId: row.acceptedAt === null ? null : row.accountId,
  iban: row.acceptedAt === null ? null : row.iban,
  ownerName: row.ownerName,
  ...toCommon(row, shown),
})
