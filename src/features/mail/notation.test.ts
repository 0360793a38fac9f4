// Times, days and amounts as the mails of each language write them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDays, utcDays } from '../../domain/days.ts'
import type { Language } from '../../domain/languages.ts'
import { dayText, moneyText, timeText } from './notation.ts'

const at = Date.UTC(2026, 0, 2, 9, 30)
const berlin = createDays([{ since: 0, timeZone: 'Europe/Berlin' }])

const expected = {
  en: ['2 January 2026', '2 January 2026 at 09:30 UTC', '1,000.10 EUR', '7,000 JPY'],
  de: ['2. Januar 2026', '2. Januar 2026 um 09:30 UTC', '1.000,10 EUR', '7.000 JPY'],
  es: ['2 de enero de 2026', '2 de enero de 2026 a las 9:30 UTC', '1000,10 EUR', '7000 JPY'],
  fr: ['2 janvier 2026', '2 janvier 2026 à 09:30 UTC', '1\u202f000,10 EUR', '7\u202f000 JPY'],
} as const satisfies Record<Language, readonly [string, string, string, string]>

test('a day, a time and an amount are exact, and in the notation of the language', () => {
  for (const [code, [day, time, money, whole]] of Object.entries(expected)) {
    const language = code as Language
    assert.equal(dayText('2026-01-02', language), day)
    assert.equal(timeText(at, language, utcDays), time)
    assert.equal(moneyText({ amount: 100_010n, currency: 'EUR' }, language), money)
    assert.equal(moneyText({ amount: 7000n, currency: 'JPY' }, language), whole)
  }
  const largest = { amount: 9_000_000_000_000_000_001n, currency: 'EUR' }
  assert.equal(moneyText(largest, 'en'), '90,000,000,000,000,000.01 EUR')
  assert.equal(moneyText({ amount: -5n, currency: 'EUR' }, 'en'), '-0.05 EUR')
})

test('a time is that of the clocks of the bank, with the name of their zone', () => {
  assert.equal(timeText(at, 'en', berlin), '2 January 2026 at 10:30 CET')
  assert.equal(timeText(at, 'de', berlin), '2. Januar 2026 um 10:30 MEZ')
})
