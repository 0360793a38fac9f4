// Statements of a batch of movements: what it reads under its locks and writes before its COMMIT.
import { type ArrayColumns, rowArrays, sameColumns } from '../../database/statements/arrays.ts'
import {
  bareColumns,
  currencyText,
  type Db,
  type Fragment,
  fragment,
  select,
  sql,
  statement,
} from '../../database/statements/statement.ts'
import { blockColumns } from '../rules/blocks.ts'
import type { Account, Beneficiary } from '../rules/decide.ts'
import {
  type LockedTransfer,
  postedColumns,
  type Status,
  type Texts,
  type Transfer,
  transferColumns,
} from '../rules/movement.ts'
import { belowColumns, type BelowNotice } from '../rules/balance-notice.ts'
import { ownLimitColumns } from '../rules/own-limits.ts'
import { signatureColumns } from '../rules/signatures.ts'

/** An account under its lock, with the end of its chain. */
export type LockedAccount = Readonly<
  Account &
    BelowNotice & {
      /** Null of an account of the bank, like its holder. */
      iban: string | null
      holder: string | null
      alertsEnabled: boolean
      /** Its owner wants to be told of money that arrives. */
      isArrivalTold: boolean
      /** How far below zero a movement has left it that no account stops; undefined: none has. */
      unarranged?: { amount: bigint; since: Date }
      lastSeq: bigint
      lastHash: string
      lastEntryAt: Date
    }
>

const accountColumns = {
  id: 'uuid',
  kind: 'text',
  ownerId: 'uuid?',
  iban: 'text?',
  currency: currencyText,
  status: 'text',
  balance: 'int8',
  overdraftLimit: 'int8',
  dailyTransferLimit: 'int8?',
  ...ownLimitColumns,
  ...signatureColumns,
  ...blockColumns,
  held: 'int8',
  heldUntil: 'timestamptz?',
  activeHolds: 'int4',
  spentAmount: 'int8',
  lastSeq: 'int8',
  alertsEnabled: 'bool',
  ...belowColumns,
} as const

const lockAccountRows = statement(
  'ledger_lock_accounts',
  ['uuid[]'],
  {
    ...accountColumns,
    spentOn: 'text?',
    lastHash: 'text',
    lastEntryAt: 'timestamptz',
    holder: 'text?',
    isArrivalTold: 'bool',
  },
  sql`select ${select(accountColumns)}, spent_on::text as "spentOn",
     coalesce(encode(last_hash, 'hex'), repeat('0', 64)) as "lastHash",
     coalesce(last_entry_at, 'epoch') as "lastEntryAt",
     (select given_name || ' ' || family_name from users where id = owner_id) as holder,
     exists (
       select from notice_choices
       where user_id = owner_id and kind = 'money-arrived' and channel = 'mail'
     ) as "isArrivalTold"
   from accounts where id = any($1)
   order by id
   for no key update`,
)
/**
 * Locks accounts in the order of their identifiers, in every batch: two batches can wait for each
 * other in one direction only. A freeze, a close and every change of a beneficiary or a card take a
 * conflicting lock, so they wait for the batch, and the batch for them.
 */
export const lockAccounts = (db: Db, ids: readonly string[]) =>
  db.run(lockAccountRows, [[...ids]]) as Promise<LockedAccount[]>

const recent = { fingerprint: 'uuid', transferId: 'uuid', createdAt: 'timestamptz' } as const
const readRecentRows = statement(
  'ledger_read_recent',
  ['uuid[]'],
  recent,
  sql`select ${select(recent)} from recent_transfers where fingerprint = any($1)`,
)
export const readRecent = (db: Db, fingerprints: string[]) =>
  ifAny(fingerprints, () => db.run(readRecentRows, [fingerprints]))

/** The result columns of transfers `t`, each joined with the row `r` of what brought it back. */
export const selectTransfer = fragment`${select(postedColumns, 't')}, t.status,
   r.by_transfer_id as "reversedBy", t.salt is null as "isErased"`

// By the inner array one plan serves all: one for these very keys takes longer to make than to run.
const readTransferRows = statement(
  'ledger_read_transfers',
  ['uuid[]'],
  transferColumns,
  sql`select ${selectTransfer}
   from transfers t left join brought_back r on r.transfer_id = t.id
   where t.id = any(array(select unnest($1::uuid[])))`,
)
export const readTransfers = (db: Db, ids: string[]) =>
  ifAny(ids, () => db.run(readTransferRows, [ids]) as Promise<Transfer[]>)

const lockTransferRows = statement(
  'ledger_lock_transfers',
  ['uuid[]'],
  { ...transferColumns, claimedBy: 'uuid?' },
  sql`select ${selectTransfer}, (
     select caller_id from external_ids where transfer_id = t.id and not is_settlement
   ) as "claimedBy"
   from transfers t left join brought_back r on r.transfer_id = t.id
   where t.id = any($1)
   order by t.id
   for share of t`,
)
/**
 * Transfers that movements are about, behind the locks of their accounts. Until COMMIT their texts
 * are not erased: what brings the money back repeats them.
 */
export const lockTransfers = (db: Db, ids: string[]) =>
  ifAny(ids, () => db.run(lockTransferRows, [ids]) as Promise<LockedTransfer[]>)

const beneficiary = {
  id: 'uuid',
  accountId: 'uuid',
  status: 'text',
  trusted: 'bool',
  createdAt: 'timestamptz?',
} as const
/** `trusted`: payments to it need no confirmation. */
export type BeneficiaryRow = Beneficiary & {
  id: string
  trusted: boolean
  createdAt: Date | null
}
const readBeneficiaryRows = statement(
  'beneficiaries_read_standing',
  ['uuid[]'],
  { ...beneficiary, coolsUntil: 'timestamptz?' },
  sql`select ${select(beneficiary, 'b')}, u.recovered_at + interval '24 hours' as "coolsUntil"
   from beneficiaries b join accounts a on a.id = b.account_id
   left join users u on u.id = a.owner_id
     and coalesce(u.cooling_since, u.recovered_at) <= b.created_at
   where b.id = any($1)`,
)
/** They do not change while their accounts are locked: every write of one locks its account. */
export const readBeneficiaries = (db: Db, ids: string[]) =>
  ifAny(ids, () => db.run(readBeneficiaryRows, [ids]) as Promise<BeneficiaryRow[]>)

/** Nothing is sent for an empty list. */
export const ifAny = async <Row>(
  list: readonly unknown[],
  read: () => Promise<Row[]>,
): Promise<Row[]> => (list.length > 0 ? read() : [])

/** A new transfer with what is written of it beside its own columns. */
export type NewTransfer = {
  transfer: Transfer
  sessionId: string
  /** The salt of its texts and of those of its entries: see `commitTexts`. */
  salt: string
  fromTexts: Texts
  toTexts: Texts
  fromBalance: bigint
  toBalance: bigint
  fromHash: string
  toHash: string
  /** Null if a later transfer of the batch has the same fingerprint. */
  fingerprint: string | null
}

// An array costs more than its bytes: the hashes and the salt of a transfer are one item.
const posted = rowArrays<NewTransfer>('p', {
  ...sameColumns(postedColumns, ({ transfer }: NewTransfer) => transfer),
  sessionId: ['uuid', ({ sessionId }) => sessionId],
  fromBalance: ['int8', ({ fromBalance }) => fromBalance],
  toBalance: ['int8', ({ toBalance }) => toBalance],
  proof: ['bytea', ({ fromHash, toHash, salt }) => Buffer.from(fromHash + toHash + salt, 'hex')],
  fromName: ['text', ({ fromTexts }) => fromTexts.counterpartyName],
  fromIban: ['text', ({ fromTexts }) => fromTexts.counterpartyIban],
  toName: ['text', ({ toTexts }) => toTexts.counterpartyName],
  toIban: ['text', ({ toTexts }) => toTexts.counterpartyIban],
  fingerprint: ['uuid', ({ fingerprint }) => fingerprint],
})
const endColumns: ArrayColumns<LockedAccount> = {
  id: ['uuid', ({ id }) => id],
  balance: ['int8', ({ balance }) => balance],
  lastSeq: ['int8', ({ lastSeq }) => lastSeq],
  lastHash: ['bytea', ({ lastHash }) => Buffer.from(lastHash, 'hex')],
  lastEntryAt: ['timestamptz', ({ lastEntryAt }) => lastEntryAt],
  spentOn: ['text', ({ spentOn }) => spentOn],
  spentAmount: ['int8', ({ spentAmount }) => spentAmount],
}
const placeOfEnds = posted.takes.length + 1
const ends = rowArrays<LockedAccount>('s', endColumns, placeOfEnds)
const heldColumns: ArrayColumns<LockedAccount> = {
  ...endColumns,
  held: ['int8', ({ held }) => held],
  heldUntil: ['timestamptz', ({ heldUntil }) => heldUntil],
  activeHolds: ['int4', ({ activeHolds }) => activeHolds],
}
// Most batches touch no hold: three arrays more would cost each transfer of theirs.
const endsWithHolds = rowArrays<LockedAccount>('s', heldColumns, placeOfEnds)
const unarrangedColumns: ArrayColumns<LockedAccount> = {
  ...heldColumns,
  unarranged: ['int8', ({ unarranged }) => unarranged?.amount ?? null],
  unarrangedSince: ['timestamptz', ({ unarranged }) => unarranged?.since ?? null],
}
const endsUnarranged = rowArrays<LockedAccount>('s', unarrangedColumns, placeOfEnds)

const writing = (
  name: string,
  { takes, unnest }: Pick<typeof ends, 'takes' | 'unnest'>,
  more: Fragment,
) =>
  statement(
    name,
    [...posted.takes, ...takes],
    sql`with posted as materialized (
     select ${bareColumns(postedColumns)}, session_id, from_balance, to_balance, fingerprint,
       from_name, from_iban, to_name, to_iban,
       case
         when kind = 'transfer' and counterparty_iban is not null then 'pending'
         -- Out of suspense: see 0055_sent_back.sql.
         when kind = 'return' and from_account_id >= '00000000-0000-8000-8000-000005000000'
           and from_account_id < '00000000-0000-8000-8000-000006000000' then 'pending'
         else 'completed'
       end as status,
       substring(proof, 1, 32) as from_hash, substring(proof, 33, 32) as to_hash,
       substring(proof, 65, 16) as salt
     from ${posted.unnest}
   ), transfers_posted as (
     insert into transfers (${bareColumns(postedColumns)}, status, session_id, salt)
     select ${bareColumns(postedColumns)}, status, session_id, salt from posted
   ), entries_posted as (
     insert into entries (
       account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind, reference,
       counterparty_name, counterparty_iban, texts_in_chain
     )
     select from_account_id, id, from_seq, -amount, from_balance, created_at, from_hash, kind,
       reference, from_name, from_iban, true
     from posted
     union all
     select to_account_id, id, to_seq, amount, to_balance, created_at, to_hash, kind,
       reference, to_name, to_iban, true
     from posted
   ), remembered as (
     insert into recent_transfers (fingerprint, transfer_id, created_at)
     select fingerprint, id, created_at from posted where fingerprint is not null
     on conflict (fingerprint) do update
       set transfer_id = excluded.transfer_id, created_at = excluded.created_at
   ), told as (
     insert into events (type, at, ids)
     select told.type, of.at, told.ids
     from (
       select max(created_at) as at,
         array_agg(id) filter (where status = 'completed') as completed,
         array_agg(id) filter (where status = 'pending') as pending,
         -- Money from another bank that is sent back there was not returned from there.
         array_agg(reversal_of) filter (
           where kind = 'reversal' or (kind = 'return' and status = 'pending')) as reversed,
         array_agg(reversal_of) filter (
           where kind = 'return' and status = 'completed') as returned,
         array_agg(reversal_of) filter (where kind = 'cancellation') as cancelled
       from posted
     ) of, lateral (values
       ('transfer.completed', of.completed), ('transfer.pending', of.pending),
       ('transfer.reversed', of.reversed), ('transfer.returned', of.returned),
       ('transfer.cancelled', of.cancelled)
     ) as told (type, ids)
     where told.ids is not null
   )
   update accounts a
   set balance = s.balance, last_seq = s.last_seq, last_hash = s.last_hash,
       last_entry_at = s.last_entry_at, spent_on = s.spent_on::date,
       spent_amount = s.spent_amount${more}
   from ${unnest} where a.id = s.id`,
  )
const writeBatchRows = writing('ledger_write_batch', ends, fragment``)
const writeHeld = fragment`, held = s.held, held_until = s.held_until,
       active_holds = s.active_holds`
const writeBatchAndHeld = writing('ledger_write_batch_and_held', endsWithHolds, writeHeld)
const writeBatchUnarranged = writing(
  'ledger_write_batch_unarranged',
  endsUnarranged,
  fragment`${writeHeld}, unarranged = coalesce(s.unarranged, a.unarranged),
       unarranged_since = coalesce(a.unarranged_since, s.unarranged_since)`,
)
/**
 * Writes, in one statement, the transfers, two entries for each, what is remembered against
 * duplicates, a row for each type of event, and the accounts as they stand afterwards.
 *
 * @param isHeld whether what an account holds may have changed: with its balance in one statement,
 *   since the schema has a check over both. So it is with an unarranged overdraft, which no other
 *   statement raises
 */
export function writeBatch(
  db: Db,
  transfers: readonly NewTransfer[],
  accounts: readonly LockedAccount[],
  isHeld: boolean,
) {
  const values = posted.values(transfers)
  if (accounts.some(({ unarranged }) => unarranged !== undefined)) {
    return db.run(writeBatchUnarranged, [...values, ...endsUnarranged.values(accounts)])
  }
  return isHeld
    ? db.run(writeBatchAndHeld, [...values, ...endsWithHolds.values(accounts)])
    : db.run(writeBatchRows, [...values, ...ends.values(accounts)])
}

/** An entry of the clearing account without an amount: how far a transfer is. */
export type Mark = {
  kind: 'sending' | 'settlement'
  accountId: string
  seq: bigint
  balance: bigint
  at: Date
  hash: string
}

/** The status that a transfer to another bank has come to, with what marks it in the chain. */
export type Step = { id: string; status: Status; marks: readonly Mark[] }

const steps = rowArrays<Step>('s', {
  id: ['uuid', ({ id }) => id],
  status: ['text', ({ status }) => status],
  sentSeq: ['int8', ({ marks }) => marks.find(({ kind }) => kind === 'sending')?.seq ?? null],
  settledSeq: ['int8', ({ marks }) => marks.find(({ kind }) => kind === 'settlement')?.seq ?? null],
})
type PlacedMark = Mark & { transferId: string }
const marks = rowArrays<PlacedMark>(
  'm',
  {
    transferId: ['uuid', ({ transferId }) => transferId],
    kind: ['text', ({ kind }) => kind],
    accountId: ['uuid', ({ accountId }) => accountId],
    seq: ['int8', ({ seq }) => seq],
    balance: ['int8', ({ balance }) => balance],
    at: ['timestamptz', ({ at }) => at],
    hash: ['bytea', ({ hash }) => Buffer.from(hash, 'hex')],
  },
  steps.takes.length + 1,
)
// With `status = 'pending'` PostgreSQL may read the index of pending transfers whole: it takes them
// for as few as they were when the table was analyzed.
const writeStepRows = statement(
  'ledger_write_steps',
  [...steps.takes, ...marks.takes],
  sql`with stepped as materialized (
     select id, status, sent_seq, settled_seq from ${steps.unnest}
   ), marked as materialized (
     select transfer_id, kind, account_id, seq, balance, at, hash from ${marks.unnest}
   ), marks_posted as (
     -- A reference: no text is ever filled in.
     insert into entries (
       account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind, reference
     )
     select account_id, transfer_id, seq, 0, balance, at, hash, kind,
       case when kind = 'sending' then '' end
     from marked
   ), told as (
     insert into events (type, at, ids)
     select case kind when 'sending' then 'transfer.sent' else 'transfer.settled' end, max(at),
       array_agg(transfer_id)
     from marked group by kind
   )
   update transfers t
   set status = e.status, sent_seq = coalesce(e.sent_seq, t.sent_seq),
       settled_seq = coalesce(e.settled_seq, t.settled_seq)
   from stepped e where t.id = e.id and t.status not in ('returned', 'cancelled')`,
)
export const writeSteps = (db: Db, rows: readonly Step[]) =>
  db.run(writeStepRows, [
    ...steps.values(rows),
    ...marks.values(
      rows.flatMap(({ id, marks: ofStep }) => ofStep.map((mark) => ({ ...mark, transferId: id }))),
    ),
  ])
