// `strongroom client transfer`: moves money, and compares the payee's name where the bank asks for
// that.
import { type Bank, type Currency, isBankError, money, type Transfer } from '../src/index.ts'
import { type Common, connectAgain, findAccount, show, showJson } from './actions.ts'
import { UsageError } from './exit.ts'

export type TransferOptions = Common & {
  from: string
  to?: string
  beneficiary?: string
  amount: string
  currency?: string
  reference?: string
  key?: string
  payeeCheck?: string
  acceptPayee?: boolean
}

export async function transfer(options: TransferOptions): Promise<void> {
  const { to, beneficiary: beneficiaryId, amount, reference, key, signal } = options
  if ((to === undefined) === (beneficiaryId === undefined)) {
    throw new UsageError('Give either --to or --beneficiary.')
  }
  const bank = await connectAgain(options)
  const fromAccountId = await findAccount(bank, options.from, options)
  const currency = (options.currency?.toUpperCase() ??
    (await bank.accounts.get(fromAccountId, { signal })).currency) as Currency
  const body = {
    fromAccountId,
    ...(to === undefined
      ? { beneficiaryId }
      : { toAccountId: await findAccount(bank, to, options) }),
    amount: toAmount(amount, currency),
    currency,
    ...(reference !== undefined && { reference }),
  }
  const send = (payeeCheckId: string | undefined): Promise<Transfer> => {
    const carried = payeeCheckId !== undefined && {
      payeeCheckId,
      ...(options.acceptPayee && { acceptPayee: true }),
    }
    return bank.transfers.create({ ...body, ...carried }, { signal, idempotencyKey: key })
  }
  const made = await send(options.payeeCheck).catch(async (thrown: unknown) => {
    const isToCheck = isBankError(thrown) && thrown.code === 'payee_check_required'
    if (!isToCheck || beneficiaryId === undefined) throw thrown
    // Nothing was paid, and the key is free.
    return send(await checkPayee(bank, { fromAccountId, beneficiaryId }, options))
  })
  if (options.json) return showJson(made)
  show(`${made.amount} ${made.currency} ${made.status}: transfer ${made.id}\n`)
}

const results = {
  match: () => 'The name of the payee matches.',
  close_match: (name) => `The account of the payee is that of ${name}.`,
  no_match: () => 'The name of the payee does not match.',
  not_possible: () => 'The name of the payee could not be compared.',
} as const satisfies Record<string, (name: string) => string>

/** Tells the result, and gives the identifier of the check. */
async function checkPayee(
  bank: Bank,
  { fromAccountId, beneficiaryId }: { fromAccountId: string; beneficiaryId: string },
  { signal, json: isJson }: Common,
): Promise<string> {
  const { name, iban } = await bank.beneficiaries.get(beneficiaryId, { signal })
  const check = await bank.accounts.checkPayee(fromAccountId, { name, iban }, { signal })
  const told = results[check.result](check.name ?? '')
  // The request of a key stays the same: a repeat names the same check.
  const repeat = `A repeat of this transfer takes --payee-check ${check.id}`
  if (!isJson) process.stderr.write(`${told}\n${repeat}\n`)
  return check.id
}

/** With all minor digits, so that a repeat with the same key is the same request. */
function toAmount(text: string, currency: Currency): string {
  try {
    return money.format(money.parse(text, currency), currency)
  } catch {
    throw new UsageError(`${text} is not an amount of ${currency}.`)
  }
}
