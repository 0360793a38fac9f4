// What is wrong with the lines of a folder beside each other and beside the bank. Each fault names
// its file and line, and tells no value.
import type pg from 'pg'
import { type Fragment, fragment, sql } from '../../database/statements/statement.ts'
import { openAccountsPerCustomerMax } from '../../features/accounts/lifecycle.ts'
import { blocksMax } from '../../features/blocks/routes.ts'
import { ordersMax } from '../../features/orders/sql.ts'
import { type LineFile, lineFiles } from './format.ts'
import { quotedKind, stagedTables } from './tables.ts'

export type Fault = { file: LineFile; line: number; wrong: string }

/** Gives the number and what is wrong of each line that is. */
type Check = { file: LineFile; text: string; values?: readonly unknown[] }

const { people, accounts, blocks, balances, beneficiaries, orders } = stagedTables

/** Lines with a value that an earlier line has, too. */
const repeated = (file: LineFile, member: Fragment, column: Fragment): Check => ({
  file,
  text: sql`select s.line, '${member} is that of line ' || f.line as wrong
   from ${stagedTables[file]} s
   join (select ${column}, min(line) as line from ${stagedTables[file]}
     group by ${column} having count(1) > 1) f using (${column})
   where s.line > f.line`,
})

const found = (file: LineFile, text: string, values?: readonly unknown[]): Check => ({
  file,
  text,
  ...(values && { values }),
})

const changed = (file: LineFile): Check =>
  found(
    file,
    sql`select s.line, 'sourceId is known, and the line has changed since' as wrong
   from ${stagedTables[file]} s
   join imported i on i.kind = ${quotedKind(file)} and i.source_id = s.source_id
   where i.line_hash <> s.hash`,
  )

/** The line names something that is not in the folder, or that was there before it. */
const unnamed = (file: LineFile, of: Fragment, member: Fragment, column: Fragment): Check =>
  found(
    file,
    sql`select s.line, case when o.source_id is null then '${member} is in no line'
     else '${member} was imported before, and is not added to' end as wrong
   from ${stagedTables[file]} s left join ${of} o on o.source_id = s.${column}
   where s.${column} is not null and (o.source_id is null or (o.is_known and not s.is_known))`,
  )

const isClosed = (file: LineFile): Check =>
  found(
    file,
    sql`select s.line, 'account is closed' as wrong from ${stagedTables[file]} s
   join ${accounts} a on a.source_id = s.account where a.status = 'closed'`,
  )

const otherCurrency = (file: LineFile): Check =>
  found(
    file,
    sql`select s.line, 'currency is not that of the account' as wrong
   from ${stagedTables[file]} s join ${accounts} a on a.source_id = s.account
   where a.currency <> s.currency`,
  )

const checks: readonly Check[] = [
  ...lineFiles
    .filter((file) => file !== 'balances')
    .map((file) => repeated(file, fragment`sourceId`, fragment`source_id`)),
  repeated('balances', fragment`account`, fragment`source_id`),
  ...lineFiles.map(changed),
  repeated('people', fragment`username`, fragment`username`),
  repeated('people', fragment`email`, fragment`email`),
  repeated('accounts', fragment`iban`, fragment`iban`),
  repeated('beneficiaries', fragment`iban`, fragment`account, iban`),
  found(
    'people',
    sql`select s.line, 'username is taken in the bank' as wrong
   from ${people} s join users u on u.username = s.username where not s.is_known`,
  ),
  found(
    'people',
    sql`select s.line, 'email is taken in the bank' as wrong
   from ${people} s join users u on u.email = s.email where not s.is_known`,
  ),
  found(
    'accounts',
    sql`select s.line, 'iban is taken in the bank' as wrong
   from ${accounts} s join accounts a on a.iban = s.iban where not s.is_known`,
  ),
  unnamed('accounts', people, fragment`owner`, fragment`owner`),
  unnamed('blocks', accounts, fragment`account`, fragment`account`),
  unnamed('balances', accounts, fragment`account`, fragment`source_id`),
  unnamed('beneficiaries', accounts, fragment`account`, fragment`account`),
  unnamed('orders', accounts, fragment`account`, fragment`account`),
  unnamed('orders', accounts, fragment`toAccount`, fragment`to_account`),
  unnamed('orders', beneficiaries, fragment`beneficiary`, fragment`beneficiary`),
  unnamed('history', accounts, fragment`account`, fragment`account`),
  found(
    'accounts',
    sql`select line, 'owner has too many open accounts' as wrong from (
     select line, row_number() over (partition by owner order by line) as number
     from ${accounts} where status <> 'closed'
   ) s where number > $1::int4`,
    [openAccountsPerCustomerMax],
  ),
  found(
    'balances',
    sql`select s.line, case
       when a.currency <> s.currency then 'currency is not that of the account'
       when a.status = 'closed' and s.amount <> 0 then 'account is closed, and has money'
       when s.unarranged_since is null then 'amount is below the overdraft limit of the account'
       when s.unarranged_since > now() then 'unarrangedSince is in the future'
       else 'unarrangedSince is without an amount below the overdraft limit' end as wrong
   from ${balances} s join ${accounts} a on a.source_id = s.source_id
   where a.currency <> s.currency or (a.status = 'closed' and s.amount <> 0)
     or (s.amount < -a.overdraft_limit) <> (s.unarranged_since is not null)
     or s.unarranged_since > now()`,
  ),
  isClosed('blocks'),
  found(
    'blocks',
    sql`select line, 'account has too many blocks' as wrong from (
     select line, row_number() over (partition by account order by line) as number from ${blocks}
   ) s where number > $1::int4`,
    [blocksMax],
  ),
  isClosed('beneficiaries'),
  found(
    'beneficiaries',
    sql`select s.line, 'iban is that of the account itself' as wrong
   from ${beneficiaries} s join ${accounts} a on a.source_id = s.account where a.iban = s.iban`,
  ),
  isClosed('orders'),
  otherCurrency('orders'),
  otherCurrency('history'),
  found(
    'orders',
    sql`select s.line, 'beneficiary is of another account' as wrong
   from ${orders} s join ${beneficiaries} b on b.source_id = s.beneficiary
   where b.account <> s.account`,
  ),
  found(
    'orders',
    sql`select s.line, 'beneficiary has another currency in this bank' as wrong
   from ${orders} s join ${beneficiaries} b on b.source_id = s.beneficiary
   join ${accounts} a on a.iban = b.iban where a.currency <> s.currency`,
  ),
  found(
    'orders',
    sql`select s.line, case
       when t.source_id = s.account then 'toAccount is the account itself'
       when t.owner <> a.owner then 'toAccount is of another person'
       when t.status = 'closed' then 'toAccount is closed'
       else 'toAccount has another currency' end as wrong
   from ${orders} s join ${accounts} a on a.source_id = s.account
   join ${accounts} t on t.source_id = s.to_account
   where t.source_id = s.account or t.owner <> a.owner or t.status = 'closed'
     or t.currency <> s.currency`,
  ),
  found(
    'orders',
    sql`select line, 'account has too many orders' as wrong from (
     select line, row_number() over (partition by account order by line) as number from ${orders}
   ) s where number > $1::int4`,
    [ordersMax],
  ),
]

/** Marks the lines that were imported before, and gives them what they became. */
export async function markKnown(client: pg.Client): Promise<void> {
  for (const file of lineFiles) {
    await client.query(
      sql`update ${stagedTables[file]} s set is_known = true, id = i.id
       from imported i where i.kind = ${quotedKind(file)} and i.source_id = s.source_id`,
    )
  }
}

/** All that is wrong, in no certain order. */
export async function* findFaults(client: pg.Client): AsyncGenerator<Fault> {
  for (const { file, text, values = [] } of checks) {
    const { rows } = await client.query<{ line: number; wrong: string }>(text, [...values])
    for (const { line, wrong } of rows) yield { file, line, wrong }
  }
}

export type FoundTotals = { currency: string; accounts: number; sum: bigint }

/** They count all lines, known ones too. */
export async function sumUp(client: pg.Client): Promise<FoundTotals[]> {
  const { rows } = await client.query<{ currency: string; accounts: string; sum: string }>(
    sql`select a.currency, count(1) as accounts, coalesce(sum(b.amount), 0)::text as sum
     from ${accounts} a left join ${balances} b on b.source_id = a.source_id
     group by a.currency`,
  )
  return rows.map(({ currency, accounts: count, sum }) => ({
    currency,
    accounts: Number.parseInt(count, 10),
    sum: BigInt(sum),
  }))
}
