// What people come for takes few clicks, and nothing that was typed is typed again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { assertSound, openAccount, readBalance, sceneIn } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, loseAnswer, visit } from './support.ts'

/** Presses and choices in a list, counted. */
function counter() {
  let count = 0
  return {
    async click(target: Locator): Promise<void> {
      count++
      await target.click()
    },
    async choose(list: Locator, label: string | RegExp): Promise<void> {
      count++
      const option = list.locator('option', { hasText: label }).first()
      await list.selectOption((await option.getAttribute('value')) ?? '')
    },
    count: () => count,
  }
}

test('a saved payee is paid in four clicks, and the account that was used last is chosen', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank)
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  assert.equal((await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)).status, 201)
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  const pay = counter()
  const menu = page.getByRole('navigation').getByRole('link', { name: 'Pay', exact: true })
  const fill = async (choose: () => Promise<void>) => {
    await choose()
    await page.getByLabel('Amount in EUR').fill('5')
    await pay.click(page.getByRole('button', { name: 'Continue' }))
    await pay.click(page.getByRole('button', { name: /^Pay €/ }))
    await page.getByText('The bank sends it to the other bank').waitFor()
  }
  await fill(() => pay.choose(page.getByLabel('To', { exact: true }), 'Grace'))
  // Without the account in the address: it is the one that was used, not the newest.
  await pay.click(menu.first())
  await page.getByLabel('From').waitFor()
  assert.equal(await page.getByLabel('From').inputValue(), from)
  assert.notEqual(from, to)
  // The last payees stand first, with what was paid.
  const last = page.getByRole('listitem').filter({ hasText: 'Grace Hopper' })
  await last.getByText('€5.00').waitFor()
  await page.getByRole('searchbox').fill('gb33 bukb')
  await last.getByText('GB33 BUKB').waitFor()
  await page.getByRole('searchbox').fill('nobody')
  await last.waitFor({ state: 'detached' })
  await page.getByRole('searchbox').fill('')
  await assertAccessibleEverywhere(page, 'whom to pay')
  await fill(() => pay.click(last.getByRole('button', { name: 'Grace Hopper' })))
  assert.ok(pay.count() - 3 <= 4, `${pay.count() - 3} clicks`)
})

test('a saved payee is paid every month in six clicks, and another rent in four', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  assert.equal((await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)).status, 201)
  await signIn('ada')
  const order = counter()
  await order.click(page.getByRole('navigation').getByRole('link', { name: 'Pay' }).first())
  await page.getByLabel('From').selectOption(from)
  await order.choose(page.getByLabel('To', { exact: true }), 'Grace')
  await page.getByLabel('Amount in EUR').fill('5')
  await order.choose(page.getByLabel('When'), 'Every month')
  await page.getByLabel('First day').fill('2030-01-31')
  await order.click(page.getByRole('button', { name: 'Continue' }))
  await order.click(page.getByRole('button', { name: 'Make the order' }))
  await page.getByText('The order is made.').waitFor()
  // And one for the account.
  assert.ok(order.count() + 1 <= 6, `${order.count()} clicks`)
  await page.goto(`${origin}/portal/`)
  const change = counter()
  await change.click(page.getByRole('navigation').getByRole('link', { name: 'Standing orders' }))
  await change.click(page.getByRole('button', { name: 'More: Grace Hopper' }))
  await change.click(page.getByRole('button', { name: 'Change', exact: true }))
  await page.getByRole('dialog').getByLabel('Amount in EUR').fill('6')
  await change.click(page.getByRole('dialog').getByRole('button', { name: 'Save' }))
  await page.getByText('The order was changed.').waitFor()
  const [{ amount }] = (await ada.get(`/api/v1/accounts/${from}/orders`)).body.items
  assert.equal(amount, '6.00')
  assert.ok(change.count() <= 4, `${change.count()} clicks`)
})

test('somebody new is paid in five clicks: the name is compared, the amount stays, and nothing is kept', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const account = await openAccount(ben)
  const { iban } = (await ben.get(`/api/v1/accounts/${account}`)).body
  const { givenName, familyName } = (await ben.get('/api/v1/me')).body
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await page.getByLabel('Amount in EUR').fill('7.50')
  await page.getByLabel('Reference').fill('For lunch')
  const pay = counter()
  await pay.click(page.getByRole('button', { name: 'Somebody new' }))
  await page.getByLabel('Name', { exact: true }).fill('Mallory Nobody')
  await page.getByLabel('IBAN').fill(iban)
  const next = page.getByRole('button', { name: 'Continue to the payment' })
  await next.click()
  await page.getByText('The account belongs to somebody else than you wrote.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill(`${givenName.charAt(0)}. ${familyName}`)
  await next.click()
  await page.getByRole('button', { name: `Write ${givenName} ${familyName}` }).click()
  await page.getByLabel('Only for this payment').check()
  await pay.click(next)
  await page.getByRole('button', { name: 'Continue', exact: true }).waitFor()
  assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '7.50')
  assert.equal(await page.getByLabel('Reference').inputValue(), 'For lunch')
  await pay.click(page.getByRole('button', { name: 'Continue', exact: true }))
  const payees = `/api/v1/accounts/${from}/beneficiaries`
  assert.equal((await ada.get(payees)).body.items.length, 1)
  const dropped = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
  await pay.click(page.getByRole('button', { name: /^Pay €/ }))
  await page.getByText('Your payment was made.').waitFor()
  assert.equal((await dropped).status(), 204)
  assert.deepEqual((await ada.get(payees)).body.items, [])
  assert.equal(await readBalance(ben, account), '7.50')
  // And one from the menu to the form.
  assert.ok(pay.count() + 1 <= 5, `${pay.count() + 1} clicks`)
})

test('a payee for one payment alone goes and the form is empty, also where the outcome is found on another screen', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, origin, signIn, bank } = visiting
  const { ada, from } = await sceneIn(bank)
  const payees = async () => (await ada.get(`/api/v1/accounts/${from}/beneficiaries`)).body.items
  await signIn('ada')
  let isLost = true
  await page.route('**/portal/api/v1/transfers', async (route) =>
    isLost ? loseAnswer(route) : route.continue(),
  )
  await page.goto(`${origin}/portal/beneficiaries/new?account=${from}&pay`)
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
  await page.getByLabel('IBAN').fill('GB33BUKB20201555555555')
  await page.getByLabel('Only for this payment').check()
  // The list of payees comes late: the one that was just saved is not missing meanwhile.
  const listed = Promise.withResolvers<void>()
  await page.route(/\/beneficiaries\?/, async (route) => {
    await listed.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Continue to the payment' }).click()
  await page.getByLabel('Amount in EUR').fill('7.00')
  await page.keyboard.press('Enter')
  assert.equal(await page.getByRole('alert').count(), 0)
  listed.resolve()
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('button', { name: /^Pay €/ }).click()
  await page.getByRole('heading', { name: 'Your payment is being checked' }).waitFor()
  assert.equal((await payees()).length, 1)
  await page.getByRole('link', { name: 'Cards' }).click()
  await page.getByText('Payment of €7.00: the answer was lost.').waitFor()
  const dropped = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
  isLost = false
  await page.getByText('It was made, and only once.').waitFor()
  assert.equal((await dropped).status(), 204)
  assert.deepEqual(await payees(), [])
  await page.getByRole('link', { name: 'Pay', exact: true }).first().click()
  await page.getByLabel('Amount in EUR').waitFor()
  assert.equal(await page.getByLabel('Amount in EUR').inputValue(), '')
  await assertSound(bank)
})

test('a card of any account is frozen in two clicks, and the PDF of last month takes three', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, signIn } = visiting
  const { ada, to } = await sceneIn(bank)
  // Of the account that is not the usual one.
  assert.equal((await ada.post(`/api/v1/accounts/${to}/cards`, {})).status, 201)
  await bank.sql("update accounts set created_at = now() - interval '100 days'")
  await signIn('ada')
  const menu = page.getByRole('navigation')
  const freeze = counter()
  await freeze.click(menu.getByRole('link', { name: 'Cards' }).first())
  await freeze.click(page.getByRole('button', { name: /^Freeze card/ }))
  await page.getByText('is frozen.').waitFor()
  assert.ok(freeze.count() <= 2)
  const file = counter()
  await file.click(menu.getByRole('link', { name: 'Statements' }).first())
  const month = page.getByLabel('Period')
  await month.waitFor()
  await file.choose(month, (await month.locator('option').nth(1).textContent()) ?? '')
  const coming = page.waitForEvent('download')
  await file.click(page.getByRole('link', { name: 'PDF to read and print' }))
  assert.match((await coming).suggestedFilename(), /\.pdf$/)
  assert.ok(file.count() <= 3)
})
