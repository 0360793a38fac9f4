// What an erasure of texts reads and writes, a page at a time. Only the owner may run the update.
import { statement } from '../database/statement.ts'
import { provenColumns } from './verify-sql.ts'

/** Transfers with texts that were made before a time; both bounds of identifiers are outside. */
export const listBefore = statement(
  'erase_list_before',
  ['uuid', 'uuid', 'timestamptz', 'int8'],
  { id: 'uuid' },
  `select id from transfers
   where id > $1 and id < $2 and created_at < $3 and salt is not null and status <> 'pending'
   order by id limit $4`,
)

/** Old transfers that keep their texts: they were neither settled nor returned yet. */
export const countPending = statement(
  'erase_count_pending',
  ['timestamptz'],
  { count: 'int8' },
  `select count(*) from transfers where status = 'pending' and created_at < $1`,
)

/** Transfers of an account, by its entries from behind a number on. */
export const listOfAccount = statement(
  'erase_list_of_account',
  ['uuid', 'int8', 'int8'],
  { seq: 'int8', transfer_id: 'uuid' },
  `select seq, transfer_id from entries where account_id = $1 and seq > $2 order by seq limit $3`,
)

/** Transfers with texts, and the entry of the payer that proves each of them. */
export const readErasable = statement(
  'erase_read',
  ['uuid[]'],
  {
    id: 'uuid',
    seq: 'int8',
    balance_after: 'int8',
    hash: 'text',
    previous: 'text?',
    kind: 'text',
    from_account_id: 'uuid',
    to_account_id: 'uuid',
    amount: 'int8',
    ...provenColumns,
    created_at: 'timestamptz',
  },
  `select t.id, d.seq, d.balance_after, encode(d.hash, 'hex') as hash,
          encode(p.hash, 'hex') as previous, t.kind, t.from_account_id, t.to_account_id, t.amount,
          t.currency, encode(t.salt, 'hex') as salt, t.reference, t.counterparty_name,
          t.counterparty_iban, encode(t.commitment, 'hex') as commitment, t.beneficiary_id,
          t.reversal_of, t.caller_id, t.session_id, t.created_at
   from transfers t
   join entries d on d.account_id = t.from_account_id and d.seq = t.from_seq
   left join entries p on p.account_id = t.from_account_id and p.seq = t.from_seq - 1
   where t.id = any($1) and t.salt is not null and t.status <> 'pending'`,
)

export const eraseTexts = statement(
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
