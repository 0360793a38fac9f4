// Which texts hold a card number, and which only look like it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeIBAN, countrySpecs, friendlyFormatIBAN, isValidIBAN } from 'ibantools'
import { createRandom } from '../../test/support/random.ts'
import { containsCardNumber, issuer, luhnCheckDigit, maskCardNumbers } from './card-number.ts'

/** Test numbers of networks, of 13, 14, 15, 16 and 19 digits. */
const cards = ['4222222222222', '30569309025904', '378282246310005', '4111111111111111']
const longest = '6304000000000000000'
const grouped = '4111 1111 1111 1111'

test('a text that holds a card number is known, however its digits are separated', () => {
  for (const card of [...cards, longest]) {
    const ways = [
      card,
      `Card ${card} was lost`,
      `(${card})`,
      `Nr.${card}`,
      `card${card}x`,
      [...card].join(' '),
      [...card].join('-'),
      card.replace(/(\d{4})(?=\d)/g, '$1 - '),
      card.replace(/(\d{4})(?=\d)/g, '$1.'),
    ]
    for (const text of ways) assert.ok(containsCardNumber(text), text)
  }
  for (const text of [
    `${grouped} 12 27`,
    `${grouped} 123`,
    `2026-01-31 ${grouped}`,
    `77 ${grouped}`,
    `+${grouped}`,
    `DE89 3704 0044 0532 0130 00 and ${grouped}`,
    `DE89 3704 0044 0532 0130 00 ${grouped}`,
    `DE99 ${grouped} and more`,
    'Card ４１１１１１１１１１１１１１１１',
    'Card ٤١١١ ١١١١ ١١١١ ١١١١',
    '४१११११११११११११११',
    '𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏',
  ]) {
    assert.ok(containsCardNumber(text), text)
  }
})

test('a digit of every script is read as the number that it is', () => {
  const codes = Array.from({ length: 0x11_0000 }, (_, code) => code).filter(
    (code) => (code < 0xd800 || code > 0xdfff) && /^\p{Nd}$/u.test(String.fromCodePoint(code)),
  )
  assert.ok(codes.length >= 600 && codes.length % 10 === 0)
  // They come in tens.
  for (let first = 0; first < codes.length; first += 10) {
    const write = (digits: string) =>
      [...digits]
        .map((each) => String.fromCodePoint(codes[first + Number(each)] as number))
        .join('')
    const zero = (codes[first] as number).toString(16)
    assert.ok(containsCardNumber(write('4539578763621486')), zero)
    assert.ok(!containsCardNumber(write('4539578763621487')), zero)
  }
})

test('texts without one pass: wrong check digits, other lengths, amounts, days, telephone numbers, identifiers', () => {
  for (const text of [
    '',
    'Reported stolen',
    '4111111111111112',
    '411111111111',
    '41111111111111111111',
    `${'1'.repeat(20)}4111111111111111`,
    '0000000000000000',
    '4111/1111/1111/1111',
    'From 2026-01-01 2026-01-31 2026-02-28',
    '31.12.2025 - 31.1.2026 1.2.2026',
    '+49 1512 3456789',
    '+491512345678901',
    '+43 664 1234567890',
    'transfer 01981f7e-4c00-7000-8000-657665734111',
    '1.000,00 EUR of 12.500,00 EUR',
    'ending in 1111',
  ]) {
    assert.ok(!containsCardNumber(text), text)
  }
  for (let last = 0; last < 10; last++) {
    // Each ends in a digit that passes the formula once.
    assert.ok(!containsCardNumber(`+49 1512 345678${last}`), String(last))
    assert.ok(!containsCardNumber(`00000000-0000-7000-8000-00000000000${last}`), String(last))
  }
})

/** With the check digit in place of the last one. */
const right = (digits: string) => `${digits.slice(0, -1)}${luhnCheckDigit(digits.slice(0, -1))}`

test("a scheme's card number is known by its beginning and its length; other digits are none of it", () => {
  for (const number of [
    '4222222222222',
    '4111111111111111',
    '5555555555554444',
    right('2221000000000000'),
    right('2720990000000000'),
    '378282246310005',
    '30569309025904',
    right('3530111333300000'),
    right('6011000990139424'),
    right('6200000000000000005'),
    right('6759649826438453'),
    right('2200000000000000'),
    right('9792000000000000'),
    right(`${issuer}0000000000`),
  ]) {
    assert.ok(containsCardNumber(`No ${number}`, 'schemes'), number)
    assert.ok(!containsCardNumber(right(`1${number.slice(1)}`), 'schemes'), number)
  }
  for (const number of [
    // As programs number payments: 15 digits, a day before a counter, nines.
    right('450000000000000'),
    right('260131000000017'),
    right('2026013100000017'),
    right('20260131093000000017'.slice(0, 19)),
    right('2220999999999999'),
    right('2721000000000000'),
    right('9999010000000000'),
    right('1769850000000'),
  ]) {
    assert.ok(containsCardNumber(number), number)
    assert.ok(!containsCardNumber(number, 'schemes'), number)
  }
})

test('one in thirty numbers of 16 digits is taken for a card number, and fewer of other lengths', () => {
  const random = createRandom(20_260_202)
  for (const [length, most] of [
    [13, 0.015],
    [14, 0.008],
    [15, 0.005],
    [16, 0.036],
    [17, 0.015],
    [18, 0.015],
    [19, 0.028],
  ] as const) {
    const all = Array.from({ length: 5000 }, () =>
      Array.from({ length }, () => random.below(10)).join(''),
    )
    const found = all.filter((digits) => containsCardNumber(digits, 'schemes')).length
    assert.ok(found / all.length < most, `${length}: ${found}`)
  }
})

test('of a card number its last four digits stay, wherever it stands, and all else as it is', () => {
  for (const [text, masked] of [
    ['Card 4111 1111 1111 1111, 12/27', 'Card ···· ···· ···· 1111, 12/27'],
    ['4111-1111-1111-1111 12 27', '····-····-····-1111 12 27'],
    ['378282246310005/5555555555554444', '···········0005/············4444'],
    ['Карта ４１１１１１１１１１１１１１１１.', 'Карта ············１１１１.'],
    ['𠮷 4111111111111111 𠮷', '𠮷 ············1111 𠮷'],
    ['4111 1111 1111 1111 5555 5555 5555 4444', '···· ···· ···· 1111 ···· ···· ···· 4444'],
    ['Invoice 4711, 2026-01-31, +49 1512 3456789', 'Invoice 4711, 2026-01-31, +49 1512 3456789'],
    ['DE89 3704 0044 0532 0130 00', 'DE89 3704 0044 0532 0130 00'],
    ['1234567890123452', '1234567890123452'],
  ] as const) {
    assert.equal(maskCardNumbers(text), masked)
    assert.ok(!containsCardNumber(masked, 'schemes'))
  }
})

test('a valid IBAN of any country is no card number, compact or as it is printed', () => {
  const random = createRandom(20_260_131)
  let count = 0
  for (const [countryCode, { bban_regexp: shape, chars }] of Object.entries(countrySpecs)) {
    if (!shape || !chars) continue
    for (let turn = 0; turn < 40; turn++) {
      const bban = Array.from({ length: chars - 4 }, () => random.below(10)).join('')
      const iban = composeIBAN({ countryCode, bban })
      // Countries whose account numbers begin with letters.
      if (iban === null) break
      // Some countries have check digits of their own in the account number.
      if (!isValidIBAN(iban)) continue
      count++
      for (const text of [
        iban,
        iban.toLowerCase(),
        friendlyFormatIBAN(iban) as string,
        `To ${friendlyFormatIBAN(iban, '-')}, 10.00`,
        `Paid to ${friendlyFormatIBAN(iban)} on 2026-01-31 as asked`,
      ]) {
        assert.ok(!containsCardNumber(text), text)
      }
    }
  }
  assert.ok(count > 1500, String(count))
})

test('a long text of digits that stand apart is looked through at once', () => {
  const start = performance.now()
  assert.ok(!containsCardNumber('1 '.repeat(2000)))
  assert.ok(performance.now() - start < 2000)
  assert.ok(containsCardNumber(`${'0 '.repeat(2000)}4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1`))
})
