// Tokens, lists, addresses and errors, without a network.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, isBankError, money, type StoredTokens } from '../src/index.ts'
import { type Answer, fakeBank, lost, refusal, reply, type Request } from './fake-bank.ts'

const deviceToken = 'd'.repeat(43)
const tokens = (number: number) => ({
  token: `token ${number}`,
  tokenType: 'Bearer',
  expiresIn: 900,
  refreshToken: `refresh ${number}`,
  sessionId: 's',
})
const ada = { username: 'ada', password: 'seven lean kine' }

/** Opens sessions, refreshes them, and refuses every token but the newest as expired. */
function tokenBank(options: { store?: StoredTokens; beforeRefresh?: () => Promise<void> } = {}) {
  let newest = 1
  let refreshes = 0
  const answer: Answer = async (request) => {
    if (request.path === '/api/v1/auth/login') {
      return reply(200, { ...tokens(newest), deviceToken, user: {} })(request)
    }
    if (request.path === '/api/v1/auth/logout') return reply(204)(request)
    if (request.path === '/api/v1/auth/refresh') {
      refreshes++
      await options.beforeRefresh?.()
      assert.deepEqual(request.body, { refreshToken: `refresh ${newest}` })
      return reply(200, tokens(++newest))(request)
    }
    const isNewest = request.headers.get('authorization') === `Bearer token ${newest}`
    return (isNewest ? reply(200, { id: 'me' }) : refusal(401, 'token_expired'))(request)
  }
  const kept: { value: StoredTokens } = { value: options.store ?? {} }
  const store = { read: () => kept.value, write: (next: StoredTokens) => void (kept.value = next) }
  const made = fakeBank([answer], { tokens: store })
  return { ...made, kept, expire: () => newest++, refreshes: () => refreshes }
}

test('a login keeps the tokens in the store, and a logout only the device', async () => {
  const { bank, kept, requests, clock } = tokenBank()
  await bank.auth.login(ada)
  const { expiresIn: _, tokenType: _type, ...session } = tokens(1)
  const expiresAt = clock.at + 900_000
  assert.deepEqual(kept.value, { session: { ...session, expiresAt }, deviceToken })
  assert.deepEqual(await bank.me.get(), { id: 'me' })
  await bank.auth.logout()
  assert.deepEqual(kept.value, { deviceToken })
  await bank.auth.login(ada)
  assert.deepEqual(requests.at(-1)?.body, { ...ada, deviceToken })
  assert.equal(requests.at(-1)?.headers.get('authorization'), null)
})

test('a logout of a session that is over already is done, and another refusal is not', async () => {
  for (const [answer, left] of [
    [refusal(401, 'session_revoked'), { deviceToken }],
    [refusal(401, 'token_expired'), { deviceToken }],
    [lost('ECONNREFUSED'), undefined],
    [refusal(503, 'unavailable', 60), undefined],
  ] as const) {
    const before = { session: { ...tokens(1), expiresAt: Number.MAX_SAFE_INTEGER }, deviceToken }
    let kept: StoredTokens = before
    const store = { read: () => kept, write: (next: StoredTokens) => void (kept = next) }
    const { bank } = fakeBank([answer], { tokens: store })
    if (left) await bank.auth.logout()
    else await assert.rejects(bank.auth.logout())
    assert.deepEqual(kept, left ?? before)
  }
})

test('a login sends no token and refreshes none, whatever the store holds', async () => {
  const store = { session: { ...tokens(7), expiresAt: 0 } }
  const { bank, requests } = tokenBank({ store })
  await bank.auth.login(ada)
  assert.deepEqual(
    requests.map(({ path, headers }) => [path, headers.get('authorization')]),
    [['/api/v1/auth/login', null]],
  )
})

test('an expired token is refreshed once for all calls that wait, and not before it is needed', async () => {
  const release = Promise.withResolvers<void>()
  const { bank, clock, requests, refreshes } = tokenBank({ beforeRefresh: () => release.promise })
  await bank.auth.login(ada)
  await bank.me.get()
  assert.equal(refreshes(), 0)
  clock.at += 900_000
  const calls = Array.from({ length: 20 }, () => bank.me.get())
  setImmediate(() => release.resolve())
  await Promise.all(calls)
  assert.equal(refreshes(), 1)
  assert.equal(requests.length, 1 + 1 + 1 + 20)
})

test('calls that are told together that their token has expired share one refresh', async () => {
  const { bank, refreshes, kept } = tokenBank()
  await bank.auth.login(ada)
  // This computer takes the token for good; the bank does not.
  const { session } = kept.value
  kept.value = { session: { ...(session as NonNullable<typeof session>), token: 'an old one' } }
  await Promise.all(Array.from({ length: 20 }, () => bank.me.get()))
  assert.equal(refreshes(), 1)
})

test('a token that another program has put into the store is used, without a refresh', async () => {
  const { bank, kept, refreshes, expire, clock } = tokenBank()
  await bank.auth.login(ada)
  expire()
  const { tokenType: _, expiresIn, ...session } = tokens(2)
  let reads = 0
  const stale = kept.value
  const fresh = { session: { ...session, expiresAt: clock.at + expiresIn * 1000 } }
  Object.defineProperty(kept, 'value', { get: () => (reads++ === 0 ? stale : fresh) })
  assert.deepEqual(await bank.me.get(), { id: 'me' })
  assert.equal(refreshes(), 0)
})

const payment = { fromAccountId: 'a', toAccountId: 'b', amount: '1.00', currency: 'EUR' } as const

test('a payment whose token expires between two attempts keeps its key', async () => {
  const seen: Request[] = []
  const answers: Answer[] = [lost(), refusal(401, 'token_expired'), reply(201, { id: 't' })]
  const answer: Answer = (request) => {
    if (request.path === '/api/v1/auth/refresh') return reply(200, tokens(2))(request)
    seen.push(request)
    return (answers[seen.length - 1] as Answer)(request)
  }
  let kept: StoredTokens = { session: { ...tokens(1), expiresAt: Number.MAX_SAFE_INTEGER } }
  const store = { read: () => kept, write: (next: StoredTokens) => void (kept = next) }
  const { bank } = fakeBank([answer], { tokens: store })
  assert.deepEqual(await bank.transfers.create(payment), { id: 't' })
  assert.equal(new Set(seen.map(({ headers }) => headers.get('idempotency-key'))).size, 1)
  assert.deepEqual(
    seen.map(({ headers }) => headers.get('authorization')),
    ['Bearer token 1', 'Bearer token 1', 'Bearer token 2'],
  )
})

test('a store that fails in the midst of a payment does not lose its key', async () => {
  const session = { ...tokens(1), expiresAt: Number.MAX_SAFE_INTEGER }
  const failure = new Error('The disk is full')
  const { bank, requests } = fakeBank([lost()], {
    tokens: {
      read() {
        if (requests.length > 0) throw failure
        return { session }
      },
      write: () => {},
    },
  })
  await assert.rejects(bank.transfers.create(payment), {
    code: 'outcome_unknown',
    idempotencyKey: /^[0-9a-f-]{36}$/,
    cause: failure,
  })
  await assert.rejects(bank.transfers.create(payment), failure)
})

test('a lost refresh is repeated within the ten seconds in which that is safe', async () => {
  const { bank, requests, clock } = fakeBank([lost()], {
    // Over when the refresh is: the call does not ask for another one.
    deadlineSeconds: 1,
    tokens: {
      read: () => ({ session: { ...tokens(1), expiresAt: 0 } }),
      write: () => assert.fail('nothing was answered'),
    },
  })
  const startedAt = clock.at
  await assert.rejects(bank.me.get(), { code: 'not_reached' })
  assert.ok(requests.every(({ path }) => path === '/api/v1/auth/refresh') && requests.length > 2)
  assert.ok(clock.at - startedAt < 10_000)
})

test('a refused refresh is what the call ends with', async () => {
  const { bank } = fakeBank([refusal(401, 'session_revoked')], {
    tokens: {
      read: () => ({ session: { ...tokens(1), expiresAt: 0 } }),
      write: () => assert.fail('nothing to keep'),
    },
  })
  await assert.rejects(bank.me.get(), { code: 'session_revoked', status: 401 })
})

test('a fixed token is sent as it is, is not refreshed, and no login replaces it', async () => {
  const { bank, requests } = fakeBank([refusal(401, 'token_expired')], { token: 'srk_key' })
  await assert.rejects(bank.me.get(), { code: 'token_expired' })
  assert.deepEqual(
    requests.map(({ path, headers }) => [path, headers.get('authorization')]),
    [['/api/v1/me', 'Bearer srk_key']],
  )
})

test('a list is read page by page, and no page before it is needed', async () => {
  const pages: Answer[] = [
    reply(200, { items: [1, 2], nextCursor: 'next' }),
    reply(200, { items: [3], nextCursor: null }),
  ]
  const { bank, requests } = fakeBank(pages)
  const list = bank.accounts.transactions('a', { limit: 2, kind: 'deposit', from: undefined })
  assert.equal(requests.length, 0)
  const seen: unknown[] = []
  for await (const each of list) {
    seen.push(each)
    if (seen.length === 2) assert.equal(requests.length, 1)
  }
  assert.deepEqual(seen, [1, 2, 3])
  const path = '/api/v1/accounts/a/transactions?limit=2&kind=deposit'
  assert.deepEqual(
    requests.map((each) => each.path),
    [path, `${path}&cursor=next`],
  )
  const again = fakeBank(pages)
  assert.deepEqual(await again.bank.accounts.list().page(), { items: [1, 2], nextCursor: 'next' })
  const some = fakeBank(pages)
  assert.deepEqual(await some.bank.accounts.list().toArray(2), [1, 2])
  assert.equal(some.requests.length, 1)
})

test('an identifier cannot lead to another path', async () => {
  const { bank, requests } = fakeBank([reply(200, {})])
  for (const id of ['', '.', '..', undefined as unknown as string]) {
    assert.throws(() => bank.accounts.get(id), TypeError)
  }
  await bank.accounts.get('../me?x#y')
  assert.equal(requests[0]?.path, '/api/v1/accounts/..%2Fme%3Fx%23y')
})

test('no token is sent in clear, but to this computer', () => {
  for (const baseUrl of ['http://bank.example', 'ftp://bank.example', 'https://x/?a=1', 'bank']) {
    assert.throws(() => createClient({ baseUrl }), TypeError, baseUrl)
  }
  for (const baseUrl of ['https://bank.example/', 'http://localhost:8080', 'http://127.0.0.1']) {
    createClient({ baseUrl })
  }
})

test('a base URL with a path is a prefix, and requests carry no cookie and follow no redirect', async () => {
  const asked: [string, RequestInit][] = []
  const bank = createClient({
    baseUrl: 'https://example.com/bank/',
    async fetch(url, init) {
      asked.push([url, init])
      return new Response('{}')
    },
  })
  await bank.me.get()
  const [[url, { redirect, credentials, cache }] = ['', {}]] = asked
  assert.equal(url, 'https://example.com/bank/api/v1/me')
  assert.deepEqual(
    { redirect, credentials, cache },
    {
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    },
  )
})

test('a refusal has what the bank said', async () => {
  const details = [{ path: '/body/amount', message: 'is zero' }]
  const answer = reply(
    400,
    { code: 'invalid_request', message: 'The request is invalid.', details },
    { 'x-request-id': 'r', location: '/api/v1/transfers/t' },
  )
  const { bank } = fakeBank([answer])
  const thrown = await bank.me.get().catch((error: unknown) => error)
  assert.ok(isBankError(thrown) && thrown.code === 'invalid_request')
  assert.deepEqual(thrown.details, details)
  assert.equal(thrown.message, 'The request is invalid.')
  assert.equal(thrown.requestId, 'r')
  assert.equal(thrown.location, '/api/v1/transfers/t')
})

test('money is exact', () => {
  assert.equal(money.parse('12.34', 'EUR'), 1234n)
  assert.equal(money.parse('-0.05', 'EUR'), -5n)
  assert.equal(money.parse('7', 'JPY'), 7n)
  assert.equal(money.format(-5n, 'EUR'), '-0.05')
  assert.equal(money.format(1234n, 'BHD'), '1.234')
  assert.equal(money.add(['0.10', '0.20', '-0.05'], 'EUR'), '0.25')
  assert.equal(money.add([], 'EUR'), '0.00')
  assert.equal(money.add(['99999999999999.99', '0.01'], 'EUR'), '100000000000000.00')
  for (const text of ['', '1.', '1e3', '1.234', ' 1', '--1', '01', '+1', 'NaN']) {
    assert.throws(() => money.parse(text, 'EUR'), RangeError, text)
  }
  assert.throws(() => money.parse('1.5', 'JPY'), RangeError)
})
