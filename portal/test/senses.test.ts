// What does not depend on sight, on colour, on motion or on a screen: forced colours, what moves,
// the keyboard, the focus, and paper.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { deposit, openAccount, sceneIn } from '../../test/support/fixture.ts'
import { people } from '../../test/support/people.ts'
import { to } from '../src/state/paths.ts'
import { resize, visit } from './support.ts'

const phone = { width: 390, height: 844 }

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

/** How a part is drawn, without its colours. */
const shapeOf = (part: Locator): Promise<string> =>
  part.evaluate((element) => {
    const { borderStyle, borderWidth, outlineStyle, textDecorationLine } =
      element.ownerDocument.defaultView.getComputedStyle(element)
    return [borderStyle, borderWidth, outlineStyle, textDecorationLine].join(' ')
  })

test('in forced colours the chosen filter and the current page differ by more than a colour', async (t) => {
  const visiting = await visit(t, { browser: { forcedColors: 'active' } })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { from } = await sceneIn(bank)
  await signIn('ada')
  await page.goto(`${origin}/portal/accounts/${from}`)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'This month' }).click()
  const [chosen, other] = ['This month', 'Last month'].map((name) =>
    page.getByRole('button', { name, exact: true }),
  ) as [Locator, Locator]
  await chosen.and(page.locator('[aria-pressed=true]')).waitFor()
  await page.mouse.move(0, 0)
  assert.notEqual(await shapeOf(chosen), await shapeOf(other), 'a filter')
  await page.goto(`${origin}/portal/cards`)
  const menu = page.getByRole('navigation', { name: 'Menu' })
  const look = async (what: string) => {
    const current = menu.locator('[aria-current]').first()
    const elsewhere = menu.locator('a:not([aria-current])').first()
    await current.waitFor()
    assert.notEqual(await shapeOf(current), await shapeOf(elsewhere), what)
  }
  await look('the menu')
  await resize(page, phone)
  await look('the bar of a phone')
})

/** The least contrast of some parts with the page, whose ground is the one of the system. */
const contrastOf = (parts: Locator, property: string): Promise<number> =>
  parts.evaluateAll(
    (all, [name]) =>
      Math.min(
        ...all.map((part) => {
          const { getComputedStyle } = part.ownerDocument.defaultView
          const lightOf = (colour: string): number =>
            (colour.match(/[\d.]+/g) ?? ['0', '0', '0'])
              .slice(0, 3)
              .map((value) => (Number(value) / 255) ** 2.2)
              .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at]!, 0.05)
          const ground = getComputedStyle(part.ownerDocument.documentElement).backgroundColor
          const lights = [getComputedStyle(part)[name as 'color'], ground].map(lightOf)
          return Math.max(...lights) / Math.min(...lights)
        }),
      ),
    [property],
  )

/** As WCAG 2.2 asks for what is not a text (1.4.11). */
const contrastMin = 3

test('in forced colours the focus, the states and the charts are seen, in light and in dark ones', async (t) => {
  const visiting = await visit(t, { browser: { forcedColors: 'active' } })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  assert.equal((await ada.post(`/api/v1/accounts/${from}/cards`, {})).status, 201)
  await signIn('ada')
  const see = async (parts: Locator, property: string) => {
    await parts.first().waitFor({ state: 'attached' })
    const contrast = await contrastOf(parts, property)
    assert.ok(contrast >= contrastMin, `${property} of ${String(parts)}: ${contrast}`)
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, forcedColors: 'active' })
    await page.goto(`${origin}/portal/cards`)
    const badges = page.locator('.badge')
    await see(badges, 'borderTopColor')
    assert.match(await shapeOf(badges.first()), /^solid 1px/)
    await see(page.getByRole('switch'), 'borderTopColor')
    await page.keyboard.press('Tab')
    const focused = page.locator(':focus-visible')
    await see(focused, 'outlineColor')
    assert.match(await shapeOf(focused), / solid (none|underline)/)
    await page.goto(`${origin}${to('charts', { accountId: from })}`)
    await see(page.locator('.chart path'), 'stroke')
    await see(page.locator('.chart text, .bar-in'), 'fill')
    await see(page.locator('.bar-out'), 'stroke')
  }
})

/** What has a span of time in which it changes. */
const readMoving = (page: Page): Promise<string[]> =>
  page.locator('*').evaluateAll((all) =>
    all.flatMap((part) =>
      ['', '::before', '::after']
        .map((pseudo) => part.ownerDocument.defaultView.getComputedStyle(part, pseudo))
        .filter(
          ({ animationName, animationDuration, transitionDuration, scrollBehavior }) =>
            (animationName !== 'none' && /[1-9]/.test(animationDuration)) ||
            /[1-9]/.test(transitionDuration) ||
            scrollBehavior === 'smooth',
        )
        .map(() => part.outerHTML.slice(0, 80)),
    ),
  )

test('with reduced motion nothing moves, not even what stands in for data that comes late', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn, another } = visiting
  const { from } = await sceneIn(bank)
  const look = async (where: Page, paths: readonly string[]) => {
    let data = Promise.withResolvers<void>()
    await where.route(/\/portal\/api\/v1\/(?!me$)/, async (route) => {
      await data.promise
      await route.continue()
    })
    const waiting = where.locator('.skeleton')
    for (const path of paths) {
      data = Promise.withResolvers()
      await where.emulateMedia({ reducedMotion: 'reduce' })
      await where.goto(origin + path)
      await waiting.first().waitFor()
      assert.deepEqual(await readMoving(where), [], `${path}, while it waits`)
      await where.emulateMedia({ reducedMotion: 'no-preference' })
      assert.notDeepEqual(await readMoving(where), [], `${path} for everybody else`)
      await where.emulateMedia({ reducedMotion: 'reduce' })
      data.resolve()
      await waiting.first().waitFor({ state: 'detached' })
      assert.deepEqual(await readMoving(where), [], path)
    }
  }
  await signIn('ada')
  const own = [to('account', { accountId: from }), to('cards'), to('orders'), to('beneficiaries')]
  await look(page, [to('home'), ...own])
  const staff = await another()
  await signIn('root', staff)
  const { id: userId } = people.ada
  const account = to('staffAccount', { accountId: from })
  await look(staff, [to('staffCustomer', { userId }), account, to('clearing'), to('today')])
})

test('on a phone the keyboard reaches every page from the menu, which gives the focus back', async (t) => {
  const visiting = await visit(t, { browser: { viewport: phone } })
  if (!visiting) return
  const { bank, page, signIn } = visiting
  await openAccount(await bank.as('ada'))
  await signIn('ada')
  const bar = page.locator('.tabs')
  const more = bar.getByRole('button', { name: 'More' })
  const shown = await bar.getByRole('link').count()
  // The first screen takes the focus when it is shown.
  await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor()
  await more.focus()
  await page.keyboard.press('Enter')
  await bar.getByRole('link').nth(shown).waitFor()
  const all = await bar
    .getByRole('link')
    .evaluateAll((links) => links.map((one) => one.textContent))
  assert.equal(all.length, 8)
  // One Tab each, in the order in which they are shown; the menu stays open meanwhile.
  for (const name of all.slice(shown)) {
    await page.keyboard.press('Tab')
    await bar.getByRole('link', { name, exact: true }).and(page.locator(':focus')).waitFor()
  }
  await page.keyboard.press('Escape')
  await more.and(page.locator(':focus')).waitFor()
  assert.equal(await more.getAttribute('aria-expanded'), 'false')
  for (const [place, name] of all.entries()) {
    const isFolded = place >= shown
    if (isFolded) {
      await more.focus()
      await page.keyboard.press('Enter')
    }
    const link = bar.getByRole('link', { name, exact: true })
    await link.focus()
    const href = (await link.getAttribute('href')) as string
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === href)
    await page.locator('h1:focus').waitFor()
  }
})

test('the heading of each page has the focus once it is shown, forwards and backwards', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, signIn } = visiting
  await openAccount(await bank.as('ada'))
  await signIn('ada')
  const menu = page.getByRole('navigation', { name: 'Menu' })
  for (const [link, title] of [
    ['Cards', 'Cards'],
    ['Beneficiaries', 'Beneficiaries'],
    ['Statements', 'Statements'],
  ] as const) {
    await menu.getByRole('link', { name: link }).click()
    await heading(page, title).and(page.locator(':focus')).waitFor()
    assert.ok((await page.title()).startsWith(title))
  }
  await page.goBack()
  await heading(page, 'Beneficiaries').and(page.locator(':focus')).waitFor()
})

test('on paper the receipt and the history have their content, and no menu and no button', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const [from, to] = [await openAccount(ada), await openAccount(ada)]
  await deposit(root, from, '1000.00')
  const terms = { amount: '12.50', currency: 'EUR', reference: 'Tickets' }
  const paid = await ada.post('/api/v1/transfers', {
    fromAccountId: from,
    toAccountId: to,
    ...terms,
  })
  assert.equal(paid.status, 201, paid.text)
  await signIn('ada')
  const print = async (path: string, content: readonly string[]) => {
    await page.emulateMedia({ media: 'screen' })
    await page.goto(`${origin}/portal/${path}`)
    for (const text of content) await page.getByText(text).first().waitFor()
    await page.emulateMedia({ media: 'print' })
    for (const text of content) assert.ok(await page.getByText(text).first().isVisible(), text)
    const controls = 'nav, button, .button, summary, input, select'
    const left = await page
      .locator(controls)
      .evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility({ visibilityProperty: true }))
          .map((one) => one.outerHTML),
      )
    assert.deepEqual(left, [], path)
  }
  await print(`transfers/${paid.body.id}`, ['€12.50', 'Tickets'])
  await print(`accounts/${from}`, ['€987.50', 'Tickets', '−€12.50'])
})
