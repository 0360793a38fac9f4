// A webhook that is deleted while a delivery to it ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openHolder, waitingForLock } from '../../../test/support/locks.ts'
import { world } from '../../../test/support/world.ts'

const path = '/api/v1/admin/webhooks'

test('a webhook is deleted while a delivery to it succeeds after a failure: it waits for none', async (t) => {
  const bank = await world(t, { settings: { PRIVATE_WEBHOOKS: 'on' } })
  const root = await bank.as('root')
  const holder = await openHolder(t, bank)
  let status = 500
  let onSent = async () => {}
  const server = http.createServer((request, response) => {
    request.resume()
    request.on('end', () => void onSent().then(() => response.writeHead(status).end()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const made = await root.post(path, { url, types: ['account.opened'] })
  assert.equal(made.status, 201, made.text)
  const hook = `${path}/${made.body.id}`
  const { webhooks } = bank.running.core
  const sent = await root.post(`${hook}/test`)
  assert.equal(sent.status, 202, sent.text)
  await webhooks.work()
  const deadlocks = async () => {
    const { rows } = await bank.sql(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    return String(rows[0]?.['deadlocks'])
  }
  const first = await deadlocks()

  status = 200
  // The delivery is locked while its attempt is under way: the result waits, and no deletion does.
  onSent = async () => {
    await holder.query('begin; select from webhook_deliveries for update')
  }
  assert.equal((await root.post(`${hook}/deliveries/${sent.body.id}/resend`)).status, 202)
  const working = webhooks.work()
  await waitingForLock(bank)
  const deleted = await root.delete(hook)
  assert.equal(deleted.status, 204, deleted.text)
  await holder.query('commit')
  await working
  assert.equal(await deadlocks(), first)
  const { rows } = await bank.sql('select last_status from webhook_deliveries')
  assert.deepEqual(rows, [{ last_status: 200 }])
})
