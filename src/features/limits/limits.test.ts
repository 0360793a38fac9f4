// The limits that owners set: a lower one holds at once, a higher one 12 hours after it was
// confirmed, for every way of paying, and a raise can be undone until then.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveFactor, sendConfirmed } from '../../../test/support/confirmations.ts'
import { assertSound, many, scene, tally, transferBody } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { people, world } from '../../../test/support/world.ts'
import { orderScene } from '../../../test/support/orders.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { changeLimits, limitsAt, raiseWaitMs } from '../../ledger/rules/own-limits.ts'

type Scene = Awaited<ReturnType<typeof scene>>

const pathOf = (accountId: string) => `/api/v1/accounts/${accountId}/limits`
const none = { perPayment: null, perDay: null }

function limitsOf({ ada, from, to }: Pick<Scene, 'ada' | 'from' | 'to'>) {
  const path = pathOf(from)
  return {
    path,
    put: (limits: object, headers: Record<string, string> = {}) =>
      ada.put(path, { currency: 'EUR', ...none, ...limits }, { headers }),
    get: async () => (await ada.get(path)).body,
    pay: (amount: string) => ada.post('/api/v1/transfers', transferBody(from, to, amount)),
  }
}

test('a lower limit holds at once, for one payment and for the day, to the cent; of two limits of a day the lower one holds', async (t) => {
  const bank = await scene(t)
  const { put, get, pay } = limitsOf(bank)
  assert.deepEqual(await get(), { currency: 'EUR', ...none, spentToday: '0.00' })
  assert.equal((await put({ perPayment: '10', perDay: '25.00' })).status, 200)
  const above = await pay('10.01')
  assert.equal(above.status, 409, above.text)
  const limit = { name: 'perPayment', amount: '10.00', used: '0.00', currency: 'EUR' }
  assert.deepEqual(above.body.limit, limit)
  assert.equal((await pay('10.00')).status, 201)
  assert.equal((await pay('9.00')).status, 201)
  const { limit: ofDay } = (await pay('6.01')).body
  assert.deepEqual(
    [ofDay.name, ofDay.amount, ofDay.used, ofDay.resetsAt],
    ['dailyTransfers', '25.00', '19.00', '2026-01-03T00:00:00.000Z'],
  )
  assert.equal((await pay('6.00')).status, 201)
  assert.deepEqual(await get(), {
    currency: 'EUR',
    perPayment: '10.00',
    perDay: '25.00',
    spentToday: '25.00',
  })
  const settings = `/api/v1/accounts/${bank.from}/settings`
  const body = { dailyTransferLimit: '24.00', currency: 'EUR' }
  assert.equal((await bank.root.patch(settings, body)).status, 200)
  assert.equal((await pay('1.00')).body.limit.amount, '24.00')
  await bank.root.patch(settings, { ...body, dailyTransferLimit: '26.00' })
  assert.equal((await pay('1.00')).body.limit.amount, '25.00')
  bank.clock.advance(24 * 3_600_000)
  const ada = await bank.login('ada')
  assert.equal((await limitsOf({ ...bank, ada }).get()).spentToday, '0.00')
  await assertSound(bank)
})

test('a raise holds 12 hours later, not a millisecond before; it is told once, and repeated it waits no longer', async (t) => {
  const bank = await scene(t)
  const first = limitsOf(bank)
  await first.put({ perPayment: '10.00', perDay: '50.00' })
  const before = (await readMails(bank)).length
  const raised = await first.put({ perPayment: '20.00', perDay: '40.00' })
  const next = { perPayment: '20.00', perDay: '40.00', from: '2026-01-02T21:00:00.000Z' }
  const waiting = { perPayment: '10.00', perDay: '40.00', spentToday: '0.00', next }
  assert.deepEqual(raised.body, { currency: 'EUR', ...waiting }, 'what is lower holds at once')
  bank.clock.advance(1000)
  assert.deepEqual((await first.put({ perPayment: '20.00', perDay: '40.00' })).body.next, next)
  const mails = (await readMails(bank)).slice(before)
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['A higher limit was asked for'],
  )
  bank.clock.advance(raiseWaitMs - 1001)
  const { get, pay } = limitsOf({ ...bank, ada: await bank.login('ada') })
  assert.equal((await pay('20.00')).body.code, 'limit_exceeded')
  bank.clock.advance(1)
  assert.equal((await pay('20.00')).status, 201)
  assert.deepEqual(await get(), {
    currency: 'EUR',
    perPayment: '20.00',
    perDay: '40.00',
    spentToday: '20.00',
  })
})

test('a raise is undone by one press, by a lower limit and by the end of all sessions, until it holds', async (t) => {
  const bank = await scene(t)
  const { put, path } = limitsOf(bank)
  const low = { perPayment: '10.00', perDay: '20.00' }
  await put(low)
  const undo = () => bank.ada.delete(`${path}/next`)
  assert.equal((await undo()).body.code, 'illegal_transition')
  for (const wanted of [{ ...low, perPayment: '11.00' }, { ...low, perDay: null }, none]) {
    assert.ok((await put(wanted)).body.next, JSON.stringify(wanted))
    const undone = await undo()
    assert.deepEqual(undone.body, { currency: 'EUR', ...low, spentToday: '0.00' })
    await put(wanted)
    assert.deepEqual((await put(low)).body, undone.body)
  }
  await put(none)
  assert.equal(
    (await bank.root.delete(`/api/v1/admin/users/${people.ada.id}/sessions`)).status,
    204,
  )
  const ada = await bank.login('ada')
  assert.equal((await limitsOf({ ...bank, ada }).get()).next, undefined)
  bank.clock.advance(1)
  await limitsOf({ ...bank, ada }).put(none)
  bank.clock.advance(raiseWaitMs)
  await bank.root.delete(`/api/v1/admin/users/${people.ada.id}/sessions`)
  const later = await bank.login('ada')
  const held = await limitsOf({ ...bank, ada: later }).get()
  assert.deepEqual([held.perPayment, held.perDay], [null, null], 'what holds stays')
  assert.equal((await later.delete(`${path}/next`)).body.code, 'illegal_transition')
})

test('what a person with a second factor raises is confirmed, what is lowered or undone is not; the trail has both figures', async (t) => {
  const bank = await scene(t)
  await giveFactor(bank, 'ada')
  const owner = limitsOf(bank)
  assert.equal((await owner.put({ perPayment: '10.00' })).status, 200)
  const refused = await owner.put({ perPayment: '10.01' })
  assert.equal(refused.body.code, 'confirmation_required', refused.text)
  const { perPayment, perDay } = refused.body.challenge.terms
  assert.deepEqual([perPayment, perDay], ['10.01', 'none'])
  assert.equal((await owner.get()).next, undefined)
  const raised = await sendConfirmed(bank, (headers) => owner.put({ perPayment: '10.01' }, headers))
  assert.equal(raised.body.next.perPayment, '10.01', raised.text)
  const { rows } = await bank.sql(
    `select detail from audit_events where action = 'updateAccountLimits' and outcome = 'success'
     order by length(detail)`,
  )
  assert.deepEqual(
    rows.map(({ detail }) => detail),
    ['perPayment: none > 10.00', 'perPayment: 10.00 > 10.01 from 2026-01-02T21:00:00.000Z'],
  )
})

test('a program and a standing order are held by the limits of the owner; a program is told none', async (t) => {
  const made = await orderScene(await world(t))
  const ada = made.ada()
  const { from, to } = made
  const { put } = limitsOf({ ada, from, to })
  const id = await made.make({ amount: '30.00', firstOn: '2026-01-10' })
  const isAbove = async (perDay: string | null) => {
    assert.equal((await put({ perDay })).status, 200)
    return (await made.read(id)).isAboveDailyLimit
  }
  // A raise holds before the next day of the order.
  assert.deepEqual(
    [await isAbove('30.00'), await isAbove('29.99'), await isAbove(null)],
    [false, true, false],
  )
  await put({ perPayment: '29.99' })
  const program = await newProgram({ ...made, root: await made.as('root') } as never, {
    payFrom: [from],
  })
  const paid = await program.post('/api/v1/transfers', transferBody(from, to, '30.00'))
  assert.deepEqual([paid.body.code, paid.body.limit], ['limit_exceeded', undefined])
  await made.goTo('2026-01-10')
  assert.deepEqual(await made.runs(id), ['2026-01-10 refused limit_exceeded'])
  // It was the limit of one payment: a mail that names the day would be wrong.
  const [mail] = await made.told()
  assert.match(mail?.text ?? '', /was not paid: it was above a limit of the account\./)
})

test('of twenty payments at once as many succeed as the limit of the day has room for', async (t) => {
  const bank = await scene(t)
  const { put } = limitsOf(bank)
  await put({ perDay: '5.00' })
  const replies = await many(20, (index) =>
    bank.ada.post('/api/v1/transfers', transferBody(bank.from, bank.to, '1.00'), {
      headers: { 'idempotency-key': `key-of-payment-${index}` },
    }),
  )
  assert.deepEqual(tally(replies), { 201: 5, '409 limit_exceeded': 15 })
})

test('owners alone set limits; staff read them; what is no amount of the currency is refused', async (t) => {
  const bank = await scene(t)
  const { path, put } = limitsOf(bank)
  const body = { currency: 'EUR', ...none }
  const [ben, agnes] = [await bank.as('ben'), await bank.as('agnes')]
  for (const voice of [ben, agnes, bank.root]) {
    assert.equal((await voice.put(path, body)).status, 403)
    assert.equal((await voice.delete(`${path}/next`)).status, 403)
  }
  assert.equal((await ben.get(path)).status, 403)
  assert.equal((await agnes.get(path)).status, 200)
  assert.equal((await put({ perDay: '1.001' })).status, 400)
  assert.equal((await put({ perDay: '-1' })).status, 400)
  assert.equal((await put({ currency: 'USD' })).body.code, 'currency_mismatch')
  assert.equal((await bank.ada.put(path, { currency: 'EUR', perDay: '1' })).status, 400)
})

test('after any changes the limits of now are the lowest since, and a higher one waited its time', () => {
  const at = Date.parse('2026-01-02T09:00:00Z')
  const empty = {
    ownPerPayment: null,
    ownPerDay: null,
    nextPerPayment: null,
    nextPerDay: null,
    nextLimitsAt: null,
  }
  const amounts = [null, 0n, 5n, 10n]
  for (const was of amounts) {
    for (const wanted of amounts) {
      const stored = { ...empty, ownPerPayment: was }
      const changed = changeLimits(stored, { perPayment: wanted, perDay: null }, at)
      const isHigher = was !== null && (wanted === null || wanted > was)
      const told = `${was} > ${wanted}`
      assert.equal(changed.nextLimitsAt !== null, isHigher, told)
      assert.equal(limitsAt(changed, at).perPayment, isHigher ? was : wanted, told)
      assert.equal(
        limitsAt(changed, at + raiseWaitMs - 1).perPayment,
        isHigher ? was : wanted,
        told,
      )
      assert.equal(limitsAt(changed, at + raiseWaitMs).perPayment, wanted, told)
    }
  }
})
