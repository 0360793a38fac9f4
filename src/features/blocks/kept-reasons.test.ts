// Why an account was frozen or blocked is told to no owner and no member of it, staff or not, on
// any route.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { dayMs } from '../../domain/clock.ts'
import { block, blocksOf, lift } from '../../../test/support/blocks.ts'
import { draftScene } from '../../../test/support/drafts.ts'
import { assertSound, openAccount } from '../../../test/support/fixture.ts'
import { people } from '../../../test/support/world.ts'
import { purgeApprovals } from '../approvals/sql.ts'

test('staff who own an account or act on it read no reason of its freeze and blocks: on it, in the trail, in a request that waits or was rejected', async (t) => {
  const bank = await draftScene(t)
  const { root, from, sql } = bank
  for (const name of ['ada', 'both', 'agnes'] as const) {
    await sql(`update users set roles = '{customer,admin}' where id = $1`, [people[name].id])
  }
  const secret = /Suspicion|Cleared|launder|Order 12/
  const id = await block(root, from, 'debits', { cause: 'money_laundering', note: 'Order 12' })
  const freeze = `/api/v1/admin/accounts/${from}/freeze`
  await root.post(freeze, { reason: 'Suspicion' })
  const held = { MEMBERS: 'on', FOUR_EYES: 'unfreezeAccount,closeAccount' }
  const later = await bank.another({ settings: held })
  const approvals = '/api/v1/admin/approvals'
  const { token: checker } = await bank.as('agnes')
  const reject = async (method: 'POST' | 'DELETE', path: string, reason: string) => {
    const body = method === 'POST' ? { reason: 'Cleared' } : undefined
    const asked = await later.send(method, path, { token: root.token, ...(body && { body }) })
    assert.equal(asked.status, 202, asked.text)
    const at = `${approvals}/${asked.body.approvalId}`
    const rejected = await later.send('POST', `${at}/reject`, { token: checker, body: { reason } })
    assert.equal(rejected.status, 200, rejected.text)
    return asked.body.approvalId as string
  }
  const rejected = await reject('POST', freeze.replace('freeze', 'unfreeze'), 'Suspicion stays')
  const toClose = await reject('DELETE', `/api/v1/accounts/${from}`, 'Not empty')
  const waiting = await later.send('POST', freeze.replace('freeze', 'unfreeze'), {
    token: root.token,
    body: { reason: 'Cleared' },
  })
  assert.equal(waiting.status, 202, waiting.text)
  await lift(root, from, id)
  const trail = '/api/v1/admin/audit-events'
  const { items } = (await root.get(`${trail}?action=freezeAccount`)).body
  const paths = [
    `/api/v1/accounts/${from}/freeze`,
    blocksOf(from),
    `${trail}?target=${from}`,
    `${trail}?target=${id}&names=true`,
    `${trail}/${items[0].id}`,
    `/api/v1/admin/users/${people.ada.id}/audit-events`,
    approvals,
    `${approvals}?status=pending&subjects=true`,
    `${approvals}/${waiting.body.approvalId}`,
    `${approvals}/${rejected}`,
    `${trail}?action=rejectRequest`,
    `${trail}?target=${rejected}`,
  ]
  for (const path of paths) {
    for (const name of ['ada', 'both', 'root'] as const) {
      const { token } = name === 'root' ? root : await bank.as(name)
      const reply = await later.send('GET', path, { token })
      const isRefused = path === blocksOf(from) && name !== 'root'
      assert.equal(reply.status, isRefused ? 403 : 200, `${name} ${path}: ${reply.text}`)
      assert.equal(secret.test(reply.text), name === 'root', `${name} ${path}: ${reply.text}`)
    }
  }
  // What they do elsewhere, and other details, they read as before.
  const { token } = await bank.as('ada')
  const { body } = await later.send('GET', `${trail}?target=${from}`, { token })
  const details = body.items.map(({ action, detail }: Record<string, string | null>) => [
    action,
    detail === null,
  ])
  assert.ok(details.some(([action, isNull]: unknown[]) => action === 'freezeAccount' && isNull))
  assert.ok(details.some(([action, isNull]: unknown[]) => action === 'createDeposit' && !isNull))
  const decisionOf = async (id: string, name: 'ada' | 'both' | 'agnes' = 'ada') => {
    const path = `${trail}?action=rejectRequest&target=${id}`
    const reply = await later.send('GET', path, { token: (await bank.as(name)).token })
    return reply.body.items[0].detail as string | null
  }
  const decisions = async () => ({
    toFree: await Promise.all(
      (['ada', 'both', 'agnes'] as const).map((n) => decisionOf(rejected, n)),
    ),
    toClose: await Promise.all(
      (['ada', 'both', 'agnes'] as const).map((n) => decisionOf(toClose, n)),
    ),
  })
  const closing = ['Not empty', 'Not empty', 'Not empty']
  // A request is removed after a month, its events stay. The owner of another account is told.
  await openAccount(await bank.as('agnes'))
  const before = await decisions()
  assert.deepEqual(before, { toFree: [null, null, 'Suspicion stays'], toClose: closing })
  // Releases before wrote no account: the request says it for as long as it is there.
  await sql('alter table audit_events disable trigger user')
  const named = `action = 'requestApproval' and detail like 'unfreezeAccount%'`
  await sql(`update audit_events set detail = 'unfreezeAccount' where ${named}`)
  assert.deepEqual(await decisions(), before)
  await sql(`update audit_events set detail = 'unfreezeAccount account ' || $1 where ${named}`, [
    from,
  ])
  const db = openDatabase(bank.address)
  await transaction(db, (tx) => purgeApprovals(tx, bank.clock.now() + 31 * dayMs))
  await db.close()
  assert.equal((await sql('select from approvals')).rowCount, 0)
  assert.deepEqual(await decisions(), before)
  // Then nothing says which account, and without its event nothing says what it asked for.
  await sql(`update audit_events set detail = 'unfreezeAccount' where ${named}`)
  assert.deepEqual(await decisions(), { toFree: [null, null, null], toClose: closing })
  await sql(`delete from audit_events where action = 'requestApproval'`)
  assert.equal(await decisionOf(toClose), null, 'nothing says what it asked for')
  const all = (await root.get(`${trail}?action=rejectRequest`)).body.items
  assert.deepEqual(all.map(({ detail }: { detail: string }) => detail).toSorted(), [
    'Not empty',
    'Suspicion stays',
  ])
  const off = await bank.another({ settings: { MEMBERS: 'off' } })
  const member = await off.send('GET', blocksOf(from), { token: (await bank.as('both')).token })
  assert.equal(member.status, 200, 'a person that acts on no account is told')
  await assertSound(bank)
})
