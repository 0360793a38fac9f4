// A CSV file opens right in the spreadsheet of a person, and programs get it as RFC 4180 says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { scene, sceneIn, transferBody } from '../../../test/support/fixture.ts'
import { world } from '../../../test/support/world.ts'
import { type Language, languages } from '../../domain/languages.ts'

const mark = Buffer.from('\ufeff')

/** What Excel takes for the separator and the decimal sign where it is installed in a language. */
const expected = {
  de: [';', ','],
  en: [',', '.'],
  es: [';', ','],
  fr: [';', ','],
} as const satisfies Record<Language, readonly [separator: string, decimal: string]>

test('a CSV file for a spreadsheet has a byte order mark, and the separator and decimal sign of its language', async (t) => {
  const bank = await world(t)
  const { ada, root, from, to, clock } = await sceneIn(bank, '1234.56')
  const body = { ...transferBody(from, to, '4.50'), reference: "a, b's" }
  const paid = await ada.post('/api/v1/transfers', body)
  assert.equal(paid.status, 201, paid.text)
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const terms = { iban, amount: '0.05', currency: 'EUR', externalId: 'A', reference: 'a;b, "c"' }
  const arrived = { ...terms, debtor: { name: '=Müller; Söhne' } }
  assert.equal((await root.post('/api/v1/admin/incoming-payments', arrived)).status, 201)
  const read = async (client: Pick<typeof ada, 'get'>, path: string) => {
    clock.advance(1000)
    const reply = await client.get(path)
    assert.equal(reply.status, 200, reply.text)
    return reply.bytes
  }
  const period = 'from=2026-01-01&to=2026-01-31'
  const statement = `/api/v1/accounts/${from}/statement?${period}&format=csv`
  const cash = `/api/v1/admin/bank-accounts/cash/EUR/statement?${period}&format=csv`
  const trial = '/api/v1/admin/trial-balance?at=2026-01-02T09:00:01Z&format=csv'
  for (const [client, path, column, amounts] of [
    [ada, statement, 'amount', ['1234.56', '-4.50', '0.05']],
    [ada, statement, 'balance_after', ['1234.56', '1230.06', '1230.11']],
    [root, cash, 'amount', ['-1234.56']],
    [root, trial, 'balance', undefined],
  ] as const) {
    const plain = await read(client, path)
    assert.ok(!plain.includes(mark), 'a program gets no mark')
    const rows: Record<string, string>[] = parse(plain, { columns: true })
    const shown = rows.map((row) => row[column] ?? '')
    assert.deepEqual(shown, amounts ?? shown)
    assert.ok(shown.some((amount) => /^-?\d+\.\d\d$/.test(amount)))
    for (const [language, [delimiter, decimal]] of Object.entries(expected)) {
      const bytes = await read(client, `${path}&spreadsheet=${language}`)
      assert.deepEqual(bytes.subarray(0, 3), mark, language)
      const opened: Record<string, string>[] = parse(bytes, { bom: true, columns: true, delimiter })
      const inEnglish = opened.map((row) => ({
        ...row,
        ...Object.fromEntries(
          ['amount', 'balance_after', 'balance']
            .filter((name) => name in row)
            .map((name) => [name, (row[name] as string).replace(decimal, '.')]),
        ),
      }))
      assert.deepEqual(inEnglish, rows, language)
      assert.ok(opened[0]?.[column]?.includes(decimal), language)
    }
  }
  assert.deepEqual(Object.keys(expected).toSorted(), Object.keys(languages).toSorted())
})

test('the language of a spreadsheet is refused beside a format that no spreadsheet opens, and one that does not exist is', async (t) => {
  const { ada, root, from } = await scene(t)
  for (const [client, path] of [
    [ada, `/api/v1/accounts/${from}/statement`],
    [root, '/api/v1/admin/trial-balance'],
  ] as const) {
    for (const query of ['spreadsheet=de', 'spreadsheet=de&format=json']) {
      const { status, body } = await client.get(`${path}?${query}`)
      const details = [{ path: '/query/spreadsheet', message: 'is for CSV' }]
      assert.deepEqual([status, body.details], [400, details])
    }
    assert.equal((await client.get(`${path}?spreadsheet=xx&format=csv`)).status, 400)
  }
})
