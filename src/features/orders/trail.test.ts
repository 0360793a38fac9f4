// A standing order leaves a trace, whoever made or changed it, and is found by what a thief had:
// the session, the program or its key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvent, readEvents } from '../../../test/support/audit-events.ts'
import { confirmAnyway, giveFactor } from '../../../test/support/confirmations.ts'
import { assertSound, patiently } from '../../../test/support/fixture.ts'
import { readMails } from '../../../test/support/mailbox.ts'
import { elsewhere, orderScene } from '../../../test/support/orders.ts'
import { newProgram, serviceAccountsPath } from '../../../test/support/service-accounts.ts'
import { type ApiClient, people, type Reply, world } from '../../../test/support/world.ts'

test('each change of an order is an event with the terms before and after it', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const asked = await bank.ask({ retryDays: 2 })
  const id = asked.body.id as string
  const of = (path = '') => `/api/v1/orders/${id}${path}`
  const ada = bank.ada()
  const steps: [action: string, reply: () => Promise<Reply>, changed: object, detail?: string][] = [
    ['createOrder', async () => asked, {}],
    [
      'updateOrder',
      () => ada.patch(of(), { amount: '7.00', toAccountId: bank.to, reference: 'Mine' }),
      { amount: '7.00', reference: 'Mine', payeeName: null, toAccountId: bank.to },
      'amount, toAccountId, reference',
    ],
    ['pauseOrder', () => ada.post(of('/pause')), { status: 'paused', pausedBecause: 'owner' }],
    ['resumeOrder', () => ada.post(of('/resume')), { status: 'active', pausedBecause: null }],
    ['skipNextOrder', () => ada.post(of('/skip-next')), { nextOn: '2026-02-28' }],
    ['endOrder', () => ada.delete(of()), { status: 'ended', nextOn: null }],
  ]
  const terms = {
    beneficiaryId: bank.payeeId,
    payeeName: 'Otto Example',
    payeeIban: elsewhere,
    amount: '100.00',
    currency: 'EUR',
    reference: 'Rent',
    rhythm: 'monthly',
    firstOn: '2026-01-31',
    lastOn: null,
    retryDays: 2,
    status: 'active',
    pausedBecause: null,
    nextOn: '2026-01-31',
    orderedBy: people.ada.id,
    orderedWith: ada.sessionId,
  }
  const ownIban = (await ada.get(`/api/v1/accounts/${bank.to}`)).body.iban
  let before: object | null = null
  for (const [action, send, changed, detail = null] of steps) {
    const reply = await patiently(send)
    assert.ok(reply.status < 300, reply.text)
    const { order, ...event } = (await readEvent(made, reply)) as Record<string, unknown>
    assert.deepEqual(event, {
      actorId: people.ada.id,
      action,
      target: id,
      outcome: 'success',
      address: '127.0.0.1',
      detail,
    })
    const after: Record<string, unknown> = { ...(before ?? terms), ...changed }
    if (after['toAccountId'] !== undefined) {
      delete after['beneficiaryId']
      after['payeeIban'] = ownIban
    }
    assert.deepEqual(order, { before, after }, action)
    before = after
  }
  await assertSound(made)
})

test('an order that is refused, and the repetition of one that was made, leave no event', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const count = async () =>
    (
      await bank.sql(
        `select (select count(*) from audit_events where action like '%Order')::int as events,
           (select count(*) from standing_order_changes)::int as changes,
           (select count(*) from mails)::int as mails`,
      )
    ).rows[0]
  const path = `/api/v1/accounts/${bank.from}/orders`
  const body = {
    toAccountId: bank.to,
    amount: '5.00',
    currency: 'EUR',
    rhythm: 'once',
    firstOn: '2026-01-05',
  }
  const headers = { 'idempotency-key': 'one' }
  const [first, again] = [
    await bank.ada().post(path, body, { headers }),
    await bank.ada().post(path, body, { headers }),
  ]
  assert.deepEqual([first.status, again.body.id], [201, first.body.id])
  const { id } = first.body
  assert.equal((await bank.ada().delete(`/api/v1/orders/${id}`)).status, 204)
  const before = await count()
  assert.deepEqual(before, { events: 2, changes: 2, mails: before?.['mails'] })
  assert.equal((await bank.ada().post(`/api/v1/orders/${id}/resume`)).status, 409)
  assert.equal((await patiently(() => bank.ask({ currency: 'USD' }))).status, 409)
  assert.deepEqual(await count(), before)
})

test('a new order and a changed payee or amount are mailed to the holder, other changes are not', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const program = await newProgram(bank, { readAccounts: people.ada.id, payFrom: [bank.from] })
  const id = await bank.make()
  const change = async (client: Pick<ApiClient, 'patch'>, body: object, of = id) => {
    const reply = await patiently(() => client.patch(`/api/v1/orders/${of}`, body))
    assert.equal(reply.status, 200, reply.text)
  }
  await change(bank.ada(), { amount: '1234.50' })
  await change(bank.ada(), { toAccountId: bank.to })
  await change(bank.ada(), { reference: 'Other' })
  await change(bank.ada(), { lastOn: '2027-01-31', retryDays: 1 })
  assert.equal((await bank.ada().post(`/api/v1/orders/${id}/pause`)).status, 200)
  const its = await program.post(`/api/v1/accounts/${bank.from}/orders`, {
    beneficiaryId: bank.payeeId,
    amount: '2.00',
    currency: 'EUR',
    rhythm: 'once',
    firstOn: '2026-01-05',
    reference: 'Look at evil.example',
  })
  await change(program, { amount: '3.00' }, its.body.id)
  await bank.work()
  const mails = (await readMails(made)).filter(({ subject }) => subject?.includes('order'))
  const told = mails.map(({ subject, text = '', to }) => {
    assert.equal(to?.[0]?.address, 'ada@example.com')
    assert.doesNotMatch(text, /Rent|Otto|evil/, 'no text that a client chose')
    const [, paragraph = ''] = text.split('\n\n')
    return `${subject}: ${paragraph.replace(/\s+/g, ' ')}`.replace(/ends in \d{4}/g, 'ends in N')
  })
  const at = '2 January 2026 at 09:00 UTC'
  const way = 'from your account that ends in N, to an account that ends in N'
  const changed = 'A standing order was changed: the payee or the amount of a standing order was'
  assert.deepEqual(told.toSorted(), [
    `A new standing order: a standing order was made on ${at}, by a program that may pay from your account. It pays 2.00 EUR ${way}, once, on 5 January 2026.`,
    `A new standing order: a standing order was made on ${at}, with your login. It pays 100.00 EUR ${way}, every month from 31 January 2026 on.`,
    `${changed} changed on ${at}, by a program that may pay from your account. It now pays 3.00 EUR ${way}, once, on 5 January 2026.`,
    `${changed} changed on ${at}, with your login. It now pays 1,234.50 EUR ${way}, every month from 31 January 2026 on.`,
    `${changed} changed on ${at}, with your login. It now pays 1,234.50 EUR ${way}, every month from 31 January 2026 on.`,
  ])
})

test('orders are found by the session, person, program or key that made or changed them, whatever was changed since', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const [root, thief] = [await made.login('root'), await made.login('ada')]
  const program = await newProgram(bank, { readAccounts: people.ada.id, payFrom: [bank.from] })
  const theirs = await bank.make({ firstOn: '2026-02-01' })
  const [paused, retargeted, ended] = [await bank.make(), await bank.make(), await bank.make()]
  const act = async (send: () => Promise<Reply>) => {
    const reply = await patiently(send)
    assert.ok(reply.status < 300, reply.text)
    return reply.body
  }
  await act(() => thief.post(`/api/v1/orders/${paused}/pause`))
  await act(() => thief.patch(`/api/v1/orders/${retargeted}`, { toAccountId: bank.to }))
  await act(() => bank.ada().patch(`/api/v1/orders/${retargeted}`, { amount: '1.00' }))
  await act(() => thief.delete(`/api/v1/orders/${ended}`))
  const body = { toAccountId: bank.to, amount: '5.00', currency: 'EUR', rhythm: 'weekly' }
  const path = `/api/v1/accounts/${bank.from}/orders`
  const its = (await act(() => program.post(path, { ...body, firstOn: '2026-01-05' }))).id
  const bens = await openedBy(made)

  const find = async (client: ApiClient, query: string) => {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const next: string = cursor && `&cursor=${cursor}`
      const reply = await patiently(() => client.get(`/api/v1/orders?limit=2${query}${next}`))
      assert.equal(reply.status, 200, reply.text)
      found.push(...reply.body.items.map(({ id }: { id: string }) => id))
      cursor = reply.body.nextCursor
    }
    return found
  }
  const newest = (...ids: string[]) => ids.toSorted().toReversed()
  const changed = newest(paused, retargeted, ended)
  const hers = newest(theirs, ...changed, its)
  const ada = bank.ada()
  assert.deepEqual(await find(root, `&orderedBy=${thief.sessionId}`), changed)
  assert.deepEqual(await find(root, `&orderedBy=${thief.sessionId}&status=ended`), [ended])
  const open = newest(paused, retargeted)
  assert.deepEqual(await find(root, `&orderedBy=${thief.sessionId}&status=open`), open)
  assert.deepEqual(await find(root, `&orderedBy=${program.id}`), [its])
  assert.deepEqual(await find(root, `&orderedBy=${program.keyId}`), [its])
  const disabled = await patiently(() =>
    root.patch(`${serviceAccountsPath}/${program.id}`, { status: 'disabled' }),
  )
  assert.deepEqual([disabled.body.status, disabled.body.openOrders], ['disabled', 1])
  assert.deepEqual(await find(root, `&orderedBy=${people.ada.id}`), newest(theirs, ...changed))
  assert.deepEqual(await find(root, `&ownerId=${people.ada.id}`), hers)
  assert.deepEqual(await find(root, ''), newest(bens, ...hers))
  assert.deepEqual(await find(ada, ''), hers)
  assert.deepEqual(await find(ada, `&orderedBy=${thief.sessionId}`), changed)
  assert.deepEqual(await find(ada, `&orderedBy=${people.ben.id}`), [])
  const foreign = await patiently(() => ada.get(`/api/v1/orders?ownerId=${people.ben.id}`))
  assert.deepEqual([foreign.status, foreign.body.code], [403, 'forbidden'])

  const shown = async (client: ApiClient, id: string) =>
    (await patiently(() => client.get(`/api/v1/orders/${id}`))).body.orderedWith
  assert.equal(await shown(root, its), program.keyId)
  assert.equal(await shown(root, retargeted), ada.sessionId)
  assert.equal(await shown(ada, its), undefined, 'for staff alone')
})

async function openedBy(made: Awaited<ReturnType<typeof world>>): Promise<string> {
  const ben = await made.as('ben')
  const open = async (path: string, body: object) => {
    const reply = await ben.post(path, body)
    assert.equal(reply.status, 201, reply.text)
    return reply.body.id as string
  }
  const from = await open('/api/v1/accounts', { currency: 'EUR' })
  const to = await open('/api/v1/accounts', { currency: 'EUR' })
  const order = { toAccountId: to, amount: '1.00', currency: 'EUR' }
  const days = { rhythm: 'once', firstOn: '2026-03-01' }
  return open(`/api/v1/accounts/${from}/orders`, { ...order, ...days })
}

test('an administrator ends an order of a frozen account, which its holder cannot, and the event has its terms', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const id = await bank.make()
  const root = await made.login('root')
  const freeze = `/api/v1/admin/accounts/${bank.from}/freeze`
  assert.equal((await root.post(freeze, { reason: 'Theft' })).status, 200)
  const path = `/api/v1/orders/${id}`
  assert.equal((await bank.ada().delete(path)).body.code, 'account_frozen')
  assert.equal((await (await made.login('agnes')).delete(path)).status, 403)
  const ended = await root.delete(path)
  assert.equal(ended.status, 204, ended.text)
  const [event, ...others] = (await readEvents(made, ended)) as unknown as {
    actorId: string
    action: string
    target: string
    order: { before: { status: string }; after: { status: string } }
  }[]
  assert.deepEqual([event?.actorId, event?.action, event?.target], [people.root.id, 'endOrder', id])
  assert.deepEqual(
    [event?.order.before.status, event?.order.after.status, others],
    ['active', 'ended', []],
  )
  await assertSound(made)
})

test('a program without a live key orders no more, and its owner is told; a new key goes on', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  const program = await newProgram(bank, { readAccounts: people.ada.id, payFrom: [bank.from] })
  const order = { toAccountId: bank.to, amount: '5.00', currency: 'EUR', rhythm: 'weekly' }
  const path = `/api/v1/accounts/${bank.from}/orders`
  const asked = await program.post(path, { ...order, firstOn: '2026-01-02' })
  const id = asked.body.id as string
  const root = await made.login('root')
  const keys = `${serviceAccountsPath}/${program.id}/keys`
  const second = await root.post(keys)
  assert.equal((await root.delete(`${keys}/${program.keyId}`)).status, 204)
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-02 made'], 'another key lives')
  assert.equal((await root.delete(`${keys}/${second.body.id}`)).status, 204)
  await bank.goTo('2026-01-09')
  assert.equal((await bank.runs(id))[0], '2026-01-09 refused forbidden')
  assert.equal((await bank.told()).length, 1)
  assert.equal((await (await made.login('root')).post(keys)).status, 201)
  await bank.goTo('2026-01-16')
  assert.equal((await bank.runs(id))[0], '2026-01-16 made')
})

test('all terms that an order pays by are confirmed, also those that a change leaves as they are', async (t) => {
  const made = await world(t)
  const bank = await orderScene(made)
  await giveFactor(made, 'ada')
  const path = `/api/v1/accounts/${bank.from}/orders`
  const body = {
    beneficiaryId: bank.payeeId,
    amount: '100.00',
    currency: 'EUR',
    rhythm: 'monthly',
    firstOn: '2026-01-31',
    lastOn: '2026-06-30',
    retryDays: 3,
    reference: 'Rent',
  }
  const order = (more: object, headers: Record<string, string> = {}) =>
    bank.ada().post(path, { ...body, ...more }, { headers })
  const shown = ({ body: { challenge } }: Reply) => {
    const { payee, iban, amount, currency, rhythm, firstOn, lastOn, retryDays, reference } =
      challenge.terms
    return [payee, iban, amount, currency, rhythm, firstOn, lastOn, retryDays, reference].join(' ')
  }
  const about = `Otto Example ${elsewhere}`
  const refused = await order({})
  assert.equal(shown(refused), `${about} 100.00 EUR monthly 2026-01-31 2026-06-30 3 Rent`)
  const headers = await confirmAnyway(made, refused)
  const swapped = await order({ reference: 'Rant' }, headers)
  assert.equal(swapped.body.code, 'confirmation_required', 'another reference is not confirmed')
  const asked = await order({}, headers)
  assert.equal(asked.status, 201, asked.text)
  const patch = (change: object) =>
    patiently(() => bank.ada().patch(`/api/v1/orders/${asked.body.id}`, change))
  const changed = await patch({ lastOn: null, retryDays: null })
  assert.equal(shown(changed), `${about} 100.00 EUR monthly 2026-01-31   Rent`)
  const amount = await patch({ amount: '7.00' })
  assert.equal(shown(amount), `${about} 7.00 EUR monthly 2026-01-31 2026-06-30 3 Rent`)
})
