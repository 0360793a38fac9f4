// The rules of four eyes: two people, both of whom may make the change when it is executed, once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartupError } from '../../domain/startup-error.ts'
import {
  allOperations,
  approve,
  approvalsPath,
  approvalAt,
  makeAdministrator,
  type Pair,
  pairOf,
} from '../../../test/support/approvals.ts'
import { readEvents } from '../../../test/support/audit-events.ts'
import { confirmAnyway, giveFactor, sendConfirmed } from '../../../test/support/confirmations.ts'
import { dump } from '../../../test/support/database-dump.ts'
import {
  assertSound,
  many,
  openAccount,
  patiently,
  readBalance,
  tally,
} from '../../../test/support/fixture.ts'
import { newProgram, serviceAccountsPath } from '../../../test/support/service-accounts.ts'
import {
  clientWith,
  commonWorld,
  people,
  type Reply,
  world,
  type World,
} from '../../../test/support/world.ts'
import { rotateSigningKey } from '../../gate/provision.ts'
import { routes } from '../routes.ts'
import { isStaffChange } from '../../http/route.ts'

const settings = {
  FOUR_EYES: 'createDeposit,createUser,freezeAccount,updateUser,settleTransfer',
  SESSION_IDLE: '12h',
  TOKEN_TTL: '12h',
}
const hourMs = 3_600_000

type Scene = World & Pair & { account: string }

async function scene(bank: World): Promise<Scene> {
  const pair = await pairOf(bank)
  const account = await openAccount(await bank.as('ada'))
  return { ...bank, ...pair, account }
}
const fresh = async (t: Parameters<typeof world>[0]): Promise<Scene> =>
  scene(await world(t, { settings }))
const shared = async (): Promise<Scene> => scene(await commonWorld({ settings }))

const deposit = (
  { account, maker }: Scene,
  { amount = '5.00', key }: { amount?: string; key?: string } = {},
): Promise<Reply> =>
  maker.post(
    `/api/v1/admin/accounts/${account}/deposits`,
    { amount, currency: 'EUR', reason: 'Counter' },
    key === undefined ? {} : { headers: { 'idempotency-key': key } },
  )
const freeze = ({ account, maker }: Scene): Promise<Reply> =>
  maker.post(`/api/v1/admin/accounts/${account}/freeze`, { reason: 'Stolen' })
const balance = async (made: Scene) => readBalance(await made.as('ada'), made.account)
const statusOf = async ({ as }: World, at: string): Promise<string> =>
  (await (await as('both')).get(at)).body.status

function assertRefused(reply: Reply, code: string): void {
  assert.equal(reply.body?.code, code, reply.text)
}

test('a held request shows its maker, path and body, and the balance does not move', async () => {
  const made = await shared()
  const at = approvalAt(await deposit(made))
  assert.equal(await balance(made), '0.00')
  const { body } = await made.checker.get(at)
  const { id, createdAt, expiresAt, ...rest } = body
  assert.equal(at, `${approvalsPath}/${id}`)
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 24 * hourMs)
  assert.deepEqual(rest, {
    status: 'pending',
    operation: 'createDeposit',
    path: `/api/v1/admin/accounts/${made.account}/deposits`,
    body: '{"amount":"5.00","currency":"EUR","reason":"Counter"}',
    makerId: people.root.id,
    checkerId: null,
    decidedAt: null,
    reason: null,
    resourceId: null,
  })
})

test('an approved deposit is the maker’s transfer, and the trail names both people', async () => {
  const made = await shared()
  const at = approvalAt(await deposit(made))
  const done = await approve(made.checker, at)
  assert.equal(done.status, 200, done.text)
  assert.equal(await balance(made), '5.00')
  const { rows } = await made.sql('select caller_id, session_id from transfers where id = $1', [
    done.body.resourceId,
  ])
  const { sessionId } = await made.as('root')
  assert.deepEqual(rows, [{ caller_id: people.root.id, session_id: sessionId }])
  const events = await readEvents(made, done)
  assert.equal(events.length, 2)
  const byAction = events.map(({ action, actorId, target, detail }) => {
    return [action, [actorId, target, detail]] as const
  })
  const transfer = `transfer ${done.body.resourceId}`
  assert.deepEqual(
    new Map(byAction),
    new Map([
      ['createDeposit', [people.root.id, made.account, transfer]],
      ['approveRequest', [people.both.id, done.body.id, transfer]],
    ]),
  )
})

test('neither the maker, an agent nor a customer approves or rejects, and none of them executes anything', async () => {
  const made = await shared()
  const at = approvalAt(await deposit(made))
  for (const name of ['root', 'agnes', 'ada'] as const) {
    const client = await made.login(name)
    assert.equal((await approve(client, at)).status, 403, name)
    assert.equal((await client.post(`${at}/reject`, { reason: 'No' })).status, 403, name)
  }
  const other = await made.login('root')
  assert.equal((await approve(other, at)).status, 403, 'another session of the maker')
  assert.equal(await statusOf(made, at), 'pending')
  assert.equal(await balance(made), '0.00')
})

test('the maker alone withdraws, the checker alone rejects, and neither is executed afterwards', async () => {
  const made = await shared()
  const [one, two] = [approvalAt(await deposit(made)), approvalAt(await freeze(made))]
  assert.equal((await made.checker.delete(one)).status, 403)
  assert.equal((await made.maker.delete(one)).status, 204)
  const rejected = await made.checker.post(`${two}/reject`, { reason: 'Not the holder' })
  assert.equal(rejected.status, 200, rejected.text)
  assert.equal(rejected.body.reason, 'Not the holder')
  assert.equal(rejected.body.checkerId, people.both.id)
  for (const [at, status] of [
    [one, 'withdrawn'],
    [two, 'rejected'],
  ] as const) {
    assertRefused(await approve(made.checker, at), 'illegal_transition')
    assertRefused(await made.checker.post(`${at}/reject`, { reason: 'x' }), 'illegal_transition')
    assertRefused(await made.maker.delete(at), 'illegal_transition')
    assert.equal(await statusOf(made, at), status)
  }
  assert.equal(await balance(made), '0.00')
})

test('the same request with its key is one approval, and another one with the key is refused', async () => {
  const made = await shared()
  const key = made.account
  const replies = await many(10, () => deposit(made, { key }))
  const at = approvalAt(replies[0] as Reply)
  assert.equal(approvalAt(await deposit(made, { key, amount: '5' })), at, 'as one amount')
  assert.deepEqual(new Set(replies.map(approvalAt)), new Set([at]))
  const first = replies.filter(({ headers }) => !headers['idempotency-replayed'])
  assert.equal(first.length, 1)
  assertRefused(await deposit(made, { key, amount: '6.00' }), 'idempotency_key_reused')
  assert.equal((await approve(made.checker, at)).status, 200)
  const again = await deposit(made, { key })
  assert.equal(approvalAt(again), at)
  assert.equal(again.body.status, 'executed')
  assert.equal(await balance(made), '5.00')
  // Without four eyes, the key still stands for the transfer.
  const direct = await made.another({ settings: { FOUR_EYES: 'createUser' } })
  const maker = clientWith(direct.send, made.maker.token)
  const replayed = await deposit({ ...made, maker }, { key })
  assert.equal(replayed.status, 201, replayed.text)
  assert.equal(replayed.headers['idempotency-replayed'], 'true')
  assert.equal(await balance(made), '5.00')
})

test('a key that stands for an earlier transfer executes nothing', async () => {
  const made = await shared()
  const direct = await made.another({ settings: { FOUR_EYES: 'createUser' } })
  const key = made.account
  const maker = clientWith(direct.send, made.maker.token)
  assert.equal((await deposit({ ...made, maker }, { key })).status, 201)
  const at = approvalAt(await deposit(made, { key }))
  assertRefused(await approve(made.checker, at), 'idempotency_key_reused')
  assert.equal(await balance(made), '5.00')
  assert.equal(await statusOf(made, at), 'pending')
})

test('of twenty approvals at once, on two instances, one executes', async () => {
  const made = await shared()
  const second = await made.another()
  for (const key of [undefined, 'k']) {
    const at = approvalAt(
      await deposit(made, { amount: key ? '2.00' : '1.00', ...(key && { key }) }),
    )
    const frozen = approvalAt(await freeze(made))
    const sends = [made.send, second.send]
    const checkers = sends.map((send) => clientWith(send, made.checker.token))
    for (const each of [at, frozen]) {
      const replies = await many(20, (index) =>
        patiently(() => approve(checkers[index % 2] as (typeof checkers)[0], each)),
      )
      const { 200: done, ...others } = tally(replies)
      assert.equal(done, 1, JSON.stringify(others))
      assert.ok(
        Object.keys(others).every((name) => /illegal_transition|request_in_progress/.test(name)),
        JSON.stringify(others),
      )
    }
  }
  assert.equal(await balance(made), '3.00')
  await assertSound(made)
})

test('approved, rejected and withdrawn at once: one of them, and the books say which', async (t) => {
  const made = await fresh(t)
  let executed = 0
  for (let turn = 0; turn < 8; turn++) {
    const at = approvalAt(await deposit(made, { amount: `1.0${turn}` }))
    const replies = await Promise.all([
      patiently(() => approve(made.checker, at)),
      patiently(() => made.checker.post(`${at}/reject`, { reason: 'No' })),
      patiently(() => made.maker.delete(at)),
    ])
    const done = replies.filter(({ status }) => status < 300)
    assert.equal(done.length, 1, JSON.stringify(tally(replies)))
    const status = ['executed', 'rejected', 'withdrawn'][replies.indexOf(done[0] as Reply)]
    assert.equal(await statusOf(made, at), status)
    if (status === 'executed') executed++
  }
  const { rows } = await made.sql(`select count(*)::int as n from transfers`)
  assert.equal(rows[0]?.['n'], executed)
  await assertSound(made)
})

type Meanwhile = (made: Scene) => Promise<unknown>
const root = people.root.id
const meanwhile: Record<string, Meanwhile> = {
  'the maker is disabled': ({ sql }) =>
    sql(`update users set status = 'disabled' where id = $1`, [root]),
  'the maker loses the role': ({ sql }) =>
    sql(`update users set roles = '{support-agent}' where id = $1`, [root]),
  'the maker’s session is revoked': async ({ sql, as }) =>
    sql(`update sessions set ended_at = now(), ended_because = 'revoked' where id = $1`, [
      (await as('root')).sessionId,
    ]),
  'the maker’s refresh token is stolen': async ({ sql, as }) =>
    sql(`update sessions set ended_at = now(), ended_because = 'reuse' where id = $1`, [
      (await as('root')).sessionId,
    ]),
  'all sessions of the maker are revoked after a logout': async (made) => {
    await made.maker.post('/api/v1/auth/logout')
    await made.sql('update users set session_generation = session_generation + 1 where id = $1', [
      root,
    ])
  },
  'the bank ends all sessions, and the checker logs in again': async ({ sql }) =>
    sql('update bank_generation set number = number + 1'),
  'the session of the maker is not known any more': async ({ sql, as }) => {
    const { sessionId } = await as('root')
    await sql('delete from refresh_tokens where session_id = $1', [sessionId])
    await sql('delete from sessions where id = $1', [sessionId])
  },
  'the signing key of the maker’s token is revoked': async ({ address, clock }) => {
    await rotateSigningKey(address, clock.now(), { isRevoking: true })
    clock.advance(31_000)
  },
  'it has expired': async ({ clock }) => clock.advance(24 * hourMs),
}

for (const [what, happen] of Object.entries(meanwhile)) {
  test(`nothing is executed when ${what} meanwhile`, async () => {
    const made = await shared()
    const held = [approvalAt(await deposit(made)), approvalAt(await freeze(made))]
    await happen(made)
    const checker = await made.login('both')
    for (const at of held) assertRefused(await approve(checker, at), 'illegal_transition')
    const { rows } = await made.sql('select status, balance::int from accounts where id = $1', [
      made.account,
    ])
    assert.deepEqual(rows, [{ status: 'active', balance: 0 }])
  })
}

test('a maker who has logged out, or whose session has ended by time, has asked all the same', async () => {
  const made = await shared()
  const [one, two] = [approvalAt(await deposit(made)), approvalAt(await freeze(made))]
  await made.maker.post('/api/v1/auth/logout')
  assert.equal((await approve(made.checker, one)).status, 200)
  made.clock.advance(23 * hourMs)
  assert.equal((await approve(await made.login('both'), two)).status, 200)
})

test('a checker who is disabled or loses the role or the session executes nothing', async () => {
  const made = await shared()
  const at = approvalAt(await deposit(made))
  const both = people.both.id
  await made.sql(`update users set roles = '{support-agent}' where id = $1`, [both])
  assertRefused(await approve(made.checker, at), 'forbidden')
  await makeAdministrator(made)
  await made.checker.post('/api/v1/auth/logout')
  assertRefused(await approve(made.checker, at), 'session_revoked')
  assert.equal(await statusOf({ ...made, as: made.login }, at), 'pending')
})

test('the checker decides nothing about an account of their own, nor about one of the maker’s', async (t) => {
  const bank = await world(t, { settings })
  const own = await openAccount(await bank.as('both'))
  const made = { ...(await scene(bank)), account: own }
  const at = approvalAt(await freeze(made))
  assertRefused(await approve(made.checker, at), 'forbidden')
  assertRefused(await made.checker.post(`${at}/reject`, { reason: 'Mine' }), 'forbidden')
  const of = await scene(bank)
  const later = approvalAt(await deposit(of))
  await bank.sql('update accounts set owner_id = $1 where id = $2', [root, of.account])
  assertRefused(await approve(made.checker, later), 'forbidden')
})

test('the checker decides nothing about themselves: person, session, or what a program may do for them', async (t) => {
  const bank = await world(t, { settings: { FOUR_EYES: allOperations } })
  const own = await openAccount(await bank.as('both'))
  const made = { ...(await scene(bank)), account: own }
  const { maker, checker } = made
  const { sessionId } = await bank.as('both')
  const both = people.both.id
  const user = `/api/v1/admin/users/${both}`
  await made.sql(`update users set roles = '{customer,admin}' where id = $1`, [both])
  const third = await bank.another({ settings: { FOUR_EYES: 'createUser' } })
  const root = clientWith(third.send, maker.token)
  const granted = await newProgram(
    { ...bank, send: third.send, as: async () => root as never },
    {
      readAccounts: both,
    },
  )
  const held = [
    await maker.patch(user, { roles: ['admin'] }),
    await maker.delete(`${user}/sessions`),
    await maker.delete(`/api/v1/admin/sessions/${sessionId}`),
    await maker.patch(`${serviceAccountsPath}/${granted.id}`, { name: 'Mine' }),
  ].map(approvalAt)
  for (const at of held) {
    assertRefused(await approve(checker, at), 'forbidden')
    assertRefused(await checker.post(`${at}/reject`, { reason: 'Mine' }), 'forbidden')
    assert.equal(await statusOf(made, at), 'pending')
  }
  const other = approvalAt(
    await maker.patch(`/api/v1/admin/users/${people.ben.id}`, { phone: null }),
  )
  assert.equal((await approve(checker, other)).status, 200)
})

test('a maker has a hundred requests that wait, and a new one once one of them is decided or over', async (t) => {
  const made = await fresh(t)
  const at = approvalAt(await deposit(made))
  const row = (await made.sql('select * from approvals')).rows[0] as Record<string, unknown>
  await made.sql(
    `insert into approvals
       (id, operation, request, maker_id, maker_session_id, created_at, expires_at)
     select gen_random_uuid(), operation, request, maker_id, maker_session_id, created_at,
       expires_at
     from approvals, generate_series(1, 98) where id = $1`,
    [row['id']],
  )
  const last = approvalAt(await deposit(made, { amount: '6.00', key: 'last' }))
  assertRefused(await freeze(made), 'limit_exceeded')
  assert.equal(
    approvalAt(await deposit(made, { amount: '6.00', key: 'last' })),
    last,
    'the same again',
  )
  await made.maker.delete(at)
  const replies = await many(5, () => freeze(made))
  assert.deepEqual(tally(replies), { '202': 1, '409 limit_exceeded': 4 })
  made.clock.advance(24 * hourMs)
  const later = await pairOf({ ...made, as: made.login })
  approvalAt(await freeze({ ...made, ...later }))
})

test('two administrators who changed one program decide nothing that it asks for', async (t) => {
  const made = await fresh(t)
  const program = await newProgram(made, { operations: ['createDeposit'] })
  await made.checker.patch(`${serviceAccountsPath}/${program.id}`, { name: 'Renamed' })
  const at = approvalAt(await deposit({ ...made, maker: program }))
  for (const voice of [made.maker, made.checker]) {
    assertRefused(await approve(voice, at), 'forbidden')
    assertRefused(await voice.post(`${at}/reject`, { reason: 'No' }), 'forbidden')
  }
  await made.sql(`update users set roles = '{admin}' where id = $1`, [people.agnes.id])
  assert.equal((await approve(await made.login('agnes'), at)).status, 200)
})

test('a maker who lacks a required factor by now asked for nothing that is executed', async (t) => {
  const made = await fresh(t)
  const held = [approvalAt(await deposit(made)), approvalAt(await freeze(made))]
  const strict = await made.another({
    settings: { SECOND_FACTOR: 'admin=required', SECOND_FACTOR_GRACE: '1h' },
  })
  await giveFactor(made, 'both')
  await made.sql(`update users set created_at = '2020-01-01'`)
  const checker = clientWith(strict.send, made.checker.token)
  for (const at of held) {
    assertRefused(await approve(checker, at), 'illegal_transition')
  }
  await giveFactor(made, 'root')
  for (const at of held) assertRefused(await approve(checker, at), 'confirmation_required')
})

test('a change that is refused stays pending, and is executed once nothing refuses it', async () => {
  const made = await shared()
  const [one, two] = [
    approvalAt(await deposit(made, { key: `x-${made.account}` })),
    approvalAt(await freeze(made)),
  ]
  await made.sql(`update accounts set status = 'closed' where id = $1`, [made.account])
  for (const at of [one, two]) {
    assertRefused(await approve(made.checker, at), 'account_closed')
    assert.equal(await statusOf(made, at), 'pending')
  }
  await made.sql(`update accounts set status = 'active' where id = $1`, [made.account])
  for (const at of [one, two]) assert.equal((await approve(made.checker, at)).status, 200)
  assert.equal(await balance(made), '5.00')
})

test('a program’s request waits for a person who is not behind it, and dies with its key or grant', async () => {
  const made = await shared()
  const operations = ['createDeposit', 'getApproval', 'withdrawRequest']
  const program = await newProgram(made, { operations })
  const asProgram = { ...made, maker: program }
  const at = approvalAt(await deposit(asProgram))
  assert.equal((await program.get(at)).body.makerId, program.id)
  assert.equal((await program.post(`${at}/approve`)).status, 403)
  assertRefused(await approve(made.maker, at), 'forbidden')
  assert.equal((await approve(made.checker, at)).status, 200)
  assert.equal(await balance(made), '5.00')
  const { rows } = await made.sql('select session_id from transfers where caller_id = $1', [
    program.id,
  ])
  assert.deepEqual(rows, [{ session_id: program.keyId }])

  const ungranted = approvalAt(await deposit(asProgram, { amount: '6.00' }))
  const grants = { readAccounts: null, payFrom: [], operations: ['getApproval'] }
  await program.change({ grants })
  assertRefused(await approve(made.checker, ungranted), 'illegal_transition')
  await program.change({ grants: { ...grants, operations } })
  assert.equal((await program.delete(ungranted)).status, 204)
  // Another key of the program is no reason to execute what the revoked one asked for.
  const keys = `${serviceAccountsPath}/${program.id}/keys`
  const { key, id } = (await (await made.as('root')).post(keys, {})).body
  const asOther = { ...made, maker: { ...program, ...clientWith(made.send, key) } }
  const byOther = approvalAt(await deposit(asOther, { amount: '7.00' }))
  const byFirst = approvalAt(await deposit(asProgram, { amount: '8.00' }))
  for (const [keyId, revoked] of [
    [id, byOther],
    [program.keyId, byFirst],
  ]) {
    await made.sql('update service_keys set revoked_at = now() where id = $1', [keyId])
    assertRefused(await approve(made.checker, revoked), 'illegal_transition')
  }
  assert.equal(await balance(made), '5.00')
})

test('no password is stored: a request with one is refused', async () => {
  const made = await shared()
  const clara = {
    username: 'clara',
    email: 'clara@example.com',
    givenName: 'Clara',
    familyName: 'Haskil',
    roles: ['admin'],
  }
  const path = '/api/v1/admin/users'
  const refused = await made.maker.post(path, { ...clara, password: 'canary horse battery' })
  assertRefused(refused, 'invalid_request')
  assert.equal(refused.body.details[0].path, '/body/password')
  assert.doesNotMatch(await dump(made), /canary/)
  const done = await approve(made.checker, approvalAt(await made.maker.post(path, clara)))
  assert.equal(done.status, 200, done.text)
  const user = await made.checker.get(`${path}/${done.body.resourceId}`)
  assert.equal(user.body.username, 'clara')
})

test('the list shows each status, newest first, those that wait oldest first, and a request without a decision as expired', async (t) => {
  const made = await fresh(t)
  const [old] = [approvalAt(await deposit(made))]
  made.clock.advance(24 * hourMs - 1)
  assert.equal(await statusOf({ ...made, as: made.login }, old), 'pending')
  made.clock.advance(1)
  const pair = await pairOf({ ...made, as: made.login })
  const now = { ...made, ...pair }
  const [one, two] = [approvalAt(await freeze(now)), approvalAt(await deposit(now))]
  await approve(now.checker, one)
  const read = async (query = '') =>
    (await now.checker.get(`${approvalsPath}${query}`)).body.items.map(
      (item: { id: string; status: string }) => [`${approvalsPath}/${item.id}`, item.status],
    )
  const all = await read()
  assert.deepEqual(
    new Map(all),
    new Map([
      [two, 'pending'],
      [one, 'executed'],
      [old, 'expired'],
    ]),
  )
  assert.deepEqual(all.at(-1), [old, 'expired'])
  for (const [at, status] of all) assert.deepEqual(await read(`?status=${status}`), [[at, status]])
  assert.deepEqual(await read('?status=rejected'), [])
  made.clock.advance(1)
  const waiting = [two, approvalAt(await freeze(now))].map((at) => [at, 'pending'])
  assert.deepEqual(await read('?status=pending'), waiting, 'oldest first')
})

test('the service does not start with an operation that cannot wait, and says which', async () => {
  const bank = await commonWorld({ settings })
  const wrong: [string, RegExp][] = [
    ['createUsers', /createUsers is no change that staff make; did you mean createUser\?/],
    ['getAccount', /getAccount is no change/],
    ['logout', /logout is no change/],
    ['approveRequest', /approveRequest is no change/],
    ['issueServiceAccountKey', /shows a secret to its caller/],
    ['renewWebhookSecret,createTransfer', /renewWebhookSecret shows .*; createTransfer is no/],
  ]
  for (const [names, message] of wrong) {
    await assert.rejects(bank.another({ settings: { FOUR_EYES: names } }), (thrown: Error) => {
      assert.ok(thrown instanceof StartupError)
      assert.match(thrown.message, message)
      assert.equal(thrown.message.split('\n').length, 1)
      return true
    })
  }
})

test('approving is documented with every refusal of the changes that it executes', () => {
  const { refusals = [] } = routes.find(({ operation }) => operation === 'approveRequest') ?? {}
  const all = routes.filter(isStaffChange).flatMap((route) => route.refusals ?? [])
  assert.deepEqual(new Set(all).difference(new Set(refusals)), new Set())
})

test('what was asked for is never changed: the service’s role may not', async () => {
  const made = await shared()
  approvalAt(await deposit(made))
  for (const column of ['request', 'operation', 'maker_id', 'expires_at']) {
    await made.sql('begin')
    await made.sql('set local role strongroom_service')
    await assert.rejects(made.sql(`update approvals set ${column} = ${column}`), { code: '42501' })
    await made.sql('rollback')
  }
  const alone = made.sql(
    `update approvals set status = 'executed', decided_at = now(), checker_id = maker_id,
       checker_session_id = maker_session_id`,
  )
  await assert.rejects(alone, { constraint: 'approvals_two_people' })
})

test('with a second factor the maker confirms what is held, and the checker what is executed', async (t) => {
  const made = await fresh(t)
  const { maker, checker, account } = made
  for (const name of ['root', 'both'] as const) await giveFactor(made, name)
  const body = { amount: '5.00', currency: 'EUR', reason: 'Counter' }
  const path = `/api/v1/admin/accounts/${account}/deposits`
  const held = async () => (await checker.get(approvalsPath)).body.items
  assertRefused(await maker.post(path, body), 'confirmation_required')
  assert.deepEqual(await held(), [])
  const at = approvalAt(await sendConfirmed(made, (headers) => maker.post(path, body, { headers })))
  const refused = await checker.post(`${at}/approve`)
  assertRefused(refused, 'confirmation_required')
  const { terms } = refused.body.challenge
  assert.equal(terms.approves, 'createDeposit')
  assert.equal(terms.makerId, people.root.id)
  assert.deepEqual([await balance(made), await statusOf(made, at)], ['0.00', 'pending'])
  const headers = await confirmAnyway(made, refused)
  const replies = await many(5, () => checker.post(`${at}/approve`, undefined, { headers }))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  assert.deepEqual([await balance(made), await statusOf(made, at)], ['5.00', 'executed'])
  // With its key, the first answer is given again and nothing is confirmed once more.
  const asked = (fields = {}, amount = '5.00') =>
    maker.post(path, { ...body, amount }, { headers: { 'idempotency-key': 'k1', ...fields } })
  const confirmed = await confirmAnyway(made, await asked())
  const keyed = approvalAt(await asked(confirmed))
  for (const fields of [confirmed, {}]) {
    const again = await asked(fields)
    assert.deepEqual([approvalAt(again), again.headers['idempotency-replayed']], [keyed, 'true'])
  }
  assertRefused(await asked({}, '6.00'), 'idempotency_key_reused')
  const spare = await confirmAnyway(made, await asked({ 'idempotency-key': 'k2' }))
  const stored = await many(5, () => asked({ 'idempotency-key': 'k2', ...spare }))
  assert.deepEqual(new Set(stored.map(({ status }) => status)), new Set([202]))
  assert.equal(new Set(stored.map(approvalAt)).size, 1)
  const { rows } = await made.sql(`select detail from audit_events where action = 'useConfirmation'
    and outcome = 'success' and detail like 'createDeposit %'`)
  assert.equal(rows.length, 3)
})
