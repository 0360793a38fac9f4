// An import that is killed at each of its steps, itself or its database, and begun again: it has
// imported nothing or all of it, and the next run ends the same.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { until } from '../support/embedded.ts'
import { assertSound } from '../support/fixture.ts'
import { imported, newPlace, writeFolder } from '../support/import-folder.ts'
import { type Program, run } from '../support/program.ts'
import { cloneTemplate, toUrl } from '../support/database.ts'
import { query } from './base.ts'
import { type OwnCluster, ownCluster } from './own-cluster.ts'

const content = imported(20, '2999-01-31')
const { totals: _, ...files } = content
const lineCount = Object.values(files).reduce((sum, { length }) => sum + length, 0)

/** What the import is doing when it is killed, and what holds it there. */
const steps = [
  { at: 'select s.line%', lock: 'users in access exclusive mode', leaves: 'nothing' },
  { at: 'insert into beneficiaries%', lock: 'beneficiaries in share mode', leaves: 'nothing' },
  // The last that it writes.
  { at: 'insert into imported%', lock: 'imported in share mode', leaves: 'nothing' },
  // Committed, and waits for a standby: it has not heard of it.
  { at: 'commit', lock: undefined, leaves: 'all' },
] as const

const kills = {
  'the import': ({ child }: Program) => void child.kill('SIGKILL'),
  'its database': (_: Program, { crash }: OwnCluster) => crash(),
} as const

async function scene(t: TestContext) {
  const cluster = await ownCluster()
  t.after(() => cluster.stop())
  const { address } = await cloneTemplate(cluster)
  const place = await newPlace(t)
  await writeFolder(place, content)
  const ask = (text: string) => query(address, text)
  return {
    cluster,
    address,
    ask,
    start: () => run(['import', place], { DATABASE_URL: toUrl(address) }),
    contents: () =>
      ask(`select (select count(1) from users) as users,
        (select count(1) from accounts) as accounts,
        (select sum(balance) from accounts where kind = 'customer') as balance,
        (select count(1) from entries) as entries, (select count(1) from imported) as imported,
        (select count(1) from former_entries) as former,
        (select count(1) from audit_events where action = 'importBank') as runs`),
  }
}

for (const [whom, kill] of Object.entries(kills)) {
  test(`${whom} is killed at each step of an import, and the next run imports all of it, once`, async (t) => {
    const { cluster, address, ask, start, contents } = await scene(t)
    const before = await contents()
    for (const { at, lock, leaves } of steps) {
      const holder = new pg.Client({ ...address, options: '-c search_path=strongroom' })
      // It may end with its server.
      holder.on('error', () => {})
      await holder.connect()
      await holder.query(
        lock === undefined
          ? `alter system set synchronous_standby_names = 'nobody'`
          : `begin; lock table ${lock}`,
      )
      if (lock === undefined) await holder.query('select pg_reload_conf()')
      const program = start()
      const waits = `select from pg_stat_activity where datname = current_database()
        and (wait_event_type = 'Lock' or wait_event = 'SyncRep') and query ilike '${at}'`
      await until(async () => (await ask(waits)).length === 1)
      if (lock === undefined) await holder.query('alter system reset synchronous_standby_names')
      await kill(program, cluster)
      assert.notEqual(await program.ended, 0, at)
      assert.ok(program.err().split('\n').length <= 3, program.err())
      await cluster.restartIfGone()
      await ask('select pg_reload_conf()')
      await holder.end().catch(() => {})
      await until(async () => (await ask(waits)).length === 0)
      const [after] = await contents()
      if (leaves === 'nothing') assert.deepEqual([after], before, at)
      else assert.equal(after?.['imported'], `${lineCount}`, at)
    }
    const whole = await contents()
    const again = start()
    assert.equal(await again.ended, 0, again.err())
    assert.match(again.out() + again.err(), /imported before: nothing has changed/)
    assert.deepEqual(await contents(), whole)
    assert.equal(whole[0]?.['runs'], '1')
    await assertSound({ address })
  })
}
