// Blocks at the moment of payments, runs of orders, closings and other blocks: what was answered
// first holds, on two instances, and the sum of an account is that of its blocks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'
import { block, blocksOf, lift, newBlock } from './support/blocks.ts'
import {
  assertSound,
  deposit,
  many,
  openAccount,
  patiently,
  readBalance,
  scene,
  tally,
  transferBody,
} from './support/fixture.ts'
import { orderBank } from './support/orders.ts'
import type { Reply } from './support/world.ts'

test('a block among concurrent transfers on two instances: after its answer no money leaves, after its lift it does', async (t) => {
  const fixture = await scene(t)
  const { ada, root, from, to } = fixture
  const second = await fixture.another()
  const send = (index: number): Promise<Reply> => {
    const by = index % 2 ? fixture : second
    const body = { ...transferBody(from, to, '0.01'), reference: `${index}` }
    const headers = { 'idempotency-key': `payment-${index}` }
    return patiently(() =>
      by.send('POST', '/api/v1/transfers', { token: ada.token, body, headers }),
    )
  }
  let blockId = ''
  let left: string | undefined
  const replies = await many(160, async (index) => {
    if (index === 80) {
      blockId = await block(root, from, 'debits')
      left = await readBalance(root, from)
    }
    return send(index)
  })
  const done = replies.filter(({ status }) => status === 201).length
  assert.equal(await readBalance(ada, to), (done / 100).toFixed(2))
  assert.equal(await readBalance(ada, from), left)
  const late = await many(20, (index) => send(1000 + index))
  assert.deepEqual(tally(late), { '409 debits_blocked': 20 })
  await lift(root, from, blockId)
  const again = await many(20, (index) => send(2000 + index))
  assert.deepEqual(tally(again), { '201': 20 })
  await assertSound(fixture)
})

test('a block among concurrent payments of a rail: after its answer all of them lie in suspense', async (t) => {
  const fixture = await scene(t)
  const { ada, root, to } = fixture
  const { iban } = (await ada.get(`/api/v1/accounts/${to}`)).body
  const arrive = (index: number) => {
    const terms = { iban, amount: '0.01', currency: 'EUR', externalId: `${index}` }
    const body = { ...terms, debtor: { name: 'Grace Hopper' }, onRefusal: 'suspense' }
    return patiently(() => root.post('/api/v1/admin/incoming-payments', body))
  }
  let credited: string | undefined
  const replies = await many(120, async (index) => {
    if (index === 60) {
      await block(root, to, 'credits')
      credited = await readBalance(root, to)
    }
    return arrive(index)
  })
  assert.deepEqual(tally(replies), { '201': 120 })
  const reached = replies.filter(({ body }) => body.toAccountId === to).length
  assert.equal(await readBalance(ada, to), (reached / 100).toFixed(2))
  assert.equal(await readBalance(ada, to), credited)
  const late = await many(10, (index) => arrive(1000 + index))
  assert.ok(late.every(({ body }) => body.toAccountId === bankAccount('suspense', 'EUR')))
  await assertSound(fixture)
})

test('of a block and a closing at the same moment one is refused', async (t) => {
  const fixture = await scene(t)
  const { ada, root } = fixture
  const outcomes = new Set<string>()
  for (let round = 0; round < 12; round++) {
    const account = await openAccount(ada)
    const close = () => ada.delete(`/api/v1/accounts/${account}`)
    const set = () => root.post(blocksOf(account), newBlock('both'))
    const [first, last] = round % 2 ? [close, set] : [set, close]
    const replies = await Promise.all([first(), last()])
    const told = replies.map(({ status, body }) => `${status} ${body?.code ?? ''}`.trim())
    outcomes.add(
      told
        .map((each) => each.replace(/ .*{.*/, ''))
        .toSorted()
        .join(', '),
    )
  }
  for (const outcome of outcomes) {
    assert.match(outcome, /^(201, 409 debits_blocked|204, 409 account_closed)$/)
  }
  await assertSound(fixture)
})

test('a run of an order at the moment of a block is made or refused, once, and the money says the same', async (t) => {
  const bank = await orderBank(t)
  const root = await bank.login('root')
  const id = await bank.make({ firstOn: '2026-01-02', rhythm: 'once' })
  const [, blockId] = await Promise.all([bank.work(), block(root, bank.from, 'debits')])
  await bank.work()
  const [run, ...others] = await bank.runs(id)
  assert.deepEqual(others, [])
  const paid = (await bank.balance()) === '900.00'
  assert.equal(run, paid ? '2026-01-02 made' : '2026-01-02 refused debits_blocked')
  await lift(root, bank.from, blockId)
  await assertSound(bank)
})

test('blocks that are set and lifted at the same moment, beside payments, leave the sum of those that stand', async (t) => {
  const fixture = await scene(t)
  const { ada, root, from, to } = fixture
  await deposit(root, to, '50.00')
  const second = await fixture.another()
  const replies = await many(60, async (index) => {
    const { send } = index % 2 ? fixture : second
    const account = index % 3 ? from : to
    const options = { token: root.token, body: newBlock(index % 2 ? 'debits' : 'credits') }
    const set = await patiently(() => send('POST', blocksOf(account), options))
    const path = `${blocksOf(account)}/${set.body.id}`
    const headers = { 'idempotency-key': `p-${index}` }
    await ada.post('/api/v1/transfers', transferBody(from, to, '0.01'), { headers })
    return patiently(() => send('DELETE', path, { token: root.token }))
  })
  assert.deepEqual(tally(replies), { '200': 60 })
  for (const account of [from, to]) {
    const { blocked } = (await ada.get(`/api/v1/accounts/${account}`)).body
    assert.deepEqual(blocked, { debits: false, credits: false })
  }
  const { rows } = await fixture.sql(
    'select count(*)::int as count from accounts where debits_blocked_until is not null',
  )
  assert.deepEqual(rows, [{ count: 0 }])
  await assertSound(fixture)
})
