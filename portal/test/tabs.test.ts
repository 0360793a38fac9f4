// Sessions and movements of money as the pages of one browser hold them, without a browser: what
// each answer and each end of a session leaves in the page, in its storage and for other pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EndReason } from '../src/state/end-reason.ts'
import { repeatMsMax } from '../src/state/movement.ts'
import { quiet, refused, until } from './calls-support.ts'
import { type Answer, openBrowser, type Request, type Tab } from './tabs-support.ts'

const people = {
  ada: { id: 'ada', roles: ['customer'], restricted: false, language: 'en' },
  ben: { id: 'ben', roles: ['customer'], restricted: false, language: 'en' },
}
const done: Answer = { status: 201, body: { id: 'made' } }
const path = '/transfers'
const body = { amount: '12.34' }

/** A browser in which a person is signed in; movements are answered in turn, then not at all. */
async function open(...answers: (Answer | Promise<Answer>)[]) {
  const bank = { user: people.ada as object | undefined, answers, keptWhenSent: [] as boolean[] }
  const browser = openBrowser(({ method, path: asked }: Request) => {
    if (asked === '/me' && method === 'GET') {
      return bank.user ? { status: 200, body: bank.user } : refused(401, 'session_expired')
    }
    if (asked !== path) return { status: 204 }
    bank.keptWhenSent.push(Object.keys(browser.local).length > 0)
    return bank.answers.shift() ?? 'hang'
  })
  const openTab = async (): Promise<Tab> => {
    const tab = browser.openTab()
    tab.startSession(async () => assert.fail('no passkey'))
    await until('the sign-in', () => tab.phase.value !== 'starting')
    return tab
  }
  const sent = () => browser.requests.filter((request) => request.path === path)
  return { ...browser, bank, openTab, sent, tab: await openTab() }
}

/** Opens a review of what was typed, and sends it. */
function send(tab: Tab, name = 'transfer'): string {
  tab.storeDraft(name, { typed: 'amount' })
  tab.storeDraft(`${name}.once`, { typed: 'payee' })
  tab.openReview(`${name}.review`, path, body, '/beneficiaries/1')
  const movement = tab.findMovement(`${name}.review`) ?? assert.fail('no review')
  tab.sendMovement(movement)
  return movement.key
}

type Left = 'made' | 'refused' | 'open' | 'review'
/** What each answer leaves. The person is signed out by some. */
const left: [what: string, answer: Answer, left: Left, end?: EndReason][] = [
  ['201', done, 'made'],
  ['400', refused(400, 'invalid_request'), 'refused'],
  ['404', refused(404, 'not_found'), 'refused'],
  ['409', refused(409, 'insufficient_funds'), 'refused'],
  ['403', refused(403, 'forbidden'), 'review'],
  ['422', refused(422, 'idempotency_key_reused'), 'review'],
  ['429', refused(429, 'rate_limited', '4'), 'review'],
  ['503 of a bank that is away', refused(503, 'unavailable', '4'), 'review'],
  ['500', refused(500, 'internal_error'), 'open'],
  ['502 without a code', { status: 502 }, 'open'],
  ['503 of a lost commit', refused(503, 'outcome_unknown'), 'open'],
  ['409 of one under way', refused(409, 'request_in_progress'), 'open'],
  ['offline', 'lost', 'open'],
  ['no answer yet', 'hang', 'open'],
  ['401 of an idle session', refused(401, 'session_expired'), 'review', 'expired'],
  ['401 of a revoked one', refused(401, 'session_revoked'), 'review', 'revoked'],
]

for (const [what, answer, expected, end] of left) {
  test(`a movement that is answered with ${what} is ${expected}, in the page and in its storage`, async () => {
    const { tab, local, cookies, sent, bank } = await open(answer)
    if (end) bank.user = undefined
    const key = send(tab)
    const keptNow = () => Object.entries(local).filter(([entry]) => entry.includes(key))
    assert.deepEqual(keptNow(), [], 'nothing is kept before it is sealed')
    await until('the request', () => sent().length > 0)
    await quiet()
    assert.deepEqual(bank.keptWhenSent[0], true, 'it is kept before it is sent')
    const found = tab.movements.value.find((movement) => movement.key === key)
    const isRepeated = expected === 'open' && answer !== 'hang'
    assert.equal(
      found?.state,
      {
        made: 'made',
        refused: 'refused',
        review: 'review',
        open: isRepeated ? 'unknown' : 'sending',
      }[expected],
    )
    assert.deepEqual(
      sent().map((request) => [request.key, request.body]),
      (isRepeated ? [1, 2] : [1]).map(() => [key, body]),
    )
    const entries = keptNow()
    assert.equal(entries.length, expected === 'open' ? 1 : 0)
    assert.ok(!JSON.stringify(entries).includes('12.34'), 'sealed')
    assert.equal(cookies.size, expected === 'open' ? 1 : 0, 'the seal goes with the last one')
    const drafts = ['transfer', 'transfer.once', 'transfer.review'].map(
      (name) => tab.readDraft(name) !== undefined,
    )
    const [isTyped, isReview] = [expected !== 'made', expected === 'review']
    assert.deepEqual(drafts, [isTyped, isTyped, isReview])
    assert.equal(tab.endReason.value, end)
    assert.equal(tab.phase.value, end ? 'out' : 'in')
  })
}

test('what was typed and saved for a movement goes with its outcome, also where it waits for a second person', async () => {
  const held = { status: 202, body: { id: '1' }, location: '/api/v1/admin/approvals/1' }
  for (const [answers, state, isSavedGone] of [
    [[done], 'made', true],
    [['lost', done], 'made', true],
    [[held], 'refused', true],
    [[refused(409, 'account_frozen')], 'refused', false],
  ] as [Answer[], string, boolean][]) {
    const { tab, requests } = await open(...answers)
    const key = send(tab)
    await until(state, () =>
      tab.movements.value.some((one) => one.key === key && one.state === state),
    )
    await quiet()
    const deleted = requests.filter(({ method }) => method === 'DELETE').map((one) => one.path)
    assert.deepEqual(deleted, isSavedGone ? ['/beneficiaries/1'] : [])
    assert.equal(tab.readDraft('transfer') === undefined, isSavedGone)
    assert.equal(tab.readDraft('transfer.once') === undefined, isSavedGone)
  }
})

/** Whether what was typed, and what is open, stays for the next session of the same person. */
const ends = {
  idle: false,
  expired: true,
  revoked: true,
  signedOut: false,
  mayBeOpen: false,
  passwordSet: false,
  emailProved: false,
} as const satisfies Record<EndReason, boolean>

for (const [because, isKept] of Object.entries(ends) as [EndReason, boolean][]) {
  test(`an end of a session that is ${because} ${isKept ? 'keeps' : 'forgets'} what was typed and what is open`, async () => {
    for (const next of ['ada', 'ben'] as const) {
      const { promise: late, resolve: come } = Promise.withResolvers<Answer>()
      const { tab, sent, cookies, bank, local } = await open(late)
      const key = send(tab)
      await until('the request', () => sent().length > 0)
      tab.openReview('order.review', '/orders', body)
      tab.leaveSession(because)
      come('lost')
      await quiet()
      assert.deepEqual(
        [tab.phase.value, tab.me.value, tab.endReason.value],
        ['out', undefined, because],
      )
      assert.equal(cookies.size, isKept ? 1 : 0)
      assert.equal(tab.movements.value.length, isKept ? 2 : 0)
      for (const name of ['transfer', 'order.review']) {
        assert.equal(tab.readDraft(name) !== undefined, isKept, name)
      }
      bank.user = people[next]
      await tab.openSession()
      const isSame = next === 'ada'
      const seen = tab.ownMovements().map((movement) => `${movement.name} ${movement.state}`)
      const both = ['transfer.review unknown', 'order.review review']
      assert.deepEqual(seen.toSorted(), isSame && isKept ? both.toSorted() : [], next)
      const told = tab.ownForgotten().map((one) => [one.key, one.path])
      assert.deepEqual(told, isSame && !isKept ? [[key, path]] : [], next)
      assert.equal(tab.readDraft('transfer') !== undefined, isSame && isKept, next)
      if (!isSame)
        assert.deepEqual(
          Object.keys(local).filter((entry) => entry.includes(key)),
          [],
        )
      tab.resumeMovements()
      await quiet()
      assert.deepEqual(
        sent().map((request) => request.key),
        isSame && isKept ? [key, key] : [key],
        next,
      )
    }
  })
}

test('what a session leaves is forgotten once no other one begins for as long as one may be idle', async () => {
  for (const isBack of [false, true]) {
    const { tab, bank } = await open()
    tab.storeDraft('transfer', { typed: 'amount' })
    tab.leaveSession('expired')
    tab.advance(300_000 - 1)
    assert.ok(tab.readDraft('transfer'), 'to the last millisecond')
    bank.user = people.ada
    if (isBack) await tab.openSession()
    tab.advance(1)
    assert.equal(tab.readDraft('transfer') !== undefined, isBack)
  }
})

test('a session that the bank refuses has ended by its code, or idle from the millisecond on', async () => {
  for (const [code, idleMs, because] of [
    ['session_expired', 299_999, 'expired'],
    ['session_expired', 300_000, 'idle'],
    ['token_expired', 0, 'expired'],
    ['session_revoked', 299_999, 'revoked'],
    ['session_revoked', 300_000, 'idle'],
  ] as const) {
    const { tab, openTab, bank } = await open()
    const other = await openTab()
    bank.user = undefined
    await quiet()
    tab.advance(idleMs)
    assert.equal(tab.idleMs(), idleMs)
    tab.sessionEnded(code)
    await until('the other page', () => other.phase.value === 'out')
    assert.deepEqual([tab.endReason.value, other.endReason.value], [because, because], code)
    tab.sessionEnded(code)
    assert.equal(tab.endReason.value, because, 'it ends once')
  }
})

test('an accepted request in one page is activity in all', async () => {
  const { tab, openTab } = await open()
  const other = await openTab()
  tab.advance(1000)
  assert.deepEqual([tab.idleMs(), other.idleMs()], [1000, 1000])
  await other.openSession()
  assert.deepEqual([tab.idleMs(), other.idleMs()], [0, 0])
})

test('another page sees what one has open, goes on where it was closed, and with the same key', async () => {
  const { tab, openTab, sent, bank } = await open('lost')
  const other = await openTab()
  const key = send(tab)
  await until('the repeat', () => sent().length === 2)
  await until('the other page', () => other.findMovement('transfer.review')?.state === 'unknown')
  await quiet()
  assert.equal(sent().length, 2, 'one page at a time')
  bank.answers = [done]
  tab.close()
  await until('the outcome', () => other.findMovement('transfer.review')?.state === 'made')
  assert.deepEqual(
    sent().map((request) => request.key),
    [key, key, key],
  )
})

test('a page hears nothing of what is not its person’s, or is gone', async () => {
  const { tab, openTab, sent } = await open()
  const other = await openTab()
  other.leaveSession('expired')
  send(tab)
  await until('the request', () => sent().length === 1)
  other.hear('storage', { key: null, newValue: null })
  await quiet()
  assert.deepEqual(other.movements.value, [])
  await other.openSession()
  const found = other.findMovement('transfer.review') ?? assert.fail()
  assert.equal(found.state, 'sending', 'it takes it up by itself')
  other.hear('storage', { key: `strongroom.open.${found.key}`, newValue: '{}' })
  await until('it is heard', () => other.movements.value.at(-1) !== found)
  assert.equal(other.movements.value.length, 1)
  tab.hear('storage', { key: 'strongroom.open.gone', newValue: '{}' })
  await quiet()
  assert.deepEqual([tab.movements.value.length, sent().length], [1, 1])
})

test('what one page has found out is told by it alone, unless another was told of a lost answer', async () => {
  for (const [first, more, told] of [
    [done, [], [undefined, 1]],
    ['lost', [done, done], ['made', 3]],
  ] as [Answer, Answer[], [string | undefined, number]][]) {
    const { promise: late, resolve: come } = Promise.withResolvers<Answer>()
    const { tab, openTab, sent } = await open(late, ...more)
    const other = await openTab()
    send(tab)
    const seen = () => other.findMovement('transfer.review')?.state
    await until('the other page', () => seen() === 'sending')
    come(first)
    await until('the outcome', () => tab.findMovement('transfer.review')?.state === 'made')
    await until('the end in the other page', () => seen() === told[0])
    await quiet()
    assert.deepEqual([seen(), sent().length], told)
    assert.equal(new Set(sent().map((request) => request.key)).size, 1)
  }
})

test('a page that is opened later repeats what is open for 23 hours, and keeps it for seven days', async () => {
  const week = 7 * 86_400_000
  for (const [laterMs, isSent, state] of [
    [repeatMsMax, true, 'unknown'],
    [repeatMsMax + 1, false, 'unknown'],
    [-1, false, 'unknown'],
    [week - 1, false, 'unknown'],
    [week, false, undefined],
  ] as const) {
    const { tab, openTab, sent, clock, local } = await open()
    const key = send(tab)
    await until('the request', () => sent().length === 1)
    const { sentAt = 0 } = tab.findMovement('transfer.review') ?? {}
    tab.close()
    clock.now = sentAt + laterMs
    const next = await openTab()
    next.resumeMovements()
    await quiet()
    assert.equal(next.findMovement('transfer.review')?.state, state, `${laterMs}`)
    assert.equal(sent().length, isSent ? 2 : 1, `${laterMs}`)
    const isTold = Object.keys(local).some((entry) => entry.includes(key))
    assert.equal(isTold, state !== undefined, `${laterMs}`)
  }
})

test('a page whose seal is gone tells that something was sent, once it is read of it no more', async () => {
  const { tab, openTab, sent, cookies } = await open()
  const key = send(tab)
  await until('the request', () => sent().length === 1)
  tab.close()
  cookies.clear()
  const next = await openTab()
  assert.equal(next.findMovement('transfer.review'), undefined)
  assert.deepEqual(
    next.ownForgotten().map((one) => one.key),
    [key],
  )
})

test('a sign-out that empties the storage leaves that something was sent, and nothing of what', async () => {
  const { tab, openTab, sent, local } = await open()
  const key = send(tab)
  await until('the request', () => sent().length === 1)
  const { sentAt } = tab.findMovement('transfer.review') ?? assert.fail()
  local.clear()
  tab.leaveSession('signedOut')
  const left = { key, ownerId: 'ada', path, sentAt }
  assert.deepEqual(JSON.parse(local.getItem(`strongroom.open.${key}`) ?? ''), left)
  assert.ok(local.getItem('strongroom.preferences'), 'what the person chose stays')
  const next = await openTab()
  assert.deepEqual(next.ownForgotten(), [left])
})

test('a page that opens is signed in, out or without the bank, as that answers', async () => {
  const lost: Answer = 'lost'
  const me = { status: 200, body: people.ada }
  for (const [what, answers, phase, code, asked] of [
    ['who is signed in', [me], 'in', undefined, 1],
    ['nobody', [refused(401, 'unauthenticated')], 'out', undefined, 1],
    ['lost three times', [lost, lost, lost, me], 'in', undefined, 4],
    ['lost', [lost, lost, lost, lost, me], 'unreachable', 'offline', 4],
    ['a short wait', [refused(503, 'unavailable', '10'), me], 'in', undefined, 2],
    ['a long wait', [refused(503, 'unavailable', '11'), me], 'unreachable', 'unavailable', 1],
    ['a fault', [refused(500, 'internal_error'), me], 'unreachable', 'internal_error', 1],
  ] as [string, Answer[], string, string | undefined, number][]) {
    let count = 0
    const { openTab } = openBrowser(({ path: at, method }) =>
      at === '/me' && method === 'GET' ? (count++, answers.shift() ?? 'hang') : { status: 204 },
    )
    const tab = openTab()
    tab.startSession(async () => assert.fail('no passkey'))
    await until(what, () => tab.phase.value !== 'starting')
    assert.deepEqual(
      [tab.phase.value, tab.unreachableBecause.value?.code, count],
      [phase, code, asked],
      what,
    )
  }
})

test('a sign-out is done once the bank has said so, on all pages', async () => {
  for (const [what, answer, because] of [
    ['204', { status: 204 }, 'signedOut'],
    ['401', refused(401, 'session_revoked'), 'signedOut'],
    ['500', refused(500, 'internal_error'), 'mayBeOpen'],
    ['503', refused(503, 'unavailable'), 'mayBeOpen'],
    ['offline', 'lost', 'mayBeOpen'],
  ] as [string, Answer, EndReason][]) {
    const browser = openBrowser(({ path: at, method }) => {
      if (at === '/auth/logout') return answer
      return at === '/me' && method === 'GET' ? { status: 200, body: people.ada } : { status: 204 }
    })
    const tabs = [browser.openTab(), browser.openTab()] as const
    for (const tab of tabs) {
      tab.startSession(async () => assert.fail('no passkey'))
      await until('the sign-in', () => tab.phase.value === 'in')
    }
    const [tab, other] = tabs
    const leaving = tab.signOut()
    assert.deepEqual([other.phase.value, other.endReason.value], ['out', 'mayBeOpen'], 'at once')
    await leaving
    await quiet()
    assert.equal(tab.endReason.value, because, what)
    assert.equal(other.endReason.value, because, what)
  }
})

test('a page that a browser opens again without a session forgets what was typed, one that had a session keeps it', async () => {
  const browser = openBrowser(() => refused(401, 'unauthenticated'))
  const drafts = { 'strongroom.user': 'ada', 'strongroom.draft.transfer': '{"typed":"amount"}' }
  const opened = browser.openTab({ drafts })
  opened.startSession(async () => assert.fail('no passkey'))
  await until('the answer', () => opened.phase.value === 'out')
  assert.equal(opened.readDraft('transfer'), undefined)
  const { tab } = await open()
  tab.storeDraft('transfer', { typed: 'amount' })
  tab.sessionEnded('session_expired')
  // An answer to another request of that session.
  tab.sessionEnded('session_expired')
  assert.ok(tab.readDraft('transfer'))
})

test('a page that comes from the cache of the way back is loaded anew, and no other one', async () => {
  const { tab } = await open()
  tab.hear('pageshow', { persisted: false })
  assert.equal(tab.reloads(), 0)
  tab.hear('pageshow', { persisted: true })
  assert.equal(tab.reloads(), 1)
})

test('a movement that is confirmed is open from then on; while the person is asked it is a review', async () => {
  const challenge = { code: 'confirmation_required', challenge: { id: 'c' } }
  for (const isConfirmed of [true, false]) {
    const { tab, openTab, sent, local } = await open({ status: 403, body: challenge })
    const key = send(tab)
    const found = () => tab.movements.value.find((movement) => movement.key === key)
    const isKept = () => Object.keys(local).some((entry) => entry.includes(key))
    await until('the question', () => tab.askedConfirmation.value !== undefined)
    assert.deepEqual([found()?.state, found()?.sentAt, isKept()], ['sending', undefined, false])
    assert.ok(tab.readDraft('transfer.review'), 'a page that is closed now loses nothing')
    tab.askedConfirmation.value?.settle(isConfirmed ? 'c' : undefined)
    await until('the end', () => found()?.state === 'review' || sent().length === 2)
    await quiet()
    const { state, isConfirmed: isSealed = false, failure } = found() ?? {}
    assert.deepEqual(
      [state, isSealed, isKept(), sent().length, failure?.code],
      isConfirmed
        ? ['sending', true, true, 2, undefined]
        : ['review', false, false, 1, 'unconfirmed'],
    )
    tab.close()
    const next = await openTab()
    next.resumeMovements()
    if (isConfirmed) await until('the next page', () => sent().length === 3)
    await quiet()
    assert.equal(sent().length, isConfirmed ? 3 : 1)
    assert.equal(next.findMovement('transfer.review')?.key, isConfirmed ? key : undefined)
  }
})

/** Each way to sign in: what it sends, in turn. */
const ways: [
  what: string,
  by: (tab: Tab) => Promise<void>,
  sent: [path: string, body: object][],
][] = [
  [
    'a password',
    (tab) => tab.signIn('ada', 'secret'),
    [['/portal/session', { username: 'ada', password: 'secret', device: 'Firefox, Linux' }]],
  ],
  [
    'a code',
    (tab) => tab.answerSignIn('c', { code: '123456' }),
    [
      [
        '/portal/session/second-factor',
        { challengeId: 'c', code: '123456', device: 'Firefox, Linux' },
      ],
    ],
  ],
  [
    'a passkey alone',
    (tab) => tab.signInByPasskey(),
    [
      ['/auth/login/passkey', {}],
      [
        '/portal/session/second-factor',
        { challengeId: 'p', passkey: { of: 'p' }, device: 'Firefox, Linux' },
      ],
    ],
  ],
  [
    'an issuer',
    (tab) => tab.endIssuerSignIn({ state: 's', code: 'x' }),
    [['/portal/session/issuer/answer', { state: 's', code: 'x', device: 'Firefox, Linux' }]],
  ],
]

for (const [what, by, wanted] of ways) {
  test(`a sign-in with ${what} waits a short moment, signs in all pages, and leads to what is open`, async () => {
    let user: object | undefined = people.ada
    const busy = [refused(503, 'unavailable', '2')]
    const browser = openBrowser(({ path: asked, method }) => {
      if (asked === '/me' && method === 'GET') {
        return user ? { status: 200, body: user } : refused(401, 'unauthenticated')
      }
      if (asked === path) return 'hang'
      if (asked === '/auth/login/passkey') return { status: 200, body: { challenge: { id: 'p' } } }
      const answer = busy.shift()
      if (answer) return answer
      user = people.ada
      return { status: 200, body: {} }
    })
    const tabs = [browser.openTab(), browser.openTab()] as const
    for (const tab of tabs) {
      tab.startSession(async () => ({
        askPasskey: async (challenge) => ({ of: (challenge as { id: string }).id }),
      }))
      await until('the first session', () => tab.phase.value === 'in')
    }
    const [tab, other] = tabs
    send(tab)
    await until('the request', () => browser.requests.some((request) => request.path === path))
    user = undefined
    tab.sessionEnded('session_expired')
    await until('the end in both', () => tabs.every(({ phase }) => phase.value === 'out'))
    await quiet()
    const before = browser.requests.length
    await by(tab)
    await until('both pages', () => tabs.every(({ phase }) => phase.value === 'in'))
    assert.equal(other.me.value?.id, 'ada')
    const found = browser.requests
      .slice(before)
      .filter((request) => request.method === 'POST' && request.path !== path)
      .map((request) => [request.path, request.body ?? {}])
    assert.deepEqual(found, [...wanted, wanted.at(-1)], 'once more behind the wait')
    assert.equal(tab.visits.at(-1), '/portal/', 'the page from which it was sent')
    const { value: visits } = tab.visitCount
    tab.ownMovements().forEach(tab.forgetMovement)
    user = undefined
    tab.sessionEnded('session_expired')
    await by(tab)
    assert.deepEqual([tab.phase.value, tab.visitCount.value], ['in', visits], 'nothing is open')
  })

  test(`a sign-in with ${what} whose answer is lost is not sent again by itself`, async () => {
    const answers: Answer[] = ['lost']
    const browser = openBrowser(({ path: asked }) => {
      if (asked === '/auth/login/passkey') return { status: 200, body: { challenge: { id: 'p' } } }
      return asked === '/me' ? refused(401, 'unauthenticated') : (answers.shift() ?? 'hang')
    })
    const tab = browser.openTab()
    tab.startSession(async () => ({ askPasskey: async () => ({ of: 'p' }) }))
    await until('the answer', () => tab.phase.value === 'out')
    await assert.rejects(by(tab), { code: 'offline' })
    const found = browser.requests.filter(({ method }) => method === 'POST')
    assert.deepEqual(
      found.map((request) => [request.path, request.body ?? {}]),
      wanted,
    )
  })
}
