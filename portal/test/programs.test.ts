// What concerns programs, in a real browser: service accounts with their keys, webhooks with their
// deliveries, and the feed of events. A secret is shown once and kept nowhere.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openAccount } from '../../test/support/fixture.ts'
import { clientWith, people } from '../../test/support/world.ts'
import { button, heading } from './factors-support.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

/** The secret that is shown, which no storage, no address and no document but this one has. */
async function takeSecret(page: Page): Promise<string> {
  await page.getByText('It is shown this once').waitFor()
  const secret = (await page.locator('.once .code').textContent()) ?? ''
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])',
  )
  assert.ok(secret.length > 30 && !kept.includes(secret), kept)
  return secret
}

const choose = (page: Page, label: string) => page.getByLabel(label, { exact: true }).check()

/** A program that answers every webhook. */
async function receiver(t: TestContext): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('an administrator makes a service account, is shown its key once, and changes what it may do', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const accountId = await openAccount(await bank.as('ada'))
  const { iban } = (await (await bank.as('ada')).get(`/api/v1/accounts/${accountId}`)).body
  await signIn('root')
  await page.getByRole('link', { name: 'Programs' }).click()
  await page.getByText('There is no service account.').waitFor()
  await assertAccessibleEverywhere(page, 'service accounts, none')
  await page.getByRole('link', { name: 'Create a service account' }).click()
  await heading(page, 'Create a service account').waitFor()
  await button(page, 'Create a service account').click()
  await page.getByText('Please correct 1 field').waitFor()
  await assertAccessibleEverywhere(page, 'the form of a service account')
  await page.getByLabel('Name', { exact: true }).fill('Payroll')
  await choose(page, 'Of one customer')
  await page.getByLabel('Customer', { exact: true }).fill('nobody')
  await button(page, 'Create a service account').click()
  await page.getByText('There is no active customer').first().waitFor()
  await page.getByLabel('Customer', { exact: true }).fill('ada')
  await page.getByLabel('IBAN of an account to pay from').fill(iban)
  await button(page, 'Add the account').click()
  await button(page, `Remove ${accountId}`).waitFor()
  await page.getByLabel('Calls from these addresses only').fill('127.0.0.1, nowhere')
  await button(page, 'Create a service account').click()
  await page.getByText('One of these is no IP address').first().waitFor()
  await page.getByLabel('Calls from these addresses only').fill('127.0.0.1')
  await button(page, 'Create a service account').click()
  await heading(page, 'The service account is created').waitFor()
  await assertAccessibleEverywhere(page, 'a key that is shown once')
  const key = await takeSecret(page)
  const program = clientWith(bank.send, key)
  assert.equal((await program.get(`/api/v1/accounts/${accountId}`)).status, 200)
  await button(page, 'I have copied it').click()

  await heading(page, 'Payroll').waitFor()
  const main = page.getByRole('main')
  await main.getByText('Of one customer').first().waitFor()
  await main.getByText('127.0.0.1', { exact: true }).waitFor()
  await assertAccessibleEverywhere(page, 'a service account')
  assert.ok(!(await page.content()).includes(key))
  await page.goBack()
  await page.waitForLoadState()
  assert.ok(!(await page.content()).includes(key), 'the way back shows it no more')
  await page.goForward()

  bank.clock.advance(1000)
  await button(page, 'Issue a key').click()
  const second = await takeSecret(page)
  assert.notEqual(second, key)
  await button(page, 'I have copied it').click()
  // Two at most; they are read again.
  await button(page, 'Issue a key').waitFor({ state: 'detached' })
  await page
    .getByRole('button', { name: /^Revoke …/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The key is revoked.').waitFor()
  assert.equal((await program.get(`/api/v1/accounts/${accountId}`)).status, 401)
  assert.equal(
    (await clientWith(bank.send, second).get(`/api/v1/accounts/${accountId}`)).status,
    200,
  )
  await page.getByText('Change name, grants or addresses').first().click()
  await choose(page, 'Settle a payment')
  await choose(page, 'None')
  await button(page, 'Save').click()
  await page.getByText('Saved.').waitFor()
  await button(page, 'Disable it').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable it' }).click()
  await button(page, 'Enable it').waitFor()
  const { items } = (await (await bank.as('root')).get('/api/v1/admin/service-accounts')).body
  assert.deepEqual(
    [items[0].status, items[0].grants],
    ['disabled', { readAccounts: null, payFrom: [accountId], operations: ['settleTransfer'] }],
  )
  await page.goto(`${origin}/portal/staff/programs`)
  await page.getByText('Disabled').waitFor()
  await assertAccessibleEverywhere(page, 'service accounts')
  assert.deepEqual(
    complaints.filter((found) => !/\b400\b/.test(found)),
    [],
  )
})

test('an administrator makes a webhook, tests it, sends again, renews its secret, and deletes it', async (t) => {
  const visiting = await visit(t, { settings: { PRIVATE_WEBHOOKS: 'on' } })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const url = await receiver(t)
  await signIn('root')
  await page.goto(`${origin}/portal/staff/programs/webhooks`)
  await page.getByText('There is no webhook.').waitFor()
  await page.getByRole('link', { name: 'Create a webhook' }).click()
  await button(page, 'Create a webhook').click()
  await page.getByText('Choose at least one type of event.').first().waitFor()
  await assertAccessibleEverywhere(page, 'the form of a webhook')
  await page.getByLabel('Address').fill(url)
  await page.getByLabel('Description').fill('Accounting')
  await choose(page, 'Account opened')
  await button(page, 'Create a webhook').click()
  const secret = await takeSecret(page)
  await button(page, 'I have copied it').click()
  await heading(page, 'Accounting').waitFor()
  await page.getByText('Nothing was sent yet.').waitFor()
  await button(page, 'Send a test').click()
  await page.getByText('A test is on its way.').waitFor()
  await bank.running.core.webhooks.work()
  await button(page, 'Load again').click()
  await page.getByRole('cell', { name: /Delivered/ }).waitFor()
  await assertAccessibleEverywhere(page, 'a webhook')
  await button(page, 'Send again: Test').click()
  await page.getByText('It is sent once more.').waitFor()

  const ask = async (verb: string) => {
    await button(page, 'More').click()
    await button(page, verb).click()
    await page.getByRole('dialog').getByRole('button', { name: verb }).click()
  }
  await ask('Renew the secret')
  assert.notEqual(await takeSecret(page), secret)
  await button(page, 'I have copied it').click()
  await page.getByText('Old keys sign until').waitFor()
  await ask('Disable it')
  await page.getByText('Disabled by an administrator').waitFor()
  assert.equal(await button(page, 'Send a test').count(), 0)
  await page.getByText('Change address, description or types').first().click()
  await page.getByLabel('Description').fill('Books')
  await choose(page, 'Transfer completed')
  await button(page, 'Save').click()
  await heading(page, 'Books').waitFor()
  await ask('Delete it')
  await page.getByText('There is no webhook.').waitFor()
  assert.deepEqual(complaints, [])
})

test('staff read the feed of events, by type, from a number on, and page by page', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const ada = await bank.as('ada')
  for (let count = 0; count < 3; count++) await openAccount(ada)
  await signIn('agnes')
  await page.goto(`${origin}/portal/staff/programs`)
  await page.getByRole('main').getByRole('link', { name: 'Events' }).click()
  await page.getByRole('row').nth(3).waitFor()
  await page.getByRole('rowheader', { name: 'Account opened' }).first().waitFor()
  await assertAccessibleEverywhere(page, 'the feed of events')
  await page.getByRole('button', { name: /^Filter/ }).click()
  await page.getByLabel('Event').selectOption('card.issued')
  await button(page, 'Apply').click()
  await page.getByText('No such event has a number').waitFor()
  await page.getByLabel('Event').selectOption('account.opened')
  await page.getByLabel('From number').fill('2')
  await button(page, 'Apply').click()
  await page.getByRole('row').nth(2).waitFor()
  assert.equal(await page.getByRole('rowheader').count(), 2)
  await button(page, 'Earlier').click()
  await page.getByRole('row').nth(3).waitFor()
  assert.equal(await page.getByRole('rowheader').count(), 3)
  await page.getByRole('table').getByRole('link').first().click()
  await heading(page, 'Search').or(page.getByText('Ada Okafor')).first().waitFor()
  assert.deepEqual(complaints, [])
})

test('a support agent sees programs and changes nothing, and a customer sees none of them', async (t) => {
  const visiting = await visit(t, { refusals: [403, 404] })
  if (!visiting) return
  const { bank, page, origin, signIn, another } = visiting
  const root = await bank.as('root')
  const grants = { readAccounts: 'all', payFrom: [], operations: [] }
  const made = await root.post('/api/v1/admin/service-accounts', { name: 'Reports', grants })
  const hook = { url: 'https://127.0.0.1/in', types: ['account.opened'] }
  const { id } = (await root.post('/api/v1/admin/webhooks', hook)).body
  const programs = `${origin}/portal/staff/programs`
  const paths = ['', `/${made.body.id}`, '/webhooks', `/webhooks/${id}`, '/events']
  await signIn('agnes')
  for (const path of paths) {
    await page.goto(programs + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    const names = await page.locator('main button, main a.button').allTextContents()
    const changing = names.filter(
      (name) => !['Copy', 'Filter', 'Apply', 'Load again', 'Earlier', 'Later'].includes(name),
    )
    assert.deepEqual(changing, [], path)
  }
  for (const path of ['/new', '/webhooks/new']) {
    await page.goto(programs + path)
    await heading(page, 'This page does not exist').waitFor()
  }
  const customer = await another()
  await signIn('ada', customer)
  for (const path of paths) {
    await customer.goto(programs + path)
    await heading(customer, 'This page does not exist').waitFor()
  }
})

test('a person sees what the bank has of them, and staff invite again or reset the password', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const root = await bank.as('root')
  const wanda = {
    username: 'wanda',
    email: 'wanda@example.com',
    givenName: 'Wanda',
    familyName: 'Landowska',
    roles: ['customer'],
  }
  const { id } = (await root.post('/api/v1/admin/users', wanda)).body
  await signIn('root')
  await page.getByRole('link', { name: 'Profile' }).click()
  await heading(page, 'Profile').waitFor()
  await page.getByText('root@example.com').waitFor()
  await assertAccessibleEverywhere(page, 'the profile')
  const send = async (userId: string, verb: string, told: string) => {
    await page.goto(`${origin}/portal/staff/users/${userId}`)
    await page.getByText('Change contact data, roles or login').click()
    await button(page, verb).click()
    await page.getByRole('dialog').getByRole('button', { name: verb }).click()
    await page.getByText(told).waitFor()
  }
  await page.goto(`${origin}/portal/staff/users`)
  await page.getByText('Invited').waitFor()
  await send(id, 'Invite again', 'The invitation is on its way to wanda@example.com.')
  await assertAccessibleEverywhere(page, 'a person who is invited')
  const reset = 'Mail a link to reset the password'
  for (let count = 0; count < 3; count++) {
    await send(people.ada.id, reset, 'A link is on its way to ada@example.com.')
  }
  await send(people.ada.id, reset, 'This person was sent three links within the hour.')

  const accountId = await openAccount(await bank.as('ada'))
  const freeze = { reason: 'Asked by a court' }
  await root.post(`/api/v1/admin/accounts/${accountId}/freeze`, freeze)
  await page.goto(`${origin}/portal/staff/accounts/${accountId}`)
  await page.getByText(/^Frozen since .* by .*Reason: Asked by a court$/).waitFor()
  const ada = await another()
  await signIn('ada', ada)
  await ada.goto(`${origin}/portal/accounts/${accountId}`)
  await ada.getByText(/^Frozen since [^:]*:?\d*[^:]*\.$/).waitFor()
  assert.ok(!(await ada.content()).includes('court'))
  assert.deepEqual(
    complaints.filter((found) => !/\b409\b/.test(found)),
    [],
  )
})
