// A challenge has five tries and five minutes, and is used once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bank } from '../../test/support/bank.ts'
import { people } from '../../test/support/people.ts'
import { transaction } from '../database/connections/transaction.ts'
import {
  addChallenge,
  challengeLifetimeMs,
  findLoginChallenge,
  isOpen,
  type NewChallenge,
  takeTry,
  useChallenge,
} from './challenges.ts'

test('a challenge has five tries and five minutes, and of several uses one', async (t) => {
  const { db, clock } = await bank(t)
  const now = clock.now()
  const made = { purpose: 'login', userId: people.ada.id, passwordVersion: 1, countedAs: 'a' }
  const add = () => transaction(db, (tx) => addChallenge(tx, made as NewChallenge, now))
  const [{ id: used }, { id: late }, { id: tried }] = [await add(), await add(), await add()]
  const use = (id: string, at = now) => transaction(db, (tx) => useChallenge(tx, id, at))
  const takeOne = (id: string, at = now, purpose: NewChallenge['purpose'] = 'login') =>
    transaction(db, async (tx) => (await takeTry(tx, id, purpose, at)) !== undefined)
  const areOpen = () =>
    transaction(db, (tx) => Promise.all([used, late, tried].map((id) => isOpen(tx, id))))
  const last = now + challengeLifetimeMs - 1

  assert.deepEqual(await use(used), { id: used })
  assert.equal(await use(used), undefined)
  assert.equal(await takeOne(used), false)
  assert.deepEqual(await areOpen(), [false, true, true], 'the others are not used')

  assert.deepEqual([await use(late, last + 1), await takeOne(late, last + 1)], [undefined, false])
  assert.equal(await takeOne(late, now, 'enrolment'), false)
  assert.equal((await findLoginChallenge(db, late, last))?.id, late)
  assert.equal(await findLoginChallenge(db, late, last + 1), undefined)
  assert.deepEqual([await takeOne(late, last), await use(late, last)], [true, { id: late }])

  const tries: boolean[] = []
  for (let turn = 0; turn < 6; turn++) tries.push(await takeOne(tried))
  assert.deepEqual(tries, [true, true, true, true, true, false])
})
