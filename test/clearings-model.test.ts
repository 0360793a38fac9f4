// A processor that clears late, above what it asked for, without having asked, and twice, and that
// charges back beside refunds: each step is answered and ends as a small model says, one after
// another and several at once on two instances. A failure prints its seed; FUZZ_SEED=<seed> takes
// the same again.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { newProcessor, toTill } from './support/card-payments.ts'
import {
  chargedBackOf,
  freeOf,
  heldOf,
  type Model,
  outcomes,
  type PaidByCard,
  type Step,
  take,
} from './support/clearing-model.ts'
import type { Reply } from './support/client.ts'
import { assertSound, openAccount } from './support/fixture.ts'
import { answerOf, openHeld, type Voices } from './support/held-account.ts'
import { hasOrder } from './support/hold-model.ts'
import { createRandom, type Random, seed } from './support/random.ts'
import { clientWith, type World, world } from './support/world.ts'

const minuteMs = 60_000
const runCount = Number(process.env['CLEARING_RUNS'] ?? 6)
const stepsMax = 14

type Instance = Voices & { processor: Pick<ReturnType<typeof clientWith>, 'post'> }
type Scene = { bank: World; random: Random; instances: readonly Instance[]; to: string }

async function open(t: TestContext): Promise<Scene> {
  t.diagnostic(`seed ${seed}`)
  const bank = await world(t, { settings: { SESSION_IDLE: '12h', TOKEN_TTL: '12h' } })
  const other = await bank.another()
  const [ada, root, processor] = [
    await bank.as('ada'),
    await bank.as('root'),
    await newProcessor(bank),
  ]
  const again = {
    ada: clientWith(other.send, ada.token),
    root: clientWith(other.send, root.token),
    processor: processor.on(other.send),
  }
  const instances = [{ ada, root, processor }, again]
  return { bank, random: createRandom(seed), instances, to: await openAccount(ada) }
}

/** `chargebacks`: those of each payment, by the place of the payment. */
type PayingAccount = { id: string; card: string; payments: string[]; chargebacks: string[][] }

async function openPaying({ bank, instances, to }: Scene, balance: number): Promise<PayingAccount> {
  const voices = instances[0] as Instance
  const { id } = await openHeld(bank, voices, { to, balance })
  const { body } = await voices.ada.post(`/api/v1/accounts/${id}/cards`, {})
  return { id, card: body.id as string, payments: [], chargebacks: [] }
}

/** A payment that is made is remembered at its place in the model. */
async function send(
  { bank: { clock }, to }: Scene,
  { id, card, payments, chargebacks }: PayingAccount,
  step: Step,
  { ada, root, processor }: Instance,
): Promise<Reply> {
  const till = toTill(processor, card)
  const amount = 'amount' in step ? `${step.amount}.00` : ''
  const money = { amount, currency: 'EUR' }
  const paid = 'which' in step && step.which !== null ? payments[step.which] : undefined
  const asked = { headers: { 'idempotency-key': String(Math.random()) } }
  const admin = `/api/v1/admin/accounts/${id}`
  const made = (reply: Reply) => {
    const at = reply.body.paymentId ?? reply.body.cardPaymentId
    if (reply.status === 201 && at) {
      payments.push(at as string)
      chargebacks.push([])
    }
    return reply
  }
  switch (step.do) {
    case 'ask': {
      const expiresAt = new Date(clock.now() + step.lastsMs).toISOString()
      return made(await till.ask(amount, { expiresAt, ...(step.isTip && { tolerance: 30 }) }))
    }
    case 'capture':
      return till.capture(paid as string, amount, { final: step.isFinal })
    case 'clear': {
      // Delivered twice, as a processor that has lost the first answer does.
      // Never like the number of a card, which is refused.
      const externalId = `clearing-${Math.random().toString(36)}`
      const more = { externalId, ...(paid !== undefined && { authorizationId: paid }) }
      const [one, two] = await Promise.all([till.clear(amount, more), till.clear(amount, more)])
      assert.deepEqual([two.status, two.body.id], [one.status, one.body.id], two.text)
      return paid === undefined ? made(one) : one
    }
    case 'refund':
      return till.refund(paid as string, amount)
    case 'chargeBack': {
      const externalId = `chargeback-${Math.random().toString(36)}`
      const deliver = () => till.chargeBack(paid as string, amount, { externalId })
      // Refused at first, it may be taken later; taken, it stays so.
      const [one, two] = [await deliver(), await deliver()]
      if (one.status === 201) assert.deepEqual([two.status, two.body], [201, one.body], two.text)
      if (two.status === 201) chargebacks[step.which]?.push(two.body.id as string)
      return two
    }
    case 'end':
      return till.end(chargebacks[step.which]?.[step.chargeback] as string, step.outcome)
    case 'release':
      return till.release(paid as string)
    case 'transfer': {
      const body = { fromAccountId: id, toAccountId: to, ...money }
      return ada.post('/api/v1/transfers', body, asked)
    }
    case 'deposit':
      return root.post(`${admin}/deposits`, { ...money, reason: 'In' }, asked)
    case 'freeze':
    case 'unfreeze':
      return root.post(`${admin}/${step.do}`, { reason: 'A model' })
    case 'close':
      return ada.delete(`/api/v1/accounts/${id}`)
    case 'wait':
      clock.advance(step.ms)
      return { status: 200, body: {} } as Reply
  }
}

/** A decline is an answer of its own. */
const toAnswer = (reply: Reply): string =>
  reply.body?.status === 'declined' ? (reply.body.reason as string) : answerOf(reply)

type FoundPayment = Pick<PaidByCard, 'amount' | 'captured' | 'refunded' | 'status'> & {
  chargedBack: number
}
type Found = Omit<Model, 'now' | 'overdraft' | 'payments'> & {
  held: number
  unarranged: number
  payments: FoundPayment[]
}

const readRow = `select balance::int / 100 as balance, held::int / 100 as held,
    unarranged::int / 100 as unarranged, status, (
      select coalesce(json_agg(json_build_object('id', h.id, 'amount', h.amount / 100,
        'captured', h.captured / 100, 'refunded', (
          select coalesce(sum(t.amount), 0) / 100 from card_refunds r
          join transfers t on t.id = r.transfer_id where r.payment_id = h.id
        ), 'chargedBack', (
          select coalesce(sum(t.amount), 0) / 100 from card_chargebacks b
          join transfers t on t.id = b.transfer_id
          left join chargeback_ends e on e.chargeback_id = b.transfer_id
          where b.payment_id = h.id and coalesce(e.outcome, 'won') = 'won'
        ), 'status', case when h.status = 'active' and h.expires_at <= $2 then 'expired'
          else h.status end) order by h.id), '[]')
      from holds h where h.account_id = a.id
    ) as payments, (
      select coalesce(sum(case when t.kind in ('refund', 'chargeback')
        then (t.to_account_id <> a.id)::int * t.amount
        else -(t.from_account_id <> a.id)::int * t.amount end), 0)
      from holds h join (
        select payment_id, transfer_id from card_refunds
        union all select payment_id, transfer_id from card_chargebacks
        union all select b.payment_id, e.transfer_id from chargeback_ends e
          join card_chargebacks b on b.transfer_id = e.chargeback_id
        union all select hold_id, transfer_id from hold_captures
      ) x on x.payment_id = h.id join transfers t on t.id = x.transfer_id
      where h.account_id = a.id
    )::int / 100 as suspense
  from accounts a where a.id = $1`

async function read({ bank }: Scene, { id }: PayingAccount): Promise<Found> {
  const { rows } = await bank.sql(readRow, [id, new Date(bank.clock.now())])
  return rows[0] as unknown as Found
}

const shape = ({ amount, captured, refunded, chargedBack, status }: FoundPayment) =>
  `${amount} ${captured} ${refunded} ${chargedBack} ${status}`

/** What the database says, and what the model does. New payments of a race have no order. */
const tell = (of: Omit<Found, 'payments'>, payments: readonly string[]): string =>
  JSON.stringify([of.balance, of.held, of.unarranged, of.status, of.suspense, payments.toSorted()])
const tellFound = (found: Found): string => tell(found, found.payments.map(shape))
/** A hold that nothing has locked since its time was over still stands in the account. */
const tellModel = (model: Model, { held }: Found): string => {
  const free = model.balance - held
  const unarranged = free < 0 ? -free : 0
  const payments = model.payments.map((each) => ({ ...each, chargedBack: chargedBackOf(each) }))
  return tell({ ...model, held, unarranged }, payments.map(shape))
}

/** What comes back of a payment is at most what was captured. */
function assertBounded({ payments }: Found, told: string): void {
  const isMore = (of: FoundPayment) => of.refunded + of.chargedBack > of.captured
  assert.ok(!payments.some(isMore), told)
}

const begin = (now: number, balance: number): Model => ({
  now,
  balance,
  overdraft: 0,
  status: 'active',
  suspense: 0,
  payments: [],
})

function draw({ random }: Scene, { payments }: Model): Step {
  const count = payments.length
  const amount = 1 + random.below(6)
  const which = random.below(count)
  const kinds = ['ask', 'capture', 'clear', 'clear', 'refund', 'chargeBack', 'end'] as const
  const others = [
    'release',
    'transfer',
    'deposit',
    'freeze',
    'unfreeze',
    'unfreeze',
    'close',
    'wait',
  ] as const
  const name = random.pick([...kinds, ...kinds, ...others])
  if (name === 'wait') return { do: name, ms: random.pick([1, minuteMs - 1, minuteMs]) }
  if (name === 'freeze' || name === 'unfreeze' || name === 'close') return { do: name }
  if (name === 'transfer' || name === 'deposit') return { do: name, amount }
  if (name === 'ask' || count === 0) {
    return { do: 'ask', amount, isTip: random.chance(50), lastsMs: minuteMs }
  }
  if (name === 'capture') return { do: name, which, amount, isFinal: random.chance(50) }
  if (name === 'clear') return { do: name, which: random.chance(25) ? null : which, amount }
  if (name === 'refund' || name === 'chargeBack') return { do: name, which, amount }
  if (name === 'release') return { do: name, which }
  const made = payments[which]?.chargebacks.length ?? 0
  if (made === 0) return { do: 'chargeBack', which, amount }
  return { do: name, which, chargeback: random.below(made), outcome: random.pick(outcomes) }
}

test('each step of a card payment is answered and ends as the model says, clearings delivered twice', async (t) => {
  const scene = await open(t)
  const { bank, random, instances } = scene
  for (let run = 0; run < runCount; run++) {
    const of = await openPaying(scene, 8)
    const model = begin(bank.clock.now(), 8)
    const taken: Step[] = []
    for (let count = 0; count < stepsMax; count++) {
      const step = draw(scene, model)
      taken.push(step)
      model.now = bank.clock.now()
      const expected = take(model, step)
      const reply = await send(scene, of, step, random.pick(instances))
      const told = JSON.stringify(taken)
      assert.equal(toAnswer(reply), expected, `${told}: ${reply.text}`)
      const found = await read(scene, of)
      assert.equal(tellFound(found), tellModel(model, found), told)
      assertBounded(found, told)
      if (heldOf(model) === found.held) {
        assert.equal(found.unarranged, Math.max(0, -freeOf(model)), told)
      }
    }
    await assertSound(bank)
  }
})

const first: readonly Step[] = [
  { do: 'ask', amount: 4, isTip: true, lastsMs: minuteMs },
  { do: 'clear', which: null, amount: 3 },
  { do: 'chargeBack', which: 1, amount: 2 },
]
const racing: readonly Step[] = [
  { do: 'clear', which: 0, amount: 4 },
  { do: 'clear', which: 0, amount: 7 },
  { do: 'clear', which: null, amount: 3 },
  { do: 'capture', which: 0, amount: 5, isFinal: true },
  { do: 'capture', which: 0, amount: 2, isFinal: false },
  { do: 'release', which: 0 },
  { do: 'refund', which: 0, amount: 4 },
  { do: 'refund', which: 0, amount: 7 },
  { do: 'refund', which: 1, amount: 1 },
  { do: 'refund', which: 1, amount: 3 },
  { do: 'chargeBack', which: 0, amount: 4 },
  { do: 'chargeBack', which: 1, amount: 1 },
  ...outcomes.map((outcome) => ({ do: 'end', which: 1, chargeback: 0, outcome }) as const),
  { do: 'deposit', amount: 4 },
  { do: 'transfer', amount: 2 },
  { do: 'freeze' },
  { do: 'unfreeze' },
  { do: 'close' },
  { do: 'wait', ms: minuteMs },
]

test('clearings, captures, expiry, refunds, chargebacks, their ends, a close and incoming money at once on two instances are as if one after another', async (t) => {
  const scene = await open(t)
  const { bank, random, instances } = scene
  for (let round = 0; round < runCount; round++) {
    const balance = random.pick([4, 6, 7])
    const of = await openPaying(scene, balance)
    const model = begin(bank.clock.now(), balance)
    for (const step of first) {
      take(model, step)
      await send(scene, of, step, instances[0] as Instance)
    }
    const steps = Array.from({ length: 3 + random.below(3) }, () => random.pick(racing))
    const observed = await Promise.all(
      steps.map(async (step) => {
        const reply = await send(scene, of, step, random.pick(instances))
        return { step, answer: toAnswer(reply) }
      }),
    )
    const found = await read(scene, of)
    const isEnd = (end: Model): boolean => tellModel(end, found) === tellFound(found)
    const told = JSON.stringify({ observed, found }, undefined, 1)
    assertBounded(found, told)
    assert.ok(hasOrder(take, model, observed, isEnd), `no order gives this: ${told}`)
    await assertSound(bank)
  }
})
