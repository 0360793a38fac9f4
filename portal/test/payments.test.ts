// Paying in a real browser: by the keyboard alone, twice, with lost answers, and without money.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import { assertSound, openAccount, readBalance, sceneIn } from '../../test/support/fixture.ts'
import { wide } from '../../test/support/limits.ts'
import { freePort } from '../../test/support/program.ts'
import { type ApiClient, password, people, type World } from '../../test/support/world.ts'
import { tabTo } from './factors-support.ts'
import { assertAccessibleEverywhere, loseAnswer, untilRead, type Visit, visit } from './support.ts'

const countTransfers = async ({ sql }: Pick<World, 'sql'>): Promise<number> =>
  (await sql("select count(*)::int as count from transfers where kind = 'transfer'")).rows[0]?.[
    'count'
  ] as number

/** Chooses in a focused list by the arrow keys. */
async function arrowTo(page: Page, list: Locator, value: string): Promise<void> {
  await page.keyboard.press('Home')
  for (let presses = 0; presses < 60; presses++) {
    if ((await list.inputValue()) === value) return
    await page.keyboard.press('ArrowDown')
  }
  assert.fail(`the arrow keys do not reach ${value}`)
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

/** From the form to the review. */
async function review(page: Page, to: string, amount: string): Promise<void> {
  await page.getByLabel('To', { exact: true }).selectOption(to)
  await page.getByLabel('Amount in EUR').fill(amount)
  await page.getByRole('button', { name: 'Continue' }).click()
  await heading(page, 'Check and confirm').waitFor()
}

const payButton = (page: Page) => page.getByRole('button', { name: /^Pay €/ })

type Posted = { key: string | undefined; body: string | null }
/**
 * `reach`: the request reaches the server and its answer is lost; `kill`: it does not reach it;
 * `keyless`: it is sent on without its idempotency key.
 */
type Fate = 'pass' | 'reach' | 'kill' | 'keyless'

/** Decides what becomes of every payment that the page posts, and notes what was posted. */
async function control(page: Page) {
  const state = {
    fate: 'pass' as Fate,
    posted: [] as Posted[],
    /** None is sent on before. */
    until: undefined as Promise<void> | undefined,
  }
  await page.route('**/portal/api/v1/transfers', async (route: Route) => {
    const request = route.request()
    if (request.method() !== 'POST') return route.continue()
    const { 'idempotency-key': key } = request.headers()
    state.posted.push({ key, body: request.postData() })
    await state.until
    const headers = await request.allHeaders()
    if (state.fate === 'reach') return loseAnswer(route)
    if (state.fate === 'kill') return route.abort('connectionreset')
    if (state.fate === 'keyless') delete headers['idempotency-key']
    return route.continue(state.fate === 'keyless' ? { headers } : {})
  })
  return state
}

async function revokeBrowser(ada: ApiClient): Promise<void> {
  const { items } = (await ada.get('/api/v1/auth/sessions')).body
  for (const { id, current } of items as { id: string; current: boolean }[]) {
    if (!current) assert.equal((await ada.delete(`/api/v1/auth/sessions/${id}`)).status, 204)
  }
}

async function typePassword(page: Page): Promise<void> {
  await page.getByLabel('User name or e-mail address').fill(people.ada.username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

/** Without what the tests provoke: lost connections and refusals. */
const unexpected = ({ complaints }: Visit): string[] =>
  complaints.filter((found) => !/\b(401|404|409)\b|ERR_CONNECTION/.test(found))

test('a customer pays by the keyboard alone, from the sign-in to the printed receipt', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin } = visiting
  const { ada, from, to } = await sceneIn(bank, '2000.00')
  await page.addInitScript('window.print = () => void (document.body.dataset.printed = "yes")')
  await page.goto(`${origin}/portal/`)
  await page.locator('[name=username]:focus').waitFor()
  await page.keyboard.type(people.ada.username)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Hello Ada', level: 1 }).waitFor()
  await tabTo(page, page.getByRole('navigation').getByRole('link', { name: 'Pay' }))
  await page.keyboard.press('Enter')
  const source = page.getByLabel('From')
  await source.waitFor()
  await tabTo(page, page.getByRole('button', { name: 'Continue' }))
  await page.keyboard.press('Enter')
  await page.getByText('Please correct 2 fields').waitFor()
  await assertAccessibleEverywhere(page, 'the form of a payment with errors')
  await tabTo(page, page.getByRole('button', { name: 'Choose whom to pay.' }))
  await page.keyboard.press('Enter')
  const target = page.getByLabel('To', { exact: true })
  await target.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Shift+Tab')
  await arrowTo(page, source, from)
  await page.getByText('€2,000.00 can be paid from it now.').waitFor()
  await page.keyboard.press('Tab')
  await arrowTo(page, target, `account:${to}`)
  await tabTo(page, page.getByLabel('Amount in EUR'))
  await page.keyboard.type('1,234.5')
  await page.getByText('You pay €1,234.50.').waitFor()
  await tabTo(page, page.getByLabel('Reference'))
  await page.keyboard.type('Holiday & rest')
  await page.keyboard.press('Enter')
  await heading(page, 'Check and confirm').and(page.locator(':focus')).waitFor()
  await page.getByText('€765.50').waitFor()
  await assertAccessibleEverywhere(page, 'the review of a payment')
  assert.equal(await countTransfers(bank), 0)
  await tabTo(page, payButton(page))
  await page.keyboard.press('Enter')
  await page.getByText('Your payment was made.').waitFor()
  await page.getByText('Holiday & rest').waitFor()
  await page.getByText('€765.50').waitFor()
  await assertAccessibleEverywhere(page, 'the receipt')
  assert.equal(await page.title(), 'Receipt – Strongroom')
  // One next step stands out; what is rarely done is folded.
  assert.deepEqual(await page.locator('main .button.primary').allInnerTexts(), ['To the account'])
  const more = page.locator('main').getByRole('button', { name: 'More' })
  await tabTo(page, more)
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'Print' }))
  await page.keyboard.press('Enter')
  await page.locator('[data-printed=yes]').waitFor()
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.getByRole('button').count(), 0)
  await page.getByText('€1,234.50').waitFor()
  await page.emulateMedia({ media: 'screen' })

  // The same again begins with what was paid, and the review of it is a payment of its own.
  await tabTo(page, more)
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('link', { name: 'Pay again' }))
  await page.keyboard.press('Enter')
  await page.getByText('You pay €1,234.50.').waitFor()
  assert.equal(await target.inputValue(), `account:${to}`)
  assert.equal(await page.getByLabel('Reference').inputValue(), 'Holiday & rest')
  assert.equal(await readBalance(ada, from), '765.50')
  assert.equal(await countTransfers(bank), 1)

  const german = await visiting.another({ locale: 'de-DE' })
  await german.goto(`${origin}/portal/transfer?from=${from}`)
  await german.getByLabel('Benutzername oder E-Mail-Adresse').fill(people.ada.username)
  await german.getByLabel('Passwort', { exact: true }).fill(password)
  await german.keyboard.press('Enter')
  await german.getByLabel('An', { exact: true }).selectOption(`account:${to}`)
  const amount = german.getByLabel('Betrag in EUR')
  await amount.fill('0.765,5')
  await german.getByRole('button', { name: 'Weiter' }).click()
  await german.getByText('Bitte 1 Feld korrigieren').waitFor()
  await amount.fill('765,5')
  await german.getByText('Sie zahlen 765,50 €.').waitFor()
  await assertAccessibleEverywhere(german, 'the form of a payment in German')
  await german.getByRole('button', { name: 'Weiter' }).click()
  await german.getByRole('button', { name: '765,50 € zahlen' }).waitFor()
  await assertAccessibleEverywhere(german, 'the review of a payment in German')
  await german.getByRole('button', { name: '765,50 € zahlen' }).click()
  await german.getByText('Ihre Überweisung wurde ausgeführt.').waitFor()
  assert.equal(await readBalance(ada, from), '0.00')

  // What was typed in one notation is not read in another one.
  await german.goto(`${origin}/portal/transfer?from=${to}`)
  await amount.fill('1,234')
  await german.getByRole('link', { name: 'Einstellungen' }).click()
  await german.getByLabel('Sprache').selectOption('en')
  await german.getByRole('link', { name: 'Pay' }).click()
  assert.equal(await german.getByLabel('Amount in EUR').inputValue(), '')
  await assertSound(bank)
  assert.deepEqual(visiting.complaints, [])
})

test('whatever is pressed, lost or reloaded, a reviewed payment is made exactly once', async (t) => {
  const visiting = await visit(t, { refusals: [404, 409] })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank, '100.00')
  const target = `account:${to}`
  const pay = `${origin}/portal/transfer?from=${from}`
  await signIn('ada')
  const wire = await control(page)
  let made = 0
  /** The reviews and open payments that the browser stores. */
  const kept = async () => {
    const keys = await page.evaluate<string[]>(
      '[...Object.keys(sessionStorage), ...Object.keys(localStorage)]',
    )
    return keys
      .filter((key) => /\.open\.|review/.test(key))
      .map((key) => key.replace(/[\da-f-]{36}/, 'key'))
  }
  async function assertOneMore(told: string): Promise<void> {
    await page.getByText(told).waitFor()
    assert.equal(await countTransfers(bank), ++made, told)
    const { posted } = wire
    assert.equal(new Set(posted.map(({ key, body }) => `${key} ${body}`)).size, 1, told)
    wire.posted = []
    assert.deepEqual(await kept(), [])
  }

  await t.test('a double click', async () => {
    await page.goto(pay)
    await review(page, target, '1.00')
    const clicked = Promise.withResolvers<void>()
    wire.until = clicked.promise
    await payButton(page).dblclick()
    clicked.resolve()
    await assertOneMore('Your payment was made.')
  })

  await t.test('the answer is lost', async () => {
    await page.goto(pay)
    await review(page, target, '2.00')
    wire.fate = 'reach'
    await payButton(page).click()
    await heading(page, 'Your payment is being checked').and(page.locator(':focus')).waitFor()
    await page.getByText('The answer was lost. We are finding out').waitFor()
    await assertAccessibleEverywhere(page, 'a payment being checked')
    wire.fate = 'pass'
    await assertOneMore('Your payment was made, and only once.')
  })

  await t.test('the connection breaks before the request arrives', async () => {
    await page.goto(pay)
    await review(page, target, '3.00')
    wire.fate = 'kill'
    await payButton(page).click()
    await heading(page, 'Your payment is being checked').waitFor()
    assert.equal(await countTransfers(bank), made)
    wire.fate = 'pass'
    await assertOneMore('Your payment was made, and only once.')
  })

  await t.test(
    'the page is reloaded, and left and visited again, while it is checked',
    async () => {
      await page.goto(pay)
      await review(page, target, '4.00')
      wire.fate = 'reach'
      await payButton(page).click()
      const checking = heading(page, 'Your payment is being checked')
      await checking.waitFor()
      await page.reload()
      await checking.waitFor()
      await page.getByRole('link', { name: 'Cards' }).click()
      await heading(page, 'Cards').waitFor()
      await page.getByRole('link', { name: 'Pay' }).click()
      await checking.waitFor()
      wire.fate = 'pass'
      await assertOneMore('Your payment was made, and only once.')
    },
  )

  await t.test('the session ends while it is checked, and the same person signs in', async () => {
    await page.goto(pay)
    await review(page, target, '5.00')
    wire.fate = 'reach'
    await payButton(page).click()
    await heading(page, 'Your payment is being checked').waitFor()
    await revokeBrowser(ada)
    wire.fate = 'pass'
    await heading(page, 'Sign in').waitFor()
    await typePassword(page)
    await assertOneMore('Your payment was made, and only once.')
  })

  const signOut = (on: Page) => on.getByRole('button', { name: 'Sign out', exact: true }).click()
  const payAndLose = async (amount: string) => {
    await page.goto(pay)
    await review(page, target, amount)
    wire.fate = 'reach'
    await payButton(page).click()
    await heading(page, 'Your payment is being checked').waitFor()
  }

  await t.test('the person signs out in another page of the browser meanwhile', async () => {
    const other = await visiting.context.newPage()
    await other.goto(`${origin}/portal/cards`)
    await payAndLose('5.20')
    const signedOut = other.waitForResponse('**/auth/logout')
    await signOut(other)
    await signedOut
    await other.close()
    wire.fate = 'pass'
    await heading(page, 'Sign in').waitFor()
    await typePassword(page)
    // Of what was open at a sign-out a page knows that it was sent, and no more.
    await page.getByText('your session ended before the answer came').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    assert.deepEqual(await kept(), [])
    assert.equal(await countTransfers(bank), ++made)
    wire.posted = []
  })

  await t.test('another person who signs in after that sees nothing of it', async () => {
    await payAndLose('5.30')
    await signOut(page)
    wire.fate = 'pass'
    await heading(page, 'Sign in').waitFor()
    await page.getByLabel('User name or e-mail address').fill(people.ben.username)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await heading(page, 'Pay').waitFor()
    assert.deepEqual(await kept(), [])
    assert.equal(await page.getByText('your session ended before').count(), 0)
    assert.equal(await countTransfers(bank), ++made)
    wire.posted = []
    await signOut(page)
    await heading(page, 'Sign in').waitFor()
    await typePassword(page)
    await heading(page, 'Pay').waitFor()
    assert.deepEqual(await kept(), [])
  })

  await t.test('the session has ended before it is confirmed: it is reviewed again', async () => {
    await page.goto(pay)
    await review(page, target, '6.00')
    // No other request of the page meets the end of the session.
    await untilRead(page)
    await revokeBrowser(ada)
    await payButton(page).click()
    await heading(page, 'Sign in').waitFor()
    await typePassword(page)
    await payButton(page).waitFor()
    assert.equal(await countTransfers(bank), made)
    await payButton(page).click()
    await assertOneMore('Your payment was made.')
  })

  await t.test('what was typed is there after the session ended', async () => {
    await page.goto(pay)
    await page.getByLabel('To', { exact: true }).selectOption(target)
    await page.getByLabel('Amount in EUR').fill('7')
    await page.getByLabel('Reference').fill('Typed before')
    await untilRead(page)
    await revokeBrowser(ada)
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Sign in').waitFor()
    await typePassword(page)
    await page.getByText('Typed before').waitFor()
    await page.getByRole('link', { name: 'Change' }).click()
    assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '7')
    await page.reload()
    assert.equal(await page.getByLabel('Reference').inputValue(), 'Typed before')
    assert.equal(await page.getByLabel('To', { exact: true }).inputValue(), target)
  })

  await t.test(
    'without enough money nothing is paid, and a smaller amount is a new payment',
    async () => {
      await page.goto(pay)
      await review(page, target, '500')
      await page.getByText('This is more than can be paid').waitFor()
      await payButton(page).click()
      await page.getByText('There is not enough money in the account.').waitFor()
      assert.equal(await payButton(page).count(), 0)
      await page.getByRole('link', { name: 'Change' }).click()
      assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '500')
      await review(page, target, '8.00')
      await payButton(page).click()
      await page.getByText('Your payment was made.').waitFor()
      assert.equal(await countTransfers(bank), ++made)
      assert.equal(new Set(wire.posted.map(({ key }) => key)).size, 2)
    },
  )

  await t.test(
    'after a day a repeat would be a second payment: the person is told to look',
    async () => {
      await page.goto(pay)
      await review(page, target, '8.50')
      wire.fate = 'reach'
      wire.posted = []
      await payButton(page).click()
      await heading(page, 'Your payment is being checked').waitFor()
      // No script of the portal goes on with it there.
      await page.goto(`${origin}/healthz`)
      assert.equal(await countTransfers(bank), ++made)
      await page.evaluate(`{
      const name = Object.keys(localStorage).find((key) => key.startsWith('strongroom.open.'))
      const payment = JSON.parse(localStorage.getItem(name))
      localStorage.setItem(name, JSON.stringify({ ...payment, sentAt: Date.now() - 86_400_000 }))
    }`)
      const { length } = wire.posted
      wire.fate = 'pass'
      await page.goto(pay)
      await page.getByText('whether your payment of €8.50 was made').waitFor()
      await assertAccessibleEverywhere(page, 'a payment of which nothing is known')
      await page.getByRole('button', { name: 'I have looked' }).click()
      await page.getByRole('button', { name: 'Continue' }).waitFor()
      assert.equal(wire.posted.length, length)
      assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '')
    },
  )

  await t.test('the same payment without a key leads to the first one', async () => {
    wire.fate = 'keyless'
    const pathOfReceipt = async (told: string) => {
      await page.goto(pay)
      await review(page, target, '9.00')
      await payButton(page).click()
      await page.getByText(told).waitFor()
      return new URL(page.url()).pathname
    }
    const first = await pathOfReceipt('Your payment was made.')
    assert.equal(await pathOfReceipt('nothing was paid again.'), first)
    assert.equal(await countTransfers(bank), ++made)
  })
  assert.equal(await readBalance(ada, from), '43.00')
  await assertSound(bank)
  assert.deepEqual(unexpected(visiting), [])
})

test('an open payment is told on every screen, in another tab and after the tab was closed', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, context, page, origin, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank, '100.00')
  await signIn('ada')
  const wires = [await control(page)]
  const lose = async (amount: string) => {
    for (const wire of wires) wire.fate = 'reach'
    await page.goto(`${origin}/portal/transfer?from=${from}`)
    await review(page, `account:${to}`, amount)
    await payButton(page).click()
    await heading(page, 'Your payment is being checked').waitFor()
  }
  const openText = (on: Page, money: string) =>
    on.getByText(`Payment of ${money}: the answer was lost.`)
  const madeText = (on: Page, money: string) =>
    on.getByText(`Payment of ${money}: an answer was lost on its way. It was made, and only once.`)

  await lose('4.00')
  await page.getByRole('link', { name: 'Cards' }).click()
  await openText(page, '€4.00').waitFor()
  await page.getByRole('link', { name: 'Accounts', exact: true }).click()
  await openText(page, '€4.00').waitFor()
  await assertAccessibleEverywhere(page, 'a screen with an open payment')
  for (const wire of wires) wire.fate = 'pass'
  await madeText(page, '€4.00').waitFor()
  await page.getByRole('link', { name: 'Show', exact: true }).click()
  await page.getByText('Your payment was made, and only once.').waitFor()
  assert.equal(await readBalance(ada, from), '96.00')

  // Another tab knows of it while it is open, and goes on when the first one is closed.
  const other = await context.newPage()
  wires.push(await control(other))
  await other.goto(`${origin}/portal/cards`)
  await heading(other, 'Cards').waitFor()
  await lose('5.00')
  await openText(other, '€5.00').waitFor()
  await page.close()
  for (const wire of wires) wire.fate = 'pass'
  await madeText(other, '€5.00').waitFor()
  await other.getByRole('button', { name: 'Close' }).click()
  assert.equal(await madeText(other, '€5.00').count(), 0)
  assert.equal(await readBalance(ada, from), '91.00')

  // After all tabs were closed a new one finds it out.
  const third = await context.newPage()
  wires.push(await control(third))
  for (const wire of wires) wire.fate = 'kill'
  await third.goto(`${origin}/portal/transfer?from=${from}`)
  await review(third, `account:${to}`, '6.00')
  await payButton(third).click()
  await heading(third, 'Your payment is being checked').waitFor()
  await Promise.all([other.close(), third.close()])
  assert.equal(await readBalance(ada, from), '91.00')
  const last = await context.newPage()
  await last.goto(`${origin}/portal/cards`)
  await madeText(last, '€6.00').waitFor()
  assert.equal(await readBalance(ada, from), '85.00')
  await last.reload()
  await heading(last, 'Cards').waitFor()
  assert.equal(await madeText(last, '€6.00').count(), 0)
  assert.equal(await countTransfers(bank), 3)
  await assertSound(bank)
  assert.deepEqual(unexpected(visiting), [])
})

test('an equal payment of the last day is asked about, and another one is not', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank, '100.00')
  const other = await openAccount(ada)
  await signIn('ada')
  const asked = page.getByText('You paid the same 8 seconds ago. Pay it again?')
  await page.clock.setFixedTime(bank.clock.now())
  const open = async (amount: string, payee = to) => {
    await page.goto(`${origin}/portal/transfer?from=${from}`)
    await review(page, `account:${payee}`, amount)
    await payButton(page).waitFor()
  }
  await open('4.00')
  assert.equal(await asked.count(), 0)
  await payButton(page).click()
  await page.getByText('Your payment was made.').waitFor()
  bank.clock.advance(8000)
  await page.clock.setFixedTime(bank.clock.now())
  for (const [amount, payee] of [
    ['4.01', to],
    ['4.00', other],
  ] as const) {
    await open(amount, payee)
    assert.equal(await asked.count(), 0)
  }
  await open('4.00')
  await asked.waitFor()
  await assertAccessibleEverywhere(page, 'the question about an equal payment')
  await page.getByRole('button', { name: 'Pay €4.00 again' }).click()
  await page.getByText('Your payment was made.').waitFor()
  assert.equal(await countTransfers(bank), 2)
  // A day later it is an ordinary payment.
  bank.clock.advance(24 * 3_600_000 + 1)
  await page.clock.setFixedTime(bank.clock.now())
  await signIn('ada')
  await open('4.00')
  assert.equal(await asked.count(), 0)
  await page.getByRole('button', { name: 'Pay €4.00', exact: true }).waitFor()
  assert.deepEqual(visiting.complaints, [])
})

test('a payment survives the death of the server, and a long wait is counted down', async (t) => {
  const few = JSON.stringify({ ...JSON.parse(wide), transfer: { burst: '6/1h' } })
  const settings = {
    HTTPS_PORT: `${await freePort()}`,
    LIMITS: few,
    SESSION_IDLE: '1d',
    SESSION_MAX: '1d',
  }
  const visiting = await visit(t, { settings, refusals: [429] })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank, '100.00')
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await review(page, `account:${to}`, '10.00')
  const wire = await control(page)
  wire.fate = 'reach'
  await payButton(page).click()
  await heading(page, 'Your payment is being checked').waitFor()
  await bank.running.close()
  wire.fate = 'pass'
  assert.equal(await countTransfers(bank), 1)
  const { send } = await bank.another()
  await page.getByText('Your payment was made, and only once.').waitFor()
  assert.equal(await countTransfers(bank), 1)

  const asAda = { token: ada.token }
  for (let count = 0; count < 6; count++) {
    const body = {
      fromAccountId: from,
      toAccountId: to,
      amount: `0.0${count + 1}`,
      currency: 'EUR',
    }
    await send('POST', '/api/v1/transfers', { ...asAda, body })
  }
  const before = await countTransfers(bank)
  await page.locator('main').getByRole('button', { name: 'More' }).click()
  await page.getByRole('link', { name: 'New payment' }).click()
  await page.getByLabel('From').selectOption(from)
  await review(page, `account:${to}`, '11.00')
  await payButton(page).click()
  await page.getByText('Too many requests in a short time.').waitFor()
  await page.getByText(/You can try again in 3,[56]\d\d seconds/).waitFor()
  await page.reload()
  await payButton(page).waitFor()
  bank.clock.advance(60 * 60 * 1000)
  await payButton(page).click()
  await page.getByText('Your payment was made.').waitFor()
  assert.equal(await countTransfers(bank), before + 1)
  await assertSound(bank)
  assert.deepEqual(
    unexpected(visiting).filter((found) => !found.includes('429')),
    [],
  )
})
