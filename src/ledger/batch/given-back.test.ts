// What came back on its day counts to no limit of that day: after any steps, the sums of an account
// are what its transfers say. A failure prints its seed and the shortest steps that fail;
// FUZZ_SEED=<seed> takes the same again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bank,
  type Bank,
  callers,
  code,
  payeeElsewhere,
  sessions,
} from '../../../test/support/bank.ts'
import { people } from '../../../test/support/people.ts'
import { fc, seed } from '../../../test/support/random.ts'
import { changeTimeZone } from '../../cli/days/time-zone.ts'
import { readDays } from '../../database/background/bank-days.ts'
import { dayMs } from '../../domain/clock.ts'
import { newId } from '../../domain/ids.ts'
import { openLedger } from './batch.ts'
import { maxBalance } from '../rules/holds.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import type { MovementConfirmation, PostedMovement, Transfer } from '../rules/movement.ts'
import { verifyLedger } from '../proof/verify.ts'

const clearing = bankAccount('clearing', 'EUR')
const digest = Buffer.alloc(32, 7)
const exempt = { amount: 5n, sum: 12n }
const hourMs = 3_600_000

type Where = 'own' | 'elsewhere'
type Back = 'cancellation' | 'return' | 'reversal'

/** An account with much money, and payments out of it, by two instances in turn. */
async function openPayer(made: Bank) {
  const { sql, clock } = made
  const [from, own] = [await made.account(1_000_000n), await made.account()]
  const payee = await payeeElsewhere(made, from)
  const other = openLedger(made.db, clock)
  let turn = 0
  const submit = (movement: PostedMovement) =>
    (turn++ % 2 === 0 ? made.ledger : other).submit(movement)
  const paid: { transfer: Transfer; isUnconfirmed: boolean }[] = []
  /** Unconfirmed payments since the last confirmed one, by identifier. */
  let unconfirmed: string[] = []

  async function addChallenge(): Promise<string> {
    const id = newId(clock.now())
    await sql(
      `insert into challenges (id, user_id, session_id, purpose, operation, terms, digest, nonce,
         created_at, expires_at, confirmed_at)
       values ($1, $2, $3, 'confirmation', 'createTransfer', '{}', $4, $4, $5, $6, $5)`,
      [
        id,
        people.ada.id,
        sessions.ada,
        digest,
        new Date(clock.now()),
        new Date(clock.now() + 60_000),
      ],
    )
    return id
  }
  const event = () => ({
    id: newId(clock.now()),
    at: clock.now(),
    actorId: people.ada.id,
    action: 'useConfirmation' as const,
    target: null,
    outcome: 'success' as const,
    requestId: newId(clock.now()),
    address: '192.0.2.1',
    detail: null,
  })
  async function toConfirmation(isConfirmed: boolean): Promise<MovementConfirmation> {
    const challengeId = isConfirmed ? await addChallenge() : undefined
    const of = { userId: people.ada.id, sessionId: sessions.ada }
    return { ...of, digest, challengeId, exempt, event: event() }
  }

  async function pay(where: Where, amount: bigint, isConfirmed: boolean): Promise<string> {
    const confirmation = await toConfirmation(isConfirmed)
    const more = { amount, key: newId(1), confirmation }
    const movement =
      where === 'own'
        ? made.movement(from, own, more)
        : made.movement(from, clearing, { ...more, ...payee })
    try {
      const { transfer } = await submit(movement)
      const isUnconfirmed = where === 'elsewhere' && !isConfirmed
      paid.push({ transfer, isUnconfirmed })
      if (isUnconfirmed) unconfirmed.push(transfer.id)
      else if (where === 'elsewhere') unconfirmed = []
      return 'done'
    } catch (thrown) {
      return code(Promise.reject(thrown))
    }
  }

  function bringBack({ transfer }: (typeof paid)[number], kind: Back): Promise<string> {
    const { id: originalId, fromAccountId, toAccountId, amount, reference } = transfer
    return code(
      submit({
        kind,
        fromAccountId: toAccountId,
        toAccountId: fromAccountId,
        amount,
        currency: 'EUR',
        reference,
        originalId,
        caller: kind === 'cancellation' ? callers.ada : callers.root,
        key: newId(1),
      }),
    )
  }

  const settle = ({ transfer }: (typeof paid)[number]): Promise<string> =>
    code(
      submit({
        kind: 'settlement',
        fromAccountId: from,
        toAccountId: clearing,
        amount: transfer.amount,
        currency: 'EUR',
        reference: '',
        originalId: transfer.id,
        caller: callers.root,
      }),
    )

  const setLimit = (limit: bigint | null) =>
    sql('update accounts set daily_transfer_limit = $2 where id = $1', [from, limit])

  return {
    from,
    paid,
    pay,
    bringBack,
    settle,
    setLimit,
    /** What the sum of unconfirmed payments has to be. */
    async unconfirmedSum(): Promise<bigint> {
      const kept = await keptOf(made, from)
      return unconfirmed.reduce((sum, id) => sum + (kept.get(id) ?? 0n), 0n)
    },
    close: () => other.close(),
  }
}
type Payer = Awaited<ReturnType<typeof openPayer>>

/** Each payment out of the account that did not come back on its day, with its amount. */
async function keptOf({ db, sql }: Bank, from: string): Promise<Map<string, bigint>> {
  const days = await readDays(db)
  const rows = await sql(
    `select t.id, t.amount::text, t.created_at as "paidAt", b.created_at as "backAt"
     from transfers t left join transfers b on b.reversal_of = t.id
     where t.from_account_id = $1 and t.kind = 'transfer'`,
    [from],
  )
  const dayOf = (at: unknown) => days.dayOf((at as Date).getTime())
  const isBack = (row: (typeof rows)[number]) =>
    row['backAt'] !== null && dayOf(row['backAt']) === dayOf(row['paidAt'])
  const kept = rows.filter((row) => !isBack(row))
  return new Map(kept.map((row) => [row['id'] as string, BigInt(row['amount'] as string)]))
}

/** What has been paid on the day of that time, without what came back on it. */
async function spentToday(made: Bank, from: string): Promise<bigint> {
  const [kept, days] = [await keptOf(made, from), await readDays(made.db)]
  const rows = await made.sql('select id, created_at as at from transfers where id = any($1)', [
    [...kept.keys()],
  ])
  const today = days.dayOf(made.clock.now())
  return rows
    .filter((row) => days.dayOf((row['at'] as Date).getTime()) === today)
    .reduce((sum, row) => sum + (kept.get(row['id'] as string) ?? 0n), 0n)
}

/** What the service decides by has to be what its books say. */
async function compare(made: Bank, payer: Payer): Promise<void> {
  const [row] = await made.sql(
    `select a.spent_on::text as day, a.spent_amount::text as spent,
       coalesce(u.amount, 0)::text as unconfirmed
     from accounts a left join unconfirmed_payments u on u.account_id = a.id where a.id = $1`,
    [payer.from],
  )
  const today = (await readDays(made.db)).dayOf(made.clock.now())
  const spent = row?.['day'] === today ? BigInt(row['spent'] as string) : 0n
  assert.equal(spent, await spentToday(made, payer.from))
  assert.equal(BigInt(row?.['unconfirmed'] as string), await payer.unconfirmedSum())
}

type Step =
  | { do: 'pay'; where: Where; amount: number; isConfirmed: boolean }
  | { do: Back | 'settle'; which: number }
  | { do: 'race'; which: number; amount: number }
  | { do: 'limit'; amount: number | null }
  | { do: 'wait'; ms: number }

const which = fc.nat(3)
const amount = fc.integer({ min: 1, max: 6 })
const pay = fc.record({
  do: fc.constant('pay' as const),
  where: fc.constantFrom<Where>('own', 'elsewhere', 'elsewhere'),
  amount,
  isConfirmed: fc.boolean(),
})
/** One that stands more than once is drawn as often. */
const steps = fc.oneof<fc.Arbitrary<Step>[]>(
  pay,
  pay,
  pay,
  fc.record({
    do: fc.constantFrom<Back | 'settle'>('cancellation', 'return', 'reversal', 'settle'),
    which,
  }),
  fc.record({ do: fc.constantFrom<Back>('cancellation', 'return'), which }),
  fc.record({ do: fc.constant('race' as const), which, amount }),
  fc.record({ do: fc.constant('limit' as const), amount: fc.constantFrom(null, 8, 15) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 7 * hourMs, dayMs) }),
)

/** Takes a step; a payment is refused as the books say. */
async function take(made: Bank, payer: Payer, step: Step, limit: bigint | null): Promise<void> {
  if (step.do === 'wait') made.clock.advance(step.ms)
  if (step.do === 'wait' || step.do === 'limit') return
  if (step.do === 'pay') {
    const asked = BigInt(step.amount)
    const [spent, unconfirmed] = [await spentToday(made, payer.from), await payer.unconfirmedSum()]
    const [row] = await made.sql('select count from unconfirmed_payments where account_id = $1', [
      payer.from,
    ])
    const isExempt =
      step.isConfirmed ||
      step.where === 'own' ||
      (asked <= exempt.amount &&
        unconfirmed + asked <= exempt.sum &&
        Number(row?.['count'] ?? 0) < 5)
    const isAbove = limit !== null && spent + asked > limit
    const expected = isAbove ? 'limit_exceeded' : isExempt ? 'done' : 'confirmation_required'
    // An own account confirms nothing: the confirmation is of the payment.
    assert.equal(await payer.pay(step.where, asked, step.isConfirmed), expected, `spent ${spent}`)
    return
  }
  const payment = payer.paid.at(-1 - step.which)
  if (!payment) return
  if (step.do === 'settle') await payer.settle(payment)
  else if (step.do === 'race') {
    await Promise.all([
      payer.bringBack(payment, 'cancellation'),
      payer.bringBack(payment, 'return'),
      payer.pay('elsewhere', BigInt(step.amount), false),
    ])
  } else await payer.bringBack(payment, step.do)
}

test('after any steps, an account counts to its day what left it and did not come back that day', async (t) => {
  t.diagnostic(`seed ${seed}`)
  const made = await bank(t)
  await made.sql(`update sessions set last_used_at = '2100-01-01', ends_at = '2100-02-01'`)
  await made.sql(`insert into bank_time_zones values ('0001-01-01', 'Asia/Tokyo')`)
  const property = fc.asyncProperty(
    fc.array(steps, { maxLength: 30, size: 'max' }),
    async (all) => {
      const payer = await openPayer(made)
      let limit: bigint | null = null
      for (const step of all) {
        if (step.do === 'limit') {
          limit = step.amount === null ? null : BigInt(step.amount)
          await payer.setLimit(limit)
        }
        await take(made, payer, step, limit)
        await compare(made, payer)
      }
      await payer.close()
    },
  )
  await fc.assert(property, { numRuns: Number(process.env['HOLD_RUNS'] ?? 15) })
  assert.equal((await verifyLedger(made.db)).mismatch, undefined)
})

test('a cancelled payment, a return and a reversal give the day of the bank back what they bring back', async (t) => {
  const made = await bank(t)
  const payer = await openPayer(made)
  await payer.setLimit(10n)
  const wayBack = { elsewhere: ['cancellation', 'return'], own: ['reversal'] } as const
  for (const where of ['elsewhere', 'own'] as const) {
    for (const kind of wayBack[where]) {
      assert.equal(await payer.pay(where, 10n, true), 'done')
      assert.equal(await payer.pay('own', 1n, true), 'limit_exceeded')
      assert.equal(await payer.bringBack(payer.paid.at(-1)!, kind), 'done', kind)
    }
  }
  assert.equal(await payer.pay('own', 10n, true), 'done')
  await payer.close()
})

test('what comes back on a later day of the bank gives that day nothing, at either side of midnight', async (t) => {
  const made = await bank(t)
  const payer = await openPayer(made)
  await changeTimeZone(made.address, 'America/New_York', made.clock)
  await made.sql(`update sessions set last_used_at = '2027-01-01', ends_at = '2030-01-01'`)
  await payer.setLimit(10n)
  const moveTo = (at: string) => made.clock.advance(Date.parse(at) - made.clock.now())
  moveTo('2026-01-05T04:59:59Z')
  assert.equal(await payer.pay('elsewhere', 4n, false), 'done')
  assert.equal(await payer.pay('elsewhere', 5n, false), 'done')
  const [first, second] = payer.paid
  // Midnight in UTC is none of the bank.
  assert.equal(await payer.bringBack(first!, 'cancellation'), 'done')
  assert.equal(await payer.pay('own', 6n, true), 'limit_exceeded')
  assert.equal(await payer.pay('own', 5n, true), 'done')
  moveTo('2026-01-05T05:00:00Z')
  assert.equal(await payer.pay('own', 10n, true), 'done')
  assert.equal(await payer.bringBack(second!, 'return'), 'done')
  assert.equal(await payer.pay('own', 1n, true), 'limit_exceeded', 'it was of the day before')
  await compare(made, payer)
  await payer.close()
})

test('a payment that came back behind a confirmed one gives nothing back to the new sum', async (t) => {
  const made = await bank(t)
  const payer = await openPayer(made)
  for (const amount of [5n, 5n]) assert.equal(await payer.pay('elsewhere', amount, false), 'done')
  assert.equal(await payer.pay('elsewhere', 3n, false), 'confirmation_required')
  assert.equal(await payer.bringBack(payer.paid[0]!, 'cancellation'), 'done')
  assert.equal(await payer.pay('elsewhere', 3n, false), 'done', 'it gave five back')
  assert.equal(await payer.pay('elsewhere', 100n, true), 'done')
  for (const amount of [5n, 5n]) assert.equal(await payer.pay('elsewhere', amount, false), 'done')
  assert.equal(await payer.bringBack(payer.paid[1]!, 'cancellation'), 'done')
  assert.equal(await payer.pay('elsewhere', 3n, false), 'confirmation_required')
  await payer.close()
})

test('what an older version has counted is not given back: which payments count is not known', async (t) => {
  const made = await bank(t)
  const payer = await openPayer(made)
  for (const amount of [5n, 5n]) assert.equal(await payer.pay('elsewhere', amount, false), 'done')
  // As 0.3.0 writes a confirmed payment, and two that were not confirmed.
  await made.sql('update unconfirmed_payments set amount = 0, count = 0')
  await made.sql('update unconfirmed_payments set amount = 10, count = 2')
  assert.equal(await payer.bringBack(payer.paid[0]!, 'cancellation'), 'done')
  assert.equal(await payer.pay('elsewhere', 3n, false), 'confirmation_required')
  await payer.close()
})

test('a sum that has reached its end stays there: more may count to it than it tells', async (t) => {
  const made = await bank(t)
  const payer = await openPayer(made)
  assert.equal(await payer.pay('elsewhere', 4n, false), 'done')
  await made.sql('update accounts set spent_amount = $2 where id = $1', [payer.from, maxBalance])
  assert.equal(await payer.bringBack(payer.paid[0]!, 'cancellation'), 'done')
  const rows = await made.sql('select spent_amount::text as spent from accounts where id = $1', [
    payer.from,
  ])
  assert.equal(rows[0]?.['spent'], maxBalance.toString())
  await payer.close()
})
