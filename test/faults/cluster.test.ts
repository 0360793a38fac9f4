// The cluster itself fails: ended at once, ended while it commits, its disk full. The service stays
// up, says so, and comes back by itself.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { until } from '../support/mailbox.ts'
import {
  assertSound,
  readBalance,
  many,
  patiently,
  type Scene,
  sceneIn,
  transferBody,
} from '../support/fixture.ts'
import { world } from '../support/world.ts'
import { assertUnavailable, timed } from './answers.ts'
import { execute, type OwnCluster, ownCluster } from './own-cluster.ts'

type OnOwnCluster = Scene & { cluster: OwnCluster }

async function onOwnCluster(t: TestContext, into?: string): Promise<OnOwnCluster> {
  const cluster = await ownCluster(into)
  const made = await sceneIn(await world(t, { cluster }))
  t.after(async () => {
    await cluster.stop()
    await rm(path.dirname(cluster.folder), { recursive: true, force: true }).catch(() => {})
  })
  return { ...made, cluster }
}

const pay = ({ ada, from, to }: Scene, key: string, amount = '1.00') =>
  ada.post('/api/v1/transfers', transferBody(from, to, amount), {
    headers: { 'idempotency-key': key },
  })

/** The same until it is answered for good: a slow machine refuses some at first. */
const payPatiently = (...asked: Parameters<typeof pay>) => patiently(() => pay(...asked))

async function backAfter(made: OnOwnCluster, key: string, amount?: string): Promise<number> {
  const startedAt = performance.now()
  await until('a transfer', async () => {
    // It may end later, by what it could not write.
    await made.cluster.restartIfGone()
    return (await pay(made, key, amount)).status === 201
  })
  return performance.now() - startedAt
}

test('PostgreSQL is stopped at once and started again: 503 within 3 s meanwhile, back within 5 s, no session lost, no cent', async (t) => {
  const made = await onOwnCluster(t)
  assert.equal((await payPatiently(made, 'before')).status, 201)
  await made.cluster.crash()
  for (let round = 0; round < 3; round++) {
    for (const ask of [
      () => made.ada.get('/api/v1/accounts'),
      () => pay(made, 'meanwhile'),
      () => made.send('GET', '/readyz'),
    ]) {
      const { reply, ms } = await timed(ask())
      assertUnavailable(reply, 'meanwhile')
      assert.ok(ms < 3000, `answered after ${ms} ms`)
    }
  }
  assert.equal((await made.send('GET', '/healthz')).status, 200)
  await made.cluster.restart()
  const ms = await backAfter(made, 'meanwhile')
  assert.ok(ms < 5000, `back after ${ms} ms`)
  t.diagnostic(`back after ${Math.round(ms)} ms`)
  assert.equal((await payPatiently(made, 'before')).headers['idempotency-replayed'], 'true')
  assert.equal(await readBalance(made.ada, made.to), '2.00')
  await assertSound(made)
})

test('a backend that is ended after it committed, before it could say so: the transfer is found and answered', async (t) => {
  const made = await onOwnCluster(t)
  // A replica that never answers: the server commits and waits for its confirmation.
  await made.sql(`alter system set synchronous_standby_names = 'nobody'`)
  await made.sql('set synchronous_commit = local')
  await made.sql('select pg_reload_conf()')
  const asked = timed(pay(made, 'k'))
  await until('the waiting COMMIT', async () => {
    const { rows } = await made.sql(
      `select pid from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'`,
    )
    if (rows.length === 0) return false
    await made.sql('alter system reset synchronous_standby_names')
    await made.sql('select pg_terminate_backend($1)', [rows[0]?.['pid']])
    await made.sql('select pg_reload_conf()')
    return true
  })
  const { reply } = await asked
  assert.equal(reply.status, 201, reply.text)
  const again = await payPatiently(made, 'k')
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal(await readBalance(made.ada, made.to), '1.00')
  await assertSound(made)
})

const isRoot = process.getuid?.() === 0

test(
  'the disk of the database is full: 503, nothing lost, and all goes on when there is space',
  { skip: isRoot ? false : 'only root may mount a small file system' },
  async (t) => {
    const mount = await mkdtemp('/tmp/strongroom-small-')
    await execute('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=0711', 'tmpfs', mount])
    let made: OnOwnCluster
    try {
      made = await onOwnCluster(t, mount)
    } finally {
      t.after(async () => {
        await execute('umount', ['-l', mount])
        await rm(mount, { recursive: true, force: true })
      })
    }
    assert.equal((await payPatiently(made, 'before')).status, 201)
    const ballast = path.join(mount, 'ballast')
    const { bavail, bsize } = await statfs(mount)
    await writeFile(ballast, Buffer.alloc(bavail * bsize - 65_536))
    await chmod(ballast, 0o600)

    const done: string[] = []
    const failed: string[] = []
    for (let round = 0; failed.length === 0; round++) {
      assert.ok(round < 400, 'the disk did not fill')
      const asked = many(20, async (index) => {
        const key = `${round}-${index}`
        const { reply, ms } = await timed(pay(made, key, '0.01'))
        assert.ok(ms < 10_000, `answered after ${ms} ms`)
        if (reply.status !== 201) assert.equal(reply.status, 503, reply.text)
        ;(reply.status === 201 ? done : failed).push(key)
      })
      await asked
    }
    assert.equal((await made.send('GET', '/healthz')).status, 200)
    t.diagnostic(`${done.length} transfers were done, ${failed.length} were not`)
    await rm(ballast)
    const ms = await backAfter(made, failed[0] as string, '0.01')
    assert.ok(ms < 5000, `back after ${ms} ms`)
    for (const key of done) {
      const reply = await payPatiently(made, key, '0.01')
      assert.equal(reply.headers['idempotency-replayed'], 'true', `${key}: ${reply.text}`)
    }
    for (const key of failed) assert.equal((await payPatiently(made, key, '0.01')).status, 201)
    const cents = 100 + done.length + failed.length
    assert.equal(await readBalance(made.ada, made.to), (cents / 100).toFixed(2))
    await assertSound(made)
  },
)
