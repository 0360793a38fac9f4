// What counts to the day's limit of a card: the sum in its row is at any time what its
// authorisations and holds say. A failure prints its seed and the shortest steps that fail;
// FUZZ_SEED=<seed> takes the same again.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fc, seed } from '../../../test/support/random.ts'
import { bank, type Bank, callers, code } from '../../../test/support/bank.ts'
import { changeTimeZone } from '../../cli/days/time-zone.ts'
import { readDays } from '../../database/background/bank-days.ts'
import { dayMs } from '../../domain/clock.ts'
import { newId } from '../../domain/ids.ts'
import { toExternalId } from '../rules/external-ids.ts'
import { readCardDays } from '../rows/card-days.ts'
import { sweepHolds } from '../rows/holds.ts'
import { spentOn } from '../rules/holds.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import type { AuthorizeMovement, ReserveMovement } from '../rules/movement.ts'
import { verifyLedger } from '../proof/verify.ts'

const clearing = bankAccount('clearing', 'EUR')
const minuteMs = 60_000
const merchant = { merchantName: 'Shop', merchantCategory: '5411', merchantCountry: 'DE' }
let numbers = 0

/** A card with much money behind it, and what is done with it. */
async function openCard(made: Bank) {
  const [account, cardId] = [await made.account(1_000_000n), newId(made.clock.now())]
  await made.sql(
    `insert into cards (id, account_id, last_four, number_hmac, expiry_month, expiry_year,
       created_at) values ($1, $2, '1234', sha256($3::bytea), 12, 2099, '2026-01-01')`,
    [cardId, account, cardId],
  )
  const holds: string[] = []
  const request = { cardId, channel: 'chip', isAbroad: false, mails: [], ...merchant } as const
  const common = { amount: 0n, currency: 'EUR', reference: 'Shop', caller: callers.root } as const
  const sides = { fromAccountId: account, toAccountId: account }
  const onHold = (hold: ReserveMovement['hold']): ReserveMovement => ({
    ...common,
    ...sides,
    kind: 'hold',
    hold,
  })
  const numbered = () => ({ externalId: toExternalId(`n${++numbers}`, 'authorize', numbers) })
  const outcome = async (movement: AuthorizeMovement): Promise<string> => {
    const { reason, paymentId } = (await made.ledger.submit(movement)).authorization
    if (reason === null && paymentId !== null && movement.kind === 'authorization')
      holds.push(paymentId)
    return reason ?? 'approved'
  }
  return {
    account,
    cardId,
    holds,
    ask: (amount: bigint, lastsMs: number) => {
      const expiresAt = new Date(made.clock.now() + lastsMs)
      const asked = { ...common, ...sides, ...numbered(), amount, request, expiresAt }
      return outcome({ ...asked, kind: 'authorization' })
    },
    raise: (id: string, amount: bigint) =>
      outcome({
        ...common,
        ...sides,
        ...numbered(),
        kind: 'increment',
        amount,
        request,
        paymentId: id,
      }),
    lower: (id: string, amount: bigint) =>
      code(made.ledger.submit(onHold({ step: 'change', id, amount }))),
    release: (id: string) => code(made.ledger.submit(onHold({ step: 'release', id }))),
    capture: (id: string, amount: bigint, isFinal: boolean) =>
      code(
        made.ledger.submit({
          ...common,
          ...numbered(),
          kind: 'card',
          fromAccountId: account,
          toAccountId: clearing,
          amount,
          hold: { step: 'capture', id, isFinal },
        }),
      ),
    refund: (id: string, amount: bigint) =>
      code(
        made.ledger.submit({
          ...common,
          ...numbered(),
          kind: 'refund',
          fromAccountId: clearing,
          toAccountId: account,
          amount,
          paymentId: id,
        }),
      ),
  }
}
type Card = Awaited<ReturnType<typeof openCard>>

/**
 * What of each payment was authorised on the day of that time, as far as it is still held or was
 * taken: computed from all that is stored.
 */
async function spentToday({ sql, db }: Bank, { cardId }: Card, at: number): Promise<bigint> {
  const days = await readDays(db)
  const rows = await sql(
    `select a.payment_id as id, a.amount::text, a.created_at as "createdAt",
       (h.captured + case when h.expires_at <= $2 then 0 else h.remaining end)::text as kept
     from card_authorizations a join holds h on h.id = a.payment_id
     where a.card_id = $1 and a.reason is null`,
    [cardId, new Date(at)],
  )
  const isToday = (row: (typeof rows)[number]) =>
    days.dayOf((row['createdAt'] as Date).getTime()) === days.dayOf(at)
  const payments = Map.groupBy(rows.filter(isToday), (row) => row['id'])
  return [...payments.values()].reduce((all, approvals) => {
    const sum = approvals.reduce((so, row) => so + BigInt(row['amount'] as string), 0n)
    const kept = BigInt(approvals[0]?.['kept'] as string)
    return all + (sum < kept ? sum : kept)
  }, 0n)
}

/** The same as it is shown, also before what is due is swept. */
async function readSpent({ db }: Bank, { cardId }: Card, at: number): Promise<bigint> {
  const [days, [day]] = [await readDays(db), await readCardDays(db, [cardId], at)]
  return spentOn(day ?? assert.fail('no card'), days.dayOf(at))
}

const setLimit = ({ sql }: Bank, { cardId }: Card, limit: bigint | null) =>
  sql('update cards set per_day_limit = $2 where id = $1', [cardId, limit])

const assertSound = async ({ db }: Bank) =>
  assert.equal((await verifyLedger(db)).mismatch, undefined)

type Step =
  | { do: 'ask'; amount: number; lastsMs: number }
  | { do: 'raise' | 'lower' | 'refund'; which: number; amount: number }
  | { do: 'release'; which: number }
  | { do: 'capture'; which: number; amount: number; isFinal: boolean }
  | { do: 'limit'; amount: number | null }
  | { do: 'wait'; ms: number }
  | { do: 'sweep' }

const which = fc.nat(2)
const amount = fc.integer({ min: 1, max: 6 })
const what = <Do extends Step['do']>(...names: Do[]) => fc.constantFrom(...names)
const lastsMs = fc.constantFrom(minuteMs, 7 * dayMs)
const ask = fc.record({ do: what('ask'), amount, lastsMs })
/** One that stands more than once is drawn as often. */
const steps = fc.oneof<fc.Arbitrary<Step>[]>(
  ask,
  ask,
  ask,
  fc.record({ do: what('raise', 'raise', 'lower', 'refund'), which, amount }),
  fc.record({ do: what('release'), which }),
  fc.record({ do: what('capture'), which, amount, isFinal: fc.boolean() }),
  fc.record({ do: what('limit'), amount: fc.constantFrom(null, 5, 12) }),
  fc.record({ do: what('wait'), ms: fc.constantFrom(1, minuteMs, dayMs / 4, dayMs) }),
  fc.record({ do: what('sweep') }),
)

/** Takes a step; what is asked of the card is declined by the day's limit as its payments say. */
async function take(made: Bank, card: Card, step: Step, limit: bigint | null): Promise<void> {
  const id = 'which' in step ? card.holds.at(-1 - step.which) : undefined
  if ('which' in step && id === undefined) return
  const named = id ?? ''
  const now = made.clock.now()
  if (step.do === 'ask' || step.do === 'raise') {
    const sum = await spentToday(made, card, now)
    const isAbove = limit !== null && sum + BigInt(step.amount) > limit
    const asked = BigInt(step.amount)
    const given = await (step.do === 'ask'
      ? card.ask(asked, step.lastsMs)
      : card.raise(named, asked).catch(() => 'over'))
    if (given !== 'over')
      assert.equal(given, isAbove ? 'per_day_limit' : 'approved', `spent ${sum}`)
  }
  if (step.do === 'lower') await card.lower(named, BigInt(step.amount))
  if (step.do === 'refund') await card.refund(named, BigInt(step.amount))
  if (step.do === 'release') await card.release(named)
  if (step.do === 'capture') await card.capture(named, BigInt(step.amount), step.isFinal)
  if (step.do === 'wait') made.clock.advance(step.ms)
  if (step.do === 'sweep') while (await made.db.runTransaction((tx) => sweepHolds(tx, now)));
}

test('after any steps, a card counts to its day what its payments hold or have taken of that day', async (t) => {
  t.diagnostic(`seed ${seed}`)
  const made = await bank(t)
  await made.sql(`update sessions set last_used_at = '2100-01-01', ends_at = '2100-02-01'`)
  await made.sql(`insert into bank_time_zones values ('0001-01-01', 'Europe/Berlin')`)
  const property = fc.asyncProperty(
    fc.array(steps, { maxLength: 30, size: 'max' }),
    async (all) => {
      const card = await openCard(made)
      let limit: bigint | null = null
      for (const step of all) {
        if (step.do === 'limit') {
          limit = step.amount === null ? null : BigInt(step.amount)
          await setLimit(made, card, limit)
        }
        await take(made, card, step, limit)
        const at = made.clock.now()
        assert.equal(await readSpent(made, card, at), await spentToday(made, card, at))
        await assertSound(made)
      }
    },
  )
  await fc.assert(property, { numRuns: Number(process.env['HOLD_RUNS'] ?? 15) })
  await assertFilledIn(made)
})

/** The migration gives payments and cards of before the same as the ledger has given these. */
async function assertFilledIn({ sql }: Bank): Promise<void> {
  const read = () =>
    sql(`select id, counted_on::text as day, counted::text as amount from holds
      union all select id, spent_on::text, spent_amount::text from cards order by id`)
  const before = await read()
  assert.ok(before.some((row) => row['amount'] !== '0'))
  await sql('update holds set counted = 0, counted_on = null')
  await sql('update cards set spent_amount = 0, spent_on = null')
  const file = await readFile(
    new URL('../../../migrations/0044_card_days.sql', import.meta.url),
    'utf8',
  )
  await sql(file.slice(file.indexOf('-- Payments of before')))
  assert.deepEqual(await read(), before)
}

test('no day of a card comes again: after a clock goes back over midnight, the new day goes on', async (t) => {
  const made = await bank(t)
  const card = await openCard(made)
  await setLimit(made, card, 10n)
  const midnight = Date.parse('2026-01-03T00:00:00Z')
  made.clock.advance(midnight - made.clock.now())
  assert.equal(await card.ask(6n, dayMs), 'approved')
  made.clock.jump(-1000)
  assert.equal(await card.ask(5n, dayMs), 'per_day_limit')
  assert.equal(await card.ask(4n, dayMs), 'approved')
  const rows = await made.sql('select min(created_at) as at from card_authorizations')
  assert.deepEqual(rows, [{ at: new Date(midnight) }])
  await assertSound(made)
})

test('a change of the time zone counts no hour twice to the day’s limit of a card, and none not at all', async (t) => {
  const made = await bank(t)
  const { clock } = made
  await made.sql(`update sessions set last_used_at = '2027-01-01', ends_at = '2030-01-01'`)
  const card = await openCard(made)
  await setLimit(made, card, 10n)
  const moveTo = (at: string) => clock.advance(Date.parse(at) - clock.now())
  const long = 30 * dayMs
  assert.equal(await card.ask(6n, long), 'approved')
  await changeTimeZone(made.address, 'America/New_York', clock)
  // The third of January has begun at midnight in UTC, and ends at midnight in New York.
  moveTo('2026-01-03T00:00:00Z')
  assert.equal(await card.ask(7n, long), 'approved')
  assert.equal(await card.release(card.holds[0] ?? ''), 'done')
  moveTo('2026-01-04T04:59:59Z')
  assert.equal(await card.ask(4n, long), 'per_day_limit')
  assert.equal(await card.ask(3n, long), 'approved')
  moveTo('2026-01-04T05:00:00Z')
  assert.equal(await card.ask(10n, long), 'approved')
  await assertSound(made)
})

test('an authorisation fixes the days of the bank as an entry does', async (t) => {
  const made = await bank(t)
  const card = await openCard(made)
  await made.sql('set session_replication_role = replica; delete from entries')
  assert.equal(await card.ask(6n, dayMs), 'approved')
  const begins = await changeTimeZone(made.address, 'Europe/Berlin', made.clock)
  assert.equal(begins, Date.parse('2026-01-02T23:00:00Z'))
})

test('the verification names a card, a hold and an authorisation whose day is not as it has to be', async (t) => {
  const made = await bank(t)
  const card = await openCard(made)
  assert.equal(await card.ask(6n, dayMs), 'approved')
  assert.equal(await card.raise(card.holds[0] ?? '', 2n), 'approved')
  await assertSound(made)
  const stranger = await openCard(made)
  const after = (change: string) => made.mismatchAfter(() => made.sql(change))
  const free = 'set session_replication_role = replica;'
  assert.match(
    await after('update cards set spent_amount = 7 where spent_amount = 8'),
    /^Card .*: 7 count to the limit of its day, its payments say 8$/,
  )
  assert.match(await after('update cards set spent_on = null'), /: its card does not count it$/)
  assert.match(await after('update holds set counted = 7'), /: it counts 7 on .*, not 8 on /)
  assert.match(
    await after(`update holds set counted_on = '2026-01-01'`),
    /: it counts 8 on 2026-01-01, not 8 on 2026-01-02$/,
  )
  assert.match(
    await after(`${free} update holds set card_id = '${stranger.cardId}'`),
    /^Hold .*: it is another card payment than was approved$/,
  )
  assert.match(
    await after(`${free} delete from cards where id = '${card.cardId}'`),
    /^Hold .*: it is of another account or kind$/,
  )
  assert.match(
    await after(
      `${free} update card_authorizations set card_id = '${stranger.cardId}' where id <> payment_id`,
    ),
    /^Authorization .*: it is of another card, account or payment$/,
  )
})
