// Payments that arrive from other banks.
import { readTerms } from '../movements/terms.ts'
import { type Static, Type } from '../../domain/type.ts'
import { isValidIBAN } from 'ibantools'
import { type Db, one, statement } from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import type { BankCode } from '../../domain/bban.ts'
import { ownBanks } from '../../config/config.ts'
import { exampleIban, Iban, isBic, isOwnIban } from '../../domain/iban.ts'
import { asItCame, fromRail } from '../../domain/rail-text.ts'
import { Amount, closed, Currency, named, oneOf } from '../../domain/schema.ts'
import { route } from '../../http/route.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'
import type { Counterparty, TransferDetails } from '../../ledger/rules/movement.ts'
import { noteRefusal } from '../movements/refusals.ts'
import { addDetails } from '../movements/details.ts'
import { Transfer } from '../movements/schemas.ts'
import { peopleBehind } from '../movements/movement-caller.ts'
import { toAnswer } from '../movements/answer.ts'
import { ExternalId, railText } from './schemas.ts'

const textMax = 140
/** The length of an ISO 20022 EndToEndId. */
const endToEndMax = 35
/** What ISO 20022 messages say where a name or reference is missing. */
const notProvided = 'NOTPROVIDED'

const Debtor = named('Debtor', {
  name: railText('DebtorName', 'Okafor household', textMax),
  iban: Type.Optional(railText('DebtorIban', exampleIban, 34)),
  bic: Type.Optional(railText('DebtorBic', 'MARKDEFFXXX', 11)),
})

const Body = closed({
  iban: Iban,
  amount: Amount,
  currency: Currency,
  externalId: ExternalId,
  debtor: Debtor,
  reference: Type.Optional(railText('RailReference', 'Invoice 4711', textMax)),
  endToEndId: Type.Optional(railText('EndToEndId', 'INV-4711', endToEndMax)),
  onRefusal: Type.Optional(
    oneOf(['suspense'], {
      description:
        'Where the money lies when it cannot be credited to an IBAN of this bank. Without it the ' +
        'payment is refused.',
    }),
  ),
})

const findByIban = statement(
  'rail_find_by_iban',
  ['text'],
  { id: 'uuid' },
  `select id from accounts where iban = $1 and kind = 'customer'`,
)

/**
 * The account in any state; what lies in suspense for want of one, only of an IBAN of this bank.
 * Undefined otherwise.
 */
async function findAccount(
  db: Db,
  iban: string,
  suspenseId: string | undefined,
  banks: readonly BankCode[],
): Promise<string | undefined> {
  const found = await one(db, findByIban, [iban])
  return found?.id ?? (isOwnIban(banks, iban) ? suspenseId : undefined)
}

/** What another bank sends of a payment, by the names of its details. */
type RailText = 'name' | 'iban' | 'bic' | 'reference' | 'endToEndId'
/** One of them as it came, or the IBAN that the money was for. */
type Original = [name: RailText | 'creditorIban', text: string]

type RailTexts = {
  reference: string
  counterparty: Counterparty
  details: TransferDetails
  suspenseDetails: TransferDetails
}

/** An account number that is no IBAN, and a code that is no BIC, are kept and not shown. */
function onlyIf(text: string, isRight: (text: string) => boolean): string | null {
  const compact = text.replace(/\s/g, '').toUpperCase()
  return isRight(compact) ? compact : null
}

/**
 * The texts as they are shown, and in the details as they came if they were changed for that. If
 * the money lies in suspense, with the IBAN that it was for: it is to be moved on from there.
 */
function toTexts(body: Static<typeof Body>): RailTexts {
  const { debtor, reference = '', endToEndId = '' } = body
  const { name, iban = '', bic = '' } = debtor
  const came: Record<RailText, string> = { name, iban, bic, reference, endToEndId }
  const names = Object.keys(came) as RailText[]
  const shown = {
    name: fromRail(name, textMax) || notProvided,
    iban: onlyIf(iban, isValidIBAN),
    bic: onlyIf(bic, isBic),
    reference: fromRail(reference, textMax),
    endToEndId: fromRail(endToEndId, endToEndMax),
  } satisfies Record<RailText, string | null>
  const kept = names.flatMap((name): Original[] => {
    const text = asItCame(came[name])
    return text === '' || text === shown[name] ? [] : [[name, text]]
  })
  const toDetails = (originals: readonly Original[]): TransferDetails => ({
    endToEndId: shown.endToEndId || null,
    bic: shown.bic,
    reasonCode: null,
    original: originals.length > 0 ? JSON.stringify(Object.fromEntries(originals)) : null,
  })
  return {
    reference: shown.reference,
    counterparty: { name: shown.name, iban: shown.iban },
    details: toDetails(kept),
    suspenseDetails: toDetails([...kept, ['creditorIban', body.iban]]),
  }
}

export const createIncomingPayment = route({
  method: 'POST',
  path: '/api/v1/admin/incoming-payments',
  operation: 'createIncomingPayment',
  summary:
    'Credit an account with a payment that came from another bank. A refusal tells a rail to ' +
    'send the money back: 404 no such account here, 409 closed, of another currency, or a block ' +
    'stops it. A frozen ' +
    'account is credited: no money leaves it. With `onRefusal` the bank keeps the money in its ' +
    'suspense account, also that for an account of the people behind the caller.',
  access: { admin: 'any' },
  service: 'operation',
  confirm: ({ body: { iban, amount, currency, debtor } }) => ({
    iban,
    amount,
    currency,
    payer: fromRail(debtor.name, textMax) || notProvided,
  }),
  limit: 'transfer',
  body: Body,
  reply: { 201: Transfer },
  refusals: [
    'account_closed',
    'credits_blocked',
    'currency_mismatch',
    'idempotency_key_reused',
    'limit_exceeded',
    'not_found',
    'outcome_unknown',
    'unavailable',
  ],
  example: {
    iban: 'DE69007700770000000000',
    amount: '250.00',
    currency: 'EUR',
    externalId: '2026-01-31-000017',
    debtor: { name: 'Okafor household', iban: exampleIban, bic: 'MARKDEFFXXX' },
    reference: 'Invoice 4711',
    endToEndId: 'INV-4711',
  },
  async handle(context) {
    const { body, caller, db, service } = context
    const { iban, currency, onRefusal } = body
    const compared = { onRefusal: onRefusal ?? null }
    const { terms, isKnown } = readTerms(context, 'createIncomingPayment', compared)
    const suspense = bankAccount('suspense', currency)
    const suspenseId = onRefusal && suspense
    const found = await findAccount(db, iban, suspenseId, ownBanks(service.config))
    // One that was taken is answered as it was, whichever numbers the bank has by now.
    const toAccountId = found ?? ((await isKnown()) ? suspense : refuse('not_found'))
    const texts = toTexts(body)
    const ordered = service.ledger.submit({
      ...terms,
      kind: 'incoming',
      fromAccountId: bankAccount('clearing', currency),
      toAccountId,
      ...(suspenseId !== undefined && { suspenseId }),
      ...texts,
      notOf: peopleBehind(caller),
    })
    const posted = await ordered.catch((thrown: unknown) => {
      const cameFrom = { iban: texts.counterparty.iban }
      noteRefusal(context, thrown, { ...body, accountId: toAccountId, cameFrom })
      throw thrown
    })
    const [transfer = posted.transfer] = await addDetails(db, [posted.transfer])
    return toAnswer({ ...posted, transfer }, 'staff', service)
  },
})
