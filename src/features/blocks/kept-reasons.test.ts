// Why an account was frozen or blocked is told to no owner and no member of it, staff or not, on
// any route.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { block, blocksOf, lift } from '../../../test/support/blocks.ts'
import { draftScene } from '../../../test/support/drafts.ts'
import { assertSound } from '../../../test/support/fixture.ts'
import { people } from '../../../test/support/world.ts'

test('staff who own an account or act on it read no reason of its freeze and blocks: on it, in the trail, in a request that waits', async (t) => {
  const bank = await draftScene(t)
  const { root, from, sql } = bank
  for (const name of ['ada', 'both'] as const) {
    await sql(`update users set roles = '{customer,admin}' where id = $1`, [people[name].id])
  }
  const secret = /Suspicion|Cleared|launder|Order 12/
  const id = await block(root, from, 'debits', { cause: 'money_laundering', note: 'Order 12' })
  const freeze = `/api/v1/admin/accounts/${from}/freeze`
  await root.post(freeze, { reason: 'Suspicion' })
  const later = await bank.another({ settings: { MEMBERS: 'on', FOUR_EYES: 'unfreezeAccount' } })
  const waiting = await later.send('POST', freeze.replace('freeze', 'unfreeze'), {
    token: root.token,
    body: { reason: 'Cleared' },
  })
  assert.equal(waiting.status, 202, waiting.text)
  await lift(root, from, id)
  const approvals = '/api/v1/admin/approvals'
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
  const off = await bank.another({ settings: { MEMBERS: 'off' } })
  const member = await off.send('GET', blocksOf(from), { token: (await bank.as('both')).token })
  assert.equal(member.status, 200, 'a person that acts on no account is told')
  await assertSound(bank)
})
