import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../../test/support/random.ts'
import { AddressPool } from './address-pool.ts'

type Item = { address: string; name: string }

function filled(names: string): AddressPool<Item> & { names(): string } {
  const pool = new AddressPool<Item>()
  for (const name of names.split(' ')) pool.add({ address: name[0] as string, name })
  return Object.assign(pool, { names: () => [...pool].map(({ name }) => name).join(' ') })
}

test('the address that holds most comes first, and its oldest item', () => {
  const pool = filled('a1 b1 b2 c1 b3 c2')
  assert.equal(pool.names(), 'b1 b2 b3 c1 c2 a1')
  assert.equal(pool.first()?.name, 'b1')
  assert.equal(pool.oldestOf('c')?.name, 'c1')
  assert.deepEqual([pool.size, pool.addressCount, pool.countOf('b')], [6, 3, 3])
})

test('an item that is added again becomes the newest of its address and is counted once', () => {
  const pool = filled('b1 b2 b3 a1')
  pool.add(pool.first() as Item)
  assert.equal(pool.names(), 'b2 b3 b1 a1')
  assert.equal(pool.size, 4)
})

test('in any order of additions and deletions the first item is the right one', () => {
  const pool = new AddressPool<Item>()
  const model: Item[] = []
  const { below, pick, chance } = createRandom(20_260_102)
  for (let turn = 0; turn < 3000; turn++) {
    const known = model.length > 0 && chance(60) ? pick(model) : undefined
    const item = known ?? { address: `${below(5)}`, name: `${turn}` }
    if (known) model.splice(model.indexOf(known), 1)
    if (known && chance(70)) {
      assert.equal(pool.delete(known), true)
      assert.equal(pool.delete(known), false)
    } else {
      pool.add(item)
      model.push(item)
    }
    const held = (address: string) => model.filter((each) => each.address === address).length
    const most = Math.max(0, ...model.map(({ address }) => held(address)))
    const first = pool.first()
    assert.equal(pool.size, model.length)
    assert.equal(first && held(first.address), model.length === 0 ? undefined : most)
    const oldest = model.find(({ address }) => address === first?.address)
    assert.equal(first, oldest)
    assert.equal(first && pool.oldestOf(first.address), oldest)
  }
})

test('all items can be deleted while they are gone through', () => {
  const pool = filled('a1 a2 a3 b1 b2 b3 c1 c2 d1')
  const seen: string[] = []
  for (const item of pool) {
    seen.push(item.name)
    pool.delete(item)
  }
  assert.equal(seen.length, 9)
  assert.equal(pool.size, 0)
})

test('an address that has nothing any more takes no memory, and is counted as none', () => {
  const pool = new AddressPool<Item>()
  for (let number = 0; number < 100; number++) {
    const item = { address: `${number}`, name: 'only' }
    pool.add(item)
    assert.deepEqual([pool.addressCount, pool.countOf(item.address)], [1, 1])
    pool.delete(item)
    assert.deepEqual([pool.addressCount, pool.countOf(item.address), pool.size], [0, 0, 0])
  }
  assert.equal(pool.countOf('never'), 0)
  assert.equal(pool.first(), undefined)
})
