// The ledger on a real database: exactly what it answers is in the books.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import {
  bank,
  callers,
  code,
  expectRefusal,
  finishing,
  payElsewhere,
} from '../../../test/support/bank.ts'
import { people } from '../../../test/support/people.ts'
import { type Code, type Refusal, refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { currencies } from '../../domain/money.ts'
import { bankAccount, bankCodes } from '../rules/internal-accounts.ts'
import { openLedger } from './batch.ts'
import { movementFingerprint, replayMovement } from './idempotency.ts'
import { purgeOnce } from '../../database/background/purge.ts'
import { purgeLedger } from './purge.ts'
import type { Movement } from '../rules/movement.ts'

test('a transfer moves the money and makes two entries', async (t) => {
  const { ledger, account, movement, balance, sql } = await bank(t)
  const [from, to] = [await account(1000n), await account()]
  const { transfer, isReplayed } = await ledger.submit(movement(from, to, { amount: 250n }))
  assert.equal(isReplayed, false)
  assert.equal(transfer.status, 'completed')
  assert.deepEqual([await balance(from), await balance(to)], [750n, 250n])
  const entries = await sql(
    `select account_id, seq::text, amount::text, balance_after::text from entries
     where transfer_id = $1 order by amount`,
    [transfer.id],
  )
  assert.deepEqual(entries, [
    { account_id: from, seq: '2', amount: '-250', balance_after: '750' },
    { account_id: to, seq: '1', amount: '250', balance_after: '250' },
  ])
})

test('the hash chain can be computed from the tables alone', async (t) => {
  const { ledger, account, movement, sql } = await bank(t)
  const [from, to] = [await account(1000n), await account()]
  for (const amount of [1n, 2n, 3n]) await ledger.submit(movement(from, to, { amount }))
  const rows = await sql(
    `select e.account_id, e.seq, e.transfer_id, e.amount, e.balance_after,
            encode(e.hash, 'hex') as hash,
            (extract(epoch from e.created_at) * 1000)::bigint as at,
            t.kind, t.from_account_id, t.to_account_id, t.amount as whole, t.currency,
            encode(t.salt, 'hex') as salt, t.reference, t.caller_id, t.session_id,
            e.reference as shown, e.counterparty_name as name, e.counterparty_iban as iban
     from entries e join transfers t on t.id = e.transfer_id
     where e.account_id = $1 order by e.seq`,
    [from],
  )
  assert.equal(rows.length, 4)
  let previous = '0'.repeat(64)
  for (const row of rows) {
    const { account_id, seq, transfer_id, kind, amount, balance_after, at } = row
    const commit = (...texts: unknown[]) => hash('sha256', JSON.stringify([row['salt'], ...texts]))
    const { from_account_id, to_account_id, whole, currency, caller_id, session_id } = row
    const text = [previous, account_id, seq, kind, amount, balance_after, at, transfer_id, kind]
    text.push(from_account_id, to_account_id, whole, currency, '', '', caller_id, session_id, at)
    text.push(commit(row['reference'], null, null), commit(row['shown'], row['name'], row['iban']))
    previous = hash('sha256', text.join('|'))
    assert.equal(row['hash'], previous)
  }
})

test('a refused movement does not affect the movements beside it in the batch, and leaves no trace', async (t) => {
  const { ledger, account, movement, balance, sql } = await bank(t)
  const [from, to] = [await account(10n), await account()]
  const answers = await Promise.all(
    [4n, 100n, 5n, 2n].map((amount) => code(ledger.submit(movement(from, to, { amount })))),
  )
  assert.deepEqual(answers, ['done', 'insufficient_funds', 'done', 'insufficient_funds'])
  assert.deepEqual([await balance(from), await balance(to)], [1n, 9n])
  const [row] = await sql(`select count(*)::int from transfers where kind = 'transfer'`)
  assert.equal(row?.['count'], 2)
})

test('a movement that the database refuses does not fail the movements beside it', async (t) => {
  const { ledger, account, movement, balance, sql } = await bank(t)
  const [from, to] = [await account(10n), await account()]
  await sql(`alter table transfers add constraint not_bad check (reference <> 'bad')`)
  const answers = await Promise.allSettled(
    ['a', 'bad', 'b'].map((reference) => ledger.submit(movement(from, to, { reference }))),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal(await balance(from), 8n)
})

test('a defect in the plan is an internal error of its movement alone, which is not retried', async (t) => {
  const { ledger, account, movement, balance } = await bank(t)
  const [from, to] = [await account(10n), await account()]
  const defect = { amount: 'not a bigint' as never }
  assert.equal(await code(ledger.submit(movement(from, to, defect))), 'internal_error')
  const answers = [{ key: 'a' }, defect, { key: 'b' }].map((more) =>
    code(ledger.submit(movement(from, to, more))),
  )
  assert.deepEqual(await Promise.all(answers), ['done', 'internal_error', 'done'])
  assert.equal(await balance(to), 2n)
})

test('a repeated key gets the first answer, on another instance and for a refusal too', async (t) => {
  const { db, clock, ledger, account, movement, balance } = await bank(t)
  const other = openLedger(db, clock)
  t.after(() => other.close())
  const [from, to] = [await account(10n), await account()]
  const keyed = movement(from, to, { key: 'one' })
  const first = await ledger.submit(keyed)
  const again = await other.submit(keyed)
  assert.deepEqual(again, { ...first, isReplayed: true })
  assert.equal(await code(other.submit({ ...keyed, amount: 2n })), 'idempotency_key_reused')
  assert.equal(await balance(to), 1n)

  const much = movement(from, to, { key: 'two', amount: 100n })
  assert.equal(await code(ledger.submit(much)), 'insufficient_funds')
  clock.advance(1)
  const refused = await expectRefusal(other.submit(much))
  assert.equal(refused.code, 'insufficient_funds')
  assert.deepEqual(refused.options.headers, { 'idempotency-replayed': 'true' })
})

test('a key belongs to one caller, and is free again after a day', async (t) => {
  const { db, clock, ledger, account, movement, balance } = await bank(t)
  const [from, to] = [await account(10n), await account()]
  const [bens, other] = [await account(0n, 'ben'), await account(0n, 'ben')]
  await ledger.submit(movement(from, to, { key: 'k' }))
  const sameKey = movement(bens, other, { key: 'k', caller: callers.ben })
  assert.equal(await code(ledger.submit(sameKey)), 'insufficient_funds')
  clock.advance(24 * 60 * 60 * 1000 - 1)
  assert.equal((await ledger.submit(movement(from, to, { key: 'k' }))).isReplayed, true)
  assert.equal((await replayMovement(db, clock, movement(from, to, { key: 'k' }))).isReplayed, true)
  clock.advance(1)
  assert.equal(await code(replayMovement(db, clock, movement(from, to, { key: 'k' }))), 'not_found')
  assert.equal((await ledger.submit(movement(from, to, { key: 'k' }))).isReplayed, false)
  assert.equal(await balance(to), 2n)
})

test('while a request with a key is running, the key is refused', async (t) => {
  const { ledger, account, movement } = await bank(t)
  const [from, to] = [await account(10n), await account()]
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => code(ledger.submit(movement(from, to, { key: 'k' })))),
  )
  assert.equal(answers.filter((answer) => answer === 'done').length, 1)
  assert.equal(answers.filter((answer) => answer === 'request_in_progress').length, 19)
})

test('without a key, a repetition within ten seconds is a duplicate, and names the transfer', async (t) => {
  const { db, clock, ledger, account, movement, balance } = await bank(t)
  const other = openLedger(db, clock)
  t.after(() => other.close())
  const [from, to] = [await account(100n), await account()]
  const answers = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      (index % 2 ? other : ledger).submit(movement(from, to)),
    ),
  )
  const done = answers.filter((answer) => answer.status === 'fulfilled')
  assert.equal(done.length, 1)
  const location = `/api/v1/transfers/${done[0]?.value.transfer.id}`
  for (const answer of answers) {
    if (answer.status === 'fulfilled') continue
    assert.equal((answer.reason as Refusal).code, 'duplicate_transfer')
    assert.deepEqual((answer.reason as Refusal).options.headers, { location })
  }
  assert.equal(await code(ledger.submit(movement(from, to, { reference: 'else' }))), 'done')
  assert.equal(await code(ledger.submit(movement(from, to, { key: 'fresh' }))), 'done')
  assert.equal(await code(ledger.submit(movement(from, to, { key: 'fresher' }))), 'done')
  clock.advance(9999)
  assert.equal(await code(ledger.submit(movement(from, to))), 'duplicate_transfer')
  clock.advance(1)
  const { transfer: next } = await ledger.submit(movement(from, to))
  const { code: refusal, options } = await expectRefusal(ledger.submit(movement(from, to)))
  assert.equal(refusal, 'duplicate_transfer')
  assert.deepEqual(options.headers, { location: `/api/v1/transfers/${next.id}` })
  assert.equal(await balance(to), 5n)
})

test('two movements are the same only if all of their terms are', () => {
  const terms = {
    kind: 'transfer',
    fromAccountId: 'a',
    toAccountId: 'b',
    amount: 1n,
    currency: 'EUR',
    reference: '',
    caller: callers.ada,
  } satisfies Movement
  const changes: object[] = [
    { kind: 'deposit' },
    { fromAccountId: 'c' },
    { toAccountId: 'c' },
    { amount: 2n },
    { currency: 'USD' },
    { reference: 'x' },
    { caller: callers.ben },
    { originalId: 'x' },
    { beneficiaryId: 'x' },
    { beneficiaryId: 'y' },
  ]
  const same = movementFingerprint(terms)
  const all = changes.map((change) => movementFingerprint({ ...terms, ...change }))
  assert.equal(new Set([same, ...all]).size, 1 + all.length)
  const elsewhere = { ...callers.ada, sessionId: 'another' }
  assert.equal(movementFingerprint({ ...terms, caller: elsewhere, key: 'x' }), same)
  const moved = movementFingerprint({ ...terms, toAccountId: 'c', beneficiaryId: 'y' })
  assert.equal(moved, all.at(-1), 'a beneficiary stands for its account')
})

test('the daily limit counts all transfers of the day, batch after batch, until midnight (UTC)', async (t) => {
  const { clock, ledger, account, movement, sql } = await bank(t)
  const [from, to] = [await account(1000n), await account()]
  await sql('update accounts set daily_transfer_limit = 10 where id = $1', [from])
  // What staff take out is not a transfer of the owner.
  const kind = { kind: 'withdrawal', amount: 9n, caller: callers.root } as const
  await ledger.submit({ ...movement(from, bankAccount('cash', 'EUR')), ...kind })
  let keys = 0
  const pay = (amount: bigint) =>
    code(ledger.submit(movement(from, to, { amount, key: `${keys++}` })))
  assert.deepEqual(await Promise.all([pay(4n), pay(4n)]), ['done', 'done'])
  assert.equal(await pay(3n), 'limit_exceeded')
  assert.equal(await pay(2n), 'done')
  clock.advance(15 * 3_600_000 - 1)
  assert.equal(await pay(1n), 'limit_exceeded')
  clock.advance(1)
  assert.equal(await pay(10n), 'done')
  assert.equal(await pay(1n), 'limit_exceeded')
})

test('the owner is told which limit refused a transfer, what is used, until when; and again by the key', async (t) => {
  const { clock, ledger, account, movement, sql } = await bank(t)
  const [from, to] = [await account(1000n), await account()]
  await sql('update accounts set daily_transfer_limit = 10 where id = $1', [from])
  await ledger.submit(movement(from, to, { amount: 4n, key: 'first' }))
  const limitOf = async (amount: bigint, key?: string) => {
    const thrown = await ledger.submit(movement(from, to, { amount, key })).catch((error) => error)
    assert.equal(thrown.code, 'limit_exceeded')
    return thrown.options.limit
  }
  const [name, currency] = ['dailyTransfers', 'EUR']
  const resetsAt = new Date(Math.ceil(clock.now() / 86_400_000) * 86_400_000).toISOString()
  const told = { name, amount: '0.10', used: '0.04', currency, resetsAt }
  assert.deepEqual(await limitOf(7n, 'second'), told)
  assert.deepEqual(await limitOf(7n), told, 'without a key too')
  await ledger.submit(movement(from, to, { amount: 2n, key: 'third' }))
  assert.deepEqual(await limitOf(7n, 'second'), told, 'the first answer of its key')
  // It is no limit of the owner's that an account holds no more than an int8.
  await sql('update accounts set daily_transfer_limit = null where id = $1', [from])
  await sql('update accounts set balance = 9000000000000000000 where id = $1', [to])
  assert.equal(await limitOf(1n), undefined)
})

test('an account whose last entry is more than five seconds ahead takes no movement', async (t) => {
  const { clock, ledger, account, movement, sql } = await bank(t)
  const [from, to] = [await account(1000n), await account()]
  const setAhead = (ms: number) =>
    sql('update accounts set last_entry_at = $2 where id = $1', [from, new Date(clock.now() + ms)])
  await setAhead(5000)
  const { transfer } = await ledger.submit(movement(from, to))
  assert.equal(transfer.createdAt.getTime(), clock.now() + 5000, 'times never go back')
  await setAhead(5001)
  assert.equal(await code(ledger.submit(movement(from, to, { key: 'later' }))), 'unavailable')
})

test('accounts are locked in the order of their identifiers, and judged behind the locks', async (t) => {
  const { address, ledger, account, movement, sql } = await bank(t)
  const [low = '', high = ''] = [await account(100n), await account(100n)].toSorted()
  // Now the table itself has them in the other order.
  await sql('update accounts set alerts_enabled = false where id = $1', [low])
  const holder = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await holder.connect()
  await holder.query('begin')
  await holder.query(`update accounts set status = 'frozen' where id = $1`, [low])
  const answer = code(ledger.submit(movement(low, high)))
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  for (let look = 0; look < 10_000; look++) if ((await sql(waiting)).length > 0) break
  const isFree = 'select from accounts where id = $1 for no key update skip locked'
  assert.equal((await sql(isFree, [high])).length, 1, 'it waits for the first without the second')
  await holder.query('commit')
  assert.equal(await answer, 'account_frozen')
  await holder.end()
})

test('a payment that signs a draft has exactly its terms', async (t) => {
  const { ledger, account, movement, clock, sql } = await bank(t)
  const [from, to, other] = [await account(100n), await account(), await account()]
  const id = newId(clock.now())
  await sql(
    `insert into payment_drafts (id, account_id, maker_id, to_account_id, amount, reference,
       expires_at, created_at)
     select $1, $2, id, $3, 5, 'Rent', $4::timestamptz + interval '1 day', $4
     from users where username = 'ben'`,
    [id, from, to, new Date(clock.now())],
  )
  await sql(
    `insert into account_members (id, account_id, person_id, username, rights, invited_at,
       expires_at, accepted_at)
     select $1, $2, id, username, 'prepare', $3, $3, $3 from users where username = 'ben'`,
    [newId(clock.now()), from, new Date(clock.now())],
  )
  const terms = { amount: 5n, reference: 'Rent', draft: { id, people: [] } }
  for (const more of [{ amount: 6n }, { reference: 'Rents' }]) {
    const altered = movement(from, to, { ...terms, ...more })
    assert.equal(await code(ledger.submit(altered)), 'illegal_transition')
  }
  assert.equal(await code(ledger.submit(movement(from, other, terms))), 'illegal_transition')
  assert.equal(await code(ledger.submit(movement(from, to, terms))), 'done')
})

test('identical movements with different keys are paid each', async (t) => {
  const { ledger, account, movement, balance } = await bank(t)
  const [from, to] = [await account(100n), await account()]
  await Promise.all(['a', 'b', 'c'].map((key) => ledger.submit(movement(from, to, { key }))))
  assert.equal(await balance(to), 3n)
})

test('one key for different accounts on two instances at once pays once', async (t) => {
  const { db, clock, ledger, account, movement, sql } = await bank(t)
  const other = openLedger(db, clock)
  t.after(() => other.close())
  const [a, b, c, d] = [await account(100n), await account(), await account(100n), await account()]
  for (let round = 0; round < 20; round++) {
    const key = `round-${round}`
    const answers = await Promise.all([
      code(ledger.submit(movement(a, b, { key }))),
      code(other.submit(movement(c, d, { key }))),
    ])
    assert.deepEqual(answers.toSorted(), ['done', 'idempotency_key_reused'])
  }
  const [row] = await sql(`select count(*)::int from transfers where kind = 'transfer'`)
  assert.equal(row?.['count'], 20)
})

test('an order is refused when its session or role has ended since the gate', async (t) => {
  const { ledger, account, movement, balance, sql } = await bank(t)
  const [from, to] = [await account(100n), await account()]
  const cases: [end: string, restore: string, Code][] = [
    [
      `update sessions set ended_at = now(), ended_because = 'logout' where user_id = $1`,
      `update sessions set ended_at = null, ended_because = null where user_id = $1`,
      'session_revoked',
    ],
    [
      `update sessions set ends_at = '2026-01-01' where user_id = $1`,
      `update sessions set ends_at = '2027-01-01' where user_id = $1`,
      'session_expired',
    ],
    [
      `update users set status = 'disabled' where id = $1`,
      `update users set status = 'active' where id = $1`,
      'session_revoked',
    ],
    [
      `update users set roles = '{support-agent}' where id = $1`,
      `update users set roles = '{customer}' where id = $1`,
      'forbidden',
    ],
  ]
  for (const [end, restore, refusal] of cases) {
    await sql(end, [people.ada.id])
    assert.equal(await code(ledger.submit(movement(from, to, { key: 'k' }))), refusal)
    await sql(restore, [people.ada.id])
  }
  assert.equal(await balance(to), 0n)
  assert.equal(await code(ledger.submit(movement(from, to, { key: 'k' }))), 'done')
})

test('a reversal and a return happen once, and a settlement ends the wait', async (t) => {
  const fixture = await bank(t)
  const { ledger, account, movement, balance, sql } = fixture
  const [from, to] = [await account(100n), await account()]
  const { transfer } = await ledger.submit(movement(from, to, { amount: 10n }))
  const reversal = {
    ...movement(to, from, { amount: 10n, caller: callers.root }),
    kind: 'reversal',
    originalId: transfer.id,
  } as const
  const reversals = Array.from({ length: 20 }, () => code(ledger.submit(reversal)))
  const codes = await Promise.all(reversals)
  assert.equal(codes.filter((answer) => answer === 'done').length, 1)
  assert.equal(codes.filter((answer) => answer === 'already_reversed').length, 19)

  const [one, two] = [await payElsewhere(fixture, from), await payElsewhere(fixture, from, 5n)]
  assert.equal(one.status, 'pending')
  assert.equal(await balance(from), 88n)
  const [returned, settled] = [finishing(one, 'return'), finishing(two, 'settlement')]
  assert.equal(await code(ledger.submit({ ...returned, kind: 'reversal' })), 'illegal_transition')
  const answers = await Promise.all(
    [returned, returned, settled, settled].map((again) => code(ledger.submit(again))),
  )
  assert.deepEqual(answers, ['done', 'illegal_transition', 'done', 'illegal_transition'])
  assert.equal(await balance(from), 95n)
  assert.equal(await balance(bankAccount('clearing', 'EUR')), 5n)
  const rows = await sql(`select status, count(*)::int from transfers group by 1 order by 1`)
  assert.deepEqual(rows, [
    { status: 'completed', count: 5 },
    { status: 'returned', count: 1 },
  ])
})

test('the service can neither rewrite nor remove what is in the books, nor can the owner', async (t) => {
  const { account, sql } = await bank(t)
  await account(10n)
  const attempts = [
    'update entries set amount = 2',
    'delete from entries',
    'truncate entries',
    'update transfers set amount = 2',
    'delete from transfers',
    'truncate transfers cascade',
  ]
  for (const attempt of attempts) {
    await assert.rejects(sql(attempt), /append-only/, attempt)
    await sql('set role strongroom_service')
    await assert.rejects(sql(attempt), /permission denied/, attempt)
    await sql('reset role')
  }
})

test('claims and traces past their time are purged, live ones and those in use stay', async (t) => {
  const { db, clock, ledger, account, movement, sql } = await bank(t)
  const [from, to] = [await account(100n), await account()]
  for (const key of ['old', 'used']) await ledger.submit(movement(from, to, { key }))
  clock.advance(24 * 60 * 60 * 1000)
  await ledger.submit(movement(from, to, { key: 'new' }))
  const lane = db.openLane()
  const left = async () => [
    (await sql('select key from claims order by key')).map(({ key }) => key),
    (await sql('select from recent_transfers')).length,
  ]
  await sql('begin')
  await sql(`select from claims where key = 'used' for update`)
  await sql('select from recent_transfers where created_at < $1 limit 1 for update', [
    new Date(clock.now()),
  ])
  // It does not wait for the transaction that uses them.
  await purgeOnce(lane, clock, purgeLedger)
  assert.deepEqual(await left(), [['new', 'used'], 2])
  await sql('commit')
  await purgeOnce(lane, clock, purgeLedger)
  assert.deepEqual(await left(), [['new'], 1])
  await lane.close()
})

test('orders that wait are refused when no standby confirms any more, not when one does again', async (t) => {
  const { db, clock, account, movement, balance } = await bank(t)
  const [from, to] = [await account(100n), await account()]
  let tell = (_isAway: boolean): void => {}
  const standby = { ...db.standby, onChange: (listener: typeof tell) => void (tell = listener) }
  const other = openLedger({ ...db, standby }, clock)
  t.after(() => other.close())
  const during = (isAway: boolean) => {
    const answer = code(other.submit(movement(from, to, { reference: `${isAway}` })))
    tell(isAway)
    return answer
  }
  assert.equal(await during(true), 'unavailable')
  assert.equal(await during(false), 'done')
  assert.equal(await balance(to), 1n)
})

test('a batch asks for the standby itself, and a database that is away is tried twice', async (t) => {
  const { db, clock, account, movement, balance } = await bank(t)
  const [from, to] = [await account(100n), await account()]
  let asked = 0
  const require = () => {
    // The first time it is asked for the movement, then for each attempt of its batch.
    if (++asked > 1) refuse('unavailable', { outage: 'standby' })
  }
  const other = openLedger({ ...db, standby: { ...db.standby, require } }, clock)
  t.after(() => other.close())
  assert.equal(await code(other.submit(movement(from, to))), 'unavailable')
  assert.equal(asked, 3)
  assert.equal(await balance(to), 0n)
})

test('close finishes accepted movements and accepts no more', async (t) => {
  const { db, clock, account, movement, balance } = await bank(t)
  const [from, to] = [await account(1000n), await account()]
  const other = openLedger(db, clock)
  // Two batches and more: some wait while others are posted.
  const answers = Array.from({ length: 600 }, (_, index) =>
    code(other.submit(movement(from, to, { reference: `${index}` }))),
  )
  await other.close()
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['done']))
  assert.equal(await balance(to), 600n)
  assert.equal(await code(other.submit(movement(from, to, { reference: 'd' }))), 'unavailable')
})

test('every currency has its accounts of the bank in the schema', async (t) => {
  const { sql } = await bank(t)
  for (const side of bankCodes) {
    const rows = await sql('select id, currency from accounts where kind = $1 order by 2', [side])
    const expected = currencies.map((currency) => ({ id: bankAccount(side, currency), currency }))
    assert.deepEqual(rows, expected)
  }
})

test('of two movements with one key whose claim has expired, one is paid in any interleaving', async (t) => {
  const fixture = await bank(t)
  const second = openLedger(fixture.db, fixture.clock)
  t.after(() => second.close())
  const [a, b] = [await fixture.account(100n), await fixture.account(100n)]
  const [to, other] = [await fixture.account(), await fixture.account()]
  await fixture.sql(
    `insert into claims (caller_id, key, fingerprint, refusal, claimed_at)
     values ($1, 'k', gen_random_uuid(), 'insufficient_funds', now() - interval '10 years')`,
    [people.ada.id],
  )
  const [first, late] = [
    fixture.movement(a, to, { key: 'k', amount: 5n }),
    fixture.movement(b, other, { key: 'k', amount: 7n }),
  ]
  // The later movement has read the expired claim when this lock stops it.
  const blocker = new pg.Client({ ...fixture.address, options: '-c search_path=strongroom' })
  await blocker.connect()
  await blocker.query('begin')
  await blocker.query('insert into recent_transfers values ($1, gen_random_uuid(), now())', [
    movementFingerprint(late),
  ])
  const lateAnswer = second.submit(late).then(
    () => 'paid',
    (thrown: Refusal) => thrown.code,
  )
  for (let waits = 0; waits === 0;) {
    const rows = await fixture.sql(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    waits = rows.length
  }
  const { transfer } = await fixture.ledger.submit(first)
  await blocker.query('rollback')
  await blocker.end()
  assert.equal(await lateAnswer, 'idempotency_key_reused')
  const again = await fixture.ledger.submit(first)
  assert.deepEqual([again.isReplayed, again.transfer.id], [true, transfer.id])
  assert.equal(await fixture.balance(b), 100n)
})
