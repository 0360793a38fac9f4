import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingForLock } from '../../../test/support/locks.ts'
import { commonWorld, type Reply, type ApiClient, type World } from '../../../test/support/world.ts'

const unknownId = '01940000-0000-7000-8000-0000000000ff'
const grace = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
const at = (id: string, action = '') => `/api/v1/beneficiaries/${id}${action}`
const under = (accountId: string, id?: string) =>
  `/api/v1/accounts/${accountId}/beneficiaries${id === undefined ? '' : `/${id}`}`

const open = async (client: ApiClient): Promise<{ id: string; iban: string }> =>
  (await client.post('/api/v1/accounts', { currency: 'EUR' })).body

const add = async (client: ApiClient, accountId: string, more: object = {}): Promise<string> => {
  const { status, text, body } = await client.post(under(accountId), { ...grace, ...more })
  assert.equal(status, 201, text)
  return body.id
}

const outcome = ({ status, body }: Reply) => (status < 300 ? status : `${status} ${body.code}`)

type Fixture = { bank: World; ada: ApiClient; root: ApiClient; account: string; id: string }

/** Ada has an account with a beneficiary. */
async function setUp(): Promise<Fixture> {
  const bank = await commonWorld()
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const account = (await open(ada)).id
  return { bank, ada, root, account, id: await add(ada, account) }
}

const freeze = (root: ApiClient, account: string, action = 'freeze') =>
  root.post(`/api/v1/admin/accounts/${account}/${action}`, { reason: 'Test' })

test('a customer adds a beneficiary and reads it at both of its paths', async () => {
  const { ada, account } = await setUp()
  const added = await ada.post(under(account), {
    name: 'Zoë Ångström',
    iban: 'NO9386011117947',
    nickname: 'Rent',
  })
  assert.equal(added.status, 201)
  assert.equal(added.headers['location'], at(added.body.id))
  const expected = {
    id: added.body.id,
    accountId: account,
    name: 'Zoë Ångström',
    iban: 'NO9386011117947',
    nickname: 'Rent',
    status: 'active',
    createdAt: '2026-01-02T09:00:00.000Z',
  }
  for (const path of [
    at(expected.id),
    under(account, expected.id),
    `/beneficiaries/${expected.id}`,
  ]) {
    const { status, body } = await ada.get(path)
    assert.deepEqual([status, body], [200, expected])
  }
  assert.deepEqual(added.body, expected)
})

test('the owner uses every route, also with a second role; staff and other customers use none', async () => {
  const { bank, ada, account, id } = await setUp()
  const both = await bank.as('both')
  const bothAccount = (await open(both)).id
  const requests = (accountId: string, target: string): [string, string, object?][] => [
    ['GET', under(accountId)],
    ['POST', under(accountId), { name: 'Anna', iban: 'NL91ABNA0417164300' }],
    ['GET', under(accountId, target)],
    ['GET', at(target)],
    ['POST', at(target, '/deactivate')],
    ['POST', at(target, '/reactivate')],
    ['DELETE', at(target)],
  ]
  const ask = async ({ token }: ApiClient, accountId: string, target: string) => {
    const replies = []
    for (const [method, path, body] of requests(accountId, target)) {
      replies.push(await bank.send(method, path, { token, ...(body && { body }) }))
    }
    return replies
  }
  const before = (await ada.get(under(account))).body
  const refused: Reply[] = []
  for (const name of ['ben', 'agnes', 'root', 'both'] as const) {
    refused.push(...(await ask(await bank.as(name), account, id)))
    refused.push(...(await ask(await bank.as(name), unknownId, unknownId)))
  }
  for (const { status, text } of refused) {
    assert.equal(status, 403)
    assert.equal(text, refused[0]?.text, 'one body for all')
  }
  assert.deepEqual((await ada.get(under(account))).body, before)
  const served = [200, 201, 200, 200, 200, 200, 204]
  assert.deepEqual((await ask(ada, account, id)).map(outcome), served)
  const own = await ask(both, bothAccount, await add(both, bothAccount))
  assert.deepEqual(own.map(outcome), served)
})

test('the account and the beneficiary of one path are both checked, and must belong together', async () => {
  const { bank, ada, account, id } = await setUp()
  const ben = await bank.as('ben')
  const [second, bens] = [(await open(ada)).id, (await open(ben)).id]
  const other = await add(ada, second)
  const foreign = await add(ben, bens)
  const refused = [
    [account, foreign],
    [bens, id],
    [bens, foreign],
    [account, other],
    [second, id],
    [account, unknownId],
    [unknownId, id],
  ] as const
  for (const [accountId, beneficiaryId] of refused) {
    const { status, text } = await ada.get(under(accountId, beneficiaryId))
    assert.equal(status, 403)
    assert.doesNotMatch(text, /Hopper|GB33/)
  }
  assert.equal((await ada.get(under(account, id))).status, 200)
  assert.equal((await ada.get(under(second, other))).status, 200)
})

test('only a valid IBAN in its electronic form and plain names are accepted', async () => {
  const { bank, ada, account } = await setUp()
  const { iban: own } = (await ada.get(`/api/v1/accounts/${account}`)).body
  const ibans = [
    'GB33 BUKB 2020 1555 5555 55',
    'gb33bukb20201555555555',
    ' GB33BUKB20201555555555',
    'GB34BUKB20201555555555',
    'GB00BUKB20201555555555',
    'DE8937040044053201300',
    'DE893704004405320130000',
    'XX89370400440532013000',
    'ＤＥ89370400440532013000',
    "DE89' or 1=1--",
    '',
    own,
  ]
  const wrong: [object, string][] = [
    ...ibans.map((iban): [object, string] => [{ iban }, 'iban']),
    [{ iban: null }, 'iban'],
    [{ iban: { $ne: '' } }, 'iban'],
    [{ name: '' }, 'name'],
    [{ name: '<script>' }, 'name'],
    [{ name: 'Gr\u202eace' }, 'name'],
    [{ name: 'G'.repeat(71) }, 'name'],
    [{ nickname: '' }, 'nickname'],
    [{ status: 'deactivated' }, 'status'],
    [{ id: unknownId }, 'id'],
    [{ accountId: unknownId }, 'accountId'],
    [{ ownerId: unknownId }, 'ownerId'],
  ]
  for (const [change, key] of wrong) {
    const iban = 'NL91ABNA0417164300'
    const { status, body } = await ada.post(under(account), { name: 'Anna', iban, ...change })
    assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(change))
    assert.equal(body.details[0].path, `/body/${key}`)
  }
  const { rows } = await bank.sql('select 1 from beneficiaries where account_id = $1', [account])
  assert.equal(rows.length, 1)
})

test('an account has one beneficiary per IBAN, also under concurrent requests', async () => {
  const { ada, account } = await setUp()
  const second = (await open(ada)).id
  assert.equal(outcome(await ada.post(under(account), grace)), '409 already_exists')
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => ada.post(under(second), { ...grace, name: 'Someone' })),
  )
  assert.equal(replies.filter(({ status }) => status === 201).length, 1)
  assert.equal(replies.filter(({ body }) => body.code === 'already_exists').length, 19)
  for (const { text } of replies.filter(({ status }) => status === 409)) {
    assert.doesNotMatch(text, /iban|GB33|beneficiaries_/i)
  }
})

test('deactivating and reactivating are idempotent and keep all data', async () => {
  const { ada, account, id } = await setUp()
  const before = (await ada.get(at(id))).body
  for (const [action, status] of [
    ['deactivate', 'deactivated'],
    ['deactivate', 'deactivated'],
    ['reactivate', 'active'],
    ['reactivate', 'active'],
  ] as const) {
    const reply = await ada.post(at(id, `/${action}`))
    assert.deepEqual([reply.status, reply.body], [200, { ...before, status }])
    assert.deepEqual((await ada.get(under(account))).body.items, [reply.body])
  }
  await ada.post(at(id, '/deactivate'))
  assert.equal(outcome(await ada.post(under(account), grace)), '409 already_exists')
})

test('deleting is final and leaves no personal data; the owner gets 404', async () => {
  const { bank, ada, account, id } = await setUp()
  const ben = await bank.as('ben')
  await ada.post(at(id, '/deactivate'))
  const other = await add(ada, account, { iban: 'NL91ABNA0417164300', nickname: 'Nick' })
  for (const gone of [id, other]) {
    const { status, text } = await ada.delete(at(gone))
    assert.deepEqual([status, text], [204, ''])
    const again = [
      await ada.delete(at(gone)),
      await ada.get(at(gone)),
      await ada.get(under(account, gone)),
      await ada.post(at(gone, '/deactivate')),
      await ada.post(at(gone, '/reactivate')),
    ]
    for (const reply of again) assert.equal(outcome(reply), '404 not_found')
    assert.equal((await ben.get(at(gone))).status, 403)
    assert.equal((await ben.delete(at(gone))).status, 403)
  }
  assert.deepEqual((await ada.get(under(account))).body.items, [])
  const { rows } = await bank.sql('select * from beneficiaries where account_id = $1 order by id', [
    account,
  ])
  const texts = { name: null, iban: null, nickname: null, created_at: null }
  const unchecked = { payee_result: null, payee_accepted: null }
  const rest = { ...unchecked, status: 'deleted', trusted: false }
  const blank = { account_id: account, ...texts, ...rest }
  assert.deepEqual(
    rows,
    [id, other].toSorted().map((beneficiary) => ({ id: beneficiary, ...blank })),
  )
  // The database refuses to revive it; adding it again makes a new beneficiary.
  const asService = (text: string) => bank.sql(`set role strongroom_service; ${text}`)
  await assert.rejects(asService(`update beneficiaries set status = 'active'`), /come back/)
  await assert.rejects(asService('delete from beneficiaries'), /permission denied/)
  assert.notEqual(await add(ada, account), id)
})

test('of concurrent deletes, deactivations and reactivations, one deletes and none revives', async () => {
  const { bank, ada, account } = await setUp()
  for (let round = 0; round < 5; round++) {
    const id = await add(ada, account, { iban: 'NL91ABNA0417164300' })
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 4 === 0
          ? ada.delete(at(id))
          : ada.post(at(id, index % 4 === 1 ? '/deactivate' : '/reactivate')),
      ),
    )
    const outcomes = replies.map(outcome)
    assert.equal(outcomes.filter((outcome) => outcome === 204).length, 1)
    assert.ok(
      outcomes.every((outcome) => [200, 204, '404 not_found'].includes(outcome)),
      outcomes.join(),
    )
    const { rows } = await bank.sql('select status, iban from beneficiaries where id = $1', [id])
    assert.deepEqual(rows, [{ status: 'deleted', iban: null }])
  }
})

test('while its account is frozen, a beneficiary can be read but not changed', async () => {
  const { ada, root, account, id } = await setUp()
  await freeze(root, account)
  const before = (await ada.get(at(id))).body
  const changes = [
    () => ada.post(under(account), { ...grace, iban: 'NL91ABNA0417164300' }),
    () => ada.post(under(account), grace),
    () => ada.post(at(id, '/deactivate')),
    () => ada.post(at(id, '/reactivate')),
    () => ada.post(at(id, '/untrust')),
    () => ada.patch(at(id), { nickname: 'Rent' }),
    () => ada.delete(at(id)),
  ]
  for (const change of changes) {
    assert.equal(outcome(await change()), '409 account_frozen')
    assert.deepEqual((await ada.get(under(account))).body.items, [before])
  }
  await freeze(root, account, 'unfreeze')
  assert.equal((await ada.post(at(id, '/deactivate'))).status, 200)
})

test('a change waits for a freeze in progress, and is decided by the state after it', async () => {
  const { bank, ada, account, id } = await setUp()
  const changes = [
    () => ada.post(under(account), { ...grace, iban: 'NL91ABNA0417164300' }),
    () => ada.post(at(id, '/deactivate')),
    () => ada.delete(at(id)),
  ]
  for (const change of changes) {
    await bank.sql('begin')
    await bank.sql(`update accounts set status = 'frozen' where id = $1`, [account])
    const changing = change()
    await waitingForLock(bank)
    await bank.sql('commit')
    assert.equal(outcome(await changing), '409 account_frozen')
    await bank.sql(`update accounts set status = 'active' where id = $1`, [account])
  }
  const { items } = (await ada.get(under(account))).body
  assert.deepEqual([items.length, items[0].status], [1, 'active'])
})

test('a change waits for a deletion in progress, and finds nothing after it', async () => {
  const { bank, ada, account, id: first } = await setUp()
  const changes = {
    deactivate: (id: string) => ada.post(at(id, '/deactivate')),
    reactivate: (id: string) => ada.post(at(id, '/reactivate')),
    untrust: (id: string) => ada.post(at(id, '/untrust')),
    rename: (id: string) => ada.patch(at(id), { nickname: 'Rent' }),
    delete: (id: string) => ada.delete(at(id)),
  }
  let id = first
  for (const [name, change] of Object.entries(changes)) {
    await bank.sql('begin')
    await bank.sql('select from accounts where id = $1 for update', [account])
    await bank.sql(
      `update beneficiaries
       set status = 'deleted', name = null, iban = null, nickname = null, created_at = null
       where id = $1`,
      [id],
    )
    const changing = change(id)
    await waitingForLock(bank)
    await bank.sql('commit')
    assert.equal(outcome(await changing), '404 not_found', name)
    id = await add(ada, account)
  }
})

test('closing an account deletes its beneficiaries and their personal data', async () => {
  const { bank, ada, account, id } = await setUp()
  assert.equal((await ada.delete(`/api/v1/accounts/${account}`)).status, 204)
  const gone = [
    await ada.get(at(id)),
    await ada.get(under(account)),
    await ada.get(under(account, id)),
    await ada.post(under(account), grace),
    await ada.delete(at(id)),
  ]
  for (const reply of gone) assert.equal(outcome(reply), '404 not_found')
  const { rows } = await bank.sql(
    'select name, iban, status from beneficiaries where account_id = $1',
    [account],
  )
  assert.deepEqual(rows, [{ name: null, iban: null, status: 'deleted' }])
})

test('the list of an account is paged, newest first', async () => {
  const { bank, ada, account, id } = await setUp()
  const second = (await open(ada)).id
  await add(ada, second)
  const added = [id]
  for (const iban of ['NL91ABNA0417164300', 'DE89370400440532013000']) {
    bank.clock.advance(1)
    added.unshift(await add(ada, account, { iban }))
  }
  const readIds = ({ body }: Reply) => body.items.map(({ id }: { id: string }) => id)
  const first = await ada.get(`${under(account)}?limit=2`)
  assert.deepEqual(readIds(first), added.slice(0, 2))
  const next = await ada.get(`${under(account)}?cursor=${first.body.nextCursor}`)
  assert.deepEqual([readIds(next), next.body.nextCursor], [added.slice(2), null])
  const elsewhere = await ada.get(`${under(second)}?cursor=${first.body.nextCursor}`)
  assert.equal(elsewhere.status, 400)
})

test('one finds the beneficiaries of all own open accounts by name, nickname or IBAN, and nobody else does', async () => {
  const { bank, ada, account, id } = await setUp()
  const second = (await open(ada)).id
  const iban = 'NL91ABNA0417164300'
  const other = await add(ada, second, { name: 'Otto Example', nickname: 'Flat', iban })
  const find = async (query = '', client = ada) => {
    const { body } = await client.get(`/api/v1/beneficiaries${query}`)
    const found = new Set(body.items.map((item: { id: string }) => item.id))
    return [id, other].filter((one) => found.has(one))
  }
  assert.deepEqual(await find('?limit=100'), [id, other])
  for (const text of ['otto', 'FLAT', 'nl91 abna']) {
    assert.deepEqual(await find(`?text=${encodeURIComponent(text)}`), [other], text)
  }
  assert.deepEqual(await find('?text=NL92'), [])
  assert.deepEqual(await find('', await bank.login('ben')), [])
  assert.equal((await ada.delete(`/api/v1/accounts/${second}`)).status, 204)
  assert.deepEqual(await find('?limit=100'), [id])
  assert.deepEqual((await ada.get(under(account))).body.items.length, 1)
})
