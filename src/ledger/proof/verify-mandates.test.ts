// The proof of mandates and of what follows from them: holds, card payments, external identifiers
// and freezes have to be what was ordered, as far as the books and the trail tell it.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { openDatabase } from '../../database/connections/connect.ts'
import { execute } from '../../database/statements/query.ts'
import type { Db } from '../../database/statements/statement.ts'
import { firstId, newId } from '../../domain/ids.ts'
import { tryDamages } from '../../../test/support/damages.ts'
import { approve, approvalAt, pairOf } from '../../../test/support/approvals.ts'
import type { Reply } from '../../../test/support/client.ts'
import { assertSound, deposit, openAccount } from '../../../test/support/fixture.ts'
import { noteHeads, toStream } from '../../../test/support/heads.ts'
import { otherTables, tablesOfMoney, unproved } from '../../../test/support/money-columns.ts'
import { wholeBank } from '../../../test/support/whole-bank.ts'
import { world } from '../../../test/support/world.ts'
import { verifyLedger } from './verify.ts'
import { readHoldPage } from './verify-holds-sql.ts'

const bank = await wholeBank({ after })
const db = openDatabase(bank.address, { role: null })
after(() => db.close())
const mismatch = async () => (await verifyLedger(db)).mismatch

test('a change of each column of money is noticed, or the column is listed with the reason; a new table is decided', async () => {
  const { rows } = await bank.sql(
    `select relname from pg_class where relnamespace = 'strongroom'::regnamespace
       and relkind in ('r', 'p') and not relispartition`,
  )
  const decided = [...Object.keys(tablesOfMoney), ...Object.keys(otherTables)]
  assert.deepEqual(rows.map(({ relname }) => String(relname)).toSorted(), decided.toSorted())
  const { unnoticed } = await tryDamages(bank.address, tablesOfMoney, 'column')
  assert.deepEqual(
    unnoticed.filter((name) => !unproved.includes(name)),
    [],
  )
})

/** Changes the bank as its owner, tells what is noticed, and undoes the change. */
async function mismatchAfter(...changes: string[]): Promise<string | undefined> {
  const names = ['audit_events', 'external_ids', 'holds', 'card_refunds', 'account_freezes']
  await bank.sql('set session_replication_role = replica')
  for (const name of names) await bank.sql(`create table kept_${name} as table ${name}`)
  for (const change of changes) await bank.sql(change)
  const found = await mismatch()
  for (const name of names) {
    await bank.sql(`delete from ${name}`)
    await bank.sql(`insert into ${name} table kept_${name}`)
    await bank.sql(`drop table kept_${name}`)
  }
  assert.equal(await mismatch(), undefined)
  return found
}

const lines = `update payment_list_lines set amount = amount + 1 where list_id in
  (select id from payment_lists where status`

/** What has ended before `$1` is older than the heads. */
const older: [what: string, sql: string, isFound: boolean][] = [
  [
    'an active hold',
    `update holds set created_at = created_at - interval '1 s' where status = 'active'`,
    true,
  ],
  [
    'a hold that has ended',
    `update holds set created_at = created_at - interval '1 s' where status = 'released'`,
    false,
  ],
  [
    'a hold that has ended since',
    `update holds set created_at = created_at - interval '1 s', ended_at = $1 where status = 'released'`,
    true,
  ],
  [
    'a capture since of a hold',
    `update hold_captures set transfer_id = $2
     where transfer_id = (select transfer_id from hold_captures limit 1)`,
    true,
  ],
  ['a capture of a hold', 'update hold_captures set unheld = unheld + 1', false],
  ['a refund since', 'update card_refunds set transfer_id = $2', true],
  ['a chargeback that has ended since', 'update chargeback_ends set ended_at = $1', true],
  ['the end of a chargeback', 'update chargeback_ends set caller_id = chargeback_id', false],
  [
    'a decline',
    'update card_authorizations set account_id = card_id where reason is not null',
    false,
  ],
  [
    'a run that waits',
    `update standing_order_runs set due_on = due_on - 1 where outcome = 'waiting'`,
    true,
  ],
  [
    'a run that was made',
    `update standing_order_runs set amount = 1 where outcome = 'made'`,
    false,
  ],
  [
    'a run that was made since',
    `update standing_order_runs set amount = 1, at = $1 where outcome = 'made'`,
    true,
  ],
  ['an order', `update standing_orders set amount = amount + 1`, true],
  [
    'a list that is open',
    `update payment_lists set total = total + 1 where status = 'checked'`,
    true,
  ],
  [
    'a list that has ended',
    `update payment_lists set total = total + 1 where status = 'executed'`,
    false,
  ],
  [
    'a list that has ended since',
    `update payment_lists set total = total + 1, ended_at = $1 where status = 'executed'`,
    true,
  ],
  ['a line of a list that is open', `${lines} = 'checked')`, true],
  ['a line of a list that has ended', `${lines} = 'executed')`, false],
  ['a freeze', 'update account_freezes set actor_id = account_id', true],
  ['a block', 'update account_blocks set set_by = account_id', true],
]

test('of what is older than the heads, a proof of what is new reads what is open, has changed or stands for itself', async (t) => {
  // What ended up to a day before may have been written down behind the heads.
  const begin = bank.clock.now() + 25 * 3_600_000
  const options = { onlyNewFrom: begin, now: begin + 60_000 }
  const heads = await noteHeads(db)
  const owner = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
  await owner.connect()
  t.after(() => owner.end())
  const typed: Db = { run: (statement, values) => execute(owner, statement, values) }
  const mismatches = async () => {
    const onlyNew = await verifyLedger(typed, { ...options, since: toStream(heads) })
    return [onlyNew.mismatch, (await verifyLedger(typed)).mismatch]
  }
  assert.deepEqual(await mismatches(), [undefined, undefined])
  await owner.query('set session_replication_role = replica')
  const found: typeof older = []
  for (const [what, sql] of older) {
    await owner.query('begin')
    const values = [new Date(begin), newId(begin)].filter((_, at) => sql.includes(`$${at + 1}`))
    const { rowCount } = await owner.query(sql.replace('$2', '$1'), values)
    assert.ok(rowCount, what)
    const [onlyNew, all] = await mismatches()
    assert.notEqual(all, undefined, what)
    found.push([what, sql, onlyNew !== undefined])
    await owner.query('rollback')
  }
  assert.deepEqual(found, older)
})

test('a page of old rows ends with its last one, from which the next page goes on', async () => {
  const ids = (await bank.sql('select id from holds order by id')).rows.map(({ id }) => id)
  assert.ok(ids.length > 2)
  const later = new Date(bank.clock.now() + 25 * 3_600_000)
  const seen: string[] = []
  for (let after = firstId; ;) {
    const [row, ...more] = await db.run(readHoldPage, [after, 1n, newId(later.getTime()), later])
    assert.equal(more.length, 0)
    if (!row) break
    seen.push(row.id)
    after = row.id
  }
  assert.deepEqual(seen, ids)
})

test('what a release before has written is sound: events without terms, numbers without a seal', async () => {
  const older = [
    `update audit_events set detail = left(detail, 41) where action = 'createHold'`,
    `update audit_events set detail = 'amount' where action = 'updateHold'`,
    `update audit_events set detail = null where action = 'incrementCardPayment'`,
    'update external_ids set seal = null where transfer_id not in (select id from made_resources)',
  ]
  assert.equal(await mismatchAfter(...older), undefined)
})

test('holds and freezes are sound although the months of their events were dropped', async () => {
  const dropped = `delete from audit_events where action <> 'erase'`
  assert.equal(await mismatchAfter(dropped), undefined)
  // The trail begins only after them.
  const late = `insert into audit_events (id, at, action, outcome, request_id, address)
    select gen_random_uuid(), max(created_at) + interval '1 h', 'login', 'success',
      gen_random_uuid(), '::1' from transfers`
  assert.equal(await mismatchAfter(dropped, late), undefined)
})

test('a number that is removed is noticed, and so is a hold or a freeze without its event', async () => {
  const numbers = `delete from external_ids where transfer_id in (select id from`
  for (const [change, named] of [
    [`${numbers} transfers where kind = 'card' limit 1)`, /: the chain breaks$/],
    [`${numbers} transfers where kind = 'fee')`, /: the chain breaks$/],
    [`${numbers} card_authorizations limit 1)`, /: its external identifier is missing$/],
    [`delete from audit_events where action = 'createHold'`, /: its terms are not those/],
    [`delete from audit_events where action = 'releaseHold'`, /: it has not ended in that way/],
    [`delete from audit_events where action = 'freezeAccount'`, /^The freeze of account /],
    [
      `delete from audit_events where action = 'blockAccount'`,
      /^Block .* is not that of the trail/,
    ],
    [`delete from audit_events where action = 'unblockAccount'`, /^The lift of block /],
  ] as const) {
    assert.match((await mismatchAfter(change)) ?? 'nothing', named, change)
  }
})

test('a hold and a freeze that a second person approved are sound', async (t) => {
  const settings = { FOUR_EYES: 'createHold,updateHold,releaseHold,freezeAccount' }
  const made = await world(t, { settings })
  // The trail has been kept since before the first change.
  await made.login('root')
  made.clock.advance(1_200_000)
  const account = await openAccount(await made.as('ada'))
  await deposit(await made.as('root'), account, '20.00')
  const { maker, checker } = await pairOf(made)
  const change = async (asked: Promise<Reply>) => {
    const done = await approve(checker, approvalAt(await asked))
    assert.equal(done.status, 200, done.text)
  }
  const money = { amount: '2.00', currency: 'EUR', kind: 'dispute', reference: 'Hotel' }
  for (const verb of ['changed', 'released'] as const) {
    await change(maker.post(`/api/v1/accounts/${account}/holds`, money))
    const { rows } = await made.sql(`select id from holds order by id desc limit 1`)
    const hold = `/api/v1/holds/${String(rows[0]?.['id'])}`
    if (verb === 'changed') await change(maker.patch(hold, { amount: '3.00' }))
    else await change(maker.post(`${hold}/release`))
    made.clock.advance(1000)
  }
  await change(maker.post(`/api/v1/admin/accounts/${account}/freeze`, { reason: 'A court' }))
  await assertSound(made)
})
