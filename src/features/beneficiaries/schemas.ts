// Schemas of beneficiaries, and the conversion of rows.
import { type Static, Type } from 'typebox'
import { rfc3339 } from '../../domain/clock.ts'
import { Iban } from '../../domain/iban.ts'
import { AccountId, BeneficiaryId } from '../../domain/ids.ts'
import { closed, Name, named, nullable, oneOf, Time } from '../../domain/schema.ts'
import type { BeneficiaryRow } from './sql.ts'

export const statuses = ['active', 'deactivated'] as const
export type Status = (typeof statuses)[number]

export const Beneficiary = named('Beneficiary', {
  id: BeneficiaryId,
  accountId: AccountId,
  name: Name,
  iban: Iban,
  nickname: nullable(Name),
  status: oneOf(statuses, { description: 'Deactivated: cannot be paid until reactivated.' }),
  createdAt: Time,
})

export const NewBeneficiary = closed({
  name: Name,
  iban: Iban,
  nickname: Type.Optional(nullable(Name)),
})

export const toBeneficiary = (row: BeneficiaryRow): Static<typeof Beneficiary> => ({
  ...row,
  status: row.status as Status,
  createdAt: rfc3339(row.createdAt.getTime()),
})
