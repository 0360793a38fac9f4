// All formats of a statement agree, as third-party libraries read them.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { validateXML } from 'xmllint-wasm'
import {
  assertCamt,
  assertCsv,
  assertPdf,
  assertValidCamt,
  readCsv,
  type Expected,
  schema,
} from '../../../test/support/statement-files.ts'
import { currencies, formatAmount } from '../../domain/money.ts'
import { renderCamt } from './camt.ts'
import { renderCsv } from './csv.ts'
import { renderPdf } from './pdf.ts'
import type { Entry, Heading, StatementFile } from './rows.ts'

const joinBytes = async (pieces: AsyncIterable<string | Buffer>): Promise<Buffer> => {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(Buffer.from(piece as string))
  return Buffer.concat(all)
}

const hostile = fc.constantFrom(
  "=cmd|' /C calc'!A0",
  '+1',
  '-2+3',
  '@SUM(A1)',
  '\tx',
  '\rx',
  ' =1',
  '＝1',
  "'=1",
  "'x'",

  ']]>',
  '<b>&amp;"\'</b>',
  '<!-- -->',
  '&#0;',
  'a,b;c"d',
  '""',
  '\r\n',
  '\u0000\u0007\u001b[2J',

  '\u202eevil\u202c',
  'שלום עולם',
  'مرحبا',
  '王伟',
  '😀👩‍👩‍👧',
  '\ud800',
  'e\u0301\u0327',
  '\ufffe',
  'Ελένη',
  'Ольга',
  'Łódź',
  'ﬃ',
  '',
  ' ',
  'x'.repeat(141),
  '1,234.56',
  '\u2028',
)
const text = fc.oneof(
  { arbitrary: hostile, weight: 3 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 140 }), weight: 1 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 60 }), weight: 1 },
)
const kinds = ['transfer', 'deposit', 'withdrawal', 'reversal', 'return'] as const
const movement = fc.record({
  units: fc.oneof(
    fc.bigInt({ min: -99_999n, max: 99_999n }),
    fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
  ),
  kind: fc.constantFrom(...kinds),
  name: text,
  iban: fc.constantFrom('', 'EE382200221020145685', 'NO9386011117947'),
  reference: text,
  isInternal: fc.boolean(),
})

const histories = fc.record({
  currency: fc.constantFrom(...currencies),
  opening: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 16n }),
  holder: text.filter((name) => name.trim() !== ''),
  movements: fc.array(movement, { maxLength: 40 }),
})
type History = typeof histories extends fc.Arbitrary<infer H> ? H : never

const from = Date.UTC(2026, 9, 1)

function toFile({ currency, opening, holder, movements }: History): StatementFile {
  let balance = opening
  const entries = movements
    .filter(({ units }) => units !== 0n)
    .map(({ name, iban, ...movement }, index): Entry => {
      balance += movement.units
      return {
        ...movement,
        seq: BigInt(index + 1),
        id: `01940000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`,
        createdAt: new Date(from + index * 3_600_000).toISOString(),
        counterparty: { name: name === '' ? null : name, iban: iban === '' ? null : iban },
        currency,
        balanceUnits: balance,
        amount: formatAmount(movement.units, currency),
        balanceAfter: formatAmount(balance, currency),
      }
    })
  const total = (isIn: (units: bigint) => boolean) => {
    const amounts = entries.map(({ units }) => units).filter(isIn)
    const units = amounts.reduce((sum, amount) => sum + (amount < 0n ? -amount : amount), 0n)
    return { count: amounts.length, units }
  }
  const heading: Heading = {
    from,
    end: Date.UTC(2026, 10, 1),
    bankName: 'Strongroom',
    holder,
    iban: 'EE471000001020145685',
    currency,
    accountName: null,
    opening,
    closing: balance,
    credits: total((units) => units > 0n),
    debits: total((units) => units < 0n),
    issuedAt: Date.UTC(2026, 10, 22, 9),
    requestId: '01940000-0000-7000-8000-726571756573',
    label: '2026-10',
    number: 3,
  }
  return { heading, batches: toBatches(entries) }
}

/** Batches that every format can read from the start. */
const toBatches = (entries: readonly Entry[]): StatementFile['batches'] => ({
  async *[Symbol.asyncIterator]() {
    for (let at = 0; at < entries.length; at += 7) yield entries.slice(at, at + 7)
  },
})

async function toExpected({ heading, batches }: StatementFile): Promise<Expected> {
  const rows = []
  for await (const batch of batches) rows.push(...batch)
  const { opening, closing, currency } = heading
  return {
    opening: formatAmount(opening, currency),
    closing: formatAmount(closing, currency),
    rows: rows.map(({ id, amount, balanceAfter: balance, counterparty, reference }) => {
      return { id, amount, balance, name: counterparty?.name ?? '', reference }
    }),
  }
}

test('all formats agree on any history, whatever characters names and references have', async () => {
  const camtFiles: Buffer[] = []
  const property = fc.asyncProperty(histories, async (history) => {
    const file = toFile(history)
    const expected = await toExpected(file)
    assertCsv(readCsv(await joinBytes(renderCsv(file))), expected, history.currency)
    camtFiles.push(await joinBytes(renderCamt(file)))
    assertCamt(camtFiles.at(-1) as Buffer, expected, history.currency)
    await assertPdf(await joinBytes(renderPdf(file)), expected, file.heading.label)
  })
  await fc.assert(property, { numRuns: 25 })
  await assertValidCamt(camtFiles)
})

test('the schema of the camt.053 test is that of ISO 20022, and refuses invalid files', async () => {
  const digest = createHash('sha256').update(schema).digest('hex')
  assert.equal(digest, 'ca0b135cc8e2dde5b2f99af6b6c514a8f29d6e7c6cf98e9ea84d247189868ff5')
  const [history] = fc.sample(histories, 1) as [History]
  const good = (await joinBytes(renderCamt(toFile(history)))).toString()
  for (const [what, by] of [
    [/<Sum>.*?<\/Sum>/, '<Sum>40,00</Sum>'],
    [/<Id>[0-9a-f]{32}<\/Id>/, '<Id>01940000-0000-7000-8000-726571756573</Id>'],
    ['</Stmt>', '</Stmt><Stmt/>'],
  ] as const) {
    const { valid } = await validateXML({
      xml: [{ fileName: 'statement.xml', contents: good.replace(what, by) }],
      schema: [{ fileName: 'camt.053.001.08.xsd', contents: schema }],
    })
    assert.equal(valid, false, by)
  }
})
