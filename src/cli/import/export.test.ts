// The export of a bank: what it writes comes out of an empty bank again, byte by byte.
import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fill } from '../../../demo/fill.ts'
import { bank, type Bank } from '../../../test/support/bank.ts'
import { wholeBank } from '../../../test/support/whole-bank.ts'
import { assertSound } from '../../../test/support/fixture.ts'
import { newPlace } from '../../../test/support/import-folder.ts'
import { isUnavailable, untilInTime } from '../../../test/support/locks.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { readConfig } from '../../config/config.ts'
import { utcDays } from '../../domain/days.ts'
import { fictitiousBank } from '../../domain/iban.ts'
import { exportFolder } from './export.ts'
import { importFolder } from './import.ts'
import { selects } from './rows.ts'

const config = readConfig({})
const say = () => {}

/** A bank without people. */
async function emptyBank(t: TestContext): Promise<Bank> {
  const empty = await bank(t)
  for (const table of ['sessions', 'user_names', 'user_words', 'users'])
    await empty.sql(`delete from ${table}`)
  return empty
}

async function readAll(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return Object.fromEntries(names.map((name, index) => [name, texts[index] as string]))
}

/** A month of the demo; begun anew where a COMMIT was late. */
const demoBank = (t: TestContext): Promise<Bank> =>
  untilInTime(async () => {
    const demo = await emptyBank(t)
    const end = demo.clock.now()
    const month = { seed: 'export', start: end - 31 * 86_400_000, end, days: utcDays }
    await fill(demo.db, { year: { ...month, bank: fictitiousBank }, hash: async () => 'no hash' })
    return demo
  }, isUnavailable)

test('export, import into an empty bank, export: the same bytes, of the demo with all that it has', async (t) => {
  const demo = await demoBank(t)
  // What the demo does not have.
  await demo.sql(`update accounts set own_per_payment = 100, own_per_day = 300,
      next_per_payment = 200, next_limits_at = now() - interval '1 hour', alerts_enabled = false
    where id = (select id from accounts where kind = 'customer' and status = 'active' limit 1)`)
  await demo.sql(`update standing_orders set is_program = true, version = version + 1
    where id = (select id from standing_orders limit 1)`)
  // What has ended or is gone, and what goes to another person, stays behind.
  const [ended, payee, foreign] = await demo.sql(
    `select o.id, o.beneficiary_id as payee from standing_orders o
     join accounts a on a.id = o.account_id and a.status <> 'closed'
     where o.status = 'active' and o.beneficiary_id is not null and not o.is_program
     order by o.id limit 3`,
  )
  const leave = 'update standing_orders set version = version + 1,'
  await demo.sql(`${leave} status = 'ended', next_on = null where id = $1`, [ended?.['id']])
  await demo.sql(
    `update beneficiaries set status = 'deleted', name = null, iban = null, nickname = null,
       created_at = null, payee_result = null, payee_accepted = null
     where id = $1`,
    [payee?.['payee']],
  )
  await demo.sql(
    `${leave} beneficiary_id = null, to_account_id = (
       select t.id from accounts t join accounts a on a.id = account_id
       where t.kind = 'customer' and t.status = 'active' and t.owner_id <> a.owner_id
         and t.currency = a.currency order by t.id limit 1)
     where id = $1`,
    [foreign?.['id']],
  )
  // Two of one day, and one of a closed account.
  await demo.sql(`insert into former_entries
      (id, account_id, booked_on, amount, counterparty_name, counterparty_iban, reference)
    select (lpad(to_hex(1582934400000 + n), 12, '0') || '7000' || '8000' || '000000000000')::uuid,
      a.id, '2020-02-29', n * -100, case when n = 1 then 'Stadtwerke' end,
      case when n = 2 then 'DE89370400440532013000' end, case when n = 3 then 'Rent' else '' end
    from generate_series(1, 3) n cross join lateral (select id from accounts
      where kind = 'customer' and (status = 'closed') = (n = 3) order by id limit 1) a`)
  // One that stands, one with an end, and two that stop nothing any more.
  await demo.sql(`insert into account_blocks
      (id, account_id, debits, credits, cause, note, until, set_at, set_by, lifted_at, lifted_by)
    select gen_random_uuid(), a.id, true, b.n = 2, 'fraud', 'Case ' || b.n,
      case when b.n > 2 then now() - interval '1 hour'
        when b.n = 2 then now() + interval '9 days' end,
      now() - interval '1 day', u.id, case when b.n = 4 then now() end,
      case when b.n = 4 then u.id end
    from (select id from accounts where kind = 'customer' and status = 'active' limit 1) a,
      (select id from users limit 1) u, generate_series(1, 4) as b (n)`)
  const first = await newPlace(t)
  await exportFolder(first, { ...demo, say })
  const exported = await readAll(first)
  assert.equal((await stat(first)).mode & 0o777, 0o700)
  const totals = JSON.parse(exported['totals.json'] as string) as { people: number }
  assert.equal(totals.people, 30)
  const accounts = exported['accounts.ndjson'] as string
  for (const part of [
    '"status":"frozen","frozenBecause":"Unusual payments"',
    '"closed"',
    '"USD"',
  ]) {
    assert.ok(accounts.includes(part), part)
  }
  assert.match(accounts, /"ownPerPayment":"2.00","alertsEnabled":false/)
  assert.equal((exported['blocks.ndjson'] as string).match(/"note":"Case [12]"/g)?.length, 2)
  // One more is the demo's own.
  assert.equal((exported['blocks.ndjson'] as string).match(/\n/g)?.length, 3)
  assert.match(exported['beneficiaries.ndjson'] as string, /"status":"deactivated"/)
  assert.match(exported['orders.ndjson'] as string, /"toAccount":.*\n.*"status":"paused"|"paused"/)

  for (const gone of [ended?.['id'], payee?.['payee'], payee?.['id'], foreign?.['id']]) {
    assert.ok(typeof gone === 'string')
    const files = Object.entries(exported).filter(([, text]) => text.includes(`"${gone}"`))
    assert.deepEqual(Object.keys(Object.fromEntries(files)), [])
  }

  const history = (exported['history.ndjson'] as string).trim().split('\n')
  assert.deepEqual(
    history.map((line) => (JSON.parse(line) as { amount: string }).amount),
    ['-1.00', '-2.00', '-3.00'],
  )
  assert.match(history[0] as string, /"counterpartyName":"Stadtwerke"}$/)

  const second = await emptyBank(t)
  await importFolder(first, { ...second, config, say })
  await assertSound(second)
  const [blocked] = await second.sql(`select count(1)::int from accounts
    where debits_blocked_until > '9999-12-31' and credits_blocked_until < '9999-12-31'`)
  assert.equal(blocked?.['count'], 1)
  const again = await newPlace(t)
  await exportFolder(again, { ...second, say })
  assert.deepEqual(await readAll(again), exported)
  const events = await second.sql(`select action from audit_events where action = 'exportBank'`)
  assert.equal(events.length, 1)
})

test('a folder that exists is not written to, and none is left of an export that failed', async (t) => {
  const made = await bank(t)
  const place = await newPlace(t)
  const failing = { ...made, say: () => assert.fail('the disk is full') }
  await assert.rejects(exportFolder(place, failing))
  await assert.rejects(stat(place), /ENOENT/)
  await exportFolder(place, { ...made, say })
  const before = await readAll(place)
  await assert.rejects(exportFolder(place, { ...made, say }), /it exists already/)
  assert.deepEqual(await readAll(place), before)
})

test('the same of a bank with a movement, a hold, a block and an order of every kind', async (t) => {
  const whole = await wholeBank(t)
  const db = openDatabase(whole.address, { role: null })
  t.after(() => db.close())
  const [first, again] = [await newPlace(t), await newPlace(t)]
  await exportFolder(first, { db, address: whole.address, clock: whole.clock, say })
  const exported = await readAll(first)
  assert.match(exported['orders.ndjson'] as string, /"onHoliday":"after"/)
  assert.match(exported['blocks.ndjson'] as string, /"cause"/)
  assert.match(
    exported['balances.ndjson'] as string,
    /"-[\d.]+","currency":"EUR","unarrangedSince"/,
  )
  const second = await emptyBank(t)
  await importFolder(first, { ...second, config, say })
  await assertSound(second)
  await exportFolder(again, { ...second, say })
  assert.deepEqual(await readAll(again), exported)
})

test('a limit that waits is exported from its moment on, and each account with its own reason of a freeze', async (t) => {
  const made = await bank(t)
  const ids = [await made.account(), await made.account()]
  // Within one transaction, now() is one moment.
  await made.sql('begin')
  for (const [index, id] of ids.entries()) {
    await made.sql(
      `update accounts set own_per_payment = 100, own_per_day = 300, next_per_payment = 200,
         next_per_day = 400, next_limits_at = now() + $2 * interval '1 microsecond',
         status = 'frozen'
       where id = $1`,
      [id, index],
    )
    await made.sql(
      `insert into account_freezes (account_id, at, actor_id, reason) values ($1, now(), $1, $2)`,
      [id, `Case ${index}`],
    )
  }
  const rows = await made.sql(selects.accounts)
  await made.sql('rollback')
  const frozen = rows.filter(({ status }) => status === 'frozen')
  assert.deepEqual(
    new Map(frozen.map((row) => [row['frozenBecause'], [row['ownPerPayment'], row['ownPerDay']]])),
    new Map([
      ['Case 0', ['200', '400']],
      ['Case 1', ['100', '300']],
    ]),
  )
})
