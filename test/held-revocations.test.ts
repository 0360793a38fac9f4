// A revocation is answered only when no change of the one that it shuts out is under way: it waits
// for those that were judged before it. In whatever order they come, none waits for another in a
// circle.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../src/features/routes.ts'
import { approve, approvalAt, makeAdministrator } from './support/approvals.ts'
import { browse, openSession } from './support/browser-session.ts'
import { deposit, openAccount, scene, transferBody } from './support/fixture.ts'
import { inTime, openHolder, untilInTime, waitingForLock } from './support/locks.ts'
import { createRandom, seed } from './support/random.ts'
import {
  adaAt,
  assertAnsweredAfter,
  resetPassword,
  revocationsOfPeople,
  revocationsOfPrograms,
} from './support/revocations.ts'
import { newProgram, serviceAccountsPath, toGrants } from './support/service-accounts.ts'
import {
  password,
  people,
  type PersonName,
  type Reply,
  world,
  type World,
} from './support/world.ts'

for (const [kind, revocations] of [
  ['session', revocationsOfPeople],
  ['key', revocationsOfPrograms],
] as const) {
  for (const [what, revoke] of Object.entries(revocations)) {
    test(`a ${kind} is shut out by ${what} only after its change under way`, async (t) => {
      await untilInTime(async () => {
        const bank = await scene(t)
        const { ada, root, from: account } = bank
        const other = await bank.login('ada')
        const program = await newProgram(bank, { operations: ['issueCard'] })
        const made = { bank, ada, other, root, program }
        const holder = await openHolder(t, bank)
        await holder.query('begin')
        await holder.query('select from accounts where id = $1 for update', [account])
        const path = `/api/v1/accounts/${account}/cards`
        const { token } = kind === 'key' ? program : ada
        const changing = bank.send('POST', path, { token, body: {} })
        await assertAnsweredAfter(bank, holder, changing, () => revoke(made))
        assert.equal((await bank.send('POST', path, { token, body: {} })).status >= 401, true)
      })
    })
  }
}

test('a change that waits too long for its caller is told to try again', async (t) => {
  const bank = await world(t)
  const ada = await bank.login('ada')
  const program = await newProgram(bank, { operations: ['openAccount'] })
  const holder = await openHolder(t, bank)
  await holder.query('begin')
  await holder.query('select from users for update')
  await holder.query('select from service_accounts for update')
  const body = { currency: 'EUR', ownerId: people.ada.id }
  const replies = await Promise.all([ada, program].map((by) => by.post('/api/v1/accounts', body)))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [503, 503],
  )
})

test('no two of them wait for each other in a circle, however they meet', async (t) => {
  const bank = await world(t)
  const second = await bank.another({ settings: { FOUR_EYES: 'freezeAccount' } })
  const administrators = ['root', 'agnes', 'both'] as const
  const ids = administrators.map((name) => people[name].id)
  await bank.sql(`update users set roles = '{customer,admin}' where id = any($1)`, [ids])
  const account = await openAccount(await bank.as('ada'))
  const savings = await openAccount(await bank.as('ada'))
  await deposit(await bank.as('root'), account, '1000.00')
  const grants = { operations: ['openAccount', 'issueCard'], payFrom: [account] }
  const program = await newProgram(bank, grants)
  const programPath = `${serviceAccountsPath}/${program.id}`
  const replies: Reply[] = []
  const random = createRandom(seed)
  for (let round = 0; round < 6; round++) {
    await bank.sql(
      `update users set password_hash = (select password_hash from users where id = $1)`,
      [people.ada.id],
    )
    const [root, agnes, both] = await Promise.all(administrators.map((name) => bank.login(name)))
    const [ada, ben] = await Promise.all([bank.login('ada'), bank.login('ben')])
    const pages = await Promise.all([browse(bank, 'ada'), browse(bank, 'ben')])
    assert.ok(root && agnes && both)
    const held = await second.send('POST', `/api/v1/admin/accounts/${account}/freeze`, {
      token: root.token,
      body: { reason: 'x' },
    })
    const user = (id: string | undefined) => `/api/v1/admin/users/${id}`
    const requests: (() => Promise<Reply>)[] = [
      () => root.delete(`/api/v1/admin/sessions/${both.sessionId}`),
      () => both.delete(`/api/v1/admin/sessions/${root.sessionId}`),
      () => agnes.delete(`${user(ids[0])}/sessions`),
      () => root.delete(`${user(ids[1])}/sessions`),
      () => both.patch(user(ids[1]), { phone: '+442079460000' }),
      () => agnes.patch(user(ids[2]), { address: `Quay ${round}` }),
      () => agnes.patch(adaAt, { address: `Quay ${round}` }),
      () => approve(both, approvalAt(held)),
      () => root.post('/api/v1/accounts', { currency: 'EUR', ownerId: ids[2] }),
      () => both.post('/api/v1/accounts', { currency: 'EUR', ownerId: ids[0] }),
      () => program.post('/api/v1/accounts', { currency: 'EUR', ownerId: ids[round % 3] }),
      () => program.post(`/api/v1/accounts/${account}/cards`, {}),
      () => root.patch(programPath, { name: `By root ${round}` }),
      () => both.patch(programPath, { grants: toGrants(grants) }),
      () => ada.post('/api/v1/auth/logout'),
      () => ada.post(`/api/v1/accounts/${account}/cards`, {}),
      () => ada.delete(`/api/v1/auth/sessions/${ada.sessionId}`),
      () => openSession(bank, 'ben', { cookies: pages[0].cookies }),
      () => openSession(bank, 'ada', { cookies: pages[1].cookies }),
      () => ben.post('/api/v1/auth/password', { currentPassword: password, newPassword: password }),
      () => resetPassword({ bank }, people.ben.id),
      () => agnes.patch(user(people.ben.id), { email: `ben${round}@example.com` }),
      () =>
        root.patch(user(people.ben.id), { status: 'active', email: `ben.${round}@example.com` }),
      () => logIn(bank, 'ben'),
      () => logIn(bank, 'root'),
      ...[ada, program, ada].map(
        (by, index) => () =>
          by.post('/api/v1/transfers', transferBody(account, savings, `0.0${index + 1}`)),
      ),
      () =>
        both.post(`/api/v1/admin/accounts/${savings}/deposits`, {
          amount: `1.0${round}`,
          currency: 'EUR',
          reason: 'Paid in',
        }),
    ]
    const order = random.shuffle(requests)
    replies.push(...(await Promise.all([...order, ...requests].map((send) => send()))))
  }
  // Under load some wait longer than they may.
  const failed = replies.filter(({ status }) => status >= 500 && status !== 503)
  const errors = bank.logged.filter((line) => line.includes('internal_error'))
  assert.deepEqual(
    failed.map(({ text }) => text),
    [],
    errors.join('\n'),
  )
  const made = replies.filter(({ status }) => status < 300).length
  assert.ok(made > replies.length / 4, `${made} of ${replies.length}`)
  // A connection that ends has told what it counted.
  await bank.sql(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name like 'strongroom %.%.%'`)
  const { rows } = await bank.sql(`select deadlocks::int as count from pg_stat_database
    where datname = current_database()`)
  assert.deepEqual(rows, [{ count: 0 }])
})

test('the caller of a change and whom it is about are locked at once, in the order of their identifiers', async (t) => {
  await untilInTime(async () => {
    const settings = { MEMBERS: 'on', FOUR_EYES: 'freezeAccount' }
    const bank = await world(t, { settings })
    await makeAdministrator(bank)
    const [ada, ben] = await Promise.all([bank.as('ada'), bank.as('ben')])
    const [root, both] = await Promise.all([bank.login('root'), bank.login('both')])
    const account = await openAccount(ben)
    const path = `/api/v1/accounts/${account}/members`
    const { id } = (await ben.post(path, { username: 'ada', rights: 'pay' })).body
    assert.equal((await ada.post(`/api/v1/members/${id}/accept`)).status, 200)
    assert.equal((await root.delete(`${path}/${people.root.id}`)).status, 404, 'of no person')
    const held = await root.post(`/api/v1/admin/accounts/${account}/freeze`, { reason: 'x' })
    /** Each is of a caller whose identifier comes after that of the other person. */
    const changes: Record<string, [caller: PersonName, other: PersonName, () => Promise<Reply>]> = {
      updateMember: ['ben', 'ada', () => ben.patch(`${path}/${id}`, { rights: 'view' })],
      endMember: ['ben', 'ada', () => ben.delete(`${path}/${id}`)],
      approveRequest: ['both', 'root', () => approve(both, approvalAt(held))],
    }
    const named = routes.flatMap(({ about, operation }) => (about ? operation : []))
    assert.deepEqual(named.toSorted(), Object.keys(changes).toSorted())
    const holder = await openHolder(t, bank)
    const lock = 'select from users where id = $1 for no key update'
    for (const [operation, [caller, other, send]] of Object.entries(changes)) {
      await holder.query('begin')
      await holder.query(lock, [people[other].id])
      const sent = send()
      await waitingForLock(bank)
      const { rowCount } = await bank.sql(`${lock} skip locked`, [people[caller].id])
      await holder.query('commit')
      const reply = await sent
      inTime(reply)
      assert.ok(reply.status < 300, reply.text)
      assert.equal(rowCount, 1, `${operation} has locked its caller alone`)
    }
  })
})

const logIn = ({ send }: World, name: 'ben' | 'root') =>
  send('POST', '/api/v1/auth/login', { body: { username: people[name].username, password } })
