import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/random.ts'
import { currencies, formatAmount, parseAmount } from './money.ts'

const amounts: [text: string, currency: 'EUR' | 'JPY' | 'KWD', minor: bigint | undefined][] = [
  ['12.34', 'EUR', 1234n],
  ['12.3', 'EUR', 1230n],
  ['12', 'EUR', 1200n],
  ['0', 'EUR', 0n],
  ['0.01', 'EUR', 1n],
  ['999999999999999.99', 'EUR', 99_999_999_999_999_999n],
  ['9007199254740993', 'JPY', undefined],
  ['900719925474099', 'JPY', 900_719_925_474_099n],
  ['1.234', 'KWD', 1234n],
  ['10.5', 'JPY', undefined],
  ['0.001', 'EUR', undefined],
  ['1.', 'EUR', undefined],
  ['.5', 'EUR', undefined],
  ['01', 'EUR', undefined],
  ['+1', 'EUR', undefined],
  ['-1', 'EUR', undefined],
  ['1e2', 'EUR', undefined],
  ['1_000', 'EUR', undefined],
  ['1,5', 'EUR', undefined],
  ['0x10', 'EUR', undefined],
  ['١٢', 'EUR', undefined],
  ['１２', 'EUR', undefined],
  [' 1', 'EUR', undefined],
  ['', 'EUR', undefined],
  ['NaN', 'EUR', undefined],
]
for (const [text, currency, minor] of amounts) {
  test(`${JSON.stringify(text)} ${currency} is ${minor ?? 'no amount'}`, () =>
    assert.equal(parseAmount(text, currency), minor))
}

test('a formatted amount parses to the same amount', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 999_999_999_999_999n }),
      fc.constantFrom(...currencies),
      (minor, currency) => {
        assert.equal(parseAmount(formatAmount(minor, currency), currency), minor)
        assert.equal(formatAmount(-minor, currency).replace('-', ''), formatAmount(minor, currency))
      },
    ),
  )
})

test('a debit keeps its sign and its leading zero', () => {
  assert.equal(formatAmount(-5n, 'EUR'), '-0.05')
  assert.equal(formatAmount(-5n, 'JPY'), '-5')
})

test('each currency has as many minor digits as ISO 4217 gives it', () => {
  const others = new Map(Object.entries({ BHD: 3, JPY: 0, KWD: 3, TND: 3 }))
  for (const currency of currencies) {
    const digits = others.get(currency) ?? 2
    const least = digits === 0 ? '1' : `0.${'1'.padStart(digits, '0')}`
    assert.equal(formatAmount(1n, currency), least, currency)
    assert.equal(parseAmount(least, currency), 1n, currency)
    assert.equal(parseAmount(`0.${'1'.padStart(digits + 1, '0')}`, currency), undefined, currency)
  }
})

test('nothing has no sign', () => {
  assert.equal(formatAmount(0n, 'EUR'), '0.00')
})
