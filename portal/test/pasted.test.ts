// What phones type and people paste, in every form of the portal in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openAccount, sceneIn } from '../../test/support/fixture.ts'
import { until } from '../../test/support/mailbox.ts'
import { password, people } from '../../test/support/world.ts'
import { untilRead, visit } from './support.ts'

const typed = 'O’Brien – GmbH'
const plain = "O'Brien - GmbH"

/** As a paste does, or a keyboard that gives whole words. */
async function paste(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

/** A new page gives the focus to its heading, or to its first field. */
async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('h1:focus, input:focus').waitFor()
}

const field = (page: Page, name: string) => page.locator(`[name="${name}"]`)

async function pasteInto(page: Page, name: string, text: string): Promise<void> {
  await field(page, name).focus()
  await paste(page, text)
}

const textInputs =
  'input:not([type=checkbox], [type=radio], [type=date], [type=password]):not([name=password])'

/** Pastes into each input of the page, or of the dialog over it, and tells how many there are. */
async function pasteIntoAll(page: Page): Promise<number> {
  const scope = (await page.locator('dialog').count()) > 0 ? 'dialog' : 'main'
  const inputs = await page.locator(scope).locator(textInputs).all()
  for (const input of inputs) {
    await input.focus()
    await paste(page, typed)
    const lengthMax = Number((await input.getAttribute('maxlength')) ?? plain.length)
    assert.equal(
      await input.inputValue(),
      plain.slice(0, lengthMax),
      (await input.getAttribute('name')) ?? '',
    )
  }
  return inputs.length
}

test('a pasted O’Brien – GmbH is mapped in each input of each form', async (t) => {
  const visiting = await visit(t, { refusals: [400, 404] })
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { from } = await sceneIn(bank)
  const count = async (path: string, expected: number, ...buttons: string[]) => {
    await open(page, `${origin}/portal/${path}`)
    for (const name of buttons) await page.getByRole('button', { name, exact: true }).click()
    await page.locator('main input').first().waitFor({ state: 'attached' })
    // Folds that come later would move those that are clicked.
    await untilRead(page)
    const hasDialog = (await page.locator('dialog').count()) > 0
    const folded = hasDialog ? [] : await page.locator('summary, main form [aria-expanded]').all()
    for (const one of folded) await one.click()
    // What was folded comes in a task of its own.
    await page
      .locator(textInputs)
      .nth(expected - 1)
      .waitFor({ state: 'attached' })
    assert.equal(await pasteIntoAll(page), expected, path)
  }
  await count('forgot', 1)
  await count('', 1)
  await signIn('ada')
  const account = `accounts/${from}`
  await count(account, 3)
  await count('accounts/new', 1)
  await count('transfer', 3)
  await count(`beneficiaries/new?account=${from}`, 3)
  await count(`cards?account=${from}`, 1)
  await count('security', 1, 'Add an authenticator app')
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  // A page that is left before the answer would still be signed in.
  await page.getByLabel('User name or e-mail address').waitFor()
  await signIn('root')
  await count('', 1)
  await count('staff/users', 1)
  await count('staff/users/new', 6)
  await count(`staff/users/${people.ada.id}`, 5)
  await count(`staff/${account}`, 1, 'More', 'Freeze the account')
  await count(`staff/${account}`, 6, 'Change')
  await count(`staff/${account}/deposit`, 2)
  await count('staff/audit', 3)
})

test('a dialog has the keyboard before the next key arrives', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  const { from } = await sceneIn(bank)
  await signIn('root')
  await open(page, `${origin}/portal/staff/accounts/${from}`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  const isOpen = await page.evaluate(`(async () => {
    const buttons = [...document.querySelectorAll('button')]
    buttons.find(({ textContent }) => textContent === 'Freeze the account').click()
    await new Promise((resolve) => setTimeout(resolve))
    return document.querySelector('dialog')?.open
  })()`)
  assert.equal(isOpen, true)
})

test('what is pasted arrives in plain signs, an IBAN in its electronic form', async (t) => {
  const visiting = await visit(t, { refusals: [400] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const { ada, from } = await sceneIn(bank)
  const ben = await bank.as('ben')
  const iban = (await ben.get(`/api/v1/accounts/${await openAccount(ben)}`)).body.iban as string
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await signIn('ada')

  await open(page, `${origin}/portal/beneficiaries/new?account=${from}`)
  await pasteInto(page, 'name', `${typed} 2; \u{1f600}`)
  await pasteInto(page, 'iban', `IBAN: ${iban.replace(/(.{4})/g, '$1–')}€`)
  await pasteInto(page, 'nickname', 'a\ue000')
  await button('Save').click()
  for (const [name, sign] of [
    ['name', ';'],
    ['iban', '€'],
    ['nickname', 'U+E000'],
  ] as const) {
    const said = page.locator('.field', { has: field(page, name) }).locator('.error')
    await said.getByText(`The sign ${sign} is not accepted.`).waitFor()
  }
  await pasteInto(page, 'name', `\u200f${typed}\u00a0${'می\u200cخواهم'.slice(0, 2)}\u200b`)
  await pasteInto(page, 'iban', `\u202aIBAN: ${iban.replace(/(.{4})/g, '$1\u00a0')}\u202c`)
  await pasteInto(page, 'nickname', '')
  await button('Save').click()
  await button('Go on with my name').click()
  await page.getByText('The beneficiary was added.').waitFor()
  const [saved] = (await ada.get(`/api/v1/accounts/${from}/beneficiaries`)).body.items
  assert.deepEqual([saved.name, saved.iban], [`${plain} می`, iban])

  await open(page, `${origin}/portal/transfer?to=${saved.id}`)
  await pasteInto(page, 'amount', '\u200e€5.00\u00a0')
  await pasteInto(page, 'reference', 'Rent; May')
  await button('Continue').click()
  await page.locator('.field .error').getByText('The sign ; is not accepted.').waitFor()
  await pasteInto(page, 'reference', 'Rent — May\u2009…')
  await button('Continue').click()
  // The name is not that of the holder, which the check says.
  await button('Pay €5.00 nevertheless').click()
  await page.getByText('Your payment was made.').waitFor()
  const [entry] = (await ada.get(`/api/v1/accounts/${from}/transactions`)).body.items
  assert.equal(entry.reference, 'Rent - May ...')

  const staff = await another()
  await signIn('root', staff)
  await open(staff, `${origin}/portal/staff/users/${people.ada.id}`)
  await staff.locator('summary').click()
  await pasteInto(staff, 'familyName', `${typed} `)
  await staff.getByRole('button', { name: 'Save' }).click()
  await staff.getByRole('heading', { name: `Ada ${plain}` }).waitFor()
  await open(staff, `${origin}/portal/`)
  for (const text of [typed, `IBAN: ${(await ada.get(`/api/v1/accounts/${from}`)).body.iban}`]) {
    await pasteInto(staff, 'q', text)
    await staff.keyboard.press('Enter')
    await staff.getByText(/^1 person and [12] accounts? shown/).waitFor()
  }
  await pasteInto(staff, 'q', 'Ada 🙂')
  await staff.keyboard.press('Enter')
  await staff.locator('.field .error').getByText('The sign 🙂 is not accepted.').waitFor()
  await open(staff, `${origin}/portal/staff/users`)
  await pasteInto(staff, 'search', typed)
  await staff.keyboard.press('Enter')
  await staff.getByText('1 person shown').waitFor()
  assert.deepEqual(complaints, [])
})

test('a password is sent as it was typed, hidden or shown; a user name without spaces', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, origin } = visiting
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/portal/session') && request.method() === 'POST') {
      sent.push(request.postDataJSON())
    }
  })
  const secret = 'pass’word – \u00a01'
  await open(page, `${origin}/portal/`)
  await pasteInto(page, 'username', `${people.ada.username} `)
  await pasteInto(page, 'password', secret)
  await page.keyboard.press('Enter')
  await page.getByText('User name or password is not right.').waitFor()
  await page.getByLabel('Show password').check()
  await pasteInto(page, 'password', secret)
  assert.equal(await field(page, 'password').inputValue(), secret)
  await page.keyboard.press('Enter')
  await until('an empty field', async () => (await field(page, 'password').inputValue()) === '')
  await pasteInto(page, 'password', password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  assert.deepEqual(
    sent.map((body) => (body as { username: string }).username),
    Array(3).fill('ada'),
  )
  assert.deepEqual(
    sent.map((body) => (body as { password: string }).password),
    [secret, secret, password],
  )
})

test('the caret stays where it is, and what is being composed is left alone', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, origin, context, signIn } = visiting
  await signIn('ada')
  await open(page, `${origin}/portal/accounts/new`)
  const name = field(page, 'name')
  await name.fill('OBrien')
  await name.press('Home')
  await name.press('ArrowRight')
  await page.keyboard.insertText('’')
  await page.keyboard.insertText('x')
  assert.equal(await name.inputValue(), "O'xBrien")

  await name.fill('caf')
  const keyboard = await context.newCDPSession(page)
  // As a dead key: the accent waits for its letter.
  const composing = { text: '´', selectionStart: 1, selectionEnd: 1 }
  await keyboard.send('Input.imeSetComposition', composing)
  assert.equal(await name.inputValue(), 'caf´')
  await keyboard.send('Input.insertText', { text: 'é' })
  assert.equal(await name.inputValue(), 'café')
  await keyboard.send('Input.imeSetComposition', composing)
  await keyboard.send('Input.insertText', { text: '’s' })
  assert.equal(await name.inputValue(), "café's")

  // A joiner waits for the next letter, and goes where none comes.
  await name.fill('می')
  await page.keyboard.insertText('\u200c')
  await page.keyboard.insertText('خ')
  assert.equal(await name.inputValue(), 'می\u200cخ')
  await page.keyboard.insertText('\u200c')
  await name.blur()
  assert.equal(await name.inputValue(), 'می\u200cخ')
})
