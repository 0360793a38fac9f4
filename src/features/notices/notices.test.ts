// Which mails a person wants, and what is never switched off; money that arrives; and a balance
// that is told once, exactly at its amount.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cardScene } from '../../../test/support/card-payments.ts'
import { giveFactor, sendConfirmed } from '../../../test/support/confirmations.ts'
import {
  assertSound,
  deposit,
  many,
  openAccount,
  type Scene,
  scene,
  sceneIn,
  transferBody,
} from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { orderScene } from '../../../test/support/orders.ts'
import { people, world } from '../../../test/support/world.ts'
import { chosenKinds, isChosen, isSentUnasked, noticeKinds } from '../mail/kinds.ts'

const path = '/api/v1/me/notices'
const [arrived, low, off] = ['Money arrived', 'Your balance is low', 'A notice was switched off']
type Channel = 'mail' | 'off'
type Named = { kind: string; channel: Channel }

const choose = (
  voice: Pick<Scene['ada'], 'put'>,
  choices: Record<string, Channel>,
  headers = {},
) => {
  const notices = Object.entries(choices).map(([kind, channel]) => ({ kind, channel }))
  return voice.put(path, { notices }, { headers })
}

/** The subjects of the mails to a person that were not read before, in the order of their time. */
function inboxOf(bank: Pick<Scene, 'running'>, name: 'ada' | 'ben') {
  let known = 0
  return async (): Promise<string[]> => {
    const all = (await readMails(bank)).filter(({ to }) => to?.[0]?.address?.startsWith(name))
    const fresh = all.slice(known).map(({ subject }) => subject ?? '')
    known = all.length
    return fresh
  }
}

test('every kind that a customer may be sent is listed; what is fixed cannot be switched off, and nothing changes then', async (t) => {
  const bank = await scene(t)
  const { ada } = bank
  const { notices } = (await ada.get(path)).body as { notices: (Named & { fixed: boolean })[] }
  assert.deepEqual(
    notices,
    noticeKinds.map((kind) => ({
      kind,
      channel: kind === 'money-arrived' ? 'off' : 'mail',
      fixed: !isChosen(kind),
    })),
  )
  const fixed = notices.filter((notice) => notice.fixed).map(({ kind }) => kind)
  for (const kind of ['new-device', 'reset', 'order-made', 'limits-raised', 'notices-off']) {
    assert.ok(fixed.includes(kind), kind)
  }
  for (const kind of ['webhook-disabled', 'issuer-linked']) {
    assert.equal((await choose(ada, { [kind]: 'mail' })).status, 400, 'is for staff')
  }
  const refused = await choose(ada, { payment: 'off', reset: 'off', 'new-device': 'off' })
  assert.equal(refused.status, 400, refused.text)
  assert.deepEqual(
    refused.body.details.map((detail: { path: string }) => detail.path),
    ['/body/notices/1', '/body/notices/2'],
  )
  const payment = { kind: 'payment', channel: 'off' }
  const twice = await ada.put(path, { notices: [payment, { ...payment, channel: 'mail' }] })
  assert.equal(twice.body.details[0].path, '/body/notices/1')
  assert.deepEqual((await ada.get(path)).body.notices, notices)
  assert.equal((await choose(ada, { 'new-device': 'mail' })).status, 200)
  assert.deepEqual((await bank.sql('select from notice_choices')).rows, [])
  // The database has the same default for each kind.
  const sql = 'select mail_is_unwanted($1, $2, now()) as is_unwanted'
  for (const kind of noticeKinds) {
    const [row] = (await bank.sql(sql, [people.ada.id, kind])).rows
    assert.equal(row?.['is_unwanted'], !isSentUnasked(kind), kind)
  }
})

test('what is switched off is confirmed, told once in an hour and recorded; only its own kind is not sent, and to nobody else', async (t) => {
  const settings = { ALERT_ABOVE: 'EUR=1', SESSION_IDLE: '2h', TOKEN_TTL: '2h' }
  const bank = await sceneIn(await world(t, { settings }))
  const { ada, root, from } = bank
  await giveFactor(bank, 'ada')
  const inbox = inboxOf(bank, 'ada')
  await inbox()
  const changed = await sendConfirmed(bank, (headers) => choose(ada, { payment: 'off' }, headers))
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(await inbox(), [off])
  let cents = 10
  const withdraw = async (accountId: string) => {
    const cash = { amount: `2.${cents++}`, currency: 'EUR', reason: 'Counter' }
    const told = await root.post(`/api/v1/admin/accounts/${accountId}/withdrawals`, cash)
    assert.equal(told.status, 201, told.text)
  }
  await withdraw(from)
  assert.deepEqual(await inbox(), [])
  const ben = await bank.as('ben')
  const his = await openAccount(ben)
  await deposit(root, his, '10.00')
  const other = inboxOf(bank, 'ben')
  await other()
  await withdraw(his)
  assert.deepEqual(await other(), ['A payment left your account'])
  // Neither what is switched on nor what stays off is confirmed.
  assert.equal((await choose(ada, { payment: 'off', 'money-arrived': 'mail' })).status, 200)
  assert.equal((await choose(ada, { payment: 'mail' })).status, 200)
  await withdraw(from)
  assert.deepEqual(await inbox(), ['A payment left your account'])
  await sendConfirmed(bank, (headers) => choose(ada, { payment: 'off' }, headers))
  assert.deepEqual(await inbox(), [], 'within the hour')
  bank.clock.advance(3_600_000)
  await choose(ada, { payment: 'mail' })
  await inbox()
  await sendConfirmed(bank, (headers) => choose(ada, { payment: 'off' }, headers))
  assert.deepEqual(await inbox(), [off])
  const { rows } = await bank.sql(
    `select distinct detail from audit_events
     where action = 'updateMyNotices' and outcome = 'success' order by 1`,
  )
  const details = rows.map(({ detail }) => detail)
  assert.deepEqual(details, ['money-arrived: mail', 'payment: mail', 'payment: off'])
})

test('of each kind that can be switched off none is queued while it is, and one else', async (t) => {
  for (const channel of ['off', 'mail'] as const) {
    const settings = { ALERT_ABOVE: 'EUR=1' }
    const bank = await cardScene(await sceneIn(await world(t, { settings }), '60.00'))
    const { ada, root, from, till, clock, sql } = bank
    await sql(
      `insert into notice_choices (user_id, kind, channel) select $1, unnest($2::text[]), $3`,
      [people.ada.id, chosenKinds, channel],
    )
    const made = async (reply: ReturnType<typeof ada.post>) => {
      const { status, body, text } = await reply
      assert.ok(status < 300, text)
      return body.id as string
    }
    const eur = (amount: string) => ({ amount, currency: 'EUR' })
    const account = `/api/v1/accounts/${from}`
    await made(ada.put(`${account}/notices`, { currency: 'EUR', balanceBelow: '59.00' }))
    const cash = { ...eur('2.00'), reason: 'Counter' }
    await made(root.post(`/api/v1/admin/accounts/${from}/withdrawals`, cash))
    const { iban } = (await ada.get(account)).body
    const debtor = { name: 'Müller', iban: 'DE89370400440532013000' }
    const arrival = { ...eur('5.00'), iban, externalId: 'A1', debtor }
    await made(root.post('/api/v1/admin/incoming-payments', arrival))
    await made(till.ask('2.00'))
    await made(till.ask('9000.00'))
    const orders = await orderScene(bank)
    const items = [{ beneficiaryId: orders.payeeId, amount: '9000.00' }]
    const list = await made(ada.post(`${account}/payment-lists`, { currency: 'EUR', items }))
    await made(ada.post(`/api/v1/payment-lists/${list}/execute`))
    await bank.running.core.paymentLists.work()
    // It is refused week by week, and paused after 31 of them.
    await orders.make({ rhythm: 'weekly', firstOn: '2026-01-02' })
    clock.advance(360 * 86_400_000)
    await bank.running.core.orders.work()
    const { rows } = await sql('select distinct kind from mails where kind = any($1)', [
      chosenKinds,
    ])
    const queued = rows.map(({ kind }) => String(kind))
    assert.deepEqual(queued.toSorted(), channel === 'off' ? [] : chosenKinds.toSorted())
  }
})

test('money from others is told where it was asked for, by the ends of both IBANs; own money and cash are not, nor an account without alerts', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to } = bank
  const ben = await bank.as('ben')
  const his = await openAccount(ben)
  await deposit(root, his, '50.00')
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const { iban: hisIban } = (await ben.get(`/api/v1/accounts/${his}`)).body
  const payee = await ben.post(`/api/v1/accounts/${his}/beneficiaries`, { name: 'Ada', iban })
  const payAda = async (amount: string) => {
    const body = { fromAccountId: his, beneficiaryId: payee.body.id, amount, currency: 'EUR' }
    const paid = await ben.post('/api/v1/transfers', body)
    assert.equal(paid.status, 201, paid.text)
  }
  let count = 0
  const payFromElsewhere = async () => {
    const arrival = await root.post('/api/v1/admin/incoming-payments', {
      iban,
      amount: '25.00',
      currency: 'EUR',
      externalId: `A${count++}`,
      debtor: { name: 'Müller', iban: 'DE89370400440532013000' },
      reference: 'Invoice https://evil.example',
    })
    assert.equal(arrival.status, 201, arrival.text)
  }
  const inbox = inboxOf(bank, 'ada')
  await payAda('1.00')
  await payFromElsewhere()
  assert.ok(!(await inbox()).includes(arrived), 'off by default')
  assert.equal((await choose(ada, { 'money-arrived': 'mail' })).status, 200)
  await payAda('2.00')
  const [inside] = (await readMails(bank)).slice(-1)
  assert.match(
    inside?.text?.replace(/\s+/g, ' ') ?? '',
    new RegExp(
      `2\\.00 EUR arrived in your account that ends in ${iban.slice(-4)} on .*, from an account that ends in ${hisIban.slice(-4)}\\.`,
    ),
  )
  await payFromElsewhere()
  const [outside] = (await readMails(bank)).slice(-1)
  assert.match(outside?.text ?? '', /ends in\s3000\./)
  for (const mail of [inside, outside]) {
    assert.doesNotMatch(JSON.stringify(mail), new RegExp(`evil|Müller|Ben|${iban}|${hisIban}`))
  }
  assert.deepEqual(await inbox(), [arrived, arrived])
  assert.equal((await ada.post('/api/v1/transfers', transferBody(to, from, '0'))).status, 400)
  await ada.post('/api/v1/transfers', transferBody(from, to))
  await deposit(root, from, '5.00')
  assert.deepEqual(await inbox(), [])
  const settings = `/api/v1/accounts/${from}/settings`
  assert.equal((await root.patch(settings, { alertsEnabled: false })).status, 200)
  await payAda('3.00')
  assert.deepEqual(await inbox(), [])
  await root.patch(settings, { alertsEnabled: true })
  // Each of its own amount: an equal one would be a repetition. A burst takes five a second.
  for (let cents = 10; cents < 21; cents++) {
    if (cents % 5 === 0) bank.clock.advance(1000)
    await payAda(`0.${cents}`)
  }
  const told = await inbox()
  const paused = 'Many alerts within an hour'
  assert.deepEqual(
    [told.filter((subject) => subject === arrived).length, told.includes(paused)],
    [8, true],
  )
})

test('a balance below the amount is told once until it has reached the amount again: at the amount, one cent below and above it', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, to } = bank
  const notices = `/api/v1/accounts/${from}/notices`
  const inbox = inboxOf(bank, 'ada')
  const set = (balanceBelow: string | null) => ada.put(notices, { currency: 'EUR', balanceBelow })
  const pay = async (amount: string) => {
    const paid = await ada.post('/api/v1/transfers', transferBody(from, to, amount))
    assert.equal(paid.status, 201, paid.text)
    return inbox()
  }
  const payIn = async (amount: string) => {
    await deposit(root, from, amount)
    return inbox()
  }
  assert.deepEqual((await ada.get(notices)).body, { currency: 'EUR', balanceBelow: null })
  assert.equal((await set('50')).body.balanceBelow, '50.00')
  await inbox()
  assert.deepEqual(await pay('49.99'), [], 'one cent above')
  assert.deepEqual(await pay('0.01'), [], 'at the amount')
  assert.deepEqual(await pay('0.02'), [low], 'below it')
  assert.deepEqual(await pay('10.00'), [], 'told once')
  assert.deepEqual(await payIn('10.01'), [], 'one cent below: not reached')
  bank.clock.advance(1000)
  assert.deepEqual(await pay('0.03'), [])
  assert.deepEqual(await payIn('0.04'), [], 'at the amount: reached')
  assert.deepEqual(await pay('0.06'), [low], 'told anew')
  const mail = (await readMails(bank)).at(-1)?.text?.replace(/\s+/g, ' ') ?? ''
  assert.match(mail, /came below 50\.00 EUR/)
  // An amount above the balance is known to who chooses it.
  bank.clock.advance(1000)
  assert.equal((await set('60.00')).status, 200)
  assert.deepEqual(await pay('0.07'), [])
  // Lower than before: told by a mail of its own, and the account is not below it.
  assert.equal((await set('0.00')).status, 200)
  assert.deepEqual(await inbox(), [off])
  await root.patch(`/api/v1/accounts/${from}/settings`, {
    overdraftLimit: '100.00',
    currency: 'EUR',
  })
  const { balance } = (await ada.get(`/api/v1/accounts/${from}`)).body
  assert.deepEqual(await pay(balance), [], 'nothing is not below nothing')
  bank.clock.advance(1000)
  assert.deepEqual(await pay('0.05'), [low], 'an overdraft is')
  await payIn('10.00')
  assert.equal((await set(null)).status, 200)
  assert.deepEqual(await pay('12.00'), [])
  for (const [body, status] of [
    [{ currency: 'USD', balanceBelow: '1.00' }, 409],
    [{ currency: 'EUR', balanceBelow: '1.001' }, 400],
    [{ currency: 'EUR', balanceBelow: '-1' }, 400],
    [{ currency: 'EUR' }, 400],
  ] as const) {
    assert.equal((await ada.put(notices, body)).status, status, JSON.stringify(body))
  }
  assert.equal((await (await bank.as('ben')).get(notices)).status, 403)
  await assertSound(bank)
})

test('of payments at the same moment, on two instances, one is told; with the kind switched off none, and the amount removed meanwhile is not told', async (t) => {
  const bank = await scene(t)
  const { ada, from, to, root } = bank
  const second = await bank.another()
  const notices = `/api/v1/accounts/${from}/notices`
  const inbox = inboxOf(bank, 'ada')
  const set = (balanceBelow: string | null) => ada.put(notices, { currency: 'EUR', balanceBelow })
  let round = 0
  const payTogether = async () => {
    round++
    const replies = await many(4, (index) => {
      const body = transferBody(from, to, `2.${round}${index}`)
      const send = index % 2 === 0 ? bank.send : second.send
      return send('POST', '/api/v1/transfers', { token: ada.token, body })
    })
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
    bank.clock.advance(1000)
  }
  await set('99.00')
  await inbox()
  await payTogether()
  assert.deepEqual(await inbox(), [low])
  await deposit(root, from, '50.00')
  await choose(ada, { 'balance-below': 'off' })
  await set('135.00')
  await inbox()
  await payTogether()
  assert.deepEqual(await inbox(), [])
  await choose(ada, { 'balance-below': 'mail' })
  await payTogether()
  assert.deepEqual(await inbox(), [], 'it was below before')
  await deposit(root, from, '50.01')
  await ada.post('/api/v1/transfers', transferBody(from, to, '50.00'))
  assert.equal((await bank.sql('select from mails')).rows.length, 1)
  await set(null)
  assert.deepEqual(await inbox(), [], 'nobody wants it any more')
  await assertSound(bank)
})
