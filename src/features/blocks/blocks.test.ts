// What a block stops and what it lets pass, at every door of an account, to the millisecond.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { block, blocksOf, lift, newBlock, sides } from '../../../test/support/blocks.ts'
import { approved, newProcessor, outcomeOf, toTill } from '../../../test/support/card-payments.ts'
import {
  assertSound,
  deposit,
  openAccount,
  readBalance,
  scene,
  transferBody,
} from '../../../test/support/fixture.ts'
import { elsewhere, orderBank } from '../../../test/support/orders.ts'
import { createRandom, seed } from '../../../test/support/random.ts'
import type { Reply } from '../../../test/support/world.ts'
import { bankAccount } from '../../ledger/rules/internal-accounts.ts'

const eur = (amount: string) => ({ amount, currency: 'EUR' })
const suspense = bankAccount('suspense', 'EUR')

/** `done`, `suspense`, or the code. */
const told = ({ status, body }: Reply): string => {
  if (status >= 300) return body.code as string
  if (body.reason !== undefined && body.status === 'declined') return body.reason as string
  return body.toAccountId === suspense ? 'suspense' : 'done'
}

/** What each request about the account comes to while these sides are blocked. */
const doors: Record<string, Record<keyof typeof sides, string>> = {
  'a transfer out': { debits: 'debits_blocked', credits: 'done', both: 'debits_blocked' },
  'a payment out': { debits: 'debits_blocked', credits: 'done', both: 'debits_blocked' },
  'a transfer in': { debits: 'done', credits: 'credits_blocked', both: 'credits_blocked' },
  'a deposit': { debits: 'done', credits: 'credits_blocked', both: 'credits_blocked' },
  'a withdrawal': { debits: 'debits_blocked', credits: 'done', both: 'debits_blocked' },
  'money of a rail': { debits: 'done', credits: 'credits_blocked', both: 'credits_blocked' },
  'money of a rail, else in suspense': { debits: 'done', credits: 'suspense', both: 'suspense' },
  'a card payment': { debits: 'debits_blocked', credits: 'done', both: 'debits_blocked' },
  'a raise of a card payment': {
    debits: 'debits_blocked',
    credits: 'done',
    both: 'debits_blocked',
  },
  'a capture of before': { debits: 'done', credits: 'done', both: 'done' },
  'a refund of a card payment': { debits: 'done', credits: 'suspense', both: 'suspense' },
  'a hold for a card payment': {
    debits: 'debits_blocked',
    credits: 'done',
    both: 'debits_blocked',
  },
  'a seizure': { debits: 'done', credits: 'done', both: 'done' },
  'a release of a hold': { debits: 'done', credits: 'done', both: 'done' },
  'a sending of before': { debits: 'done', credits: 'done', both: 'done' },
  'a return of before': { debits: 'done', credits: 'done', both: 'done' },
  'a cancellation of before': { debits: 'done', credits: 'done', both: 'done' },
  'a reversal of what arrived': { debits: 'done', credits: 'done', both: 'done' },
  'a reversal of what left': { debits: 'done', credits: 'done', both: 'done' },
  'a fee': { debits: 'done', credits: 'done', both: 'done' },
  'a correction in': { debits: 'done', credits: 'done', both: 'done' },
  'an order is made': { debits: 'done', credits: 'done', both: 'done' },
}

for (const side of Object.keys(sides) as (keyof typeof sides)[]) {
  test(`with ${side} blocked, each door of the account`, async (t) => {
    const bank = await scene(t, '1000.00')
    const { ada, root, from: account, to: other } = bank
    const processor = await newProcessor(bank)
    const own = `/api/v1/accounts/${account}`
    await deposit(root, other, '100.00')
    const { iban } = (await ada.get(own)).body
    const idOf = async (sent: Promise<Reply>): Promise<string> => {
      const { status, body, text } = await sent
      assert.ok(status < 300, text)
      return (body.id ?? body.paymentId) as string
    }
    const payee = await idOf(
      ada.post(`${own}/beneficiaries`, { name: 'Otto Example', iban: elsewhere }),
    )
    const card = await idOf(ada.post(`${own}/cards`, {}))
    const till = toTill(processor, card)
    let count = 0
    const next = () => `n${++count}`
    const payOut = () =>
      ada.post('/api/v1/transfers', {
        fromAccountId: account,
        beneficiaryId: payee,
        ...eur('1.00'),
        reference: next(),
      })
    const transfer = (from: string, to: string) =>
      ada.post('/api/v1/transfers', { ...transferBody(from, to), reference: next() })
    const ofBank = '/api/v1/admin/transfers'
    const reverse = (id: string) => root.post(`${ofBank}/${id}/reversal`, { reason: 'Mistake' })
    const hold = (kind: string) =>
      root.post(`${own}/holds`, { ...eur('1.00'), kind, reference: next() })
    const incoming = (more: object = {}) =>
      root.post('/api/v1/admin/incoming-payments', {
        iban,
        ...eur('1.00'),
        externalId: next(),
        debtor: { name: 'Grace Hopper' },
        ...more,
      })
    const posting = (more: object) =>
      root.post('/api/v1/admin/postings', { ...eur('1.00'), reason: next(), ...more })
    const cash = (verb: string) =>
      root.post(`/api/v1/admin/accounts/${account}/${verb}`, { ...eur('1.00'), reason: next() })
    // What there was before the block.
    const [raised, captured] = [await approved(till.ask('1.00')), await approved(till.ask('1.00'))]
    const refunded = await approved(till.ask('1.00'))
    assert.equal((await till.capture(refunded, '1.00')).status, 201)
    const held = await idOf(hold('authorization'))
    const [sent, returned, cancelled] = [
      await idOf(payOut()),
      await idOf(payOut()),
      await idOf(payOut()),
    ]
    const [arrived, left] = [
      await idOf(transfer(other, account)),
      await idOf(transfer(account, other)),
    ]
    const requests: Record<keyof typeof doors, () => Promise<Reply>> = {
      'a transfer out': () => transfer(account, other),
      'a payment out': payOut,
      'a transfer in': () => transfer(other, account),
      'a deposit': () => cash('deposits'),
      'a withdrawal': () => cash('withdrawals'),
      'money of a rail': incoming,
      'money of a rail, else in suspense': () => incoming({ onRefusal: 'suspense' }),
      'a card payment': () => till.ask('1.00'),
      'a raise of a card payment': () => till.raise(raised, '1.00'),
      'a capture of before': () => till.capture(captured, '1.00'),
      'a refund of a card payment': () => till.refund(refunded, '1.00'),
      'a hold for a card payment': () => hold('authorization'),
      'a seizure': () => hold('seizure'),
      'a release of a hold': () => root.post(`/api/v1/holds/${held}/release`),
      'a sending of before': () => root.post(`${ofBank}/${sent}/send`, { externalId: next() }),
      'a return of before': () => root.post(`${ofBank}/${returned}/return`),
      'a cancellation of before': () => ada.post(`/api/v1/transfers/${cancelled}/cancel`),
      'a reversal of what arrived': () => reverse(arrived),
      'a reversal of what left': () => reverse(left),
      'a fee': () => posting({ kind: 'fee', fromAccountId: account, toCode: 'fees' }),
      'a correction in': () =>
        posting({ kind: 'correction', fromCode: 'fees', toAccountId: account }),
      'an order is made': () =>
        ada.post(`${own}/orders`, {
          ...eur('1.00'),
          beneficiaryId: payee,
          rhythm: 'once',
          firstOn: '2026-02-01',
        }),
    }
    const id = await block(root, account, side)
    const shown = (await ada.get(own)).body
    assert.deepEqual(shown.blocked, sides[side])
    assert.equal(shown.available === '0.00', sides[side].debits)
    const found: Record<string, string> = {}
    for (const [name, request] of Object.entries(requests)) found[name] = told(await request())
    assert.deepEqual(
      found,
      Object.fromEntries(Object.entries(doors).map(([name, row]) => [name, row[side]])),
    )
    await lift(root, account, id)
    assert.deepEqual((await ada.get(own)).body.blocked, { debits: false, credits: false })
    for (const name of ['a transfer out', 'a transfer in', 'a card payment', 'money of a rail']) {
      assert.equal(told((await requests[name]?.()) as Reply), 'done', name)
    }
    await assertSound(bank)
  })
}

test('a block holds to its last millisecond and ends in that of its end; blocks add up', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to, clock } = bank
  const pay = async () => {
    const reply = await ada.post('/api/v1/transfers', transferBody(from, to, '0.01'), {
      headers: { 'idempotency-key': `${Math.random()}` },
    })
    return told(reply)
  }
  const until = new Date(clock.now() + 60_000).toISOString()
  const later = new Date(clock.now() + 120_000).toISOString()
  await block(root, from, 'debits', { until })
  clock.advance(1)
  const second = await block(root, from, 'both', { until: later })
  clock.advance(1)
  const last = await block(root, from, 'debits', { until: later })
  clock.advance(59_998)
  assert.equal(await pay(), 'debits_blocked', 'the later one stands')
  await lift(root, from, second)
  assert.equal(await pay(), 'debits_blocked', 'the last one stands')
  assert.deepEqual((await ada.get(`/api/v1/accounts/${from}`)).body.blocked, sides.debits)
  clock.advance(59_999)
  assert.equal(await pay(), 'debits_blocked')
  const statuses = async () =>
    (await root.get(blocksOf(from))).body.items.map(({ status }: Reply['body']) => status)
  assert.deepEqual(await statuses(), ['active', 'lifted', 'ended'])
  clock.advance(1)
  assert.equal(await pay(), 'done')
  assert.deepEqual(await statuses(), ['ended', 'lifted', 'ended'])
  const over = await root.delete(`${blocksOf(from)}/${last}`)
  assert.equal(told(over), 'illegal_transition', 'what has ended is not lifted')
  const past = newBlock('debits', { until: new Date(clock.now()).toISOString() })
  assert.equal(told(await root.post(blocksOf(from), past)), 'invalid_request')
  const soon = newBlock('debits', { until: new Date(clock.now() + 1).toISOString() })
  assert.equal(told(await root.post(blocksOf(from), soon)), 'done')
  assert.equal(await pay(), 'debits_blocked')
  clock.advance(1)
  assert.equal(await pay(), 'done')
  await assertSound(bank)
})

test('whatever is set and lifted, an account is stopped exactly while one of its blocks stands', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to, clock } = bank
  const random = createRandom(seed)
  type Model = { id: string; debits: boolean; credits: boolean; until: number }
  let standing: Model[] = []
  let wrong = 0
  for (let step = 0; step < 40; step++) {
    standing = standing.filter(({ until }) => clock.now() < until)
    if (standing.length > 0 && random.chance(35)) {
      const one = random.pick(standing)
      await lift(root, from, one.id)
      standing = standing.filter((each) => each !== one)
    } else {
      const side = random.pick(Object.keys(sides) as (keyof typeof sides)[])
      const until = random.chance(25) ? Infinity : clock.now() + 1 + random.below(3000)
      const more = until === Infinity ? {} : { until: new Date(until).toISOString() }
      standing.push({ id: await block(root, from, side, more), ...sides[side], until })
    }
    clock.advance(random.below(2000))
    const now = standing.filter(({ until }) => clock.now() < until)
    const expected = [
      now.some(({ debits }) => debits) ? 'debits_blocked' : 'done',
      now.some(({ credits }) => credits) ? 'credits_blocked' : 'done',
    ]
    const headers = (side: string) => ({ headers: { 'idempotency-key': `${side}-${step}` } })
    const body = transferBody(from, to, '0.01')
    const back = transferBody(to, from, '0.01')
    const out = told(await ada.post('/api/v1/transfers', body, headers('out')))
    if (out !== expected[0]) wrong++
    if (out === 'done') {
      const into = told(await ada.post('/api/v1/transfers', back, headers('in')))
      if (into !== expected[1]) wrong++
    }
  }
  assert.equal(wrong, 0)
  await assertSound(bank)
})

test('a run of an order is refused while a block stands, and its owner is told; the next day is paid', async (t) => {
  const bank = await orderBank(t)
  const { from, to, clock } = bank
  const root = await bank.login('root')
  const id = await bank.make({ firstOn: '2026-01-05', rhythm: 'weekly' })
  const until = new Date('2026-01-12T00:00:00Z').toISOString()
  await block(root, from, 'debits', { until })
  await bank.goTo('2026-01-05')
  assert.deepEqual(await bank.runs(id), ['2026-01-05 refused debits_blocked'])
  const [mail] = await bank.told()
  assert.match(String(mail?.text), /the bank has blocked payments from the\s+account/)
  assert.doesNotMatch(String(mail?.text), /court|order 12/i)
  await bank.goTo('2026-01-12')
  assert.deepEqual(await bank.runs(id), ['2026-01-12 made', '2026-01-05 refused debits_blocked'])
  const inside = await bank.make({
    beneficiaryId: undefined,
    toAccountId: to,
    rhythm: 'once',
    firstOn: '2026-01-13',
  })
  const again = await bank.login('root')
  await block(again, to, 'credits', { until: new Date(clock.now() + 86_400_000 * 3).toISOString() })
  await bank.goTo('2026-01-13')
  assert.deepEqual(await bank.runs(inside), ['2026-01-13 refused credits_blocked'])
  await assertSound(bank)
})

test('an account with a block is not closed, nor is a closed one blocked', async (t) => {
  const bank = await scene(t)
  const { ada, root, clock } = bank
  const account = await openAccount(ada)
  const close = async (by = ada) => told(await by.delete(`/api/v1/accounts/${account}`))
  const until = new Date(clock.now() + 1000).toISOString()
  await block(root, account, 'debits', { until })
  const id = await block(root, account, 'credits')
  assert.deepEqual([await close(), await close(root)], ['debits_blocked', 'debits_blocked'])
  clock.advance(999)
  assert.equal(await close(), 'debits_blocked')
  clock.advance(1)
  assert.equal(await close(), 'credits_blocked')
  await lift(root, account, id)
  assert.equal((await ada.delete(`/api/v1/accounts/${account}`)).status, 204)
  const late = await root.post(blocksOf(account), newBlock('debits'))
  assert.equal(told(late), 'account_closed')
  const { body } = await root.get(`/api/v1/admin/accounts/${account}`)
  assert.deepEqual(body.blocked, { debits: false, credits: false })
  assert.equal((await root.get(blocksOf(account))).body.items.length, 2, 'history stays')
  await assertSound(bank)
})

test('money for a blocked account waits in suspense, and reaches it by a posting', async (t) => {
  const bank = await scene(t)
  const { ada, root, from } = bank
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  await block(root, from, 'credits')
  const taken = await root.post('/api/v1/admin/incoming-payments', {
    iban,
    ...eur('7.00'),
    externalId: 'one',
    debtor: { name: 'Grace Hopper' },
    onRefusal: 'suspense',
  })
  assert.deepEqual([told(taken), taken.body.creditorIban], ['suspense', iban])
  const posted = await root.post('/api/v1/admin/postings', {
    ...eur('7.00'),
    kind: 'correction',
    fromCode: 'suspense',
    toAccountId: from,
    reason: 'The court agrees',
  })
  assert.equal(posted.status, 201, posted.text)
  assert.equal(await readBalance(ada, from), '107.00')
  assert.equal(outcomeOf(posted), 'completed')
  await assertSound(bank)
})
