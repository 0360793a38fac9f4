// What the former bank booked: it is shown to those who see the account, and nobody changes it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../domain/ids.ts'
import { openAccount, readPages, scene } from '../../../test/support/fixture.ts'

const under = (accountId: string) => `/api/v1/accounts/${accountId}/former-entries`

test('the owner and staff read former entries, newest first and page by page, and nobody else does', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, sql } = bank
  const days = ['2024-01-31', '2024-02-29', '2024-02-29', '2025-12-31']
  for (const [line, day] of days.entries()) {
    await sql('insert into former_entries values ($1, $2, $3, $4, $5, $6, $7)', [
      newId(Date.parse(day) + line),
      from,
      day,
      line % 2 === 0 ? -1200 : 750,
      line === 0 ? null : 'Stadtwerke',
      line === 0 ? null : 'DE89370400440532013000',
      line === 0 ? '' : `Line ${line}`,
    ])
  }
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
