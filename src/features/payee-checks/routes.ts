// Verification of payee (Regulation (EU) 2024/886, Article 5c), for accounts of this bank.
import type { WrittenDetail } from '../../audit/actions.ts'
import { isValidIBAN } from 'ibantools'
import { Type } from 'typebox'
import { transaction } from '../../database/connections/transaction.ts'
import { invalid } from '../../domain/errors.ts'
import { Iban } from '../../domain/iban.ts'
import { AccountId } from '../../domain/ids.ts'
import { compareNames, nameResults } from '../../domain/payee-name.ts'
import { closed, Name, named, oneOf } from '../../domain/schema.ts'
import { route } from '../../http/route.ts'
import { holderByIban } from './sql.ts'

const results = [...nameResults, 'not_possible'] as const

const PayeeCheck = named('PayeeCheck', {
  result: oneOf(results, { description: 'Not possible: no account of this bank has that IBAN.' }),
  name: Type.Optional(
    Type.String({
      maxLength: 141,
      description: "The holder's name, with `close_match` only.",
      examples: ['Ada Okafor'],
    }),
  ),
})

const check = route({
  method: 'POST',
  path: '/api/v1/accounts/:accountId/payee-checks',
  operation: 'checkPayee',
  summary: "Compare a payee's name with that of the holder, if the account is of this bank.",
  access: { customer: 'own' },
  limit: 'payeeCheck',
  params: closed({ accountId: AccountId }),
  body: closed({ name: Name, iban: Iban }),
  reply: { 200: PayeeCheck },
  refusals: ['not_found'],
  example: { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' },
  async handle({ params, body: { name, iban }, caller, db, service, record }) {
    if (!isValidIBAN(iban)) invalid('/body/iban', 'is not an IBAN')
    const result = 'not_possible' as const
    if (service.config.payeeCheck === 'off') return { result }
    return transaction(db, async (tx) => {
      const holder = await holderByIban(tx, iban, caller.userId)
      const holderName = `${holder?.givenName} ${holder?.familyName}`
      const compared = compareNames(name, holderName)
      const accountId = holder?.accountId ?? null
      const answer =
        accountId === null
          ? { result }
          : { result: compared, ...(compared === 'close_match' && { name: holderName }) }
      // The account by its identifier: the IBAN that was asked for may name a person for ever.
      const about = accountId === null ? '' : ` account ${accountId}`
      await record(tx, {
        target: params.accountId,
        detail: `${answer.result satisfies WrittenDetail}${about}`,
      })
      return answer
    })
  },
})

export const payeeCheckRoutes = [check]
