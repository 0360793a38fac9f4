// What a program with the client may write, and what does not compile. It is never run.
import {
  type Account,
  type ApiError,
  type BankError,
  type Code,
  createClient,
  isBankError,
  type Transaction,
  type Transfer,
} from '@strongroom/client'

const bank = createClient({ baseUrl: 'https://bank.example', token: 'srk_key' })

/** Compiles only for a value of exactly that type. */
const is = <T>(value: T, _proof: (value: T) => T): T => value

export async function values(accountId: string): Promise<void> {
  const account = await bank.accounts.get(accountId)
  is<Account>(account, (each) => each)
  is<'active' | 'frozen' | 'closed'>(account.status, (each) => each)
  is<string>(account.balance, (each) => each)
  for await (const entry of bank.accounts.transactions(accountId, { kind: 'deposit' })) {
    is<Transaction>(entry, (each) => each)
  }
  const file = await bank.accounts.statementFile(accountId, { format: 'pdf', from: '2026-01-01' })
  is<Uint8Array>(file.bytes, (each) => each)
  await bank.accounts.createPaymentList(accountId, file.bytes)
  // @ts-expect-error XML is sent as its bytes
  await bank.accounts.createPaymentList(accountId, '<Document/>')
  const body = { fromAccountId: accountId, toAccountId: accountId, amount: '1.00' }
  const options = { idempotencyKey: 'k', signal: new AbortController().signal }
  const transfer = await bank.transfers.create({ ...body, currency: 'EUR' }, options)
  is<Transfer>(transfer, (each) => each)
  is<void>(await bank.accounts.close(accountId), (each) => each)

  // @ts-expect-error a body needs its amount
  await bank.transfers.create({ fromAccountId: accountId, currency: 'EUR' })
  // @ts-expect-error an amount is a string
  await bank.transfers.create({ ...body, amount: 1, currency: 'EUR' })
  // @ts-expect-error no account has that currency
  await bank.transfers.create({ ...body, currency: 'XAU' })
  // @ts-expect-error a body has no other keys
  await bank.accounts.open({ currency: 'EUR', colour: 'red' })
  // @ts-expect-error only payments have a key
  await bank.accounts.open({ currency: 'EUR' }, { idempotencyKey: 'k' })
  // @ts-expect-error an identifier is missing
  await bank.accounts.get()
  // @ts-expect-error that kind of transaction is not known
  bank.accounts.transactions(accountId, { kind: 'gift' })
  // @ts-expect-error a list is read with for await, page() or toArray()
  void (await bank.accounts.list()).items
  // @ts-expect-error JSON is not a file
  await bank.accounts.statementFile(accountId, { format: 'json' })
  // @ts-expect-error there is no such operation
  await bank.accounts.rename(accountId)
  // @ts-expect-error a client needs its base URL
  createClient({ token: 'srk_key' })
}

export function errors(thrown: unknown): string {
  if (!isBankError(thrown)) return 'not of the bank'
  is<BankError>(thrown, (each) => each)
  // @ts-expect-error only some errors have a Retry-After
  void thrown.retryAfterSeconds.toFixed()
  switch (thrown.code) {
    case 'invalid_request':
      return thrown.details.map(({ path, message }) => `${path} ${message}`).join()
    case 'rate_limited':
    case 'unavailable':
      is<number>(thrown.retryAfterSeconds, (each) => each)
      return 'later'
    case 'insufficient_funds':
      is<ApiError<'insufficient_funds'>>(thrown, (each) => each)
      // @ts-expect-error only invalid_request has details
      thrown.details.map(String)
      return thrown.message
    case 'outcome_unknown':
      is<string | undefined>(thrown.idempotencyKey, (each) => each)
      return 'go on with the key'
    case 'approval_pending':
      is<string>(thrown.approvalId, (each) => each)
      return 'later'
    case 'not_reached':
      // @ts-expect-error nothing answered, so there is no status
      void thrown.status
      return 'away'
    // @ts-expect-error no error has that code
    case 'no_such_code':
      return ''
    default:
      is<Code>(thrown.code, (each) => each)
      return thrown.code
  }
}
