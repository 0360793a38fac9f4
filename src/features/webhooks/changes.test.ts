// Which changes of webhooks are confirmed, and that simultaneous ones keep to their number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confirmAnyway, giveFactor } from '../../../test/support/confirmations.ts'
import { many } from '../../../test/support/fixture.ts'
import { inTime, openHolder, untilInTime, waitingForLock } from '../../../test/support/locks.ts'
import { type ApiClient, world } from '../../../test/support/world.ts'

const path = '/api/v1/admin/webhooks'
const hook = { url: 'https://hooks.example/', types: ['account.opened', 'card.cancelled'] }

test('what a webhook sends more, or elsewhere, is confirmed; what it sends less is not', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const { id } = (await root.post(path, hook)).body
  await giveFactor(bank, 'root')
  const change = (body: object, headers = {}) => root.patch(`${path}/${id}`, body, { headers })
  for (const less of [
    { types: ['account.opened'] },
    { description: 'x' },
    { status: 'disabled' },
  ]) {
    assert.equal((await change({ ...less, url: hook.url })).status, 200, JSON.stringify(less))
  }
  const more = [{ types: hook.types }, { url: 'https://other.example/' }, { status: 'active' }]
  for (const body of more) {
    const refused = await change(body)
    assert.equal(refused.body.code, 'confirmation_required', JSON.stringify(body))
    const done = await change(body, await confirmAnyway(bank, refused))
    assert.equal(done.status, 200, done.text)
  }
})

test('of webhooks that are made at once twenty are the most', async (t) => {
  await untilInTime(async () => {
    const bank = await world(t)
    // Changes of one administrator are made one after another in any case.
    await bank.sql(`update users set roles = array['admin'] where username in ('agnes', 'ben')`)
    const admins = await Promise.all(
      (['root', 'agnes', 'ben'] as const).map((name) => bank.as(name)),
    )
    const [root] = admins as [ApiClient]
    await many(19, () => root.post(path, hook))
    // All wait for the count, and go on when it is free.
    const holder = await openHolder(t, bank)
    await holder.query("begin; select pg_advisory_xact_lock(hashtext('webhooks'))")
    const made = Promise.all(admins.map((admin) => admin.post(path, hook)))
    await Promise.race([waitingForLock(bank, 3), made])
    await holder.query('commit')
    const replies = await made
    inTime(...replies)
    const statuses = replies.map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((one, other) => one - other),
      [201, 409, 409],
    )
  })
})
