import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { Refusal } from '../../domain/errors.ts'
import { quickFirst } from './quick-reads.ts'
import { type Db, statement } from '../statements/statement.ts'
import { mockTimers } from '../../../test/support/timers.ts'

const read = statement('test_quick_reads', ['text'], 'select 1')

function failure(code: string): Refusal {
  const because = Object.assign(new pg.DatabaseError('', 0, 'error'), { code })
  return new Refusal('unavailable', { outage: 'timeout', because })
}

/** Records where each read was sent. A read named slow takes too long on a lane. */
function fixture() {
  const sent: string[] = []
  const at = (where: string): Db => ({
    async run(_statement, values) {
      const [name] = values as unknown as [string]
      sent.push(`${where} ${name}`)
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (where === 'lane' && name === 'slow') throw failure('57014')
      if (where === 'lane' && name === 'behind') throw failure('26000')
      if (name === 'write') throw failure('25006')
      if (name === 'away') throw failure('57P01')
      return []
    },
  })
  const readers = quickFirst(at('lane'), { as: () => at('own') })
  return { sent, ask: (caller: string, name: string) => readers.as(caller).run(read, [name]) }
}

test("a slow read is repeated on the other connections, and so are its caller's next reads", async (t) => {
  mockTimers(t, 'setTimeout')
  const { sent, ask } = fixture()
  await ask('a', 'quick')
  await ask('a', 'slow')
  await ask('a', 'after')
  await ask('b', 'another')
  t.mock.timers.tick(10_000)
  await ask('a', 'later')
  assert.deepEqual(sent, [
    'lane quick',
    'lane slow',
    'own slow',
    'own after',
    'lane another',
    'lane later',
  ])
})

test('four reads of one caller run on the lanes at the same time, further ones on the other connections', async () => {
  const { sent, ask } = fixture()
  await Promise.all([ask('a', '-1'), ask('a', '0')])
  await Promise.all([
    ...['1', '2', '3', '4', '5', '6'].map((name) => ask('a', name)),
    ask('b', '7'),
  ])
  await ask('a', '8')
  assert.deepEqual(sent, [
    'lane -1',
    'lane 0',
    'lane 1',
    'lane 2',
    'lane 3',
    'lane 4',
    'own 5',
    'own 6',
    'lane 7',
    'lane 8',
  ])
})

test('a read behind one that was cancelled while being prepared is repeated', async () => {
  const { sent, ask } = fixture()
  await ask('a', 'behind')
  assert.deepEqual(sent, ['lane behind', 'own behind'])
})

test('a read that fails for another reason is not repeated, and one that writes is a defect', async () => {
  const { sent, ask } = fixture()
  await assert.rejects(ask('a', 'away'), { code: 'unavailable' })
  await assert.rejects(ask('a', 'write'), /^Error: test_quick_reads has to run in a transaction$/)
  assert.deepEqual(sent, ['lane away', 'lane write'])
})
