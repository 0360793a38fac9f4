// When a payment to another bank leaves and arrives, as the calendar, the payment and its receipt
// say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCalendar } from '../../cli/days/calendar.ts'
import { readConfig } from '../../config/config.ts'
import { openAccount } from '../../../test/support/fixture.ts'
import { orderScene } from '../../../test/support/orders.ts'
import { listScene, otherIban } from '../../../test/support/payment-lists.ts'
import { world } from '../../../test/support/world.ts'

const settings = { HOLIDAYS: 'target2', CUT_OFF: '16:00', TIME_ZONE: 'Europe/Berlin' }

test('a payment leaves that day until the millisecond of the cut-off, as its answer, the list and the receipt say, also under another calendar', async (t) => {
  const made = await world(t, { settings })
  const bank = await orderScene(made)
  bank.clock.advance(Date.parse('2026-01-02T14:59:00.000Z') - bank.clock.now())
  const payer = await made.login('ada')
  const body = { fromAccountId: bank.from, amount: '1.00', currency: 'EUR' }
  const pay = (target: object, key: string) =>
    payer.post(
      '/api/v1/transfers',
      { ...body, reference: key, ...target },
      { headers: { 'idempotency-key': key } },
    )
  const elsewhere = { beneficiaryId: bank.payeeId }
  const cutOff = Date.parse('2026-01-02T15:00:00.000Z')
  const shown: Record<string, string[]> = {}
  for (const by of [-1, 0, 1]) {
    bank.clock.advance(cutOff + by - bank.clock.now())
    const paid = await pay(elsewhere, `at${by}`)
    assert.ok(paid.body.leavesOn, paid.text)
    assert.deepEqual((await pay(elsewhere, `at${by}`)).body, paid.body)
    shown[paid.body.id] = [paid.body.leavesOn, paid.body.arrivesBy]
  }
  assert.deepEqual(Object.values(shown), [
    ['2026-01-02', '2026-01-05'],
    ['2026-01-05', '2026-01-06'],
    ['2026-01-05', '2026-01-06'],
  ])
  const inside = await pay({ toAccountId: bank.to }, 'inside')
  assert.equal('leavesOn' in inside.body, false, 'money that stays here leaves at once')

  const config = readConfig({ STRONGROOM_HOLIDAYS: 'none' })
  await changeCalendar(bank.address, config, bank.clock)
  const other = await made.another({ settings: { HOLIDAYS: 'none', TIME_ZONE: 'Europe/Berlin' } })
  bank.clock.advance(24 * 3_600_000)
  const ada = await made.login('ada')
  const asked = { headers: { authorization: `Bearer ${ada.token}` } }
  const listed = await other.send('GET', `/api/v1/transfers?accountId=${bank.from}`, asked)
  for (const [id, days] of Object.entries(shown)) {
    const one = listed.body.items.find((item: { id: string }) => item.id === id)
    assert.deepEqual([one.leavesOn, one.arrivesBy], days)
    const receipt = await ada.get(`/api/v1/transfers/${id}/receipt?format=json`)
    assert.deepEqual([receipt.body.leavesOn, receipt.body.arrivesBy], days)
  }
  const later = await other.send('POST', '/api/v1/transfers', {
    ...asked,
    body: { ...body, amount: '2.00', ...elsewhere },
  })
  assert.equal('leavesOn' in later.body, false, later.text)
})

test('the calendar says which days are closed, and when a payment of now arrives, to any caller', async (t) => {
  const made = await world(t, { settings })
  const ada = await made.as('ada')
  const read = async (query = '') => (await ada.get(`/api/v1/calendar${query}`)).body
  const easter = await read('?from=2026-04-02&to=2026-04-07')
  assert.deepEqual(easter, {
    from: '2026-04-02',
    to: '2026-04-07',
    holidays: 'target2',
    closedDays: ['2026-04-03', '2026-04-04', '2026-04-05', '2026-04-06'],
    onHoliday: 'pay',
    cutOff: '16:00',
    leavesOn: '2026-01-02',
    arrivesBy: '2026-01-05',
  })
  const { from, to, closedDays } = await read()
  assert.deepEqual([from, to, closedDays[0]], ['2026-01-02', '2026-02-01', '2026-01-03'])
  assert.equal((await read('?from=2026-01-01&to=2027-01-01')).closedDays.length, 110)
  assert.deepEqual((await read('?from=9999-12-31')).closedDays, [])
  for (const query of ['?from=2026-01-01&to=2027-01-02', '?to=2026-01-01', '?from=2026-02-30']) {
    assert.equal((await read(query)).code, 'invalid_request', query)
  }
  for (const name of ['agnes', 'root'] as const) {
    assert.equal((await (await made.as(name)).get('/api/v1/calendar')).status, 200)
  }
  assert.equal((await made.send('GET', '/api/v1/calendar')).status, 401)
})

test('a line of a list that is paid at the cut-off says when its payment leaves, as the payment does; one within the bank says nothing', async (t) => {
  const made = await world(t, { settings })
  const home = await listScene(made)
  const first = home.ada()
  const other = await openAccount(first)
  const { iban } = (await first.get(`/api/v1/accounts/${other}`)).body
  const at = `/api/v1/accounts/${home.from}/beneficiaries`
  const beneficiaryId = (await first.post(at, { name: 'Ada Okafor', iban })).body.id as string
  const item = { name: 'Grace Hopper', iban: otherIban, amount: '2.00' }
  const items = [home.known('1.00'), item, { beneficiaryId, amount: '3.00' }]
  const id = await home.order(items)
  made.clock.advance(Date.parse('2026-01-02T15:00:00.000Z') - made.clock.now())
  await home.work()
  const ada = await made.login('ada')
  const lines = (await ada.get(`/api/v1/payment-lists/${id}/lines`)).body.items
  assert.deepEqual(
    lines.map((line: Record<string, string>) => [
      line['status'],
      line['leavesOn'],
      line['arrivesBy'],
    ]),
    [
      ['made', '2026-01-05', '2026-01-06'],
      ['made', '2026-01-05', '2026-01-06'],
      ['made', undefined, undefined],
    ],
  )
  const paid = (await ada.get(`/api/v1/transfers/${lines[0].transferId}`)).body
  assert.deepEqual([paid.leavesOn, paid.arrivesBy], ['2026-01-05', '2026-01-06'])
  assert.equal((await ada.post(`/api/v1/transfers/${lines[1].transferId}/cancel`)).status, 200)
  const again = (await ada.get(`/api/v1/payment-lists/${id}/lines`)).body.items
  assert.equal('leavesOn' in again[1], false, 'a payment that is cancelled leaves no more')
})
