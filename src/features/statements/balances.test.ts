// What an account moved by the day, as the charts of a client show it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/random.ts'
import { fakeClock } from '../../../test/support/clock.ts'
import { openAccount, scene, transferBody } from '../../../test/support/fixture.ts'
import { people, type Reply, world, type World } from '../../../test/support/world.ts'
import { formatAmount } from '../../domain/money.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'

const hour = 60 * 60 * 1000
const step = fc.record({ gap: fc.integer({ min: 0, max: 20 }), units: fc.bigInt(-400n, 900n) })
const steps = fc.sample(step, { numRuns: 40, seed: 20_260_102 }).filter(({ units }) => units !== 0n)

/** Moves cash in and out of the account for some weeks: on some days often, on some not at all. */
async function moveCash(bank: World, accountId: string): Promise<void> {
  const { sessionId } = await bank.as('root')
  const cash = bankAccount('cash', 'KWD')
  const deposit = async (units: bigint) => {
    const [from, to] = units > 0n ? [cash, accountId] : [accountId, cash]
    await bank.running.core.ledger.submit({
      kind: units > 0n ? 'deposit' : 'withdrawal',
      fromAccountId: from,
      toAccountId: to,
      amount: units > 0n ? units : -units,
      currency: 'KWD',
      reference: '',
      caller: { userId: people.root.id, sessionId, kid: null, role: 'admin' },
    })
  }
  await deposit(20_000n)
  for (const { gap, units } of steps) {
    bank.clock.advance(gap * hour)
    await deposit(units)
    bank.clock.advance(60_000)
  }
}

type Entry = { amount: string; balanceAfter: string; createdAt: string }
const units = (amount: string): bigint => BigInt(amount.replace('.', ''))

/** The answer that the entries of the statement of the same period give. */
function expected({ from, to, openingBalance, closingBalance, entries }: Reply['body']) {
  const byDay = Map.groupBy(entries as Entry[], ({ createdAt }) => createdAt.slice(0, 10))
  const days = [...byDay].map(([date, ofDay]) => {
    const amounts = ofDay.map(({ amount }) => units(amount))
    const sum = (some: bigint[]) =>
      formatAmount(
        some.reduce((a, b) => a + b, 0n),
        'KWD',
      )
    return {
      date,
      in: sum(amounts.filter((amount) => amount > 0n)),
      out: sum(amounts.filter((amount) => amount < 0n).map((amount) => -amount)),
      entryCount: ofDay.length,
      balance: ofDay.at(-1)?.balanceAfter,
    }
  })
  const entryCount = entries.length as number
  return { currency: 'KWD', from, to, openingBalance, closingBalance, entryCount, days }
}

test('the days of any period agree with the entries of its statement', async (t) => {
  const settings = { SESSION_IDLE: '30d', SESSION_MAX: '30d' }
  const bank = await world(t, { settings })
  const account = await openAccount(await bank.as('ada'), 'KWD')
  const begin = bank.clock.now()
  await moveCash(bank, account)
  const span = bank.clock.now() - begin
  const ada = await bank.login('ada')
  const path = `/api/v1/accounts/${account}`

  const time = fc.integer({ min: -hour, max: span + hour }).map((since) => {
    const text = new Date(begin + since).toISOString()
    return since % 2 === 0 ? text : text.slice(0, 10)
  })
  const compare = async (query: string): Promise<number> => {
    const statement = await ada.get(`${path}/statement${query}`)
    const balances = await ada.get(`${path}/balances${query}`)
    assert.equal(balances.status, statement.status, balances.text)
    if (balances.status === 200) assert.deepEqual(balances.body, expected(statement.body))
    return balances.body.days?.length ?? 0
  }
  const all = await compare('?from=2026-01-01&to=2026-12-31')
  assert.ok(all > 10, `${all} days`)
  assert.equal(await compare('?from=2025-11-01&to=2025-11-30'), 0)
  assert.equal(await compare('?from=2026-11-01&to=2026-11-30'), 0)
  await compare('')
  const period = fc.tuple(time, time)
  const property = fc.asyncProperty(period, async ([from, to]) => {
    await compare(`?from=${from}&to=${to}`)
  })
  await fc.assert(property, { numRuns: 40 })
  for (const query of ['?from=2026-01-01&to=2027-01-02', '?from=2026-02-30', '?cursor=AA']) {
    assert.equal((await ada.get(`${path}/balances${query}`)).status, 400, query)
  }
  assert.equal((await ada.get(`${path}/balances?from=2026-01-01&to=2027-01-01`)).status, 200)
})

test('the balance at a time is the closing balance of the statement up to then, at any millisecond and day', async (t) => {
  const settings = { SESSION_IDLE: '30d', SESSION_MAX: '30d' }
  const bank = await world(t, { settings })
  const ada = await bank.as('ada')
  bank.clock.advance(1)
  const openedAt = bank.clock.now()
  const account = await openAccount(ada, 'KWD')
  await moveCash(bank, account)
  // The sessions have expired.
  const reader = await bank.login('ada')
  const path = `/api/v1/accounts/${account}`
  const { body: history } = await reader.get(`${path}/transactions?limit=100`)
  const times = history.items.slice(0, 5).flatMap(({ createdAt }: Entry) => {
    const at = Date.parse(createdAt)
    return [at - 1, at, at + 1].map((time) => new Date(time).toISOString())
  })
  const now = new Date(bank.clock.now()).toISOString()
  for (const at of [...times, '2026-01-05', '2026-01-06', now]) {
    bank.clock.advance(1000)
    const { body, status, text } = await reader.get(`${path}/balance?at=${at}`)
    assert.equal(status, 200, text)
    const statement = await reader.get(`${path}/statement?from=2026-01-02&to=${at}`)
    const { closingBalance: balance, to } = statement.body
    assert.deepEqual(body, { currency: 'KWD', at: to, balance })
  }
  bank.clock.advance(1000)
  const { balance } = (await reader.get(`${path}/balance`)).body
  assert.equal(balance, (await reader.get(path)).body.balance)
  const first = await reader.get(`${path}/balance?at=${new Date(openedAt).toISOString()}`)
  assert.equal(first.status, 200, first.text)
  const today = new Date(bank.clock.now()).toISOString().slice(0, 10)
  const present = (await reader.get(`${path}/balance`)).body
  bank.clock.advance(1000)
  const ofToday = (await reader.get(`${path}/balance?at=${today}`)).body
  assert.deepEqual(ofToday, { ...present, at: new Date(bank.clock.now()).toISOString() })

  const wrong = [
    [new Date(bank.clock.now() + 60_000).toISOString(), 'is in the future'],
    [new Date(bank.clock.now() + 24 * hour).toISOString().slice(0, 10), 'is in the future'],
    [new Date(openedAt - 1).toISOString(), 'is before the account was opened'],
    ['2026-01-01', 'is before the account was opened'],
    ['2026-02-30', 'is not a day or time of the calendar'],
    ['', 'is too short'],
    ['yesterday', 'is too short'],
  ] as const
  for (const [at, message] of wrong) {
    bank.clock.advance(1000)
    const { body, status } = await reader.get(`${path}/balance?at=${at}`)
    assert.deepEqual([status, body.details], [400, [{ path: '/query/at', message }]], at)
  }
})

test('an instance whose clock is behind answers with the payment that was just made, at its time too, and with an account that another instance has opened', async (t) => {
  const made = await scene(t)
  const { ada, clock, from, to } = made
  clock.advance(60_000)
  const behind = await made.another({ clock: fakeClock(clock.now() - 4000, clock) })
  const ahead = await made.another({ clock: fakeClock(clock.now() + 4000, clock) })
  const { token } = ada
  const body = transferBody(from, to)
  const paid = await behind.send('POST', '/api/v1/transfers', { token, body })
  assert.equal(paid.status, 201, paid.text)
  const { createdAt } = paid.body
  const read = async (path: string, account = from) => {
    const reply = await behind.send('GET', `/api/v1/accounts/${account}/${path}`, { token })
    assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    return reply
  }
  const wanted = { currency: 'EUR', at: createdAt, balance: '99.00' }
  assert.deepEqual((await read('balance')).body, wanted)
  assert.deepEqual((await read(`balance?at=${createdAt}`)).body, wanted)
  for (const query of ['', `?from=${createdAt}`]) {
    const days = (await read(`balances${query}`)).body
    assert.deepEqual([days.to, days.closingBalance], [createdAt, '99.00'], query)
    const statement = (await read(`statement${query}`)).body
    assert.deepEqual([statement.to, statement.closingBalance], [createdAt, '99.00'], query)
    assert.equal(statement.entries.at(-1)?.id, paid.body.id)
    assert.ok(
      (await read(`statement${query}${query ? '&' : '?'}format=csv`)).text.includes('-1.00'),
    )
  }

  const opened = await ahead.send('POST', '/api/v1/accounts', { token, body: { currency: 'EUR' } })
  const { id, createdAt: openedAt } = opened.body
  assert.equal(Date.parse(openedAt), clock.now() + 4000)
  const nothing = { currency: 'EUR', at: openedAt, balance: '0.00' }
  assert.deepEqual((await read('balance', id)).body, nothing)
  assert.deepEqual((await read(`balance?at=${openedAt}`, id)).body, nothing)
  // What an instance has said, each other one takes back.
  const { at } = (await ahead.send('GET', `/api/v1/accounts/${from}/balance`, { token })).body
  assert.equal(Date.parse(at), clock.now() + 4000)
  assert.equal((await read(`balance?at=${at}`)).body.balance, '99.00')
})

/** The entries that the search for a time before or after all of `last` entries reads. */
function seqsRead(last: number): number[] {
  const found = new Set([last])
  for (const isBefore of [true, false]) {
    for (let [low, high] = [1, last + 1]; low < high;) {
      const middle = Math.floor((low + high) / 2)
      found.add(middle)
      if (isBefore) low = middle + 1
      else high = middle
    }
  }
  return [...found]
}

test('the days of a period with 50 000 entries are told, and those of one entry more are refused by the name of its end', async (t) => {
  const { ada, from: account, sql } = await scene(t)
  await sql('alter table entries disable trigger user')
  await sql('alter table accounts disable trigger user')
  const ask = async (last: number) => {
    await sql(
      `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
         kind, reference)
       select account_id, gen_random_uuid(), added, 1, 10000, created_at, hash, kind, reference
       from entries, unnest($2::int8[]) as added where account_id = $1 and seq = 1 and added > 1
       on conflict do nothing`,
      [account, seqsRead(last)],
    )
    await sql('update accounts set last_seq = $2 where id = $1', [account, last])
    return ada.get(`/api/v1/accounts/${account}/balances?from=2026-01-01&to=2026-12-31`)
  }
  const all = await ask(50_000)
  assert.equal(all.status, 200, all.text)
  assert.equal(all.body.closingBalance, '100.00')
  const { status, body } = await ask(50_001)
  const message = 'is after more than 50000 entries'
  assert.deepEqual([status, body.details], [400, [{ path: '/query/to', message }]])
})
