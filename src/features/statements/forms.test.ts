// All formats of a statement agree, as third-party libraries read them.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '../../../test/support/random.ts'
import { validateXML } from 'xmllint-wasm'
import {
  assertCamt,
  assertCsv,
  assertPdf,
  assertValidCamt,
  readCsv,
  readPdf,
  type Expected,
  schema,
} from '../../../test/support/statement-files.ts'
import { utcDays } from '../../domain/days.ts'
import { currencies, formatAmount } from '../../domain/money.ts'
import { renderCamt } from './camt.ts'
import { renderCsv } from './csv.ts'
import { openPaper, type Style } from './paper/paper.ts'
import { textStyles } from './pdf-style.ts'
import { wrap } from './pdf-words.ts'
import { pdfPace } from './paper/pace.ts'
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
const kinds = [
  'transfer',
  'deposit',
  'withdrawal',
  'reversal',
  'return',
  'incoming',
  'cancellation',
  'capture',
  'card',
  'clearing',
  'refund',
  'chargeback',
  'takeback',
] as const
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
        bookedAt: from + index * 3_600_000,
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
    isOfBank: false,
    bankName: 'Strongroom',
    spreadsheet: undefined,
    bic: undefined,
    days: utcDays,
    language: 'en',
    holder,
    iban: 'EE471000001020145685',
    currency,
    isClosed: false,
    opening,
    closing: balance,
    credits: total((units) => units > 0n),
    debits: total((units) => units < 0n),
    issuedAt: Date.UTC(2026, 10, 22, 9),
    requestId: '01940000-0000-7000-8000-726571756573',
    label: '2026-10',
    number: 3,
    isOlderElsewhere: opening < 0n,
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
    isFinal: heading.end <= heading.issuedAt,
    rows: rows.map(({ id, kind, amount, balanceAfter: balance, counterparty, reference }) => {
      return { id, kind, amount, balance, name: counterparty?.name ?? '', reference }
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

const day = Date.UTC(2026, 9, 7)
const at = day + 32_430_000
const periods: [what: string, period: Partial<Heading>, texts: string[]][] = [
  [
    'of whole days',
    { from: day - 86_400_000, end: day },
    [
      '6 October 2026 to 6 October 2026, UTC days',
      'start of 6 Oct 2026',
      'end of 6 Oct 2026',
      ' · 6 Oct 2026 – 6 Oct 2026 · ',
    ],
  ],
  [
    'within a day',
    { from: at, end: at + 500 },
    [
      '7 Oct 2026, 09:00:30 UTC to 7 Oct 2026, 09:00:30.500 UTC',
      ' at 7 Oct 2026, 09:00:30 UTC',
      ' at 7 Oct 2026, 09:00:30.500 UTC',
      ' · 7 Oct 2026, 09:00:30 UTC – 7 Oct 2026, 09:00:30.500 UTC · ',
    ],
  ],
  [
    'that is not over',
    { from: day, end: day + 86_400_000, issuedAt: at },
    ['7 October 2026 to 7 October 2026, UTC days', 'start of 7 Oct 2026', 'when issued'],
  ],
  [
    'still to come',
    { from: day, end: day + 86_400_000, issuedAt: day - 1 },
    ['when issued .*when issued'],
  ],
]
for (const [what, period, wanted] of periods) {
  test(`a PDF of a period ${what} says of what time its balances are, and of no other`, async () => {
    const file = toFile({ currency: 'EUR', opening: 5n, holder: 'Ada', movements: [] })
    const heading = { ...file.heading, ...period }
    const { texts } = await readPdf(await joinBytes(renderPdf({ ...file, heading })))
    const text = texts.join(' ').replace(/\s+/g, ' ')
    for (const part of wanted) assert.match(text, new RegExp(part.replace(/ +/g, ' ')), text)
    if (heading.issuedAt < heading.end) assert.doesNotMatch(text, /end of/)
  })
}

test('a camt.053 file has the identifier of another only where both have the same entries', async () => {
  const moved = { name: 'Ben', iban: '', units: 5n, kind: 'deposit', reference: '' }
  const idOf = async (count: number) => {
    const movements = Array.from({ length: count }, () => moved) as History['movements']
    const file = toFile({ currency: 'EUR', opening: 5n, holder: 'Ada', movements })
    return /<Stmt><Id>(\w+)</.exec(String(await joinBytes(renderCamt(file))))?.[1]
  }
  assert.equal(await idOf(2), await idOf(2))
  assert.notEqual(await idOf(2), await idOf(3))
})

test('a balance in a camt.053 file is interim until its time is past', async () => {
  const file = toFile({ currency: 'EUR', opening: 5n, holder: 'Ada', movements: [] })
  const { from, end } = file.heading
  const codesAt = async (issuedAt: number) => {
    const xml = String(
      await joinBytes(renderCamt({ ...file, heading: { ...file.heading, issuedAt } })),
    )
    const id = /<Stmt><Id>(\w+)</.exec(xml)?.[1]
    return { id, codes: [...xml.matchAll(/<CdOrPrtry><Cd>(\w+)</g)].map(([, code]) => code) }
  }
  assert.deepEqual((await codesAt(from - 1)).codes, ['ITBD', 'ITBD'])
  assert.deepEqual((await codesAt(from)).codes, ['OPBD', 'ITBD'])
  const [last, first] = [await codesAt(end - 1), await codesAt(end)]
  assert.deepEqual(last.codes, ['OPBD', 'ITBD'])
  assert.deepEqual(first.codes, ['OPBD', 'CLBD'])
  assert.notEqual(first.id, last.id, 'a program that knows the interim file takes the final one')
  assert.equal(first.id, (await codesAt(end + 1)).id)
})

test('a text costs a PDF as much as its length, whatever its characters', async () => {
  const paper = openPaper({ title: 'Test', bankName: 'Test', issuedAt: 0, lang: 'en-GB' })
  let measured = 0
  const counting = {
    ...paper,
    measureWidth(part: string, style: Style) {
      measured += part.length
      return paper.measureWidth(part, style)
    },
  }
  for (const text of ['x'.repeat(140), '漢'.repeat(140), 'ab '.repeat(46)]) {
    measured = 0
    const wrapped = await pdfPace.run(wrap(counting, text, textStyles.plain, 100))
    const lines = wrapped.map((line) => line.text)
    assert.ok(lines.length > 2)
    assert.ok(lines.every((line) => paper.measureWidth(line, textStyles.plain) <= 100))
    assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(' ', ''))
    assert.ok(measured <= 2 * text.length + 1, `${measured}`)
  }
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
