// A customer with several accounts: the usual one comes first, and what they have is one list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deposit, openAccount } from '../../test/support/fixture.ts'
import { untilRead, visit } from './support.ts'

const iban = 'MT84MALT011000012345MTLCAST001S'

test('where no use is remembered, a payment begins from the account with most entries', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const opened: string[] = []
  for (let count = 0; count < 3; count++) opened.push(await openAccount(ada))
  const [oldest, busiest, newest] = opened as [string, string, string]
  for (const [account, count] of [
    [busiest, 3],
    [oldest, 1],
    [newest, 2],
  ] as const) {
    for (let turn = 0; turn < count; turn++) await deposit(root, account, `${turn + 1}.00`)
  }
  await signIn('ada')
  await page.goto(`${origin}/portal/transfer`)
  const from = page.locator('[name=from]')
  assert.equal(await from.inputValue(), busiest)
  await page.goto(`${origin}/portal/statements`)
  const chosen = page.locator('[name=account]')
  assert.equal(await chosen.inputValue(), busiest)
  await chosen.selectOption(oldest)
  await page.goto(`${origin}/portal/transfer`)
  await from.waitFor()
  assert.equal(await from.inputValue(), oldest, 'the last used one is remembered')
  assert.deepEqual(complaints, [])
})

test('payees and cards of all accounts are one list that names the account, six accounts at a time', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const ada = await bank.as('ada')
  for (let count = 0; count < 7; count++) {
    const { id } = (await ada.post('/api/v1/accounts', { currency: 'EUR', name: `Pot ${count}` }))
      .body
    await ada.post(`/api/v1/accounts/${id}/cards`, {})
    const payee = await ada.post(`/api/v1/accounts/${id}/beneficiaries`, { name: 'Rent', iban })
    assert.equal(payee.status, 201, payee.text)
  }
  await signIn('ada')
  for (const [path, part] of [
    ['beneficiaries', '/beneficiaries?'],
    ['cards', '/cards?'],
  ] as const) {
    const answered: string[] = []
    page.on('response', (response) => {
      if (response.ok() && response.url().includes(part)) answered.push(response.url())
    })
    await page.goto(`${origin}/portal/${path}`)
    const rows = page.locator('.rows > li')
    await rows.nth(5).waitFor()
    assert.equal(await rows.count(), 6)
    assert.equal(await page.locator('main .card').count(), 1)
    await untilRead(page)
    assert.equal(answered.length, 6, answered.join('\n'))
    await page.getByRole('button', { name: 'Show more' }).focus()
    await page.keyboard.press('Enter')
    await rows.nth(6).waitFor()
    await page.locator('h1:focus').waitFor()
    for (const [place, text] of (await rows.allInnerTexts()).entries()) {
      assert.match(text, /Pot \d …\d{4}/, `${place}`)
    }
    assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
  }
  assert.deepEqual(complaints, [])
})
