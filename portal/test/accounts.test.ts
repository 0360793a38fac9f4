// The accounts of a customer in a real browser: home, history, an entry, charts, and how an account
// is opened and closed.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { deposit } from '../../test/support/fixture.ts'
import { type ApiClient, people, type World } from '../../test/support/world.ts'
import {
  assertAccessible,
  assertAccessibleEverywhere,
  loseAnswer,
  untilRead,
  visit,
} from './support.ts'

const elsewhere = 'DE89370400440532013000'
const accountCount = 30
const [hebrew, arabic] = ['חנה לוי', 'شكرا جزيلا (2)']
const odd = "Rent & 'food' + #1 (2)"

async function must(answer: ReturnType<ApiClient['post']>) {
  const reply = await answer
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

const open = async (client: ApiClient, name?: string, currency = 'EUR'): Promise<string> =>
  (await must(client.post('/api/v1/accounts', { currency, name }))).id as string

type Payment = { from: string; amount: string; reference?: string } & (
  | { toAccountId: string }
  | { beneficiaryId: string }
)

const pay = ({ from, ...body }: Payment, client: ApiClient) =>
  must(client.post('/api/v1/transfers', { fromAccountId: from, currency: 'EUR', ...body }))

async function addBeneficiary(client: ApiClient, account: string, name: string, iban: string) {
  const path = `/api/v1/accounts/${account}/beneficiaries`
  return (await must(client.post(path, { name, iban }))).id as string
}

/**
 * Ada has 30 accounts: one with a history over two months, one with a Hebrew name, one overdrawn,
 * one frozen, one in dollars. Ben, with a Hebrew name, has paid her. It is 15 February 2026.
 */
async function fill(bank: World) {
  const { clock, sql, login } = bank
  const name = `update users set given_name = 'חנה', family_name = 'לוי' where id = $1`
  await sql(name, [people.ben.id])
  const moveTo = async (time: string) => {
    clock.advance(Date.parse(time) - clock.now())
    return { ada: await login('ada'), ben: await login('ben'), root: await login('root') }
  }
  const first = await moveTo('2026-01-02T10:00:00Z')
  const household = await open(first.ada, 'Household')
  const savings = await open(first.ada, 'חיסכון')
  const travel = await open(first.ada, 'Travel')
  const frozen = await open(first.ada, 'Old')
  await open(first.ada, undefined, 'USD')
  for (let number = 5; number < accountCount; number++) await open(first.ada, `Pot ${number}`)
  const bens = await open(first.ben)
  await deposit(first.root, household, '1000.00')
  await deposit(first.root, bens, '100.00')
  const settings = `/api/v1/accounts/${travel}/settings`
  await must(
    first.root.patch(settings, { overdraftLimit: '100.00', registeredPhone: '+442079460000' }),
  )
  const freeze = `/api/v1/admin/accounts/${frozen}/freeze`
  await must(first.root.post(freeze, { reason: 'Lost papers' }))
  const { iban } = await must(first.ada.get(`/api/v1/accounts/${household}`))
  const toAda = await addBeneficiary(first.ben, bens, 'Ada', iban)
  await pay({ from: bens, beneficiaryId: toAda, amount: '12.50', reference: arabic }, first.ben)
  await pay({ from: travel, toAccountId: household, amount: '20.00' }, first.ada)

  // 1 February in Berlin.
  const second = await moveTo('2026-01-31T23:30:00Z')
  await pay({ from: household, toAccountId: savings, amount: '200.00', reference: odd }, second.ada)
  const third = await moveTo('2026-02-10T12:00:00Z')
  for (let number = 1; number <= 27; number++) {
    clock.advance(1000)
    await deposit(third.root, household, `${number}.00`)
  }
  const { body: owned } = await third.ben.get(`/api/v1/accounts/${bens}`)
  const toBen = await addBeneficiary(third.ada, household, hebrew, owned.iban)
  const toElsewhere = await addBeneficiary(third.ada, household, 'Landlord', elsewhere)
  await pay({ from: household, beneficiaryId: toBen, amount: '33.00', reference: 'Tea' }, third.ada)
  await pay({ from: household, beneficiaryId: toElsewhere, amount: '7.00' }, third.ada)
  const { ada } = await moveTo('2026-02-15T09:00:00Z')
  return { ada, household, savings, travel, frozen }
}

/** The amounts of the entries, or the balances after them. */
const column = (page: Page, name: 'amount' | 'balance'): Promise<string[]> =>
  page
    .locator(`main .row .end ${name === 'amount' ? '> .money' : '.note .money'}`)
    .allTextContents()

const rows = (page: Page) => page.locator('main .row')
/** Shows the filters that are folded. */
const unfold = (page: Page) => page.locator('main form [aria-expanded]').click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)
const euro = (amount: string): string =>
  new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' })
    .format(Number(amount))
    .replace('-', '\u2212')

/** The file of what is found: its name and its lines. */
async function saveRows(
  page: Page,
  label = 'Download (CSV)',
): Promise<[name: string, lines: string[]]> {
  const coming = page.waitForEvent('download')
  await button(page, label).click()
  const saved = await coming
  const text = await readFile(await saved.path(), 'utf8')
  assert.equal(text.charCodeAt(0), 0xfeff)
  return [saved.suggestedFilename(), text.trimEnd().split('\r\n')]
}

/** Until there are as many entries, no more and no less. */
async function waitForRows(page: Page, count: number): Promise<void> {
  await rows(page)
    .nth(count - 1)
    .waitFor()
  await rows(page).nth(count).waitFor({ state: 'detached' })
}

/** The next change reaches the server, and its answer is lost. */
async function loseAnswerOf(page: Page, method: string, path: string): Promise<void> {
  let isLost = false
  await page.route(`**/portal/api/v1${path}`, async (route: Route) => {
    const request = route.request()
    if (isLost || request.method() !== method) return route.fallback()
    isLost = true
    await loseAnswer(route)
  })
}

test('a customer sees accounts, entries and charts, and opens and closes an account', async (t) => {
  const visiting = await visit(t, { refusals: [400, 403, 404, 409] })
  if (!visiting) return
  const { bank, context, page, origin, complaints, signIn, another } = visiting
  const { ada, household, savings, travel, frozen } = await fill(bank)
  const go = async (path: string) => {
    // The limit of the pages is by the second.
    bank.clock.advance(1000)
    await page.goto(`${origin}/portal/accounts/${path}`)
  }
  await page.clock.setFixedTime(bank.clock.now())
  await signIn('ada')

  await t.test('home has all accounts, totals, what needs attention, newest entries', async () => {
    await page.locator('.bars').waitFor()
    await untilRead(page)
    let calls = 0
    page.on('request', (request) => void (calls += Number(request.url().includes('/api/v1/'))))
    await page.reload()
    await page.getByRole('heading', { name: 'Newest entries' }).waitFor()
    await page.getByText('Needs your attention').waitFor()
    await rows(page).first().waitFor()
    await page.locator('.bars').waitFor()
    // A person may read ten times a second.
    assert.ok(calls <= 7, `${calls} calls`)
    await page.getByText('24 more accounts').click()
    const table = page.locator('main section', { hasText: 'Total in EUR' })
    assert.equal(await table.locator('.accounts > li').count(), accountCount)
    const { body } = await ada.get('/api/v1/accounts?limit=100')
    const shown = await table.locator('.accounts .money').allTextContents()
    const balances = body.items
      .toReversed()
      .map(({ balance, currency }: Record<string, string>) =>
        currency === 'EUR' ? euro(balance as string) : 'US$0.00',
      )
    assert.deepEqual(shown.toSorted(), balances.toSorted())
    // That of most entries comes first.
    assert.match(await table.locator('.accounts > li').first().innerText(), /^Household/)
    // 1000 + 12.50 + (1 + … + 27) − 33 − 7 in all; the rest moved between own accounts.
    assert.equal(
      await table.locator('.totals').innerText().then(clean),
      'Total in EUR €1,350.50 Total in USD US$0.00',
    )
    const attention = await page.locator('.rows li').allInnerTexts()
    // Accounts that were opened in the same millisecond are in any order.
    assert.deepEqual(attention.map(clean).toSorted(), [
      'Old Frozen No money can leave this account. Please ask the bank.',
      'Travel Overdrawn The balance is below zero. Please move money to this account. \u2212€20.00',
    ])
    const { body: newest } = await ada.get('/api/v1/transactions?limit=5')
    const amounts = (await column(page, 'amount')).map(clean)
    const expected = newest.items.map(({ amount }: { amount: string }) => signed(amount))
    assert.deepEqual(amounts, expected)
    assert.equal(
      await page.locator('bdi', { hasText: 'חיסכון' }).first().getAttribute('dir'),
      'auto',
    )
    await assertAccessibleEverywhere(page, 'home')
  })

  await t.test('an account shows each entry with the balance after it', async () => {
    await page.getByRole('link', { name: 'Household' }).first().click()
    await heading(page, 'Household').waitFor()
    await waitForRows(page, 25)
    assert.equal(await page.title(), 'Household – Strongroom')
    await button(page, 'Show more').click()
    await waitForRows(page, 33)
    await page.getByText('33 entries.').waitFor()
    const { body } = await ada.get(`/api/v1/accounts/${household}/transactions?limit=100`)
    const entries = body.items as Record<'amount' | 'balanceAfter', string>[]
    assert.deepEqual(
      await column(page, 'amount'),
      entries.map(({ amount }) => signed(amount)),
    )
    assert.deepEqual(
      await column(page, 'balance'),
      entries.map(({ balanceAfter }) => euro(balanceAfter)),
    )
    const oldest = (await rows(page).allInnerTexts()).slice(-3).map(clean)
    // Times are those of the person's zone.
    assert.match(oldest[2] as string, /^Deposit 11:00 · Paid in Money in \+€1,000\.00/)
    assert.match(oldest[1] as string, /חנה לוי 11:00 · شكرا جزيلا \(2\) Money in \+€12\.50/)
    assert.match(oldest[0] as string, /Travel 11:00 Money in \+€20\.00 Balance after €1,032\.50$/)
    await page.getByText('Times are in Europe/Berlin.').waitFor()
    await assertAccessibleEverywhere(page, 'account')
  })

  await t.test('filters are kept in the address, and tell what is wrong', async () => {
    await unfold(page)
    await button(page, 'This month').click()
    await waitForRows(page, 25)
    assert.deepEqual(queryOf(page), { from: '2026-02-01' })
    // The sum and the file are of all that is found, of which 25 are shown.
    assert.equal(await page.getByText(/^Sum of/).count(), 0)
    let asked = 0
    await page.route('**/transactions?limit=100*', (route) => {
      asked++
      return route.fulfill({ json: { items: [], nextCursor: 'more' } })
    })
    await button(page, 'Add up all').click()
    await page.getByText('Up to 5,000 entries are added up and downloaded here.').waitFor()
    assert.equal(asked, 50)
    await page.route('**/transactions?limit=100*', (route) =>
      route.continue({ url: route.request().url().replace('limit=100', 'limit=12') }),
    )
    await button(page, 'Add up all').click()
    await page.getByText('Sum of 30 entries: +€138.00').waitFor()
    await waitForRows(page, 25)
    const [file, lines] = await saveRows(page)
    assert.match(file, /^entries-\d{4}-2026-02-15\.csv$/)
    assert.equal(lines.length, 31)
    assert.match(lines[1] as string, /^2026-02-10,.*,Payment,Landlord,.*,-7\.00,EUR,/)
    await assertAccessible(page, 'a sum of entries')
    await button(page, 'Show more').click()
    await waitForRows(page, 30)
    // Half past midnight in Berlin, still January in UTC.
    assert.match(clean(await rows(page).last().innerText()), /חיסכון 00:30/)
    await button(page, 'Last month').click()
    await waitForRows(page, 3)
    await page.getByText('Sum of 3 entries: +€1,032.50').waitFor()
    assert.deepEqual(queryOf(page), { from: '2026-01-01', to: '2026-01-31' })
    assert.equal(await button(page, 'Last month').getAttribute('aria-pressed'), 'true')
    await page.emulateMedia({ media: 'print' })
    assert.ok(await page.getByText('3 entries. From 1 Jan 2026 · Until 31 Jan 2026').isVisible())
    await page.emulateMedia({ media: null })

    await field(page, 'Name, reference, IBAN, amount').fill('לוי')
    await page.keyboard.press('Enter')
    await waitForRows(page, 1)
    await button(page, 'All').click()
    await waitForRows(page, 2)
    await page.reload()
    await waitForRows(page, 2)
    assert.equal(await field(page, 'Name, reference, IBAN, amount').inputValue(), 'לוי')
    await button(page, 'Clear filters').click()
    await waitForRows(page, 25)
    assert.deepEqual(queryOf(page), {})
    assert.equal(await button(page, 'Download (CSV)').count(), 0)
    for (const amount of ['33,00', '33.00', '€33.00']) {
      await field(page, 'Name, reference, IBAN, amount').fill(amount)
      await page.keyboard.press('Enter')
      await page.getByText(`1 entry. “${amount}”`).waitFor()
      await page.getByText('Sum of 1 entry: −€33.00').waitFor()
    }
    await button(page, 'Clear filters').click()
    await unfold(page)

    await field(page, 'At least').fill('1,000')
    await page.keyboard.press('Enter')
    await waitForRows(page, 1)
    assert.deepEqual(queryOf(page), { minAmount: '1000.00' })
    await field(page, 'At least').fill('1.00.0')
    await page.keyboard.press('Enter')
    await page.getByText('“1.00.0” can be read in more than one way.').waitFor()
    assert.equal(await field(page, 'At least').getAttribute('aria-invalid'), 'true')
    await page.locator('[name=minAmount]:focus').waitFor()
    await assertAccessible(page, 'filters')

    await go(`${household}?text=%3Cb%3E`)
    await page.getByText('The sign < is not accepted.').waitFor()
    await go(`${household}?from=2026-02-30`)
    await page.getByText('Please choose a day.').waitFor()
    await go(`${household}?text=nothing+like+it`)
    await page.getByText('No entry matches the filters.').waitFor()
    await go('01940000-0000-7000-8000-00000000ffff')
    await page.getByText('This does not exist or no longer exists.').waitFor()
  })

  await t.test('a frozen account says so, and its settings are shown', async () => {
    await go(frozen)
    await page.getByText('This account is frozen. Money can arrive, but none can leave.').waitFor()
    await page.getByText('No money has moved yet.').waitFor()
    const payLink = page.locator('main').getByRole('link', { name: 'Pay' })
    assert.equal(await payLink.count(), 0, 'nothing is offered that would be refused')
    await assertAccessible(page, 'frozen account')
    await go(travel)
    await page.getByText('€80.00 available, of which €80.00 is overdraft').waitFor()
    await page.getByText('Settings').click()
    await page.getByText('+442079460000').waitFor()
    const facts = (await page.locator('.facts div').allInnerTexts()).map(clean)
    assert.ok(facts.includes('Overdraft limit €100.00'), facts.join())
  })

  await t.test(
    'an entry has both sides, is copied, printed, saved as PDF, and paid again',
    async () => {
      await go(`${household}?text=Tea`)
      await page.getByRole('link', { name: hebrew }).click()
      await heading(page, 'Entry').waitFor()
      await page.getByText('It has arrived.').waitFor()
      const facts = (await page.locator('.facts div').allInnerTexts()).map(clean)
      assert.match(facts[0] as string, /^From Ada Okafor, Household DE\d\d 0077 /)
      assert.match(
        facts.find((fact) => fact.startsWith('To')) as string,
        /^To חנה לוי DE\d\d 0077 /,
      )
      assert.ok(facts.includes('Reference Tea'))
      const id = page.url().split('/').at(-1)
      await context.grantPermissions(['clipboard-write'])
      // It is there for two seconds.
      const copied = page.getByText('Copied').first().waitFor()
      assert.equal(await button(page, 'Copy Payment number').count(), 0)
      await button(page, 'Details').click()
      await button(page, 'Copy Payment number').click()
      await copied
      const again = page.getByRole('link', { name: 'Pay again' })
      const href = `/portal/transfer?from=${household}&again=${id}`
      assert.equal(await again.getAttribute('href'), href)
      await button(page, 'Add a note').click()
      await page.getByRole('textbox', { name: 'Note' }).fill('4111 1111 1111 1111')
      await button(page, 'Save').click()
      await page.getByText('no card number').first().waitFor()
      await page.getByRole('textbox', { name: 'Note' }).fill('Bergamot')
      await assertAccessible(page, 'a note on an entry')
      await button(page, 'Save').click()
      await button(page, 'Change').waitFor()
      assert.ok(await page.getByText('Bergamot').isVisible())
      await assertAccessibleEverywhere(page, 'entry')
      await button(page, 'Details').click()
      assert.equal(await page.getByText(id as string).isVisible(), false)
      const coming = page.waitForEvent('download')
      await button(page, 'PDF receipt').click()
      const saved = await (await coming).path()
      assert.match((await readFile(saved)).subarray(0, 5).toString(), /^%PDF-/)
      await page.evaluate("window.print = () => (document.title = 'printed')")
      await button(page, 'Print').click()
      assert.equal(await page.title(), 'printed')
      await page.emulateMedia({ media: 'print' })
      for (const name of ['Print', 'Sign out', 'Copy Payment number']) {
        assert.equal(await button(page, name).isVisible(), false, name)
      }
      assert.ok(await page.getByText('Tea').isVisible())
      assert.ok(await page.getByText(id as string).isVisible(), 'the number is on paper')
      await page.emulateMedia({ media: null })

      await go(`${household}?text=bergamot`)
      await waitForRows(page, 1)
      assert.match(clean(await rows(page).innerText()), /Tea · Bergamot/)
      await go(`${household}?text=food`)
      await page.getByRole('link', { name: 'חיסכון' }).click()
      await page.getByText(odd).waitFor()
      await go(`${savings}/entries/${id}`)
      await page.getByText('You are not permitted to do this.').waitFor()
    },
  )

  await t.test('charts draw what their tables and the API say', async () => {
    await go(`${household}/charts?months=3`)
    await page.getByRole('img', { name: 'Balance over time' }).waitFor()
    const path = `/api/v1/accounts/${household}/balances?from=2025-12-01&to=2026-02-15`
    const { days } = (await must(ada.get(path))) as { days: Record<string, string>[] }
    const [byDay, byMonth] = [page.locator('table').nth(0), page.locator('table').nth(1)]
    const cells = async (table: typeof byDay, name: string) =>
      (await table.locator(`td[data-label="${name}"]`).allTextContents()).toReversed()
    assert.equal(days.length, 3)
    for (const [name, key] of [
      ['Money in', 'in'],
      ['Money out', 'out'],
      ['Balance', 'balance'],
    ] as const) {
      assert.deepEqual(
        await cells(byDay, name),
        days.map((day) => euro(day[key] as string)),
        name,
      )
    }
    assert.deepEqual(await cells(byMonth, 'Money in'), ['€0.00', '€1,032.50', '€378.00'])
    assert.deepEqual(await cells(byMonth, 'Money out'), ['€0.00', '€200.00', '€40.00'])
    assert.deepEqual(await cells(byMonth, 'Difference'), ['€0.00', '€832.50', '€338.00'])
    const heights = await page
      .locator('svg[role=img] rect')
      .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))))
    const [, , jan = 0, janOut = 0, feb = 0, febOut = 0] = heights
    assert.equal(heights.length, 6)
    const ratios = [janOut / jan, feb / jan, febOut / jan].map((ratio) => ratio.toFixed(6))
    const exact = [200 / 1032.5, 378 / 1032.5, 40 / 1032.5].map((ratio) => ratio.toFixed(6))
    assert.deepEqual(ratios, exact)
    const line = (await page.locator('path.line').getAttribute('d')) as string
    assert.equal(line.match(/V/g)?.length, 3, 'a step for each day with an entry')
    const said = await page.locator('svg desc').first().textContent()
    assert.match(
      said as string,
      /^From €0\.00 .* to €1,170\.50 .* Lowest €0\.00, highest €1,170\.50\./,
    )
    await assertAccessibleEverywhere(page, 'charts')

    await button(page, '12 months').click()
    await page.locator('svg[role=img] rect').nth(23).waitFor()
    assert.deepEqual(queryOf(page), { months: '12' })
    await go(`${frozen}/charts`)
    await page.getByText('No money moved in this period. The balance is €0.00.').waitFor()
    await assertAccessible(page, 'charts without entries')
  })

  await t.test('an account is opened; a name with markup is refused', async () => {
    await go('new')
    await field(page, 'Currency').selectOption('JPY')
    await field(page, 'Name (optional)').fill('<b>Home</b>\u200f')
    await button(page, 'Open account').click()
    await page.locator('.field .error', { hasText: 'The sign < is not accepted.' }).waitFor()
    await assertAccessibleEverywhere(page, 'open an account')
    await page.reload()
    assert.equal(await field(page, 'Currency').inputValue(), 'JPY', 'what was typed is kept')
    await field(page, 'Name (optional)').fill(odd)
    await button(page, 'Open account').click()
    await page.getByText('Your account is open').waitFor()
    await assertAccessible(page, 'an opened account')
    await page.getByRole('link', { name: 'To the account' }).click()
    await heading(page, odd).waitFor()
    await page.getByText('JP¥0').first().waitFor()
  })

  await t.test('an opening whose answer is lost shows the newest accounts', async () => {
    await go('new')
    await field(page, 'Name (optional)').fill('Once')
    await loseAnswerOf(page, 'POST', '/accounts')
    await button(page, 'Open account').click()
    await page.getByText('we do not know whether the account was opened').waitFor()
    await page.getByRole('link', { name: 'Once' }).waitFor()
    await assertAccessible(page, 'an opening without an answer')
    const { body } = await ada.get('/api/v1/accounts?limit=100')
    const once = body.items.filter(({ name }: { name: string }) => name === 'Once')
    assert.equal(once.length, 1, 'sent once')
  })

  await t.test('an empty account is closed in two steps, also when an answer is lost', async () => {
    await go(`${household}/close`)
    await page.getByText('Please move the money to another account first.').waitFor()
    assert.equal(await button(page, 'Close this account').count(), 0)
    await go(`${frozen}/close`)
    await page.getByText('A frozen account cannot be closed.').waitFor()
    const { id } = (await ada.get('/api/v1/accounts')).body.items[0]
    await go(`${id}/close`)
    await button(page, 'Close this account').click()
    await button(page, 'Close for good').waitFor()
    await assertAccessibleEverywhere(page, 'closing an account')
    await button(page, 'Keep the account').click()
    assert.equal((await ada.get(`/api/v1/accounts/${id}`)).status, 200)

    await button(page, 'Close this account').click()
    // Money arrives meanwhile.
    const root = await bank.login('root')
    await deposit(root, id, '1.00')
    await button(page, 'Close for good').click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('Please move the money to another account first.').waitFor()
    await must(
      root.post(`/api/v1/admin/accounts/${id}/withdrawals`, {
        amount: '1.00',
        currency: 'EUR',
        reason: 'Back',
      }),
    )
    await loseAnswerOf(page, 'DELETE', `/accounts/${id}`)
    await button(page, 'Close for good').click()
    await page.getByText('The account is closed', { exact: true }).waitFor()
    await assertAccessible(page, 'a closed account')
    assert.equal((await ada.get(`/api/v1/accounts/${id}`)).status, 404)
  })

  await t.test('in German, amounts and texts are German', async () => {
    const german = `localStorage.setItem('strongroom.preferences', '{"language":"de"}')`
    await page.evaluate(german)
    await go(`${household}?minAmount=1000.00`)
    await waitForRows(page, 1)
    await unfold(page)
    assert.equal(await field(page, 'Mindestens').inputValue(), '1000,00')
    assert.deepEqual((await column(page, 'amount')).map(clean), ['+1.000,00 €'])
    await page.getByText(/^Summe von 1 Umsatz: \+1\.000,00.€$/).waitFor()
    const [, [, line]] = await saveRows(page, 'Herunterladen (CSV)')
    assert.match(line as string, /;Einzahlung;.*;1000,00;EUR;1000,00;/)
    await field(page, 'Mindestens').fill('1.000,50')
    await page.keyboard.press('Enter')
    await page.getByText('Kein Umsatz passt zu den Filtern.').waitFor()
    assert.deepEqual(queryOf(page), { minAmount: '1000.50' })
    await page.evaluate("localStorage.removeItem('strongroom.preferences')")
  })

  await t.test('a customer without an account is led to open one', async () => {
    bank.clock.advance(1000)
    const other = await another()
    await other.clock.setFixedTime(bank.clock.now())
    await signIn('both', other)
    await other.getByText('You have no account yet.').waitFor()
    assert.equal(await other.getByText('Household').count(), 0)
    await assertAccessibleEverywhere(other, 'an empty home')
    await other.getByRole('link', { name: 'Open an account' }).click()
    await button(other, 'Open account').click()
    await other.getByRole('link', { name: 'To your accounts' }).click()
    await other.getByText('EUR account').first().waitFor()
    await other.getByText('No money has moved yet.').waitFor()
    assert.equal(await other.getByText('Needs your attention').count(), 0)
  })

  const lost = /ERR_CONNECTION_RESET/
  assert.deepEqual(
    complaints.filter((found) => !lost.test(found)),
    [],
  )
})

/** On one line, with plain spaces. */
const clean = (text: string): string => text.replace(/\s+/g, ' ').trim()

const signed = (amount: string): string => `${amount.startsWith('-') ? '' : '+'}${euro(amount)}`
