// The bank's day: limits, statements, filters and sums by day follow the time zone of the bank, and
// a change of it touches no day that has begun.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeTimeZone } from '../src/cli/days/time-zone.ts'
import { bank, code } from './support/bank.ts'
import { cardScene, outcomeOf } from './support/card-payments.ts'
import { scene, sceneIn, transferBody } from './support/fixture.ts'
import { clientWith, world, type World } from './support/world.ts'

const hour = 3_600_000

/** A ledger whose one account pays 10 a day, and the clock moved to a time. */
async function payer(t: Parameters<typeof bank>[0], zones: [since: string, zone: string][]) {
  const { clock, ledger, account, movement, sql, address } = await bank(t)
  for (const zone of zones) await sql('insert into bank_time_zones values ($1, $2)', zone)
  const [from, to] = [await account(1000n), await account()]
  await sql('update accounts set daily_transfer_limit = 10 where id = $1', [from])
  await sql(`update sessions set last_used_at = '2027-01-01', ends_at = '2030-01-01'`)
  let keys = 0
  return {
    clock,
    address,
    moveTo: (at: string) => clock.advance(Date.parse(at) - clock.now()),
    pay: (amount: bigint) => code(ledger.submit(movement(from, to, { amount, key: `${keys++}` }))),
  }
}

const dawns: [zone: string, what: string, begin: string, end: string][] = [
  ['Europe/Berlin', 'of 23 hours', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['Europe/Berlin', 'of 25 hours', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  ['Asia/Kathmandu', 'that begins at a quarter', '2026-02-01T18:15:00Z', '2026-02-02T18:15:00Z'],
  ['America/Havana', 'without a midnight', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
  ['America/Havana', 'with two midnights', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
]
for (const [zone, what, begin, end] of dawns) {
  test(`the daily limit holds from the first to the last millisecond of a day ${what} (${zone})`, async (t) => {
    const { clock, moveTo, pay } = await payer(t, [['0001-01-01', zone]])
    moveTo(begin)
    clock.jump(-1)
    assert.equal(await pay(10n), 'done', 'the day before')
    clock.jump(1)
    assert.equal(await pay(6n), 'done')
    moveTo(end)
    clock.jump(-1)
    assert.equal(await pay(5n), 'limit_exceeded')
    assert.equal(await pay(4n), 'done')
    clock.jump(1)
    assert.equal(await pay(10n), 'done', 'the day after')
  })
}

for (const [zone, begins, ends] of [
  ['Europe/Berlin', '2026-01-02T23:00:00Z', '2026-01-03T23:00:00Z'],
  // The third of January has begun at midnight in UTC, and ends at midnight in New York.
  ['America/New_York', '2026-01-03T00:00:00Z', '2026-01-04T05:00:00Z'],
] as const) {
  test(`a change of the zone to ${zone} counts no hour twice to a daily limit, and none not at all`, async (t) => {
    const { clock, address, moveTo, pay } = await payer(t, [])
    assert.equal(await pay(6n), 'done')
    await changeTimeZone(address, zone, clock)
    assert.equal(await pay(5n), 'limit_exceeded', 'the day goes on')
    moveTo(begins)
    clock.jump(-1)
    assert.equal(await pay(5n), 'limit_exceeded')
    assert.equal(await pay(4n), 'done')
    clock.jump(1)
    assert.equal(await pay(7n), 'done', 'a new day')
    for (let at = Date.parse(begins) + hour; at < Date.parse(ends); at += hour) {
      moveTo(new Date(at).toISOString())
      assert.equal(await pay(4n), 'limit_exceeded', `at ${new Date(at).toISOString()}`)
    }
    moveTo(ends)
    assert.equal(await pay(10n), 'done', 'the day after')
  })
}

test('a change of the zone counts each authorisation of its long day to the limit of a card', async (t) => {
  const { till, card, clock, sql } = await cardScene(await scene(t))
  await sql('update cards set per_day_limit = 1000 where id = $1', [card])
  await sql(`insert into bank_time_zones values ('2026-01-03T05:00:00Z', 'America/New_York')`)
  const askAt = async (time: string, amount: string) => {
    clock.advance(Date.parse(time) - clock.now())
    return outcomeOf(await till.ask(amount))
  }
  assert.equal(await askAt('2026-01-03T00:00:00Z', '10.00'), 'approved')
  assert.equal(await askAt('2026-01-04T04:59:59.999Z', '0.01'), 'per_day_limit')
  assert.equal(await askAt('2026-01-04T05:00:00Z', '10.00'), 'approved', 'the day after')
})

/** Ada's account in a bank of that zone, with a payment in each of those moments. */
async function payAt(
  t: Parameters<typeof world>[0],
  settings: Record<string, string>,
  times: string[],
) {
  const made = await world(t, { settings })
  const scened = await sceneIn(made)
  for (const time of times) {
    made.clock.advance(Date.parse(time) - made.clock.now())
    await renew(made, scened)
    const body = { ...transferBody(scened.from, scened.to), reference: time }
    const paid = await scened.ada.post('/api/v1/transfers', body)
    assert.equal(paid.status, 201, paid.text)
  }
  return scened
}

/** The sessions have expired. */
async function renew(bank: World, voices: { ada: object; root: object }): Promise<void> {
  for (const name of ['ada', 'root'] as const) {
    Object.assign(voices[name], await bank.login(name))
  }
}

test('statements, sums by day, balances and filters have the days of the bank, and times stay in UTC', async (t) => {
  const { ada, root, from, clock } = await payAt(t, { TIME_ZONE: 'Europe/Berlin' }, [
    '2026-01-31T22:59:59.999Z',
    '2026-01-31T23:00:00.000Z',
    '2026-02-01T22:59:59.999Z',
  ])
  const at = `/api/v1/accounts/${from}`
  const read = async (path: string) => {
    clock.advance(1000)
    const reply = await ada.get(path)
    assert.equal(reply.status, 200, reply.text)
    return reply
  }
  const january = (await read(`${at}/statement?from=2026-01-01&to=2026-01-31`)).body
  assert.equal(january.from, '2025-12-31T23:00:00.000Z')
  assert.equal(january.to, '2026-01-31T22:59:59.999Z')
  assert.equal(january.entries.length, 2, 'the deposit and the first payment')
  const present = (await read(`${at}/statement`)).body
  assert.equal(present.from, '2026-01-31T23:00:00.000Z', 'this month')
  const { days } = (await read(`${at}/balances?from=2026-01-31&to=2026-02-28`)).body
  const shown = days.map((day: Record<string, unknown>) => [day['date'], day['entryCount']])
  assert.deepEqual(shown, [
    ['2026-01-31', 1],
    ['2026-02-01', 2],
  ])
  const ended = (await read(`${at}/balance?at=2026-01-31`)).body
  assert.deepEqual([ended.at, ended.balance], ['2026-01-31T22:59:59.999Z', '99.00'])
  const list = (await read(`${at}/transactions?from=2026-02-01&to=2026-02-01`)).body.items
  assert.deepEqual(
    list.map(({ createdAt }: { createdAt: string }) => createdAt),
    ['2026-02-01T22:59:59.999Z', '2026-01-31T23:00:00.000Z'],
  )
  const csv = (await read(`${at}/statement?from=2026-01-31&to=2026-02-01&format=csv`)).text
  assert.match(csv, /^2026-02-01,2026-01-31T23:00:00\.000Z,/m)
  const camt = (await read(`${at}/statement?from=2026-02-01&to=2026-02-01&format=camt053`)).text
  assert.match(camt, /<FrDtTm>2026-01-31T23:00:00.000Z</)
  assert.deepEqual(
    [...camt.matchAll(/<ValDt><Dt>([\d-]+)</g)].map(([, day]) => day),
    ['2026-02-01', '2026-02-01'],
  )
  assert.deepEqual(
    [...camt.matchAll(/<Dt><Dt>([\d-]+)</g)].map(([, day]) => day),
    ['2026-02-01', '2026-02-01'],
  )
  const logins = async (day: string) => {
    const found = await root.get(`/api/v1/admin/audit-events?action=login&from=${day}&to=${day}`)
    return found.body.items.length as number
  }
  assert.equal(await logins('2026-02-01'), 4, 'before the second and the third payment')
})

test('a statement of a period that is over is the same bytes after a change of the zone, and no two months have one number', async (t) => {
  const scened = await payAt(t, {}, ['2026-01-31T23:30:00.000Z', '2026-02-03T12:00:00.000Z'])
  const { clock, from, address } = scened
  const january = '?from=2026-01-01&to=2026-01-31'
  const read = async (voice: object, period: string, format: string) => {
    clock.advance(1000)
    const path = `/api/v1/accounts/${from}/statement${period}&format=${format}`
    const reply = await (voice as typeof scened.ada).get(path)
    assert.equal(reply.status, 200, reply.text)
    return reply.text
  }
  const formats = ['csv', 'pdf', 'camt053'] as const
  const issued: string[] = []
  for (const format of formats) issued.push(await read(scened.ada, january, format))
  await changeTimeZone(address, 'Asia/Tokyo', clock)
  const { send, running } = await scened.another()
  assert.equal(running.edge.service.clocks.days().timeZone(clock.now() + 48 * hour), 'Asia/Tokyo')
  clock.advance(60 * 24 * hour)
  await renew(scened, scened)
  const later = clientWith(send, scened.ada.token)
  for (const [index, format] of formats.entries()) {
    assert.equal(await read(later, january, format), issued[index], format)
  }
  const numberOf = async (period: string) =>
    /<ElctrncSeqNb>(\d+)</.exec(await read(later, period, 'camt053'))?.[1]
  const months = ['?from=2026-02-01&to=2026-02-28', '?from=2026-03-01&to=2026-03-31']
  const numbers: unknown[] = []
  for (const month of [january, ...months]) numbers.push(await numberOf(month))
  assert.deepEqual(numbers, ['1', '2', '3'])
  const march = await read(later, months[1] as string, 'camt053')
  assert.match(march, /<FrDtTm>2026-02-28T15:00:00.000Z<.*<ToDtTm>2026-03-31T14:59:59.999Z</)
})

test('a day that the clocks of the bank leave out is refused, and a period around it is not', async (t) => {
  const { ada, from } = await sceneIn(await world(t, { settings: { TIME_ZONE: 'Pacific/Apia' } }))
  const at = `/api/v1/accounts/${from}/transactions`
  for (const query of ['from=2011-12-30', 'to=2011-12-30']) {
    const reply = await ada.get(`${at}?${query}`)
    assert.equal(reply.body.code, 'invalid_request')
  }
  assert.equal((await ada.get(`${at}?from=2011-12-29&to=2011-12-31`)).status, 200)
})

test('a year of the bank is a period of a statement, also where it has an hour more', async (t) => {
  const settings = { TIME_ZONE: 'Europe/Berlin' }
  const { ada, from } = await sceneIn(await world(t, { settings }))
  const ask = (query: string) => ada.get(`/api/v1/accounts/${from}/balances?${query}`)
  assert.equal((await ask('from=2027-10-31&to=2028-10-30')).status, 200)
  assert.equal((await ask('from=2027-10-31&to=2028-10-31')).status, 400)
  assert.equal((await ask('from=0001-01-01&to=0001-12-31')).status, 200)
  assert.equal((await ask('from=9999-12-01&to=9999-12-31')).status, 200)
})

for (const TIME_ZONE of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
  test(`the first and the last times of the calendar are answered in ${TIME_ZONE}`, async (t) => {
    const made = await world(t, { settings: { TIME_ZONE } })
    const { ada, from } = await sceneIn(made)
    const ranges = [
      'from=9999-12-31T23:59:59Z&to=9999-12-31T23:59:59.999Z',
      'from=9999-12-01&to=9999-12-31',
      'from=0001-01-01T00:00:00Z&to=0001-01-01T00:00:01Z',
    ]
    const files = ['json', 'csv', 'pdf', 'camt053'].map((format) => ['statement', format] as const)
    for (const range of ranges) {
      for (const [path, format] of [...files, ['balances', ''], ['transactions', '']] as const) {
        const more = path === 'statement' ? `&format=${format}` : ''
        const { status, text } = await ada.get(`/api/v1/accounts/${from}/${path}?${range}${more}`)
        assert.equal(status, 200, `${path} ${format} ${range} ${text}`)
      }
    }
  })
}
