// Reads statement files with third-party libraries and compares them with what they must contain.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { XMLParser } from 'fast-xml-parser'
import { getDocumentProxy } from 'unpdf'
import { validateXML } from 'xmllint-wasm'
import type { Currency } from '../../src/domain/money.ts'

const schemaPath = new URL('../camt/camt.053.001.08.xsd', import.meta.url)
/** The schema that ISO 20022 publishes. */
export const schema = await readFile(schemaPath, 'utf8')

/** What a file of any format must contain, in this order. */
export type Expected = {
  opening: string
  closing: string
  rows: {
    id: string
    kind: string
    amount: string
    balance: string
    name: string
    reference: string
  }[]
  /** Whether the period is over. */
  isFinal: boolean
}

const toUnits = (amount: string): bigint => BigInt(amount.replace('.', ''))
const sum = (amounts: readonly string[]): bigint =>
  amounts.reduce((total, amount) => total + toUnits(amount), 0n)

// ---- CSV, by csv-parse

export function readCsv(bytes: Buffer): Record<string, string>[] {
  const text = bytes.toString()
  assert.ok(text.endsWith('\r\n'))
  return parse(text, { columns: true, record_delimiter: '\r\n', relax_quotes: false })
}

const formula = /^[=+\-@\t\r]/

/** The text of a cell as a spreadsheet shows it, without the apostrophe. */
const displayed = (cell: string): string => cell.replace(/^'(?=\s*[=+\-@＝＋－＠\t\r\n])/, '')

export function assertCsv(
  rows: Record<string, string>[],
  expected: Expected,
  currency: Currency,
): void {
  assert.equal(rows.length, expected.rows.length)
  rows.forEach((row, index) => {
    const { name, reference, ...exact } = expected.rows[index] as Expected['rows'][number]
    assert.deepEqual(Object.keys(row), [
      'date',
      'booked_at',
      'transaction_id',
      'kind',
      'counterparty_name',
      'counterparty_iban',
      'reference',
      'amount',
      'currency',
      'balance_after',
    ])
    const { transaction_id: id, kind, amount, balance_after: balance } = row
    assert.deepEqual({ id, kind, amount, balance }, exact)
    assert.equal(row['currency'], currency)
    assert.match(row['date'] as string, /^\d{4}-\d\d-\d\d$/)
    assert.ok((row['booked_at'] as string).startsWith(`${row['date']}T`))
    for (const [cell, text] of [
      [row['counterparty_name'], name.toWellFormed()],
      [row['reference'], reference.toWellFormed()],
    ] as [string, string][]) {
      assert.doesNotMatch(cell, formula)
      assert.ok(cell === text || displayed(cell) === text, JSON.stringify([cell, text]))
    }
  })
  const net = sum(rows.map(({ amount }) => amount as string))
  assert.equal(toUnits(expected.opening) + net, toUnits(expected.closing))
}

// ---- camt.053, by libxml2 and fast-xml-parser

const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  trimValues: false,
  isArray: (name: string) => ['Ntry', 'Bal'].includes(name),
})

/** Text as XML can carry it: forbidden characters are replaced, long text is cut. */
const inXml = (text: string): string =>
  Array.from(
    // oxlint-disable-next-line no-control-regex
    text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd'),
  )
    .slice(0, 140)
    .join('')

/** All files at once: loading the schema takes longer than reading a file. */
export async function assertValidCamt(files: readonly Buffer[]): Promise<void> {
  const { valid, errors } = await validateXML({
    xml: files.map((bytes, index) => ({ fileName: `${index}.xml`, contents: bytes.toString() })),
    schema: [{ fileName: 'camt.053.001.08.xsd', contents: schema }],
  })
  assert.ok(valid, JSON.stringify(errors.slice(0, 3)))
}

export function assertCamt(bytes: Buffer, expected: Expected, currency: Currency): void {
  const statement = parser.parse(bytes.toString()).Document.BkToCstmrStmt.Stmt
  const signed = ({ Amt, CdtDbtInd }: { Amt: Amount; CdtDbtInd: string }) => {
    const text = typeof Amt === 'string' ? Amt : Amt['#text']
    if (typeof Amt !== 'string') assert.equal(Amt['@_Ccy'], currency)
    return CdtDbtInd === 'DBIT' ? `-${text}` : text
  }
  const balances = statement.Bal.map((balance: never) => [
    balance['Tp']['CdOrPrtry']['Cd'],
    signed(balance),
  ])
  assert.deepEqual(balances, [
    ['OPBD', expected.opening],
    [expected.isFinal ? 'CLBD' : 'ITBD', expected.closing],
  ])
  const entries = (statement.Ntry ?? []) as never[]
  const rows = entries.map((entry) => {
    const details = entry['NtryDtls']['TxDtls'] as Details
    const parties = details.RltdPties?.[entry['CdtDbtInd'] === 'DBIT' ? 'Cdtr' : 'Dbtr']
    return {
      id: entry['AcctSvcrRef'],
      isReversal: entry['RvslInd'] === 'true',
      amount: signed(entry),
      name: parties?.Pty.Nm ?? '',
      reference: details.RmtInf?.Ustrd ?? '',
    }
  })
  const expectedRows = expected.rows.map(({ id, kind, amount, name, reference }) => {
    const texts = { name: inXml(name), reference: inXml(reference) }
    return { id: id.replaceAll('-', ''), isReversal: kind === 'reversal', amount, ...texts }
  })
  assert.deepEqual(rows, expectedRows)
  assert.equal(new Set(entries.map((entry) => entry['NtryRef'])).size, entries.length)
  const summary = statement.TxsSummry
  for (const [total, isIn] of [
    [summary.TtlNtries, () => true],
    [summary.TtlCdtNtries, (amount: string) => !amount.startsWith('-')],
    [summary.TtlDbtNtries, (amount: string) => amount.startsWith('-')],
  ] as [{ NbOfNtries: string; Sum: string }, (amount: string) => boolean][]) {
    const amounts = expected.rows.map(({ amount }) => amount).filter(isIn)
    assert.equal(total.NbOfNtries, `${amounts.length}`)
    assert.equal(toUnits(total.Sum), sum(amounts.map((amount) => amount.replace('-', ''))))
  }
  const net = toUnits(signed(summary.TtlNtries.TtlNetNtry))
  assert.equal(toUnits(expected.opening) + net, toUnits(expected.closing))
}

type Amount = string | { '#text': string; '@_Ccy': string }
type Details = {
  RltdPties?: Record<string, { Pty: { Nm: string } } | undefined>
  RmtInf?: { Ustrd: string }
}

// ---- PDF, by pdf.js

type Item = { str: string; width: number; transform: number[] }
const ends = { out: 392, in: 467, balance: 542 }

/** The figures from top to bottom. Their right edge tells the column. */
export async function readPdf(bytes: Buffer) {
  const document = await getDocumentProxy(new Uint8Array(bytes))
  const rows: { label: string; amount: string; balance: string }[] = []
  const texts: string[] = []
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const items = (await page.getTextContent()).items as Item[]
    const byLine = new Map<number, Item[]>()
    for (const item of items.filter(({ str }) => str.trim() !== '')) {
      const y = Math.round(item.transform[5] as number)
      byLine.set(y, [...(byLine.get(y) ?? []), item])
    }
    for (const line of byLine.values()) {
      const at = (end: number) =>
        line.find(({ transform, width }) => Math.abs((transform[4] as number) + width - end) < 1)
          ?.str
      const balance = at(ends.balance)
      if (balance === undefined || !/^-?[\d,]+(\.\d+)?$/.test(balance)) continue
      const [out, into] = [at(ends.out), at(ends.in)]
      const amount = out === undefined ? (into ?? '') : `-${out}`
      const label = line.map(({ str }) => str).join(' ')
      const plain = (text: string) => text.replaceAll(',', '')
      rows.push({ label, amount: plain(amount), balance: plain(balance) })
    }
    texts.push(items.map(({ str }) => str).join(' '))
  }
  const info = (await document.getMetadata()).info as Record<string, unknown>
  const tree = await (await document.getPage(1)).getStructTree()
  return { rows, texts, info, tree: JSON.stringify(tree) }
}

/** PDF readers silently repair a wrong table of objects, so the test reads it itself. */
function assertObjectTable(bytes: Buffer): void {
  const text = bytes.toString('latin1')
  const end = /startxref\n(\d+)\n%%EOF\n$/.exec(text)
  const table = text.slice(Number(end?.[1]))
  const [, count] = /^xref\n0 (\d+)\n0000000000 65535 f \n/.exec(table) ?? []
  const places = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place))
  assert.equal(places.length + 1, Number(count))
  places.forEach((place, index) => {
    assert.ok(text.startsWith(`${index + 1} 0 obj\n`, place), `object ${index + 1}`)
  })
}

export async function assertPdf(bytes: Buffer, expected: Expected, month: string): Promise<void> {
  assertObjectTable(bytes)
  const { rows, texts, info, tree } = await readPdf(bytes)
  const isCarried = ({ label }: { label: string }) => label.includes('brought forward')
  rows.forEach((row, index) => {
    if (isCarried(row)) assert.equal(row.balance, rows[index - 1]?.balance)
  })
  assert.equal(rows.filter(isCarried).length >= texts.length - 2, true)
  const entries = rows.filter((row) => !isCarried(row))
  assert.deepEqual(
    entries.map(({ amount, balance }) => [amount, balance]),
    [
      ['', expected.opening],
      ...expected.rows.map(({ amount, balance }) => [amount, balance]),
      ['', expected.closing],
    ],
  )
  texts.forEach((text, index) => {
    assert.match(
      text,
      new RegExp(`Page ${index + 1} of ${texts.length}(?!\\d)`.replace(/ /g, '\\s+')),
    )
  })
  assert.match(info['Title'] as string, new RegExp(`^Account statement ${month}, `))
  assert.equal(info['Language'], 'en-GB')
  for (const role of ['H1', 'Table', 'TH', 'TD']) assert.ok(tree.includes(`"role":"${role}"`), role)
}
