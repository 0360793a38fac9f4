import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTime, untilInTime, waitingForLock } from '../../../test/support/locks.ts'
import { password, people, type World, world } from '../../../test/support/world.ts'

const users = '/api/v1/admin/users'
const clara = {
  username: 'clara',
  email: 'clara@example.com',
  givenName: 'Clara',
  familyName: 'Haskil',
  roles: ['customer'],
}

const logIn = ({ send }: World, username: string, secret = password) =>
  send('POST', '/api/v1/auth/login', { body: { username, password: secret } })

test('every role can read its own user record', async (t) => {
  const bank = await world(t)
  await bank.sql(`update users set created_at = '2026-01-01'`)
  for (const name of ['ada', 'agnes', 'root', 'both'] as const) {
    const { status, body } = await (await bank.as(name)).get('/api/v1/me')
    const { id, username, givenName, familyName, roles } = people[name]
    assert.equal(status, 200)
    assert.deepEqual(body, {
      id,
      username,
      email: `${username}@example.com`,
      givenName,
      familyName,
      phone: null,
      address: null,
      language: null,
      roles,
      status: 'active',
      createdAt: '2026-01-01T00:00:00.000Z',
    })
  }
})

test('an administrator creates a person who can log in with the password given', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const phone = '+442079460000'
  const address = "12 Quay St., St. Mary's, Dublin (2/3)"
  const created = await root.post(users, { ...clara, phone, address, password })
  assert.equal(created.status, 201)
  assert.equal(created.headers['location'], `${users}/${created.body.id}`)
  assert.deepEqual(created.body, {
    id: created.body.id,
    ...clara,
    phone,
    address,
    language: null,
    status: 'active',
    createdAt: '2026-01-02T09:00:00.000Z',
  })
  assert.deepEqual((await root.get(created.headers['location'])).body, created.body)
  assert.equal((await logIn(bank, 'clara')).status, 200)
})

test('a person created without a password cannot log in with any', async (t) => {
  const bank = await world(t)
  assert.equal((await (await bank.as('root')).post(users, clara)).status, 201)
  for (const guess of [password, 'null', 'undefined', 'clara']) {
    assert.equal((await logIn(bank, 'clara', guess)).status, 401)
  }
})

test('user name and e-mail are stored in one form, and a look-alike of a taken one is refused', async (t) => {
  const root = await (await world(t)).as('root')
  const spelt = { ...clara, username: 'ＣＬＡＲＡ', email: 'Clara@EXAMPLE.com' }
  const { status, body } = await root.post(users, spelt)
  assert.deepEqual([status, body.username, body.email], [201, 'clara', 'clara@example.com'])
  const again = [
    { ...clara, email: 'other@example.com' },
    { ...clara, username: 'Clara', email: 'other@example.com' },
    { ...clara, username: 'clara2' },
    { ...clara, username: 'clara2', email: 'CLARA@example.com' },
  ]
  for (const taken of again) {
    const refused = await root.post(users, taken)
    assert.deepEqual([refused.status, refused.body.code], [409, 'already_exists'])
    assert.doesNotMatch(refused.text, /users_|username|email|clara/)
  }
})

test('a malformed user name, e-mail, phone, role or name is refused by its place', async (t) => {
  const { as, sql } = await world(t)
  const root = await as('root')
  const wrong: [object, string][] = [
    [{ username: 'ab' }, 'username'],
    [{ username: '.clara' }, 'username'],
    [{ username: 'cla ra' }, 'username'],
    [{ username: 'clarа' }, 'username'], // the last letter is Cyrillic
    [{ username: 'a'.repeat(33) }, 'username'],
    [{ email: 'clara' }, 'email'],
    [{ email: 'clara@' }, 'email'],
    [{ email: 'cl ara@example.com' }, 'email'],
    [{ email: 'clara@exämple.com' }, 'email'],
    [{ email: 'clara@example.com\r\nBcc: x@example.com' }, 'email'],
    [{ phone: '+1202555' }, 'phone'],
    [{ phone: '02079460000' }, 'phone'],
    [{ address: 'x'.repeat(141) }, 'address'],
    [{ address: '<b>12 Quay St.</b>' }, 'address'],
    [{ givenName: '' }, 'givenName'],
    [{ familyName: 'Has\u202ekil' }, 'familyName'],
    [{ roles: [] }, 'roles'],
    [{ roles: ['customer', 'customer'] }, 'roles'],
    [{ roles: ['owner'] }, 'roles'],
    [{ password: 'short' }, 'password'],
    [{ password: 'clara and her dog' }, 'password'],
    [{ password: 'abcabcabcabcabc' }, 'password'],
    [{ status: 'disabled' }, 'status'],
    [{ id: people.ada.id }, 'id'],
    [{ passwordHash: 'x' }, 'passwordHash'],
  ]
  for (const [change, key] of wrong) {
    const refused = await root.post(users, { ...clara, ...change })
    assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_request'], refused.text)
    assert.match(refused.body.details[0].path, new RegExp(`/${key}\\b`))
  }
  const { rows } = await sql('select count(*)::int as count from users')
  assert.equal(rows[0]?.['count'], 5)
})

test('a change keeps the fields it does not name, and null clears an optional field', async (t) => {
  const root = await (await world(t)).as('root')
  const ada = `${users}/${people.ada.id}`
  const contact = { phone: '+442079460000', address: '12 Quay Street', familyName: 'Eze' }
  const changed = await root.patch(ada, { ...contact, email: 'ADA@example.org' })
  assert.equal(changed.status, 200)
  assert.deepEqual(changed.body, {
    ...(await root.get(ada)).body,
    ...contact,
    email: 'ada@example.org',
    givenName: 'Ada',
    roles: ['customer'],
  })
  const cleared = await root.patch(ada, { phone: null })
  assert.deepEqual(cleared.body, { ...changed.body, phone: null })

  const refusals: [object, number][] = [
    [{}, 400],
    [{ username: 'adele' }, 400],
    [{ email: null }, 400],
    [{ email: 'not one' }, 400],
    [{ phone: '+1202555' }, 400],
    [{ email: 'Ben@example.com' }, 409],
  ]
  for (const [change, status] of refusals) {
    assert.equal((await root.patch(ada, change)).status, status, JSON.stringify(change))
  }
  assert.deepEqual((await root.get(ada)).body, cleared.body)
  const missingId = '01940000-0000-7000-8000-0000000000ff'
  assert.equal((await root.patch(`${users}/${missingId}`, contact)).status, 404)
  assert.equal((await root.get(`${users}/${missingId}`)).status, 404)
})

test('a change of roles takes effect on the next request with the same token', async (t) => {
  const bank = await world(t)
  const [root, ada] = [await bank.as('root'), await bank.as('ada')]
  const change = (roles: string[]) => root.patch(`${users}/${people.ada.id}`, { roles })
  assert.equal((await ada.get(users)).status, 403)
  // Roles are stored in one order.
  assert.deepEqual((await change(['support-agent', 'customer'])).body.roles, [
    'customer',
    'support-agent',
  ])
  assert.equal((await ada.get(users)).status, 200)
  await change(['customer'])
  assert.equal((await ada.get(users)).status, 403)
})

test('disabling a person ends all sessions, and enabling revives none of them', async (t) => {
  const bank = await world(t)
  const [root, ben] = [await bank.as('root'), await bank.as('ben')]
  const devices = [await bank.login('ada'), await bank.login('ada')]
  const ada = `${users}/${people.ada.id}`
  assert.equal((await root.patch(ada, { status: 'disabled' })).body.status, 'disabled')
  for (const device of devices) {
    assert.equal((await device.get('/api/v1/me')).body.code, 'session_revoked')
  }
  assert.equal((await logIn(bank, 'ada')).status, 401)
  assert.equal((await root.patch(ada, { status: 'active' })).body.status, 'active')
  for (const { token, refreshToken } of devices) {
    const refreshed = await bank.send('POST', '/api/v1/auth/refresh', { body: { refreshToken } })
    assert.equal(refreshed.status, 401)
    assert.equal((await bank.send('GET', '/api/v1/me', { token })).status, 401)
  }
  assert.equal((await logIn(bank, 'ada')).status, 200)
  assert.equal((await ben.get('/api/v1/me')).status, 200)
})

test('disabling waits for a login in progress and ends its session', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const { id } = people.ada
  // What a login does between the check of the password and its commit.
  await bank.sql('begin')
  await bank.sql('select id from users where id = $1 for share', [id])
  await bank.sql(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
     values ('01940000-0000-7000-8000-0000000000aa', $1, '2026-01-02', '2026-01-02', '2027-01-01')`,
    [id],
  )
  const disabling = root.patch(`${users}/${id}`, { status: 'disabled' })
  await waitingForLock(bank)
  await bank.sql('commit')
  assert.equal((await disabling).status, 200)
  await bank.sql(`update users set status = 'active' where id = $1`, [id])
  const { rows } = await bank.sql('select from current_sessions where user_id = $1', [id])
  assert.equal(rows.length, 0)
})

test('simultaneous changes of different fields all take effect', async (t) => {
  const root = await (await world(t)).as('root')
  const ada = `${users}/${people.ada.id}`
  const before = (await root.get(ada)).body
  const changes = [
    { givenName: 'Adaeze' },
    { familyName: 'Eze' },
    { phone: '+442079460000' },
    { address: '12 Quay Street' },
    { email: 'adaeze@example.com' },
  ]
  const replies = await Promise.all(changes.map((change) => root.patch(ada, change)))
  for (const { status } of replies) assert.equal(status, 200)
  assert.deepEqual((await root.get(ada)).body, Object.assign({}, before, ...changes))
})

test('no administrator can disable or demote itself, only another one can', async (t) => {
  const bank = await world(t)
  await bank.sql(`update users set roles = '{admin}' where id = $1`, [people.agnes.id])
  const [root, agnes] = [await bank.as('root'), await bank.as('agnes')]
  const self = `${users}/${people.root.id}`
  for (const change of [{ roles: ['support-agent'] }, { status: 'disabled' }]) {
    const refused = await root.patch(self, change)
    assert.deepEqual([refused.status, refused.body.code], [409, 'illegal_transition'])
  }
  const allowed = await root.patch(self, { roles: ['admin', 'customer'], status: 'active' })
  assert.equal(allowed.status, 200, 'root stays an administrator')
  assert.equal((await agnes.patch(self, { roles: ['customer'] })).status, 200)
  assert.equal((await root.get(users)).status, 403)
})

test('of two administrators who disable each other at once one is refused, also when there is a third', async (t) => {
  await untilInTime(async () => {
    const bank = await world(t)
    const id = [people.root.id, people.agnes.id] as const
    const all = [...id, people.ben.id]
    await bank.sql(`update users set roles = '{admin}' where id = any($1)`, [all])
    const [root, agnes] = [await bank.login('root'), await bank.login('agnes')]
    await bank.sql('begin')
    await bank.sql('select from users where id = any($1) for update', [all])
    const requests = [
      root.patch(`${users}/${id[1]}`, { status: 'disabled' }),
      agnes.patch(`${users}/${id[0]}`, { status: 'disabled' }),
    ]
    await waitingForLock(bank)
    await bank.sql('commit')
    const replies = await Promise.all(requests)
    inTime(...replies)
    const statuses = replies.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses))
  })
})

test('of two administrators who remove each other at once one remains', async (t) => {
  const bank = await world(t)
  const id = [people.root.id, people.agnes.id] as const
  const changes = [
    { roles: ['support-agent'] },
    { status: 'disabled' },
    { roles: ['customer', 'support-agent'] },
  ]
  for (const change of changes) {
    await bank.sql(`update users set roles = '{admin}', status = 'active' where id = any($1)`, [id])
    const [root, agnes] = [await bank.login('root'), await bank.login('agnes')]
    const replies = await Promise.all([
      root.patch(`${users}/${id[1]}`, change),
      agnes.patch(`${users}/${id[0]}`, change),
    ])
    // The slower one is refused: it would remove the last one, or has lost its own role.
    const statuses = replies.map(({ status }) => status).toSorted((one, other) => one - other)
    assert.equal(statuses[0], 200, String(statuses))
    assert.ok([401, 403, 409].includes(statuses[1] as number), String(statuses))
    const { rows } = await bank.sql(
      `select count(*)::int as left from users where 'admin' = any(roles) and status = 'active'`,
    )
    assert.equal(rows[0]?.['left'], 1)
  }
})

test('staff list people newest first, page by page, and find them by each filter', async (t) => {
  const bank = await world(t)
  const [root, agnes] = [await bank.as('root'), await bank.as('agnes')]
  await root.post(users, { ...clara, familyName: 'Müller' })
  const names = async (query: string) => {
    const { status, body } = await agnes.get(`${users}${query}`)
    assert.equal(status, 200)
    return body.items.map(({ username }: { username: string }) => username)
  }
  assert.deepEqual(await names(''), ['clara', 'both', 'root', 'agnes', 'ben', 'ada'])
  assert.deepEqual(await names('?username=CLARA'), ['clara'])
  assert.deepEqual(await names('?email=Ben%40Example.com'), ['ben'])
  assert.deepEqual(await names('?name=clara%20m'), ['clara'])
  assert.deepEqual(await names('?name=nobody'), [])
  for (const search of ['CLA', 'clara@ex', 'müll', 'Clara M', 'ｃｌａｒａ']) {
    assert.deepEqual(await names(`?search=${encodeURIComponent(search)}`), ['clara'], search)
  }
  assert.deepEqual(await names('?search=a'), ['agnes', 'ada'])
  assert.deepEqual(await names('?search=a&role=customer'), ['ada'])
  for (const search of ['lara', '@', '_', '-', '%20', 'clara@exb']) {
    assert.deepEqual(await names(`?search=${search}`), [], search)
  }
  assert.deepEqual(await names('?role=support-agent'), ['both', 'agnes'])
  await root.patch(`${users}/${people.ben.id}`, { status: 'disabled' })
  assert.deepEqual(await names('?status=disabled'), ['ben'])
  assert.deepEqual(await names('?status=active&role=customer'), ['clara', 'both', 'ada'])

  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await agnes.get(`${users}?limit=4${cursor && `&cursor=${cursor}`}`)
    seen.push(...body.items.map(({ username }: { username: string }) => username))
    cursor = body.nextCursor
  }
  assert.deepEqual(seen, ['clara', 'both', 'root', 'agnes', 'ben', 'ada'])
  const { nextCursor } = (await agnes.get(`${users}?limit=2`)).body
  for (const query of [
    `?role=admin&cursor=${nextCursor}`,
    '?username=a%20b',
    '?email=x',
    '?search=%25',
    '?x=1',
  ]) {
    assert.equal((await agnes.get(`${users}${query}`)).status, 400, query)
  }
})

test('a name with an accent is found however it was stored and is typed', async (t) => {
  const bank = await world(t)
  const [root, agnes] = [await bank.as('root'), await bank.as('agnes')]
  const decomposed = 'Rene\u0301'
  assert.equal((await root.post(users, { ...clara, givenName: decomposed })).status, 201)
  for (const typed of [decomposed, decomposed.normalize('NFC'), decomposed.normalize('NFKC')]) {
    for (const filter of ['search', 'name']) {
      const { body } = await agnes.get(`${users}?${filter}=${encodeURIComponent(typed)}`)
      assert.equal(body.items[0]?.username, 'clara', filter)
    }
  }
})
