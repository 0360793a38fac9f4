// A member's own limits count for its signature as for its payment, whether it signs first or last.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayMs } from '../../domain/clock.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { type DraftScene, draftScene } from '../../../test/support/drafts.ts'
import { assertSound, readBalance } from '../../../test/support/fixture.ts'
import { people, type WorldOptions } from '../../../test/support/world.ts'
import { sweepDrafts } from './sweep.ts'

for (const limit of ['per_payment', 'per_day'] as const) {
  test(`a member signs no draft above its own limit (${limit}): it prepares it, and neither its first nor its last signature counts`, async (t) => {
    const bank = await draftScene(t)
    const limitBen = (most: number | null) =>
      bank.sql(
        `update account_members set ${limit} = $2 where person_id = $1 and ended_at is null`,
        [people.ben.id, most],
      )
    const signed = async (by: 'ada' | 'ben' | 'both', id: string) => {
      const { body } = await bank.sign(by, id)
      return body.code ?? body.status
    }
    const waits = async (id: string) =>
      (await bank.voices.ben.get('/api/v1/me/signatures')).body.items.some(
        (one: { id: string }) => one.id === id,
      )
    const sweep = async () => {
      const db = openDatabase(bank.address)
      await transaction(db, (tx) => sweepDrafts(tx, bank.clock.now()))
      await db.close()
    }
    await limitBen(100_000)
    const within = await bank.make('ben', '1000.00')
    assert.deepEqual((await bank.read(within)).signedBy, [people.ben.id])
    await sweep()
    assert.equal(await bank.status(within), 'waiting')
    assert.equal(await signed('both', within), 'paid')
    bank.clock.advance(dayMs)
    await bank.loginAgain()

    const prepared = await bank.make('ben', '1000.01')
    assert.deepEqual((await bank.read(prepared)).signedBy, [])
    assert.equal(await signed('both', prepared), 'waiting')
    assert.equal(await signed('ada', prepared), 'paid')

    await bank.member('both', 'prepare')
    const first = await bank.make('both', '1000.01')
    assert.ok(!(await waits(first)))
    assert.equal(await signed('ben', first), 'limit_exceeded')
    assert.equal(await signed('ada', first), 'waiting')
    assert.equal(await signed('ben', first), 'limit_exceeded')
    await limitBen(100_001)
    assert.ok(await waits(first))
    assert.equal((await bank.cancel('ada', first)).status, 204)

    // A limit that is lowered takes the signature back.
    const lowered = await bank.make('ben', '1000.01')
    assert.deepEqual((await bank.read(lowered)).signedBy, [people.ben.id])
    await limitBen(100_000)
    assert.equal(await signed('ada', lowered), 'illegal_transition')
    await sweep()
    assert.equal(await bank.status(lowered), 'void')
    assert.equal(await readBalance(bank.voices.ada, bank.from), '2999.99')
    await assertSound(bank)
  })
}

/** Both prepares, Ben signs up to €1,500 a day, Ada signs last. */
async function daysScene(t: Parameters<typeof draftScene>[0], options?: WorldOptions) {
  const bank = await draftScene(t, options)
  await bank.rule('500.00')
  await bank.member('both', 'prepare')
  const limitDay = (most: number | null) =>
    bank.sql('update account_members set per_day = $2 where person_id = $1 and ended_at is null', [
      people.ben.id,
      most,
    ])
  await limitDay(150_000)
  /** The status of the draft, or the code and how much of the day is used. */
  const sign = async (by: 'ada' | 'ben' | 'both', id: string) => {
    const { body } = await bank.sign(by, id)
    return body.code ? [body.code, body.limit?.used, body.limit?.resetsAt] : body.status
  }
  let count = 0
  const prepare = (amount: string) => bank.make('both', amount, { reference: `${count++}` })
  /** Then all log in anew. */
  const goTo = async (at: number) => {
    bank.clock.advance(at - bank.clock.now())
    await bank.loginAgain()
  }
  const payAsBen = (amount: string) =>
    bank.voices.ben.post('/api/v1/transfers', {
      fromAccountId: bank.from,
      beneficiaryId: bank.payeeId,
      amount,
      currency: 'EUR',
    })
  return { ...bank, limitDay, signAs: sign, prepare, goTo, payAsBen }
}

const sweep = async ({ address, clock }: DraftScene) => {
  const db = openDatabase(address)
  await transaction(db, (tx) => sweepDrafts(tx, clock.now()))
  await db.close()
}

test('what a member signs first counts to its limit of that day, as what it pays, until it ends unpaid or comes back', async (t) => {
  const bank = await daysScene(t)
  const { signAs, prepare, payAsBen, root } = bank
  const ends = new Date(Date.UTC(2026, 0, 3)).toISOString()
  const refusedAt = (used: string) => ['limit_exceeded', used, ends]
  const [one, two, three] = [await prepare('700'), await prepare('700'), await prepare('700')]
  assert.equal(await signAs('ben', one), 'waiting')
  assert.equal(await signAs('ben', two), 'waiting')
  assert.deepEqual(await signAs('ben', three), refusedAt('1400.00'))
  // A payment counts to the same sum, and a last signature is one.
  const above = await payAsBen('100.01')
  assert.deepEqual([above.status, above.body.limit?.used], [409, '1400.00'])
  assert.equal((await payAsBen('100.00')).status, 201)
  assert.equal(await signAs('ada', three), 'waiting')
  assert.deepEqual(await signAs('ben', three), refusedAt('1500.00'))
  // That it is paid by the last signature of another counts nothing more.
  assert.equal(await signAs('ada', one), 'paid')
  assert.deepEqual(await signAs('ben', three), refusedAt('1500.00'))
  // One that ends unpaid counts no more.
  assert.equal((await bank.cancel('ada', two)).status, 204)
  assert.equal(await signAs('ben', three), 'paid')
  const four = await prepare('600.00')
  assert.deepEqual(await signAs('ben', four), refusedAt('1500.00'))
  // One that came back counts no more.
  const { transferId } = await bank.read(one)
  const returned = await root.post(`/api/v1/admin/transfers/${transferId}/return`)
  assert.ok(returned.status < 300, returned.text)
  assert.equal(await signAs('ben', four), 'waiting')
  await assertSound(bank)
})

test('a member that makes a draft above what is left of its day prepares it, and an unlimited one signs', async (t) => {
  const bank = await daysScene(t)
  const first = await bank.make('ben', '1000.00')
  const second = await bank.make('ben', '500.01')
  const third = await bank.make('ben', '500.00')
  const signers = async (id: string) => (await bank.read(id)).signedBy
  assert.deepEqual(await Promise.all([first, second, third].map(signers)), [
    [people.ben.id],
    [],
    [people.ben.id],
  ])
  // With two people on the account that may pay, its maker is the second one.
  const forbidden = ['forbidden', undefined, undefined]
  const inbox = async () => {
    const { body } = await bank.voices.ben.get('/api/v1/me/signatures')
    return body.items.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual([await bank.signAs('ben', second), await inbox()], [forbidden, []])
  assert.equal(await bank.signAs('ada', second), 'waiting')
  assert.deepEqual(await inbox(), [second])
  assert.equal((await bank.signAs('ben', second))[0], 'limit_exceeded')
  await bank.goTo(bank.clock.now() + dayMs)
  assert.equal(await bank.signAs('ben', second), 'paid')
  assert.deepEqual(await inbox(), [])
  await bank.limitDay(null)
  const ofAda = await bank.make('ada', '4000.00')
  assert.deepEqual(await signers(ofAda), [people.ada.id])
  assert.deepEqual(await signers(await bank.make('ben', '4000.00')), [people.ben.id])
  // A sum of drafts that wait may be above what a column takes.
  await bank.sql('alter table payment_drafts disable trigger user')
  await bank.sql('update payment_drafts set amount = 9000000000000000000 where maker_id = $1', [
    people.ben.id,
  ])
  await bank.limitDay(150_000)
  assert.equal((await bank.payAsBen('1.00')).body.code, 'limit_exceeded')
})

test('a signature counts to the day of the bank in which it was made, to the millisecond', async (t) => {
  const bank = await daysScene(t, { settings: { TIME_ZONE: 'America/New_York' } })
  const { signAs, prepare, goTo } = bank
  const midnight = Date.UTC(2026, 0, 3, 5)
  const nextDay = new Date(midnight + dayMs).toISOString()
  const refusedAt = (used: string, ends = nextDay) => ['limit_exceeded', used, ends]
  await goTo(midnight - 60_000)
  const [one, two, three] = [await prepare('1000'), await prepare('1200'), await prepare('600')]
  bank.clock.advance(59_999)
  assert.equal(await signAs('ben', one), 'waiting')
  const ending = new Date(midnight).toISOString()
  assert.deepEqual(await signAs('ben', two), refusedAt('1000.00', ending))
  bank.clock.advance(1)
  assert.equal(await signAs('ben', two), 'waiting')
  bank.clock.advance(1)
  // Paid on the next day, the first one counts to the day of its signature.
  assert.equal(await signAs('ada', one), 'paid')
  assert.deepEqual(await signAs('ben', three), refusedAt('1200.00'))
  const above = await bank.payAsBen('300.01')
  assert.deepEqual([above.status, above.body.limit?.used], [409, '1200.00'])
  assert.equal((await bank.payAsBen('300.00')).status, 201)
  await assertSound(bank)
})

test('a draft that has expired or is void counts no more to the day of its signature', async (t) => {
  const bank = await daysScene(t)
  const { signAs, prepare, goTo, clock } = bank
  const made = clock.now()
  const [old, next] = [await prepare('1500'), await prepare('1500')]
  await bank.sql('update payment_drafts set expires_at = $2 where id = $1', [
    next,
    new Date(made + 40 * dayMs),
  ])
  const end = made + 30 * dayMs
  await goTo(end - 1)
  assert.equal(await signAs('ben', old), 'waiting')
  assert.equal((await signAs('ben', next))[0], 'limit_exceeded')
  clock.advance(1)
  assert.equal(await signAs('ben', next), 'waiting')
  await bank.member('both', 'view')
  await sweep(bank)
  assert.equal(await bank.status(next), 'void')
  assert.equal((await bank.payAsBen('1.00')).status, 201)
  // Nor what is signed on another account.
  await bank.member('both', 'prepare')
  const other = await prepare('1499')
  assert.equal(await signAs('ben', other), 'waiting')
  assert.equal((await bank.payAsBen('2.00')).body.code, 'limit_exceeded')
  await bank.sql('alter table payment_drafts disable trigger user')
  await bank.sql('update payment_drafts set account_id = $2 where id = $1', [other, bank.to])
  assert.equal((await bank.payAsBen('2.00')).status, 201)
})

test('of signatures and a payment in one moment a member makes no more than its limit of a day allows', async (t) => {
  const bank = await daysScene(t)
  const other = await bank.another()
  for (let round = 0; round < 5; round++) {
    const ids = [
      await bank.prepare('700.00'),
      await bank.prepare('700.00'),
      await bank.prepare('700.00'),
    ]
    const outcomes = await Promise.all([
      ...ids.map((id, index) =>
        (index === 1 ? other : bank).send('POST', `/api/v1/drafts/${id}/sign`, {
          token: bank.voices.ben.token,
        }),
      ),
      bank.payAsBen('499.99'),
    ])
    const sums = outcomes.map(({ status }, index) => (status < 300 ? (index < 3 ? 700 : 499) : 0))
    const sum = sums.reduce<number>((total, each) => total + each, 0)
    assert.ok(sum === 1400 || sum === 1199, outcomes.map(({ text }) => text).join('\n'))
    await bank.goTo(bank.clock.now() + dayMs)
  }
  await assertSound(bank)
})
