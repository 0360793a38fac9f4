// The past that comes back: a backup restored, a clock set back. Nobody gets in on what had ended.
import assert from 'node:assert/strict'
import { appendFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../src/clock.ts'
import { mailServer, tokenIn, until } from '../mailbox.ts'
import { password, type Voice, world, type World } from '../world.ts'
import { execute, openCluster, ownCluster } from './own-cluster.ts'

type Send = World['send']
type Keys = { ended: Voice; kept: Voice; link: string }

/** Two sessions and a reset link of Ada's, in a world whose mails arrive. */
async function keysOf(t: TestContext, make: (settings: Record<string, string>) => Promise<World>) {
  const mails = await mailServer(t)
  const smtp = `smtp://127.0.0.1:${mails.port}`
  const made = await make({ SMTP_URL: smtp, MAIL_FROM: 'bank@example.com' })
  const keys = { ended: await made.login('ada'), kept: await made.login('ada') }
  const body = { email: 'ada@example.com' }
  await made.send('POST', '/api/v1/auth/password-reset', { body })
  await until('the mail', () => mails.taken.length === 1)
  const link = tokenIn((mails.taken[0] as (typeof mails.taken)[number]).mail)
  return { made, keys: { ...keys, link } }
}

async function assertNobodyGetsIn(send: Send, { ended, kept, link }: Keys): Promise<void> {
  for (const { token, refreshToken } of [ended, kept]) {
    assert.equal((await send('GET', '/api/v1/me', { token })).status, 401)
    const body = { refreshToken }
    assert.equal((await send('POST', '/api/v1/auth/refresh', { body })).status, 401)
  }
  const body = { token: link, newPassword: 'a fine new password' }
  const used = await send('POST', '/api/v1/auth/password-reset/confirm', { body })
  assert.equal(used.body.code, 'invalid_request', used.text)
}

const endings = (made: World): unknown[] =>
  made.logged.map((line) => JSON.parse(line)).filter(({ sessionCount }) => sessionCount > 0)

/** A bank in a cluster of its own, which goes on, and its folder as it was at an earlier moment. */
async function backedUp(t: TestContext, isInFolder: boolean) {
  const cluster = await ownCluster()
  const { made, keys } = await keysOf(t, (settings) =>
    world(t, {
      cluster,
      settings: { ...settings, ...(isInFolder && { DATA_DIR: cluster.folder }) },
    }),
  )
  t.after(async () => {
    await cluster.stop()
    await rm(path.dirname(cluster.folder), { recursive: true, force: true })
  })
  await cluster.stop()
  const copy = `${cluster.folder}-copy`
  await execute('cp', ['-a', cluster.folder, copy])
  await cluster.restart()
  await until('readiness', async () => (await made.send('GET', '/readyz')).status === 200)
  // After the backup, in which it never happened. Each connection learns of the restart by itself.
  await until('the logout', async () => {
    return [204, 401].includes((await keys.ended.post('/api/v1/auth/logout')).status)
  })
  return { made, keys, copy }
}

test('in a copy of the data folder nothing of before lets anybody in, whoever logs in stays, and the original is not touched', async (t) => {
  const { made, keys, copy } = await backedUp(t, true)
  const cluster = await openCluster(copy)
  t.after(() => cluster.stop())
  const restored = await made.another({ cluster, dataDir: copy })
  await assertNobodyGetsIn(restored.send, keys)
  const body = { username: 'ada', password }
  const { token } = (await restored.send('POST', '/api/v1/auth/login', { body })).body
  const again = await made.another({ cluster, dataDir: copy })
  assert.equal((await again.send('GET', '/api/v1/me', { token })).status, 200)
  assert.equal((await keys.kept.get('/api/v1/me')).status, 200)
  assert.equal(endings(made).length, 1)
})

test('a cluster that was recovered from a backup is known by its timeline', async (t) => {
  const { made, keys, copy } = await backedUp(t, false)
  await writeFile(path.join(copy, 'postgres/recovery.signal'), '', { mode: 0o644 })
  const auto = path.join(copy, 'postgres/postgresql.auto.conf')
  await appendFile(auto, "restore_command = 'false'\nhot_standby = off\n")
  const cluster = await openCluster(copy)
  t.after(() => cluster.stop())
  const restored = await made.another({ cluster })
  await assertNobodyGetsIn(restored.send, keys)
  assert.equal((await keys.kept.get('/api/v1/me')).status, 200)
  assert.equal(endings(made).length, 1)
})

test('a database that takes the place of the one the service runs on ends all sessions within two seconds', async (t) => {
  const { made, keys } = await keysOf(t, (settings) => world(t, { settings }))
  await made.sql(`update last_seen set place = 'where the dump was made'`)
  const startedAt = performance.now()
  await until('the end', async () => (await keys.kept.get('/api/v1/me')).status === 401)
  assert.ok(performance.now() - startedAt < 2000)
  await assertNobodyGetsIn(made.send, keys)
  const root = await made.login('root')
  const trail = await root.get('/api/v1/admin/audit-events?action=endSessions')
  assert.equal(trail.body.items.length, 1)
  assert.equal(trail.body.items[0].actorId, null)
  assert.equal(trail.body.items[0].address, 'service')
})

test('a restart ends nothing, and nothing that had ended comes back by it', async (t) => {
  const { made, keys } = await keysOf(t, (settings) => world(t, { settings }))
  assert.equal((await keys.ended.post('/api/v1/auth/logout')).status, 204)
  const body = { token: keys.link, newPassword: 'a fine new password' }
  const confirm = '/api/v1/auth/password-reset/confirm'
  await made.running.close()
  const next = await made.another()
  const me = async ({ token }: Voice) => (await next.send('GET', '/api/v1/me', { token })).status
  assert.deepEqual([await me(keys.ended), await me(keys.kept)], [401, 200])
  assert.equal((await next.send('POST', confirm, { body })).status, 204)
  await next.running.close()
  const last = await made.another()
  assert.equal((await last.send('POST', confirm, { body })).status, 400)
  await assertNobodyGetsIn(last.send, keys)
  assert.equal(endings(made).length, 0)
})

test('a clock that is set back before a start revives no session and no link that had expired', async (t) => {
  const { made, keys } = await keysOf(t, (settings) => world(t, { settings }))
  const then = made.clock.now()
  // The sessions were idle too long and the link is too old, and nobody asks: nothing is written.
  made.clock.advance(31 * 60_000)
  await made.running.close()
  const next = await made.another({ clock: fakeClock(then + 60_000) })
  await assertNobodyGetsIn(next.send, keys)
  assert.match(JSON.stringify(endings(made)), /the clock was set back/)
})

test('a clock that is a few seconds back waits for the time it has seen before it lets anybody in', async (t) => {
  const { made, keys } = await keysOf(t, (settings) => world(t, { settings }))
  made.clock.advance(5 * 60_000)
  await made.running.close()
  const startedAt = performance.now()
  await made.another({ clock: fakeClock(made.clock.now() - 700) })
  assert.ok(performance.now() - startedAt >= 690)
  assert.ok(keys)
})
