// Amounts as people type them: one reading or none.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { fc } from '../../test/support/random.ts'
import { currencies, formatAmount } from '../../src/domain/money.ts'
import { speak, units } from './units-support.ts'

test('an amount is understood in the notation of the person, or not at all', () => {
  const cases: [language: string, currency: string, typed: string, amount?: string][] = [
    ['en-GB', 'EUR', '1,234.5', '1234.50'],
    ['en-GB', 'EUR', '1234.50', '1234.50'],
    ['en-GB', 'EUR', ' 12 ', '12.00'],
    ['en-GB', 'EUR', '007', '7.00'],
    ['en-GB', 'EUR', '1,23'],
    ['en-GB', 'EUR', '1,2345'],
    ['en-GB', 'EUR', '1.234'],
    ['en-GB', 'EUR', '1.'],
    ['en-GB', 'EUR', '.5'],
    ['en-GB', 'EUR', '1.2.3'],
    ['en-GB', 'EUR', '0'],
    ['en-GB', 'EUR', '-5'],
    ['en-GB', 'EUR', '1e3'],
    ['en-GB', 'EUR', ''],
    ['en-GB', 'EUR', '999999999999999.99', '999999999999999.99'],
    ['en-GB', 'EUR', '1000000000000000'],
    ['en-GB', 'KWD', '1.234', '1.234'],
    ['en-GB', 'JPY', '1,000', '1000'],
    ['en-GB', 'JPY', '1.0'],
    ['de-DE', 'EUR', '1.234,5', '1234.50'],
    ['de-DE', 'EUR', '1.234', '1234.00'],
    ['de-DE', 'EUR', '1,234'],
    ['de-DE', 'EUR', '1234,50', '1234.50'],
    ['de-DE', 'EUR', '12.50'],
    ['de-AT', 'EUR', '1 234,50', '1234.50'],
    ['de-CH', 'EUR', "1'234.50", '1234.50'],
    ['de-CH', 'EUR', '1’234.50', '1234.50'],
    ['de-CH', 'EUR', "1’234'567", '1234567.00'],
    ['de-CH', 'EUR', "1'23"],
    ['de-CH', 'EUR', "1.50'000"],
    ['de-CH', 'EUR', '1,234.50'],
    ['en-GB', 'EUR', "1'234.50"],
    ['de-DE', 'EUR', '1’234,50'],
    ['en-GB', 'EUR', '12 50'],
    ['de-DE', 'EUR', '1 00,5'],
    ['de-AT', 'EUR', '12 50'],
    ['en-ZA', 'EUR', '12 50'],
    ['en-GB', 'EUR', '1 2'],
    ['en-GB', 'EUR', '1 234,567'],
    ['en-GB', 'EUR', '1,234 567'],
    ['en-GB', 'EUR', '1  234'],
    ['en-GB', 'EUR', '12 .50'],
    ['en-GB', 'EUR', '1 234.50', '1234.50'],
    ['en-GB', 'EUR', '1\u00a0234\u202f567', '1234567.00'],
    ['en-GB', 'EUR', '12 500', '12500.00'],
    ['en-GB', 'KWD', '12 500'],
    ['en-GB', 'KWD', '12 500.000', '12500.000'],
    ['en-GB', 'EUR', '12,34,567.00'],
    ['en-IN', 'EUR', '12,34,567.00', '1234567.00'],
    ['en-IN', 'EUR', '1,234,567.00', '1234567.00'],
    ['en-IN', 'EUR', '12 34 567', '1234567.00'],
    ['en-IN', 'EUR', '12,345,67.00'],
    ['en-IN', 'EUR', '1,23.00'],
    ['de-AT', 'EUR', '€ 1.234,50', '1234.50'],
    ['en-GB', 'EUR', '€1,234.50', '1234.50'],
    ['en-GB', 'EUR', '1,234.50 EUR', '1234.50'],
    ['en-GB', 'EUR', '£1,234.50'],
    ['en-GB', 'EUR', '-€1,234.50'],
    ['en-GB', 'EUR', '€1€'],
    ['en-u-nu-arab', 'EUR', '١٬٢٣٤٫٥٠', '1234.50'],
    ['en-u-nu-arab', 'EUR', '1234٫5', '1234.50'],
    ['en-u-nu-arab', 'EUR', '١٢ ٥٠'],
    ['de-DE', 'EUR', '١٢'],
  ]
  for (const [language, currency, typed, amount] of cases) {
    speak(language)
    assert.equal(units.parseTyped(typed, currency), amount, `${language} ${currency} ${typed}`)
    if (amount === undefined) continue
    assert.equal(units.parseTyped(units.toTyped(amount, currency), currency), amount)
  }
})

const amounts = fc.record({
  minor: fc.bigInt(1n, 10n ** 15n - 1n),
  currency: fc.constantFrom(...currencies),
})
const digitsOf = (amount: string): number => amount.split('.')[1]?.length ?? 0

function toNotation(locale: string, amount: string, useGrouping: boolean): string {
  const digits = digitsOf(amount)
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping }
  return new Intl.NumberFormat(locale, options).format(amount as Intl.StringNumericLiteral)
}

test('an amount as Intl writes it is read exactly, and in another notation never as another one', () => {
  for (const locale of ['en-GB', 'en-US', 'de-DE', 'de-CH', 'de-AT']) {
    speak(locale)
    const property = fc.property(amounts, fc.boolean(), ({ minor, currency }, isGrouped) => {
      const amount = formatAmount(minor, currency)
      assert.equal(units.parseTyped(toNotation(locale, amount, isGrouped), currency), amount)
      // Thousandths alone look like thousands of the other notation.
      if (digitsOf(amount) === 3) return
      for (const other of ['en-GB', 'de-DE']) {
        const read = units.parseTyped(toNotation(other, amount, isGrouped), currency)
        assert.ok(read === undefined || read === amount, `${amount} was read as ${read}`)
      }
    })
    fc.assert(property)
    const unclear = ['', '0', '-1', '1e3', '1,2,3', '1..2', '٣', '12 34 x', '1,23.4', '.', ',']
    for (const typed of [...unclear, '0,500.00', '0.500,00', '0.500', '0,500']) {
      assert.equal(units.parseTyped(typed, 'EUR'), undefined, `${locale}: ${typed}`)
    }
  }
})

/** The page in another language: of its own it has two. */
function speakAs(t: TestContext, tag: string): void {
  const Format = Intl.NumberFormat
  t.mock.property(
    Intl,
    'NumberFormat',
    class extends Format {
      constructor(_: unknown, options?: Intl.NumberFormatOptions) {
        super(tag, options)
      }
    } as typeof Format,
  )
}

const english = ['en-GB', 'en-IN', 'en-ZA', 'en-CH', 'en-DE', 'en-DK', 'en-AE', 'en-u-nu-arab']
const german = ['de-DE', 'de-AT', 'de-CH', 'de-LI', 'de-u-nu-deva']
const others = ['fr', 'fr-CH', 'ar-EG', 'ar-AE', 'fa', 'he', 'hi', 'mr', 'bn', 'my', 'ne', 'ckb']
const more = ['es', 'pl', 'pt-PT', 'it-CH', 'sv', 'da', 'hu', 'cs', 'ja', 'tr', 'bg', 'gsw', 'th']
const tags = [...english, ...german, ...others, ...more]

test('what the page shows can be typed: with the currency and without, in every notation', async (t) => {
  for (const tag of tags) {
    await t.test(tag, (t) => {
      speakAs(t, tag)
      const property = fc.property(amounts, ({ minor, currency }) => {
        const amount = formatAmount(minor, currency)
        const shown = units.formatMoney(amount, currency)
        assert.equal(units.parseTyped(shown, currency), amount, shown)
        assert.equal(units.parseTyped(units.toTyped(amount, currency), currency), amount)
      })
      fc.assert(property)
    })
  }
})

/** All that the page writes for an amount, or would with fewer signs. */
function listWritings(amount: string, currency: string): Set<string> {
  const parts = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    minimumFractionDigits: 1,
    useGrouping: 'always',
  }).formatToParts(12345.6)
  const find = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
  const [whole = '', fraction = ''] = amount.split('.')
  const byThree = whole.replace(/(?<=\d)(?=(\d{3})+$)/g, ' ')
  const byIntl = new Intl.NumberFormat(undefined, {
    useGrouping: 'always',
    numberingSystem: 'latn',
  })
    .formatToParts(BigInt(whole))
    .map(({ type, value }) => (type === 'group' ? ' ' : value))
    .join('')
  const plain = (text: string) => text.replace(/\s/g, ' ').replace('’', "'")
  const wholes = [byThree, byIntl].flatMap((grouped) => [
    grouped,
    grouped.replaceAll(' ', ''),
    grouped.replaceAll(' ', plain(find('group'))),
  ])
  const fractions = Array.from(fraction, (_, at) => fraction.slice(0, at + 1))
    .filter((some) => /^0*$/.test(fraction.slice(some.length)))
    .map((some) => find('decimal') + some)
  if (/^0*$/.test(fraction)) fractions.push('')
  return new Set(wholes.flatMap((one) => fractions.map((other) => one + other)))
}

/** Of `12.3456` and `12.3 JPY`; three digits behind one sign may be thousands. */
const isTooExact = (text: string, currency: string): boolean => {
  const fraction = /^[\d ,.'’٬٫]*[,.٫](\d{1,2}|\d{4,})$/.exec(text)?.[1]
  return fraction !== undefined && fraction.length > digitsOf(formatAmount(0n, currency as 'EUR'))
}
const tooExact = /at most|whole numbers|höchstens|ganze Zahlen|au plus|nombre entier/

test('an amount that is not taken is told what is wrong with it', async () => {
  speak('en-GB')
  await units.loadTexts()
  const cases: [typed: string, currency: string, sentence: RegExp][] = [
    ['', 'EUR', /^Please fill this in/],
    [' ', 'EUR', /^Please fill this in/],
    ['0', 'EUR', /above zero/],
    ['-5', 'EUR', /leave out the sign/],
    ['+5.00', 'EUR', /leave out the sign/],
    ['12.3456', 'EUR', /EUR has at most 2 digits/],
    ['12.5', 'JPY', /JPY are whole numbers, such as 1234\./],
    ['12.345', 'EUR', /in more than one way/],
    ['1234567890123456', 'EUR', /15 digits/],
    ['1,234,567,890,123,456.00', 'EUR', /15 digits/],
    ['five', 'EUR', /enter an amount such as/],
    ['£5', 'EUR', /enter an amount such as/],
  ]
  for (const [typed, currency, sentence] of cases) {
    assert.match(units.amountError(typed, currency), sentence, typed)
  }
})

test('a text that can be read as two amounts is refused, and the sentence says so', async (t) => {
  for (const tag of ['en-GB', 'en-IN', 'en-ZA', 'de-DE', 'de-AT', 'de-CH', 'fr', 'ar-EG']) {
    speak(tag)
    await units.loadTexts()
    await t.test(tag, (t) => {
      speakAs(t, tag)
      const [signs, digits] = [fc.constantFrom(...",.' ٫٬"), fc.stringMatching(/^[0-9]{1,4}$/)]
      const typed = fc.array(fc.tuple(digits, signs), { minLength: 1, maxLength: 3 })
      const property = fc.property(
        fc.tuple(typed, digits),
        fc.constantFrom('EUR', 'KWD', 'JPY'),
        ([before, last], currency) => {
          const text = before.map(([some, sign]) => some + sign).join('') + last
          const amount = units.parseTyped(text, currency, 'zero')
          if (amount === undefined) {
            const sentence = units.amountError(text, currency)
            // Only one reading, which has too many digits behind the decimal sign.
            if (isTooExact(text, currency) && tooExact.test(sentence)) return
            assert.match(sentence, /in more than one way|verschieden lesen|de plusieurs façons/)
            assert.ok(sentence.includes(text), sentence)
          } else {
            const writings = listWritings(amount, currency)
            assert.ok(writings.has(text.replace(/^0+(?=\d)/, '')), `${text} was read as ${amount}`)
          }
        },
      )
      fc.assert(property, { numRuns: 400 })
    })
  }
})
