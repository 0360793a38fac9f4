// What does not depend on sight, on colour or on a screen: forced colours, the keyboard, the focus,
// and paper.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { deposit, openAccount, sceneIn } from '../../test/support/fixture.ts'
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
