// What screens get of the API without a browser: reads, lists, changes and movements of money.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurn, ok, openPage, quiet, refused } from './calls-support.ts'
import { type Answer, openBrowser, type Tab } from './tabs-support.ts'

type Failed = { code: string; status: number }
type Read<T = unknown> = {
  data: T | undefined
  failure: Failed | undefined
  isLoading: boolean
  again(): void
}
type Submission = { state: string; failure: Failed | undefined; isBusy: boolean }
type Changing = Submission & {
  told: string
  change(part: object, done: string): Promise<void>
  tell(done: string): void
}
type Calls = {
  request(sent: object): Promise<Response>
  unattended: { isOn: boolean }
  goOnUnattended(): void
  shownReads: Set<{ path: string; data?: object }>
  continued: WeakSet<object>
  useRead(path: string | undefined): Read
  readTogether(reads: Record<string, Read>): Read
  usePages(path: string | undefined): Read<unknown[]> & { more: (() => void) | undefined }
  keepForBack(name: string, value: number): void
  readForBack(name: string): number | undefined
  useSubmit(): Submission & {
    result: unknown
    submit(change: object): Promise<object | undefined>
    reset(): void
  }
  useListChanges(list: { again(): void }, begin?: string): Changing
}

const open = openPage<Calls>

test('a request carries what it is given, and asks no cache', async () => {
  const seen: { url: string; options: RequestInit }[] = []
  const fetch = async (url: string, options: RequestInit) => {
    seen.push({ url, options })
    return new Response('{}')
  }
  const tab = openBrowser(() => 'hang').openTab({ has: { fetch } }) as Tab & Calls
  const file = new Blob(['<a/>'], { type: 'text/xml' })
  const { signal } = new AbortController()
  for (const [given, url, headers, more] of [
    [{ path: '/me' }, '/portal/api/v1/me', {}, {}],
    [{ path: '/portal/session' }, '/portal/session', {}, {}],
    [
      { path: '/x', body: { a: 1 }, key: 'k', confirmation: 'c' },
      '/portal/api/v1/x',
      { 'content-type': 'application/json', 'idempotency-key': 'k', confirmation: 'c' },
      { body: '{"a":1}' },
    ],
    [
      { path: '/x', body: file, signal },
      '/portal/api/v1/x',
      { 'content-type': 'text/xml' },
      { body: file, signal },
    ],
  ] as const) {
    await tab.request({ method: 'POST', ...given })
    const { url: at, options } = seen.shift() ?? assert.fail()
    const { headers: told, ...others } = options
    assert.deepEqual([at, Object.fromEntries(told as Headers)], [url, headers])
    const always = { method: 'POST', cache: 'no-store', redirect: 'error' }
    assert.deepEqual(others, { ...always, ...more })
  }
})

test('a read without the person says so and is no activity here either; a change always is', async () => {
  let marks: (string | null)[] = []
  const fetch = async (_: string, { headers }: { headers: Headers }) => {
    marks.push(headers.get('unattended'))
    return new Response('{}')
  }
  const told: unknown[] = []
  class Channel {
    addEventListener() {}
    postMessage(message: unknown) {
      told.push(message)
    }
  }
  const tab = openBrowser(() => 'hang').openTab({
    has: { fetch, BroadcastChannel: Channel },
  }) as Tab & Calls
  for (const [isOn, method, mark, messages] of [
    [true, 'GET', '?1', []],
    [true, 'POST', null, [{ what: 'active' }]],
    [false, 'GET', null, [{ what: 'active' }]],
  ] as const) {
    tab.unattended.isOn = isOn
    await tab.request({ method, path: '/me' })
    assert.deepEqual([marks, told], [[mark], messages], method)
    marks = []
    told.length = 0
  }
})

test('reads go on unattended once the person has done nothing for three seconds, whatever asks for it', async () => {
  const { tab } = await open(inTurn())
  const isOn = () => {
    tab.goOnUnattended()
    return tab.unattended.isOn
  }
  tab.advance(3000)
  for (const input of ['click', 'keydown', 'input', 'popstate', 'cancel']) {
    assert.equal(isOn(), true)
    tab.hear(input, {})
    assert.deepEqual([tab.unattended.isOn, isOn()], [false, false], input)
    tab.advance(2999)
    assert.equal(isOn(), false, input)
    tab.advance(1)
  }
  const { tab: opened } = await open(inTurn())
  opened.goOnUnattended()
  assert.equal(opened.unattended.isOn, false, 'the page was opened just now')
})

test('a read that is sent again is of the person as it was at first', async () => {
  for (const isOn of [true, false]) {
    const marks: (string | null)[] = []
    const fetch = async (_: string, { headers }: { headers: Headers }) => {
      marks.push(headers.get('unattended'))
      tab.unattended.isOn = !isOn
      return new Response('{}', { status: marks.length === 1 ? 503 : 200 })
    }
    const tab = openBrowser(() => 'hang').openTab({ has: { fetch } }) as Tab & Calls
    tab.unattended.isOn = isOn
    const { now } = tab.mount(() => tab.useRead('/x'))
    await quiet()
    assert.deepEqual(now().data, {})
    assert.deepEqual(marks, isOn ? ['?1', '?1'] : [null, null])
  }
})

test('a refusal ends the session by its code, and a request that was ended is no lost one', async () => {
  for (const [status, code, phase, mustEnrol] of [
    [401, 'session_expired', 'out', false],
    [401, 'invalid_credentials', 'in', false],
    [401, 'issuer_refused', 'in', false],
    [401, 'second_factor_required', 'in', false],
    [403, 'forbidden', 'in', false],
    [403, 'factor_enrolment_required', 'in', true],
  ] as const) {
    const { tab } = await open(inTurn(refused(status, code)))
    await assert.rejects(tab.request({ method: 'POST', path: '/x' }), { code, status })
    assert.deepEqual([tab.phase.value, tab.mustEnrol.value], [phase, mustEnrol], code)
  }
  const { tab } = await open(inTurn('lost'))
  await assert.rejects(tab.request({ method: 'GET', path: '/x' }), { code: 'offline' })
  const ending = new AbortController()
  const { signal } = ending
  const ended = tab.request({ method: 'GET', path: '/x', signal })
  ending.abort()
  await assert.rejects(ended, { name: 'AbortError' })
})

test('equal reads of one moment are one request, which ends when no screen waits for it', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const { tab, sent } = await open(inTurn(promise, ok({ id: 2 }), refused(404, 'not_found')))
  const [one, other] = [tab.mount(() => tab.useRead('/x')), tab.mount(() => tab.useRead('/x'))]
  const none = tab.mount(() => tab.useRead(undefined))
  assert.deepEqual([none.now().isLoading, one.now().isLoading], [false, true])
  await quiet()
  assert.equal(sent().length, 1)
  other.leave()
  await quiet()
  resolve(ok({ id: 1 }))
  await quiet()
  const { data, failure, isLoading } = one.now()
  assert.deepEqual([data, failure, isLoading], [{ id: 1 }, undefined, false])
  assert.equal(other.now().data, undefined)
  one.now().again()
  await quiet()
  assert.deepEqual([one.now().data, sent().length], [{ id: 2 }, 2])
  one.now().again()
  await quiet()
  assert.deepEqual([one.now().data, one.now().failure?.code], [undefined, 'not_found'])
  one.leave()
  // No screen waits for it any more: the next one asks anew.
  const left = tab.mount(() => tab.useRead('/y'))
  await quiet()
  left.leave()
  await quiet()
  const back = tab.mount(() => tab.useRead('/y'))
  await quiet()
  assert.equal(sent().length, 5)
  assert.equal(back.now().isLoading, true)
})

test('a screen that reads another path shows nothing of the one before', async () => {
  const { tab } = await open(({ path }) => (path === '/b' ? 'hang' : ok({ path })))
  let path = '/a'
  const { now } = tab.mount(() => tab.useRead(path))
  await quiet()
  assert.deepEqual(now().data, { path: '/a' })
  path = '/b'
  now().again()
  await quiet()
  assert.deepEqual([now().data, now().isLoading], [undefined, true])
  path = '/c'
  now().again()
  await quiet()
  assert.deepEqual([now().data, now().isLoading], [{ path: '/c' }, false])
})

test('several reads are there when all are, fail with the first, and are read again where they failed', async () => {
  const { tab } = await open(inTurn())
  const asked: string[] = []
  const read = (name: string, part: Partial<Read>): Read => ({
    data: undefined,
    failure: undefined,
    isLoading: false,
    ...part,
    again: () => void asked.push(name),
  })
  const failure = { code: 'not_found', status: 404 }
  const loading = { isLoading: true }
  for (const [a, b, data, failed, isLoading, again] of [
    [{ data: 1 }, { data: 2 }, { a: 1, b: 2 }, undefined, false, 'ab'],
    [{ data: 1 }, loading, undefined, undefined, true, 'ab'],
    [{ data: 1 }, { failure }, undefined, failure, false, 'b'],
    [{ failure, ...loading }, { data: null }, undefined, failure, true, 'a'],
    [{ data: 0 }, { data: null }, { a: 0, b: null }, undefined, false, 'ab'],
  ] as const) {
    const all = tab.readTogether({ a: read('a', a), b: read('b', b) })
    assert.deepEqual([all.data, all.failure, all.isLoading], [data, failed, isLoading])
    all.again()
    assert.equal(asked.splice(0).join(''), again)
  }
})

test('a list is read page by page, and on the way back as far as it was', async () => {
  const pageOf = (from: number, count: number, nextCursor: string | null) =>
    ok({ items: Array.from({ length: count }, (_, index) => from + index), nextCursor })
  const { tab, sent } = await open(
    inTurn(
      pageOf(0, 2, 'a&b'),
      refused(404, 'not_found'),
      pageOf(2, 2, 'c'),
      pageOf(4, 1, null),
      pageOf(0, 5, 'd'),
    ),
  )
  const path = '/transfers?limit=2'
  const list = tab.mount(() => tab.usePages(path))
  await quiet()
  assert.deepEqual([list.now().data, list.now().isLoading], [[0, 1], false])
  list.now().more?.()
  await quiet()
  assert.deepEqual([list.now().data, list.now().failure?.code], [[0, 1], 'not_found'])
  list.now().more?.()
  await quiet()
  assert.deepEqual([list.now().data, list.now().failure], [[0, 1, 2, 3], undefined])
  assert.equal(tab.readForBack(path), 4)
  list.now().more?.()
  await quiet()
  assert.deepEqual([list.now().data, list.now().more], [[0, 1, 2, 3, 4], undefined])
  assert.equal(tab.readForBack(path), 5)
  list.leave()
  const back = tab.mount(() => tab.usePages(path))
  await quiet()
  assert.deepEqual(back.now().data, [0, 1, 2, 3, 4])
  assert.deepEqual(
    sent().map((request) => request.path),
    [
      path,
      `${path}&cursor=a%26b`,
      `${path}&cursor=a%26b`,
      `${path}&cursor=c`,
      '/transfers?limit=5',
    ],
  )
})

test('a list that is read again begins anew: it has the rows and the next page of its first page', async () => {
  const pages = [
    { items: [0, 1], nextCursor: 'a' },
    { items: [2, 3], nextCursor: null },
    { items: [9, 0], nextCursor: 'b' },
    { items: [1], nextCursor: null },
  ]
  const { tab, sent } = await open(inTurn(...pages.map(ok)))
  const { now } = tab.mount(() => tab.usePages('/x?limit=2'))
  await quiet()
  now().more?.()
  await quiet()
  assert.deepEqual([now().data, now().more], [[0, 1, 2, 3], undefined])
  now().again()
  await quiet()
  assert.deepEqual([now().data, typeof now().more], [[9, 0], 'function'])
  now().more?.()
  await quiet()
  assert.deepEqual([now().data, now().more], [[9, 0, 1], undefined])
  const paths = ['/x?limit=2', '/x?limit=2&cursor=a', '/x?limit=2', '/x?limit=2&cursor=b']
  assert.deepEqual(
    sent().map(({ path }) => path),
    paths,
  )
})

test('a list of which more was asked for is known as such at once, whatever its limit', async () => {
  for (const limit of [20, 25, 50]) {
    const { tab } = await open(inTurn(ok({ items: [1], nextCursor: 'c' })))
    const list = tab.mount(() => tab.usePages(`/holds?limit=${limit}`))
    await quiet()
    const isContinued = () => [...tab.shownReads].map(({ data = {} }) => tab.continued.has(data))
    assert.deepEqual(isContinued(), [false])
    list.now().more?.()
    assert.deepEqual(isContinued(), [true], String(limit))
  }
})

test('the way back reads a hundred rows at once, and more until all are there that were', async () => {
  for (const [kept, isFailing, paths] of [
    [1, false, ['?limit=20']],
    [21, false, ['?limit=21']],
    [101, false, ['?limit=100', '?limit=100&cursor=1']],
    [201, false, ['?limit=100', '?limit=100&cursor=1', '?limit=100&cursor=2']],
    [201, true, ['?limit=100', '?limit=100&cursor=1']],
  ] as const) {
    let count = 0
    const { tab, sent } = await open(({ path }) => {
      if (isFailing && path.includes('cursor')) return refused(404, 'not_found')
      return ok({
        items: Array(Number(/limit=(\d+)/.exec(path)?.[1])).fill(0),
        nextCursor: `${++count}`,
      })
    })
    tab.keepForBack('/x?limit=20', kept)
    // What follows the first page is asked for in pages as they were.
    const list = tab.mount(() => tab.usePages('/x?limit=20'))
    await quiet()
    const asked = sent().map((request) => request.path.replace('/x', ''))
    assert.equal(asked[0], paths[0])
    assert.ok(isFailing ? asked.length === 2 : (list.now().data?.length ?? 0) >= kept, String(kept))
    assert.ok((list.now().data?.length ?? 0) < kept + 100)
    assert.equal(typeof list.now().more, 'function')
  }
  const { tab } = await open(inTurn(ok({ items: [1], nextCursor: null })))
  tab.keepForBack('/x', 5)
  const list = tab.mount(() => tab.usePages('/x'))
  const none = tab.mount(() => tab.usePages(undefined))
  await quiet()
  assert.deepEqual([list.now().data, list.now().more], [[1], undefined], 'it is shorter now')
  assert.deepEqual([none.now().data, none.now().isLoading], [undefined, false])
  const { tab: other, sent } = await open(inTurn(ok({ items: [1], nextCursor: 'c' })))
  const long = other.mount(() => other.usePages('/x'))
  assert.equal(long.now().isLoading, true)
  await quiet()
  assert.equal(long.now().isLoading, false)
  long.now().more?.()
  await quiet()
  assert.deepEqual([long.now().data, long.now().isLoading], [[1], true], 'of the next page')
  assert.equal(sent().at(-1)?.path, '/x?cursor=c')
})

const path = '/x'
const change = { method: 'POST', path, body: {}, key: 'k', isRepeatable: true }
const once = { ...change, isRepeatable: false }

test('a change ends as made, refused or unknown, and is told on its way', async () => {
  const [one, two] = [Promise.withResolvers<Answer>(), Promise.withResolvers<Answer>()]
  for (const [given, answers, end, code] of [
    [change, [ok({ id: 1 })], 'done', undefined],
    [change, [refused(400, 'invalid_request')], 'refused', 'invalid_request'],
    [once, [refused(500, 'internal_error')], 'unknown', 'internal_error'],
    [once, ['lost'], 'unknown', 'offline'],
    [once, [refused(503, 'outcome_unknown')], 'unknown', 'outcome_unknown'],
    [once, [refused(409, 'request_in_progress')], 'refused', 'request_in_progress'],
    [change, ['lost', ok({ id: 1 })], 'done', undefined],
    [change, ['lost', refused(409, 'insufficient_funds')], 'refused', 'insufficient_funds'],
    [change, ['lost', refused(422, 'idempotency_key_reused')], 'unknown', 'idempotency_key_reused'],
    [change, [refused(429, 'rate_limited', '60')], 'refused', 'rate_limited'],
    // A key that has ended meanwhile.
    [{ ...change, repeatableUntil: 0 }, ['lost', ok()], 'unknown', 'offline'],
  ] as [object, Answer[], string, string | undefined][]) {
    const { tab } = await open(inTurn(...answers))
    const { now } = tab.mount(() => tab.useSubmit())
    assert.deepEqual([now().state, now().isBusy], ['idle', false])
    const result = await now().submit(given)
    await quiet()
    assert.deepEqual([now().state, now().isBusy, now().failure?.code], [end, false, code])
    assert.deepEqual(
      [result, now().result],
      end === 'done' ? [{ result: { id: 1 } }, { id: 1 }] : [undefined, undefined],
    )
    now().reset()
    await quiet()
    assert.equal(now().state, 'idle')
  }
  const { tab, sent } = await open(inTurn(one.promise, two.promise))
  const { now } = tab.mount(() => tab.useSubmit())
  const first = now().submit(change)
  await quiet()
  assert.deepEqual([now().state, now().isBusy], ['sending', true])
  assert.equal(await now().submit(change), undefined)
  assert.equal(sent().length, 1, 'a second press meanwhile sends nothing')
  one.resolve('lost')
  await quiet()
  tab.leaveSession('expired')
  two.resolve('lost')
  assert.equal(await first, undefined, 'the session ended')
})

test('a change whose answer is lost is told as being looked for, and stops with its screen', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const { tab, sent } = await open(inTurn('lost', promise))
  const { now, leave } = tab.mount(() => tab.useSubmit())
  const under = now().submit(change)
  await quiet()
  assert.deepEqual([now().state, now().isBusy, sent().length], ['checking', true, 2])
  leave()
  await quiet()
  resolve('lost')
  assert.equal(await under, undefined)
  assert.equal(await now().submit(change), undefined)
  assert.equal(sent().length, 2)
})

test('a change that waits for a second person leads to its request, and forgets its draft', async () => {
  const held = { status: 202, body: {}, location: '/api/v1/admin/approvals/7' }
  for (const isLeft of [false, true]) {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const { tab } = await open(inTurn(promise))
    tab.storeDraft('form', { a: 1 })
    const { now, leave } = tab.mount(() => tab.useSubmit())
    const under = now().submit({ ...change, draft: 'form' })
    await quiet()
    if (isLeft) leave()
    await quiet()
    resolve(held)
    assert.equal(await under, undefined)
    const wanted = ['/portal/staff/approvals?request=7']
    assert.deepEqual(tab.visits, isLeft ? [] : wanted)
    if (!isLeft) assert.equal(tab.readDraft('form'), undefined)
  }
})

test('changes of a list have their turn one after the other, and each reads it again', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const { tab, sent } = await open(inTurn(promise, ok(), refused(409, 'illegal_transition')))
  let reads = 0
  const { now } = tab.mount(() => tab.useListChanges({ again: () => void reads++ }, 'Begin'))
  assert.equal(now().told, 'Begin')
  const one = now().change({ method: 'PUT', path: '/1' }, 'One')
  const two = now().change({ method: 'PUT', path: '/2' }, 'Two')
  await quiet()
  assert.deepEqual([sent().length, now().told, reads], [1, '', 0])
  resolve(ok())
  await Promise.all([one, two])
  await quiet()
  assert.deepEqual([sent().length, now().told, reads], [2, 'Two', 2])
  await now().change({ method: 'PUT', path: '/3' }, 'Three')
  await quiet()
  assert.deepEqual([now().told, now().state, reads], ['', 'refused', 3])
  now().tell('Told')
  await quiet()
  assert.deepEqual([now().told, reads], ['Told', 4])
})
