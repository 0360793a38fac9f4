import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingForLock } from '../../../test/support/locks.ts'
import { commonWorld, type Reply, type ApiClient, type World } from '../../../test/support/world.ts'

const unknownId = '01940000-0000-7000-8000-0000000000ff'
const at = (id: string, action = '') => `/api/v1/cards/${id}${action}`
const under = (accountId: string) => `/api/v1/accounts/${accountId}/cards`

const open = async (client: ApiClient): Promise<string> =>
  (await client.post('/api/v1/accounts', { currency: 'EUR' })).body.id

const issue = async (client: ApiClient, accountId: string, body: object = {}): Promise<string> => {
  const reply = await client.post(under(accountId), body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

type Fixture = { bank: World; ada: ApiClient; root: ApiClient; account: string; id: string }

/** Ada has an account with a card. */
async function setUp(): Promise<Fixture> {
  const bank = await commonWorld()
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const account = await open(ada)
  return { bank, ada, root, account, id: await issue(ada, account) }
}

/** `active`, `frozen customer`, `frozen admin`, `cancelled`, or a refusal. */
const outcome = ({ status, body }: Reply): string =>
  status < 300 ? [body.status, body.frozenBy].filter(Boolean).join(' ') : `${status} ${body.code}`

type Step = readonly [who: 'ada' | 'root', action: string | object, outcome: string]

/** Takes steps on one card. An action is the last segment of a POST, or the body of a PUT. */
async function play({ bank, id }: Fixture, steps: readonly Step[]): Promise<void> {
  for (const [who, action, expected] of steps) {
    const client = await bank.as(who)
    const reply =
      typeof action === 'string'
        ? await client.post(at(id, `/${action}`))
        : await client.put(at(id), action)
    assert.equal(outcome(reply), expected, `${who} ${JSON.stringify(action)}`)
    if (reply.status === 200) assert.deepEqual((await client.get(at(id))).body, reply.body)
  }
}

test('a card is issued with a masked number and is valid for three years', async () => {
  const { ada, root, account, id: first } = await setUp()
  const { status, headers, body } = await ada.post(under(account), { nickname: 'Groceries' })
  assert.equal(status, 201)
  assert.equal(headers['location'], at(body.id))
  assert.match(body.maskedNumber, /^•••• •••• •••• \d{4}$/)
  assert.deepEqual(body, {
    id: body.id,
    accountId: account,
    maskedNumber: body.maskedNumber,
    expiryMonth: 1,
    expiryYear: 2029,
    nickname: 'Groceries',
    status: 'active',
    frozenBy: null,
    frozenAt: null,
    currency: 'EUR',
    spentToday: '0.00',
    limits: { perPayment: null, perDay: null },
    channels: { online: true, abroad: true, contactless: true, cash: true },
    createdAt: '2026-01-02T09:00:00.000Z',
  })
  assert.deepEqual((await ada.get(at(body.id))).body, body)
  assert.deepEqual((await ada.get(`/cards/${body.id}`)).body, body)
  const third = await root.post(under(account), {})
  assert.deepEqual([third.status, third.body.accountId], [201, account])
  const { items } = (await ada.get(under(account))).body
  const listed = new Set(items.map((card: { id: string }) => card.id))
  assert.deepEqual([items.length, listed], [3, new Set([first, body.id, third.body.id])])
})

test('each role has its grants and no others, on every route and for every identifier', async () => {
  const { bank, ada, account, id } = await setUp()
  const both = await bank.as('both')
  const bothAccount = await open(both)
  const bothCard = await issue(both, bothAccount)
  const requests = (accountId: string, card: string): [string, string, object?][] => [
    ['GET', under(accountId)],
    ['GET', at(card)],
    ['POST', under(accountId), {}],
    ['POST', at(card, '/freeze')],
    ['POST', at(card, '/unfreeze')],
    ['PUT', at(card), { nickname: 'Mine' }],
  ]
  const ask = async (name: 'ada' | 'ben' | 'agnes' | 'root' | 'both', ...of: [string, string]) => {
    const { token } = await bank.as(name)
    const statuses = []
    for (const [method, path, body] of requests(...of)) {
      const { status, text } = await bank.send(method, path, { token, ...(body && { body }) })
      statuses.push(status)
      if (status === 403) assert.doesNotMatch(text, /maskedNumber|•/)
    }
    return statuses
  }
  const [all, none] = [
    [200, 200, 201, 200, 200, 200],
    [403, 403, 403, 403, 403, 403],
  ]
  const readOnly = [200, 200, 403, 403, 403, 403]
  assert.deepEqual(await ask('ada', account, id), all)
  assert.deepEqual(await ask('root', account, id), all)
  assert.deepEqual(await ask('agnes', account, id), readOnly)
  assert.deepEqual(await ask('both', account, id), readOnly)
  assert.deepEqual(await ask('ben', account, id), none)
  assert.deepEqual(await ask('both', bothAccount, bothCard), all)
  assert.deepEqual(await ask('ada', bothAccount, bothCard), none)
  assert.deepEqual(await ask('ada', unknownId, unknownId), none)
  assert.deepEqual(await ask('agnes', unknownId, unknownId), [404, 404, 403, 403, 403, 403])
  assert.deepEqual(await ask('root', unknownId, unknownId), [404, 404, 404, 404, 404, 404])
  assert.equal((await ada.get(under(account))).body.items.length, 3)
})

test('freezing by POST and by PUT have the same effect and the same responses', async () => {
  const { bank, account, ada } = await setUp()
  const steps = [
    ['ada', 'frozen', 'frozen customer'],
    ['ada', 'frozen', 'frozen customer'],
    ['ada', 'active', 'active'],
    ['ada', 'active', 'active'],
    ['root', 'frozen', 'frozen admin'],
    ['root', 'frozen', 'frozen admin'],
    ['ada', 'frozen', 'frozen admin'],
    ['ada', 'active', '403 forbidden'],
    ['root', 'active', 'active'],
    ['ada', 'frozen', 'frozen customer'],
    ['root', 'frozen', 'frozen admin'],
    ['ada', 'active', '403 forbidden'],
    ['root', 'active', 'active'],
    ['ada', 'frozen', 'frozen customer'],
    ['root', 'active', 'active'],
  ] as const
  const [posted, updated] = [await issue(ada, account), await issue(ada, account)]
  for (const [who, status, expected] of steps) {
    const client = await bank.as(who)
    const byPost = await client.post(at(posted, status === 'frozen' ? '/freeze' : '/unfreeze'))
    const byPut = await client.put(at(updated), { status })
    assert.equal(outcome(byPost), expected, `${who} ${status}`)
    assert.equal(outcome(byPut), expected, `${who} ${status}`)
    if (byPost.status !== 200) assert.equal(byPost.text, byPut.text)
  }
})

test('no route lets a customer unfreeze a card that an administrator froze', async () => {
  const fixture = await setUp()
  await play(fixture, [
    ['root', { status: 'frozen', nickname: 'Seized' }, 'frozen admin'],
    ['ada', 'unfreeze', '403 forbidden'],
    ['ada', { status: 'active' }, '403 forbidden'],
    ['ada', { status: 'active', nickname: 'Mine' }, '403 forbidden'],
    ['ada', { frozenBy: 'customer' }, '400 invalid_request'],
    ['ada', { status: 'frozen', frozenBy: null }, '400 invalid_request'],
    ['ada', 'freeze', 'frozen admin'],
    ['ada', { nickname: 'Mine' }, 'frozen admin'],
    ['ada', 'unfreeze', '403 forbidden'],
  ])
  assert.equal((await fixture.ada.get(at(fixture.id))).body.nickname, 'Mine')
  await play(fixture, [['root', { status: 'active' }, 'active']])
})

test('a nickname changes alone or with the status, stays when left out, and null clears it', async () => {
  const fixture = await setUp()
  const { ada, root, id } = fixture
  const nickname = async () => (await ada.get(at(id))).body.nickname
  await play(fixture, [['ada', { status: 'frozen', nickname: 'Trip' }, 'frozen customer']])
  assert.equal(await nickname(), 'Trip')
  // A new nickname does not change `frozenBy`.
  await play(fixture, [['root', { nickname: 'Journey' }, 'frozen customer']])
  await play(fixture, [['ada', 'unfreeze', 'active']])
  assert.equal(await nickname(), 'Journey')
  await play(fixture, [['ada', { nickname: null }, 'active']])
  assert.equal(await nickname(), null)
  const wrong: object[] = [
    {},
    { status: 'lost' },
    { status: null },
    { status: ['frozen'] },
    { nickname: '' },
    { nickname: '<b>' },
    { maskedNumber: '1' },
    { accountId: unknownId },
    { expiryYear: 2999 },
  ]
  for (const body of wrong) assert.equal((await root.put(at(id), body)).status, 400)
})

test('a cancelled card stays cancelled, for every role', async () => {
  for (const who of ['ada', 'root'] as const) {
    const fixture = await setUp()
    await play(fixture, [
      [
        who,
        { status: 'frozen', nickname: 'Old' },
        who === 'ada' ? 'frozen customer' : 'frozen admin',
      ],
      [who, { status: 'cancelled' }, 'cancelled'],
      ['ada', { status: 'cancelled' }, 'cancelled'],
      ['root', { status: 'cancelled', nickname: 'Old' }, 'cancelled'],
    ])
    for (const client of ['ada', 'root'] as const) {
      await play(fixture, [
        [client, 'freeze', '409 card_cancelled'],
        [client, 'unfreeze', '409 card_cancelled'],
        [client, { status: 'active' }, '409 card_cancelled'],
        [client, { status: 'frozen' }, '409 card_cancelled'],
        [client, { nickname: 'New' }, '409 card_cancelled'],
        [client, { status: 'cancelled', nickname: 'New' }, '409 card_cancelled'],
      ])
    }
    const revive = `set role strongroom_service; update cards set status = 'active'`
    await assert.rejects(fixture.bank.sql(revive), /come back/)
  }
})

test('a customer cannot cancel a card that an administrator froze', async () => {
  const fixture = await setUp()
  const refused = '409 illegal_transition'
  await play(fixture, [
    ['root', 'freeze', 'frozen admin'],
    ['ada', { status: 'cancelled' }, refused],
    ['ada', { status: 'cancelled', nickname: 'Mine' }, refused],
    ['root', 'unfreeze', 'active'],
    ['ada', 'freeze', 'frozen customer'],
    ['ada', { status: 'cancelled' }, 'cancelled'],
  ])
})

test('on a frozen account an owner can only freeze cards, an administrator only freeze or cancel them', async () => {
  const fixture = await setUp()
  const { ada, root, account, id } = fixture
  const turn = (action: string) =>
    root.post(`/api/v1/admin/accounts/${account}/${action}`, { reason: 'Test' })
  await turn('freeze')
  const frozen = '409 account_frozen'
  await play(fixture, [
    ['ada', { status: 'frozen', nickname: 'Mine' }, frozen],
    ['ada', 'freeze', 'frozen customer'],
    ['ada', { status: 'frozen' }, 'frozen customer'],
    ['ada', 'unfreeze', frozen],
    ['ada', { status: 'active' }, frozen],
    ['ada', { nickname: 'Mine' }, frozen],
    ['ada', { status: 'cancelled' }, frozen],
    ['root', 'unfreeze', frozen],
    ['root', { nickname: 'Ours' }, frozen],
    ['root', { status: 'frozen', nickname: 'Ours' }, frozen],
    ['root', 'freeze', 'frozen admin'],
    ['root', { status: 'active' }, frozen],
    ['ada', 'unfreeze', '403 forbidden'],
    ['root', { status: 'cancelled', nickname: null }, 'cancelled'],
  ])
  for (const client of [ada, root])
    assert.equal(outcome(await client.post(under(account), {})), frozen)
  assert.equal((await ada.get(at(id))).status, 200)
  await turn('unfreeze')
  assert.equal((await ada.post(under(account), {})).status, 201)
})

test('a change of a card waits for a freeze of its account, and is decided by the state after it', async () => {
  const { bank, ada, account, id } = await setUp()
  for (const change of [
    () => ada.post(at(id, '/unfreeze')),
    () => ada.put(at(id), { nickname: 'Mine' }),
    () => ada.post(under(account), {}),
  ]) {
    await bank.sql('begin')
    await bank.sql(`update accounts set status = 'frozen' where id = $1`, [account])
    const changing = change()
    await waitingForLock(bank)
    await bank.sql('commit')
    assert.equal(outcome(await changing), '409 account_frozen')
    await bank.sql(`update accounts set status = 'active' where id = $1`, [account])
  }
  assert.deepEqual(outcome(await ada.get(at(id))), 'active')
})

test('a customer’s unfreeze waits for an administrator’s freeze in progress, and is refused', async () => {
  const { bank, ada, id } = await setUp()
  await ada.post(at(id, '/freeze'))
  await bank.sql('begin')
  await bank.sql(`update cards set status = 'frozen', frozen_by = 'admin' where id = $1`, [id])
  const unfreezing = ada.post(at(id, '/unfreeze'))
  await waitingForLock(bank)
  await bank.sql('commit')
  assert.equal(outcome(await unfreezing), '403 forbidden')
  assert.equal(outcome(await ada.get(at(id))), 'frozen admin')
})

test('concurrent changes by both roles and both methods end in a legal state', async () => {
  const { bank, ada, root, account } = await setUp()
  const legal = ['active', 'frozen customer', 'frozen admin', 'cancelled']
  const refusals = ['403 forbidden', '409 card_cancelled', '409 illegal_transition']
  for (let round = 0; round < 8; round++) {
    const id = await issue(ada, account)
    const isCancelling = round % 2 === 0
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const client = index % 2 ? ada : root
        const turn = Math.floor(index / 2) % 5
        if (turn === 0) return client.post(at(id, '/freeze'))
        if (turn === 1) return client.post(at(id, '/unfreeze'))
        if (turn === 2) return client.put(at(id), { status: 'frozen' })
        if (turn === 3) return client.put(at(id), { status: 'active' })
        return client.put(at(id), isCancelling ? { status: 'cancelled' } : { nickname: 'Storm' })
      }),
    )
    for (const result of replies.map(outcome)) {
      assert.ok([...legal, ...refusals].includes(result), result)
    }
    const end = outcome(await ada.get(at(id)))
    assert.ok(isCancelling ? end === 'cancelled' : legal.includes(end), end)
    await root.put(at(id), { status: 'cancelled' })
  }
  // A customer cannot undo the freeze of an administrator, in any order.
  const id = await issue(ada, account)
  await Promise.all([
    root.post(at(id, '/freeze')),
    ...Array.from({ length: 10 }, () => ada.put(at(id), { status: 'active' })),
    ...Array.from({ length: 9 }, () => ada.post(at(id, '/freeze'))),
  ])
  assert.equal(outcome(await ada.get(at(id))), 'frozen admin')
  const { rows } = await bank.sql(
    'select 1 from cards where frozen_by is null and account_id = $1',
    [account],
  )
  assert.equal(rows.length, 9)
})

test('an account has at most ten cards in use, also under concurrent requests', async () => {
  const { ada, root, account, id } = await setUp()
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? ada : root).post(under(account), {})),
  )
  assert.equal(replies.filter(({ status }) => status === 201).length, 9)
  const refused = replies.filter(({ body }) => body.code === 'limit_exceeded')
  assert.deepEqual([refused.length, refused[0]?.status], [11, 409])
  await ada.put(at(id), { status: 'cancelled' })
  assert.equal((await ada.post(under(account), {})).status, 201)
  const full = await ada.post(under(account), {})
  assert.equal(outcome(full), '409 limit_exceeded')
  assert.deepEqual(full.body.limit, { name: 'cards', amount: '10', used: '10' })
  assert.equal((await ada.post(under(await open(ada)), {})).status, 201)
})

test('closing an account cancels its cards', async () => {
  const { bank, ada, root, account, id } = await setUp()
  await ada.put(at(id), { nickname: 'Trip', status: 'frozen' })
  assert.equal((await ada.delete(`/api/v1/accounts/${account}`)).status, 204)
  for (const client of [ada, root]) {
    for (const path of [at(id), under(account)]) assert.equal((await client.get(path)).status, 404)
    assert.equal((await client.post(at(id, '/freeze'))).status, 404)
    assert.equal((await client.post(under(account), {})).status, 404)
  }
  const { rows } = await bank.sql(
    'select status, nickname, frozen_by from cards where account_id = $1',
    [account],
  )
  assert.deepEqual(rows, [{ status: 'cancelled', nickname: null, frozen_by: null }])
})
