// Verification of payee (Regulation (EU) 2024/886, Article 5c): for accounts of this bank, and for
// those of other banks by the responder that the operator names.
import type { WrittenDetail } from '../../audit/actions.ts'
import { isValidIBAN } from 'ibantools'
import { type Static, Type } from '../../domain/type.ts'
import { ownBanks, payeeChecks } from '../../config/config.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { invalid } from '../../domain/errors.ts'
import { Iban, isOwnIban } from '../../domain/iban.ts'
import { AccountId, foreignKey, newId, PayeeCheckId } from '../../domain/ids.ts'
import { checkResults, compareNames } from '../../domain/payee-name.ts'
import { closed, Name, named, oneOf, Time } from '../../domain/schema.ts'
import type { Caller } from '../../gate/roles.ts'
import { type Context, route } from '../../http/route.ts'
import type { PayeeAnswer } from '../../http/services.ts'
import { payeeCheckLifetimeMs } from '../../ledger/rules/payee-check.ts'
import { addPayeeCheck, holderByIban } from './sql.ts'

const told = {
  result: oneOf(checkResults, {
    description: 'Not possible: no account here has that IBAN, or the other bank did not tell.',
  }),
  name: Type.Optional(
    Type.String({
      maxLength: 141,
      description: "The holder's name, with `close_match` only.",
      examples: ['Ada Okafor'],
    }),
  ),
}

const PayeeCheck = named('PayeeCheck', {
  id: PayeeCheckId,
  ...told,
  policy: oneOf(payeeChecks, {
    description: 'Off: nothing is compared. Required: a payment has to name a check.',
  }),
  expiresAt: Time,
})
const PayeeCheckAnswer = named('PayeeCheckAnswer', { id: PayeeCheckId, ...told })

type AskedPayee = { name: string; iban: string }
type Found = PayeeAnswer & { accountId?: string | undefined }

const notPossible: Found = { result: 'not_possible' }

/**
 * Compares the name with that of the holder of an account here. An IBAN without an account takes
 * the same statements and the same comparison: in three series of 2,000 interleaved pairs of
 * requests (median 2.5 ms) the medians were 0.003 to 0.03 ms apart, each kind the slower one in
 * half of the pairs. The test measures 60 pairs.
 */
async function compareHolder(tx: Db, { name, iban }: AskedPayee, caller: Caller): Promise<Found> {
  // A service account is no person.
  const inPlaceId = caller.service?.administrators[0] ?? caller.userId
  const holder = await holderByIban(tx, iban, inPlaceId)
  const holderName = `${holder?.givenName} ${holder?.familyName}`
  const result = compareNames(name, holderName)
  const accountId = holder?.accountId ?? undefined
  if (accountId === undefined) return notPossible
  return { accountId, result, ...(result === 'close_match' && { name: holderName }) }
}

/** What the trail keeps. The account by its identifier: an IBAN may name a person for ever. */
const toDetail = ({ result, accountId }: Found): string => {
  const written: WrittenDetail = result
  return accountId === undefined ? written : `${written} account ${accountId}`
}

/** Programs have no limits of a person; this is theirs. */
async function chargeProgram({ caller, chargeMore }: Pick<Context, 'caller' | 'chargeMore'>) {
  if (caller.service) await chargeMore(caller.userId, 'payeeAnswer')
}

const check = route({
  method: 'POST',
  path: '/api/v1/accounts/:accountId/payee-checks',
  operation: 'checkPayee',
  summary:
    "Compare a payee's name with that of the holder, here or at another bank. For 15 minutes a " +
    'payment, a payee or an order names the check.',
  access: { customer: 'own' },
  service: 'pay',
  member: 'pay',
  limit: 'payeeCheck',
  params: closed({ accountId: AccountId }),
  body: closed({ name: Name, iban: Iban }),
  reply: { 200: PayeeCheck },
  refusals: ['not_found'],
  example: { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' },
  async handle(context): Promise<Static<typeof PayeeCheck>> {
    const { params, body, caller, db, service, record } = context
    const { accountId } = params
    const { clock, config, payeeResponder } = service
    if (!isValidIBAN(body.iban)) invalid('/body/iban', 'is not an IBAN')
    await chargeProgram(context)
    const isOff = config.payeeCheck === 'off'
    const isHere = isOwnIban(ownBanks(config), body.iban)
    // Not inside a transaction: other banks take seconds.
    const elsewhere = isOff || isHere ? notPossible : await payeeResponder.ask(body)
    return transaction(db, async (tx) => {
      const found = isHere && !isOff ? await compareHolder(tx, body, caller) : elsewhere
      const now = clock.now()
      const { result, name: holderName } = found
      const asked = { accountId, callerId: caller.userId, ...body }
      const answer = { result, holderName: holderName ?? null, checkedAt: new Date(now) }
      const id = newId(now)
      await addPayeeCheck(tx, { id, ...asked, ...answer })
      await record(tx, { target: accountId, detail: toDetail(found) })
      const expiresAt = rfc3339(now + payeeCheckLifetimeMs)
      const name = holderName !== undefined && { name: holderName }
      return { id, result, ...name, policy: config.payeeCheck, expiresAt }
    })
  },
})

/** Counts what is no match, by caller and IBAN: a caller that guesses names guesses wrong. */
class NoMatch extends Error {}

const answer = route({
  method: 'POST',
  path: '/api/v1/admin/payee-checks',
  operation: 'answerPayeeCheck',
  summary:
    'Tell another bank whether a name is that of the holder of an account here. The audit event ' +
    'of the answer has `id` as its target.',
  access: { admin: 'any' },
  service: 'operation',
  limit: 'payeeAnswer',
  body: closed({
    name: Type.String({
      minLength: 1,
      maxLength: 140,
      description: 'Any text: another bank has other rules for names.',
      examples: ['Ada Okafor'],
      [foreignKey]: true,
    }),
    iban: Iban,
  }),
  reply: { 201: PayeeCheckAnswer },
  async handle(context) {
    const { body, caller, chargeMore, db, now, record, service } = context
    const { iban } = body
    if (!isValidIBAN(iban)) invalid('/body/iban', 'is not an IBAN')
    await chargeProgram(context)
    const { config } = service
    // Never passed on: two banks that ask each other would do so for ever.
    const isAnswered = config.payeeCheck !== 'off' && isOwnIban(ownBanks(config), iban)
    const guesses = await chargeMore({ name: `${caller.userId} ${iban}` }, 'payeeGuess')
    const id = newId(now)
    let found = notPossible
    const judging = guesses.judge(async () => {
      found = await transaction(db, async (tx) => {
        const compared = isAnswered ? await compareHolder(tx, body, caller) : notPossible
        await record(tx, { target: id, detail: toDetail(compared) })
        return compared
      })
      if (found.result !== 'match') throw new NoMatch()
    })
    await judging.catch((thrown: unknown) => {
      if (!(thrown instanceof NoMatch)) throw thrown
    })
    const { result, name } = found
    return { id, result, ...(name !== undefined && { name }) }
  },
})

export const payeeCheckRoutes = [check, answer]
