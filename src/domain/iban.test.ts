import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidIBAN } from 'ibantools'
import { hasRightCheckDigits, createIban, newIban } from './iban.ts'

test('every IBAN we make is valid, German, and of a bank code no real bank can hold', () => {
  const made = new Set<string>()
  for (let turn = 0; turn < 2000; turn++) {
    const iban = newIban()
    assert.ok(isValidIBAN(iban), iban)
    assert.match(iban, /^DE\d{2}0\d{17}$/)
    assert.ok(hasRightCheckDigits(iban))
    made.add(iban)
  }
  assert.equal(made.size, 2000)
})

test('check digits are those the register of ISO 13616 shows in its examples', () => {
  const examples = [
    ['DE89370400440532013000', 'DE', '370400440532013000'],
    ['GB29NWBK60161331926819', 'GB', 'NWBK60161331926819'],
    ['FR1420041010050500013M02606', 'FR', '20041010050500013M02606'],
    ['NO9386011117947', 'NO', '86011117947'],
    ['MT84MALT011000012345MTLCAST001S', 'MT', 'MALT011000012345MTLCAST001S'],
  ] as const
  for (const [iban, country, national] of examples) {
    assert.equal(createIban(country, national), iban)
    assert.ok(hasRightCheckDigits(iban))
  }
})

test('one wrong digit, two swapped ones, and the check digits nobody gives out are found', () => {
  const right = 'DE89370400440532013000'
  for (let at = 4; at < right.length; at++) {
    const other = right[at] === '9' ? '8' : '9'
    assert.ok(!hasRightCheckDigits(right.slice(0, at) + other + right.slice(at + 1)))
  }
  assert.ok(!hasRightCheckDigits('DE89370400440532010300'))
  // 98 − 97 = 01 and 02 + 97 = 99 leave the same remainder as the digits that are right.
  for (let account = 0; account < 500; account++) {
    const national = `00770077${String(account).padStart(10, '0')}`
    const valid = ['00', '01', '99'].filter((digits) =>
      hasRightCheckDigits(`DE${digits}${national}`),
    )
    assert.deepEqual(valid, [])
  }
})
