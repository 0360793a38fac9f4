// The address bar without a browser: which links the page follows itself, and what it finds on the
// way back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, type Tab } from './tabs-support.ts'

type Router = Tab & {
  address: { value: { path: string; query: string } }
  visitCount: { value: number }
  startRouter(): void
  navigate(href: string, options?: { replace: boolean }): void
  keepForBack(name: string, value: number): void
  readForBack(name: string): number | undefined
  forgetForBack(): void
  changeQuery(parts: Record<string, string>): void
  readQuery(): URLSearchParams
}

const origin = 'https://bank.example'
type Entry = { entry: number; kept: Record<string, number> }

/** A page with the history of its browser, and how long it is. */
function openPage(begun: Entry | null = null) {
  const entries: { state: Entry | null; href: string }[] = [{ state: begun, href: '/portal/' }]
  let at = 0
  const location = { pathname: '/portal/', search: '', hash: '', origin }
  const arrive = () => {
    const { pathname, search, hash } = new URL(entries[at]?.href ?? '', origin)
    Object.assign(location, { pathname, search, hash })
  }
  const history = {
    scrollRestoration: 'auto',
    get state() {
      return entries[at]?.state
    },
    pushState(state: Entry | null, _: string, href: string) {
      entries.splice(++at, Infinity, { state, href })
      arrive()
    },
    replaceState(state: Entry | null, _: string, href = entries[at]?.href ?? '') {
      entries[at] = { state, href }
      arrive()
    },
  }
  const whenSized = new Set<() => void>()
  class ResizeObserver {
    private run: () => void
    constructor(run: () => void) {
      this.run = run
    }
    observe(): void {
      whenSized.add(this.run)
    }
    disconnect(): void {
      whenSized.delete(this.run)
    }
  }
  const root = { dataset: {}, scrollHeight: 0 }
  const clicks: ((event: object) => void)[] = []
  const document = {
    documentElement: root,
    body: {},
    addEventListener: (_: string, listener: (event: object) => void) => clicks.push(listener),
  }
  const scrolled: number[] = []
  const scrollTo = (left: number, top: number) => {
    assert.equal(left, 0, 'never to the side')
    scrolled.push(top)
  }
  const has = { location, history, ResizeObserver, document, scrollTo }
  const tab = openBrowser(() => 'hang').openTab({ has }) as Router
  tab.own['innerHeight'] = 100
  tab.startRouter()
  return {
    tab,
    history,
    entries,
    scrolled,
    scrollBy(top: number) {
      tab.own['scrollY'] = top
      tab.hear('scroll', {})
    },
    /** The page is as long as that below its window. */
    grow(height: number) {
      root.scrollHeight = 100 + height
      for (const run of whenSized) run()
    },
    isScrolling: () => whenSized.size > 0,
    go(by: number) {
      at += by
      arrive()
      tab.hear('popstate', { state: history.state })
    },
    click: (event: object) => clicks.forEach((listener) => listener(event)),
  }
}

test('an ordinary click on a link of the portal is followed in the page, any other is left to the browser', () => {
  const there = `${origin}/portal/orders?status=active`
  for (const [what, isFollowed, link, event] of [
    ['a link', true, {}, {}],
    ['nothing', false, undefined, {}],
    ['another button', false, {}, { button: 1 }],
    ['a new window on a Mac', false, {}, { metaKey: true }],
    ['a new window', false, {}, { ctrlKey: true }],
    ['a new tab', false, {}, { shiftKey: true }],
    ['a file', false, {}, { altKey: true }],
    ['a link that a screen follows', false, {}, { defaultPrevented: true }],
    ['a link to a new tab', false, { target: '_blank' }, {}],
    ['a link to a file', false, { download: 'file' }, {}],
    ['another site', false, { href: 'https://other.example/portal/orders' }, {}],
    ['another part of the site', false, { href: `${origin}/docs` }, {}],
    ['an answer of the API', false, { href: `${origin}/portal/api/v1/me` }, {}],
    ['a part of the page', false, { href: `${there}#part` }, {}],
  ] as const) {
    const { tab, click, entries } = openPage()
    let isPrevented = false
    click({
      button: 0,
      ...event,
      preventDefault: () => (isPrevented = true),
      target: {
        closest: () => link && { href: there, target: '', download: '', ...link },
      },
    })
    assert.equal(isPrevented, isFollowed, what)
    assert.equal(tab.visitCount.value, isFollowed ? 1 : 0, what)
    const address = isFollowed
      ? { path: '/portal/orders', query: '?status=active' }
      : { path: '/portal/', query: '' }
    assert.deepEqual(tab.address.value, address, what)
    assert.equal(entries.length, isFollowed ? 2 : 1, what)
  }
})

test('the way back finds the page where it was left, once it is long enough', () => {
  const page = openPage()
  const { tab, history, scrolled } = page
  assert.equal(history.scrollRestoration, 'manual')
  assert.deepEqual(history.state, { entry: 0, kept: {} })
  assert.ok(page.isScrolling(), 'to the top, once there is something')
  page.grow(0)
  assert.deepEqual([scrolled.splice(0), page.isScrolling()], [[0], false])
  tab.keepForBack('rows', 40)
  // The browser tells it at its next picture.
  tab.own['scrollY'] = 120
  tab.navigate('/portal/orders')
  assert.deepEqual(page.entries[0]?.state, { entry: 0, kept: { rows: 40, top: 120 } })
  assert.deepEqual(scrolled.splice(0), [0])
  assert.equal(tab.readForBack('rows'), undefined)
  tab.keepForBack('rows', 7)
  page.scrollBy(30)
  page.go(-1)
  assert.deepEqual([tab.readForBack('rows'), tab.readForBack('top')], [40, 120])
  assert.deepEqual([tab.address.value.path, tab.visitCount.value], ['/portal/', 2])
  page.scrollBy(0)
  page.grow(119)
  assert.deepEqual([scrolled, tab.readForBack('top')], [[], 120], 'it is too short')
  page.grow(120)
  assert.deepEqual([scrolled.splice(0), page.isScrolling()], [[120], false])
  page.scrollBy(110)
  page.go(1)
  assert.deepEqual([tab.readForBack('rows'), tab.readForBack('top')], [7, 30])
  tab.forgetForBack()
  assert.equal(tab.readForBack('rows'), undefined)
  page.go(-1)
  assert.equal(tab.readForBack('top'), 110)
})

test('a person who does something meanwhile is not scrolled away', () => {
  for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown', 'a link', 'the way back']) {
    const page = openPage()
    page.grow(0)
    page.scrollBy(120)
    page.tab.navigate('/portal/orders')
    page.go(-1)
    page.scrolled.length = 0
    page.tab.own['scrollY'] = 3
    if (move === 'a link') page.tab.navigate('/portal/cards')
    else if (move === 'the way back') page.go(1)
    else page.tab.hear(move, {})
    page.grow(500)
    const top = { 'a link': [0], 'the way back': [0] }[move] ?? []
    assert.deepEqual([page.scrolled, page.isScrolling()], [top, false], move)
    page.scrollBy(5)
    assert.equal(page.tab.readForBack('top'), 5, 'what follows is kept again')
    if (move === 'a link') page.go(-1)
    if (move !== 'the way back')
      assert.equal(page.tab.readForBack('top'), move === 'a link' ? 120 : 5)
  }
})

test('what is kept outlives a reload, by the entry of the history', () => {
  const first = openPage()
  first.grow(0)
  first.tab.keepForBack('rows', 3)
  first.scrollBy(50)
  first.tab.hear('pagehide', {})
  const { state } = first.history
  assert.deepEqual(state, { entry: 0, kept: { rows: 3, top: 50 } })
  const page = openPage({ entry: 4, kept: { rows: 3, top: 50 } })
  const { tab, history } = page
  assert.equal(tab.readForBack('rows'), 3)
  page.grow(50)
  assert.deepEqual(page.scrolled, [50])
  // Entries of before the reload.
  const reach = (entry: Entry | null) => tab.hear('popstate', { state: entry })
  reach({ entry: 2, kept: { rows: 9 } })
  assert.equal(tab.readForBack('rows'), 9)
  tab.keepForBack('rows', 10)
  reach({ entry: 6, kept: {} })
  assert.equal(tab.readForBack('rows'), undefined)
  reach({ entry: 2, kept: { rows: 9 } })
  assert.equal(tab.readForBack('rows'), 10, 'newer than what the history has')
  reach(null)
  assert.equal(tab.readForBack('rows'), undefined, 'an address that was typed')
  tab.navigate('/portal/orders')
  assert.deepEqual(history.state, { entry: 8, kept: {} }, 'the number of no other one')
})

test('a page that takes the place of another leaves no way back to it', () => {
  const { tab, entries, history } = openPage()
  tab.keepForBack('rows', 3)
  tab.navigate('/portal/orders?a=1', { replace: true })
  assert.deepEqual(
    entries.map(({ href }) => href),
    ['/portal/orders?a=1'],
  )
  assert.deepEqual([tab.readForBack('rows'), history.state], [undefined, { entry: 0, kept: {} }])
  assert.deepEqual(tab.address.value, { path: '/portal/orders', query: '?a=1' })
  assert.equal(tab.visitCount.value, 1)
})

test('a filter changes the address and shows nothing anew', () => {
  const { tab, entries } = openPage()
  tab.navigate('/portal/orders?status=active#top', { replace: true })
  tab.keepForBack('rows', 3)
  tab.changeQuery({ status: '', payee: 'a&b' })
  assert.equal(entries[0]?.href, '/portal/orders?payee=a%26b#top')
  assert.equal(tab.address.value.query, '?payee=a%26b')
  assert.equal(tab.readQuery().get('payee'), 'a&b')
  tab.changeQuery({ payee: '' })
  assert.equal(entries[0]?.href, '/portal/orders#top')
  assert.deepEqual([tab.visitCount.value, tab.readForBack('rows'), entries.length], [1, 3, 1])
})
