import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidIBAN } from 'ibantools'
import {
  countFreeDigits,
  createIban,
  exampleIban,
  fictitiousBank,
  isBic,
  isBicOf,
  isInSepa,
  isOwnIban,
  maskIban,
  newIban,
  toIban,
} from './iban.ts'

test('every new IBAN is valid, German, and has a bank code that no real bank can have', () => {
  const made = new Set<string>()
  for (let turn = 0; turn < 2000; turn++) {
    const iban = newIban(fictitiousBank) ?? assert.fail()
    assert.ok(isValidIBAN(iban), iban)
    assert.match(iban, /^DE\d{2}0\d{17}$/)
    assert.ok(isOwnIban([fictitiousBank], iban))
    made.add(iban)
  }
  assert.equal(made.size, 2000)
})

const bankCode = fictitiousBank.prefix

test('an IBAN of another bank or country is not one of this bank', () => {
  for (const [country, national] of [
    ['DE', '370400440532013000'],
    ['DE', `1${bankCode}123456789`],
    ['NL', 'ABNA0417164300'],
    ['AT', `${bankCode}12345678`],
  ] as const) {
    assert.ok(!isOwnIban([fictitiousBank], createIban(country, national)))
  }
})

test('check digits are those of the examples in the register of ISO 13616', () => {
  const examples = [
    ['DE89370400440532013000', 'DE', '370400440532013000'],
    ['GB29NWBK60161331926819', 'GB', 'NWBK60161331926819'],
    ['FR1420041010050500013M02606', 'FR', '20041010050500013M02606'],
    ['NO9386011117947', 'NO', '86011117947'],
    ['MT84MALT011000012345MTLCAST001S', 'MT', 'MALT011000012345MTLCAST001S'],
  ] as const
  for (const [iban, country, national] of examples) {
    assert.equal(createIban(country, national), iban)
    assert.ok(isValidIBAN(iban))
  }
})

test('one wrong digit, two swapped ones, and the check digits 00, 01 and 99 are refused', () => {
  const right = 'DE89370400440532013000'
  for (let at = 4; at < right.length; at++) {
    const other = right[at] === '9' ? '8' : '9'
    assert.ok(!isValidIBAN(right.slice(0, at) + other + right.slice(at + 1)))
  }
  assert.ok(!isValidIBAN('DE89370400440532010300'))
  // 98 − 97 = 01 and 02 + 97 = 99 leave the same remainder as the digits that are right.
  for (let account = 0; account < 500; account++) {
    const national = `00770077${String(account).padStart(10, '0')}`
    const valid = ['00', '01', '99'].filter((digits) => isValidIBAN(`DE${digits}${national}`))
    assert.deepEqual(valid, [])
  }
})

test('a BIC is of the country of the bank, or of an area with its IBANs', () => {
  for (const [bic, country, isOf] of [
    ['MARKDEFF', 'DE', true],
    ['MARKDEFF', 'FR', false],
    ['BNPAREFFXXX', 'FR', true],
    ['BARCGGGG', 'GB', true],
    ['MARKDEFF', 'XK', false],
  ] as const) {
    assert.equal(isBicOf(bic, country), isOf, `${bic} ${country}`)
  }
})

test('a masked IBAN shows its first and its last four characters', () => {
  assert.equal(maskIban(exampleIban), 'DE89…3000')
})

test('a BIC has eight or eleven capitals of a country that exists', () => {
  for (const bic of ['MARKDEFF', 'MARKDEFFXXX', 'BNPAREFF123']) assert.ok(isBic(bic), bic)
  for (const text of [
    '',
    'MARKDEF',
    'MARKDEFFX',
    'MARKDEFFXXXX',
    'markdeff',
    'MARKZZFF',
    '1ARKDEFF',
  ]) {
    assert.ok(!isBic(text), text)
  }
})

test('euros go to the countries of SEPA, also to those that joined late, as such', () => {
  for (const country of ['DE', 'FR', 'CH', 'GB', 'AL', 'MD', 'ME', 'MK', 'RS']) {
    assert.ok(isInSepa(country), country)
  }
  for (const country of ['US', 'TR', 'UA', 'XK', '', 'ZZ']) assert.ok(!isInSepa(country), country)
})

test('an IBAN of one of several banks of this one is its own', () => {
  const banks = [fictitiousBank, { country: 'NL', prefix: 'ABNA' }]
  for (const bank of banks) {
    const iban = newIban(bank) ?? assert.fail(bank.country)
    assert.ok(isOwnIban(banks, iban), iban)
    assert.ok(!isOwnIban([], iban))
  }
  assert.ok(!isOwnIban(banks, exampleIban))
})

test('what is no account number, or no bank code, makes no IBAN', () => {
  assert.throws(() => createIban('DE', '37040044'), /37040044 is no account number of DE/)
  assert.throws(() => createIban('ZZ', '1'), RangeError)
  const unknown = { country: 'ZZ', prefix: '1' }
  for (const make of [
    () => countFreeDigits(unknown),
    () => newIban(unknown),
    () => toIban(unknown, '1'),
  ]) {
    assert.throws(make, /^RangeError: The bank code /)
  }
  // Modulus 11 gives 10 for these: no check digit fits.
  const norwegian = { country: 'NO', prefix: '8601' }
  const fits = Array.from({ length: 200 }, (_, at) => toIban(norwegian, `${at}`.padStart(6, '0')))
  assert.ok(fits.includes(undefined))
  assert.ok(fits.every((iban) => iban === undefined || isValidIBAN(iban)))
})
