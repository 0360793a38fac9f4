// Second factors in a real browser: a passkey of a virtual authenticator, codes of another author's
// application, recovery codes, and the session that may only enrol.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkMailedTo } from '../../test/support/mailbox.ts'
import { sceneIn } from '../../test/support/fixture.ts'
import { password, people } from '../../test/support/world.ts'
import {
  addApplication,
  addAuthenticator,
  application,
  beginApplication,
  beginPasskey,
  button,
  confirmByCode,
  heading,
  keepCodes,
  signOut,
  tabTo,
  typePassword,
  visitLocal,
} from './factors-support.ts'
import { assertAccessibleEverywhere, untilRead, type Visit } from './support.ts'

const unexpected = ({ complaints }: Visit): string[] =>
  complaints.filter((found) => !/\b(400|401|403)\b/.test(found))

for (const browser of ['with the JSON form of WebAuthn', 'without it']) {
  test(`a passkey is added, and signs in as the second step and alone, in a browser ${browser}`, async (t) => {
    const visiting = await visitLocal(t)
    if (!visiting) return
    const { page, origin } = visiting
    if (browser === 'without it') {
      await page.addInitScript(`
        delete PublicKeyCredential.parseCreationOptionsFromJSON
        delete PublicKeyCredential.parseRequestOptionsFromJSON
        delete PublicKeyCredential.prototype.toJSON`)
    }
    const { devtools, authenticatorId } = await addAuthenticator(page)
    await visiting.signIn('ada')
    await page.getByRole('link', { name: 'Security' }).click()
    await page.getByRole('heading', { name: 'Second factors' }).waitFor()
    await beginPasskey(page)
    await keepCodes(page)
    await page.getByText('The second factor is added.').waitFor()
    await page.getByText('Laptop').waitFor()
    await page.getByText('You have 10 unused recovery codes.').waitFor()
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
    assert.deepEqual(
      credentials.map(({ rpId, isResidentCredential }) => [rpId, isResidentCredential]),
      [['localhost', true]],
    )
    await beginPasskey(page, 'The same again')
    await button(page, 'Use a passkey').click()
    await page.getByText('This exists already.').waitFor()

    await signOut(page)
    await typePassword(page, 'ada')
    await button(page, 'Use a passkey').click()
    await heading(page, 'Security').waitFor()
    await signOut(page)
    await button(page, 'Sign in with a passkey').click()
    await heading(page, 'Security').waitFor()
    assert.equal(await page.evaluate('document.cookie'), '')
    await signOut(page)
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await button(page, 'Sign in with a passkey').click()
    await page.getByText('No passkey was used').waitFor()
    assert.equal(page.url(), `${origin}/portal/security`)
    assert.deepEqual(unexpected(visiting), [])
  })
}

test('an application is added by its typed secret; its code signs in once, a wrong one never', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { page, signIn } = visiting
  await signIn('ada')
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByRole('heading', { name: 'Second factors' }).waitFor()
  await assertAccessibleEverywhere(page, 'second factors, none')
  await button(page, 'Add an authenticator app').click()
  await page.locator('[name=name]:focus').waitFor()
  await page.getByLabel('Password', { exact: true }).fill('not her password')
  await button(page, 'Continue').click()
  await page.getByText('This is not your current password.').first().waitFor()
  await assertAccessibleEverywhere(page, 'second factors, a wrong password')
  await button(page, 'Cancel').click()

  const app = await beginApplication(visiting, page)
  await assertAccessibleEverywhere(page, 'second factors, the secret')
  const code = page.getByLabel('Code of the authenticator app')
  await page.locator('[name=code]:focus').fill('000 000')
  await page.keyboard.press('Enter')
  await page.getByText('This code is not right.').first().waitFor()
  const used = app.code()
  await code.fill(`${used.slice(0, 3)} ${used.slice(3)}`)
  await page.keyboard.press('Enter')
  await heading(page, 'Your recovery codes').waitFor()
  await assertAccessibleEverywhere(page, 'recovery codes')
  await keepCodes(page)
  await page.getByText('The second factor is added.').waitFor()
  await assertAccessibleEverywhere(page, 'second factors, one')

  await signOut(page)
  await typePassword(page, 'ada')
  await heading(page, 'Second step').waitFor()
  await assertAccessibleEverywhere(page, 'the second step')
  // Where there is no passkey, the code can be typed at once.
  await page.locator('[name=code]:focus').waitFor()
  await page.keyboard.type(used)
  await page.keyboard.press('Enter')
  await page.getByText('This code is not right.').waitFor()
  await assertAccessibleEverywhere(page, 'the second step with a wrong code')
  await code.fill('000 000')
  await page.keyboard.press('Enter')
  await page.getByText('the bank has told you so by mail').waitFor()
  await assertAccessibleEverywhere(page, 'the second step with a second wrong code')
  await code.fill(app.code())
  await page.keyboard.press('Enter')
  await heading(page, 'Security').waitFor()
  await page.getByText('not used yet').waitFor({ state: 'detached' })
  assert.deepEqual(unexpected(visiting), [])
})

test('a factor gets another name and is removed after a question', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { bank, page, signIn } = visiting
  await signIn('ada')
  await page.getByRole('link', { name: 'Security' }).click()
  const app = await addApplication(visiting, page)
  await keepCodes(page)
  await button(page, 'Rename Authenticator app').click()
  await page.locator('[name=name]:focus').waitFor()
  await assertAccessibleEverywhere(page, 'renaming a second factor')
  await page.locator('[name=name]:focus').fill('Old phone')
  await page.keyboard.press('Enter')
  await page.getByText('Old phone').waitFor()
  await button(page, 'Remove Old phone').click()
  await page.getByText('your password alone signs you in').waitFor()
  await assertAccessibleEverywhere(page, 'removing a second factor')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal((await bank.sql('select 1 from factors')).rows.length, 1)
  await button(page, 'Remove Old phone').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await confirmByCode(page, app)
  await page.getByText('The second factor is removed.').waitFor()
  assert.equal((await bank.sql('select 1 from factors')).rows.length, 0)
  await signOut(page)
  await typePassword(page, 'ada')
  await heading(page, 'Security').waitFor()
  assert.deepEqual(unexpected(visiting), [])
})

test('a recovery code signs in once, and only a new factor can be set up then', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { page, origin, signIn } = visiting
  await signIn('ada')
  await page.getByRole('link', { name: 'Security' }).click()
  await addApplication(visiting, page)
  const [recoveryCode = ''] = await keepCodes(page)
  await signOut(page)
  await page.goto(`${origin}/portal/beneficiaries`)
  await typePassword(page, 'ada')
  await button(page, 'Use a recovery code').click()
  const field = page.getByLabel('Recovery code')
  await field.waitFor()
  await assertAccessibleEverywhere(page, 'the second step with a recovery code')
  await field.fill('AAAA-AAAA-AAAA-AAAA')
  await page.keyboard.press('Enter')
  await page.getByText('or it was used before').waitFor()
  await field.fill(recoveryCode.toLowerCase())
  await page.keyboard.press('Enter')
  await heading(page, 'Set up a second factor').waitFor()
  await assertAccessibleEverywhere(page, 'the session that may only enrol')
  assert.equal(await page.getByRole('link', { name: 'Cards' }).count(), 0)
  await page.goto(`${origin}/portal/cards`)
  await heading(page, 'Set up a second factor').waitFor()

  const app = await addApplication(visiting, page)
  await heading(page, 'Cards').waitFor()
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByText('You have 9 unused recovery codes.').waitFor()
  await signOut(page)
  await typePassword(page, 'ada')
  await button(page, 'Use a recovery code').click()
  await field.fill(recoveryCode)
  await page.keyboard.press('Enter')
  await page.getByText('or it was used before').waitFor()
  await button(page, 'Use another way').click()
  await page.getByLabel('Code of the authenticator app').fill(app.code())
  await page.keyboard.press('Enter')
  await heading(page, 'Security').waitFor()
  assert.deepEqual(unexpected(visiting), [])
})

test('who needs a factor and has none can set one up, by the keyboard alone, and nothing else', async (t) => {
  const settings = { SECOND_FACTOR: 'required', SECOND_FACTOR_GRACE: '1s', SESSION_IDLE: '1h' }
  const visiting = await visitLocal(t, { settings, browser: { locale: 'de-DE' } })
  if (!visiting) return
  const { bank, page, origin } = visiting
  await bank.sql("update users set created_at = '2026-01-01' where username = 'root'")
  await page.goto(`${origin}/portal/`)
  await page.locator('[name=username]:focus').waitFor()
  await page.keyboard.type('root')
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await heading(page, 'Zweiten Faktor einrichten').waitFor()
  await assertAccessibleEverywhere(page, 'the session that may only enrol, in German')
  await tabTo(page, button(page, 'Authenticator-App hinzufügen'))
  await page.keyboard.press('Enter')
  await page.locator('[name=name]:focus').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.locator('[name=code]:focus').waitFor()
  const secret = await page.locator('.copyable .code').first().textContent()
  await page.keyboard.type(application(bank, (secret ?? '').replaceAll(' ', '')).code())
  await page.keyboard.press('Enter')
  await heading(page, 'Ihre Wiederherstellungscodes').waitFor()
  await tabTo(page, button(page, 'Ich habe sie aufbewahrt'))
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Prüfprotokoll' }).waitFor()
  await page.getByRole('link', { name: 'Sicherheit' }).click()
  await page.getByText('Authenticator-App', { exact: true }).first().waitFor()
  assert.equal(await page.getByRole('button', { name: /entfernen$/ }).count(), 0, 'the last one')
  assert.deepEqual(unexpected(visiting), [])
})

test('an open page leads to the set-up of a factor once it is required', async (t) => {
  const visiting = await visitLocal(t, { settings: { SECOND_FACTOR: 'required' } })
  if (!visiting) return
  const { bank, page, signIn } = visiting
  await bank.sql("update users set created_at = '2026-01-01' where username = 'root'")
  await signIn('root')
  await page.getByRole('link', { name: 'Audit trail' }).waitFor()
  // A read of the home page that is still under way would lead there by itself.
  await untilRead(page)
  await bank.sql("update users set created_at = '2025-01-01' where username = 'root'")
  await page.getByRole('link', { name: 'Audit trail' }).click()
  await heading(page, 'Set up a second factor').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Audit trail' }).count(), 0)
  assert.deepEqual(unexpected(visiting), [])
})

test('staff mail a link that leads, with the password, to a new factor in place of all others, once', async (t) => {
  const visiting = await visitLocal(t)
  if (!visiting) return
  const { bank, page, origin, signIn } = visiting
  await signIn('ada')
  await page.getByRole('link', { name: 'Security' }).click()
  await addApplication(visiting, page)
  await keepCodes(page)
  const staff = await visiting.another()
  await signIn('root', staff)
  await staff.goto(`${origin}/portal/staff/users/${people.ada.id}`)
  await staff.getByText('Change contact data, roles or login').click()
  const send = button(staff, 'Mail a link to replace it')
  await send.click()
  await staff.getByRole('dialog').waitFor()
  await assertAccessibleEverywhere(staff, 'mailing a link that replaces the second factor')
  await staff.getByRole('dialog').getByRole('button', { name: 'Mail a link' }).click()
  await staff.getByText('A link is on its way to ada@example.com.').waitFor()
  const link = await linkMailedTo(bank, 'ada@example.com')
  await page.goto(`${origin}${link.path}`)
  await heading(page, 'Replace your second factor').waitFor()
  assert.equal(page.url(), `${origin}/portal/factor-reset`)
  await page.getByText('For the user name ada.').waitFor()
  await assertAccessibleEverywhere(page, 'replacing the second factor')
  await typePassword(page, 'ada')
  await heading(page, 'Set up a second factor').waitFor()
  await addApplication(visiting, page)
  await keepCodes(page)
  await page.getByRole('heading', { name: 'Hello Ada', level: 1 }).waitFor()
  assert.equal((await bank.sql('select 1 from factors')).rows.length, 1)
  // A link that does nothing any more says so at once, before a password is typed.
  await page.goto(`${origin}${link.path}`)
  await page.getByText('This link was used').waitFor()
  assert.equal(await page.locator('[name=password]').count(), 0)
  await assertAccessibleEverywhere(page, 'a dead link that replaces the second factor')
  assert.deepEqual(unexpected(visiting), [])
})

test('where the bank has no second factors, no page speaks of them', async (t) => {
  const visiting = await visitLocal(t, { settings: { SECOND_FACTOR: 'off' } })
  if (!visiting) return
  const { page, origin, complaints, signIn } = visiting
  await page.goto(`${origin}/portal/`)
  await button(page, 'Sign in').waitFor()
  assert.equal(await button(page, 'Sign in with a passkey').count(), 0)
  await signIn('ada')
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByText('You are signed in on this device only.').waitFor()
  assert.equal(await page.getByText('Second factors').count(), 0)
  assert.deepEqual(complaints, [])
})

test('where only staff have second factors, no page of a customer speaks of them or asks for any', async (t) => {
  const settings = { SECOND_FACTOR: 'customer=off,support-agent=optional,admin=required' }
  const visiting = await visitLocal(t, { settings })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  await sceneIn(bank)
  await signIn('ada')
  await page.goto(`${origin}/portal/beneficiaries`)
  await page.getByText('There is no beneficiary yet.').waitFor()
  await page.getByRole('link', { name: 'Security' }).click()
  await heading(page, 'Security').waitFor()
  assert.equal(await page.getByText('Second factors').count(), 0)
  assert.deepEqual(complaints, [], 'nothing was refused')
})
