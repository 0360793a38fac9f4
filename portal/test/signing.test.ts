// A payment that its maker could not sign by making it, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSound, readBalance, sceneIn } from '../../test/support/fixture.ts'
import { button, heading } from './factors-support.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

test('who prepared a payment above what was left of the day signs it after another person, and not before', async (t) => {
  const visiting = await visit(t, { settings: { MEMBERS: 'on' }, refusals: [409] })
  if (!visiting) return
  const { bank, page, origin, signIn, another, complaints } = visiting
  const { ada, from } = await sceneIn(bank, '2000.00')
  const ben = await bank.as('ben')
  const sent = async (reply: ReturnType<typeof ada.post>) => {
    const { status, text, body } = await reply
    assert.ok(status < 300, text)
    return body
  }
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const { id: beneficiaryId } = await sent(
    ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee),
  )
  const terms = { username: 'ben', rights: 'pay', currency: 'EUR', perDay: '1000.00' }
  const invited = await sent(ada.post(`/api/v1/accounts/${from}/members`, terms))
  await sent(ben.post(`/api/v1/members/${invited.id}/accept`))
  const rule = { currency: 'EUR', from: '500.00', count: 2 }
  await sent(ada.put(`/api/v1/accounts/${from}/signatures`, rule))
  const make = (amount: string) =>
    sent(ben.post(`/api/v1/accounts/${from}/drafts`, { beneficiaryId, amount, currency: 'EUR' }))
  const first = await make('700.00')
  const second = await make('500.00')
  assert.deepEqual([first.signedBy.length, second.signedBy.length], [1, 0])

  const bens = await another()
  await signIn('ben', bens)
  await bens.goto(`${origin}/portal/shared/${from}`)
  const cancel = button(bens, 'Cancel payment: €500.00, Grace Hopper')
  const sign = button(bens, 'Sign: €500.00, Grace Hopper')
  await cancel.waitFor()
  await bens.getByText('0 of 2 signatures').waitFor()
  assert.equal(await sign.count(), 0, 'its maker does not sign first')
  await bens.goto(`${origin}/portal/signatures`)
  await bens.getByText('No payment waits for your signature.').waitFor()

  await signIn('ada')
  await page.goto(`${origin}/portal/signatures`)
  await button(page, 'Sign: €500.00, Grace Hopper').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign', exact: true }).click()
  await page.getByText('You have signed the payment.').waitFor()
  assert.equal(await readBalance(ada, from), '2000.00')

  const signAsMaker = async () => {
    await sign.click()
    const question = bens.getByRole('dialog', { name: 'Sign this payment?' })
    for (const term of ['€500.00', 'Grace Hopper', '1 of 2', 'you']) {
      await question.getByText(term).first().waitFor()
    }
    await question.getByRole('button', { name: 'Sign', exact: true }).click()
  }
  await bens.goto(`${origin}/portal/shared/${from}`)
  await cancel.waitFor()
  await signAsMaker()
  await bens.getByRole('alert').getByText(/limit/).waitFor()
  await assertAccessibleEverywhere(bens, 'a signature above what is left of the day')
  assert.equal(await readBalance(ada, from), '2000.00')

  await ada.delete(`/api/v1/drafts/${first.id}`)
  await bens.goto(`${origin}/portal/`)
  await bens.getByRole('link', { name: 'Payments that wait for your signature: 1' }).click()
  await signAsMaker()
  await bens.getByText('You have signed the payment.').waitFor()
  await bens.getByText('No payment waits for your signature.').waitFor()
  await heading(bens, 'Payments to sign').waitFor()
  assert.equal(await readBalance(ada, from), '1500.00')
  assert.deepEqual(complaints, [])
  await assertSound(bank)
})

test('a member that may pay prepares what is above a limit of its own: on the page of the account, and where the payment was refused', async (t) => {
  const visiting = await visit(t, { settings: { MEMBERS: 'on' }, refusals: [409] })
  if (!visiting) return
  const { bank, page, origin, signIn, another, complaints } = visiting
  const { ada, from } = await sceneIn(bank, '5000.00')
  const ben = await bank.as('ben')
  const sent = async (reply: ReturnType<typeof ada.post>) => {
    const { status, text, body } = await reply
    assert.ok(status < 300, text)
    return body
  }
  const payee = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }
  const { id: payeeId } = await sent(ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee))
  const terms = { username: 'ben', rights: 'pay', currency: 'EUR' }
  const invited = await sent(ada.post(`/api/v1/accounts/${from}/members`, terms))
  await sent(ben.post(`/api/v1/members/${invited.id}/accept`))

  const bens = await another()
  await signIn('ben', bens)
  const prepare = button(bens, 'Prepare a payment')
  const pay = bens.getByRole('main').getByRole('link', { name: 'Pay', exact: true })
  await bens.goto(`${origin}/portal/shared/${from}`)
  await pay.waitFor()
  assert.equal(await prepare.count(), 0, 'without a limit nothing has to be prepared')
  const limit = { currency: 'EUR', perDay: '1000.00' }
  await sent(ada.patch(`/api/v1/accounts/${from}/members/${invited.id}`, limit))
  await bens.reload()
  await pay.waitFor()
  await prepare.click()
  const form = bens.getByRole('dialog', { name: 'Prepare a payment' })
  await form.getByLabel('Amount in EUR').fill('1200')
  await button(bens, 'Continue').click()
  await button(bens, 'Prepare €1,200.00').click()
  await bens.getByText('The payment waits for a signature.').waitFor()
  await bens.getByText('0 of 1 signatures').waitFor()
  await assertAccessibleEverywhere(bens, 'what a member with a limit may do')

  await pay.click()
  await bens.getByLabel('To', { exact: true }).selectOption(`beneficiary:${payeeId}`)
  await bens.getByLabel('Amount in EUR').fill('1300')
  await button(bens, 'Continue').click()
  await bens.getByRole('button', { name: 'Pay €1,300.00' }).click()
  // The limit of the member, which is none of the account.
  const told = 'The daily limit is €1,000.00. €1,000.00 of it are left until'
  await bens.getByRole('alert').getByText(told).waitFor()
  await button(bens, 'Send for signature').click()
  await bens.getByText('The payment waits for a signature.').waitFor()
  assert.equal(await readBalance(ada, from), '5000.00')

  await signIn('ada')
  await page.goto(`${origin}/portal/signatures`)
  for (const amount of ['€1,200.00', '€1,300.00']) {
    await button(page, `Sign: ${amount}, Grace Hopper`).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign', exact: true }).click()
    await page.getByText('You have signed the payment.').waitFor()
  }
  assert.equal(await readBalance(ada, from), '2500.00')
  // An owner is above no limit that another signature would lift.
  const own = { currency: 'EUR', perPayment: '100.00', perDay: null }
  await sent(ada.put(`/api/v1/accounts/${from}/limits`, own))
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await page.getByLabel('To', { exact: true }).selectOption(`beneficiary:${payeeId}`)
  await page.getByLabel('Amount in EUR').fill('101')
  await button(page, 'Continue').click()
  await page.getByRole('button', { name: 'Pay €101.00' }).click()
  await page.getByRole('alert').getByText('At most €100.00 may leave by one payment.').waitFor()
  assert.equal(await button(page, 'Send for signature').count(), 0)
  assert.deepEqual(complaints, [])
  await assertSound(bank)
})
