// Why a payment to another bank came back: staff choose it, and staff and payer read it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { returnReasons } from '../../src/features/rail/return-codes.ts'
import { languages } from '../../src/domain/languages.ts'
import { assertSound, deposit, openAccount, readBalance } from '../../test/support/fixture.ts'
import { findReturnSentence } from '../src/screens/customer/return-words.ts'
import { assertAccessibleEverywhere, readSurplus, resize, visit } from './support.ts'

type Words = { texts: { returns: { reasons: Record<string, string> } } }

test('every reason that the API takes has words of its own in each language', async () => {
  for (const language of Object.keys(languages)) {
    const file = `../../languages/${language}/portal/returns.ts`
    const { reasons } = ((await import(file)) as Words).texts.returns
    assert.deepEqual(Object.keys(reasons).toSorted(), [...returnReasons].toSorted(), language)
    assert.equal(new Set(Object.values(reasons)).size, returnReasons.length, language)
  }
})

/** A payment of this bank cannot come back with them, or they say nothing to a payer. */
const unexplained = 'AM04 ARDT ED03 EMVL FF05 FRTR MD01 MD05 NARR NOOR PINL RUTA SL01 SL02 TRAC'

test('a payer reads a sentence for every reason, and only for these the code alone', () => {
  const without = returnReasons.filter((code) => findReturnSentence(code) === undefined)
  assert.equal(without.join(' '), unexplained)
  assert.equal(findReturnSentence('AC04'), 'closed')
  assert.equal(findReturnSentence('ZZ99'), undefined)
})

test('staff return a payment with its reason, also after it arrived or its account was closed', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const accountId = await openAccount(ada)
  await deposit(root, accountId, '100.00')
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const saved = await ada.post(`/api/v1/accounts/${accountId}/beneficiaries`, payee)
  const pay = async (amount: string) => {
    const terms = { fromAccountId: accountId, beneficiaryId: saved.body.id, amount }
    const paid = await ada.post('/api/v1/transfers', { ...terms, currency: 'EUR' })
    assert.equal(paid.body.status, 'pending', paid.text)
    return paid.body.id as string
  }
  const settle = async (id: string) =>
    assert.equal((await root.post(`/api/v1/admin/transfers/${id}/settle`)).status, 200)
  const [first, second] = [await pay('7.00'), await pay('93.00')]
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('dialog')
  const why = dialog.getByLabel('Why it came back')
  await signIn('root')
  await settle(first)
  await page.goto(`${origin}/portal/staff/transfers/${first}`)
  await page.getByRole('heading', { name: 'Arrived at the other bank' }).waitFor()
  assert.equal(await button('Settle').count(), 0)
  await button('Return').click()
  await button('Yes, return').click()
  await dialog.getByText('Please choose why it came back.').first().waitFor()
  await dialog.locator('.notice:focus').waitFor()
  await assertAccessibleEverywhere(page, 'a return without a reason')
  assert.equal(await why.locator('option').count(), returnReasons.length + 1)
  await why.selectOption({ label: 'AC04 – Account closed' })
  await button('Yes, return').click()
  await page.getByText('The money is back in its account.').waitFor()
  await page.getByText('AC04 – Account closed').waitFor()
  assert.equal(await button('Return').count(), 0)
  await assertAccessibleEverywhere(page, 'a payment that came back')
  assert.equal(await readBalance(ada, accountId), '7.00')

  // Its account is closed by the time when its money comes back.
  await settle(second)
  const { id: rest } = (await ada.post('/api/v1/accounts', { currency: 'EUR' })).body
  const moved = { fromAccountId: accountId, toAccountId: rest, amount: '7.00', currency: 'EUR' }
  assert.equal((await ada.post('/api/v1/transfers', moved)).status, 201)
  assert.equal((await ada.delete(`/api/v1/accounts/${accountId}`)).status, 204)
  await page.goto(`${origin}/portal/staff/transfers/${second}`)
  await button('Return').click()
  await dialog.getByText('the money goes to the bank’s account “Suspense”').waitFor()
  await why.selectOption('MD07')
  await resize(page, { width: 320, height: 844 })
  assert.equal(await readSurplus(page), 0)
  const widths = [why, button('Yes, return')].map(async (part) => (await part.boundingBox())?.width)
  const [ofField, ofButton] = await Promise.all(widths)
  assert.equal(ofButton, ofField, 'the button of a dialog on a phone')
  await button('Yes, return').click()
  await page.getByText('the money is in the bank’s account “Suspense”').waitFor()
  for (const language of Object.keys(languages)) {
    await page.evaluate(
      `localStorage.setItem('strongroom.preferences', '{"language":"${language}"}')`,
    )
    await page.reload()
    await page.getByText(/MD07 – ./).waitFor()
    assert.equal(await readSurplus(page), 0, language)
  }
  await assertSound(bank)
  assert.deepEqual(complaints, [])
})
