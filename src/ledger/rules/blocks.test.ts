import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom, seed } from '../../../test/support/random.ts'
import {
  areCreditsBlocked,
  areDebitsBlocked,
  blockCauses,
  type BlockTerms,
  classOf,
  isOfBlock,
  sumOfBlocks,
  tellBlock,
} from './blocks.ts'
import { kinds, passesBlocks } from './movement.ts'

test('blocks stop what is ordered or arrives, and nothing that was reserved or that the bank books', () => {
  const stopped = ['transfer', 'deposit', 'withdrawal', 'incoming', 'refund', 'chargeback']
  assert.deepEqual(
    kinds.filter((kind) => !passesBlocks(kind)),
    stopped,
  )
})

test('a class has several causes, so that it tells none', () => {
  for (const cause of blockCauses) {
    const others = blockCauses.filter((other) => classOf(other) === classOf(cause))
    assert.ok(others.length >= 2, cause)
  }
})

test('the sum that an account stores stops a side exactly while a block of it stands', () => {
  const random = createRandom(seed)
  for (let history = 0; history < 200; history++) {
    let now = 1000
    let blocks: (BlockTerms & { setAt: number })[] = []
    for (let step = 0; step < 12; step++) {
      if (blocks.length > 0 && random.chance(30)) {
        const lifted = random.pick(blocks)
        blocks = blocks.filter((each) => each !== lifted)
      } else {
        const until = random.chance(30) ? null : new Date(now + 1 + random.below(40))
        const debits = random.chance(60)
        const credits = !debits || random.chance(30)
        blocks.push({ debits, credits, until, setAt: now })
      }
      // As it is stored with this change, and judged until the next one.
      const stored = sumOfBlocks(blocks)
      const end = now + 1 + random.below(20)
      for (; now < end; now++) {
        const standing = blocks.filter(({ until }) => until === null || now < until.getTime())
        const plain = [
          standing.some(({ debits }) => debits),
          standing.some(({ credits }) => credits),
        ]
        assert.deepEqual([areDebitsBlocked(stored, now), areCreditsBlocked(stored, now)], plain)
      }
    }
  }
})

test('the trail tells what a block stops, why and until when, and is known by that', () => {
  const block = { id: 'b', debits: true, credits: true, cause: 'court_order', until: null } as const
  assert.equal(tellBlock(block), 'block b: debits and credits for court_order')
  const until = new Date(Date.UTC(2026, 0, 2))
  assert.equal(
    tellBlock({ ...block, credits: false, until }),
    'block b: debits for court_order until 2026-01-02T00:00:00.000Z',
  )
  assert.ok(isOfBlock(tellBlock(block)))
  assert.ok(!isOfBlock('Blocked') && !isOfBlock(null))
})

test('a side that no block stops is free, also where the other one is stopped', () => {
  const until = new Date(1000)
  const one = { debits: true, credits: false, until }
  const none = { debitsBlockedUntil: null, creditsBlockedUntil: null }
  assert.deepEqual(sumOfBlocks([]), none)
  assert.deepEqual(sumOfBlocks([one]), { ...none, debitsBlockedUntil: until })
  const other = { ...one, debits: false, credits: true }
  assert.deepEqual(sumOfBlocks([other]), { ...none, creditsBlockedUntil: until })
})
