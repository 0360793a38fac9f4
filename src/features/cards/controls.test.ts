// What the owner of a card allows it, and who froze it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvent } from '../../../test/support/audit-events.ts'
import { giveFactor, sendConfirmed } from '../../../test/support/confirmations.ts'
import { waitingForLock } from '../../../test/support/locks.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { people, type Reply, type World, world } from '../../../test/support/world.ts'

const all = { online: true, abroad: true, contactless: true, cash: true }
const since = '2026-01-02T09:00:00.000Z'

async function setUp(t: Parameters<typeof world>[0], currency = 'EUR') {
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const account: string = (await ada.post('/api/v1/accounts', { currency })).body.id
  const card: string = (await ada.post(`/api/v1/accounts/${account}/cards`, {})).body.id
  const path = `/api/v1/cards/${card}`
  const set = (body: object) => ada.patch(`${path}/controls`, body)
  return { bank, ada, root, account, card, path, set }
}

/** Freezes or unfreezes the account. */
const turn = async (bank: World, account: string, verb: 'freeze' | 'unfreeze') =>
  (await bank.as('root')).post(`/api/v1/admin/accounts/${account}/${verb}`, { reason: 'Test' })

test('a new card has no limits and all channels; its owner changes one thing and the rest stays', async (t) => {
  const { bank, ada, account, path, set } = await setUp(t)
  const { limits, channels, currency } = (await ada.get(path)).body
  assert.deepEqual([limits, channels, currency], [{ perPayment: null, perDay: null }, all, 'EUR'])
  const set1 = await set({ currency: 'EUR', limits: { perDay: '250' } })
  assert.deepEqual(set1.body.limits, { perPayment: null, perDay: '250.00' })
  const set2 = await set({ limits: { perPayment: '0' }, channels: { abroad: false } })
  assert.deepEqual(set2.body.limits, { perPayment: '0.00', perDay: '250.00' })
  assert.deepEqual(set2.body.channels, { ...all, abroad: false })
  const set3 = await set({ limits: { perPayment: null, perDay: null } })
  assert.deepEqual(set3.body.limits, { perPayment: null, perDay: null })
  assert.deepEqual((await ada.get(path)).body, set3.body)
  const { items } = (await ada.get(`/api/v1/accounts/${account}/cards`)).body
  assert.deepEqual(items, [set3.body])
  const staff = await (await bank.as('agnes')).get(path)
  assert.deepEqual(staff.body, { ...set3.body, frozenByActor: null })
})

test('limits and channels are the owner’s alone, and what is not a change of them is refused', async (t) => {
  const { bank, ada, root, path, set } = await setUp(t)
  const before = (await ada.get(path)).text
  for (const who of ['ben', 'agnes', 'root'] as const) {
    const reply = await (
      await bank.as(who)
    ).patch(`${path}/controls`, { channels: { cash: false } })
    assert.equal(reply.status, 403, who)
  }
  const wrong: [object, string][] = [
    [{}, '400 invalid_request'],
    [{ limits: {} }, '400 invalid_request'],
    [{ channels: { online: null } }, '400 invalid_request'],
    [{ channels: { chip: false } }, '400 invalid_request'],
    [{ limits: { perDay: '-1' } }, '400 invalid_request'],
    [{ limits: { perDay: '1.005' } }, '400 invalid_request'],
    [{ limits: { perDay: 5 } }, '400 invalid_request'],
    [{ currency: 'USD', limits: { perDay: '5' } }, '409 currency_mismatch'],
  ]
  for (const [body, outcome] of wrong) {
    const { status, body: answer } = await set(body)
    assert.equal(`${status} ${answer.code}`, outcome, JSON.stringify(body))
  }
  assert.equal((await ada.get(path)).text, before)
  await root.put(path, { status: 'cancelled' })
  assert.equal((await set({ channels: { cash: false } })).body.code, 'card_cancelled')
})

test('on a frozen account no limit or channel changes, also when the freeze is under way', async (t) => {
  const { bank, account, set } = await setUp(t)
  await turn(bank, account, 'freeze')
  assert.equal((await set({ channels: { cash: false } })).body.code, 'account_frozen')
  await turn(bank, account, 'unfreeze')
  await bank.sql('begin')
  await bank.sql(`update accounts set status = 'frozen' where id = $1`, [account])
  const changing = set({ channels: { cash: false } })
  await waitingForLock(bank)
  await bank.sql('commit')
  assert.equal((await changing).body.code, 'account_frozen')
})

test('what allows a card more is confirmed by a person with a second factor, what allows it less is not', async (t) => {
  const { bank, ada, path } = await setUp(t)
  await giveFactor(bank, 'ada')
  const owner = await bank.as('ada')
  const send = (body: object) => owner.patch(`${path}/controls`, body)
  const less = [
    { limits: { perPayment: '100', perDay: '500' } },
    { limits: { perPayment: '50' }, channels: { online: false, abroad: false } },
    { channels: { contactless: false, cash: false } },
    { limits: { perDay: '500.00' } },
  ]
  for (const body of less) assert.equal((await send(body)).status, 200, JSON.stringify(body))
  const more = [
    { limits: { perPayment: '50.01' } },
    { limits: { perPayment: null } },
    { limits: { perDay: '500.01', perPayment: '1' } },
    { limits: { perDay: null } },
    { channels: { online: true } },
    { channels: { abroad: true } },
    { channels: { contactless: true } },
    { channels: { cash: true } },
  ]
  for (const body of more) {
    const before = (await ada.get(path)).text
    const refused = await send(body)
    assert.equal(refused.body.code, 'confirmation_required', JSON.stringify(body))
    assert.equal((await ada.get(path)).text, before)
  }
  const done = await sendConfirmed(bank, (headers) =>
    owner.patch(`${path}/controls`, { channels: all }, { headers }),
  )
  assert.deepEqual([done.status, done.body.channels], [200, all])
})

test('a person that confirms a card that may do more sees all that it may do then', async (t) => {
  const { bank, root, account, path } = await setUp(t)
  const ada = await bank.as('ada')
  const { iban } = (await ada.get(`/api/v1/accounts/${account}`)).body
  await ada.patch(`${path}/controls`, {
    limits: { perPayment: '50', perDay: '250' },
    channels: { cash: false },
  })
  await ada.post(`${path}/freeze`)
  await giveFactor(bank, 'ada')
  const shown = ({ body, text }: Reply) => {
    assert.equal(body.code, 'confirmation_required', text)
    const {
      operation: _of,
      accountId: _,
      id: _id,
      bodySha256: _body,
      ...terms
    } = body.challenge.terms
    return terms
  }
  const { maskedNumber: card } = (await ada.get(path)).body
  const unlimited = { currency: 'EUR', perPayment: 'none', perDay: 'none' }
  const isThen = { card, currency: 'EUR', perPayment: '50.00', perDay: '250.00' }
  const channels = 'online, abroad, contactless'
  const cards = `/api/v1/accounts/${account}/cards`
  assert.deepEqual(shown(await ada.post(cards, {})), {
    iban,
    ...unlimited,
    channels: `${channels}, cash`,
  })
  for (const refused of [
    await ada.post(`${path}/unfreeze`),
    await ada.put(path, { status: 'active', nickname: 'Trip' }),
  ]) {
    assert.deepEqual(shown(refused), { ...isThen, channels })
  }
  const raised = { limits: { perDay: null }, channels: { cash: true, online: false } }
  assert.deepEqual(shown(await ada.patch(`${path}/controls`, raised)), {
    ...isThen,
    perDay: 'none',
    channels: 'abroad, contactless, cash',
  })
  assert.deepEqual((await ada.get(cards)).body.items.length, 1)
  assert.equal((await ada.get(path)).body.status, 'frozen')

  // What a confirmation showed of a new card is what that card may do.
  const issued = await sendConfirmed(bank, (headers) => ada.post(cards, {}, { headers }))
  assert.deepEqual(
    [issued.status, issued.body.limits, issued.body.channels],
    [201, { perPayment: null, perDay: null }, all],
  )
  const thawed = await sendConfirmed(bank, (headers) =>
    ada.post(`${path}/unfreeze`, undefined, { headers }),
  )
  assert.deepEqual([thawed.status, thawed.body.status], [200, 'active'])
  // What lets no money out needs none: to freeze, to rename, and what is so already.
  for (const harmless of [
    await ada.post(`${path}/unfreeze`),
    await ada.put(path, { status: 'active', nickname: 'Trip' }),
    await ada.post(`${path}/freeze`),
    await ada.put(path, { status: 'cancelled' }),
  ]) {
    assert.equal(harmless.status, 200, harmless.text)
  }
  assert.equal((await root.post(cards, {})).status, 201, 'staff without a factor')
})

test('a card that is frozen while its unfreezing is sent is unfrozen with a confirmation alone', async (t) => {
  const { bank, account, path, card } = await setUp(t)
  await giveFactor(bank, 'ada')
  const ada = await bank.as('ada')
  await bank.sql('begin')
  await bank.sql('select from accounts where id = $1 for update', [account])
  const freeze = `update cards set status = 'frozen', frozen_by = 'customer' where id = $1`
  await bank.sql(freeze, [card])
  const sent = ada.post(`${path}/unfreeze`)
  await waitingForLock(bank)
  await bank.sql('commit')
  assert.equal((await sent).body.code, 'confirmation_required')
})

test('the trail says who changed a card, and from what to what', async (t) => {
  const { bank, ada, path, set } = await setUp(t)
  const about = async (reply: Reply) => {
    assert.equal(reply.status, 200, reply.text)
    const { actorId, action, detail } = await readEvent(bank, reply)
    assert.equal(actorId, people.ada.id)
    return `${action} ${detail}`
  }
  const changes = { limits: { perDay: '250' }, channels: { cash: false } }
  assert.deepEqual(
    [
      await about(await set(changes)),
      await about(await ada.post(`${path}/freeze`)),
      await about(await ada.put(path, { status: 'active' })),
      await about(await ada.put(path, { nickname: 'Trip' })),
    ],
    [
      'updateCardControls perDay: none > 250.00; ' +
        'channels: online, abroad, contactless, cash > online, abroad, contactless',
      'freezeCard status: active > frozen',
      'updateCard status: frozen > active',
      'updateCard nickname',
    ],
  )
})

test('a limit that is lowered while a rise is sent makes the rise one that has to be confirmed', async (t) => {
  const { bank, account, path, card } = await setUp(t)
  await giveFactor(bank, 'ada')
  const owner = await bank.as('ada')
  await owner.patch(`${path}/controls`, { limits: { perDay: '100' } })
  await bank.sql('begin')
  await bank.sql('select from accounts where id = $1 for no key update', [account])
  await bank.sql('update cards set per_day_limit = 5000 where id = $1', [card])
  const changing = owner.patch(`${path}/controls`, { limits: { perDay: '80' } })
  await waitingForLock(bank)
  await bank.sql('commit')
  assert.equal((await changing).body.code, 'confirmation_required')
})

test('staff see who froze a card and when; its owner sees when, and whether it was the bank', async (t) => {
  const { bank, ada, root, path } = await setUp(t)
  const agnes = await bank.as('agnes')
  const nameOf = ({ givenName, familyName }: { givenName: string; familyName: string }) =>
    `${givenName} ${familyName}`
  const seen = async () => {
    const { body } = await agnes.get(path)
    const own = (await ada.get(path)).body
    assert.deepEqual(own.frozenAt, body.frozenAt)
    assert.ok(!('frozenByActor' in own))
    return [body.frozenBy, body.frozenAt, body.frozenByActor]
  }
  assert.deepEqual(await seen(), [null, null, null])
  await ada.post(`${path}/freeze`)
  const byAda = { id: people.ada.id, name: nameOf(people.ada) }
  assert.deepEqual(await seen(), ['customer', since, byAda])
  bank.clock.advance(60_000)
  await ada.put(path, { status: 'frozen', nickname: 'Trip' })
  assert.deepEqual(await seen(), ['customer', since, byAda], 'the first freeze stays')
  await root.post(`${path}/freeze`)
  const byRoot = { id: people.root.id, name: nameOf(people.root) }
  const later = '2026-01-02T09:01:00.000Z'
  assert.deepEqual(await seen(), ['admin', later, byRoot])
  bank.clock.advance(60_000)
  await ada.post(`${path}/freeze`)
  await root.put(path, { status: 'frozen' })
  assert.deepEqual(await seen(), ['admin', later, byRoot], 'that of the administrator stays')
  await root.post(`${path}/unfreeze`)
  assert.deepEqual(await seen(), [null, null, null])
  const program = await newProgram(bank, { operations: ['freezeCard'] })
  await program.post(`${path}/freeze`)
  const [part, at, by] = await seen()
  assert.deepEqual([part, at, typeof by.name], ['admin', '2026-01-02T09:02:00.000Z', 'string'])
})

test('a release that knows nothing of it leaves no wrong time or name of a freeze behind', async (t) => {
  const { bank, ada, root, path, card } = await setUp(t)
  await ada.post(`${path}/freeze`)
  // As 0.2.0 does it: the freeze of an administrator takes the place of the customer's.
  await bank.sql(`update cards set frozen_by = 'admin' where id = $1`, [card])
  assert.deepEqual((await root.get(path)).body.frozenAt, null)
  await root.post(`${path}/unfreeze`)
  await ada.post(`${path}/freeze`)
  await bank.sql(`update cards set status = 'active', frozen_by = null where id = $1`, [card])
  await bank.sql(`update cards set status = 'frozen', frozen_by = 'customer' where id = $1`, [card])
  const { frozenBy, frozenAt, frozenByActor } = (await root.get(path)).body
  assert.deepEqual([frozenBy, frozenAt, frozenByActor], ['customer', null, null])
})
