// What the pages tell of an account, a payee, a card and an event: one sentence for one cause.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from '../../src/domain/languages.ts'
import { openAccount, sceneIn } from '../../test/support/fixture.ts'
import { assertAccessible, visit } from './support.ts'

const elsewhere = 'DE89370400440532013000'

test('an account, a payee and a card are told as they are', async (t) => {
  const visiting = await visit(t, { refusals: [400] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, root, from } = await sceneIn(bank, '100.00')
  const say = (text: string) => page.getByText(text).first().waitFor()
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const card = (await ada.post(`/api/v1/accounts/${from}/cards`, {})).body
  const merchant = { name: 'Jeweller', category: '5411', country: 'DE' }
  const tried = { amount: '5000.00', currency: 'EUR', merchant, channel: 'chip', externalId: 'a' }
  await root.post(`/api/v1/cards/${card.id}/authorizations`, tried)
  await signIn('ada')

  await page.goto(`${origin}/portal/cards/payments?account=${from}`)
  await page.getByRole('button', { name: 'Jeweller' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('There was not enough money in the account.').waitFor()
  assert.equal(await dialog.getByText('Reserved until').count(), 0, 'nothing was reserved')

  await page.goto(`${origin}/portal/cards?account=${from}`)
  await page.getByRole('button', { name: /^No limits/ }).click()
  await dialog.getByLabel('Most for one payment (EUR)').fill('200.01')
  await dialog.getByLabel('Most for one day (EUR)').fill('200')
  await page.keyboard.press('Enter')
  await dialog
    .getByText('For one payment this is more than the limit for one day.')
    .first()
    .waitFor()
  await dialog.getByLabel('Most for one payment (EUR)').fill('200.00')
  await page.keyboard.press('Enter')
  await page.getByText(/limits of card \d+ are saved/).waitFor()

  await page.goto(`${origin}/portal/beneficiaries/new?account=${from}`)
  await page.getByLabel('Name', { exact: true }).fill('Ada')
  const save = page.getByRole('button', { name: 'Save' })
  for (const [typed, told, not] of [
    [iban, 'This is the IBAN of the account itself.', 'not an IBAN'],
    ['DE00370400440532013000', 'This is not an IBAN.', 'of the account itself'],
  ]) {
    await page.getByLabel('IBAN').fill(typed)
    await save.click()
    await say(told)
    assert.equal(await page.getByText(not).count(), 0, typed)
  }

  // More than there is: told when it is typed, for a payment that is made now.
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  const beyond = page.getByText('This is more than can be paid from the account now.')
  await page.getByLabel('Amount in EUR').fill('100.00')
  await say('You pay €100.00.')
  assert.equal(await beyond.count(), 0)
  await page.getByLabel('Amount in EUR').fill('100.01')
  await beyond.waitFor()
  await assertAccessible(page, 'a payment of more than there is')
  await page.getByLabel('When').selectOption('monthly')
  await beyond.waitFor({ state: 'detached' })

  await bank.sql(`update accounts set status = 'frozen' where id = $1`, [from])
  await page.goto(`${origin}/portal/accounts/${from}`)
  await say('€0.00 available')
  assert.equal(await page.getByText('is overdraft').count(), 0)
  assert.deepEqual(complaints, [])
})

test('staff see of an entry that it is not sent yet, as the customer sees it', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const payee = { name: 'Otto Example', iban: elsewhere }
  const path = `/api/v1/accounts/${from}/beneficiaries`
  const { id: beneficiaryId } = (await ada.post(path, payee)).body
  const body = { fromAccountId: from, beneficiaryId, amount: '5.00', currency: 'EUR' }
  assert.equal((await ada.post('/api/v1/transfers', body)).status, 201)
  await signIn('agnes')
  await page.goto(`${origin}/portal/staff/accounts/${from}`)
  const row = page.locator('li .row', { hasText: 'Otto Example' })
  await row.getByText('Not sent yet').waitFor()
  await page.goto(`${origin}/portal/staff/accounts/${await openAccount(ada)}`)
  await page.getByText('No money has been moved yet.').waitFor()
  assert.equal(await page.getByText('Not sent yet').count(), 0)
  assert.deepEqual(complaints, [])
})

test('what the service writes into the trail is told in words of each language', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const { iban } = (await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)).body
  const check = (name: string, of: string) =>
    ada.post(`/api/v1/accounts/${from}/payee-checks`, { name, iban: of })
  for (const name of ['Ben Lindqvist', 'Ben Lindqvis', 'Somebody Else']) {
    assert.equal((await check(name, iban)).status, 200)
  }
  await check('Otto Example', elsewhere)
  await signIn('root')
  for (const language of Object.keys(languages)) {
    await page.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    await page.goto(`${origin}/portal/staff/audit?action=checkPayee`)
    const details = page.locator('tbody tr button')
    await details.nth(3).waitFor()
    for (let row = 0; row < 4; row++) {
      await details.nth(row).click()
      const dialog = page.getByRole('dialog')
      await dialog.locator('.facts').waitFor()
      const shown = await dialog.innerText()
      assert.doesNotMatch(shown, /_match|not_possible|\baccount [\da-f]/, language)
      if (language !== 'en') assert.doesNotMatch(shown, /\bmatch\b/, language)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
  }
  assert.deepEqual(complaints, [])
})

test('a page that cannot be loaded says so in each language', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, origin } = visiting
  await page.route('**/main.js', (route) => route.abort())
  await page.goto(`${origin}/portal/`)
  const sentences = "[...document.querySelectorAll('.late p')]"
  const shown = await page.evaluate<string[]>(`${sentences}.map((one) => one.lang || 'en')`)
  assert.deepEqual(shown.toSorted(), Object.keys(languages).toSorted())
})
