// Rows of a bank that has paid much to other banks: what a migration of a large bank has to read.
// They are not on a chain, so they are taken out before the books are judged.
import type { LocalAddress } from '../../src/database/connections/connect.ts'
import { query } from '../faults/base.ts'

/** A clearing account that the bank does not use itself. */
const clearing = '00000000-0000-8000-8000-00000200ffff'
const payer = '01900000-0000-7000-8000-ffffffffffff'
const numbered = `('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
/** As a dump is restored: without the triggers that keep the books. */
const withoutTriggers = 'set session_replication_role = replica;'

/** Adds so many settled payments to another bank, each with its mark and its number. */
export async function addManyRows(address: LocalAddress, count: number): Promise<void> {
  await query(
    address,
    `${withoutTriggers}
     insert into accounts (id, kind, currency, created_at, last_seq)
     values ('${clearing}', 'clearing', 'XTS', '2026-01-01', ${count});
     insert into transfers (id, from_account_id, to_account_id, from_seq, to_seq, amount,
       created_at, caller_id, session_id, kind, status, currency, reference, counterparty_iban,
       salt, settled_seq)
     select ${numbered}, '${payer}', '${clearing}', n, n, 1, '2026-01-01', '${payer}', '${payer}',
       'transfer', 'completed', 'XTS', 'Rent', 'GB33BUKB20201555555555',
       '\\x00000000000000000000000000000000', n
     from generate_series(1, ${count}) n;
     insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
       kind, reference)
     select '${clearing}', ${numbered}, n, 0, 0, '2026-01-01', sha256(''), 'settlement', ''
     from generate_series(1, ${count}) n;
     analyze transfers, entries`,
  )
}

/** Takes them out, and gives how many marks their account counts by then. */
export async function removeManyRows(address: LocalAddress): Promise<number> {
  const rows = await query(
    address,
    `select mark_count::int4 as count from accounts where id = '${clearing}'`,
  )
  await query(
    address,
    `${withoutTriggers}
     delete from entries where account_id = '${clearing}';
     delete from transfers where to_account_id = '${clearing}';
     delete from accounts where id = '${clearing}'`,
  )
  return rows[0]?.['count'] as number
}
