// Schemas of accounts, and the conversions of rows. A conversion returns exactly the fields of its
// schema, because `export-person` writes the result without a schema.
import { type Static, Type } from '../../domain/type.ts'
import type { Config } from '../../config/config.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { Bic, Iban } from '../../domain/iban.ts'
import { AccountId, UserId, uuidPattern } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { type MemberRight, memberRights } from '../../gate/members.ts'
import { areCreditsBlocked, areDebitsBlocked } from '../../ledger/rules/blocks.ts'
import { Phone } from '../../domain/phone.ts'
import {
  Amount,
  closed,
  Currency,
  FamilyName,
  GivenName,
  Name,
  named,
  nullable,
  oneOf,
  PostalAddress,
  Reason,
  SignedAmount,
  Time,
} from '../../domain/schema.ts'
import type { ShownFreeze } from './freeze-sql.ts'
import { ExternalId } from '../rail/schemas.ts'
import {
  type AccountRow,
  type DetailsRow,
  type NumberedRow,
  type ShownRow,
  statuses,
} from './sql.ts'

const account = {
  id: AccountId,
  ownerId: UserId,
  iban: Iban,
  currency: Currency,
  name: nullable(Name),
  status: oneOf(statuses),
  balance: SignedAmount,
  held: Amount,
  available: SignedAmount,
  overdrawnSince: {
    ...nullable(Time),
    description:
      'Since when a card clearing, or a lost chargeback, has left it below what is arranged: ' +
      '`available` is below zero by that. Null: it is not.',
  },
  blocked: closed(
    { debits: Type.Boolean(), credits: Type.Boolean() },
    { description: 'What a block stops: what leaves the account, what arrives on it.' },
  ),
  createdAt: Time,
}

export const MemberRights = oneOf(memberRights, {
  title: 'MemberRights',
  description:
    'View: read the account. Prepare: also prepare payments that another person sends. Pay: also ' +
    'pay.',
  examples: ['pay'],
})

export const Account = named('Account', {
  ...account,
  membership: Type.Optional(
    closed(
      {
        ownerName: Type.String({ maxLength: 141, examples: ['Ada Okafor'] }),
        rights: MemberRights,
      },
      { description: 'Whose account it is, and what you may do. Absent: it is your own.' },
    ),
  ),
})

/** For staff, and for the caller that has numbered it. */
export const NumberedAccount = named('NumberedAccount', {
  ...account,
  externalId: Type.Optional(ExternalId),
})

export const toNumberedAccount = (
  { externalId, ...row }: NumberedRow,
  now: number,
): Static<typeof NumberedAccount> => ({
  ...toAccount(row, now),
  ...(externalId !== null && { externalId }),
})

/** An account in the list of a person who may act on those of others. */
export const toActedAccount = (
  { ownerName, rights, ...row }: ShownRow & { ownerName: string | null; rights: string | null },
  now: number,
): Static<typeof Account> => ({
  ...toAccount(row, now),
  ...(ownerName !== null && { membership: { ownerName, rights: rights as MemberRight } }),
})

/** @param now when it is shown, in milliseconds since the epoch: blocks end by themselves */
export function toAccount(row: ShownRow, now: number): Static<typeof Account> {
  const { id, ownerId, iban, name, balance } = row
  const currency = row.currency
  const blocked = { debits: areDebitsBlocked(row, now), credits: areCreditsBlocked(row, now) }
  // What could leave the account now.
  const isOpen = row.status === 'active' && !blocked.debits
  const free = balance + row.overdraftLimit - row.held
  const available = isOpen || free < 0n ? free : 0n
  return {
    id,
    ownerId,
    iban,
    currency,
    name,
    status: row.status,
    balance: formatAmount(balance, currency),
    held: formatAmount(row.held, currency),
    available: formatAmount(available, currency),
    overdrawnSince: row.unarrangedSince && rfc3339(row.unarrangedSince.getTime()),
    blocked,
    createdAt: rfc3339(row.createdAt.getTime()),
  }
}

export const Details = named('AccountDetails', {
  ...account,
  registeredPhone: nullable(Phone),
  bank: closed({ name: Name, bic: nullable(Bic) }),
  holder: closed({
    userId: UserId,
    givenName: GivenName,
    familyName: FamilyName,
    email: Type.String({ maxLength: 254, examples: ['ada@example.com'] }),
    phone: nullable(Phone),
    address: nullable(PostalAddress),
  }),
})

export function toDetails(
  row: DetailsRow,
  { bankName, bic }: Pick<Config, 'bankName' | 'bic'>,
  now: number,
): Static<typeof Details> {
  const { ownerId: userId, registeredPhone, givenName, familyName, email, phone, address } = row
  const holder = { userId, givenName, familyName, email, phone, address }
  return {
    ...toAccount(row, now),
    registeredPhone,
    bank: { name: bankName, bic: bic ?? null },
    holder,
  }
}

/** Who froze something, for staff. */
export const Actor = closed({
  id: Type.String({
    pattern: uuidPattern,
    minLength: 36,
    maxLength: 36,
    description: 'A person, or a service account.',
    examples: ['01890a5d-ac96-774b-bcce-b302099a8057'],
  }),
  name: nullable(Type.String({ maxLength: 141, examples: ['Robin Ortiz'] })),
})

export const Freeze = named('AccountFreeze', {
  frozen: Type.Boolean(),
  since: nullable(Time),
  by: Type.Optional(nullable(Actor)),
  reason: Type.Optional(nullable(Reason)),
})

/**
 * The owner is told no reason, staff or not: it may be one that the law forbids to tell (Directive
 * (EU) 2015/849, Article 39).
 */
export function toFreeze(row: ShownFreeze | undefined, isTold: boolean): Static<typeof Freeze> {
  const {
    at,
    actorId: id,
    name,
    reason,
  } = row ?? { at: null, actorId: null, name: null, reason: null }
  const since = at && rfc3339(at.getTime())
  const told = isTold && { by: id === null ? null : { id, name }, reason }
  return { frozen: row !== undefined, since, ...told }
}

export const Settings = named('AccountSettings', {
  currency: Currency,
  registeredPhone: nullable(Phone),
  dailyTransferLimit: nullable(Amount),
  overdraftLimit: Amount,
  alertsEnabled: Type.Boolean({
    description:
      'Whether its holder is mailed about payments from it, to it and with its cards, as far as ' +
      'the holder wants that (`GET /api/v1/me/notices`).',
  }),
})

export function toSettings(row: AccountRow): Static<typeof Settings> {
  const { registeredPhone, dailyTransferLimit: daily, overdraftLimit, alertsEnabled } = row
  const currency = row.currency
  return {
    currency,
    registeredPhone,
    dailyTransferLimit: daily === null ? null : formatAmount(daily, currency),
    overdraftLimit: formatAmount(overdraftLimit, currency),
    alertsEnabled,
  }
}
