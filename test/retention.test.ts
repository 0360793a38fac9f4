// What is kept for a time is kept to its last millisecond, and gone at its end. The times stand
// here as numbers: a constant that is changed by mistake changes no test with it.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { purgesOf } from '../src/app/core.ts'
import { readConfig } from '../src/config/config.ts'
import { statements } from '../src/database/statements/statement.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { utcDays } from '../src/domain/days.ts'
import { newId } from '../src/domain/ids.ts'
import { issueToken } from '../src/features/auth/reset.ts'
import { mailKinds } from '../src/features/mail/kinds.ts'
import { queueEmailChanged, queueMail, queueReset } from '../src/features/mail/sql.ts'
import { bank } from './support/bank.ts'
import { readMails } from './support/mailbox.ts'
import { people, world } from './support/world.ts'

const second = 1000
const hour = 3600 * second
const day = 24 * hour
const at = Date.UTC(2026, 2, 1)

type Kept = {
  table: string
  /** Adds what is kept: `$1` is the time that it is kept from, `$2` an identifier of that time. */
  insert: string
  /** Milliseconds. */
  life: number
  /** By the millisecond in their identifier: they go in the one behind the end. */
  isById?: true
}

const ada = `'${people.ada.id}'`
const session = `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
  values ($2::uuid, ${ada}, $1, $1, $1::timestamptz)`

/** By the statement that removes it. */
const kept: Readonly<Record<string, Kept>> = {
  ledger_purge_claims: {
    table: 'claims',
    insert: `insert into claims (caller_id, key, fingerprint, transfer_id, claimed_at)
      values (${ada}, 'key', $2::uuid, $2::uuid, $1::timestamptz)`,
    life: 24 * hour,
  },
  ledger_purge_recent: {
    table: 'recent_transfers',
    insert: `insert into recent_transfers values ($2::uuid, $2::uuid, $1::timestamptz)`,
    life: 10 * second,
  },
  purge_sessions: { table: 'sessions', insert: session, life: 30 * day },
  purge_refresh_tokens: {
    table: 'refresh_tokens',
    insert: `with made as (${session} returning id)
      insert into refresh_tokens (token_hash, session_id) select '\\x01', id from made`,
    life: 30 * day,
  },
  purge_links: {
    table: 'password_tokens',
    insert: `insert into password_tokens
      values (${ada}, sha256($2::text::bytea), 'ada@example.com', 0, $1::timestamptz)`,
    life: 0,
  },
  purge_email_changes: {
    table: 'email_changes',
    insert: `insert into email_changes
      values (${ada}, $2::uuid, 'ada@example.org', sha256($2::text::bytea), $1::timestamptz)`,
    life: 0,
  },
  purge_devices: {
    table: 'devices',
    insert: `insert into devices values ($2::uuid, ${ada}, '\\x01', $1, $1::timestamptz)`,
    life: 365 * day,
  },
  // Of a login and of a confirmation.
  purge_challenges: {
    table: 'challenges',
    insert: `insert into challenges
        (id, purpose, user_id, session_id, operation, terms, digest, nonce, created_at, expires_at)
      values ($2::uuid, 'passkey-login', null, null, null, null, null, sha256(''), $1, $1),
        (gen_random_uuid(), 'confirmation', ${ada}, $2::uuid, 'x', '{}', sha256(''), sha256(''),
         $1, $1::timestamptz)`,
    life: 0,
  },
  purge_pending_factors: {
    table: 'factors',
    insert: `insert into factors (id, user_id, kind, name, secret_sealed, created_at)
      values ($2::uuid, ${ada}, 'totp', 'Phone', '\\x01', $1::timestamptz)`,
    life: 300 * second,
  },
  // As long as a request that names it may be repeated.
  purge_payee_checks: {
    table: 'payee_checks',
    insert: `insert into payee_checks
      values ($2::uuid, $2::uuid, ${ada}, 'Ben', 'X', 'match', null, $1::timestamptz)`,
    life: 25 * hour + 900 * second,
  },
  purge_factor_resets: {
    table: 'factor_resets',
    insert: `insert into factor_resets
      values (${ada}, sha256($2::text::bytea), 'ada@example.com', $1::timestamptz)`,
    life: 0,
  },
  purge_issuer_visits: {
    table: 'issuer_visits',
    insert: `insert into issuer_visits
      values (sha256($2::text::bytea), null, null, $1, $1::timestamptz)`,
    life: 0,
  },
  purge_issuer_logouts: {
    table: 'issuer_logouts',
    insert: `insert into issuer_logouts
      values (sha256($2::text::bytea), sha256(''), null, $1, $1::timestamptz)`,
    life: 0,
  },
  approvals_purge: {
    table: 'approvals',
    insert: `insert into approvals (id, operation, request, maker_id, maker_session_id, created_at,
        expires_at)
      values ($2::uuid, 'x', '{}', ${ada}, $2::uuid, $1, $1::timestamptz)`,
    life: 30 * day,
    isById: true,
  },
  payments_purge_refused: {
    table: 'refused_payments',
    insert: `insert into refused_payments (id, account_id, reason, amount, currency, created_at)
      select $2::uuid, id, 'forbidden', 1, 'EUR', $1::timestamptz from accounts limit 1`,
    life: 90 * day,
    isById: true,
  },
  webhook_deliveries_purge: {
    table: 'webhook_deliveries',
    insert: `insert into webhook_deliveries (id, webhook_id, type, at, account_ids, due_at)
      values ($2::uuid, $2::uuid, 'test', $1, '{}', $1::timestamptz)`,
    life: 30 * day,
    isById: true,
  },
}

/** Statements that remove rows for another reason than their age. */
const others: Readonly<Record<string, string>> = {
  archive_end_kept: 'an archive is restored: src/cli/archive/archive.test.ts',
  archive_end_restore: 'the same',
  archive_remove_details: 'what is in an archive: src/cli/archive/archive.test.ts',
  archive_remove_entries: 'the same',
  archive_remove_heads: 'an archive is restored',
  archive_remove_search: 'what is in an archive',
  archive_remove_terms: 'the same',
  archive_remove_transfers: 'the same',
  account_freezes_delete: 'the account is unfrozen',
  audit_drop: 'whole months that were exported: src/cli/audit-file.test.ts',
  auth_insert_device: 'the oldest devices of a person who has too many',
  auth_forget_wrong_codes: 'a success',
  email_delete_next: 'withdrawn, or another address is set',
  email_use_token: 'used up',
  entry_notes_delete: 'taken away',
  erase_former_names: 'names of before the time that an operator gives',
  erase_order_texts: 'the texts are erased: src/features/orders/close.test.ts',
  erase_person: 'an erased person',
  factors_delete: 'taken away',
  factors_delete_others: 'replaced',
  factors_insert: 'an earlier enrolment',
  factors_delete_codes: 'replaced',
  factors_delete_reset: 'used up',
  ledger_drop_claims:
    'keys that are claimed anew after their time: src/ledger/batch/ledger.test.ts',
  ibans_remove_pooled: 'given to an account by hand',
  ibans_take_pooled: 'given to an account',
  issuer_delete_link: 'an administrator, or a role that is no staff',
  issuer_take_visit: 'used up',
  mail_delete: 'sent, or given up: see below',
  mail_delete_proofs: 'a newer address is asked for',
  orders_take_texts: 'the texts are erased: src/features/orders/close.test.ts',
  reset_delete_devices: 'a new password',
  reset_use_token: 'used up',
  reset_delete_links: 'void',
  sessions_raise_generation: 'the request for another address ends with the sessions',
  webhooks_delete: 'deleted',
}

const config = readConfig({})

test('each statement that removes rows is in one of these tables, and in no other', async () => {
  const source = fileURLToPath(new URL('../src', import.meta.url))
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts') && !file.endsWith('.test.ts')) await import(`${source}/${file}`)
  }
  // The demo may be loaded by another file of the process.
  const removing = [...statements.values()].filter(
    ({ name, text }) => /delete from/i.test(text) && !name.startsWith('demo_'),
  )
  assert.deepEqual(
    removing.map(({ name }) => name).toSorted(),
    [...Object.keys(kept), ...Object.keys(others)].toSorted(),
  )
})

for (const [name, { table, insert, life, isById = false }] of Object.entries(kept)) {
  test(`${table} are kept to the last millisecond, and removed by ${name} then`, async (t) => {
    const { db, sql } = await bank(t)
    await sql(`delete from ${table}`)
    const count = async () => (await sql(`select from ${table}`)).length
    const purge = async (now: number) => {
      for (const batch of purgesOf(config, { info() {} }, () => utcDays)) {
        while (await transaction(db, (tx) => batch(tx, now)));
      }
    }
    await sql(insert, [new Date(at), newId(at)])
    const made = await count()
    assert.ok(made > 0)
    const end = at + life + Number(isById)
    await purge(end - 1)
    assert.equal(await count(), made)
    // Another transaction has them: the purge neither waits for that nor removes them.
    await sql('begin')
    await sql(`select from ${table} for update`)
    await purge(end)
    await sql('commit')
    assert.equal(await count(), made)
    await purge(end)
    assert.equal(await count(), 0)
  })
}

test('a mail is sent in the last millisecond of its time, and given up at the end', async (t) => {
  const made = await world(t)
  const { clock, sql } = made
  const due = clock.now() + hour
  for (const [id, expires] of [
    [newId(1), due + 1],
    [newId(2), due],
  ] as const) {
    await sql(
      `insert into mails (id, kind, user_id, created_at, due_at, expires_at)
       values ($1, 'password-changed', $2, $3, $3, $4)`,
      [id, people.ada.id, new Date(due), new Date(expires)],
    )
  }
  clock.advance(hour - 1)
  assert.equal((await readMails(made)).length, 0)
  clock.advance(1)
  assert.equal((await readMails(made)).length, 1)
  assert.equal((await sql('select from mails')).rowCount, 0)
})

/** Mails of payments, orders and addresses are queued with them, that of a pause by the outbox. */
const things = 'order|card|list|account|money|balance|draft|member'
const ofOthers = new RegExp(`^(payment|alerts-paused|(${things})-.*|email-(asked|proof))$`)

test('a link and a mail live half an hour for a reset, and a day for all else', async (t) => {
  const { db, sql } = await bank(t)
  await sql('update users set has_factor = true where id = $1', [people.ada.id])
  const links = await transaction(db, async (tx) => [
    await issueToken(tx, people.ada.id, 'reset', at),
    await issueToken(tx, people.ada.id, 'invitation', at),
    await issueToken(tx, people.ada.id, 'factor-reset', at),
  ])
  const lives = links.map((link) => (link?.expiresAt ?? 0) - at)
  assert.deepEqual(lives, [hour / 2, day, day])
  await transaction(db, async (tx) => {
    await queueReset(tx, 'ada@example.com', at)
    await queueEmailChanged(tx, people.ada.id, 'ada@example.com', at)
    for (const kind of mailKinds) {
      if (!['reset', 'email-changed'].includes(kind) && !ofOthers.test(kind)) {
        await queueMail(tx, kind as Parameters<typeof queueMail>[1], people.ada.id, at)
      }
    }
  })
  const rows = await sql(`select kind, expires_at - created_at as life from mails
    where expires_at - created_at <> case kind when 'reset' then interval '30 minutes'
                                              else interval '24 hours' end`)
  assert.deepEqual(rows, [])
  const queued = mailKinds.filter((kind) => !ofOthers.test(kind))
  assert.equal((await sql('select from mails')).length, queued.length)
})
