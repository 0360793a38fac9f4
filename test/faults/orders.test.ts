// Standing orders in the storm: two instances run them, and are killed in turn at steps from the
// lease of an order to the mail of a refused day (at each at night, at a sample of them else). Each
// day is run once and none is left out, compared with a calendar library of another author.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Temporal } from 'temporal-polyfill'
import { assertSound } from '../support/fixture.ts'
import { until } from '../support/mailbox.ts'
import { samplesOf } from '../support/sample.ts'
import { addDueOrders, daysOf, type Made } from './due-orders.ts'
import {
  dropLeases,
  fillBank,
  type Instance,
  type Instances,
  killAt,
  noonZone,
  openInstances,
  type Parties,
  type Place,
  untilKilled,
} from './instances.ts'

/** Where an instance is killed, in the order of a run. */
const steps: [name: string, place: Place][] = [
  ['before the claim', { statement: 'orders_take_due', at: 'statement', when: 'asked' }],
  ['in the claim', { statement: 'orders_take_due', at: 'statement', when: 'answered' }],
  ['before the COMMIT of the claim', { statement: 'orders_take_due', at: 'commit', when: 'asked' }],
  ['after the claim', { statement: 'orders_take_due', at: 'commit', when: 'answered' }],
  [
    'before the batch',
    { statement: 'ledger_read_standing_orders', at: 'statement', when: 'asked' },
  ],
  ['in the batch', { statement: 'ledger_read_standing_orders', at: 'statement', when: 'answered' }],
  [
    'before the run is written',
    { statement: 'ledger_write_order_runs', at: 'statement', when: 'asked' },
  ],
  [
    'before the COMMIT of the batch',
    { statement: 'ledger_write_order_runs', at: 'commit', when: 'asked' },
  ],
  [
    'after the COMMIT of the batch',
    { statement: 'ledger_write_order_runs', at: 'commit', when: 'answered' },
  ],
  ['before the mail', { statement: 'mail_take_due', at: 'statement', when: 'asked' }],
  ['after the mail', { statement: 'mail_delete', at: 'statement', when: 'asked' }],
]

/** Each takes up to a minute, until that instance is the one that comes to its step. */
const eachRun = 4
const diagnostic = (text: string) => void process.stdout.write(`${text}\n`)
const sample = samplesOf({ name: 'orders', diagnostic })

describe('orders run by two instances that are killed', { timeout: 1_500_000 }, () => {
  let stage: Instances
  const made: Made[] = []
  let today: Temporal.PlainDate
  let accounts: Parties

  /** As if the leases of mails of what was killed had ended. */
  const passTime = () => stage.owner.query('update mails set due_at = now() where due_at > now()')

  /** Each mail is the first of its hour: the bound on alerts would leave the later ones out. */
  const dropBound = () =>
    stage.owner.query(`
      create function drop_bound() returns trigger language plpgsql as
        $$ begin new.count = 1; new.is_paused = false; return new; end $$;
      create trigger drop_bound before insert or update on alert_windows
        for each row execute function drop_bound()`)

  before(async () => {
    stage = await openInstances('orders')
    today = Temporal.Now.plainDateISO(noonZone)
    const first = await stage.open('one')
    await stage.open('two')
    const { send, close } = await stage.speakTo(first)
    accounts = await fillBank(send, stage.owner)
    close()
    await dropLeases(stage.owner, 'standing_orders')
    await dropBound()
  })

  after(() => stage.close())

  for (const [index, [name, place]] of sample(steps, eachRun).entries()) {
    const which = index % 2
    test(`instance ${which + 1} is killed ${name}`, async () => {
      const victim = stage.all[which] as Instance
      killAt(victim, place)
      await untilKilled(victim, async () => {
        made.push(...(await addDueOrders(stage.owner, accounts, today)))
        await passTime()
      })
      await passTime()
      await stage.restart(victim)
    })
  }

  async function untilRun(): Promise<void> {
    await until('nothing is due', async () => {
      await passTime()
      const { rows } = await stage.owner.query(
        `select count(*)::int as due from standing_orders
         where status = 'active' and tried_on is null and next_on <= $1::date`,
        [today.toString()],
      )
      return rows[0].due === 0
    })
  }

  test('both run the same orders at the same time', async () => {
    await untilRun()
    await stage.owner.query('begin')
    for (let turn = 0; turn < 25; turn++) {
      made.push(...(await addDueOrders(stage.owner, accounts, today)))
    }
    await stage.owner.query('commit')
    await untilRun()
  })

  test('each day was run once and none was left out, the books are sound, and each refusal was told', async (t) => {
    const { rows: runs } = await stage.owner.query<{
      id: string
      days: string[]
      outcomes: string[]
      next: string | null
      seqs: (string | null)[]
    }>(
      `select o.id, array_agg(r.due_on::text order by r.due_on) as days,
         array_agg(r.outcome order by r.due_on) as outcomes, o.next_on::text as next,
         array_agg(t.from_seq order by r.due_on) as seqs
       from standing_orders o left join standing_order_runs r on r.order_id = o.id
       left join transfers t on t.id = r.transfer_id and t.from_account_id = o.account_id
         and t.amount = o.amount
       group by o.id, o.next_on`,
    )
    const byId = new Map(runs.map((row) => [row.id, row]))
    let [paid, refused] = [0, 0]
    for (const order of made) {
      const all = daysOf(order, today)
      const due = all.filter((day) => day <= today.toString())
      const waits = order.isPoor && order.retryDays > 0
      const outcome = waits ? 'waiting' : order.isPoor ? 'refused' : 'made'
      const { days, outcomes, next, seqs } = byId.get(order.id) ?? assert.fail(order.id)
      assert.deepEqual(days, due, order.id)
      assert.deepEqual(
        outcomes,
        due.map(() => outcome),
        order.id,
      )
      assert.equal(next, waits ? due[0] : (all[due.length] ?? null), order.id)
      if (outcome === 'made') paid += due.length
      if (outcome === 'refused') refused += due.length
      if (outcome !== 'made') continue
      // Each has its own payment, the oldest day first.
      const inTurn = seqs.map(Number)
      assert.deepEqual(
        inTurn,
        inTurn.toSorted((one, other) => one - other),
        order.id,
      )
      assert.equal(new Set(inTurn).size, due.length, order.id)
    }
    const { rows } = await stage.owner.query(
      `select (select count(*)::int from transfers where kind = 'transfer') as transfers,
         (select balance::text from accounts where id = $1) as balance`,
      [accounts.from],
    )
    assert.deepEqual(rows[0], { transfers: paid, balance: String(10_000_000 - 100 * paid) })
    await until('the mails are sent', async () => {
      await passTime()
      return (await stage.owner.query('select from mails')).rows.length === 0
    })
    const mails = await Promise.all(
      stage.all.map(({ settings }) => readdir(path.join(String(settings['DATA_DIR']), 'outbox'))),
    )
    // A mail whose sender is killed may be sent twice, but is never lost.
    assert.ok(mails.flat().length >= refused, `${mails.flat().length} mails of ${refused}`)
    assert.ok(refused > 20 && paid > 200)
    await assertSound(stage.bank)
    t.diagnostic(`${made.length} orders, ${paid} days paid, ${refused} refused`)
  })
})
