// Signing in, paying and approving in Firefox: what differs between engines, such as cookies, forms
// and the policy of the page, is seen here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeAdministrator } from '../../test/support/approvals.ts'
import { assertSound, deposit, readBalance, sceneIn } from '../../test/support/fixture.ts'
import { visitFirefox } from './firefox-support.ts'

test('in Firefox a customer signs in, pays once, and signs out', async (t) => {
  const visiting = await visitFirefox(t)
  if (!visiting) return
  const { bank, origin, complaints, signIn } = visiting
  const { ada, from, to } = await sceneIn(bank)
  const screen = await signIn('ada')
  const { page } = screen
  await page.goto(`${origin}/portal/transfer?from=${from}`)
  await screen.fill('To', `account:${to}`)
  await screen.fill('Amount in EUR', '12.50')
  await screen.press('Continue')
  await screen.read('Check and confirm')
  await screen.press('Pay €12.50')
  await screen.read('Your payment was made.')
  assert.equal(await readBalance(ada, from), '87.50')
  const handles = await page.evaluate('document.cookie')
  assert.equal(handles, '', 'no script reads a cookie')
  await screen.press('Sign out')
  await screen.read('You have signed out.')
  await page.goBack()
  await screen.find('Sign in')
  await assertSound(bank)
  assert.deepEqual(complaints, [])
})

test('in Firefox no line ends between the sign of an amount and its digits', async (t) => {
  const visiting = await visitFirefox(t)
  if (!visiting) return
  const { bank, origin, signIn } = visiting
  const { root, from } = await sceneIn(bank, '1.00')
  await deposit(root, from, '999999999999.99')
  const { page } = await signIn('ada')
  await page.setViewport({ width: 320, height: 800 })
  await page.goto(`${origin}/portal/accounts/${from}`)
  await page.waitForSelector('li .row .money.in')
  const torn = await page.evaluate(`[...document.querySelectorAll('.money')].flatMap((money) => {
    const walker = document.createTreeWalker(money, NodeFilter.SHOW_TEXT)
    const tops = []
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (let at = 0; at < node.data.length; at++) {
        const range = document.createRange()
        range.setStart(node, at)
        range.setEnd(node, at + 1)
        tops.push([node.data[at], range.getBoundingClientRect().top])
      }
    }
    const digit = tops.findIndex(([sign]) => /\\d/.test(sign))
    return tops.slice(0, digit).some(([, top]) => top !== tops[digit][1]) ? [money.innerText] : []
  })`)
  assert.deepEqual(torn, [])
  await assertSound(bank)
})

test('in Firefox one administrator asks for a withdrawal and another approves it', async (t) => {
  const visiting = await visitFirefox(t, { settings: { FOUR_EYES: 'createWithdrawal' } })
  if (!visiting) return
  const { bank, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  await makeAdministrator(bank)
  const maker = await signIn('root')
  await maker.page.goto(`${origin}/portal/staff/accounts/${from}/withdrawal`)
  await maker.fill('Amount (EUR)', '10')
  await maker.fill('Reason', 'Cash at the desk')
  await maker.page.keyboard.press('Enter')
  await maker.press('Pay out')
  await maker.read('waits for the approval of a second person')
  assert.equal(await readBalance(ada, from), '100.00')
  const checker = await signIn('both')
  await checker.page.goto(`${origin}/portal/staff/approvals`)
  const approve = await checker.page.waitForSelector('::-p-xpath(//button[contains(., "Approve")])')
  await approve?.click()
  await checker.read('Cash at the desk')
  await checker.page.locator('dialog button.primary').click()
  await checker.read('It is approved and carried out.')
  assert.equal(await readBalance(ada, from), '90.00')
  await assertSound(bank)
  assert.deepEqual(complaints, [])
})
