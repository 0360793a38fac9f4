// Beneficiaries, cards and statements of an account in a real browser.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { deposit, openAccount, sceneIn } from '../../test/support/fixture.ts'
import { wide } from '../../test/support/limits.ts'
import { assertAccessibleEverywhere, untilRead, visit } from './support.ts'

const said = (page: Page, text: string) => page.getByText(text).waitFor()

test('a customer saves a beneficiary, pays it, pauses it and deletes it for good', async (t) => {
  const visiting = await visit(t, { refusals: [400, 409] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const iban = (await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)).body.iban as string
  const own = (await ada.get(`/api/v1/accounts/${from}`)).body.iban as string
  await signIn('ada')
  const scripts = '**/payees*.js'
  let isCut = true
  await page.route(scripts, async (route) =>
    isCut ? route.abort('connectionreset') : route.continue(),
  )
  await page.getByRole('link', { name: 'Beneficiaries' }).click()
  await said(page, 'The bank cannot be reached.')
  isCut = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Beneficiaries', level: 1 }).waitFor()
  await page.goto(`${origin}/portal/beneficiaries?account=${from}`)
  await said(page, 'There is no beneficiary yet.')
  assert.match(page.url(), new RegExp(`account=${from}`))
  await assertAccessibleEverywhere(page, 'no beneficiary')

  await page.getByRole('link', { name: 'Add a beneficiary' }).click()
  const save = page.getByRole('button', { name: 'Save' })
  const field = page.getByLabel('IBAN')
  await save.click()
  await said(page, 'Please correct 2 fields')
  await page.getByLabel('Name', { exact: true }).fill('Ben Lindqvist')
  for (const wrong of ['DE00 1234', `${iban.slice(0, 2)}00${iban.slice(4)}`, own]) {
    await field.fill(wrong)
    await save.click()
    await page
      .getByText(/This is (not an|the) IBAN/)
      .first()
      .waitFor()
    await page.locator('[name=iban][aria-invalid=true]').waitFor()
  }
  await assertAccessibleEverywhere(page, 'a new beneficiary with an error')
  await page.reload()
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Ben Lindqvist')
  await field.fill(iban.replaceAll(/(.{4})/g, '$1 ').toLowerCase())
  await page.getByLabel('Nickname').fill('Rent')
  await page.keyboard.press('Enter')
  await said(page, 'The beneficiary was added.')

  await page.getByRole('link', { name: 'Add a beneficiary' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Ben again')
  await field.fill(iban)
  await save.click()
  await page.getByRole('button', { name: 'Go on with my name' }).click()
  await page.getByText('has a beneficiary with this IBAN already').first().waitFor()
  await page.getByRole('link', { name: 'Cancel' }).click()

  await page.getByRole('link', { name: 'Pay Ben Lindqvist' }).click()
  await page.getByLabel('Amount in EUR').fill('30')
  await page.getByRole('button', { name: 'Continue' }).click()
  await said(page, 'Ben Lindqvist')
  await said(page, '€70.00')
  await page.getByRole('button', { name: 'Pay €30.00' }).click()
  await said(page, 'Your payment was made.')
  await said(page, 'Ben Lindqvist')
  // Whom the form of a payment offers: an active one, and none that is deactivated.
  const findPayee = async (count: string) => {
    await page.goto(`${origin}/portal/transfer?from=${from}`)
    await page.getByLabel('Name, IBAN, or the text of a QR code').fill('lindqvist')
    await page.getByRole('status').filter({ hasText: count }).waitFor()
  }
  await findPayee('1 payee fits')
  await page.goto(`${origin}/portal/beneficiaries?account=${from}`)
  const more = page.getByRole('button', { name: 'More: Ben Lindqvist' })
  await more.click()
  await assertAccessibleEverywhere(page, 'the menu of a beneficiary')
  await page.getByRole('button', { name: 'Deactivate Ben Lindqvist' }).click()
  await said(page, 'Ben Lindqvist is deactivated')
  await more.click()
  await page.getByRole('button', { name: 'Reactivate Ben Lindqvist' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Pay Ben Lindqvist' }).count(), 0)
  await assertAccessibleEverywhere(page, 'beneficiaries')
  assert.equal(await page.getByRole('button', { name: /^Trust/ }).count(), 0, 'without a factor')
  const read = page.waitForResponse(/\/api\/v1\/beneficiaries\?/)
  await findPayee('0 payees fit')
  await read
  assert.equal(await page.getByRole('button', { name: 'Rent' }).count(), 0)
  await page.goto(`${origin}/portal/beneficiaries?account=${from}`)
  await more.click()
  await page.getByRole('button', { name: 'Reactivate Ben Lindqvist' }).click()
  await said(page, 'Ben Lindqvist is active again.')

  const remove = page.getByRole('button', { name: 'Delete Ben Lindqvist' })
  await more.click()
  await remove.click()
  await said(page, 'This is for good')
  await assertAccessibleEverywhere(page, 'deleting a beneficiary')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await more.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await remove.click()
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await said(page, 'Ben Lindqvist was deleted.')
  await said(page, 'There is no beneficiary yet.')
  assert.deepEqual((await ada.get(`/api/v1/accounts/${from}/beneficiaries`)).body.items, [])
  await page.locator('h1:focus').waitFor()
  assert.deepEqual(
    complaints.filter((found) => !/400|409|ERR_CONNECTION_RESET/.test(found)),
    [],
  )
})

test('a payer is told that too many names were compared, and goes on with the own one a minute later', async (t) => {
  const limits = { ...JSON.parse(wide), payeeCheck: { burst: '2/1m' } }
  const settings = { LIMITS: JSON.stringify(limits) }
  const visiting = await visit(t, { refusals: [429], settings })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const iban = (await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)).body.iban as string
  await signIn('ada')
  await page.goto(`${origin}/portal/beneficiaries/new?account=${from}`)
  await page.getByLabel('IBAN').fill(iban)
  for (const [name, told] of [
    ['Mallory Nobody', 'The account belongs to somebody else'],
    ['Mallory Nobody I', 'The account belongs to somebody else'],
    ['Mallory Nobody II', 'The name could not be compared with that of the holder.'],
  ] as const) {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Save' }).click()
    await said(page, told)
  }
  assert.deepEqual((await ada.get(`/api/v1/accounts/${from}/beneficiaries`)).body.items, [])
  await assertAccessibleEverywhere(page, 'a name that was not compared')
  const goOn = page.getByRole('button', { name: 'Go on with my name' })
  // A payee at this bank is a question too.
  await goOn.click()
  await said(page, 'Too many requests in a short time.')
  bank.clock.advance(61_000)
  await goOn.click()
  await said(page, 'The beneficiary was added.')
  assert.deepEqual(
    complaints.filter((found) => !found.includes('429')),
    [],
  )
})

test('a customer orders, freezes and cancels cards; what the bank froze stays frozen', async (t) => {
  const visiting = await visit(t, { refusals: [400, 403, 409] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { ada, root, from } = await sceneIn(bank)
  await signIn('ada')
  await page.goto(`${origin}/portal/cards?account=${from}`)
  await said(page, 'There is no card yet.')
  const order = page.getByRole('button', { name: 'Order a card' })
  await page.getByLabel('Nickname').fill('<script>')
  await order.click()
  await page.getByText('Only letters, digits').first().waitFor()
  await page.getByLabel('Nickname').fill('Groceries')
  await order.click()
  await said(page, 'Your new card ends in')
  const [card] = (await ada.get(`/api/v1/accounts/${from}/cards`)).body.items
  const digits = card.maskedNumber.slice(-4) as string
  await said(page, card.maskedNumber)
  await page.getByRole('button', { name: `Freeze card ${digits}`, exact: true }).click()
  await said(page, `Card ${digits} is frozen.`)
  await page.getByRole('button', { name: `Unfreeze card ${digits}`, exact: true }).click()
  await said(page, `Card ${digits} can be used again.`)

  // The page does not know yet that the bank has frozen it: the server decides.
  await page.getByRole('button', { name: `Freeze card ${digits}`, exact: true }).click()
  await page.getByRole('button', { name: `Unfreeze card ${digits}`, exact: true }).waitFor()
  assert.equal((await root.post(`/api/v1/cards/${card.id}/freeze`)).status, 200)
  await page.getByRole('button', { name: `Unfreeze card ${digits}`, exact: true }).click()
  await said(page, 'You are not permitted to do this.')
  await said(page, 'The bank froze this card.')
  assert.equal(await page.getByRole('button', { name: `card ${digits}` }).count(), 0)
  await assertAccessibleEverywhere(page, 'cards')

  await root.post(`/api/v1/cards/${card.id}/unfreeze`)
  await page.reload()
  const cancel = page.getByRole('button', { name: `Cancel card ${digits}` })
  const more = page.getByRole('button', { name: `More: card ${digits}` })
  await more.click()
  await cancel.click()
  await said(page, 'This is for good')
  await assertAccessibleEverywhere(page, 'cancelling a card')
  await page.getByRole('button', { name: 'Keep the card' }).click()
  await more.and(page.locator(':focus')).waitFor()
  assert.equal((await ada.get(`/api/v1/cards/${card.id}`)).body.status, 'active')
  await more.click()
  await cancel.click()
  await page.getByRole('button', { name: 'Cancel for good' }).click()
  await said(page, `Card ${digits} is cancelled.`)
  assert.equal((await ada.get(`/api/v1/cards/${card.id}`)).body.status, 'cancelled')

  await ada.post(`/api/v1/accounts/${from}/cards`, { nickname: 'Lost' })
  await page.reload()
  const lost = page.locator('.rows > li', { hasText: 'Active' })
  // A message moves nothing under the pointer.
  const freeze = lost.getByRole('button', { name: /^Freeze/ })
  await untilRead(page)
  const place = await freeze.boundingBox()
  await freeze.click()
  await page.getByText(/^Card \d{4} is frozen\.$/).waitFor()
  const frozen = page.locator('.rows > li', { hasText: 'Frozen' })
  const moved = await frozen.getByRole('button', { name: /^Unfreeze/ }).boundingBox()
  assert.equal(moved?.y, place?.y)
  await frozen.getByRole('button', { name: /^More/ }).click()
  await page.getByRole('button', { name: /^Replace lost/ }).click()
  await page.getByRole('button', { name: 'Cancel and order a new one' }).click()
  await page.getByText(/^Card \d{4} is cancelled\. Your new card ends in \d{4}\.$/).waitFor()
  const { items } = (await ada.get(`/api/v1/accounts/${from}/cards`)).body
  assert.deepEqual(
    items.map(({ nickname, status }: Record<string, string>) => `${nickname} ${status}`).toSorted(),
    ['Groceries cancelled', 'Lost active', 'Lost cancelled'],
  )
  for (let count = 0; count < 10; count++) await ada.post(`/api/v1/accounts/${from}/cards`, {})
  await order.click()
  await said(page, 'This account has as many cards as it may.')
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'A test' })
  await page.reload()
  await said(page, 'This account is frozen.')
  assert.equal(await order.count(), 0)
  assert.deepEqual(
    complaints.filter((found) => !/40[039]/.test(found)),
    [],
  )
})

test('a statement tells what it holds, and its file has the bytes of the API', async (t) => {
  const limits = { ...JSON.parse(wide), export: { burst: '4/1s', sustained: '5/1h' } }
  const settings = { LIMITS: JSON.stringify(limits), SESSION_IDLE: '1d', SESSION_MAX: '1d' }
  const visiting = await visit(t, { settings, refusals: [429], browser: { acceptDownloads: true } })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { root, from } = await sceneIn(bank, '1000.00')
  for (let count = 1; count < 40; count++) await deposit(root, from, `${count}.10`)
  // The months that are offered are those of the browser's clock.
  await page.clock.setFixedTime(bank.clock.now())
  await signIn('ada')
  await page.goto(`${origin}/portal/statements?account=${from}&period=2026-01`)
  await said(page, '1 Jan 2026 to 31 Jan 2026 (days in UTC)')
  await page.getByRole('definition').filter({ hasText: '€0.00' }).waitFor()
  await page.getByRole('definition').filter({ hasText: '€1,783.90' }).waitFor()
  assert.equal(await page.getByRole('definition').nth(1).innerText(), '40')
  await assertAccessibleEverywhere(page, 'statements')

  const path = `/accounts/${from}/statement?from=2026-01-01&to=2026-01-31`
  const files = { csv: /^CSV/, json: /^JSON/, camt053: /^XML/, pdf: /^PDF/ }
  for (const [format, name] of Object.entries(files)) {
    const link = page.getByRole('link', { name })
    // For a spreadsheet in the language of the page.
    const file = `${path}&format=${format}${format === 'csv' ? '&spreadsheet=en' : ''}`
    assert.equal(await link.getAttribute('href'), `/portal/api/v1${file}`)
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const saved = await readFile(await download.path())
    await said(page, `${download.suggestedFilename()} was downloaded.`)
    bank.clock.advance(1001)
    const reply = await root.get(`/api/v1${file}`)
    assert.equal(reply.status, 200)
    if (format !== 'pdf' && format !== 'camt053') assert.equal(saved.toString(), reply.text)
    assert.ok(saved.length > 1000, format)
  }
  const csv = page.getByRole('link', { name: /^CSV/ })
  await Promise.all([page.waitForEvent('download'), csv.click()])
  await csv.click()
  await said(page, 'Too many requests in a short time.')
  await said(page, 'You can try again in')
  assert.equal(new URL(page.url()).pathname, '/portal/statements')

  await page.getByLabel('Period').selectOption('own')
  await page.getByLabel('First day').fill('2026-01-02')
  await page.getByLabel('Last day').fill('2026-01-01')
  await said(page, 'The last day is before the first.')
  assert.equal(await csv.count(), 0)
  await page.getByLabel('Last day').fill('2027-01-03')
  await said(page, 'A statement covers a year at most.')
  await assertAccessibleEverywhere(page, 'a statement of too long a period')
  await page.getByLabel('Last day').fill('2026-01-02')
  await said(page, '2 Jan 2026 to 2 Jan 2026 (days in UTC)')
  await page.reload()
  await said(page, '2 Jan 2026 to 2 Jan 2026 (days in UTC)')
  assert.deepEqual(
    complaints.filter((found) => !found.includes('429')),
    [],
  )
})

test('a period with more entries than a PDF holds is offered in the other forms, and both languages say why', async (t) => {
  const visiting = await visit(t, {})
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { from } = await sceneIn(bank, '1000.00')
  const answered = { entryCount: 10_000 }
  const balances = { currency: 'EUR', openingBalance: '0.00', closingBalance: '1000.00', days: [] }
  await page.route(/\/balances\?/, (route) => route.fulfill({ json: { ...balances, ...answered } }))
  await signIn('ada')
  const offered = async () => {
    await page.goto(`${origin}/portal/statements?account=${from}&period=2026-01`)
    await page.getByRole('link', { name: /^XML/ }).waitFor()
    return page.getByRole('link', { name: /^(PDF|CSV|XML|JSON)/ }).count()
  }
  assert.equal(await offered(), 3, 'without JSON')
  answered.entryCount++
  assert.equal(await offered(), 2, 'without PDF')
  await said(page, 'A PDF has at most 10,000 entries.')
  await page.evaluate(`localStorage.setItem('strongroom.preferences', '{"language":"de"}')`)
  assert.equal(await offered(), 2)
  await said(page, 'Ein PDF hat höchstens 10.000 Buchungen.')
  assert.deepEqual(complaints, [])
})

test('a period with more entries than the bank sums up has its files all the same, and the charts say to choose a shorter one', async (t) => {
  const visiting = await visit(t, {})
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  const { from } = await sceneIn(bank, '1000.00')
  const details = [{ path: '/query/to', message: 'is after more than 50000 entries' }]
  const json = { code: 'invalid_request', message: 'Wrong', requestId: 'r', details }
  await page.route(/\/balances\?/, (route) => route.fulfill({ status: 400, json }))
  await signIn('ada')
  await page.goto(`${origin}/portal/statements?account=${from}&period=2026-01`)
  await said(page, 'Its statement is a file: CSV or XML.')
  assert.equal(await page.getByRole('link', { name: /^(CSV|XML)/ }).count(), 2)
  assert.equal(await page.getByRole('link', { name: /^(PDF|JSON)/ }).count(), 0)
  await page.goto(`${origin}/portal/accounts/${from}/charts`)
  await said(page, 'There are more than 50,000 entries in this period. Choose a shorter one.')
  assert.equal(await page.getByRole('button', { name: '3 months' }).count(), 1)
  assert.deepEqual(
    complaints.filter((found) => !found.includes('400')),
    [],
  )
})
