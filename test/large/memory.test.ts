// What lies in memory while much passes through it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { utcDays } from '../../src/domain/days.ts'
import { formatAmount } from '../../src/domain/money.ts'
import { renderCamt } from '../../src/features/statements/camt.ts'
import { renderCsv } from '../../src/features/statements/csv.ts'
import { renderPdf } from '../../src/features/statements/pdf.ts'
import type { Entry, Heading, StatementFile } from '../../src/features/statements/rows.ts'
import { type Charge, type Decision, windowsInProcess } from '../../src/gate/window.ts'
import { fakeClock } from '../support/clock.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is in use after garbage collection, with the bytes of buffers. */
function readUsedMb(): number {
  // The second collection returns the bytes of buffers that the first one released.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

const forms = [
  { form: renderCsv, count: 20_000, most: 6 },
  { form: renderCamt, count: 20_000, most: 6 },
  // The most that a PDF holds.
  { form: renderPdf, count: 10_000, most: 30 },
]
for (const { form, count, most } of forms) {
  test(`${form.name} needs at most ${most} MB of memory for ${count} entries`, async () => {
    const before = readUsedMb()
    let usedMbMax = 0
    let pieces = 0
    for await (const piece of form(longFile(count))) {
      assert.ok(piece.length > 0)
      // Collecting takes longer than writing: rarely in the many pieces of a PDF.
      if (++pieces % (form === renderPdf ? 40 : 8) === 0)
        usedMbMax = Math.max(usedMbMax, readUsedMb() - before)
    }
    assert.ok(pieces >= 40, `it came in ${pieces} pieces`)
    assert.ok(usedMbMax <= most, `it used ${usedMbMax} MB`)
  })
}

const from = Date.UTC(2026, 9, 1)

/** A history whose entries are made while they are read, and all differ. */
function longFile(count: number): StatementFile {
  const heading: Heading = {
    from,
    end: Date.UTC(2026, 10, 1),
    isOfBank: false,
    bankName: 'Strongroom',
    spreadsheet: undefined,
    bic: undefined,
    days: utcDays,
    language: 'en',
    holder: 'Ada Okafor',
    iban: 'EE471000001020145685',
    currency: 'EUR',
    isClosed: false,
    opening: 0n,
    closing: BigInt(count),
    credits: { count, units: BigInt(count) },
    debits: { count: 0, units: 0n },
    issuedAt: Date.UTC(2026, 10, 22, 9),
    requestId: '01940000-0000-7000-8000-726571756573',
    label: '2026-10',
    number: 3,
    isOlderElsewhere: false,
  }
  async function* batches() {
    for (let at = 0; at < count; at += 500) {
      yield Array.from({ length: 500 }, (_, index): Entry => {
        const number = at + index + 1
        return {
          seq: BigInt(number),
          id: `01940000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`,
          kind: 'transfer',
          createdAt: new Date(from + number).toISOString(),
          bookedAt: from + number,
          counterparty: { name: `Company ${number} & Söhne`, iban: 'EE382200221020145685' },
          currency: 'EUR',
          reference: `Invoice ${number} of October`,
          units: 1n,
          balanceUnits: BigInt(number),
          amount: '0.01',
          balanceAfter: formatAmount(BigInt(number), 'EUR'),
          isInternal: true,
        }
      })
    }
  }
  return { heading, batches: batches() }
}

const charge = (quota: number, windowMs: number, key: string, window: string): Charge => ({
  limit: { window, quota, windowMs },
  key,
})

test('a million addresses with one request each are forgotten, and a live key keeps its count', () => {
  const clock = fakeClock()
  const windows = windowsInProcess(() => clock.monotonic())
  const take = (...charges: Charge[]) => windows.take(charges)
  const victim = charge(3, 3_600_000, 'victim', 'slow')
  void [take(victim), take(victim)]
  const beforeMb = readUsedMb()
  let most = 0
  for (let key = 0; key < 1_000_000; key++) {
    if (key % 100 === 0) clock.advance(10)
    void take(charge(100, 1000, String(key), 'fast'))
    if (key % 10_000 === 0) most = Math.max(most, windows.size())
  }
  assert.ok(most < 40_000, `${most} keys were kept at once`)
  const moreMb = readUsedMb() - beforeMb
  assert.ok(moreMb < 40, `${moreMb} MB more are in use`)
  const { waitMs, usages } = take(victim) as Decision
  assert.equal(waitMs, 0, 'the third of three')
  assert.equal(usages[0]?.remaining, 0, 'the first two still count')
})
