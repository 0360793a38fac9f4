// Names that owners give their accounts and payees: another one, or none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scene } from '../../../test/support/fixture.ts'

test('an owner renames an account and a payee, and takes the name away; nobody else does, and what is paid stays the same', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  const payees = `/api/v1/accounts/${from}/beneficiaries`
  const iban = 'DE89370400440532013000'
  const payee = (await ada.post(payees, { name: 'Otto Example', iban, nickname: 'Rent' })).body
  const places = [
    { path: `/api/v1/accounts/${from}`, field: 'name' },
    { path: `/api/v1/beneficiaries/${payee.id}`, field: 'nickname' },
  ]
  for (const { path, field } of places) {
    for (const name of ['Household', null]) {
      const renamed = await ada.patch(path, { [field]: name })
      assert.deepEqual([renamed.status, renamed.body[field]], [200, name], renamed.text)
      assert.deepEqual((await ada.get(path)).body, renamed.body)
    }
    for (const wrong of ['', '<b>', 'a'.repeat(71), 7]) {
      assert.equal((await ada.patch(path, { [field]: wrong })).status, 400)
    }
    assert.equal((await ada.patch(path, {})).status, 400)
    for (const voice of [await bank.as('ben'), await bank.as('agnes'), root]) {
      assert.equal((await voice.patch(path, { [field]: 'Mine' })).status, 403)
    }
  }
  const after = (await ada.get(`/api/v1/beneficiaries/${payee.id}`)).body
  assert.deepEqual(after, { ...payee, nickname: null })
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Asked by a court' })
  const [account, beneficiary] = await Promise.all(
    places.map(({ path, field }) => ada.patch(path, { [field]: 'Other' })),
  )
  assert.deepEqual([account?.status, beneficiary?.body.code], [200, 'account_frozen'])
  assert.equal((await ada.patch(`/api/v1/accounts/${payee.id}`, { name: 'x' })).status, 403)
})
