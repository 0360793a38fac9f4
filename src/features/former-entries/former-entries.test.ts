// What the former bank booked: it is shown to those who see the account, and nobody changes it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../domain/ids.ts'
import { openAccount, readPages, type Scene, scene } from '../../../test/support/fixture.ts'
import { assertValidCamt, readPdf } from '../../../test/support/statement-files.ts'
import { statements } from '../../../languages/statement.ts'
import { languageCodes } from '../../domain/languages.ts'
import { people } from '../../../test/support/world.ts'

/** Day by day, one entry each; each second one is of money out. */
async function addFormer({ sql }: Scene, accountId: string, days: readonly string[]) {
  for (const [line, day] of days.entries()) {
    await sql('insert into former_entries values ($1, $2, $3, $4, $5, $6, $7)', [
      newId(Date.parse(day) + line),
      accountId,
      day,
      line % 2 === 0 ? -1200 : 750,
      line === 0 ? null : 'Stadtwerke',
      line === 0 ? null : 'DE89370400440532013000',
      line === 0 ? '' : `Line ${line}`,
    ])
  }
}

const under = (accountId: string) => `/api/v1/accounts/${accountId}/former-entries`

test('the owner and staff read former entries, newest first and page by page, and nobody else does', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  await addFormer(bank, from, ['2024-01-31', '2024-02-29', '2024-02-29', '2025-12-31'])
  const agnes = await bank.as('agnes')
  for (const reader of [ada, root, agnes]) {
    const items = await readPages(reader, `${under(from)}?limit=3`)
    assert.deepEqual(
      items.map((item) => [item['bookedOn'], item['amount'], item['reference']]),
      [
        ['2025-12-31', '7.50', 'Line 3'],
        ['2024-02-29', '-12.00', 'Line 2'],
        ['2024-02-29', '7.50', 'Line 1'],
        ['2024-01-31', '-12.00', ''],
      ],
    )
    assert.ok(items.every((item) => item['bookedBy'] === 'former_bank'))
    assert.equal(items[3]?.['counterpartyName'], null)
    assert.equal(items[2]?.['counterpartyIban'], 'DE89370400440532013000')
  }
  assert.equal((await ada.get(`/api/v1/accounts/${from}`)).body.balance, '100.00')
  const ben = await bank.as('ben')
  assert.equal((await ben.get(under(from))).status, 403)
  assert.deepEqual((await ben.get(under(await openAccount(ben)))).body.items, [])
  const read = await root.get('/api/v1/admin/audit-events?action=listFormerEntries')
  assert.equal(read.body.items.length > 0, true, read.text)
})

test('the service may read former entries, and neither add, change nor delete one', async (t) => {
  const { sql } = await scene(t)
  const { rows } = await sql(
    `select privilege_type from information_schema.role_table_grants
     where table_name = 'former_entries' and grantee = 'strongroom_service'`,
  )
  assert.deepEqual(rows, [{ privilege_type: 'SELECT' }])
})

test('a statement of a period with former entries says where they are, in words of the holder, and has none of them in its entries and sums', async (t) => {
  const bank = await scene(t)
  const { ada, from, to, clock, sql } = bank
  const read = (account: string, period: string, format: string) => {
    // Exports are limited by the second.
    clock.advance(1000)
    return ada.get(`/api/v1/accounts/${account}/statement${period}&format=${format}`)
  }
  const formats = ['json', 'csv', 'pdf', 'camt053']
  const readAll = async (account: string, period: string) => {
    const replies = []
    for (const format of formats) replies.push(await read(account, period, format))
    return replies.map(({ bytes }) => bytes.toString('latin1'))
  }
  const [december, year] = ['?from=2025-12-01&to=2025-12-31', '?from=2025-02-01&to=2026-01-31']
  const before = await readAll(from, december)
  const other = await read(to, year, 'json')
  await addFormer(bank, from, ['2025-11-30', '2026-01-02'])

  // Neither day is in the period, and one account alone has any.
  assert.deepEqual(await readAll(from, december), before)
  assert.deepEqual((await read(to, year, 'json')).body, other.body)
  // From the opening on, former entries are not asked for: they are older.
  const { createdAt } = (await ada.get(`/api/v1/accounts/${from}`)).body as { createdAt: string }
  for (const [ms, isTold] of [
    [-1, true],
    [0, false],
    [1, false],
  ] as const) {
    const since = new Date(Date.parse(createdAt) + ms).toISOString()
    const { body } = await read(from, `?from=${since}`, 'json')
    assert.equal('formerEntries' in body, isTold, since)
  }
  for (const [first, last, isTold] of [
    ['2025-11-29', '2025-11-29', false],
    ['2025-11-29', '2025-11-30', true],
    ['2025-11-30', '2025-12-01', true],
    ['2025-12-01', '2026-01-01', false],
    ['2025-12-01', '2026-01-02', true],
  ] as const) {
    const { body } = await read(from, `?from=${first}&to=${last}`, 'json')
    assert.equal('formerEntries' in body, isTold, `${first} ${last}`)
  }
  const { body: told } = await read(from, year, 'json')
  const { formerEntries: path, ...figures } = told
  assert.equal(path, under(from))
  assert.equal((await ada.get(path)).body.items.length, 2)
  assert.equal(figures.openingBalance, '0.00')
  assert.equal(figures.closingBalance, '100.00')
  assert.equal(figures.entries.length, 1)
  const csv = (await read(from, year, 'csv')).text
  assert.equal(csv.split('\r\n').length, 3)

  const files = []
  for (const code of languageCodes) {
    await sql('update users set language = $2 where id = $1', [people.ada.id, code])
    const sentence = statements[code].formerEntries
    const { texts } = await readPdf((await read(from, year, 'pdf')).bytes)
    const [paper, wanted] = [texts.join(' '), sentence].map((each) => each.replaceAll(/\s+/g, ' '))
    assert.ok(paper?.includes(wanted as string), `${code}: ${texts[0]}`)
    const camt = await read(from, year, 'camt053')
    assert.ok(camt.text.includes(`<AddtlStmtInf>${sentence.replaceAll("'", '&apos;')}`), code)
    assert.ok(camt.text.includes('<TtlNtries><NbOfNtries>1</NbOfNtries>'))
    files.push(camt.bytes)
  }
  await assertValidCamt(files)
})
