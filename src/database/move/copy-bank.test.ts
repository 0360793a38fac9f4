// The copy of a bank in one process: what is locked meanwhile, and that a difference is found.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { cloneTemplate, cluster, type TestCluster } from '../../../test/support/database.ts'
import { compareBank, copyBank, lockBank } from './copy-bank.ts'

const tests = await cluster()

async function connect(t: TestContext, { address }: TestCluster): Promise<pg.Client> {
  const client = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  return client
}

async function clone(t: TestContext): Promise<TestCluster> {
  const made = await cloneTemplate(tests)
  t.after(() => made.stop())
  return made
}

test('a bank that is copied can be read and not changed, by a second move neither, and each value that differs in the copy is found', async (t) => {
  const [bank, copy] = [await clone(t), await clone(t)]
  const [source, other, target] = [
    await connect(t, bank),
    await connect(t, bank),
    await connect(t, copy),
  ]
  const text = `E'tab\\tline\\nback\\\\slash \\\\N "quoted" Ää €'`
  await source.query(`update users set address = ${text} where username = 'ada'`)
  await source.query(
    `insert into audit_events (id, at, action, outcome, request_id, address, detail)
    select uuidv7(), now(), 'move', 'success', uuidv7(), 'operator', repeat('ü', n % 100 + 1)
    from generate_series(1, 3000) n`,
  )
  await lockBank(source)
  await other.query(`set lock_timeout = '50ms'`)
  await assert.rejects(other.query(`update users set address = null`), { code: '55P03' })
  await assert.rejects(lockBank(other), /stop what uses it/)
  await other.query('rollback')
  const read = await other.query('select count(*)::int as n from audit_events')

  const shown: number[] = []
  const contents = await copyBank(source, target, (done, total) => shown.push(done / total))
  assert.equal(contents.get('audit_events')?.rows, read.rows[0]?.n)
  assert.deepEqual([shown.at(-1), shown.every((each) => each <= 1)], [1, true])
  await compareBank(target, contents)
  const copied = await target.query(`select address = ${text} as same from users
    where username = 'ada'`)
  assert.deepEqual(copied.rows, [{ same: true }])

  await target.query(`update users set phone = '+43 1' where username = 'ada'`)
  await assert.rejects(compareBank(target, contents), /The rows of users are not those/)
  await target.query(`update users set phone = null where username = 'ada'`)
  await compareBank(target, contents)
  await target.query('alter table users drop column phone')
  await assert.rejects(copyBank(source, target), /The tables are not those/)
})
