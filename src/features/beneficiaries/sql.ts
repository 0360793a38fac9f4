// Data of beneficiaries that are not deleted. A write locks the account first: a freeze, a close
// and every transfer out of the account wait for that lock.
import { violates } from '../../database/connections/failure.ts'
import { insertInto } from '../../database/statements/rows.ts'
import {
  type Db,
  type Fragment,
  fragment,
  listOf,
  one,
  type RowOf,
  select,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'
import { refuse } from '../../domain/errors.ts'
import { lockActiveAccount } from '../accounts/sql.ts'

export const statuses = ['active', 'deactivated'] as const

// A constraint of the table requires name, IBAN and time unless the beneficiary is deleted.
const added = {
  id: 'uuid',
  accountId: 'uuid',
  name: 'text',
  iban: 'text',
  nickname: 'text?',
  trusted: 'bool',
  payeeResult: 'text?',
  payeeAccepted: 'bool?',
  createdAt: 'timestamptz',
} as const
const beneficiary = { ...added, status: wordOf(statuses) } as const
export type BeneficiaryRow = RowOf<typeof beneficiary>

const readBeneficiary = statement(
  'beneficiaries_read',
  ['uuid'],
  beneficiary,
  sql`select ${select(beneficiary)} from beneficiaries where id = $1 and status <> 'deleted'`,
)
export const beneficiaryById = (db: Db, id: string) => one(db, readBeneficiary, [id])

/** Beneficiaries of an account, deactivated ones included. */
export const beneficiariesByAccount = listOf(
  'beneficiaries_list',
  beneficiary,
  fragment`select ${select(beneficiary)} from beneficiaries
   where account_id = $1 and status <> 'deleted'`,
)

const findOfOwner = statement(
  'beneficiaries_find_of_owner',
  ['uuid', 'text?', 'uuid?', 'int4'],
  beneficiary,
  sql`select ${select(beneficiary, 'b')}
   from accounts a join beneficiaries b on b.account_id = a.id
   where a.owner_id = $1 and a.status <> 'closed' and b.status <> 'deleted'
     and ($3::uuid is null or b.id < $3)
     and ($2::text is null
       or position(lower($2) in lower(concat_ws(' ', b.name, b.nickname))) > 0
       or position(upper(replace($2, ' ', '')) in b.iban) > 0)
   order by b.id desc limit $4::int4`,
)
/** Those of all open accounts of a person whose names or IBAN have the text, newest first. */
export const beneficiariesOfOwner = (
  db: Db,
  ownerId: string,
  text: string | undefined,
  { after, count }: { after: string | undefined; count: number },
) => db.run(findOfOwner, [ownerId, text ?? null, after ?? null, count])

/**
 * When a beneficiary is added: not before the last recovery of the owner or of a member, although a
 * failover has set the database's clock back since. It would not cool down.
 */
export const addedAt = (now: Fragment, accountId: Fragment): Fragment => fragment`greatest(${now}, (
     select max(u.recovered_at) from (
       select owner_id as id from accounts where id = ${accountId}
       union all
       select person_id from account_members where account_id = ${accountId} and ended_at is null
     ) acting join users u on u.id = acting.id))`

const insertBeneficiary = insertInto('beneficiaries_insert', 'beneficiaries', added, {
  gives: beneficiary,
  as: { createdAt: addedAt(fragment`:createdAt`, fragment`:accountId`).text },
})
export type NewBeneficiary = Omit<
  BeneficiaryRow,
  'status' | 'trusted' | 'payeeResult' | 'payeeAccepted' | 'createdAt'
> & {
  payeeResult?: string | null
  payeeAccepted?: boolean | null
  trusted?: boolean
  now: number
}
/**
 * `own iban` when the account itself has that IBAN. Refuses with `not_found` when the account is
 * closed or does not exist, with `account_frozen`, and with `already_exists` when the account has a
 * beneficiary with that IBAN.
 *
 * @param judge refuses what else is to be refused behind the lock of the account
 */
export async function addBeneficiary(
  tx: Db,
  { trusted = false, payeeResult = null, payeeAccepted = null, now, ...payee }: NewBeneficiary,
  judge?: () => Promise<void>,
): Promise<BeneficiaryRow | 'own iban'> {
  const account = await lockActiveAccount(tx, payee.accountId)
  if (account.iban === payee.iban) return 'own iban'
  await judge?.()
  try {
    const checked = { payeeResult, payeeAccepted }
    const row = { ...payee, ...checked, trusted, createdAt: new Date(now) }
    return (await insertBeneficiary(tx, row)) as BeneficiaryRow
  } catch (thrown) {
    if (violates(thrown, 'beneficiaries_iban_key')) refuse('already_exists', { because: 'iban' })
    throw thrown
  }
}

const writeStatus = statement(
  'beneficiaries_write_status',
  ['uuid', 'text'],
  beneficiary,
  sql`update beneficiaries set status = $2, trusted = trusted and $2 = 'active'
   where id = $1 and status <> 'deleted'
   returning ${select(beneficiary)}`,
)
/**
 * Deactivates or reactivates, from either state. Trust ends with a deactivation: a reactivation is
 * not confirmed, and must not let payments go without a confirmation. Refuses with `not_found` or
 * `account_frozen`.
 */
export async function setStatus(
  tx: Db,
  id: string,
  status: 'active' | 'deactivated',
): Promise<BeneficiaryRow> {
  await lockAccountOf(tx, id)
  return (await one(tx, writeStatus, [id, status])) ?? refuse('not_found')
}

const writeTrusted = statement(
  'beneficiaries_write_trusted',
  ['uuid', 'bool'],
  beneficiary,
  sql`update beneficiaries set trusted = $2 where id = $1 and status <> 'deleted'
   returning ${select(beneficiary)}`,
)
/** Refuses with `not_found` or `account_frozen`. */
export async function setTrusted(tx: Db, id: string, trusted: boolean): Promise<BeneficiaryRow> {
  await lockAccountOf(tx, id)
  return (await one(tx, writeTrusted, [id, trusted])) ?? refuse('not_found')
}

const writeNickname = statement(
  'beneficiaries_write_nickname',
  ['uuid', 'text?'],
  beneficiary,
  sql`update beneficiaries set nickname = $2 where id = $1 and status <> 'deleted'
   returning ${select(beneficiary)}`,
)
/** Refuses with `not_found` or `account_frozen`. */
export async function setNickname(
  tx: Db,
  id: string,
  nickname: string | null,
): Promise<BeneficiaryRow> {
  await lockAccountOf(tx, id)
  return (await one(tx, writeNickname, [id, nickname])) ?? refuse('not_found')
}

const erase = statement(
  'beneficiaries_erase',
  ['uuid'],
  { id: 'uuid' },
  `update beneficiaries
   set status = 'deleted', name = null, iban = null, nickname = null, created_at = null,
     payee_result = null, payee_accepted = null
   where id = $1 and status <> 'deleted' returning id`,
)
/** Keeps a row of identifier and account alone. Refuses with `not_found` or `account_frozen`. */
export async function deleteBeneficiary(tx: Db, id: string): Promise<void> {
  await lockAccountOf(tx, id)
  if (!(await one(tx, erase, [id]))) refuse('not_found')
}

async function lockAccountOf(tx: Db, id: string): Promise<void> {
  const { accountId } = (await beneficiaryById(tx, id)) ?? refuse('not_found')
  await lockActiveAccount(tx, accountId)
}
