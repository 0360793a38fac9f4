// What the page makes of what is typed or read, without a browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { texts as common } from '../../languages/en/portal/common.ts'
import { texts as ofMembers } from '../../languages/en/portal/members.ts'
import { texts as ofSignIn } from '../../languages/en/portal/sign-in.ts'
import { speak, units } from './units-support.ts'

test('what staff type of a payment is read as what it can be', () => {
  speak('en-GB')
  const id = '01940000-0000-7000-8000-000000000001'
  const on = (amount: string, currency: string, day: string) => [{ amount, currency, day }]
  const words = (text: string) => [{ reference: text }]
  const numbers = (text: string) => [{ externalId: text }, { endToEndId: text }]
  const [number, longer] = [`${'x'.repeat(34)}1`, `${'x'.repeat(35)}1`]
  const sentence = `${'ab '.repeat(46)}ab`
  for (const [typed, looks] of [
    [id, [{ id }]],
    [` ${id.toUpperCase()} `, [{ id }]],
    [id.replace('-', ' -'), [{ id }]],
    ['de89 3704 0044 0532 0130 00', [{ iban: 'DE89370400440532013000' }]],
    ['12.50 EUR 31.01.2026', on('12.50', 'EUR', '2026-01-31')],
    ['31/1/2026 €12.50', on('12.50', 'EUR', '2026-01-31')],
    ['2026-01-31 12.50', on('12.50', 'EUR', '2026-01-31')],
    ['12.50 usd 2026-01-31', on('12.50', 'USD', '2026-01-31')],
    ['$ 12.50 2026-01-31', on('12.50', 'USD', '2026-01-31')],
    ['12.50£ 2026-01-31', on('12.50', 'GBP', '2026-01-31')],
    ['JPY 1200 1.2.2026', on('1200', 'JPY', '2026-02-01')],
    ['¥1200 1.2.2026', on('1200', 'JPY', '2026-02-01')],
    ...[
      '12.50 XXX 2026-01-31',
      '12.50 31.02.2026',
      '12.50 on 31.01.2026',
      'Rent for June',
      longer,
      sentence,
    ].map((text) => [text, words(text)] as const),
    ...['INV-4711', number].map((text) => [text, [...numbers(text), ...words(text)]] as const),
    ['7', numbers('7')],
    ['a', []],
    ['', []],
    [`${sentence}c`, []],
  ] as const) {
    assert.deepEqual(units.toLooks(typed), looks, typed)
  }
})

test('a time ago is told in the largest unit that is whole, a month by its short name', (t) => {
  speak('en-GB')
  const now = Date.UTC(2026, 0, 2)
  t.mock.method(Date, 'now', () => now)
  for (const [seconds, told] of [
    [-5, '0 seconds ago'],
    [0.4, '0 seconds ago'],
    [1, '1 second ago'],
    [59, '59 seconds ago'],
    [60, '1 minute ago'],
    [119, '1 minute ago'],
    [3599, '59 minutes ago'],
    [3600, '1 hour ago'],
    [86_399, '23 hours ago'],
    [86_400, '1 day ago'],
    [200_000, '2 days ago'],
  ] as const) {
    assert.equal(units.formatAgo(new Date(now - seconds * 1000).toISOString()), told)
  }
  assert.deepEqual([units.shortMonth('2026-01'), units.shortMonth('2026-11')], ['Jan', 'Nov'])
})

test('a new password has 12 to 128 letters and not the user name', async () => {
  speak('en-GB')
  await units.loadTexts('signIn')
  const { short, long, named } = ofSignIn.password
  for (const [password, error] of [
    ['', common.form.required],
    ['x'.repeat(11), short],
    ['x'.repeat(12), undefined],
    ['x'.repeat(128), undefined],
    ['x'.repeat(129), long],
    ['😀'.repeat(11), short],
    ['😀'.repeat(128), undefined],
    // A ligature is two letters.
    ['\ufb01'.repeat(6), undefined],
    ['my name is ADA, really', named],
  ] as const) {
    assert.equal(units.passwordError(password, 'ada'), error, password)
  }
  assert.equal(units.passwordError('my name is ADA, really'), undefined)
})

test('an account of the bank is known by its identifier, a payee by its kind', () => {
  const account = (number: string) => `00000000-0000-8000-8000-0000${number}555244`
  assert.deepEqual(
    ['01', '02', '03', '04', '05', '06', '07'].map((number) => units.bankCode(account(number))),
    ['cash', 'clearing', 'fees', 'interest', 'suspense', 'opening', undefined],
  )
  assert.deepEqual(
    [account('01'), undefined, '01940000-0000-7000-8000-000000000001'].map(units.isBanks),
    [true, true, false],
  )
  assert.deepEqual(units.toTarget('account:7'), { toAccountId: '7' })
  assert.deepEqual(units.toTarget('beneficiary:7'), { beneficiaryId: '7' })
})

test('what a member may do is told with its limits and its end', async () => {
  speak('en-GB')
  await units.loadTexts('members')
  const { members: t } = ofMembers
  const none = { rights: 'pay', currency: 'EUR', perPayment: null, perDay: null, until: null }
  const [payment, day] = [t.perPayment('€5.00'), t.perDay('€9.00')]
  assert.equal(units.describeRights(none), t.may.pay)
  const both = { ...none, perPayment: '5.00', perDay: '9.00' }
  assert.equal(units.describeRights(both), t.limited(t.may.pay, `${payment}, ${day}`))
  assert.equal(units.describeRights({ ...both, perDay: null }), t.limited(t.may.pay, payment))
  assert.equal(units.describeRights({ ...both, perPayment: null }), t.limited(t.may.pay, day))
  assert.equal(units.describeRights({ ...both, rights: 'view' }), t.may.view)
  const until = units.describeRights({ ...none, until: '2026-01-31T00:00:00Z' })
  assert.ok(until.startsWith(`${t.may.pay}, `) && until.includes('2026'), until)
})
