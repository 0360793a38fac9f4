// Whom a standing order pays, as its holder and staff read it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { here, readEvent } from '../../../test/support/audit-events.ts'
import { openAccount } from '../../../test/support/fixture.ts'
import { type Change, elsewhere, orderBank } from '../../../test/support/orders.ts'
import { people } from '../../../test/support/world.ts'

const toOwn = (toAccountId: string): Change => ({ beneficiaryId: undefined, toAccountId })

test('staff read whom an order pays, by name and IBAN, as its holder does', async (t) => {
  const bank = await orderBank(t)
  const saved = { id: await bank.make(), payee: { name: 'Otto Example', iban: elsewhere } }
  const { iban } = (await bank.ada().get(`/api/v1/accounts/${bank.to}/details`)).body
  const own = { id: await bank.make(toOwn(bank.to)), payee: { name: 'Ada Okafor', iban } }
  for (const reader of [bank.ada(), await bank.as('agnes'), await bank.as('root')]) {
    const list = await reader.get(`/api/v1/accounts/${bank.from}/orders`)
    const listed = list.body.items.map(({ id, payee }: Change) => [id, payee])
    for (const { id, payee } of [own, saved]) {
      assert.deepEqual(new Map(listed).get(id), payee, list.text)
      assert.deepEqual((await reader.get(`/api/v1/orders/${id}`)).body.payee, payee)
    }
  }
})

test('a read of an order by staff is in the audit trail', async (t) => {
  const bank = await orderBank(t)
  const target = await bank.make()
  const read = await (await bank.as('agnes')).get(`/api/v1/orders/${target}`)
  const who = { actorId: people.agnes.id, target, outcome: 'success', address: here }
  assert.deepEqual(await readEvent(bank, read), { ...who, action: 'getOrder', detail: null })
})

test('nothing of a payee is read any more after it was deleted', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make()
  assert.equal((await bank.ada().delete(`/api/v1/beneficiaries/${bank.payeeId}`)).status, 204)
  const { body } = await (await bank.as('agnes')).get(`/api/v1/orders/${id}`)
  assert.deepEqual([body.beneficiaryId, body.payee], [bank.payeeId, undefined])
})

test('an order tells nothing of an account that another person holds', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make(toOwn(bank.to))
  const bens = await openAccount(await bank.as('ben'))
  await bank.sql('update standing_orders set to_account_id = $1 where id = $2', [bens, id])
  assert.equal((await bank.read(id)).payee, undefined)
})
