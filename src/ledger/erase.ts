// Erases the texts of transfers (reference, name and IBAN of the counterparty) and their salt.
// Without the salt their commitment tells nothing. The chain stays whole.
import type { Database } from '../database/connect.ts'
import { type Db, one, select, sql, statement } from '../database/statement.ts'
import { transaction } from '../database/transaction.ts'
import { firstId, idAt } from '../domain/ids.ts'
import { entryHash, joinTerms, readCommitment, termColumns } from './hash-chain.ts'

const rowsPerPage = 500n

/**
 * The bounds of identifiers are exclusive. Transfers without texts are listed too: to pass over
 * them in the database would take longer than a statement may, once enough are erased.
 */
const listBefore = statement(
  'erase_list_before',
  ['uuid', 'uuid', 'timestamptz', 'int8'],
  { id: 'uuid', isKept: 'bool' },
  `select id, created_at >= $3 or salt is null or status = 'pending' as "isKept" from transfers
   where id > $1 and id < $2 order by id limit $4`,
)

const countPending = statement(
  'erase_count_pending',
  ['timestamptz'],
  { count: 'int8' },
  `select count(*) from transfers where status = 'pending' and created_at < $1`,
)

/**
 * Erases the texts of all transfers from before that time. Pending ones keep theirs: they were
 * neither settled nor returned yet.
 *
 * @param erasureId the audit event that is the record of it
 */
export async function eraseBefore(
  db: Database,
  before: number,
  erasureId: string,
): Promise<{ erased: number; pending: bigint }> {
  const [end, time] = [idAt(before), new Date(before)]
  const erased = await erasePages(db, erasureId, (last?: { id: string; isKept: boolean }) =>
    db.run(listBefore, [last?.id ?? firstId, end, time, rowsPerPage]),
  )
  const pending = await one(db, countPending, [time])
  return { erased, pending: pending?.count ?? 0n }
}

const listOfAccount = statement(
  'erase_list_of_account',
  ['uuid', 'int8', 'int8'],
  { seq: 'int8', id: 'uuid' },
  `select seq, transfer_id as id from entries where account_id = $1 and seq > $2
   order by seq limit $3`,
)

/** Erases the texts of all transfers from and to an account. */
export const eraseOfAccount = (
  db: Database,
  accountId: string,
  erasureId: string,
): Promise<number> =>
  erasePages(db, erasureId, (last?: { seq: bigint; id: string }) =>
    db.run(listOfAccount, [accountId, last?.seq ?? 0n, rowsPerPage]),
  )

/** @param list gives the transfers after the last one of the page before */
async function erasePages<Row extends { id: string; isKept?: boolean }>(
  db: Database,
  erasureId: string,
  list: (last?: Row) => Promise<Row[]>,
): Promise<number> {
  let erased = 0
  for (let page = await list(); page.length > 0; page = await list(page.at(-1))) {
    const ids = page.filter(({ isKept }) => isKept !== true).map(({ id }) => id)
    if (ids.length > 0) erased += await transaction(db, (tx) => erasePage(tx, ids, erasureId))
  }
  return erased
}

/** Transfers with texts, and the entry of the payer that proves each of them. */
const readErasable = statement(
  'erase_read',
  ['uuid[]'],
  {
    ...termColumns,
    salt: 'text',
    seq: 'int8',
    balanceAfter: 'int8',
    hash: 'text',
    previousHash: 'text',
  },
  sql`select ${select(termColumns, 't')}, encode(t.salt, 'hex') as salt, d.seq,
     d.balance_after as "balanceAfter", encode(d.hash, 'hex') as hash,
     coalesce(encode(p.hash, 'hex'), repeat('0', 64)) as "previousHash"
   from transfers t
   join entries d on d.account_id = t.from_account_id and d.seq = t.from_seq
   left join entries p on p.account_id = t.from_account_id and p.seq = t.from_seq - 1
   where t.id = any($1) and t.salt is not null and t.status <> 'pending'`,
)

/** Only the owner may run this. */
const eraseTexts = statement(
  'erase_texts',
  ['uuid[]', 'bytea[]', 'uuid'],
  { id: 'uuid' },
  `update transfers t
   set salt = null, commitment = e.commitment, erasure_id = $3, reference = '',
       counterparty_name = null, counterparty_iban = null
   from unnest($1::uuid[], $2::bytea[]) as e (id, commitment)
   where t.id = e.id and t.salt is not null
   returning t.id`,
)

/** Proves the texts before they are erased: texts that were changed are evidence, and stay. */
async function erasePage(tx: Db, ids: readonly string[], erasureId: string): Promise<number> {
  const rows = await tx.run(readErasable, [[...ids]])
  const commitments = rows.map((row) => readCommitment({ ...row, commitment: null }))
  rows.forEach((row, index) => {
    const debit = { ...row, accountId: row.fromAccountId, amount: -row.amount }
    const terms = joinTerms(row, commitments[index] as string)
    if (entryHash(row.previousHash, debit, terms) !== row.hash) {
      throw new Error(`Transfer ${row.id} is not what its chain holds; run \`strongroom verify\`.`)
    }
  })
  const erased = await tx.run(eraseTexts, [
    rows.map(({ id }) => id),
    commitments.map((commitment) => Buffer.from(commitment, 'hex')),
    erasureId,
  ])
  return erased.length
}
