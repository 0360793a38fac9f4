import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { Refusal } from '../domain/errors.ts'
import { quickFirst } from './quick-reads.ts'
import { type Db, statement } from './statement.ts'

const read = statement('quick_reads_test', ['text'], {}, 'select 1')

function failure(code: string): Refusal {
  const because = Object.assign(new pg.DatabaseError('', 0, 'error'), { code })
  return new Refusal('unavailable', { because })
}

/** Says where each read was sent: those named slow take too long on a lane. */
function scene() {
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

test('a read that is slow is done again elsewhere, and the next ones of its caller go there', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const { sent, ask } = scene()
  await ask('a', 'quick')
  await ask('a', 'slow')
  await ask('a', 'after')
  await ask('b', 'another')
  mock.timers.tick(10_000)
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

test('a caller has four reads on the lanes at the same time, and more elsewhere', async () => {
  const { sent, ask } = scene()
  await Promise.all([
    ...['1', '2', '3', '4', '5', '6'].map((name) => ask('a', name)),
    ask('b', '7'),
  ])
  await ask('a', '8')
  assert.deepEqual(sent, [
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

test('a read behind one that was cut off while it was prepared is done elsewhere', async () => {
  const { sent, ask } = scene()
  await ask('a', 'behind')
  assert.deepEqual(sent, ['lane behind', 'own behind'])
})

test('what fails for another reason is not tried again, and one that writes is a defect', async () => {
  const { sent, ask } = scene()
  await assert.rejects(ask('a', 'away'), { code: 'unavailable' })
  await assert.rejects(ask('a', 'write'), /^Error: quick_reads_test has to run in a transaction$/)
  assert.deepEqual(sent, ['lane away', 'lane write'])
})
