// Standing orders in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readBalance, sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, loseAnswer, resize, untilRead, visit } from './support.ts'

const said = (page: Page, text: string) => page.getByText(text).first().waitFor()

test('a customer makes a standing order, sees what is coming and what became of it, pauses and ends it', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank, '1000.00')
  const body = { name: 'Otto Example', iban: 'DE89370400440532013000', nickname: 'Landlord' }
  await ada.post(`/api/v1/accounts/${from}/beneficiaries`, body)
  const today = new Date(bank.clock.now()).toISOString().slice(0, 10)
  await signIn('ada')
  await page.getByRole('link', { name: 'Standing orders' }).first().click()
  await page.getByLabel('Account', { exact: true }).selectOption(from)
  await said(page, 'There is no standing order yet.')
  await assertAccessibleEverywhere(page, 'no order')

  await page.getByRole('link', { name: 'New standing order' }).click()
  await page.getByRole('heading', { name: 'Pay', level: 1 }).waitFor()
  assert.equal(await page.getByLabel('From').inputValue(), from)
  await page.getByLabel('First day').waitFor()
  const go = page.getByRole('button', { name: 'Continue' })
  await go.click()
  await said(page, 'Please correct 3 fields')
  await page.getByLabel('To', { exact: true }).selectOption({ label: 'Landlord …3000' })
  await page.getByLabel('Amount in EUR').fill('400')
  await page.getByLabel('Reference').fill('Rent')
  await page.getByLabel('When').selectOption('weekly')
  await page.getByLabel('First day').fill(today)
  await page.getByLabel('Last day (optional)').fill('2020-01-01')
  await go.click()
  await said(page, 'not before the first one')
  await assertAccessibleEverywhere(page, 'a new order with an error')
  await page.getByLabel('Last day (optional)').fill('')
  await go.click()
  await page.getByRole('heading', { name: 'Check and confirm', level: 1 }).waitFor()
  await said(page, 'Weekly')
  await assertAccessibleEverywhere(page, 'the review of an order')
  await page.getByRole('button', { name: 'Make the order' }).click()
  await said(page, 'The order is made.')
  await said(page, 'The next 30 days')
  await assertAccessibleEverywhere(page, 'an order')
  // On a phone the payee has the first line to itself: beside a day, long words would be broken.
  await resize(page, { width: 320, height: 844 })
  const coming = page.locator('table.stacks tbody tr').first()
  const tops = await coming
    .locator('th, td')
    .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().top))
  const [day = 0, payee = 0] = tops
  assert.ok(payee + 16 < day, tops.join())
  await resize(page, { width: 1280, height: 900 })

  await bank.running.core.orders.work()
  assert.equal(await readBalance(ada, from), '600.00')
  await page.reload()
  const row = page.locator('summary', { hasText: 'Landlord' })
  await untilRead(page)
  // One line: whom it pays, its terms, and the amount at its end.
  const [name, amountBox] = await Promise.all(
    [row.locator('bdi'), row.locator('.money')].map((part) => part.boundingBox()),
  )
  assert.ok(name && amountBox && Math.abs(name.y - amountBox.y) < 8 && name.x < amountBox.x)
  await row.click()
  await page.getByRole('link', { name: 'paid' }).click()
  await page.locator('main').getByRole('button', { name: 'More' }).click()
  await page.getByRole('link', { name: 'Pay every month' }).click()
  await page.getByLabel('First day').waitFor()
  assert.equal(await page.getByLabel('When').inputValue(), 'monthly')
  assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '400.00')
  await page.goBack()
  await page.goBack()
  const act = async (name: string) => {
    await page.getByRole('button', { name: 'More: Landlord' }).click()
    await page.getByRole('button', { name, exact: true }).click()
  }
  await act('Change')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount in EUR').fill('0')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await said(page, 'Please correct 1 field')
  await dialog.getByLabel('Amount in EUR').fill('450')
  await dialog.getByLabel('Reference').fill('Rent and heating')
  await dialog.getByLabel('If there is not enough money').selectOption('3')
  await assertAccessibleEverywhere(page, 'an order that is changed')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await said(page, 'The order was changed.')
  await said(page, 'Rent and heating')
  const { items } = (await ada.get(`/api/v1/accounts/${from}/orders`)).body
  const [{ amount, reference, retryDays, lastOn }] = items
  assert.deepEqual([amount, reference, retryDays, lastOn], ['450.00', 'Rent and heating', 3, null])
  const next = async () => (await ada.get(`/api/v1/accounts/${from}/orders`)).body.items[0].nextOn
  const due = await next()
  const takeBack = page.getByRole('button', { name: 'Pay it after all' })
  await act('Leave out the next day')
  await said(page, 'The next day is left out.')
  assert.notEqual(await next(), due)
  await takeBack.click()
  await said(page, 'The day is paid after all.')
  assert.equal(await next(), due)
  // Also later: among its days.
  await resize(page, { width: 320, height: 600 })
  await act('Leave out the next day')
  await said(page, 'The next day is left out.')
  await page.clock.setFixedTime(bank.clock.now())
  await page.reload()
  await row.click()
  await takeBack.waitFor()
  await assertAccessibleEverywhere(page, 'an order with a day that is left out')
  await resize(page, { width: 320, height: 600 })
  await page.getByRole('button', { name: 'More: Landlord' }).click()
  const menu = await page.locator('.rows .menu > div').boundingBox()
  assert.ok(menu && menu.x >= 0 && menu.x + menu.width <= 320, JSON.stringify(menu))
  assert.ok(menu.y >= 0 && menu.y + menu.height <= 600, JSON.stringify(menu))
  await page.keyboard.press('Escape')
  await resize(page, { width: 1280, height: 900 })
  await takeBack.click()
  await said(page, 'The day is paid after all.')
  assert.equal(await next(), due)
  await takeBack.waitFor({ state: 'detached' })
  await act('Pause')
  await said(page, 'The order is paused.')
  await act('Resume')
  await said(page, 'The order goes on.')
  await act('End')
  await page.getByRole('button', { name: 'End the order' }).click()
  await said(page, 'The order was ended.')
  await said(page, 'No further day')
  assert.deepEqual(complaints, [])
})

test('an order is named by its payee, also when the list of payees is longer than a page', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank, '1000.00')
  const payee = { name: 'Otto Example', iban: 'DE89370400440532013000' }
  const saved = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  const firstOn = new Date(bank.clock.now() + 86_400_000).toISOString().slice(0, 10)
  const order = { amount: '12.00', currency: 'EUR', rhythm: 'monthly', firstOn }
  const body = { beneficiaryId: saved.body.id, ...order }
  assert.equal((await ada.post(`/api/v1/accounts/${from}/orders`, body)).status, 201)
  await signIn('ada')
  // The first page of the list is full of others.
  await page.route('**/beneficiaries?**', (route) => route.fulfill({ json: { items: [] } }))
  await page.goto(`${origin}/portal/orders?account=${from}`)
  const row = page.locator('.rows > li', { hasText: 'Otto Example' })
  await row.locator('summary').click()
  await row.getByText('DE89 3704 0044 0532 0130 00').waitFor()
  await page.getByRole('row', { name: /Otto Example.*€12\.00/ }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a payment on a day is ordered in the form of a payment, and a payee for once stays for it', async (t) => {
  const visiting = await visit(t, { refusals: [400] })
  if (!visiting) return
  const { bank, page, origin, signIn, complaints } = visiting
  const { ada, from } = await sceneIn(bank, '1000.00')
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await page.getByLabel('Amount in EUR').fill('12')
  await page.getByLabel('When').selectOption('once')
  await page.getByLabel('Day', { exact: true }).fill('2020-01-01')
  await page.getByRole('link', { name: 'Add a beneficiary' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Otto Example')
  await page.getByLabel('IBAN').fill('DE89370400440532013000')
  await page.getByLabel('Only for this payment').check()
  await page.getByRole('button', { name: 'Continue to the payment' }).click()
  // What was typed before is there again.
  const day = page.getByLabel('Day', { exact: true })
  await day.waitFor()
  assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '12')
  assert.equal(await page.getByLabel('Last day').count(), 0)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await said(page, 'The beneficiary stays saved')
  await page.getByRole('button', { name: 'Make the order' }).click()
  await said(page, 'Please enter a day, today or later.')
  await page.getByRole('link', { name: 'Change' }).click()
  const later = new Date(bank.clock.now() + 86_400_000).toISOString().slice(0, 10)
  await day.fill(later)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('button', { name: 'Make the order' }).click()
  await said(page, 'The order is made.')
  const { items } = (await ada.get(`/api/v1/accounts/${from}/orders`)).body
  const [{ rhythm, firstOn, amount, beneficiaryId }] = items
  assert.deepEqual([items.length, rhythm, firstOn, amount], [1, 'once', later, '12.00'])
  assert.equal((await ada.get(`/api/v1/beneficiaries/${beneficiaryId}`)).status, 200)
  // The form is empty again, and pays now.
  await page.getByRole('navigation').getByRole('link', { name: 'Pay', exact: true }).first().click()
  assert.equal(await page.getByLabel('When').inputValue(), 'now')
  assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '')
  assert.deepEqual(complaints, [])
})

test('an order whose answer is lost is made once, and the page tells that it is made', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from } = await sceneIn(bank, '1000.00')
  const body = { name: 'Otto Example', iban: 'DE89370400440532013000' }
  await ada.post(`/api/v1/accounts/${from}/beneficiaries`, body)
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer?from=${from}&when=monthly`)
  await page.getByLabel('To', { exact: true }).selectOption({ label: 'Otto Example …3000' })
  await page.getByLabel('Amount in EUR').fill('12')
  const later = new Date(bank.clock.now() + 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('First day').fill(later)
  await page.getByRole('button', { name: 'Continue' }).click()
  let asked = 0
  await page.route('**/orders', (route) => (asked++ === 0 ? loseAnswer(route) : route.continue()))
  await page.getByRole('button', { name: 'Make the order' }).click()
  await said(page, 'The order is made.')
  const { items } = (await ada.get(`/api/v1/accounts/${from}/orders`)).body
  assert.deepEqual([items.length, asked], [1, 2])
})

test('an order whose outcome is open keeps its key over a reload, on the way back and on every screen', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from } = await sceneIn(bank, '1000.00')
  const body = { name: 'Otto Example', iban: 'DE89370400440532013000' }
  await ada.post(`/api/v1/accounts/${from}/beneficiaries`, body)
  const made = async () => (await ada.get(`/api/v1/accounts/${from}/orders`)).body.items
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer?from=${from}&when=monthly`)
  await page.getByLabel('To', { exact: true }).selectOption({ label: 'Otto Example …3000' })
  await page.getByLabel('Amount in EUR').fill('12')
  const later = new Date(bank.clock.now() + 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('First day').fill(later)
  await page.getByRole('button', { name: 'Continue' }).click()
  const keys = new Set<string | undefined>()
  let isLost = true
  await page.route('**/orders', async (route) => {
    keys.add((await route.request().allHeaders())['idempotency-key'])
    return isLost ? loseAnswer(route) : route.continue()
  })
  const make = page.getByRole('button', { name: 'Make the order' })
  // What was not sent is there again after a reload, and its form on the way back.
  await make.waitFor()
  await page.reload()
  await make.waitFor()
  await page.getByRole('link', { name: 'Change' }).click()
  assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '12')
  await page.getByRole('button', { name: 'Continue' }).click()
  await make.click()
  const checking = page.getByRole('heading', { name: 'Your order is being checked', level: 1 })
  await checking.waitFor()
  await assertAccessibleEverywhere(page, 'an order whose answer was lost')
  await page.reload()
  await checking.waitFor()
  await page.goBack()
  await checking.waitFor()
  assert.equal(await page.getByRole('button', { name: 'Continue' }).count(), 0)
  await page.getByRole('navigation').getByRole('link', { name: 'Standing orders' }).first().click()
  await said(page, 'Standing order of €12.00: the answer was lost.')
  isLost = false
  // It is looked for every 8 s by then.
  await page
    .getByText(
      'Standing order of €12.00: an answer was lost on its way. It was made, and only once.',
    )
    .waitFor()
  await page.getByRole('link', { name: 'Show' }).click()
  await page.locator('.rows > li', { hasText: 'Otto Example' }).waitFor()
  assert.deepEqual([(await made()).length, keys.size, keys.has(undefined)], [1, 1, false])
  // The form is empty again.
  await page.goto(`${origin}/portal/transfer`)
  assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '')
})

test('home says what comes in 30 days, and shows entries first', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank, '1000.00')
  const payees = `/api/v1/accounts/${from}/beneficiaries`
  const payee = { name: 'Otto Example', iban: 'DE89370400440532013000' }
  const { id: beneficiaryId } = (await ada.post(payees, payee)).body
  for (const amount of ['64.90', '12.00']) {
    const payment = {
      fromAccountId: from,
      beneficiaryId,
      amount,
      currency: 'EUR',
      reference: amount,
    }
    const paid = await ada.post('/api/v1/transfers', payment)
    assert.equal(paid.body.status, 'pending', paid.text)
  }
  const orders = `/api/v1/accounts/${from}/orders`
  const firstOn = new Date(bank.clock.now() + 86_400_000).toISOString().slice(0, 10)
  const order = { beneficiaryId, amount: '900.00', currency: 'EUR', rhythm: 'monthly', firstOn }
  await ada.post(orders, order)
  const ownOrder = { toAccountId: to, amount: '25.00', currency: 'EUR', rhythm: 'monthly', firstOn }
  assert.equal((await ada.post(orders, ownOrder)).status, 201)
  await signIn('ada')
  for (const [width, height, topMax] of [
    [1440, 900, 400],
    [390, 844, 520],
  ] as const) {
    await resize(page, { width, height })
    await page.goto(`${origin}/portal/`)
    const coming = page.locator('section', { hasText: 'The next 30 days' })
    await coming.getByText('€900.00').waitFor()
    await coming.getByText('Otto Example').waitFor()
    const first = await page.locator('.entries li, .list li').first().boundingBox()
    assert.ok(first && first.y <= topMax, `${width}: ${first?.y}`)
    assert.equal(await page.getByText('Needs your attention').count(), 0)
  }
  await assertAccessibleEverywhere(page, 'home with orders')
  await page.goto(`${origin}/portal/accounts/${from}`)
  const coming = page.locator('section', { hasText: 'The next 30 days' })
  await coming.getByText('€900.00').waitFor()
  // The own account that is paid has its name, and not that of its holder.
  await coming.locator('li', { hasText: '€25.00' }).getByText('EUR account').waitFor()
  assert.deepEqual(complaints, [])
})

test('a bank with holidays asks what becomes of a due day on one, and shows both days; its payments say when they leave', async (t) => {
  const visiting = await visit(t, { settings: { HOLIDAYS: 'target2', CUT_OFF: '00:00' } })
  if (!visiting) return
  const { bank, origin, page, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank, '1000.00')
  const body = { name: 'Otto Example', iban: 'DE89370400440532013000', nickname: 'Landlord' }
  const payee = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, body)
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer?from=${from}&when=monthly`)
  const rule = page.getByLabel('If the day is no business day')
  assert.equal(await rule.inputValue(), 'pay')
  await page.getByLabel('To', { exact: true }).selectOption({ label: 'Landlord …3000' })
  await page.getByLabel('Amount in EUR').fill('1')
  await page.getByLabel('First day').fill('2026-01-31')
  await rule.selectOption('before')
  await assertAccessibleEverywhere(page, 'an order on a bank with holidays')
  await page.getByRole('button', { name: 'Continue' }).click()
  await said(page, 'The business day before')
  await page.getByRole('button', { name: 'Make the order' }).click()
  await said(page, 'The order is made.')
  await page
    .getByText(/\(paid on .*30.*\)/)
    .first()
    .waitFor()
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await page.getByLabel('To', { exact: true }).selectOption({ label: 'Landlord …3000' })
  await page.getByLabel('Amount in EUR').fill('2')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText(/the payment leaves on .*5.*, and arrives by the end of .*6/).waitFor()
  await assertAccessibleEverywhere(page, 'a payment that leaves on a later day')
  const paid = {
    fromAccountId: from,
    beneficiaryId: payee.body.id,
    amount: '1.00',
    currency: 'EUR',
  }
  const { id } = (await ada.post('/api/v1/transfers', paid)).body
  await page.goto(`${origin}/portal/transfers/${id}`)
  // It is Friday, and the cut-off is over.
  const arrival = page.locator('strong', { hasText: /It leaves on .*5.*, and arrives by .*6/ })
  await arrival.waitFor()
  await page.getByText('Not sent yet. You can cancel it until the bank sends it.').waitFor()
  assert.deepEqual(complaints, [])
})
