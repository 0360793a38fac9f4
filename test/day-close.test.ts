// What the close of a day and the trial balance find, and what they wait for; and a change of the
// zone beside a first entry.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { closeDayCommand } from '../src/cli/close-day.ts'
import { changeTimeZone } from '../src/cli/days/time-zone.ts'
import { readConfig } from '../src/config/config.ts'
import type { LocalAddress } from '../src/database/connections/connect.ts'
import { dayMs } from '../src/domain/clock.ts'
import { always } from '../src/domain/days.ts'
import { bank, type Bank, payElsewhere } from './support/bank.ts'
import { toUrl } from './support/database.ts'
import { dayModel } from './support/day-model.ts'
import { scene } from './support/fixture.ts'
import { openHolder, waitingForLock } from './support/locks.ts'
import { people, type Span, world } from './support/world.ts'

/** Closes days of that bank, as its operator does. Gives the lines of the file. */
async function closer(t: Span, { address }: Bank) {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-close-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const config = readConfig({
    STRONGROOM_DATA_DIR: folder,
    STRONGROOM_DATABASE_URL: toUrl(address as LocalAddress),
  })
  let count = 0
  return async (day?: string): Promise<string[]> => {
    const file = path.join(folder, `day-${count++}`)
    await closeDayCommand(config, () => {}, file, day === undefined ? {} : { day })
    return (await readFile(file, 'utf8')).split('\n')
  }
}

// At any hour one of the two is on another day than UTC.
for (const timeZone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
  test(`the day that is closed is the last one of the bank that is over: ${timeZone}`, async (t) => {
    const made = await bank(t)
    const close = await closer(t, made)
    await made.sql('insert into bank_time_zones (since, time_zone) values ($1, $2)', [
      '0001-01-01T00:00:00Z',
      timeZone,
    ])
    const days = dayModel([{ since: always, timeZone }])
    const now = Date.now()
    const [today, start] = [days.dayOf(now), days.nextStart(now - dayMs)]
    const day = days.dayOf(start - 1)
    const [first] = await close()
    assert.equal(first, `# day ${day}, until ${new Date(start - 1).toISOString()}`)
    await assert.rejects(close(today), { message: `The day ${today} is not over.` })
  })
}

/** Changes of the books by somebody with all rights, and what the close of their day says. */
const changes: [what: string, sql: string, said: RegExp][] = [
  [
    'money that came from nowhere',
    `update entries e set balance_after = balance_after + 1
       where seq = (select last_seq from accounts a where a.id = e.account_id)
         and account_id = $1;`,
    /All accounts in EUR together hold 1, not nothing/,
  ],
  ['a balance that no entry has', '', /EUR customers has \d+, its entries say \d+/],
]
for (const [what, sql, said] of changes) {
  test(`books that do not add up are not closed, and the event says why: ${what}`, async (t) => {
    const made = await bank(t)
    const close = await closer(t, made)
    const account = await made.account(100n)
    await made.deposit(account, 1n)
    await made.sql('set session_replication_role = replica')
    await made.sql('update accounts set balance = balance + 1 where id = $1', [account])
    if (sql !== '') await made.sql(sql.replaceAll(';', ''), [account])
    await assert.rejects(close('2026-01-02'), { message: said })
    const events = await made.sql(
      `select outcome, detail from audit_events where action = 'closeDay'`,
    )
    assert.deepEqual([events.length, events[0]?.['outcome']], [1, 'failure'])
    assert.match(events[0]?.['detail'] as string, said)
  })
}

test('a trial balance waits for what is under way, and has it', async (t) => {
  const made = await scene(t)
  const { ada, root, to, sql } = made
  const { iban } = (await ada.get(`/api/v1/accounts/${to}`)).body
  // A batch that has its time waits for one that numbers alike.
  const holder = await openHolder(t, made)
  await holder.query('set session_replication_role = replica')
  await holder.query('begin')
  await holder.query(
    `insert into external_ids (caller_id, external_id, body_hash, transfer_id, is_settlement)
     values ($1, 'one', sha256('x'), $1, false)`,
    [people.root.id],
  )
  const came = root.post('/api/v1/admin/incoming-payments', {
    iban,
    amount: '5.00',
    currency: 'EUR',
    externalId: 'one',
    debtor: { name: 'Okafor household' },
  })
  await waitingForLock({ sql })
  made.clock.advance(1000)
  let isAnswered = false
  const read = root.get('/api/v1/admin/trial-balance').finally(() => (isAnswered = true))
  // Each takes as long as the trial balance would.
  for (let turn = 0; turn < 10; turn++) await root.get('/api/v1/admin/bank-accounts')
  assert.equal(isAnswered, false)
  await holder.query('rollback')
  assert.equal((await came).status, 201)
  const [euro] = (await read).body.currencies
  assert.deepEqual([euro.total, euro.customers], ['0.00', '105.00'])
})

test('a change of the zone beside the first entry of a bank leaves the day of that entry as it is', async (t) => {
  const made = await world(t)
  const { address, clock, sql } = made
  const holder = await openHolder(t, made)
  await holder.query('set session_replication_role = replica')
  await holder.query('begin')
  await holder.query(
    `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
       kind)
     select id, id, 1, 1, 1, $1, sha256('x'), 'deposit' from accounts limit 1`,
    [new Date(clock.now())],
  )
  const changing = changeTimeZone(address, 'Europe/Berlin', clock)
  await waitingForLock({ sql })
  await holder.query('commit')
  const since = await changing
  assert.equal(since, Date.parse('2026-01-02T23:00:00Z'), 'from the next midnight of that zone on')
})

test('a payment that waits in clearing is in the trial balance of its time and of any later one', async (t) => {
  const made = await bank(t)
  const close = await closer(t, made)
  const account = await made.account(100n)
  await payElsewhere(made, account, 7n)
  const lines = await close('2026-01-02')
  for (const line of ['# EUR cash -1.00', '# EUR clearing 0.07', '# EUR customers 0.93']) {
    assert.ok(lines.includes(line), lines.join('\n'))
  }
})
