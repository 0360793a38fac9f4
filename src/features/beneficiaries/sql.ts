// Data of beneficiaries. What is deleted is shown by none of these. Each statement that writes
// holds the account first, in the mode that a freeze, a close and each transfer out of it wait for.
import { violates } from '../../database/failure.ts'
import { bare, type Db, one, type RowOf, select, sql, statement } from '../../database/statement.ts'
import { refuse } from '../../domain/errors.ts'

// Name, IBAN and time are there on each that is not deleted: a constraint of the table says so.
const beneficiary = {
  id: 'uuid',
  accountId: 'uuid',
  name: 'text',
  iban: 'text',
  nickname: 'text?',
  status: 'text',
  createdAt: 'timestamptz',
} as const
export type BeneficiaryRow = RowOf<typeof beneficiary>

const readBeneficiary = statement(
  'beneficiaries_read',
  ['uuid'],
  beneficiary,
  sql`select ${select(beneficiary)} from beneficiaries where id = $1 and status <> 'deleted'`,
)
export const beneficiaryById = (db: Db, id: string) => one(db, readBeneficiary, [id])

const listBeneficiaries = statement(
  'beneficiaries_list',
  ['uuid', 'uuid?', 'int4'],
  beneficiary,
  sql`select ${select(beneficiary)} from beneficiaries
   where account_id = $1 and status <> 'deleted' and ($2::uuid is null or id < $2)
   order by id desc limit $3::int4`,
)
/** Those of an account, deactivated ones too, newest first. */
export const beneficiariesByAccount = (
  db: Db,
  accountId: string,
  after: string | undefined,
  count: number,
) => db.run(listBeneficiaries, [accountId, after ?? null, count])

/** The row as it was written, if the state of its account allowed that. */
const written = {
  id: 'uuid?',
  accountId: 'uuid?',
  name: 'text?',
  iban: 'text?',
  nickname: 'text?',
  status: 'text?',
  createdAt: 'timestamptz?',
} as const

const insertBeneficiary = statement(
  'beneficiaries_insert',
  ['uuid', 'uuid', 'text', 'text', 'text?', 'timestamptz'],
  { isOwn: 'bool', accountStatus: 'text', ...written },
  sql`with account as (
     select id, status, iban from accounts where id = $2 and kind = 'customer' for share
   ), added as (
     insert into beneficiaries (id, account_id, name, iban, nickname, created_at)
     select $1::uuid, id, $3::text, $4::text, $5::text, $6::timestamptz from account
     where status = 'active' and iban <> $4::text
     returning ${bare(beneficiary)}
   )
   select a.iban = $4::text as "isOwn", a.status as "accountStatus", ${select(written, 'b')}
   from account a left join added b on true`,
)
export type NewBeneficiary = {
  id: string
  accountId: string
  name: string
  iban: string
  nickname: string | null
  now: number
}
/**
 * Undefined when there is no such account or it is closed, `own iban` when that is the IBAN of the
 * account itself. Refuses with `account_frozen`, and `already_exists` when the account has a
 * beneficiary with that IBAN.
 */
export async function addBeneficiary(
  tx: Db,
  { id, accountId, name, iban, nickname, now }: NewBeneficiary,
): Promise<BeneficiaryRow | 'own iban' | undefined> {
  try {
    const row = await one(tx, insertBeneficiary, [
      id,
      accountId,
      name,
      iban,
      nickname,
      new Date(now),
    ])
    const added = toWrittenRow(row)
    return !added && row?.isOwn ? 'own iban' : added
  } catch (thrown) {
    if (violates(thrown, 'beneficiaries_iban_key')) refuse('already_exists', { because: 'iban' })
    throw thrown
  }
}

const writeStatus = statement(
  'beneficiaries_write_status',
  ['uuid', 'text'],
  { accountStatus: 'text', ...written },
  sql`with account as (
     select id, status from accounts
     where id = (select account_id from beneficiaries where id = $1) for share
   ), changed as (
     update beneficiaries b set status = $2::text from account a
     where b.id = $1 and b.account_id = a.id and b.status <> 'deleted' and a.status = 'active'
     returning ${bare(beneficiary, 'b')}
   )
   select a.status as "accountStatus", ${select(written, 'b')}
   from account a left join changed b on true`,
)
/**
 * Deactivates or reactivates, whichever it was before. Undefined when it is deleted, not there, or
 * its account is closed; refuses with `account_frozen`.
 */
export const setStatus = async (tx: Db, id: string, status: 'active' | 'deactivated') =>
  toWrittenRow(await one(tx, writeStatus, [id, status]))

const eraseBeneficiary = statement(
  'beneficiaries_erase',
  ['uuid'],
  { accountStatus: 'text', id: 'uuid?' },
  `with account as (
     select id, status from accounts
     where id = (select account_id from beneficiaries where id = $1) for share
   ), erased as (
     update beneficiaries b
     set status = 'deleted', name = null, iban = null, nickname = null, created_at = null
     from account a
     where b.id = $1 and b.account_id = a.id and b.status <> 'deleted' and a.status = 'active'
     returning b.id
   )
   select a.status as "accountStatus", b.id from account a left join erased b on true`,
)
/**
 * Leaves a tombstone: the identifier and the account. False when there is nothing to delete;
 * refuses with `account_frozen`.
 */
export async function deleteBeneficiary(tx: Db, id: string): Promise<boolean> {
  const row = await one(tx, eraseBeneficiary, [id])
  if (row?.accountStatus === 'frozen') refuse('account_frozen')
  return (row?.id ?? null) !== null
}

function toWrittenRow(
  row: (RowOf<typeof written> & { accountStatus: string }) | undefined,
): BeneficiaryRow | undefined {
  if (row?.accountStatus === 'frozen') refuse('account_frozen')
  return row === undefined || row.id === null ? undefined : (row as BeneficiaryRow)
}
