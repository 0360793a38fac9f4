// Schemas of beneficiaries, and the conversion of rows.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { Iban } from '../../domain/iban.ts'
import { AccountId, BeneficiaryId } from '../../domain/ids.ts'
import { closed, Name, named, Nickname, nullable, oneOf, Time } from '../../domain/schema.ts'
import { carriedFields, CheckedPayee, toCheckedPayee } from '../payee-checks/carried.ts'
import { type BeneficiaryRow, statuses } from './sql.ts'

export const Beneficiary = named('Beneficiary', {
  id: BeneficiaryId,
  accountId: AccountId,
  name: Name,
  iban: Iban,
  nickname: nullable(Nickname),
  status: oneOf(statuses, { description: 'Deactivated: cannot be paid until reactivated.' }),
  trusted: Type.Optional(
    Type.Boolean({
      description: 'True if payments to it need no confirmation; absent otherwise.',
    }),
  ),
  payeeCheck: Type.Optional(CheckedPayee),
  createdAt: Time,
})

export const NewBeneficiary = closed({
  name: Name,
  iban: Iban,
  nickname: Type.Optional(nullable(Nickname)),
  trusted: Type.Optional(Type.Boolean()),
  ...carriedFields,
})

export const toBeneficiary = ({
  trusted,
  payeeResult,
  payeeAccepted,
  ...row
}: BeneficiaryRow): Static<typeof Beneficiary> => ({
  ...row,
  ...toCheckedPayee({ payeeResult, payeeAccepted }),
  status: row.status,
  ...(trusted && { trusted }),
  createdAt: rfc3339(row.createdAt.getTime()),
})
