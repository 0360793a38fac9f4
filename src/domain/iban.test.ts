import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidIBAN } from 'ibantools'
import { createIban, fictitiousBank, isBicOf, isOwnIban, newIban } from './iban.ts'

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
