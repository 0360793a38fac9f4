// Whom and what a waiting request is about, as a list of requests tells it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalAt, approvalsPath, pairOf } from '../../../test/support/approvals.ts'
import { openAccount } from '../../../test/support/fixture.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { commonWorld, people } from '../../../test/support/world.ts'

type SubjectReply = {
  subject?: { holder: object; account: object | null; before: string }
  makerName?: string
  checkerName?: string
}

test('a request tells a person its holder, its account, and what it would change, as they stand now', async () => {
  const settings = {
    FOUR_EYES: 'createDeposit,createUser,freezeCard,updateAccountSettings,updateUser',
  }
  const bank = await commonWorld({ settings })
  const { maker, checker } = await pairOf(bank)
  const ada = await bank.as('ada')
  const id = await openAccount(ada)
  const path = `/api/v1/accounts/${id}`
  const { iban, balance } = (await ada.get(path)).body
  const card = (await ada.post(`${path}/cards`, {})).body.id
  const holder = { id: people.ada.id, name: 'Ada Okafor' }
  const account = { id, iban, currency: 'EUR', balance }
  const ask = async (
    method: 'POST' | 'PATCH',
    to: string,
    body?: object,
  ): Promise<SubjectReply> => {
    const at = approvalAt(await bank.send(method, to, { token: maker.token, body }))
    const read = await checker.get(`${at}?subjects=true`)
    const { items } = (await checker.get(`${approvalsPath}?subjects=true&limit=100`)).body
    assert.deepEqual(
      items.find((item: { id: string }) => item.id === read.body.id),
      read.body,
    )
    assert.equal('subject' in (await checker.get(at)).body, false)
    return read.body
  }
  const cash = { amount: '5.00', currency: 'EUR', reason: 'Counter' }
  const deposit = await ask('POST', `/api/v1/admin/accounts/${id}/deposits`, cash)
  assert.deepEqual(deposit.subject, { holder, account, before: '{}' })
  assert.deepEqual([deposit.makerName, deposit.checkerName], ['Root Keeper', undefined])
  const limits = { dailyTransferLimit: '10.00', overdraftLimit: '5.00', alertsEnabled: false }
  const settled = await ask('PATCH', `${path}/settings`, { ...limits, currency: 'EUR' })
  assert.deepEqual(JSON.parse(settled.subject?.before ?? ''), {
    dailyTransferLimit: null,
    overdraftLimit: '0.00',
    alertsEnabled: true,
  })
  const frozen = await ask('POST', `/api/v1/cards/${card}/freeze`)
  assert.deepEqual(frozen.subject?.account, account)
  const moved = await ask('PATCH', `/api/v1/admin/users/${people.ada.id}`, { givenName: 'Adah' })
  assert.deepEqual(moved.subject, { holder, account: null, before: '{"givenName":"Ada"}' })

  const program = await newProgram(bank, { operations: ['createDeposit', 'getApproval'] })
  const own = await program.post(`/api/v1/admin/accounts/${id}/deposits`, cash)
  const told = await program.get(`${approvalAt(own)}?subjects=true`)
  const names = ['subject', 'makerName'].filter((name) => name in told.body)
  assert.deepEqual([told.status, names], [200, []], told.text)
  assert.equal((await checker.post(`${approvalAt(own)}/approve`)).status, 200)
  const done = (await checker.get(`${approvalAt(own)}?subjects=true`)).body
  assert.deepEqual([done.makerName, done.checkerName], ['Program', 'Both Hybrid'])
})
