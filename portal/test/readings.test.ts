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

test('a file of payments is read line by line, as CSV is written; XML goes on as it is', async () => {
  for (const [text, lines] of [
    ['a;b\r\nc', [['a', 'b'], ['c']]],
    ['"a;b" ; c ', [['a;b', 'c']]],
    ['"a ""b""\nc"', [['a "b"\nc']]],
    ['a "b"', [['a "b"']]],
    ['a\rb;"a\rb"', [['ab', 'a\rb']]],
    ['"a', undefined],
    ['', [['']]],
  ] as const) {
    assert.deepEqual(units.toLines(text, ';'), lines, text)
  }
  const iban = 'DE89370400440532013000'
  for (const [typed, isOne] of [
    [iban, true],
    ['NO9386011117947', true],
    ['DE98370400440532013000', false],
    ['de89370400440532013000', false],
    ['', false],
    // Each leaves the same remainder as the digits that are right.
    ['DE97007700770000000069', true],
    ['DE00007700770000000069', false],
    ['DE98007700770000000051', true],
    ['DE01007700770000000051', false],
    ['DE02007700770000000033', true],
    ['DE99007700770000000033', false],
  ] as const) {
    assert.equal(units.isIban(typed), isOne, typed)
  }
  const head = 'name;iban;amount;reference'
  const read = (...rows: string[]) => units.readListFile(new Blob([[head, ...rows].join('\n')]))
  const item = { name: 'Grace', iban, amount: '1.50' }
  const spaced = 'de89 3704 0044 0532 0130 00'
  assert.deepEqual(await read(`Grace;${spaced};1,50;Rent`, '', `Grace;${iban};1.50;`), {
    items: [{ ...item, reference: 'Rent' }, item],
    lines: [2, 4],
  })
  const plain = `\ufeffName,IBAN,Amount,Reference\r\nGrace,${iban},1.50,`
  assert.deepEqual((await units.readListFile(new Blob([plain]))).items, [item])
  // What separates the cells is told by the head alone, and with it how an amount is written.
  const reference = 'Rent; March'
  const semicolons = await units.readListFile(new Blob([`${plain}${reference}`]))
  assert.deepEqual(semicolons.items, [{ ...item, reference }])
  const comma = await units.readListFile(new Blob([plain.replace('1.50', '"1,50"')]))
  assert.deepEqual(comma.faults, [{ line: 2, what: 'amount' }])
  for (const [row, ...faults] of [
    ['Grace', 'cells'],
    [`Grace;${iban};1;a;b`, 'cells'],
    [`;${iban};1;`, 'name'],
    [`${'x'.repeat(71)};${iban};1;`, 'name'],
    [`${'x'.repeat(70)};${iban};1;`],
    ['Grace;DE98370400440532013000;1;', 'iban'],
    ...['0', '0.000', '01', '-1', '1.', '1.2345', '1 000', '', '1234567890123456'].map(
      (amount) => [`Grace;${iban};${amount};`, 'amount'] as const,
    ),
    ...['1', '0.001', '1.234', '123456789012345'].map(
      (amount) => [`Grace;${iban};${amount};`] as const,
    ),
    [';;;', 'name', 'iban', 'amount'],
  ] as const) {
    const told = faults.map((what) => ({ line: 2, what }))
    assert.deepEqual((await read(row)).faults ?? [], told, row)
  }
  assert.deepEqual((await read()).faults, [{ line: 2, what: 'cells' }])
  assert.deepEqual((await read('"Grace')).faults, [{ line: 1, what: 'quote' }])
  const other = await units.readListFile(new Blob(['name;iban;amount']))
  assert.deepEqual(other.faults, [{ line: 1, what: 'head' }])
  const wrong = Array.from({ length: 101 }, () => 'Grace')
  assert.equal((await read(...wrong)).faults?.length, 100)
  const xml = await units.readListFile(new Blob(['\ufeff <Document/>']))
  assert.deepEqual([xml.body?.type, await xml.body?.text()], ['application/xml', ' <Document/>'])
})

test('a shop is of a kind by its category, from the first to the last code of each range', () => {
  const kinds: Record<string, string> = {
    groceries: '5300 5411-5499',
    eating: '5811-5814',
    home: '5021 5200-5261 5712-5722',
    clothes: '5137-5139 5611-5699 5931 5948',
    health: '5122 5912 5975-5977 7230 7297-7298 8011-8099',
    transport: '4011 4111-4131 4784-4789',
    car: '5511-5599 7523-7549',
    travel: '3000-3999 4411 4511-4582 4722-4723 7011-7033 7512-7519',
    leisure: '5815-5818 5940-5947 7829-7999',
    devices: '4812-4816 5045 5732-5735',
    services: '4899-4900 5960 6300',
    learning: '8211-8299',
    cash: '6010-6051',
  }
  const found = new Map<string, string[]>()
  for (let code = 0; code < 10_000; code++) {
    const kind = units.shopKindOf(String(code).padStart(4, '0'))
    const ranges = found.get(kind) ?? []
    const last = ranges.at(-1)?.split('-').at(-1)
    if (last === String(code - 1)) {
      const range = ranges.pop() ?? ''
      ranges.push(`${range.split('-')[0]}-${code}`)
    } else ranges.push(String(code))
    found.set(kind, ranges)
  }
  found.delete('otherShops')
  const shown = [...found].map(([kind, ranges]) => [kind, ranges.join(' ')])
  assert.deepEqual(Object.fromEntries(shown), kinds)
  assert.equal(units.shopKindOf(null), 'erased')
})
