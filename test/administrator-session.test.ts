// Changes of service accounts and webhooks hold the session of their administrator: one that ends
// while the change waits for its locks changes nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { routes } from '../src/features/routes.ts'
import { waitingForLock } from './support/locks.ts'
import { newProgram, serviceAccountsPath, toGrants } from './support/service-accounts.ts'
import { world } from './support/world.ts'

const webhooksPath = '/api/v1/admin/webhooks'
const url = 'https://127.0.0.1/in'

const changes = routes.filter(
  ({ method, path }) =>
    method !== 'GET' && [serviceAccountsPath, webhooksPath].some((each) => path.startsWith(each)),
)

test('a change by an administrator whose session ends while it waits is refused', async (t) => {
  const bank = await world(t)
  const program = await newProgram(bank)
  const types = ['account.opened']
  const hook = (await (await bank.as('root')).post(webhooksPath, { url, types })).body
  const sent = await (await bank.as('root')).post(`${webhooksPath}/${hook.id}/test`)
  const ids: Record<string, string> = {
    serviceAccountId: program.id,
    keyId: program.keyId,
    webhookId: hook.id,
    deliveryId: sent.body.id,
  }
  const bodies: Record<string, object> = {
    createServiceAccount: { name: 'Mole', grants: toGrants({}) },
    updateServiceAccount: { name: 'Mole' },
    createWebhook: { url, types },
    updateWebhook: { status: 'disabled' },
  }
  const holder = new pg.Client({ ...bank.address, options: '-c search_path=strongroom' })
  // The database ends before it does.
  holder.on('error', () => {})
  await holder.connect()
  t.after(() => holder.end())
  const state = async () =>
    (
      await bank.sql(`select (select jsonb_agg(s order by id) from service_accounts s) as accounts,
         (select jsonb_agg(k order by id) from service_keys k) as keys,
         (select jsonb_agg(w.status || w.hmac_key::text order by id) from webhooks w) as webhooks,
         (select count(*)::int from webhook_deliveries) as deliveries`)
    ).rows
  assert.equal(changes.length, 10)
  for (const { method, path, operation } of changes) {
    const root = await bank.login('root')
    const before = await state()
    await holder.query('begin')
    await holder.query(
      `update sessions set ended_at = now(), ended_because = 'revoked' where id = $1`,
      [root.sessionId],
    )
    const target = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '')
    const body = bodies[operation]
    const asked = bank.send(method, target, { token: root.token, ...(body && { body }) })
    await waitingForLock(bank)
    await holder.query('commit')
    assert.equal((await asked).body.code, 'session_revoked', operation)
    assert.deepEqual(await state(), before, operation)
  }
})
