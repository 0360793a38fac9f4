// What a batch of transfers reads under its locks and writes before its COMMIT.
import { statement } from '../database/statement.ts'

/**
 * Locks accounts in the order of their identifiers, whoever asks and however many: two batches can
 * wait for each other in one direction only. FOR NO KEY UPDATE is what a freeze or a close takes
 * too, so those wait and are waited for, and so does whoever changes a beneficiary or a card.
 */
export const lockAccounts = statement(
  'ledger_lock_accounts',
  ['uuid[]'],
  {
    id: 'uuid',
    kind: 'text',
    owner_id: 'uuid?',
    currency: 'text',
    status: 'text',
    balance: 'int8',
    last_seq: 'int8',
    last_hash: 'text?',
    last_entry_at: 'timestamptz?',
    overdraft_limit: 'int8',
    daily_transfer_limit: 'int8?',
    spent_on: 'text?',
    spent_amount: 'int8',
  },
  `select id, kind, owner_id, currency, status, balance, last_seq,
          encode(last_hash, 'hex') as last_hash, last_entry_at, overdraft_limit,
          daily_transfer_limit, spent_on::text as spent_on, spent_amount
   from accounts where id = any($1)
   order by id
   for no key update`,
)

/**
 * The accounts that cannot be locked at this moment, and by which transaction. One that is itself
 * waiting for a lock is left out: it lets go as soon as it has that lock or gives up.
 */
export const findHeld = statement(
  'ledger_find_held',
  ['uuid[]'],
  { id: 'uuid', holder: 'text' },
  `with free as materialized (
     select id from accounts where id = any($1) for no key update skip locked
   )
   select a.id, a.xmax::text as holder from accounts a
   where a.id = any($1) and a.id not in (select id from free)
     and not exists (
       select from pg_locks held
       join pg_locks awaited on awaited.pid = held.pid and not awaited.granted
       where held.locktype = 'transactionid' and held.transactionid = a.xmax and held.granted
     )`,
)

/**
 * Read after the locks: whoever wrote the claim of one of our accounts' transfers has committed.
 */
export const readClaims = statement(
  'ledger_read_claims',
  ['uuid[]', 'text[]'],
  {
    caller_id: 'uuid',
    key: 'text',
    fingerprint: 'uuid',
    transfer_id: 'uuid?',
    refusal: 'text?',
    claimed_at: 'timestamptz',
  },
  `select c.caller_id, c.key, c.fingerprint, c.transfer_id, c.refusal, c.claimed_at
   from unnest($1::uuid[], $2::text[]) as asked (caller_id, key)
   join claims c on c.caller_id = asked.caller_id and c.key = asked.key`,
)

export const readRecent = statement(
  'ledger_read_recent',
  ['uuid[]'],
  { fingerprint: 'uuid', transfer_id: 'uuid', created_at: 'timestamptz' },
  `select fingerprint, transfer_id, created_at from recent_transfers
   where fingerprint = any($1)`,
)

export const transferColumns = {
  id: 'uuid',
  kind: 'text',
  status: 'text',
  from_account_id: 'uuid',
  to_account_id: 'uuid',
  from_seq: 'int8',
  to_seq: 'int8',
  amount: 'int8',
  currency: 'text',
  reference: 'text',
  beneficiary_id: 'uuid?',
  counterparty_name: 'text?',
  counterparty_iban: 'text?',
  reversal_of: 'uuid?',
  reversed_by: 'uuid?',
  caller_id: 'uuid',
  created_at: 'timestamptz',
  is_erased: 'bool',
} as const

export const readTransfers = statement(
  'ledger_read_transfers',
  ['uuid[]'],
  transferColumns,
  `select t.id, t.kind, t.status, t.from_account_id, t.to_account_id, t.from_seq, t.to_seq,
          t.amount, t.currency, t.reference, t.beneficiary_id, t.counterparty_name,
          t.counterparty_iban, t.reversal_of, r.id as reversed_by, t.caller_id, t.created_at,
          t.salt is null as is_erased
   from transfers t left join transfers r on r.reversal_of = t.id
   where t.id = any($1)`,
)

/**
 * Every row of a batch, in one statement: the transfers, two entries for each, what is remembered
 * against duplicates, and the accounts as they stand afterwards. An array costs more than its
 * bytes: the two hashes and the salt of a transfer are one item, and its first status follows from
 * where the money goes.
 */
export const writeBatch = statement(
  'ledger_write_batch',
  [
    'uuid[]',
    'uuid[]',
    'uuid[]',
    'int8[]',
    'int8[]',
    'int8[]',
    'timestamptz[]',
    'uuid[]',
    'text[]',
    'text[]',
    'text[]',
    'uuid[]',
    'text[]',
    'text[]',
    'uuid[]',
    'int8[]',
    'int8[]',
    'bytea[]',
    'uuid[]',
    'uuid[]',
    'uuid[]',
    'int8[]',
    'int8[]',
    'bytea[]',
    'timestamptz[]',
    'text[]',
    'int8[]',
  ],
  {},
  `with made as materialized (
     select id, from_account_id, to_account_id, from_seq, to_seq, amount, created_at, caller_id,
       kind, currency, reference, beneficiary_id, counterparty_name, counterparty_iban,
       case when kind = 'transfer' and counterparty_iban is not null then 'pending'
         else 'completed' end as status,
       reversal_of, from_balance, to_balance, substring(proof, 1, 32) as from_hash,
       substring(proof, 33, 32) as to_hash, substring(proof, 65, 16) as salt, fingerprint,
       session_id
     from unnest(
       $1::uuid[], $2::uuid[], $3::uuid[], $4::int8[], $5::int8[], $6::int8[], $7::timestamptz[],
       $8::uuid[], $9::text[], $10::text[], $11::text[], $12::uuid[], $13::text[],
       $14::text[], $15::uuid[], $16::int8[], $17::int8[], $18::bytea[], $19::uuid[], $20::uuid[]
     ) as m (
       id, from_account_id, to_account_id, from_seq, to_seq, amount, created_at, caller_id, kind,
       currency, reference, beneficiary_id, counterparty_name, counterparty_iban,
       reversal_of, from_balance, to_balance, proof, fingerprint, session_id
     )
   ), transfers_made as (
     insert into transfers (
       id, from_account_id, to_account_id, from_seq, to_seq, amount, created_at, caller_id, kind,
       status, currency, reference, beneficiary_id, counterparty_name, counterparty_iban,
       reversal_of, session_id, salt
     )
     select id, from_account_id, to_account_id, from_seq, to_seq, amount, created_at, caller_id,
       kind, status, currency, reference, beneficiary_id, counterparty_name, counterparty_iban,
       reversal_of, session_id, salt
     from made
   ), entries_made as (
     insert into entries (
       account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind
     )
     select from_account_id, id, from_seq, -amount, from_balance, created_at, from_hash, kind
     from made
     union all
     select to_account_id, id, to_seq, amount, to_balance, created_at, to_hash, kind
     from made
   ), remembered as (
     insert into recent_transfers (fingerprint, transfer_id, created_at)
     select fingerprint, id, created_at from made where fingerprint is not null
     on conflict (fingerprint) do update
       set transfer_id = excluded.transfer_id, created_at = excluded.created_at
   )
   update accounts a
   set balance = s.balance, last_seq = s.last_seq, last_hash = s.last_hash,
       last_entry_at = s.last_entry_at, spent_on = s.spent_on::date, spent_amount = s.spent_amount
   from unnest($21::uuid[], $22::int8[], $23::int8[], $24::bytea[], $25::timestamptz[], $26::text[],
               $27::int8[])
     as s (id, balance, last_seq, last_hash, last_entry_at, spent_on, spent_amount)
   where a.id = s.id`,
)

/** The chain's own record of transfers that arrived at the other bank. */
export const writeSettlements = statement(
  'ledger_write_settlements',
  ['uuid[]', 'uuid[]', 'int8[]', 'int8[]', 'timestamptz[]', 'bytea[]'],
  {},
  `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind)
   select account_id, transfer_id, seq, 0, balance_after, created_at, hash, 'settlement'
   from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::int8[], $5::timestamptz[], $6::bytea[])
     as s (account_id, transfer_id, seq, balance_after, created_at, hash)`,
)

/** A pending transfer was settled or returned. */
export const writeStatuses = statement(
  'ledger_write_statuses',
  ['uuid[]', 'text[]', 'int8[]'],
  {},
  `update transfers t set status = s.status, settled_seq = s.settled_seq
   from unnest($1::uuid[], $2::text[], $3::int8[]) as s (id, status, settled_seq)
   where t.id = s.id and t.status = 'pending'`,
)

/** Keys past their time make room for the same ones anew. */
export const dropClaims = statement(
  'ledger_drop_claims',
  ['uuid[]', 'text[]', 'timestamptz'],
  {},
  `delete from claims c using unnest($1::uuid[], $2::text[]) as stale (caller_id, key)
   where c.caller_id = stale.caller_id and c.key = stale.key and c.claimed_at <= $3`,
)

export const claimsKey = 'claims_pkey'

/**
 * A key that another instance claimed since it was looked for, for a transfer of other accounts,
 * fails the whole transaction on the primary key: nothing is paid for it.
 */
export const writeClaims = statement(
  'ledger_write_claims',
  ['uuid[]', 'text[]', 'uuid[]', 'uuid[]', 'text[]', 'timestamptz[]'],
  {},
  `insert into claims (caller_id, key, fingerprint, transfer_id, refusal, claimed_at)
   select caller_id, key, fingerprint, transfer_id, refusal, claimed_at
   from unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::text[], $6::timestamptz[])
     as c (caller_id, key, fingerprint, transfer_id, refusal, claimed_at)`,
)

export const readAccount = statement(
  'ledger_read_account',
  ['uuid'],
  { kind: 'text', currency: 'text' },
  `select kind, currency from accounts where id = $1`,
)
