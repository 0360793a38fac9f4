// What keeps an account open that its customer wants to close, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languages } from '../../src/domain/languages.ts'
import { deposit, openAccount } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, readSurplus, resize, visit } from './support.ts'

test('a customer is told which of money, a hold and a payment keeps an account open', async (t) => {
  const visiting = await visit(t, { refusals: [409] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const accountId = await openAccount(ada)
  await deposit(root, accountId, '10.00')
  const hold = { amount: '10.00', currency: 'EUR', kind: 'seizure', reference: 'Court 12/26' }
  const held = await root.post(`/api/v1/accounts/${accountId}/holds`, hold)
  assert.equal(held.status, 201, held.text)
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const saved = await ada.post(`/api/v1/accounts/${accountId}/beneficiaries`, payee)
  const terms = { fromAccountId: accountId, beneficiaryId: saved.body.id, currency: 'EUR' }
  const pay = async (amount: string) => {
    const paid = await ada.post('/api/v1/transfers', { ...terms, amount })
    assert.equal(paid.body.status, 'pending', paid.text)
    return `/api/v1/admin/transfers/${paid.body.id as string}`
  }
  const url = `${origin}/portal/accounts/${accountId}/close`
  const [begin, end] = ['Close this account', 'Close for good'].map((name) =>
    page.getByRole('button', { name, exact: true }),
  )
  const [money, reserved, payment] = ['has to be zero', '€10.00 is reserved', 'on its way'].map(
    (text) => page.getByText(text),
  )
  const read = async () => {
    await page.goto(url)
    await page.getByRole('heading', { name: 'What happens' }).waitFor()
  }
  await signIn('ada')

  // All of its money is reserved: there is none to be moved.
  await read()
  await reserved?.waitFor()
  assert.equal(await money?.count(), 0)
  assert.equal(await begin?.count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Move the money' }).count(), 0)
  await assertAccessibleEverywhere(page, 'an account whose money is reserved')
  await deposit(root, accountId, '1.00')
  await read()
  await money?.waitFor()
  await reserved?.waitFor()

  assert.equal((await root.post(`/api/v1/holds/${held.body.id}/release`)).status, 200)
  const path = await pay('11.00')
  await read()
  await payment?.waitFor()
  assert.equal(await begin?.count(), 0)
  assert.equal(await money?.count(), 0)

  // It was sent: only the refusal tells of it.
  assert.equal((await root.post(`${path}/send`, { externalId: 'one' })).status, 200)
  await read()
  await begin?.click()
  await end?.click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('on its way').waitFor()
  assert.equal(await dialog.getByText('has to be zero').count(), 0)
  await assertAccessibleEverywhere(page, 'an account with a payment on its way')

  // Meanwhile it arrives, and part of the overdraft is reserved.
  assert.equal((await root.post(`${path}/settle`)).status, 200)
  const settings = `/api/v1/accounts/${accountId}/settings`
  assert.equal((await root.patch(settings, { overdraftLimit: '10.00' })).status, 200)
  assert.equal((await root.post(`/api/v1/accounts/${accountId}/holds`, hold)).status, 201)
  await end?.click()
  await dialog.getByText('€10.00 is reserved').waitFor()
  assert.equal(await dialog.getByText('on its way').count(), 0)
  await resize(page, { width: 320, height: 844 })
  for (const language of Object.keys(languages)) {
    await page.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    await page.reload()
    await page.locator('.notice', { hasText: '10' }).waitFor()
    assert.equal(await readSurplus(page), 0, language)
  }
  assert.deepEqual(complaints, [])
})
