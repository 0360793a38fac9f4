// Payment lists in the storm: one instance, then two, are killed at steps from the claim of a list
// to its release (at each at night, at a sample of them else), and lose their connections; each
// line is paid once, or refused once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Client, patiently } from '../support/client.ts'
import { assertSound } from '../support/fixture.ts'
import { until } from '../support/mailbox.ts'
import { samplesOf } from '../support/sample.ts'
import {
  dropLeases,
  fillBank,
  type Instance,
  type Instances,
  killAt,
  openInstances,
  type Parties,
  type Place,
  untilKilled,
} from './instances.ts'

const lineCount = 60
/** As many as are taken together: each turn pays 16 lines of each. */
const listCount = 4
/** Below what an account may have, by more than is given at one time. */
const openMax = 40

const at = (statement: string, when: Place['when']): Place => ({ statement, at: 'statement', when })
const commitOf = (statement: string, when: Place['when']): Place => ({
  statement,
  at: 'commit',
  when,
})
const write = 'ledger_write_list_lines'

/** At the first no list has begun. The first few lines are of one list; a turn has lines of all. */
const first: [name: string, place: Place, begun: number] = [
  'before the COMMIT of the first lines',
  commitOf(write, 'asked'),
  0,
]
const later: [name: string, place: Place, begun: number][] = [
  ['after the COMMIT of some lines', commitOf(write, 'answered'), 1],
  ['before the release', at('lists_release', 'asked'), listCount],
  ['after the claim', commitOf('lists_take_due', 'answered'), 0],
]
const beside: [victim: 0 | 1, name: string, place: Place][] = [
  [0, 'in the claim', at('lists_take_due', 'answered')],
  [1, 'before the lines are written', at(write, 'asked')],
]

/** Every seventh is more than there is; the others pay another bank, or the payer's own account. */
const isTooMuch = (place: number): boolean => place % 7 === 6
const centsOf = (place: number): number => (isTooMuch(place) ? 20_000_000 : place + 1)
const toAmount = (cents: number): string => (cents / 100).toFixed(2)

const diagnostic = (text: string) => void process.stdout.write(`${text}\n`)
const sample = samplesOf({ name: 'lists', diagnostic })

describe('lists executed by instances that are killed', () => {
  let stage: Instances
  let parties: Parties
  let ownIban: string
  const lists: string[] = []

  /** Speaks to that instance for a while. */
  async function speaking(instance: Instance, work: (send: Client['send']) => Promise<unknown>) {
    const { send, close } = await stage.speakTo(instance)
    await work(send).finally(close)
  }

  async function checkLists(send: Client['send']): Promise<void> {
    const { from, payee, token } = parties
    const items = Array.from({ length: lineCount }, (_, place) => ({
      amount: toAmount(centsOf(place)),
      reference: `Line ${place}`,
      ...(place % 3 === 0 ? { name: 'Me', iban: ownIban } : { beneficiaryId: payee }),
    }))
    for (let made = 0; made < listCount; made++) {
      const path = `/api/v1/accounts/${from}/payment-lists`
      const headers = { 'idempotency-key': randomUUID() }
      const asked = { token, headers, body: { currency: 'EUR', items } }
      const reply = await patiently(() => send('POST', path, asked))
      assert.equal(reply.status, 201, reply.text)
      lists.push(reply.body.id)
    }
  }

  /** With a key of the list: an order without an answer is given again. */
  async function order(send: Client['send'], id: string): Promise<void> {
    const path = `/api/v1/payment-lists/${id}/execute`
    const asked = { token: parties.token, headers: { 'idempotency-key': id } }
    const reply = await patiently(() => send('POST', path, asked))
    assert.equal(reply.status, 200, reply.text)
  }

  const orderAll = (send: Client['send'], ids: readonly string[]) =>
    Promise.all(ids.map((id) => order(send, id)))

  const read = async <Row>(text: string): Promise<Row> => (await stage.owner.query(text)).rows[0]

  /** Gives nothing new while the account has most of the lists that may be open at one time. */
  async function orderNew(send: Client['send']): Promise<void> {
    const { open } = await read<{ open: number }>(
      `select count(*)::int as open from payment_lists where status <> 'executed'`,
    )
    if (open > openMax) return
    await checkLists(send)
    await orderAll(send, lists.slice(-listCount))
  }

  before(async () => {
    stage = await openInstances('lists')
    const first = await stage.open('one')
    await speaking(first, async (send) => {
      parties = await fillBank(send, stage.owner)
      const { token, to } = parties
      ownIban = (await send('GET', `/api/v1/accounts/${to}`, { token })).body.iban
      // No instance takes a list before all are ordered.
      await stage.owner.query(`create function lease() returns trigger language plpgsql as
        $$ begin new.leased_until = 'infinity'; return new; end $$`)
      await stage.owner.query(`create trigger lease before update on payment_lists
        for each row execute function lease()`)
      await orderNew(send)
      await stage.owner.query('drop trigger lease on payment_lists')
    })
    await dropLeases(stage.owner, 'payment_lists')
  })

  after(() => stage.close())

  let begunBefore = 0
  for (const [index, [name, place, begun]] of [first, ...sample(later, 1)].entries()) {
    test(`the only instance is killed ${name}`, async () => {
      const [victim] = stage.all as [Instance]
      if (index === 0) {
        killAt(victim, place)
        await stage.owner.query('update payment_lists set attempts = 0')
      } else await stage.restart(victim, place)
      // An order that is given again pays nothing again, whether its answer comes or not.
      const again = (send: Client['send']) => orderAll(send, lists)
      await untilKilled(victim, () => speaking(victim, again).catch(() => {}))
      const now = await read<{ begun: number; open: number }>(
        `select count(*) filter (where made_count + refused_count > 0)::int as begun,
           count(*) filter (where status = 'ordered')::int as open from payment_lists`,
      )
      begunBefore = Math.max(begunBefore, begun)
      assert.deepEqual(now, { begun: begunBefore, open: listCount })
    })
  }

  test('two instances begin', async () => {
    const [one] = stage.all as [Instance]
    await stage.restart(one)
    await speaking(one, (send) => orderAll(send, lists))
    await stage.open('two')
  })

  for (const [index, name, place] of sample(beside, 1)) {
    test(`instance ${index + 1} of two is killed ${name}`, async () => {
      const victim = stage.all[index] as Instance
      await speaking(stage.all[1 - index] as Instance, async (send) => {
        killAt(victim, place)
        await untilKilled(victim, () => orderNew(send))
      })
      await stage.restart(victim)
    })
  }

  test('the answer to a COMMIT of lines is lost, and all connections are ended, some times', async () => {
    const [one, two] = stage.all as [Instance, Instance]
    let isLost = false
    one.wire.trap({ ...commitOf(write, 'answered'), act: () => (isLost = true) })
    await speaking(two, orderNew)
    await until('an answer is lost', async () => {
      if (!isLost) await speaking(two, orderNew)
      return isLost
    })
    await speaking(two, orderNew)
    for (let turn = 0; turn < 5; turn++) {
      await stage.owner.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })

  test('each line was made once or refused with its reason, each list has ended, and the books are sound', async (t) => {
    await until('all lists have ended', async () => {
      const { open } = await read<{ open: number }>(
        `select count(*)::int as open from payment_lists where status <> 'executed'`,
      )
      return open === 0
    })
    const { rows } = await stage.owner.query<{
      list: string
      place: number
      told: string
      times: number
    }>(
      `select l.list_id as list, l.place,
         coalesce(l.refusal, t.amount || ' ' || t.reference) as told,
         (select count(*)::int from transfers o where o.id = l.transfer_id) as times
       from payment_list_lines l left join transfers t on t.id = l.transfer_id
       order by l.list_id, l.place`,
    )
    const places = Array.from({ length: lineCount }, (_, place) => place)
    assert.deepEqual(
      rows,
      lists
        .toSorted()
        .flatMap((list) =>
          places.map((place) =>
            isTooMuch(place)
              ? { list, place, told: 'insufficient_funds', times: 0 }
              : { list, place, told: `${centsOf(place)} Line ${place}`, times: 1 },
          ),
        ),
    )
    const paid = places.filter((place) => !isTooMuch(place))
    const sum = paid.reduce((cents, place) => cents + centsOf(place), 0)
    const expected = { count: paid.length * lists.length, sum: sum * lists.length }
    const { entries, ...transfers } = await read<{ count: number; sum: number; entries: number }>(
      `select count(*)::int, sum(amount)::int,
         (select sum(amount)::int from entries where account_id = '${parties.from}') as entries
       from transfers where kind = 'transfer'`,
    )
    assert.deepEqual(transfers, expected)
    assert.equal(entries, 10_000_000 - expected.sum)
    const counted = await stage.owner.query(
      `select distinct made_count as made, made_total::int as total, refused_count as refused
       from payment_lists`,
    )
    const refused = lineCount - paid.length
    assert.deepEqual(counted.rows, [{ made: paid.length, total: sum, refused }])
    // Each order was recorded once.
    const ordered = await read<{ count: number }>(
      `select count(*)::int from audit_events
       where action = 'executePaymentList' and outcome = 'success'`,
    )
    assert.equal(ordered.count, lists.length)
    await assertSound(stage.bank)
    t.diagnostic(`${lists.length} lists, ${expected.count} lines paid`)
  })
})
