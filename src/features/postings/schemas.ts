// What the bank books, in requests.
import { type MoneyRequest, readTerms } from '../movements/terms.ts'
import { type Static, Type } from '../../domain/type.ts'
import { asRefusal, invalid, type Refusal, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount } from '../../domain/money.ts'
import { Amount, closed, Currency, named, oneOf, Reason } from '../../domain/schema.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import { isBankAccountId } from '../../ledger/rules/internal-accounts.ts'
import { type MovementOf, type PostingKind, postingKinds } from '../../ledger/rules/movement.ts'
import { BankCode } from '../bank-accounts/schemas.ts'
import type { BankAccounts } from '../bank-accounts/sql.ts'
import { ExternalId } from '../rail/schemas.ts'
import { itemOutcome, resultsOf } from '../movements/many.ts'
import { peopleBehind } from '../movements/movement-caller.ts'
import { parsePositiveAmount } from '../movements/schemas.ts'

/** Each side is one of the two: a customer's account, or the code of an account of the bank. */
const posting = {
  fromAccountId: Type.Optional(AccountId),
  fromCode: Type.Optional(BankCode),
  toAccountId: Type.Optional(AccountId),
  toCode: Type.Optional(BankCode),
  amount: Amount,
  currency: Currency,
  kind: oneOf(postingKinds),
  reason: Reason,
}

export const Posting = closed({ ...posting, externalId: Type.Optional(ExternalId) })
export type Posting = Static<typeof Posting>

/** One of many: there is no key for each. */
export const PostingItem = closed({ ...posting, externalId: ExternalId })
export type PostingItem = Static<typeof PostingItem>

export const PostingOutcomes = named('PostingOutcomes', {
  results: resultsOf(named('PostingOutcome', { externalId: ExternalId, ...itemOutcome })),
})

/**
 * What is wrong with the sides: each is named once, and one of them is the bank's. Refuses with 400
 * at `path`.
 */
function requireSides(
  { fromAccountId, fromCode, toAccountId, toCode }: Posting,
  path: string,
): void {
  const both = 'is beside an account identifier'
  if (fromAccountId !== undefined && fromCode !== undefined) invalid(`${path}/fromCode`, both)
  if (toAccountId !== undefined && toCode !== undefined) invalid(`${path}/toCode`, both)
  if ((fromAccountId ?? fromCode) === undefined) invalid(`${path}/fromCode`, 'is missing')
  if ((toAccountId ?? toCode) === undefined) invalid(`${path}/toCode`, 'is missing')
  if (fromCode === undefined && toCode === undefined) {
    invalid(`${path}/toAccountId`, 'is a customer’s account like the other side')
  }
  if (fromCode !== undefined && fromCode === toCode) {
    invalid(`${path}/toCode`, 'is the same account')
  }
}

/** The movement of a posting. Refuses with `invalid_request` or `not_found`. */
export function toPostingMovement(
  request: MoneyRequest<Posting>,
  accounts: BankAccounts,
  path = '/body',
): MovementOf<PostingKind> {
  const { body, caller } = request
  const named = [body.fromAccountId, body.toAccountId]
  // They are named by their codes alone.
  if (named.some((id) => id !== undefined && isBankAccountId(id))) refuse('not_found')
  requireSides(body, path)
  const { fromAccountId, fromCode, toAccountId, toCode, kind, currency, reason } = body
  return {
    ...readTerms(request, 'createPosting', {}, path).terms,
    kind,
    fromAccountId: findSide(accounts, currency, fromAccountId, fromCode),
    toAccountId: findSide(accounts, currency, toAccountId, toCode),
    reference: reason,
    notOf: peopleBehind(caller),
  }
}

const findSide = (
  accounts: BankAccounts,
  currency: string,
  accountId: string | undefined,
  code: string | undefined,
): string => accountId ?? accounts.get(`${code} ${currency}`) ?? refuse('not_found')

/** What is confirmed, and what a second person is shown. */
export const showPosting = ({ body }: { body: Posting }): ShownTerms => {
  const { fromAccountId, fromCode, toAccountId, toCode, amount, currency, kind } = body
  return {
    kind,
    amount,
    currency,
    ...(fromAccountId !== undefined && { fromAccountId }),
    ...(fromCode !== undefined && { from: fromCode }),
    ...(toAccountId !== undefined && { toAccountId }),
    ...(toCode !== undefined && { to: toCode }),
  }
}

const pathOf = (index: number): string => `/body/items/${index}`

/** Many: how many, and what they sum up to in each currency, such as `12.50 EUR, 300 JPY`. */
export function showPostings({ body }: { body: { items: PostingItem[] } }): ShownTerms {
  const sums = new Map<CurrencyCode, bigint>()
  for (const [index, item] of body.items.entries()) {
    const { currency } = item
    sums.set(currency, (sums.get(currency) ?? 0n) + parsePositiveAmount(item, pathOf(index)))
  }
  const total = [...sums].map(([currency, sum]) => `${formatAmount(sum, currency)} ${currency}`)
  return { count: String(body.items.length), total: total.join(', ') }
}

/**
 * The movements of many. What is wrong with the form of one refuses all, like a wrong field, before
 * any is booked; any other refusal is the outcome of its item.
 */
export const toPostingMovements = (
  items: readonly PostingItem[],
  context: Omit<MoneyRequest, 'body'>,
  accounts: BankAccounts,
): (MovementOf<PostingKind> | Refusal)[] =>
  items.map((body, index) => {
    try {
      return toPostingMovement({ ...context, body }, accounts, pathOf(index))
    } catch (thrown) {
      const refusal = asRefusal(thrown)
      if (refusal.code === 'invalid_request') throw refusal
      return refusal
    }
  })
