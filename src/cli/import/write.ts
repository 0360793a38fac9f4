// Writes what the lines of a folder say, in the transaction in which they were judged: the bank has
// all of it or nothing. Each thing is made as the bank's own requests make it, many at a time.
import type pg from 'pg'
import { addEvents, type AuditEvent, commandEvent } from '../../audit/sql.ts'
import { toDb } from '../../database/connections/pool.ts'
import { sql } from '../../database/statements/statement.ts'
import { defaultLanguage, type Language } from '../../domain/languages.ts'
import type { Currency } from '../../domain/money.ts'
import { addBlock, writeSum } from '../../features/blocks/sql.ts'
import { addFreeze } from '../../features/accounts/freeze-sql.ts'
import {
  type BlockCause,
  type BlockTerms,
  sumOfBlocks,
  tellBlock,
} from '../../ledger/rules/blocks.ts'
import { bookOpenings } from '../../ledger/batch/opening.ts'
import { statements as words } from '../../../languages/statement.ts'
import { type LineFile, lineFiles } from './format.ts'
import { quotedKind, stagedTables } from './tables.ts'

const { people, accounts, blocks, balances, beneficiaries, orders, history } = stagedTables

const inserts: readonly (readonly [file: LineFile, text: string])[] = [
  [
    'people',
    sql`insert into users (id, username, email, given_name, family_name, folded_name, phone,
     address, language, roles, status, created_at)
   select id, username, email, given_name, family_name, folded_name, phone, address, language,
     '{customer}', status, $1 from ${people} where not is_known order by line`,
  ],
  [
    'accounts',
    sql`insert into accounts (id, owner_id, iban, currency, name, overdraft_limit,
     daily_transfer_limit, own_per_payment, own_per_day, registered_phone, alerts_enabled,
     created_at)
   select s.id, p.id, s.iban, s.currency, s.name,
     case when b.unarranged_since is null then s.overdraft_limit else -b.amount end,
     s.daily_transfer_limit, s.own_per_payment, s.own_per_day, s.registered_phone,
     s.alerts_enabled, $1
   from ${accounts} s join ${people} p on p.source_id = s.owner
   left join ${balances} b on b.source_id = s.source_id
   where not s.is_known order by s.line`,
  ],
  [
    'beneficiaries',
    sql`insert into beneficiaries (id, account_id, name, iban, nickname, status, created_at)
   select s.id, a.id, s.name, s.iban, s.nickname, s.status, $1
   from ${beneficiaries} s join ${accounts} a on a.source_id = s.account
   where not s.is_known order by s.line`,
  ],
  // Its first terms enter the trail by themselves, without a maker: the former bank knows who
  // ordered it.
  [
    'orders',
    sql`insert into standing_orders (id, account_id, caller_id, maker_id, session_id, is_program,
     beneficiary_id, to_account_id, amount, reference, rhythm, first_on, last_on, next_on,
     retry_days, on_holiday, status, paused_because, created_at)
   select s.id, a.id, p.id, p.id, $2::uuid, false, b.id, t.id, s.amount, s.reference, s.rhythm,
     s.first_on, s.last_on, s.next_on, s.retry_days, s.on_holiday, s.status,
     case when s.status = 'paused' then 'owner' end, $1
   from ${orders} s join ${accounts} a on a.source_id = s.account
   join ${people} p on p.source_id = a.owner
   left join ${beneficiaries} b on b.source_id = s.beneficiary
   left join ${accounts} t on t.source_id = s.to_account
   where not s.is_known order by s.line`,
  ],
  [
    'history',
    sql`insert into former_entries (id, account_id, booked_on, amount, counterparty_name,
     counterparty_iban, reference)
   select s.id, a.id, s.booked_on, s.amount, s.counterparty_name, s.counterparty_iban, s.reference
   from ${history} s join ${accounts} a on a.source_id = s.account
   where not s.is_known order by s.id`,
  ],
]

/** The statements of the ledger find rows by key: PostgreSQL takes new tables for empty. */
const byKeys = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']

/** How many accounts are booked in one statement. */
const openingsMax = 500

export type ImportTime = { now: number; day: string }
type Progress = (rows: number) => void

/**
 * @param client in the transaction of the staging
 * @param progress called with the rows of each step
 */
export async function writeLines(
  client: pg.Client,
  { now, day }: ImportTime,
  event: AuditEvent,
  progress: Progress,
): Promise<void> {
  const tx = toDb(client)
  await addEvents(tx, [event])
  for (const [file, text] of inserts) {
    const values =
      file === 'history' ? [] : [new Date(now), ...(file === 'orders' ? [event.id] : [])]
    const { rowCount } = await client.query(text, values)
    progress(rowCount ?? 0)
  }
  await client.query(sql`delete from iban_pool p using ${accounts} s where p.iban = s.iban`)
  await writeOpenings(client, { now, day }, event, progress)
  // With the limit that they really have. The books open an account within its limit alone.
  await client.query(
    sql`update accounts a set overdraft_limit = s.overdraft_limit,
     unarranged = -b.amount - s.overdraft_limit, unarranged_since = b.unarranged_since
   from ${accounts} s join ${balances} b on b.source_id = s.source_id
   where a.id = s.id and b.unarranged_since is not null and not s.is_known`,
  )
  await writeFrozen(client, now, event)
  await writeBlocks(client, now, event)
  await client.query(
    sql`update accounts a set status = 'closed', name = null, registered_phone = null
   from ${accounts} s where a.id = s.id and s.status = 'closed' and not s.is_known`,
  )
  for (const file of lineFiles) {
    // A balance is a part of its account, and is known by that.
    const became = file === 'balances' ? accounts : stagedTables[file]
    await client.query(
      sql`insert into imported (kind, source_id, id, line_hash)
   select ${quotedKind(file)}, s.source_id, b.id, s.hash
   from ${stagedTables[file]} s join ${became} b on b.source_id = s.source_id
   where not s.is_known`,
    )
  }
  await client.query(
    sql`analyze users, accounts, beneficiaries, standing_orders, transfers, entries,
   former_entries, imported`,
  )
}

type OpeningRow = { id: string; amount: string; currency: Currency; language: Language | null }

async function writeOpenings(
  client: pg.Client,
  time: ImportTime,
  { id: eventId }: AuditEvent,
  progress: Progress,
): Promise<void> {
  await client.query(
    sql`declare openings no scroll cursor for
   select a.id, b.amount::text, b.currency, p.language
   from ${balances} b join ${accounts} a on a.source_id = b.source_id
   join ${people} p on p.source_id = a.owner
   where not b.is_known and b.amount <> 0 order by b.line`,
  )
  for (const name of byKeys) await client.query(`set local ${name} = off`)
  const tx = toDb(client)
  // Ends when no account is left.
  for (;;) {
    const { rows } = await client.query<OpeningRow>(`fetch ${openingsMax} from openings`)
    if (rows.length === 0) break
    const openings = rows.map(({ id, amount, currency, language }) => ({
      accountId: id,
      amount: BigInt(amount),
      currency,
      reference: words[language ?? defaultLanguage].opening,
    }))
    await bookOpenings(tx, openings, { ...time, eventId })
    progress(rows.length)
  }
  for (const name of byKeys) await client.query(`set local ${name} = on`)
  await client.query('close openings')
}

/** Frozen after they were booked: a frozen account pays nothing, not even what it owes. */
async function writeFrozen(client: pg.Client, now: number, event: AuditEvent): Promise<void> {
  const { rows } = await client.query<{ id: string; reason: string | null }>(
    sql`update accounts a set status = 'frozen' from ${accounts} s
   where a.id = s.id and s.status = 'frozen' and not s.is_known
   returning a.id, s.frozen_because as reason`,
  )
  const tx = toDb(client)
  for (const { id: accountId, reason } of rows) {
    if (reason === null) continue
    const actorId = event.id
    await addFreeze(tx, { accountId, at: new Date(now), actorId, reason })
    const action = 'freezeAccount'
    await addEvents(tx, [commandEvent(now, { action, actorId, target: accountId, detail: reason })])
  }
}

type BlockRow = BlockTerms & { id: string; accountId: string; cause: BlockCause; note: string }

/** After the balances, as a freeze: a block of credits stops what arrives. */
async function writeBlocks(client: pg.Client, now: number, event: AuditEvent): Promise<void> {
  const { rows } = await client.query<BlockRow>(
    sql`select b.id, a.id as "accountId", b.debits, b.credits, b.cause, b.note, b.until
   from ${blocks} b join ${accounts} a on a.source_id = b.account
   where not b.is_known order by b.line`,
  )
  const tx = toDb(client)
  const actorId = event.id
  for (const block of rows) {
    await addBlock(tx, { ...block, setAt: new Date(now), setBy: actorId })
    const about = { actorId, target: block.accountId, detail: tellBlock(block) }
    await addEvents(tx, [commandEvent(now, { action: 'blockAccount', ...about })])
  }
  for (const [id, ofAccount] of Map.groupBy(rows, ({ accountId }) => accountId)) {
    await writeSum(tx, { id, ...sumOfBlocks(ofAccount) })
  }
}
