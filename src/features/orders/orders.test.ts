// Standing orders through the API, and their runs by the fake clock. The calendar has a test of its
// own (src/domain/calendar/rhythm.test.ts).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertSound,
  many,
  openAccount,
  patiently,
  transferBody,
} from '../../../test/support/fixture.ts'
import { giveFactor } from '../../../test/support/confirmations.ts'
import { type Change, elsewhere, orderBank, orderScene } from '../../../test/support/orders.ts'
import { newProgram, toGrants } from '../../../test/support/service-accounts.ts'
import { clientWith, people, world } from '../../../test/support/world.ts'

test('an order is paid on its days, counted from the first one, and ends after the last one', async (t) => {
  const bank = await orderBank(t)
  const { make, work, runs, goTo, read, balance } = bank
  const id = await make({ lastOn: '2026-03-31' })
  await work()
  assert.deepEqual(await runs(id), [])
  for (const day of ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']) await goTo(day)
  assert.deepEqual(await runs(id), ['2026-03-31 made', '2026-02-28 made', '2026-01-31 made'])
  assert.equal(await balance(), '700.00')
  const { status, nextOn } = await read(id)
  assert.deepEqual([status, nextOn], ['ended', null])
  await assertSound(bank)
})

test('an order whose first day is today is paid at once, and its transfer is one of the account', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ rhythm: 'once', firstOn: '2026-01-02' })
  await bank.work()
  const { body } = await bank.ada().get(`/api/v1/orders/${id}/runs`)
  const [{ transferId, outcome }] = body.items
  assert.equal(outcome, 'made')
  const transfer = (await bank.ada().get(`/api/v1/transfers/${transferId}`)).body
  const { amount, reference, status, beneficiaryId } = transfer
  assert.deepEqual(
    [amount, reference, status, beneficiaryId],
    ['100.00', 'Rent', 'pending', bank.payeeId],
  )
  assert.equal((await bank.read(id)).status, 'ended')
})

test('two equal orders are both paid, and an equal payment beside them is no duplicate of theirs', async (t) => {
  const bank = await orderBank(t)
  await bank.make({ firstOn: '2026-01-02' })
  await bank.make({ firstOn: '2026-01-02' })
  await bank.work()
  const body = { ...bank, fromAccountId: bank.from, beneficiaryId: bank.payeeId }
  const { fromAccountId, beneficiaryId } = body
  const paid = await bank.ada().post('/api/v1/transfers', {
    fromAccountId,
    beneficiaryId,
    amount: '100.00',
    currency: 'EUR',
    reference: 'Rent',
  })
  assert.equal(paid.status, 201, paid.text)
  assert.equal(await bank.balance(), '700.00')
})

test('days that were missed are made up for, the oldest first', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-02' })
  await bank.goTo('2026-01-20')
  assert.deepEqual(await bank.runs(id), ['2026-01-16 made', '2026-01-09 made', '2026-01-02 made'])
  const { body } = await bank.ada().get(`/api/v1/accounts/${bank.from}/transactions?limit=3`)
  const ids = body.items.map(({ id: made }: { id: string }) => made)
  const runs = (await bank.ada().get(`/api/v1/orders/${id}/runs`)).body.items
  assert.deepEqual(
    runs.map(({ transferId }: { transferId: string }) => transferId),
    ids,
  )
})

test('after 31 days that were made up for an order is paused, its owner is told, and it can go on', async (t) => {
  const bank = await orderBank(t, '100000.00')
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-02', amount: '1.00' })
  await bank.goTo('2026-12-30')
  const made = await bank.runs(id)
  assert.deepEqual([made.length, made[0]], [31, '2026-07-31 made'])
  const { status, pausedBecause, nextOn } = await bank.read(id)
  assert.deepEqual([status, pausedBecause, nextOn], ['paused', 'missed', '2026-08-07'])
  assert.equal(await bank.told('A standing order was paused').then((mails) => mails.length), 1)
  const resumed = await bank.ada().post(`/api/v1/orders/${id}/resume`)
  assert.deepEqual([resumed.body.status, resumed.body.nextOn], ['active', '2027-01-01'])
})

test('an order that is paused after days that were all refused is told to be paused, too', async (t) => {
  const bank = await orderBank(t, '0.99')
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-02', amount: '1.00' })
  await bank.goTo('2026-12-30')
  const refused = await bank.runs(id)
  assert.deepEqual([refused.length, refused[0]], [31, '2026-07-31 refused insufficient_funds'])
  assert.equal((await bank.read(id)).pausedBecause, 'missed')
  const [days, paused] = [await bank.told(), await bank.told('A standing order was paused')]
  assert.deepEqual([days.length, paused.length], [10, 1])
  const many = await bank.told('Many alerts within an hour')
  assert.equal(many.length, 1, 'of refused days no more are mailed in an hour than of other alerts')
})

test('a day without enough money is refused, and the payer is told why by mail', async (t) => {
  const bank = await orderBank(t, '99.99')
  const id = await bank.make({ firstOn: '2026-01-02' })
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-02 refused insufficient_funds'])
  assert.equal((await bank.read(id)).nextOn, '2026-02-02')
  const [mail, ...others] = await bank.told()
  assert.deepEqual([mail?.to?.[0]?.address, others], ['ada@example.com', []])
  assert.match(
    mail?.text ?? '',
    /order of 100\.00 EUR from .*, due on\s2 January 2026, was not paid: there was not enough/,
  )
  assert.doesNotMatch(mail?.text ?? '', /Rent|Otto/, 'no text that a client chose')
})

test('an order that waits for money is paid when money arrives, and refused when its days are over', async (t) => {
  const bank = await orderBank(t, '50.00')
  const { make, runs, work, goTo, payIn, balance } = bank
  const id = await make({ firstOn: '2026-01-05', retryDays: 2 })
  await goTo('2026-01-05')
  const waiting = ['2026-01-05 waiting insufficient_funds']
  assert.deepEqual(await runs(id), waiting)
  await work()
  await payIn('49.99')
  await work()
  assert.deepEqual(await runs(id), waiting)
  await payIn('0.01')
  await work()
  assert.deepEqual(await runs(id), ['2026-01-05 made'])
  assert.equal(await balance(), '0.00')
  for (const day of ['2026-02-05', '2026-02-06', '2026-02-07']) await goTo(day)
  assert.equal((await runs(id))[0], '2026-02-05 waiting insufficient_funds')
  assert.equal((await bank.told()).length, 0)
  await goTo('2026-02-08')
  assert.equal((await runs(id))[0], '2026-02-05 refused insufficient_funds')
  assert.equal((await bank.told()).length, 1)
  await payIn('500.00')
  await work()
  assert.equal(await balance(), '500.00', 'a day that is over is not paid later')
})

test('an order that waits for money is paid once the overdraft is raised, and not tried before it can be', async (t) => {
  const bank = await orderBank(t, '50.00')
  const id = await bank.make({ firstOn: '2026-01-02', retryDays: 2 })
  await bank.work()
  const lastRun = async () => (await bank.ada().get(`/api/v1/orders/${id}/runs`)).body.items[0]
  const first = await lastRun()
  bank.clock.advance(60_000)
  await bank.payIn('10.00')
  await bank.work()
  assert.deepEqual(await lastRun(), first, 'an entry that is not enough is no attempt')
  const settings = `/api/v1/accounts/${bank.from}/settings`
  const allow = async (overdraftLimit: string) => {
    const reply = await (await bank.login('root')).patch(settings, { overdraftLimit })
    assert.equal(reply.status, 200, reply.text)
    await bank.work()
  }
  await allow('39.99')
  assert.deepEqual(await lastRun(), first)
  await allow('40.00')
  assert.deepEqual(await bank.runs(id), ['2026-01-02 made'])
  assert.equal(await bank.balance(), '-40.00')
  await assertSound(bank)
})

test('a run that waits for money is refused when its account is closed', async (t) => {
  const bank = await orderBank(t, '1.00')
  const id = await bank.make({ firstOn: '2026-01-02', retryDays: 5 })
  await bank.work()
  const body = { fromAccountId: bank.from, toAccountId: bank.to, amount: '1.00', currency: 'EUR' }
  assert.equal((await bank.ada().post('/api/v1/transfers', body)).status, 201)
  assert.equal((await bank.ada().delete(`/api/v1/accounts/${bank.from}`)).status, 204)
  const { rows } = await bank.sql('select outcome from standing_order_runs where order_id = $1', [
    id,
  ])
  assert.deepEqual(rows, [{ outcome: 'refused' }])
  await assertSound(bank)
})

test('a run that waits for money is refused when its order ends or leaves its day behind', async (t) => {
  const bank = await orderBank(t, '1.00')
  const more = { rhythm: 'weekly', firstOn: '2026-01-02', retryDays: 5 }
  const [ended, resumed, kept] = [
    await bank.make(more),
    await bank.make(more),
    await bank.make(more),
  ]
  await bank.work()
  const of = (id: string) => `/api/v1/orders/${id}`
  assert.equal((await bank.ada().delete(of(ended))).status, 204)
  assert.equal((await bank.ada().patch(of(kept), { reference: 'Kept' })).status, 200)
  assert.equal((await bank.ada().post(`${of(resumed)}/pause`)).status, 200)
  await bank.goTo('2026-01-03')
  assert.equal((await bank.ada().post(`${of(resumed)}/resume`)).body.nextOn, '2026-01-09')
  const over = ['2026-01-02 refused insufficient_funds']
  assert.deepEqual([await bank.runs(ended), await bank.runs(resumed)], [over, over])
  assert.deepEqual(await bank.runs(kept), ['2026-01-02 waiting insufficient_funds'])
})

test('a deactivated or deleted payee, a frozen account and a daily limit refuse the day, and the order stays', async (t) => {
  const bank = await orderBank(t)
  const { make, runs, goTo, payeeId, from } = bank
  const id = await make({ rhythm: 'weekly', firstOn: '2026-01-02' })
  const change = async (path: string, body?: object) =>
    assert.ok((await bank.ada().post(path, body)).status < 300, path)
  await change(`/api/v1/beneficiaries/${payeeId}/deactivate`)
  await bank.work()
  await change(`/api/v1/beneficiaries/${payeeId}/reactivate`)
  const staff = async () => bank.login('root')
  const freeze = async (verb: string) => {
    const path = `/api/v1/admin/accounts/${from}/${verb}`
    assert.equal((await (await staff()).post(path, { reason: 'Asked' })).status, 200)
  }
  await freeze('freeze')
  await goTo('2026-01-09')
  await freeze('unfreeze')
  const limit = (dailyTransferLimit: string | null) => async () => {
    const path = `/api/v1/accounts/${from}/settings`
    assert.equal((await (await staff()).patch(path, { dailyTransferLimit })).status, 200)
  }
  await limit('99.99')()
  assert.equal((await bank.read(id)).isAboveDailyLimit, true)
  await goTo('2026-01-16')
  await limit(null)()
  await goTo('2026-01-23')
  assert.equal((await bank.ada().delete(`/api/v1/beneficiaries/${payeeId}`)).status, 204)
  await goTo('2026-01-30')
  assert.deepEqual((await runs(id)).toReversed(), [
    '2026-01-02 refused beneficiary_inactive',
    '2026-01-09 refused account_frozen',
    '2026-01-16 refused limit_exceeded',
    '2026-01-23 made',
    '2026-01-30 refused not_found',
  ])
  assert.equal((await bank.read(id)).status, 'active')
  assert.equal((await bank.told()).length, 4)
})

test('an order is not run for a person that the bank has shut out', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ firstOn: '2026-01-02' })
  const root = await bank.login('root')
  const disabled = await root.patch(`/api/v1/admin/users/${people.ada.id}`, { status: 'disabled' })
  assert.equal(disabled.status, 200, disabled.text)
  await bank.work()
  const { rows } = await bank.sql('select outcome, refusal from standing_order_runs')
  assert.deepEqual(rows, [{ outcome: 'refused', refusal: 'forbidden' }])
  assert.equal((await root.get(`/api/v1/orders/${id}`)).body.nextOn, '2026-02-02')
})

test('fifty instances of a run pay one day once, and one order that fails stops no other', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made, '100000.00')
  const second = await made.another()
  const ids = await many(20, () => bank.make({ firstOn: '2026-01-02', amount: '1.00' }))
  const poor = await openAccount(bank.ada())
  const dead = await bank.ada().post(`/api/v1/accounts/${poor}/orders`, {
    ...transferBody(poor, bank.to),
    fromAccountId: undefined,
    rhythm: 'monthly',
    firstOn: '2026-01-02',
  })
  assert.equal(dead.status, 201, dead.text)
  await Promise.all([bank.work(), second.running.core.orders.work(), bank.work()])
  await bank.sql('update standing_orders set leased_until = null')
  await Promise.all([bank.work(), second.running.core.orders.work()])
  const { rows } = await bank.sql(
    'select outcome, count(*)::int from standing_order_runs group by 1 order by 1',
  )
  assert.deepEqual(rows, [
    { outcome: 'made', count: 20 },
    { outcome: 'refused', count: 1 },
  ])
  assert.equal(await bank.balance(), '99980.00')
  assert.equal(ids.length, 20)
  await assertSound(bank)
})

test('next day left out, pause, resume, change and end', async (t) => {
  const bank = await orderBank(t)
  const { make, runs, goTo, read } = bank
  const id = await make({ rhythm: 'weekly', firstOn: '2026-01-05' })
  const act = async (verb: string) => {
    const reply = await bank.ada().post(`/api/v1/orders/${id}/${verb}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  assert.equal((await act('skip-next')).nextOn, '2026-01-12')
  await goTo('2026-01-05')
  assert.deepEqual(await runs(id), ['2026-01-05 skipped'])
  const { status, pausedBecause } = await act('pause')
  assert.deepEqual([status, pausedBecause], ['paused', 'owner'])
  await goTo('2026-01-13')
  assert.deepEqual(await runs(id), ['2026-01-05 skipped'])
  assert.equal((await act('resume')).nextOn, '2026-01-19', 'a day of the pause is not made up for')
  const change = { amount: '7.50', reference: 'Less', retryDays: 5, lastOn: '2026-01-26' }
  const changed = await bank.ada().patch(`/api/v1/orders/${id}`, change)
  assert.equal(changed.status, 200, changed.text)
  await goTo('2026-01-19')
  assert.equal(await bank.balance(), '992.50')
  assert.equal((await bank.ada().delete(`/api/v1/orders/${id}`)).status, 204)
  await goTo('2026-01-26')
  assert.equal(await bank.balance(), '992.50')
  assert.equal((await read(id)).status, 'ended')
  const late = await bank.ada().post(`/api/v1/orders/${id}/resume`)
  assert.deepEqual([late.status, late.body.code], [409, 'illegal_transition'])
})

test('a day is left out by its name: a click that comes late leaves out no other', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-05' })
  const skip = async (body?: Change) => {
    const reply = await bank.ada().post(`/api/v1/orders/${id}/skip-next`, body)
    return [reply.status, reply.body.nextOn ?? reply.body.details?.[0]?.path ?? reply.body.code]
  }
  assert.deepEqual(await skip({ dueOn: '2026-01-05' }), [200, '2026-01-12'])
  assert.deepEqual(await skip({ dueOn: '2026-01-05' }), [409, 'illegal_transition'])
  assert.deepEqual(await skip({ dueOn: '2026-01-19' }), [409, 'illegal_transition'])
  assert.deepEqual(await skip({ dueOn: '2026-02-30' }), [400, '/body/dueOn'])
  assert.deepEqual(await bank.runs(id), ['2026-01-05 skipped'])
  assert.deepEqual(await skip(), [200, '2026-01-19'])
})

test('a last day before the next one ends an order', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ rhythm: 'weekly', firstOn: '2026-01-02' })
  await bank.work()
  const change = async (lastOn: string) => {
    const { body } = await bank.ada().patch(`/api/v1/orders/${id}`, { lastOn })
    return [body.status, body.nextOn]
  }
  assert.deepEqual(await change('2026-01-09'), ['active', '2026-01-09'])
  assert.deepEqual(await change('2026-01-08'), ['ended', null])
  await bank.goTo('2026-01-09')
  assert.deepEqual(await bank.runs(id), ['2026-01-02 made'])
})

test('a run of terms that were changed meanwhile is not made', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ firstOn: '2026-01-02' })
  const order = {
    kind: 'transfer',
    fromAccountId: bank.from,
    toAccountId: bank.to,
    amount: 10000n,
    currency: 'EUR',
    reference: '',
    caller: { userId: people.ada.id, sessionId: bank.ada().sessionId, kid: null, role: 'customer' },
    run: { orderId: id, dueOn: '2026-01-02', version: 0 },
  } as const
  const changed = await bank.ada().patch(`/api/v1/orders/${id}`, { amount: '1.00' })
  assert.equal(changed.status, 200, changed.text)
  const { ledger } = bank.running.core
  await assert.rejects(ledger.submit(order), { code: 'illegal_transition' })
  const later = { ...order, run: { ...order.run, version: 1, dueOn: '2026-02-02' } }
  await assert.rejects(ledger.submit(later), { code: 'illegal_transition' })
  assert.deepEqual(await bank.runs(id), [])
})

test('what is coming is told with what is left after it', async (t) => {
  const bank = await orderBank(t)
  const { make, from } = bank
  await make({ rhythm: 'weekly', firstOn: '2026-01-10', amount: '300.00', lastOn: '2026-01-20' })
  await make({ firstOn: '2026-01-15', amount: '50.00' })
  await make({ firstOn: '2026-02-15' })
  const { body } = await bank.ada().get(`/api/v1/accounts/${from}/orders/upcoming`)
  assert.deepEqual(
    body.runs.map(
      ({ dueOn, availableAfter }: Record<string, string>) => `${dueOn} ${availableAfter}`,
    ),
    ['2026-01-10 700.00', '2026-01-15 650.00', '2026-01-17 350.00'],
  )
  for (const { payee } of body.runs) assert.equal(payee.name, 'Otto Example')
})

test('bad input is refused by the name of its field', async (t) => {
  const bank = await orderBank(t)
  const cases: [Change, string][] = [
    [{ firstOn: '2026-01-01' }, '/body/firstOn'],
    [{ firstOn: '2026-02-30' }, '/body/firstOn'],
    [{ firstOn: '0000-01-01' }, '/body/firstOn'],
    [{ lastOn: '2026-01-30' }, '/body/lastOn'],
    [{ lastOn: '2026-13-01' }, '/body/lastOn'],
    [{ rhythm: 'daily' }, '/body/rhythm'],
    [{ retryDays: 0 }, '/body/retryDays'],
    [{ retryDays: 6 }, '/body/retryDays'],
    [{ amount: '0.00' }, '/body/amount'],
    [{ amount: '1.001' }, '/body/amount'],
    [{ beneficiaryId: undefined }, '/body/toAccountId'],
    [{ beneficiaryId: undefined, toAccountId: bank.from }, '/body/toAccountId'],
    [{ toAccountId: bank.to }, '/body/toAccountId'],
  ]
  for (const [change, path] of cases) {
    const { status, body, text } = await bank.ask(change)
    assert.deepEqual([status, body.details?.[0]?.path], [400, path], text)
  }
  const other = await bank.ask({ currency: 'USD' })
  assert.deepEqual([other.status, other.body.code], [409, 'currency_mismatch'])
  const ben = await bank.as('ben')
  const strange = await ben.post(`/api/v1/accounts/${bank.from}/orders`, {})
  assert.equal(strange.status, 400)
  const id = await bank.make()
  assert.equal((await ben.get(`/api/v1/orders/${id}`)).status, 403)
  assert.equal((await ben.delete(`/api/v1/orders/${id}`)).status, 403)
  const root = await bank.as('root')
  assert.equal((await root.patch(`/api/v1/orders/${id}`, { amount: '1.00' })).status, 403)
  for (const [change, path] of [
    [{ lastOn: '2026-01-30' }, '/body/lastOn'],
    [{ lastOn: '2026-02-30' }, '/body/lastOn'],
    [{ amount: '0.00' }, '/body/amount'],
    [{ amount: '1.001' }, '/body/amount'],
    [{ retryDays: 0 }, '/body/retryDays'],
    [{ retryDays: 6 }, '/body/retryDays'],
    [{ firstOn: '2026-02-01' }, '/body/firstOn'],
    [{}, '/body'],
  ] as const) {
    const { status, body, text } = await patiently(() =>
      bank.ada().patch(`/api/v1/orders/${id}`, change),
    )
    assert.deepEqual([status, body.details?.[0]?.path], [400, path], text)
  }
})

test('no order is made or changed to pay an account of another currency, which no day could', async (t) => {
  const bank = await orderBank(t)
  const yen = await openAccount(bank.ada(), 'JPY')
  const ben = await bank.as('ben')
  const { iban } = (await ben.get(`/api/v1/accounts/${await openAccount(ben, 'JPY')}`)).body
  const path = `/api/v1/accounts/${bank.from}/beneficiaries`
  const saved = await patiently(() => bank.ada().post(path, { name: 'Ben', iban }))
  const id = await bank.make()
  for (const target of [
    { beneficiaryId: undefined, toAccountId: yen },
    { beneficiaryId: saved.body.id as string },
  ]) {
    for (const send of [
      () => bank.ask(target),
      () => bank.ada().patch(`/api/v1/orders/${id}`, target),
    ]) {
      const { status, body, text } = await patiently(send)
      assert.deepEqual([status, body.code], [409, 'currency_mismatch'], text)
    }
  }
  assert.equal((await bank.read(id)).beneficiaryId, bank.payeeId)
})

test('an account has a hundred orders at most, also when they are made at once', async (t) => {
  const bank = await orderBank(t)
  const replies = await many(110, () => patiently(() => bank.ask({ firstOn: '2027-01-01' })))
  assert.equal(replies.filter(({ status }) => status === 201).length, 100)
  const refused = replies.find(({ status }) => status !== 201)
  assert.deepEqual(
    [refused?.status, refused?.body.limit],
    [409, { name: 'orders', amount: '100', used: '100' }],
  )
})

test('a closed account ends its orders and keeps no text of them', async (t) => {
  const bank = await orderBank(t, '0.01')
  const id = await bank.make()
  const sent = await bank.ada().post('/api/v1/transfers', transferBody(bank.from, bank.to, '0.01'))
  assert.equal(sent.status, 201)
  assert.equal((await bank.ada().delete(`/api/v1/accounts/${bank.from}`)).status, 204)
  const { rows } = await bank.sql('select status, reference from standing_orders where id = $1', [
    id,
  ])
  assert.deepEqual(rows, [{ status: 'ended', reference: '' }])
  await bank.goTo('2026-02-01')
  assert.deepEqual((await bank.sql('select from standing_order_runs')).rows, [])
})

test('a program orders for the accounts it may pay from, while it may', async (t) => {
  const bank = await orderBank(t)
  const root = await bank.login('root')
  const made = await root.post('/api/v1/admin/service-accounts', {
    name: 'Rents',
    grants: { readAccounts: people.ada.id, payFrom: [bank.from], operations: [] },
  })
  assert.equal(made.status, 201, made.text)
  const key = await root.post(`/api/v1/admin/service-accounts/${made.body.id}/keys`)
  const program = clientWith(bank.send, key.body.key)
  const body = { toAccountId: bank.to, amount: '5.00', currency: 'EUR' }
  const about = { rhythm: 'weekly', firstOn: '2026-01-02' }
  const ordered = await program.post(`/api/v1/accounts/${bank.from}/orders`, { ...body, ...about })
  assert.equal(ordered.status, 201, ordered.text)
  const { id } = ordered.body
  const foreign = await program.post(`/api/v1/accounts/${bank.to}/orders`, {
    ...body,
    ...about,
    toAccountId: bank.from,
  })
  assert.equal(foreign.status, 403)
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-02 made'])
  assert.equal((await program.patch(`/api/v1/orders/${id}`, { amount: '6.00' })).status, 200)
  const changed = await root.patch(`/api/v1/admin/service-accounts/${made.body.id}`, {
    grants: { readAccounts: people.ada.id, payFrom: [], operations: [] },
  })
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await program.delete(`/api/v1/orders/${id}`)).status, 403)
  await bank.goTo('2026-01-09')
  assert.equal((await bank.runs(id))[0], '2026-01-09 refused forbidden')
})

test('whoever changes the terms of an order is who orders from then on, and a program touches its own alone', async (t) => {
  const bank = await orderBank(t)
  const program = await newProgram(bank, { readAccounts: people.ada.id, payFrom: [bank.from] })
  const hers = await bank.make({ firstOn: '2026-01-05', amount: '1.00' })
  const path = `/api/v1/accounts/${bank.from}/orders`
  const terms = { toAccountId: bank.to, amount: '2.00', currency: 'EUR' }
  const order = async () => {
    const asked = await program.post(path, { ...terms, rhythm: 'weekly', firstOn: '2026-01-05' })
    assert.equal(asked.status, 201, asked.text)
    return asked.body.id as string
  }
  const [its, kept] = [await order(), await order()]
  const before = await bank.read(hers)
  for (const send of [
    () => program.patch(`/api/v1/orders/${hers}`, { toAccountId: bank.to }),
    () => program.patch(`/api/v1/orders/${hers}`, { amount: '3.00' }),
    () => program.post(`/api/v1/orders/${hers}/pause`),
    () => program.post(`/api/v1/orders/${hers}/resume`),
    () => program.post(`/api/v1/orders/${hers}/skip-next`),
    () => program.post(`/api/v1/orders/${hers}/undo-skip`, { dueOn: '2026-01-05' }),
    () => program.delete(`/api/v1/orders/${hers}`),
  ]) {
    const reply = await patiently(send)
    assert.deepEqual([reply.status, reply.body.code], [403, 'forbidden'], reply.text)
  }
  assert.deepEqual(await bank.read(hers), before)
  assert.equal((await program.patch(`/api/v1/orders/${its}`, { amount: '2.50' })).status, 200)
  assert.equal((await bank.ada().patch(`/api/v1/orders/${its}`, { amount: '3.00' })).status, 200)
  const { madeBy, orderedBy } = await bank.read(its)
  assert.deepEqual([madeBy, orderedBy], [program.id, people.ada.id])
  await program.change({ grants: toGrants({}) })
  await bank.goTo('2026-01-05')
  assert.deepEqual(await bank.runs(kept), ['2026-01-05 refused forbidden'])
  assert.deepEqual(await bank.runs(its), ['2026-01-05 made'])
})

test('an order gets another payee, a beneficiary or an account of the same customer', async (t) => {
  const bank = await orderBank(t)
  const id = await bank.make({ firstOn: '2026-01-05' })
  const change = (body: Change) => bank.ada().patch(`/api/v1/orders/${id}`, body)
  const own = await change({ toAccountId: bank.to })
  assert.deepEqual([own.status, own.body.toAccountId], [200, bank.to], own.text)
  const both = await change({ toAccountId: bank.to, beneficiaryId: bank.payeeId })
  assert.deepEqual([both.status, both.body.details?.[0]?.path], [400, '/body/toAccountId'])
  const same = await change({ toAccountId: bank.from })
  assert.deepEqual([same.status, same.body.details?.[0]?.path], [400, '/body/toAccountId'])
  const bens = await openAccount(await bank.as('ben'))
  assert.equal((await change({ toAccountId: bens })).status, 403)
  const again = await change({ beneficiaryId: bank.payeeId })
  assert.deepEqual([again.status, again.body.beneficiaryId], [200, bank.payeeId], again.text)
  await bank.goTo('2026-01-05')
  assert.deepEqual(await bank.runs(id), ['2026-01-05 made'])
})

test('what is confirmed of a change shows the payee, also one that stays', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const id = await bank.make()
  await giveFactor(made, 'ada')
  const refused = await bank.ada().patch(`/api/v1/orders/${id}`, { amount: '7.00' })
  assert.equal(refused.body.code, 'confirmation_required', refused.text)
  const { payee, iban, amount } = refused.body.challenge.terms
  assert.deepEqual([payee, iban, amount], ['Otto Example', elsewhere, '7.00'])
})

test('programs that follow the bank are told of an order and of a refused day', async (t) => {
  const bank = await orderBank(t, '1.00')
  const root = await bank.login('root')
  const { nextAfter } = (await root.get('/api/v1/events?after=last')).body
  const id = await bank.make({ firstOn: '2026-01-02' })
  await bank.work()
  const { body } = await root.get(`/api/v1/events?after=${nextAfter}&wait=5`)
  const told = [...body.items]
  while (told.length < 2) {
    const more = await root.get(`/api/v1/events?after=${told.at(-1)?.number ?? nextAfter}&wait=5`)
    told.push(...more.body.items)
  }
  assert.deepEqual(
    told.map(({ type, resourceId, accountIds }) => [type, resourceId, accountIds]),
    [
      ['order.created', id, [bank.from]],
      ['order.refused', id, [bank.from]],
    ],
  )
})
