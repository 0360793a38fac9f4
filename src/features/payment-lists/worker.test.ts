// The worker of payment lists: lines that fail, and two instances that pay the same lines.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, scene } from '../../../test/support/fixture.ts'
import { until } from '../../../test/support/mailbox.ts'
import { listScene, openListWorker } from '../../../test/support/payment-lists.ts'
import { world, type World } from '../../../test/support/world.ts'
import type { Movement, Submit } from '../../ledger/rules/movement.ts'

test('two instances that have the same list at the same time pay each line once', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const second = await bank.another()
  // A lease ends as soon as it begins.
  await bank.sql(`create function drop_lease() returns trigger language plpgsql as
    $$ begin new.leased_until = null; return new; end $$`)
  await bank.sql(`create trigger drop_lease before update on payment_lists
    for each row execute function drop_lease()`)
  const ids = [
    await bank.order(Array.from({ length: 150 }, () => bank.known('1.00'))),
    await bank.order(Array.from({ length: 150 }, () => bank.known('1.00'))),
  ]
  const workers = [bank.running.core.paymentLists, second.running.core.paymentLists]
  await Promise.all([...workers, ...workers].map((worker) => worker.work()))
  await workers[0]?.work()
  for (const id of ids) {
    const { made, status } = await bank.read(id)
    assert.deepEqual([made, status], [{ count: 150, total: '150.00' }, 'executed'])
  }
  assert.equal(await bank.balance(), '700.00')
  const { rows } = await bank.sql(`select count(*)::int as count from transfers t
    where kind = 'transfer' and reference = '' and from_account_id = '${bank.from}'`)
  assert.deepEqual(rows, [{ count: 300 }])
  await assertSound(bank)
})

test('a line that ends without an outcome is tried again when the lease ends, and holds up no other line', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  await bank.sql(`create function fail_line() returns trigger language plpgsql as
    $$ begin raise exception 'a defect'; end $$`)
  await bank.sql(`create trigger fail before update on payment_list_lines
    for each row when (new.place = 1 and new.outcome is not null) execute function fail_line()`)
  const id = await bank.order(['1.00', '2.00', '4.00'].map((amount) => bank.known(amount)))
  await bank.work()
  assert.deepEqual(await bank.lines(id), ['0 made', '1 ready', '2 made'])
  assert.ok(bank.running.core.paymentLists.failedCount() > 0)
  assert.equal(await bank.balance(), '995.00', 'nothing is paid of what is not written')
  await bank.sql('drop trigger fail on payment_list_lines')
  bank.clock.advance(2 * 3_600_000)
  await bank.work()
  const { rows } = await bank.sql('select status, made_count from payment_lists')
  assert.deepEqual(rows, [{ status: 'executed', made_count: 3 }])
  await assertSound(bank)
})

test('an instance that orders a list begins to pay it at once, and does not wait for its next look', async (t) => {
  const bank = await listScene(await world(t, { pollMs: 3_600_000 }))
  const id = await bank.order([bank.known('1.00')])
  await until('the list is executed', async () => (await bank.status(id)) === 'executed')
  assert.equal(await bank.balance(), '999.00')
})

/** Each attempt without an outcome doubles the lease, to about an hour. */
const leasesSeconds = [30, 60, 120, 240, 480, 960, 1920, 3840, 3840]

test('a list without an outcome is left to its instance until its lease ends, to the millisecond, and an outcome begins anew', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const second = await bank.another()
  await bank.sql(`create function fail_line() returns trigger language plpgsql as
    $$ begin raise exception 'a defect'; end $$`)
  await bank.sql(`create trigger fail before update on payment_list_lines
    for each row when (new.outcome is not null) execute function fail_line()`)
  await bank.order([bank.known('1.00')])
  const workers = [bank.running.core.paymentLists, second.running.core.paymentLists]
  const attempts = async (): Promise<number> => {
    for (const worker of workers) await worker.work()
    return workers.reduce((sum, worker) => sum + worker.failedCount(), 0)
  }
  assert.equal(await attempts(), 1)
  for (const [index, seconds] of leasesSeconds.entries()) {
    bank.clock.advance(seconds * 1000 - 1)
    assert.equal(await attempts(), index + 1, `${seconds} s less a millisecond`)
    bank.clock.advance(1)
    assert.equal(await attempts(), index + 2, `${seconds} s`)
  }
  await bank.sql('drop trigger fail on payment_list_lines')
  bank.clock.advance(3_840_000)
  await attempts()
  const told = bank.logged.filter((line) => line.includes('a line of a payment list could not'))
  const counts = told.map((line) => JSON.parse(line).attemptCount)
  assert.deepEqual(
    counts,
    Array.from({ length: 10 }, (_, index) => index + 1),
  )
  const { rows } = await bank.sql('select status, leased_until, attempts from payment_lists')
  assert.deepEqual(rows, [{ status: 'executed', leased_until: null, attempts: 0 }])
  await assertSound(bank)
})

/**
 * Works with a worker of its own; `atOnce` has the lines under way as each line begins.
 *
 * @param others how many payments of others the ledger has taken when it has taken that many lines
 */
async function workBeside(
  bank: World,
  others: (lines: number) => number,
  onPaid: (close: () => Promise<void>) => void = () => {},
) {
  const atOnce: number[] = []
  let endedCount = 0
  const worker = openListWorker(bank, {
    askedCount: () => others(atOnce.length),
    submit: (async (movement: Movement) => {
      atOnce.push(atOnce.length + 1 - endedCount)
      const outcome = await bank.running.core.ledger.submit(movement)
      endedCount++
      onPaid(worker.close)
      return outcome
    }) as Submit,
  })
  await worker.work()
  assert.equal(worker.failedCount(), 0)
  await worker.close()
  return atOnce
}

test('beside payments of others a few lines are under way, alone 128', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const id = await bank.order(Array.from({ length: 320 }, () => bank.known('1.00')))
  // The first turn has 64 lines, with 32 payments beside each 4; the next 128, with none.
  const atOnce = await workBeside(bank, (lines) => Math.min(512, 8 * lines))
  const most = [0, 64, 192].map((from, place, all) =>
    Math.max(...atOnce.slice(from, all[place + 1])),
  )
  assert.deepEqual([most, atOnce.length], [[4, 29, 128], 320])
  assert.equal((await bank.read(id)).made.count, 320)
})

test('no line begins once the service ends, and another instance goes on with the list at once', async (t) => {
  const bank = await listScene(await scene(t, '1000.00'))
  const id = await bank.order(Array.from({ length: 150 }, () => bank.known('1.00')))
  const begun = await workBeside(
    bank,
    () => 0,
    (close) => void close(),
  )
  assert.equal(begun.length, 4)
  assert.deepEqual((await bank.read(id)).made, { count: 4, total: '4.00' })
  await (await bank.another()).running.core.paymentLists.work()
  const { made, status } = await bank.read(id)
  assert.deepEqual([made, status], [{ count: 150, total: '150.00' }, 'executed'])
  assert.equal(await bank.balance(), '850.00')
  await assertSound(bank)
})
