// When a transaction is done over, and what its caller is told when COMMIT did not answer as usual.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { Refusal } from '../../domain/errors.ts'
import { commit } from './commit.ts'
import { untilUnique } from './failure.ts'
import { openTransactions } from './transaction.ts'

const failure = (code: string): Error =>
  Object.assign(new pg.DatabaseError('failed', 0, 'error'), { code })
const lost = new Error('the connection is lost')

/** What the driver is given, and calls. */
type AskedOfDriver = {
  text: string
  _result: { command: string | undefined }
  handleReadyForQuery(): void
  handleError(thrown: Error): void
}

/** A pool of one connection; `commits` are the answers to COMMIT in turn, the last one for good. */
function fixture(...commits: (string | Error)[]) {
  const sent: string[] = []
  const isDestroyed: boolean[] = []
  const client = {
    query(asked: AskedOfDriver) {
      sent.push(asked.text)
      const answers = asked.text === 'commit' ? commits : [asked.text.toUpperCase()]
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer instanceof Error) return asked.handleError(answer)
      asked._result.command = answer
      asked.handleReadyForQuery()
    },
    release: (destroy: boolean) => void isDestroyed.push(destroy),
    on() {},
    off() {},
    connection: { stream: { cork() {}, uncork() {} } },
  }
  const pool = { connect: async () => client, totalCount: 1, options: { max: 2 } } as never
  const standby = { require() {}, doubt() {} } as never
  const { runTransaction } = openTransactions(pool, standby)
  return { sent, isDestroyed, runTransaction }
}

test('work that meets a conflict is done over, four times in all, and any other failure is not', async () => {
  for (const [failures, attempts, isDone] of [
    [0, 1, true],
    [3, 4, true],
    [4, 4, false],
  ] as const) {
    let count = 0
    const { runTransaction, sent } = fixture('COMMIT')
    const result = runTransaction(async () => {
      if (count++ < failures)
        throw new Refusal('unavailable', { outage: 'lock', because: failure('40P01') })
      return 'done'
    })
    if (isDone) assert.equal(await result, 'done')
    else await assert.rejects(result, { code: 'unavailable' })
    assert.equal(count, attempts)
    assert.equal(sent.filter((text) => text === 'rollback').length, attempts - (isDone ? 1 : 0))
  }
  let count = 0
  const { runTransaction } = fixture('COMMIT')
  const other = failure('23505')
  await assert.rejects(
    runTransaction(async () => {
      count++
      throw other
    }),
    (thrown) => thrown === other,
  )
  assert.equal(count, 1)
})

test('a COMMIT that the server refuses had no effect: a conflict is done over, a violation reported', async () => {
  const conflict = fixture(failure('40001'), 'COMMIT')
  assert.equal(await conflict.runTransaction(async () => 1), 1)
  assert.deepEqual(conflict.sent, ['begin', 'commit', 'rollback', 'begin', 'commit'])
  const violation = failure('23503')
  const refused = fixture(violation)
  await assert.rejects(
    refused.runTransaction(async () => 1),
    (thrown) => thrown === violation,
  )
})

test('a COMMIT whose answer is lost is reported as unknown, and its connection is not used again', async () => {
  const { runTransaction, isDestroyed } = fixture(lost)
  await assert.rejects(
    runTransaction(async () => 1),
    { code: 'outcome_unknown' },
  )
  assert.deepEqual(isDestroyed, [true])
})

test('a COMMIT that answers ROLLBACK is a failure', async () => {
  const { runTransaction } = fixture('ROLLBACK')
  await assert.rejects(
    runTransaction(async () => 1),
    /COMMIT answered ROLLBACK/,
  )
})

test('a connection that gives no answer is asked no more, one whose statement failed is clean again', async () => {
  const silent = fixture('COMMIT')
  const away = new Refusal('unavailable', { outage: 'lock', because: lost })
  await assert.rejects(silent.runTransaction(() => Promise.reject(away)))
  assert.deepEqual([silent.sent, silent.isDestroyed], [['begin'], [true]])
  const failed = fixture('COMMIT')
  await assert.rejects(failed.runTransaction(() => Promise.reject(failure('23505'))))
  assert.deepEqual([failed.sent, failed.isDestroyed], [['begin', 'rollback'], [false]])
})

test('a transaction is judged together with BEGIN, again when it is done over, and before its work', async () => {
  const { runTransaction, sent } = fixture('COMMIT')
  let count = 0
  const work = async () => {
    sent.push('work')
    if (count++ === 0)
      throw new Refusal('unavailable', { outage: 'lock', because: failure('40P01') })
  }
  await runTransaction(work, async () => {
    sent.push('judged')
    await Promise.resolve()
    sent.push('passed')
  })
  const once = ['begin', 'judged', 'passed', 'work']
  assert.deepEqual(sent, [...once, 'rollback', ...once, 'commit'])
  const refused = fixture('COMMIT')
  const never = () => assert.fail('it was refused')
  const away = new Refusal('session_revoked')
  const judged = refused.runTransaction(never, () => Promise.reject(away))
  await assert.rejects(judged, { code: 'session_revoked' })
  assert.deepEqual(refused.sent, ['begin', 'rollback'])
})

test('a random value is made anew while it is taken, ten times at most, and after no other failure', async () => {
  const violation = (constraint: string) => Object.assign(failure('23505'), { constraint })
  const run = async (...failures: Error[]) => {
    let count = 0
    const attempt = async () => {
      const thrown = failures[count++]
      if (thrown) throw thrown
      return 'made'
    }
    return [await untilUnique('key', attempt).catch((thrown: Error) => thrown.message), count]
  }
  const taken = (count: number) => Array.from({ length: count }, () => violation('key'))
  assert.deepEqual(await run(), ['made', 1])
  assert.deepEqual(await run(...taken(9)), ['made', 10])
  assert.deepEqual(await run(...taken(10)), ['10 values in a row violate key', 10])
  assert.deepEqual(await run(...taken(1), violation('other')), ['failed', 2])
  assert.deepEqual(await run(lost), [lost.message, 1])
})

test('writes are in doubt after a COMMIT with a warning, or that failed after a second, and not after a refused one', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  for (const [answer, warning, tookMs, expected] of [
    ['COMMIT', undefined, 5000, ['COMMIT', 0]],
    ['COMMIT', '00000', 0, ['COMMIT', 0]],
    ['COMMIT', '01000', 0, ['NotConfirmed', 1]],
    [lost, undefined, 1000, ['Error', 0]],
    [lost, undefined, 1001, ['Error', 1]],
    [failure('23505'), undefined, 1001, ['error', 0]],
  ] as const) {
    let note: ((notice: { code: string; message: string }) => void) | undefined
    const client = {
      query(asked: AskedOfDriver) {
        now += tookMs
        if (warning !== undefined) note?.({ code: warning, message: 'no standby' })
        if (typeof answer !== 'string') return asked.handleError(answer)
        asked._result.command = answer
        asked.handleReadyForQuery()
      },
      on: (_: string, listener: typeof note) => void (note = listener),
      off() {},
    }
    let doubts = 0
    const tag = await commit(client as never, () => doubts++).catch(({ name }: Error) => name)
    assert.deepEqual([tag, doubts], expected, `${String(answer)} ${warning} ${tookMs}`)
  }
})
