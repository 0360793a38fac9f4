// What the page keeps and reads without a browser: preferences, links of mails, the answer of an
// issuer, drafts, and what the bank has told in the first page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupOf, approvalPage } from '../src/state/paths.ts'
import { ada, ok, openPage, until } from './calls-support.ts'
import { openBrowser, type Tab } from './tabs-support.ts'

type State = Tab & {
  bankName: string
  bic: string | undefined
  bankPhone: string | undefined
  bankAddress: string | undefined
  bankZone: string
  hasMembers: boolean
  logo: string | undefined
  cell<T>(initial: T): { value: T }
  drawWith(again: () => void): void
  preferences: { value: Record<string, unknown> }
  changePreferences(change: object): void
  storePreferences(): void
  isZone(zone: string): boolean
  timeZone(): string
  resetToken: { value: string }
  takeResetToken(): void
  keepPurpose(purpose: object): void
  takeIssuerAnswer(): void
  takeBrought(): object | undefined
  useDraft(name: string, initial: object): [object, (part: object) => void, () => void]
  prepareFace(): Promise<void>
  look(address: string, show: (bytes: ArrayBuffer) => unknown): void
  seal(content: unknown): Promise<string>
  unseal(text: string): Promise<unknown>
  hasRole(...roles: string[]): boolean
  isCustomer(): boolean
  isStaff(): boolean
  isAdmin(): boolean
  mayHaveFactor(): boolean
  factorDueAt(createdAt: string): number
  idleSeconds: number
  hasSecondFactors: boolean
  hasFourEyes: boolean
  hasIssuer: boolean
}

const open = (has: Record<string, object> = {}, drafts: Record<string, string> = {}): State =>
  openBrowser(() => 'hang').openTab({ has, drafts }) as State
const told = (dataset: object) => open({ document: { documentElement: { dataset } } })
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('the first page tells which bank it is, and what is left out is not there', () => {
  const bank = told({
    bankName: 'Bank',
    bic: 'BANKDEFF',
    bankPhone: '+49 1',
    bankAddress: 'Street 1',
    timeZone: 'Europe/Berlin',
    members: 'on',
    logo: '/portal/logo.svg',
  })
  const read = (tab: State) => [
    tab.bankName,
    tab.bic,
    tab.bankPhone,
    tab.bankAddress,
    tab.bankZone,
    tab.hasMembers,
    tab.logo,
  ]
  const all = ['Bank', 'BANKDEFF', '+49 1', 'Street 1', 'Europe/Berlin', true, '/portal/logo.svg']
  assert.deepEqual(read(bank), all)
  const none = undefined
  assert.deepEqual(read(told({})), ['', none, none, none, 'UTC', false, none])
  const empty = { bic: '', bankPhone: '', bankAddress: '', logo: '', members: 'off' }
  assert.deepEqual(read(told(empty)), ['', none, none, none, 'UTC', false, none])
})

test('the first page tells how sessions and second factors are at this bank', () => {
  const bank = told({
    sessionIdleSeconds: '300',
    secondFactor: 'support-agent admin',
    secondFactorGraceSeconds: '60',
    fourEyes: 'on',
    issuer: 'on',
  })
  const { idleSeconds, hasSecondFactors, hasFourEyes, hasIssuer } = bank
  assert.deepEqual([idleSeconds, hasSecondFactors, hasFourEyes, hasIssuer], [300, true, true, true])
  assert.equal(bank.factorDueAt('1970-01-01T00:00:01.000Z'), 61_000)
  const plain = told({ fourEyes: 'off', issuer: 'off' })
  assert.deepEqual(
    [plain.idleSeconds, plain.hasSecondFactors, plain.hasFourEyes, plain.hasIssuer],
    [0, false, false, false],
  )
  for (const [roles, customer, staff, admin, factor] of [
    [undefined, false, false, false, false],
    [['customer'], true, false, false, false],
    [['support-agent'], false, true, false, true],
    [['admin'], false, true, true, true],
    [['customer', 'admin'], true, true, true, true],
  ] as const) {
    bank.me.value = roles && ({ id: 'ada', roles } as { id: string })
    const found = [bank.isCustomer(), bank.isStaff(), bank.isAdmin(), bank.mayHaveFactor()]
    assert.deepEqual(found, [customer, staff, admin, factor], roles?.join())
  }
})

test('a session is idle by the clock that went on, and never where the bank sets no bound', async () => {
  for (const [stopped, idle, because] of [
    ['performance', '300', 'idle'],
    ['Date', '300', 'idle'],
    ['performance', '0', 'expired'],
  ] as const) {
    const dataset = { sessionIdleSeconds: idle }
    const has = { document: { documentElement: { dataset } } }
    const { tab, clock } = await openPage<State>(() => 'hang', { has })
    tab.storeDraft('form', { a: 1 })
    const { now } = clock
    tab.own[stopped] = { now: () => now }
    clock.now += 300_000
    assert.equal(tab.idleMs(), 300_000)
    tab.sessionEnded('session_expired')
    await settled()
    assert.equal(tab.endReason.value, because)
    assert.equal(tab.readDraft('form') !== undefined, because === 'expired')
  }
})

test('a page is drawn once for all that changes at one moment, and not for what stays', async () => {
  const tab = open()
  let count = 0
  const [one, other] = [tab.cell(1), tab.cell(NaN)]
  tab.drawWith(() => void count++)
  assert.equal(count, 1)
  one.value = 2
  one.value = 3
  other.value = 4
  assert.deepEqual([one.value, other.value, count], [3, 4, 1])
  await settled()
  assert.equal(count, 2)
  one.value = 3
  await settled()
  assert.equal(count, 2)
  one.value = 5
  await settled()
  assert.equal(count, 3)
})

test('preferences are kept in the browser, and hold without its storage', () => {
  const root = { dataset: {} as Record<string, string> }
  const browser = openBrowser(() => 'hang')
  const openPage = (has = {}) =>
    browser.openTab({ has: { document: { documentElement: root }, ...has } }) as State
  const defaults = {
    language: 'auto',
    timeZone: 'auto',
    theme: 'auto',
    shortcuts: true,
    account: '',
  }
  const first = openPage()
  assert.deepEqual(first.preferences.value, defaults)
  first.changePreferences({ theme: 'dark' })
  assert.equal(root.dataset['theme'], 'dark')
  first.changePreferences({ account: '7' })
  const chosen = { ...defaults, theme: 'dark', account: '7' }
  assert.deepEqual(openPage().preferences.value, chosen)
  browser.local.clear()
  first.storePreferences()
  assert.deepEqual(openPage().preferences.value, chosen)
  browser.local.setItem('strongroom.preferences', 'spoiled')
  assert.deepEqual(openPage().preferences.value, defaults)
  const refuse = () => {
    throw new DOMException('no storage', 'SecurityError')
  }
  const without = openPage({ localStorage: { getItem: refuse, setItem: refuse } })
  without.changePreferences({ theme: 'light' })
  assert.deepEqual(without.preferences.value, { ...defaults, theme: 'light' })
})

test('times are shown in the zone that was chosen, else in that of the browser, else in UTC', () => {
  for (const [chosen, own, shown] of [
    ['auto', 'Europe/Paris', 'Europe/Paris'],
    ['Asia/Tokyo', 'Europe/Paris', 'Asia/Tokyo'],
    ['Mars/Base', 'Europe/Paris', 'Europe/Paris'],
    ['auto', 'Mars/Base', 'UTC'],
    ['Mars/Base', 'Mars/Base', 'UTC'],
  ] as const) {
    const { DateTimeFormat } = Intl
    const ofBrowser = function (language?: string, options?: Intl.DateTimeFormatOptions) {
      return language === undefined
        ? { resolvedOptions: () => ({ timeZone: own }) }
        : new DateTimeFormat(language, options)
    }
    const tab = open({ Intl: { DateTimeFormat: ofBrowser } })
    tab.changePreferences({ timeZone: chosen })
    assert.equal(tab.timeZone(), shown)
    assert.deepEqual([tab.isZone('Asia/Tokyo'), tab.isZone('Mars/Base')], [true, false])
  }
})

test('the token of a mailed link leaves the address at once, also in a page that is open', () => {
  const longest = 'a'.repeat(128)
  for (const [hash, taken] of [
    ['#token=Ab_-9', 'Ab_-9'],
    [`#token=${longest}`, longest],
    [`#token=${longest}a`, ''],
    ['#token=', ''],
    ['#token=a.b', ''],
    ['#x#token=a', ''],
    ['', ''],
  ] as const) {
    for (const isOpen of [false, true]) {
      const left: unknown[] = []
      const location = { pathname: '/portal/reset', search: '', hash: isOpen ? '' : hash }
      const history = { state: null, replaceState: (...to: unknown[]) => left.push(to[2]) }
      const tab = open({ location, history })
      tab.takeResetToken()
      location.hash = hash
      if (isOpen) tab.hear('hashchange', {})
      assert.equal(tab.resetToken.value, taken, hash)
      assert.deepEqual(left, taken ? ['/portal/reset'] : [])
    }
  }
})

test('the answer of an issuer is taken once, with what the visit was for, and leaves the address', () => {
  const home = { to: '/portal/' }
  for (const [search, answer, kept, purpose] of [
    ['?state=s&code=c&iss=i&other=o', { state: 's', code: 'c', iss: 'i' }, { confirm: '1' }],
    ['?state=s&error=denied&code=', { state: 's', error: 'denied' }, { to: '/portal/staff' }],
    ['?state=s', { state: 's' }, undefined, home],
    ['?state=s', { state: 's' }, 'spoiled', home],
    ['?code=c', undefined],
    ['', undefined],
  ] as const) {
    const left: unknown[] = []
    const location = { pathname: '/portal/signed-in', search }
    const history = { state: null, replaceState: (...to: unknown[]) => left.push(to[2]) }
    const tab = open({ location, history }, kept === 'spoiled' ? { 'strongroom.visit': '{' } : {})
    if (kept && kept !== 'spoiled') tab.keepPurpose(kept)
    tab.takeIssuerAnswer()
    const brought = answer && { answer, purpose: purpose ?? kept }
    assert.deepEqual(tab.takeBrought(), brought, search)
    assert.deepEqual(left, answer ? ['/portal/signed-in'] : [], search)
    assert.equal(tab.takeBrought(), undefined, 'once')
    tab.takeIssuerAnswer()
    const again = tab.takeBrought() as { purpose: object } | undefined
    assert.deepEqual(again?.purpose, answer && home, 'a purpose is of one visit')
  }
  const elsewhere = open({ location: { pathname: '/portal/', search: '?state=s' } })
  elsewhere.takeIssuerAnswer()
  assert.equal(elsewhere.takeBrought(), undefined)
})

test('a form shows what was typed last, and begins anew once that is cleared', async () => {
  const drafts = { 'strongroom.user': 'ada', 'strongroom.draft.form': '{"amount":"1"}' }
  const tab = open({}, drafts)
  const initial = { amount: '', payee: 'Ben' }
  const { now } = tab.mount(() => tab.useDraft('form', initial))
  assert.deepEqual(now()[0], { amount: '1', payee: 'Ben' })
  now()[1]({ amount: '2' })
  await settled()
  assert.deepEqual(now()[0], { amount: '2', payee: 'Ben' })
  assert.deepEqual(tab.readDraft('form'), { amount: '2', payee: 'Ben' })
  now()[2]()
  await settled()
  assert.deepEqual([now()[0], tab.readDraft('form')], [initial, undefined])
})

test('what was typed outlives a reload for the same person alone, and is not stored once forgotten', async () => {
  for (const [next, isKept] of [
    ['ada', true],
    ['ben', false],
  ] as const) {
    let user = ada
    const browser = openBrowser(({ path }) => (path === '/me' ? ok(user) : 'hang'))
    const start = async (drafts = {}): Promise<State> => {
      const tab = browser.openTab({ drafts }) as State
      tab.startSession(() => Promise.reject(new Error('no passkey')))
      await until('the session', () => tab.phase.value === 'in')
      return tab
    }
    const tab = await start()
    tab.storeDraft('form', { a: 1 })
    user = { ...ada, id: next }
    const reloaded = await start({ ...tab.drafts })
    assert.equal(reloaded.readDraft('form') !== undefined, isKept)
    reloaded.leaveSession('signedOut')
    // A field that is taken away tells its change.
    reloaded.storeDraft('form', { a: 2 })
    assert.equal(reloaded.readDraft('form'), undefined)
  }
})

test('what is sealed is opened by its own seal, whole', async () => {
  const browser = openBrowser(() => 'hang')
  const tab = browser.openTab() as State
  const [sealed, again] = [await tab.seal({ a: 1 }), await tab.seal({ a: 1 })]
  assert.notEqual(sealed, again)
  browser.cookies.set('other', 'x')
  assert.deepEqual(await tab.unseal(sealed), { a: 1 })
  const bytes = Buffer.from(sealed, 'base64')
  // 12 bytes of a vector, 16 of a tag.
  assert.equal(bytes.length, 12 + 7 + 16)
  bytes[20] = (bytes[20] ?? 0) ^ 1
  assert.equal(await tab.unseal(bytes.toString('base64')), undefined)
  assert.equal(await tab.unseal('?'), undefined)
  browser.cookies.clear()
  assert.equal(await tab.unseal(sealed), undefined)
})

test('the face is loaded when a screen is read, and used and kept when it is left', async () => {
  const screen = { heading: undefined as object | undefined, isLoading: true }
  const heading = { isConnected: true }
  const seen = { looks: [] as (() => void)[], changes: [] as (() => void)[], kept: [] as unknown[] }
  let status = 404
  const document = {
    body: {},
    querySelector: (what: string) =>
      what === 'h1' ? screen.heading : screen.isLoading ? {} : undefined,
  }
  const cache = { put: async (...put: unknown[]) => void seen.kept.push(put[0]) }
  const tab = open({
    document,
    setInterval: (run: () => void, milliseconds: number) => {
      assert.equal(milliseconds, 1000)
      return seen.looks.push(run)
    },
    clearInterval: () => void seen.looks.pop(),
    fetch: async () => new Response('face', { status }),
    caches: {
      delete: async (name: string) => void seen.kept.push(`no ${name}`),
      open: async () => cache,
    },
    MutationObserver: class {
      private run: () => void
      constructor(run: () => void) {
        this.run = run
      }
      observe(_: object, watched: object): void {
        assert.deepEqual(watched, { childList: true, subtree: true })
        seen.changes.push(this.run)
      }
      disconnect(): void {
        seen.changes.pop()
      }
    },
  })
  const shown: number[] = []
  const look = () => tab.look('/face', (bytes) => shown.push(bytes.byteLength))
  const pass = async () => {
    seen.looks.at(-1)?.()
    for (let turn = 0; turn < 20; turn++) await settled()
  }
  look()
  await pass()
  screen.heading = heading
  await pass()
  assert.equal(seen.looks.length, 1, 'it is still loading')
  screen.isLoading = false
  await pass()
  assert.deepEqual([seen.looks.length, seen.changes.length, seen.kept], [0, 0, []], 'no face')
  status = 200
  look()
  await pass()
  assert.deepEqual(seen.kept, ['no face', '/face'])
  seen.changes[0]?.()
  assert.deepEqual(shown, [], 'the same screen')
  heading.isConnected = false
  seen.changes[0]?.()
  assert.deepEqual([shown, seen.changes.length], [[4], 0])
})

test('a face that an earlier visit has kept is used at once, else it is loaded late', async () => {
  for (const [what, match, faces, looks] of [
    ['kept', async () => new Response('face'), 1, 0],
    ['not kept', async () => undefined, 0, 1],
    ['refused', () => Promise.reject(new DOMException('no', 'SecurityError')), 0, 1],
  ] as const) {
    const seen = { faces: [] as object[], looks: 0 }
    const tab = open({
      caches: { match },
      document: { fonts: { add: (face: object) => seen.faces.push(face) } },
      FontFace: class {
        given: unknown[]
        constructor(...given: unknown[]) {
          this.given = given
        }
      },
      setInterval: () => ++seen.looks,
      setTimeout: (run: () => void, milliseconds: number) => {
        assert.equal(milliseconds, 4000)
        queueMicrotask(run)
      },
    })
    await tab.prepareFace()
    for (let turn = 0; turn < 20; turn++) await settled()
    assert.deepEqual([seen.faces.length, seen.looks], [faces, looks], what)
  }
})

test('the home of a person is that of what they are, and an approval is found by its address', () => {
  assert.equal(groupOf('home', true), 'customer')
  assert.equal(groupOf('home', false), 'people')
  assert.equal(groupOf('orders', false), 'orders')
  assert.equal(approvalPage('/api/v1/admin/approvals/7'), '/portal/staff/approvals?request=7')
  assert.equal(approvalPage(undefined), '/portal/staff/approvals?request=')
})
