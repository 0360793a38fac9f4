// Holds behind the locks of their accounts: what they keep, how they end, and who wins a race.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bank, type Bank, callers, code } from '../../../test/support/bank.ts'
import { many } from '../../../test/support/fixture.ts'
import { createRandom, seed } from '../../../test/support/random.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { newId } from '../../domain/ids.ts'
import { openLedger } from './batch.ts'
import { toExternalId } from '../rules/external-ids.ts'
import { emptyPlan } from './facts.ts'
import type { HoldKind } from '../rules/holds.ts'
import { sweepHolds } from '../rows/holds.ts'
import { resolveInDoubt } from './in-doubt.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import type { MovementOf, ReserveMovement } from '../rules/movement.ts'
import { verifyLedger } from '../proof/verify.ts'

const clearing = bankAccount('clearing', 'EUR')
const hourMs = 3_600_000

const onHold = (
  accountId: string,
  hold: ReserveMovement['hold'],
  amount = 0n,
): ReserveMovement => ({
  kind: 'hold',
  fromAccountId: accountId,
  toAccountId: accountId,
  amount,
  currency: 'EUR',
  reference: 'Hotel',
  hold,
  caller: callers.root,
})

type Placing = { kind?: HoldKind; expiresAt?: Date | null; more?: Partial<ReserveMovement> }

async function place(
  { ledger }: Bank,
  accountId: string,
  amount: bigint,
  { kind = 'authorization', expiresAt, more }: Placing = {},
): Promise<string> {
  const terms = { step: 'place', kind, cardId: null, expiresAt } as const
  const { hold } = await ledger.submit({
    ...onHold(accountId, terms, amount),
    ...more,
  })
  return hold.id
}

const capture = (
  accountId: string,
  id: string,
  amount: bigint,
  isFinal = false,
): MovementOf<'capture'> => ({
  kind: 'capture',
  fromAccountId: accountId,
  toAccountId: clearing,
  amount,
  currency: 'EUR',
  reference: 'Hotel',
  hold: { step: 'capture', id, isFinal },
  caller: callers.root,
})

const stateOf = async ({ sql }: Bank, accountId: string) => {
  const [row] = await sql('select balance::int, held::int from accounts where id = $1', [accountId])
  return [row?.['balance'], row?.['held']]
}

const holdRow = async ({ sql }: Bank, id: string) => {
  const [row] = await sql(
    'select amount::int, captured::int, remaining::int, status from holds where id = $1',
    [id],
  )
  return row
}

const assertSound = async ({ db }: Bank) =>
  assert.equal((await verifyLedger(db)).mismatch, undefined)

test('what is held leaves the account by its capture alone, and every transfer by the rest', async (t) => {
  const made = await bank(t)
  const { ledger, movement } = made
  const [from, to] = [await made.account(100n), await made.account()]
  const id = await place(made, from, 60n)
  assert.deepEqual(await stateOf(made, from), [100, 60])
  const pay = (amount: bigint) => code(ledger.submit(movement(from, to, { amount })))
  assert.equal(await pay(41n), 'insufficient_funds')
  assert.equal(await code(place(made, from, 41n)), 'insufficient_funds')
  assert.equal(await pay(40n), 'done')
  assert.equal(await pay(1n), 'insufficient_funds')
  await ledger.submit(capture(from, id, 60n))
  assert.deepEqual(await stateOf(made, from), [0, 0])
  const ended = { amount: 60, captured: 60, remaining: 0, status: 'captured' }
  assert.deepEqual(await holdRow(made, id), ended)
  assert.equal(await code(ledger.submit(capture(from, id, 1n))), 'illegal_transition')
  await assertSound(made)
})

test('a hold is captured in parts, until one is final and gives back the rest', async (t) => {
  const made = await bank(t)
  const { ledger } = made
  const from = await made.account(100n)
  const id = await place(made, from, 80n)
  await ledger.submit(capture(from, id, 30n))
  assert.deepEqual(await stateOf(made, from), [70, 50])
  assert.equal(await code(ledger.submit(capture(from, id, 51n))), 'limit_exceeded')
  const lowered = onHold(from, { step: 'change', id, amount: 60n })
  assert.equal((await ledger.submit(lowered)).hold.remaining, 30n)
  assert.deepEqual(await stateOf(made, from), [70, 30])
  const raised = onHold(from, { step: 'change', id, amount: 100n })
  assert.equal((await ledger.submit(raised)).hold.amount, 100n)
  assert.deepEqual(await stateOf(made, from), [70, 70])
  await ledger.submit(capture(from, id, 20n, true))
  assert.deepEqual(await stateOf(made, from), [50, 0])
  const ended = { amount: 100, captured: 50, remaining: 0, status: 'captured' }
  assert.deepEqual(await holdRow(made, id), ended)
  await assertSound(made)
})

test('a hold is over in the millisecond of its end, swept or not', async (t) => {
  const made = await bank(t)
  const { ledger, movement, clock, sql } = made
  const [from, to] = [await made.account(100n), await made.account()]
  const expiresAt = new Date(clock.now() + hourMs)
  const id = await place(made, from, 60n, { expiresAt })
  const later = await place(made, from, 30n, { expiresAt: new Date(clock.now() + 2 * hourMs) })
  clock.advance(hourMs - 1)
  assert.equal(await code(ledger.submit(movement(from, to, { amount: 11n }))), 'insufficient_funds')
  clock.advance(1)
  assert.equal(await code(ledger.submit(capture(from, id, 1n))), 'illegal_transition')
  assert.deepEqual(await stateOf(made, from), [100, 30])
  assert.equal(await code(ledger.submit(movement(from, to, { amount: 71n }))), 'insufficient_funds')
  assert.equal(await code(ledger.submit(movement(from, to, { amount: 70n }))), 'done')
  assert.equal((await holdRow(made, id))?.['status'], 'expired')
  assert.equal((await holdRow(made, later))?.['status'], 'active')
  const told = await sql(`select ids from events where type = 'hold.expired'`)
  assert.deepEqual(told, [{ ids: [id] }])
  await assertSound(made)
})

test('a transfer that is the first to come after the end of a hold has its money', async (t) => {
  const made = await bank(t)
  const { ledger, movement, clock } = made
  const [from, to] = [await made.account(100n), await made.account()]
  await place(made, from, 100n, { expiresAt: new Date(clock.now() + hourMs) })
  clock.advance(hourMs)
  assert.deepEqual(await stateOf(made, from), [100, 100])
  assert.equal(await code(ledger.submit(movement(from, to, { amount: 100n }))), 'done')
  assert.deepEqual(await stateOf(made, from), [0, 0])
  await assertSound(made)
})

test('the sweep expires what no movement has met, and waits for no account that is locked', async (t) => {
  const made = await bank(t)
  const { db, clock, sql } = made
  const accounts = [await made.account(100n), await made.account(100n)]
  for (const id of accounts) {
    await place(made, id, 10n, { expiresAt: new Date(clock.now() + hourMs) })
    await place(made, id, 5n, { expiresAt: new Date(clock.now() + 3 * hourMs) })
    await place(made, id, 1n, { kind: 'seizure' })
  }
  const sweep = () => transaction(db, (tx) => sweepHolds(tx, clock.now()))
  clock.advance(hourMs - 1)
  assert.equal(await sweep(), false)
  clock.advance(1)
  await sql('begin')
  await sql('select from accounts where id = $1 for update', [accounts[0]])
  assert.equal(await sweep(), true)
  await sql('commit')
  assert.deepEqual(await stateOf(made, accounts[0] as string), [100, 16])
  assert.deepEqual(await stateOf(made, accounts[1] as string), [100, 6])
  assert.equal(await sweep(), true)
  assert.equal(await sweep(), false)
  assert.deepEqual(await stateOf(made, accounts[0] as string), [100, 6])
  await assertSound(made)
})

test('one external identifier places one hold and makes one capture, for ever', async (t) => {
  const made = await bank(t)
  const { ledger, clock } = made
  const from = await made.account(100n)
  const numbered = (name: string, terms: string) => ({
    externalId: toExternalId(name, 'test', terms),
  })
  const ids = await many(20, () => place(made, from, 60n, { more: numbered('A1', 'sixty') }))
  assert.equal(new Set(ids).size, 1)
  const [id] = ids as [string]
  assert.deepEqual(await stateOf(made, from), [100, 60])
  assert.equal(
    await code(place(made, from, 61n, { more: numbered('A1', 'sixty-one') })),
    'idempotency_key_reused',
  )
  const posted = await many(20, () =>
    ledger.submit({ ...capture(from, id, 20n), ...numbered('C1', 'twenty') }),
  )
  assert.equal(new Set(posted.map(({ transfer }) => transfer.id)).size, 1)
  assert.equal(posted.filter(({ isReplayed }) => isReplayed).length, 19)
  assert.deepEqual(await stateOf(made, from), [80, 40])
  await ledger.submit(onHold(from, { step: 'release', id }))
  clock.advance(60 * 24 * hourMs)
  // As it was answered first, whatever has become of the hold.
  const terms = {
    step: 'place',
    kind: 'authorization',
    cardId: null,
    expiresAt: undefined,
  } as const
  const again = await ledger.submit({
    ...onHold(from, terms, 60n),
    ...numbered('A1', 'sixty'),
  })
  const { status, amount, remaining, captured } = again.hold
  assert.deepEqual(
    [again.isReplayed, status, amount, remaining, captured],
    [true, 'active', 60n, 60n, 0n],
  )
  await assertSound(made)
})

test('with a key each step of a hold is made once, and answered as the first time', async (t) => {
  const made = await bank(t)
  const { ledger } = made
  const from = await made.account(100n)
  const keyed = (key: string) => ({ more: { key } })
  const id = await place(made, from, 60n, keyed('p'))
  assert.equal(await place(made, from, 60n, keyed('p')), id)
  assert.equal(await code(place(made, from, 50n, keyed('p'))), 'idempotency_key_reused')
  const raise = { ...onHold(from, { step: 'change', id, amount: 70n }), key: 'c' }
  await ledger.submit(raise)
  const raised = await ledger.submit(raise)
  assert.deepEqual([raised.isReplayed, raised.hold.amount], [true, 70n])
  const release = { ...onHold(from, { step: 'release', id }), key: 'r' }
  await ledger.submit(release)
  assert.equal((await ledger.submit(release)).isReplayed, true)
  assert.equal(await code(ledger.submit({ ...release, key: 'r2' })), 'illegal_transition')
  assert.deepEqual(await stateOf(made, from), [100, 0])
  // A refusal is kept, too: the key does not place a hold by surprise once there is money.
  assert.equal(await code(place(made, from, 101n, keyed('q'))), 'insufficient_funds')
  await made.deposit(from, 300n)
  assert.equal(await code(place(made, from, 101n, keyed('q'))), 'insufficient_funds')
})

test('of fifty holds for the last cent one is placed, on two instances too', async (t) => {
  const made = await bank(t)
  const db = openDatabase(made.address)
  const second = openLedger(db, made.clock)
  t.after(async () => {
    await second.close()
    await db.close()
  })
  const from = await made.account(1n)
  const answers = await many(50, (index) =>
    code(place(index % 2 ? made : { ...made, ledger: second }, from, 1n)),
  )
  assert.equal(answers.filter((answer) => answer === 'done').length, 1)
  assert.equal(answers.filter((answer) => answer === 'insufficient_funds').length, 49)
  assert.deepEqual(await stateOf(made, from), [1, 1])
  await assertSound(made)
})

test('capture, release, change, transfer, expiry and freeze of one hold at once: each has one outcome, and no cent is lost', async (t) => {
  const made = await bank(t)
  const { clock, movement, sql } = made
  const db = openDatabase(made.address)
  const second = openLedger(db, clock)
  t.after(async () => {
    await second.close()
    await db.close()
  })
  const random = createRandom(seed)
  for (let round = 0; round < 12; round++) {
    const [from, to] = [await made.account(100n), await made.account()]
    const isExpiring = round % 3 === 0
    const expiresAt = new Date(clock.now() + hourMs)
    const id = await place(made, from, 70n, { expiresAt })
    if (isExpiring) clock.advance(hourMs - 1)
    const seen = { captured: 0n, paid: 0n, released: 0 }
    const steps = [
      ...Array.from({ length: 8 }, (_, index) => async (of: Bank['ledger']) => {
        const amount = BigInt(10 + index)
        const answer = await code(of.submit(capture(from, id, amount, index % 4 === 3)))
        if (answer === 'done') seen.captured += amount
        return answer
      }),
      ...Array.from({ length: 4 }, () => async (of: Bank['ledger']) => {
        const answer = await code(of.submit(onHold(from, { step: 'release', id })))
        if (answer === 'done') seen.released++
        return answer
      }),
      ...Array.from(
        { length: 4 },
        (_, index) => (of: Bank['ledger']) =>
          code(of.submit(onHold(from, { step: 'change', id, amount: BigInt(50 + index * 10) }))),
      ),
      ...Array.from({ length: 10 }, (_, index) => async (of: Bank['ledger']) => {
        const amount = BigInt(15 + index)
        const answer = await code(of.submit(movement(from, to, { amount })))
        if (answer === 'done') seen.paid += amount
        return answer
      }),
      async () => {
        if (isExpiring) clock.advance(1)
        await transaction(db, (tx) => sweepHolds(tx, clock.now()))
        return 'done'
      },
      async () => {
        if (round % 4 === 1)
          await sql(`update accounts set status = 'frozen' where id = $1`, [from])
        return 'done'
      },
    ]
    const shuffled = random.shuffle(steps)
    const answers = await Promise.all(
      shuffled.map((step, index) => step(index % 2 ? made.ledger : second)),
    )
    const known = [
      'done',
      'insufficient_funds',
      'illegal_transition',
      'limit_exceeded',
      'account_frozen',
      'duplicate_transfer',
      // On a busy machine.
      'unavailable',
    ]
    for (const answer of answers) assert.ok(known.includes(answer), answer)
    const row = await holdRow(made, id)
    const [balance, held] = await stateOf(made, from)
    assert.equal(BigInt(row?.['captured'] as number), seen.captured)
    assert.equal(BigInt(balance as number), 100n - seen.captured - seen.paid)
    assert.equal(held, row?.['remaining'])
    assert.ok(seen.released <= 1)
    assert.equal(seen.released === 1, row?.['status'] === 'released')
    await sql(`update accounts set status = 'active' where id = $1`, [from])
  }
  await assertSound(made)
})

test('a hold whose COMMIT was lost is found in doubt, and one that was not written is not', async (t) => {
  const made = await bank(t)
  const from = await made.account(100n)
  const id = await place(made, from, 60n)
  const planned = (id: string) => ({
    ...emptyPlan([from]),
    holdEvents: [{ id, word: 'created', at: new Date(0) } as const],
  })
  assert.equal(await resolveInDoubt(made.db, planned(id)), 'committed')
  assert.equal(await resolveInDoubt(made.db, planned(newId(1))), 'absent')
})

test('the schema refuses to spend what is held, whoever tries it', async (t) => {
  const made = await bank(t)
  const { sql } = made
  const from = await made.account(100n)
  await place(made, from, 60n)
  // What an instance of 0.2.0 writes for a payment of 41, and for a close.
  const spend = (amount: number) =>
    sql('update accounts set balance = balance - $2 where id = $1', [from, amount])
  await assert.rejects(spend(41), /accounts_floor/)
  await assert.rejects(sql('update accounts set held = -1 where id = $1', [from]), /accounts_held/)
  await sql('update accounts set overdraft_limit = 100 where id = $1', [from])
  await sql('update accounts set balance = 0 where id = $1', [from])
  await assert.rejects(
    sql(`update accounts set status = 'closed' where id = $1`, [from]),
    /accounts_closed_empty/,
  )
})

test('a hold that has ended never changes again, and none is removed', async (t) => {
  const made = await bank(t)
  const { sql, ledger } = made
  const from = await made.account(100n)
  const id = await place(made, from, 60n)
  await ledger.submit(onHold(from, { step: 'release', id }))
  const change = (what: string) => sql(`update holds set ${what} where id = $1`, [id])
  await assert.rejects(
    change(`status = 'active', remaining = 60, ended_at = null`),
    /does not come back/,
  )
  await assert.rejects(change('expires_at = now()'), /does not come back/)
  await assert.rejects(change(`kind = 'dispute'`), /not possible/)
  await assert.rejects(sql('delete from holds where id = $1', [id]), /not possible/)
  await change(`reference = ''`)
})

test('the number of active holds stands in the account after each step, expiry and sweep', async (t) => {
  const made = await bank(t)
  const { ledger, sql, db, clock } = made
  const from = await made.account(100n)
  const active = async () => {
    await assertSound(made)
    const [row] = await sql('select active_holds from accounts where id = $1', [from])
    return row?.['active_holds']
  }
  const soon = new Date(clock.now() + hourMs)
  const ids = await many(4, () => place(made, from, 10n))
  for (const at of [soon, soon]) await place(made, from, 5n, { expiresAt: at })
  assert.equal(await active(), 6)
  const [first = '', second = '', third = ''] = ids
  await ledger.submit(onHold(from, { step: 'change', id: first, amount: 12n }))
  await ledger.submit(capture(from, first, 2n))
  assert.equal(await active(), 6)
  await ledger.submit(capture(from, first, 1n, true))
  await ledger.submit(capture(from, second, 10n))
  await ledger.submit(onHold(from, { step: 'release', id: third }))
  assert.equal(await active(), 3)
  clock.advance(hourMs)
  await place(made, from, 1n, { expiresAt: new Date(clock.now() + hourMs) })
  assert.equal(await active(), 2)
  clock.advance(hourMs)
  await transaction(db, (tx) => sweepHolds(tx, clock.now()))
  assert.equal(await active(), 1)
  assert.match(
    await made.mismatchAfter(() =>
      sql('update accounts set active_holds = 2 where id = $1', [from]),
    ),
    /it says that 2 holds are active, and 1 are/,
  )
})

test('the verification counts what is held and what was captured anew', async (t) => {
  const made = await bank(t)
  const { sql, ledger } = made
  const from = await made.account(100n)
  const id = await place(made, from, 60n)
  await ledger.submit(capture(from, id, 20n))
  await assertSound(made)
  const after = (text: string, ...values: unknown[]) =>
    made.mismatchAfter(() => sql(text, values.length > 0 ? values : [from]))
  assert.match(await after('update accounts set held = 39 where id = $1'), /39 of it are held/)
  assert.match(
    await after('update accounts set held_until = null where id = $1'),
    /expires before the account says/,
  )
  assert.match(
    await after(
      `with up as (update accounts set held = 45 where id = $1)
       update holds set captured = 15, remaining = 45 where account_id = $1`,
    ),
    /15 were captured, its transfers say 20/,
  )
  const uncaptured = made.mismatchAfter(async () => {
    await sql('alter table hold_captures disable trigger user')
    await sql('delete from hold_captures')
  })
  assert.match(await uncaptured, /it captures no hold/)
})
