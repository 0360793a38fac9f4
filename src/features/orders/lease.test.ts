// For how long a run without an outcome is left to the instance that took it, to the millisecond.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderScene } from '../../../test/support/orders.ts'
import { world } from '../../../test/support/world.ts'

/** Each attempt doubles the lease, to about an hour. */
const leasesSeconds = [30, 60, 120, 240, 480, 960, 1920, 3840, 3840]

type Bank = Awaited<ReturnType<typeof orderScene>>
const runs: [what: string, balance: string, begin: (bank: Bank) => Promise<unknown>][] = [
  ['had no outcome', '1000.00', async () => {}],
  [
    'waited for money',
    '50.00',
    async (bank) => {
      await bank.work()
      await bank.payIn('60.00')
    },
  ],
]
for (const [what, balance, begin] of runs) {
  test(`a run that ${what} is tried again when its lease ends, by any instance, and not before`, async (t) => {
    const made = await world(t)
    const bank = await orderScene(made, balance)
    const second = await made.another()
    const id = await bank.make({ firstOn: '2026-01-02', retryDays: 1 })
    await begin(bank)
    await bank.sql(`create function fail_run() returns trigger language plpgsql as
    $$ begin raise exception 'a defect'; end $$`)
    await bank.sql(`create trigger fail before insert on standing_order_runs
    for each row execute function fail_run()`)
    const workers = [bank.running.core.orders, second.running.core.orders]
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
    // With an outcome the next day has a lease of its own.
    await bank.sql('drop trigger fail on standing_order_runs')
    bank.clock.advance(3_840_000)
    await attempts()
    assert.deepEqual((await bank.sql('select leased_until, attempts from standing_orders')).rows, [
      { leased_until: null, attempts: 0 },
    ])
    assert.equal(
      (await bank.sql('select from standing_order_runs where order_id = $1', [id])).rowCount,
      1,
    )
  })
}
