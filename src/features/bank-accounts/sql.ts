// Statements of the bank's own accounts.
import { insertInto } from '../../database/statements/rows.ts'
import { violates } from '../../database/connections/failure.ts'
import {
  currencyText,
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import type { Currency } from '../../domain/money.ts'
import { bankAccount, furtherAccount, furtherMax } from '../../ledger/rules/internal-accounts.ts'

const columns = {
  id: 'uuid',
  code: 'text',
  currency: currencyText,
  name: 'text',
  balance: 'int8',
  lastSeq: 'int8',
  markCount: 'int8',
  createdAt: 'timestamptz',
} as const
export type BankAccountRow = RowOf<typeof columns>

const list = statement(
  'bank_accounts_list',
  ['uuid?', 'text?', 'int4'],
  columns,
  sql`select ${select(columns)} from accounts
   where code is not null and ($1::uuid is null or id > $1) and ($2::text is null or currency = $2)
   order by id limit $3::int4`,
)
/** A page, in the order of their identifiers: those of every currency first, account by account. */
export const bankAccounts = (
  db: Db,
  currency: string | undefined,
  after: string | undefined,
  count: number,
) => db.run(list, [after ?? null, currency ?? null, count])

const read = statement(
  'bank_accounts_read',
  ['text', 'text'],
  columns,
  sql`select ${select(columns)} from accounts where code = $1 and currency = $2`,
)
/** Refuses with `not_found`. */
export const findBankAccount = async (
  db: Db,
  { code, currency }: { code: string; currency: string },
): Promise<BankAccountRow> => (await one(db, read, [code, currency])) ?? refuse('not_found')

const lock = statement(
  'bank_accounts_lock',
  ['uuid'],
  'select from accounts where id = $1 for no key update',
)
const countFurther = statement(
  'bank_accounts_count_further',
  [],
  { count: 'int4' },
  `select count(*)::int4 as count from accounts where code is not null and kind = 'further'`,
)
const made = {
  id: 'uuid',
  code: 'text',
  currency: currencyText,
  name: 'text',
  createdAt: 'timestamptz',
} as const
const add = insertInto('bank_accounts_add', 'accounts', made, {
  gives: columns,
  as: { kind: "'further'" },
})

/** Other lines of each currency in the trial balance and in the file of a day have these names. */
const reservedCodes: ReadonlySet<string> = new Set(['customers', 'total'])

/**
 * Adds an account of the bank. Refuses with `already_exists` a code that the currency or its trial
 * balance has, and with `limit_exceeded` when there are {@link furtherMax} further ones.
 */
export async function addBankAccount(
  tx: Db,
  { code, currency, name, now }: { code: string; currency: Currency; name: string; now: number },
): Promise<BankAccountRow> {
  if (reservedCodes.has(code)) refuse('already_exists')
  // One at a time: the next one is counted by what this one left.
  await tx.run(lock, [bankAccount('opening', 'EUR')])
  const [counted] = await tx.run(countFurther, [])
  const number = counted?.count ?? furtherMax
  if (number >= furtherMax) refuse('limit_exceeded')
  try {
    const id = furtherAccount(number, currency)
    const added = await add(tx, { id, code, currency, name, createdAt: new Date(now) })
    return added as BankAccountRow
  } catch (thrown) {
    if (violates(thrown, 'accounts_of_bank')) refuse('already_exists', { because: thrown })
    throw thrown
  }
}

const listIds = statement(
  'bank_accounts_list_ids',
  [],
  { id: 'uuid', code: 'text', currency: currencyText },
  'select id, code, currency from accounts where code is not null',
)
/** The identifiers of the bank's accounts, by code and currency with a space between. */
export type BankAccounts = ReadonlyMap<string, string>

/** All of them: at most {@link furtherMax} more than the currencies have. */
export const bankAccountIds = async (db: Db): Promise<BankAccounts> =>
  new Map((await db.run(listIds, [])).map((row) => [`${row.code} ${row.currency}`, row.id]))
