// What screens of a person's own money ask for, without a browser: payees, accounts, files,
// passkeys, and what a sign-in tells the bank.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada, inTurn, ok, openPage, quiet, refused } from './calls-support.ts'
import { type Answer, openBrowser, type Request, type Tab } from './tabs-support.ts'

type Failed = { code: string }
type Read<T> = { data: T | undefined; failure: Failed | undefined; isLoading: boolean }
type Account = { id: string; membership?: { rights: string } }
type Check = { id: string; result: string; policy: string }
type Calls = {
  askedConfirmation: { value: { settle(id?: string): void } | undefined }
  comparePayee(accountId: string, payee: object): Promise<Check | 'failed' | undefined>
  needsAcceptance(check: Check): boolean
  toCarried(check: Check | 'failed' | undefined): object
  useCompared(accountId: string, payee?: object): { isAsked: boolean; check?: unknown }
  useActedAccounts(): Read<Account[]>
  useAccounts(): Read<Account[]>
  useAccount(id: string): Read<{ account: Account; all: Account[] }>
  useActedAccount(id?: string): Read<{ account: Account; all: Account[] }>
  byUse(accounts: readonly Account[], entries?: object): Account[]
  useUsualAccount(): Read<{ all: Account[]; usual?: Account; others: Account[] }>
  changePreferences(change: object): void
  preferences: { value: { language: string; wasCustomer?: boolean } }
  waitingApprovals: { value: number }
  countWaiting(all: object[]): number
  download(path: string, name: string): Promise<void>
  formatQuery(format: string): string
  createPasskey(options: object): Promise<object>
  askPasskey(challenge: object): Promise<object>
  confirm(challenge: object, signal?: AbortSignal): Promise<string | undefined>
  deviceName(): string
  goToIssuer(path: string, purpose: object): Promise<never>
}

const open = openPage<Calls>
const openTab = (has: Record<string, object>) =>
  openBrowser(() => 'hang').openTab({ has }) as Tab & Calls

test('a comparison of a payee that got no answer is told, and what else is refused the bank tells next', async () => {
  const check = { id: 'c', result: 'match', policy: 'advised' }
  for (const [answer, found] of [
    [ok(check), check],
    ['lost', 'failed'],
    [refused(429, 'rate_limited'), 'failed'],
    [refused(500, 'internal_error'), 'failed'],
    [refused(503, 'unavailable'), 'failed'],
    [refused(400, 'invalid_request'), undefined],
    [refused(404, 'not_found'), undefined],
  ] as [Answer, unknown][]) {
    const { tab, sent } = await open(inTurn(answer))
    assert.deepEqual(await tab.comparePayee('7', { name: 'Ben', iban: 'X', more: 1 }), found)
    const { path, body } = sent()[0] ?? assert.fail()
    assert.deepEqual([path, body], ['/accounts/7/payee-checks', { name: 'Ben', iban: 'X' }])
  }
  const { tab } = await open(() => 'hang')
  const accepted = { payeeCheckId: 'c', acceptPayee: true }
  const named = { payeeCheckId: 'c' }
  for (const [result, advised, required] of [
    ['match', named, named],
    ['close_match', accepted, accepted],
    ['no_match', accepted, accepted],
    ['unavailable', {}, accepted],
  ] as const) {
    for (const [policy, carried] of Object.entries({ advised, required })) {
      const compared = { id: 'c', result, policy }
      assert.deepEqual(tab.toCarried(compared), carried, `${result} ${policy}`)
      assert.equal(tab.needsAcceptance(compared), carried === accepted)
    }
  }
  assert.deepEqual([tab.toCarried('failed'), tab.toCarried(undefined)], [{}, {}])
})

test('a payee is compared once, when it is there, for the screen that asked', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const check = { id: 'c', result: 'match', policy: 'advised' }
  const { tab, sent } = await open(inTurn(ok(check), promise))
  let payee: object | undefined
  const form = tab.mount(() => tab.useCompared('7', payee))
  await quiet()
  assert.deepEqual([form.now(), sent().length], [{ isAsked: false }, 0])
  for (const name of ['Ben', 'Benny']) {
    payee = { name, iban: 'X' }
    form.draw()
    await quiet()
    assert.deepEqual([form.now(), sent().length], [{ isAsked: true, check }, 1])
  }
  const left = tab.mount(() => tab.useCompared('8', payee))
  await quiet()
  left.leave()
  await quiet()
  resolve(ok(check))
  await quiet()
  assert.deepEqual(left.now(), { isAsked: false })
})

const [one, two, theirs, seen] = [
  { id: '1' },
  { id: '2' },
  { id: '3', membership: { rights: 'pay' } },
  { id: '4', membership: { rights: 'see' } },
] as const

test('own accounts come newest first, of staff by a search, and those of others apart', async () => {
  const listed: Record<string, Account[]> = {
    '/accounts?limit=100': [one, theirs, two],
    '/admin/accounts?ownerId=ada&status=active&limit=100': [two],
    '/admin/accounts?ownerId=ada&status=frozen&limit=100': [one],
  }
  const answer = ({ path }: Request): Answer =>
    listed[path] ? ok({ items: listed[path], nextCursor: null }) : refused(404, 'not_found')
  for (const [roles, acted, own] of [
    [['customer'], [theirs, two, one], [two, one]],
    [
      ['customer', 'admin'],
      [two, one],
      [two, one],
    ],
  ] as const) {
    const { tab, sent } = await open(answer, { user: { ...ada, roles: [...roles] } })
    const read = tab.mount(() => ({
      acted: tab.useActedAccounts(),
      own: tab.useAccounts(),
      first: tab.useAccount('1'),
      third: tab.useAccount('3'),
      acts: tab.useActedAccount('3'),
      none: tab.useActedAccount(undefined),
    }))
    assert.deepEqual(read.now().first.failure, undefined, 'not before it is read')
    await quiet()
    const { acted: all, own: mine, first, third, acts, none } = read.now()
    assert.deepEqual([all.data, mine.data], [acted, own])
    assert.deepEqual([first.data, first.failure], [{ account: one, all: own }, undefined])
    assert.deepEqual([third.data, third.failure?.code], [undefined, 'not_found'])
    assert.equal(acts.failure?.code, acted.length === 3 ? undefined : 'not_found')
    assert.deepEqual([none.data, none.failure], [undefined, undefined])
    assert.equal(sent().filter(({ path }) => path.includes('accounts')).length, roles.length)
  }
})

test('the usual account is the last used one, else that of most of the newest entries, else the oldest', async () => {
  const entries = (...ids: string[]) => ({ items: ids.map((accountId) => ({ accountId })) })
  for (const [accounts, last, answer, usual, isRead] of [
    [[two, one], '2', undefined, two, false],
    [[two, one, theirs, seen], '', ok(entries('2', '1', '2')), two, true],
    [[two, one], '', ok(entries('3')), one, true],
    [[two, one], '9', refused(404, 'not_found'), one, true],
    [[two, one], '', 'hang', undefined, true],
    [[two], '', undefined, two, false],
    [[theirs], '3', undefined, undefined, false],
  ] as const) {
    const { tab, sent } = await open(({ path }) =>
      path === '/accounts?limit=100'
        ? ok({ items: [...accounts], nextCursor: null })
        : (answer ?? assert.fail(path)),
    )
    tab.changePreferences({ account: last })
    const { now } = tab.mount(() => tab.useUsualAccount())
    assert.equal(now().data, undefined)
    await quiet()
    assert.deepEqual(now().data?.usual, usual)
    assert.equal(now().data === undefined, answer === 'hang')
    if (accounts.length === 4) assert.deepEqual(now().data?.others, [theirs])
    assert.equal(
      sent().some(({ path }) => path.startsWith('/transactions')),
      isRead,
    )
  }
})

test('the menu counts the requests of others that wait', async () => {
  const { tab } = await open(() => 'hang')
  const all = [
    { status: 'pending', makerId: 'ben' },
    { status: 'pending', makerId: 'ada' },
    { status: 'approved', makerId: 'ben' },
  ]
  assert.deepEqual([tab.countWaiting(all), tab.waitingApprovals.value], [1, 1])
})

test('a file is saved under its name once it is there whole', async () => {
  const links: { href: string; download: string; clicks: number }[] = []
  const freed: string[] = []
  const has = {
    document: {
      createElement: () => {
        const link = { href: '', download: '', clicks: 0, click: () => void link.clicks++ }
        links.push(link)
        return link
      },
    },
    URL: class extends URL {
      static override createObjectURL = () => 'blob:1'
      static override revokeObjectURL = (address: string) => void freed.push(address)
    },
  }
  const { tab, sent, clock } = await open(inTurn('lost', ok({ a: 1 }), refused(404, 'not_found')), {
    has,
  })
  await tab.download('/statement', 'may.pdf')
  const [link] = links
  assert.deepEqual([link?.href, link?.download, link?.clicks], ['blob:1', 'may.pdf', 1])
  assert.equal(sent().length, 2, 'it is asked for again')
  await assert.rejects(tab.download('/statement', 'june.pdf'), { code: 'not_found' })
  assert.equal(links.length, 1)
  assert.ok(clock.now > 60_000)
  assert.deepEqual(freed, ['blob:1'])
  assert.deepEqual(
    [tab.formatQuery('csv'), tab.formatQuery('pdf')],
    ['format=csv&spreadsheet=en', 'format=pdf'],
  )
})

test('a passkey is made and asked for in the form that the browser knows', async () => {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text)).buffer
  const asked: { publicKey: Record<string, unknown> }[] = []
  let given: object = {}
  const credential = async (options: { publicKey: Record<string, unknown> }) => {
    asked.push(options)
    if (given instanceof Error) throw given
    return given
  }
  const credentials = { create: credential, get: credential }
  const navigator = { credentials, languages: ['en'], userAgent: '' }
  const creation = {
    challenge: 'Pz8_',
    user: { id: 'YWRh', name: 'ada' },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    excludeCredentials: [{ id: 'eA', transports: ['usb'] }],
  }
  const challenge = {
    passkey: { challenge: '-_-_', allowCredentials: creation.excludeCredentials },
  }
  const read = (buffer: unknown) => Buffer.from(buffer as Uint8Array).toString()
  const older = openTab({ navigator, PublicKeyCredential: {} })
  given = {
    id: 'x',
    response: {
      clientDataJSON: bytes('{}'),
      signature: Uint8Array.from([251, 255, 191]).buffer,
      userHandle: null,
      getTransports: () => ['usb'],
    },
  }
  const told = { id: 'x', rawId: 'x', type: 'public-key', clientExtensionResults: {} }
  const response = { clientDataJSON: 'e30', signature: '-_-_', transports: ['usb'] }
  assert.deepEqual(await older.createPasskey(creation), { ...told, response })
  const made = asked.pop()?.publicKey as typeof creation
  assert.deepEqual(
    [read(made.challenge), read(made.user.id), made.user.name],
    ['???', 'ada', 'ada'],
  )
  assert.deepEqual(
    made.excludeCredentials.map(({ id }) => read(id)),
    ['x'],
  )
  Object.assign(given, { response: { clientDataJSON: bytes('{}') } })
  assert.deepEqual(await older.askPasskey(challenge), {
    ...told,
    response: { clientDataJSON: 'e30' },
  })
  const { publicKey } = asked.pop() ?? assert.fail()
  assert.deepEqual([...(publicKey['challenge'] as Uint8Array)], [251, 255, 191])
  assert.throws(() => older.askPasskey({}), { code: 'passkey_failed' })
  for (const [name, code] of [
    ['InvalidStateError', 'already_exists'],
    ['NotAllowedError', 'passkey_failed'],
  ] as const) {
    given = Object.assign(new Error('no'), { name })
    await assert.rejects(older.createPasskey(creation), { code })
  }
  const parse = (options: object) => ({ parsed: options })
  const PublicKeyCredential = {
    parseCreationOptionsFromJSON: parse,
    parseRequestOptionsFromJSON: parse,
  }
  const newer = openTab({ navigator, PublicKeyCredential })
  given = { toJSON: () => ({ json: true }) }
  asked.length = 0
  assert.deepEqual(await newer.createPasskey(creation), { json: true })
  assert.deepEqual(await newer.askPasskey(challenge), { json: true })
  assert.deepEqual(asked, [
    { publicKey: { parsed: creation } },
    { publicKey: { parsed: challenge.passkey } },
  ])
})

test('a person is asked to confirm one request at a time, and none of a session that has ended', async () => {
  const { tab } = await open(() => 'hang')
  const ending = new AbortController()
  const first = tab.confirm({ id: '1' })
  const second = tab.confirm({ id: '2' }, ending.signal)
  assert.equal(await first, undefined)
  ending.abort()
  assert.deepEqual([await second, tab.askedConfirmation.value], [undefined, undefined])
  const ended = await tab.confirm({ id: '3' }, ending.signal)
  assert.deepEqual([ended, tab.askedConfirmation.value], [undefined, undefined])
  const third = tab.confirm({ id: '4' })
  const { value: asking } = tab.askedConfirmation
  asking?.settle('4')
  assert.deepEqual([await third, tab.askedConfirmation.value], ['4', undefined])
  const fourth = tab.confirm({ id: '5' })
  const { value: now } = tab.askedConfirmation
  asking?.settle()
  assert.equal(tab.askedConfirmation.value, now, 'it is over')
  now?.settle('5')
  assert.equal(await fourth, '5')
})

test('a device is named by its browser and its system', async () => {
  for (const [userAgent, name] of [
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/1 Safari/1 Edg/1', 'Edge, Windows'],
    ['Mozilla/5.0 (Linux; Android 16) Chrome/1 Safari/1', 'Chrome, Android'],
    ['Mozilla/5.0 (iPhone) Safari/1', 'Safari, iPhone'],
    ['Mozilla/5.0 (X11; CrOS) Chrome/1 Safari/1 OPR/1', 'Opera, ChromeOS'],
    ['curl', 'Browser'],
  ]) {
    const tab = openTab({ navigator: { userAgent, languages: ['en'] } })
    assert.equal(tab.deviceName(), name)
  }
})

test('the page and the bank agree on a language at the sign-in, and on who the person was', async () => {
  for (const [own, browser, told, shown] of [
    [null, 'en', undefined, 'auto'],
    [null, 'de', 'de', 'auto'],
    ['fr', 'de', undefined, 'fr'],
    ['de', 'de', undefined, 'auto'],
  ] as const) {
    const navigator = { userAgent: '', languages: [browser], locks: {} }
    const user = { ...ada, language: own }
    const { tab, sent } = await open(() => 'lost', { user, has: { navigator } })
    assert.equal(tab.phase.value, 'in')
    const changes = sent().filter(({ method }) => method === 'PATCH')
    assert.deepEqual(
      changes.map(({ body }) => body),
      told ? [{ language: told }] : [],
    )
    assert.equal(tab.preferences.value.language, shown)
    assert.equal(tab.preferences.value.wasCustomer, true)
  }
  const user = { ...ada, roles: ['admin'], restricted: true, language: null }
  const { tab, sent } = await open(() => 'hang', { user })
  assert.deepEqual([tab.phase.value, tab.mustEnrol.value, sent()], ['in', true, []])
  assert.equal(tab.preferences.value.wasCustomer, false)
})

test('a visit of the issuer keeps what it is for', async () => {
  const went: string[] = []
  const location = {
    pathname: '/portal/staff',
    search: '?a=1',
    assign: (to: string) => void went.push(to),
  }
  const { tab, sent } = await open(inTurn(ok({ location: 'https://issuer.example/' })), {
    has: { location },
  })
  void tab.goToIssuer('/portal/session/issuer', { confirm: '1' })
  await quiet()
  assert.deepEqual([sent()[0]?.path, went], ['/portal/session/issuer', ['https://issuer.example/']])
  assert.equal(tab.drafts['strongroom.visit'], '{"confirm":"1"}')
})
