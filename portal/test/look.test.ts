// What people come for stands first, on a desk and on a phone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount, sceneIn } from '../../test/support/fixture.ts'
import { languages } from '../../src/domain/languages.ts'
import { assertAccessibleEverywhere, boxOf, resize, untilRead, visit } from './support.ts'

const desk = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

test('an account shows its balance and its actions first, then at once its entries, in two lines each', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const [ada, root] = [await bank.login('ada'), await bank.login('root')]
  const account = await openAccount(ada)
  const savings = await openAccount(ada)
  await deposit(root, account, '1234.50')
  const settings = `/api/v1/accounts/${account}/settings`
  await root.patch(settings, { overdraftLimit: '100.00' })
  const reference = 'A reference that is longer than a line of a phone, as they come'
  const paid = await ada.post('/api/v1/transfers', {
    fromAccountId: account,
    toAccountId: savings,
    amount: '34.50',
    currency: 'EUR',
    reference,
  })
  assert.equal(paid.status, 201, paid.text)
  await signIn('ada')
  await page.goto(`${origin}/portal/accounts/${account}`)
  for (const [size, topMax, rowMax] of [
    [desk, 400, 64],
    [phone, 520, 64],
  ] as const) {
    await resize(page, size)
    await page.locator('.bars').waitFor()
    const head = await boxOf(page, '.head')
    assert.ok(head.height <= 200, `the head is ${head.height} px high at ${size.width} px`)
    const entry = await boxOf(page, '.row')
    assert.ok(entry.y <= topMax, `the first entry lies at ${entry.y} px at ${size.width} px`)
    assert.ok(entry.height <= rowMax, `an entry is ${entry.height} px high at ${size.width} px`)
  }
  await resize(page, desk)
  await page.getByText('€1,300.00 available, of which €100.00 is overdraft').waitFor()
  const ends = page.locator('.row .end > .money')
  assert.deepEqual(
    await ends.allTextContents(),
    ['\u221234.50', '+1,234.50'].map((text) => `${text[0]}€${text.slice(1)}`),
  )
  // Told apart without a colour as well: what came in has a ground.
  const grounds = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.row .end > .money')]
      .map((one) => getComputedStyle(one).backgroundColor)`,
  )
  assert.equal(grounds[0], 'rgba(0, 0, 0, 0)')
  assert.notEqual(grounds[1], grounds[0])
  // What is folded is there when it is asked for.
  for (const name of ['Details', 'Settings'])
    await page.locator('summary', { hasText: name }).click()
  await page.getByText('Alerts', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'This month' }).waitFor()
  await page.locator('.head').getByRole('button', { name: 'More' }).click()
  await page.getByRole('link', { name: 'Charts' }).waitFor()
  await assertAccessibleEverywhere(page, 'an account, unfolded')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Charts' }).waitFor({ state: 'detached' })
  assert.deepEqual(complaints, [])
})

test('home shows its first entry high on a desk and a phone with two payments on their way, and tells of an order that was not paid', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const { id } = (await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)).body
  const terms = { beneficiaryId: id, currency: 'EUR' }
  for (const amount of ['7.00', '8.00']) {
    const paid = await ada.post('/api/v1/transfers', { fromAccountId: from, ...terms, amount })
    assert.equal(paid.body.status, 'pending', paid.text)
  }
  await signIn('ada')
  for (const [size, topMax] of [
    [{ width: 1440, height: 900 }, 400],
    [phone, 520],
  ] as const) {
    await resize(page, size)
    await page.goto(`${origin}/portal/`)
    await page.getByText('Not sent yet ·').nth(1).waitFor()
    const { y } = await boxOf(page, '.row')
    assert.ok(y <= topMax, `the first entry lies at ${y} px at ${size.width} px`)
    assert.equal(await page.getByRole('heading', { name: 'Needs your attention' }).count(), 0)
  }
  const order = (more: object) =>
    ada.post(`/api/v1/accounts/${from}/orders`, {
      ...terms,
      ...more,
      rhythm: 'monthly',
      firstOn: new Date(bank.clock.now()).toISOString().slice(0, 10),
    })
  assert.equal((await order({ amount: '900.00' })).status, 201)
  await bank.running.core.orders.work()
  const paused = (await order({ amount: '5.00' })).body.id
  assert.equal((await ada.post(`/api/v1/orders/${paused}/pause`)).status, 200)
  // The page that is left asks for nothing more.
  await untilRead(page)
  const reads: string[] = []
  page.on('response', (response) => {
    if (response.ok() && response.url().includes('/portal/api/')) reads.push(response.url())
  })
  await page.goto(`${origin}/portal/`)
  const attention = page.locator('section', { hasText: 'Needs your attention' })
  const refused = attention.getByRole('listitem').filter({ hasText: 'Not paid' })
  await refused.getByText('There is not enough money in the account.').waitFor()
  await refused.getByText('€900.00').waitFor()
  await attention.getByRole('listitem').filter({ hasText: 'Paused' }).getByText('€5.00').waitFor()
  await page.locator('.bars').waitFor()
  await untilRead(page)
  assert.ok(reads.length <= 7, reads.join('\n'))
  await assertAccessibleEverywhere(page, 'home, with orders that wait')
  await refused.getByRole('link', { name: 'Grace Hopper' }).click()
  await page.getByRole('heading', { name: 'Standing orders', level: 1 }).waitFor()
  assert.deepEqual(complaints, [])
})

test('on a phone every page is reached from the bar at the bottom, and nothing lies behind it', async (t) => {
  const visiting = await visit(t, { browser: { viewport: phone } })
  if (!visiting) return
  const { page, complaints, signIn } = visiting
  await signIn('root')
  const bar = page.locator('.tabs')
  const shown = await bar.getByRole('link').allTextContents()
  await bar.getByRole('button', { name: 'More' }).click()
  const all = await bar.getByRole('link').allTextContents()
  assert.equal(all.join(), 'Search,Clearing,Users,Today,Programs,Audit trail,Security,Preferences')
  assert.equal(shown.length, 4)
  await assertAccessibleEverywhere(page, 'the menu of a phone')
  await resize(page, phone)
  await page.locator('.tabs').getByRole('link', { name: 'Today' }).click()
  await page.getByRole('heading', { name: 'The bank today', level: 1 }).waitFor()
  const current = bar.locator('[aria-current=page]')
  assert.deepEqual(await current.allTextContents(), ['Today'])
  await page.locator('main').getByText('Times are in').scrollIntoViewIfNeeded()
  // In one task: a part that comes late makes the page longer.
  const [end = 0, y = 0] = await page.evaluate<number[]>(`{
    scrollTo(0, document.body.scrollHeight)
    const boxes = ['main > :last-child', '.tabs'].map((part) => document.querySelector(part))
    const [last, bar] = boxes.map((part) => part.getBoundingClientRect())
    ;[last.bottom, bar.top]
  }`)
  assert.ok(end <= y, `the page ends at ${end} px, the bar begins at ${y} px`)
  assert.deepEqual(complaints, [])
})

// The trail has a third line: whom an event is about.
test('on a phone a row of clearing, the bank today or users is two lines high, of the audit trail three, in every language', async (t) => {
  const visiting = await visit(t, { browser: { viewport: phone } })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, root, from } = await sceneIn(bank)
  await bank.sql(`update users set family_name = 'von Hohenfels' where username = 'ada'`)
  await deposit(root, from, '1234567.89')
  const payee = { name: 'Donaudampfschiffahrtsgesellschaft & Co.', iban: 'GB33BUKB20201555555555' }
  const { id } = (await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)).body
  const paid = await ada.post('/api/v1/transfers', {
    fromAccountId: from,
    beneficiaryId: id,
    amount: '1234567.89',
    currency: 'EUR',
    reference: 'A reference that is longer than a line of a phone, as they come',
  })
  assert.equal(paid.status, 201, paid.text)
  bank.clock.advance(3 * 3_600_000)
  await signIn('root')
  for (const language of Object.keys(languages)) {
    await page.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    for (const screen of ['clearing', 'today', 'users', 'audit']) {
      await page.goto(`${origin}/portal/staff/${screen}`)
      await page.locator('tbody tr').first().waitFor()
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      for (const width of screen === 'clearing' ? [360, phone.width] : [phone.width]) {
        await resize(page, { ...phone, width })
        const heights = await page.evaluate<number[]>(
          "[...document.querySelectorAll('tbody tr')].map((row) => row.offsetHeight)",
        )
        assert.ok(
          heights.every((height) => height > 20 && height <= (screen === 'audit' ? 84 : 64)),
          `${screen}, ${language}, at ${width}: ${heights.join(', ')} px`,
        )
      }
    }
  }
  // A box to tick keeps its size beside a label of two lines.
  await page.goto(`${origin}/portal/staff/users/new`)
  await page.locator('.check input').nth(2).waitFor()
  const sides = await page
    .locator('.check input')
    .evaluateAll((boxes) => boxes.map((box) => box.getBoundingClientRect().width))
  assert.deepEqual([...new Set(sides)], [24])
  assert.deepEqual(complaints, [])
})

test('the head of a page is one line on a desk in every language, and words of controls stay whole', async (t) => {
  const visiting = await visit(t, { browser: { viewport: { width: 1280, height: 800 } } })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const heightOf = async (selector: string) =>
    (await page.locator(selector).first().boundingBox())?.height ?? 0
  const use = (language: string) =>
    page.evaluate(`localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`)
  const rename = "update users set username = 'maximiliane.hohenfels' where username = 'ada'"
  await signIn('ada')
  await bank.sql(rename)
  for (const language of Object.keys(languages)) {
    await use(language)
    await page.goto(`${origin}/portal/`)
    await page.locator('header.top nav.own').waitFor()
    const height = await heightOf('header.top')
    assert.ok(height > 40 && height <= 60, `${language}: ${height} px`)
  }
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const saved = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  const terms = { fromAccountId: from, beneficiaryId: saved.body.id, amount: '7.00' }
  const paid = await ada.post('/api/v1/transfers', { ...terms, currency: 'EUR' })
  assert.equal(paid.status, 201, paid.text)
  const staff = await visiting.another({ viewport: { width: 1280, height: 800 } })
  await signIn('root', staff)
  await staff.evaluate(`localStorage.setItem('strongroom.preferences', '{"language":"de"}')`)
  await staff.goto(`${origin}/portal/staff/clearing`)
  const heads = staff.locator('thead th')
  await heads.first().waitFor()
  for (const head of await heads.all()) {
    assert.ok(((await head.boundingBox())?.height ?? 0) < 40, await head.innerText())
  }
  // The button stands beside its input, not beside the label.
  await staff.goto(`${origin}/portal/staff`)
  await staff.getByRole('searchbox').waitFor()
  const edges = await staff.evaluate<number[]>(
    `[...document.querySelectorAll('form.search :is(input, button)')]
      .map((each) => each.getBoundingClientRect().bottom)`,
  )
  assert.equal(edges.length, 2)
  assert.ok(Math.abs((edges[0] ?? 0) - (edges[1] ?? 0)) <= 1, edges.join())
  await staff.goto(`${origin}/portal/staff/clearing`)
  // As wide as its word, not a tile of a list.
  const sent = await staff.getByRole('button', { name: 'Gesendet', exact: true }).boundingBox()
  assert.ok((sent?.width ?? 0) < 160, `${sent?.width} px`)
  // Bars begin at one line, whatever digits stand behind them.
  await staff.goto(`${origin}/portal/staff/today`)
  const bars = staff.getByRole('table', { name: /24/ }).locator('.barred')
  await bars.nth(2).waitFor()
  const starts = await staff.evaluate<number[]>(`(() => {
    const bars = [...document.querySelectorAll('.barred')].slice(-3)
    bars[0].lastChild.data = '1.234'
    return bars.map((bar) => bar.firstChild.getBoundingClientRect().x)
  })()`)
  assert.equal(new Set(starts).size, 1, starts.join())
  // A field is as wide as the form, as is what the form tells.
  await page.goto(`${origin}/portal/transfer`)
  await page.locator('main form .field').first().waitFor()
  const widths = await page.evaluate<number[]>(
    `[...document.querySelectorAll('main form, main form .field')].map((each) => each.clientWidth)`,
  )
  assert.equal(new Set(widths).size, 1, widths.join())
  // A narrow card stands in the middle, as a form does.
  await page.goto(`${origin}/portal/profile`)
  const card = (await page.locator('.card').first().boundingBox()) ?? assert.fail()
  assert.ok(Math.abs(card.x + card.width / 2 - 640) < 16, `${card.x}, ${card.width}`)
  assert.deepEqual(complaints, [])
})
