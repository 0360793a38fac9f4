// What was captured of a card payment, and what came back of it, is of its own account and kind, or
// of suspense where that was closed: each link to a transfer, with another one in its place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toTill } from '../../../test/support/card-payments.ts'
import { deposit, openAccount, scene } from '../../../test/support/fixture.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { firstId } from '../../domain/ids.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import { readHoldPage } from './verify-holds-sql.ts'
import { verifyLedger } from './verify.ts'

const links = {
  captured: ['hold_captures', 'hold_id', 'isRightlyCaptured'],
  refunded: ['card_refunds', 'payment_id', 'isRightlyRefunded'],
  chargedBack: ['card_chargebacks', 'payment_id', 'isRightlyChargedBack'],
} as const

test('a capture, a refund or a chargeback of another account or kind is found, and one in suspense is right', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to, sql } = bank
  const spare = await openAccount(ada)
  const payments: string[] = []
  for (const account of [from, to, spare]) {
    await deposit(root, account, '9.00')
    const card = (await ada.post(`/api/v1/accounts/${account}/cards`, {})).body.id as string
    const till = toTill(root, card)
    const { cardPaymentId: id } = (await till.clear('9.00')).body
    const isClosed = account === spare
    if (isClosed) {
      assert.equal((await ada.delete(`/api/v1/accounts/${account}`)).status, 204)
      const late = await till.clear('1.00', { authorizationId: id })
      assert.equal(late.status, 201, late.text)
    }
    for (const back of [await till.refund(id, '2.00'), await till.chargeBack(id, '3.00')]) {
      assert.equal(back.status, 201, back.text)
      const taker = isClosed ? bankAccount('suspense', 'EUR') : account
      const { rows } = await sql(
        'select to_account_id::text as taker from transfers where id = $1',
        [back.body.id],
      )
      assert.deepEqual(rows, [{ taker }])
    }
    payments.push(id)
  }
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  assert.equal((await verifyLedger(db)).mismatch, undefined)
  const wrong = async (id: string) => {
    const [row] = (await db.run(readHoldPage, [firstId, 10n, firstId, new Date(0)])).filter(
      (hold) => hold.id === id,
    )
    const hold = row ?? assert.fail('no such payment')
    return Object.entries(links).flatMap(([name, [, , flag]]) => (hold[flag] ? [] : name))
  }
  for (const id of payments) assert.deepEqual(await wrong(id), [])
  const [open] = payments as [string]
  const { rows } = await sql('select id, kind, from_account_id, to_account_id from transfers')
  const transferOf = (kind: string, account: string) => {
    const isOfAccount = (row: (typeof rows)[number]) =>
      row['kind'] === kind && [row['from_account_id'], row['to_account_id']].includes(account)
    return rows.find(isOfAccount)?.['id'] as string
  }
  const others: [name: keyof typeof links, transfer: string, what: string][] = [
    ['captured', transferOf('clearing', to), 'of another account'],
    ['captured', transferOf('deposit', from), 'of another kind'],
    ['refunded', transferOf('refund', to), 'of another account'],
    ['refunded', transferOf('chargeback', from), 'of another kind'],
    ['chargedBack', transferOf('chargeback', to), 'of another account'],
    ['chargedBack', transferOf('refund', from), 'of another kind'],
  ]
  await sql('set session_replication_role = replica')
  for (const [name, other, what] of others) {
    const [table, column] = links[name]
    const { rows: were } = await sql(`select transfer_id from ${table} where ${column} = $1`, [
      open,
    ])
    const set = `update ${table} set transfer_id = $2 where ${column} = $1`
    await sql(`delete from ${table} where transfer_id = $1`, [other])
    await sql(set, [open, other])
    assert.deepEqual(await wrong(open), [name], `${name}: ${what}`)
    await sql(set, [open, were[0]?.['transfer_id']])
  }
})
