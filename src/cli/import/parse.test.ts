// What one line of the form becomes: what it may leave out, and the bounds of what it says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedDaysMax } from '../../domain/calendar/business-days.ts'
import { addDays } from '../../domain/calendar/rhythm.ts'
import { fictitiousBank, toIban } from '../../domain/iban.ts'
import type { LineFile } from './format.ts'
import { LineFault, parseLine } from './parse.ts'

const now = Date.UTC(2026, 0, 15, 9)
const rules = { banks: [fictitiousBank], now, today: '2026-01-15' }
const own = toIban(fictitiousBank, '0000000001') as string
const elsewhere = 'DE89370400440532013000'

const parse = (file: LineFile, line: object): Record<string, unknown> => {
  const { hash, ...row } = parseLine(file, Buffer.from(JSON.stringify(line)), rules)
  assert.match(hash as string, /^\\x[0-9a-f]{64}$/)
  return row
}

const person = {
  sourceId: 'p',
  username: 'Ada',
  email: 'Ada@Example.com',
  givenName: 'Ada',
  familyName: 'Okafor',
}
const account = { sourceId: 'a', owner: 'p', iban: own, currency: 'EUR' }
const block = {
  sourceId: 'k',
  account: 'a',
  debits: true,
  credits: false,
  cause: 'court_order',
  note: 'Order 7',
}
const balance = { account: 'a', amount: '1.05', currency: 'EUR' }
const beneficiary = { sourceId: 'b', account: 'a', name: 'Otto', iban: elsewhere }
const order = {
  sourceId: 'o',
  account: 'a',
  beneficiary: 'b',
  amount: '12.00',
  currency: 'EUR',
  rhythm: 'weekly',
  firstOn: '2025-12-04',
  nextOn: '2026-01-15',
}
const entry = {
  sourceId: 'h',
  account: 'a',
  bookedOn: '2026-01-15',
  amount: '-12.00',
  currency: 'EUR',
}

/** As far back as a day may lie that is paid behind holidays. */
const latest = addDays('2026-01-10', -closedDaysMax)
const dueOn = (day: string) => ({ ...order, firstOn: day, nextOn: day, onHoliday: 'after' })

/** What the row has of a line, and what it has where more is said. */
type Row = [file: LineFile, line: object, row: object]

const rows: Row[] = [
  [
    'people',
    person,
    {
      source_id: 'p',
      username: 'ada',
      email: 'ada@example.com',
      given_name: 'Ada',
      family_name: 'Okafor',
      folded_name: 'ada okafor',
      phone: null,
      address: null,
      language: null,
      status: 'active',
    },
  ],
  [
    'people',
    { ...person, phone: '+4930123456', address: 'Road 1', language: 'de', status: 'disabled' },
    { phone: '+4930123456', address: 'Road 1', language: 'de', status: 'disabled' },
  ],
  [
    'accounts',
    account,
    {
      source_id: 'a',
      owner: 'p',
      iban: own,
      currency: 'EUR',
      name: null,
      status: 'active',
      frozen_because: null,
      overdraft_limit: '0',
      daily_transfer_limit: null,
      own_per_payment: null,
      own_per_day: null,
      registered_phone: null,
      alerts_enabled: true,
    },
  ],
  [
    'accounts',
    {
      ...account,
      name: 'Rent',
      status: 'frozen',
      frozenBecause: 'Lost',
      overdraftLimit: '1.00',
      dailyTransferLimit: '2.00',
      ownPerPayment: '3.00',
      ownPerDay: '4.00',
      registeredPhone: '+4930123456',
      alertsEnabled: false,
    },
    {
      name: 'Rent',
      status: 'frozen',
      frozen_because: 'Lost',
      overdraft_limit: '100',
      daily_transfer_limit: '200',
      own_per_payment: '300',
      own_per_day: '400',
      registered_phone: '+4930123456',
      alerts_enabled: false,
    },
  ],
  [
    'blocks',
    block,
    {
      source_id: 'k',
      account: 'a',
      debits: true,
      credits: false,
      cause: 'court_order',
      note: 'Order 7',
      until: null,
    },
  ],
  [
    'blocks',
    { ...block, debits: false, credits: true, until: '2026-01-15T09:00:00.001Z' },
    { debits: false, credits: true, until: '2026-01-15T09:00:00.001Z' },
  ],
  ['balances', balance, { source_id: 'a', amount: '105', currency: 'EUR', unarranged_since: null }],
  [
    'balances',
    { ...balance, amount: '-0.01', unarrangedSince: '2026-01-01T00:00:00.000Z' },
    { amount: '-1', unarranged_since: '2026-01-01T00:00:00.000Z' },
  ],
  [
    'beneficiaries',
    beneficiary,
    {
      source_id: 'b',
      account: 'a',
      name: 'Otto',
      iban: elsewhere,
      nickname: null,
      status: 'active',
    },
  ],
  [
    'beneficiaries',
    { ...beneficiary, nickname: 'Landlord', status: 'deactivated' },
    { nickname: 'Landlord', status: 'deactivated' },
  ],
  [
    'orders',
    order,
    {
      source_id: 'o',
      account: 'a',
      beneficiary: 'b',
      to_account: null,
      amount: '1200',
      currency: 'EUR',
      reference: '',
      rhythm: 'weekly',
      first_on: '2025-12-04',
      last_on: null,
      next_on: '2026-01-15',
      retry_days: 0,
      on_holiday: 'pay',
      status: 'active',
    },
  ],
  [
    'orders',
    {
      ...order,
      beneficiary: undefined,
      toAccount: 'c',
      reference: 'Rent',
      retryDays: 3,
      lastOn: '2026-01-15',
      onHoliday: 'before',
      status: 'paused',
    },
    {
      beneficiary: null,
      to_account: 'c',
      reference: 'Rent',
      retry_days: 3,
      last_on: '2026-01-15',
      on_holiday: 'before',
      status: 'paused',
    },
  ],
  ['orders', { ...order, amount: '0.01' }, { amount: '1' }],
  ['orders', dueOn(latest), { first_on: latest, next_on: latest, on_holiday: 'after' }],
  [
    'orders',
    { ...order, firstOn: '2025-12-06', nextOn: '2026-01-10' },
    { first_on: '2025-12-06', next_on: '2026-01-10' },
  ],
  [
    'orders',
    { ...order, nextOn: '2025-12-04', status: 'paused' },
    { next_on: '2025-12-04', status: 'paused' },
  ],
  [
    'history',
    entry,
    {
      source_id: 'h',
      account: 'a',
      booked_on: '2026-01-15',
      amount: '-1200',
      currency: 'EUR',
      counterparty_name: null,
      counterparty_iban: null,
      reference: '',
    },
  ],
  [
    'history',
    {
      ...entry,
      bookedOn: '1970-01-01',
      counterpartyName: 'Otto',
      counterpartyIban: elsewhere,
      reference: 'Rent',
    },
    {
      booked_on: '1970-01-01',
      counterparty_name: 'Otto',
      counterparty_iban: elsewhere,
      reference: 'Rent',
    },
  ],
]

test('a line has what it says, and else what its form gives it', () => {
  const whole = new Map<LineFile, Record<string, unknown>>()
  for (const [file, line, expected] of rows) {
    const row = parse(file, line)
    const first = whole.get(file)
    assert.deepEqual(row, { ...first, ...expected }, JSON.stringify(line))
    if (!first) whole.set(file, row)
  }
  assert.equal(whole.size, 7)
})

const unusable = `+491${'0'.repeat(8)}`
const faults: [file: LineFile, line: object, fault: string | RegExp][] = [
  ['people', { ...person, status: 'gone' }, 'status is not one of the accepted words'],
  ['people', { ...person, givenName: undefined }, /^givenName is missing/],
  ['people', { ...person, age: 7 }, 'has a member that is unknown'],
  ['people', { ...person, username: 'a da' }, 'username is not a user name'],
  ['people', { ...person, email: 'ada@' }, 'email is not an e-mail address'],
  ['people', { ...person, phone: unusable }, 'phone is not a valid telephone number'],
  ['accounts', { ...account, iban: elsewhere }, 'iban is not of a code of this bank'],
  ['accounts', { ...account, iban: own.replace(/.$/, 'X') }, 'iban is not an IBAN'],
  [
    'accounts',
    { ...account, frozenBecause: 'Lost' },
    'frozenBecause is of an account that is not frozen',
  ],
  ['accounts', { ...account, ownPerDay: '1.005' }, 'ownPerDay is not an amount of its currency'],
  [
    'accounts',
    { ...account, registeredPhone: unusable },
    'registeredPhone is not a valid telephone number',
  ],
  ['blocks', { ...block, debits: false }, 'debits or credits: one of them is needed'],
  ['blocks', { ...block, until: '2026-01-15T09:00:00.000Z' }, 'until is over'],
  ['blocks', { ...block, until: '2026-02-30T09:00:00.000Z' }, 'until is not a time'],
  ['balances', { ...balance, amount: '1.005' }, 'amount is not an amount of its currency'],
  ['beneficiaries', { ...beneficiary, iban: `${elsewhere}1` }, 'iban is not an IBAN'],
  ['beneficiaries', { ...beneficiary, name: '4111 1111 1111 1111' }, /^name holds what looks/],
  ['orders', { ...order, firstOn: '2025-12-05', nextOn: '2026-01-09' }, 'nextOn is long over'],
  ['orders', dueOn(addDays(latest, -1)), 'nextOn is long over'],
  ['orders', { ...order, nextOn: '2026-01-16' }, 'nextOn is not a day of its rhythm'],
  ['orders', { ...order, lastOn: '2026-01-14' }, 'nextOn is not a day of its rhythm'],
  ['orders', { ...order, lastOn: '2026-02-30' }, 'lastOn is not a day'],
  ['orders', { ...order, toAccount: 'c' }, 'beneficiary or toAccount: one of them is needed'],
  [
    'orders',
    { ...order, beneficiary: undefined },
    'beneficiary or toAccount: one of them is needed',
  ],
  ['orders', { ...order, amount: '0' }, 'amount is zero'],
  ['history', { ...entry, bookedOn: '2026-01-16' }, 'bookedOn is after the day of the import'],
  ['history', { ...entry, bookedOn: '1969-12-31' }, 'bookedOn is before 1970'],
  ['history', { ...entry, bookedOn: '2025-02-29' }, 'bookedOn is not a day'],
  ['history', { ...entry, counterpartyIban: 'DE00370400440532013000' }, /^counterpartyIban is not/],
]

test('a line that is wrong is refused by its member, at the next value behind the bound', () => {
  for (const [file, line, fault] of faults) {
    const name = JSON.stringify(line)
    assert.throws(
      () => parse(file, line),
      (thrown) => {
        assert.ok(thrown instanceof LineFault, `${name}: ${String(thrown)}`)
        if (typeof fault === 'string') assert.equal(thrown.message, fault, name)
        else assert.match(thrown.message, fault, name)
        return true
      },
      name,
    )
  }
})
