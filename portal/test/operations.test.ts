// The screens of daily operations: people, the audit trail, the bank today.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readMails } from '../../test/support/mailbox.ts'
import { newProgram } from '../../test/support/service-accounts.ts'
import { people } from '../../test/support/world.ts'
import { texts as ofAudit } from '../../languages/en/portal/audit.ts'
import { texts as common } from '../../languages/en/portal/common.ts'
import { texts as ofOperations } from '../../languages/en/portal/operations.ts'
import { texts as ofPeople } from '../../languages/en/portal/people.ts'
import { pay, readRows, type Paid } from './clearing-support.ts'
import { assertAccessibleEverywhere, visit } from './support.ts'

const texts = { ...common, ...ofAudit, ...ofOperations, ...ofPeople }
/** Shows the filters that are folded. */
const unfold = (page: Page) => page.locator('main form [aria-expanded]').click()

test('people are created by invitation, found and disabled', async (t) => {
  const visiting = await visit(t, { refusals: [400, 409] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const clara = await another()
  await signIn('root')
  const field = (label: string) => page.getByLabel(label, { exact: true })
  /** What is said beside the field. */
  const said = async (label: string) => {
    const id = await field(label).getAttribute('aria-describedby')
    return page.locator(`[id="${id?.split(' ').at(-1)}"]`).textContent()
  }

  await t.test(
    'a user name and an e-mail address in use are told beside their fields',
    async () => {
      await page.getByRole('link', { name: 'Users' }).click()
      await page.getByRole('link', { name: 'Create a person' }).click()
      const create = page.getByRole('button', { name: 'Create a person' })
      await create.click()
      await page.getByText('Please correct 4 fields').waitFor()
      await page.getByRole('button', { name: 'Family name: Please fill this in.' }).click()
      await page.locator('[name=familyName]:focus').waitFor()
      await assertAccessibleEverywhere(page, 'new person with errors')
      await field('User name').fill('ada')
      await field('Given name').fill('Clara')
      await field('Family name').fill('Haskil')
      await field('E-mail address').fill('clara@example.com')
      await field('Phone (optional)').fill('+44 20 7946')
      await create.click()
      await page.getByText(texts.users.unfitPhone).first().waitFor()
      assert.equal(await said('Phone (optional)'), texts.users.unfitPhone)
      await field('Phone (optional)').fill('+44 20 7946 0000')
      await field('Language').selectOption('en')
      await create.click()
      await page.getByText(texts.users.usernameTaken).first().waitFor()
      assert.equal(await said('User name'), texts.users.usernameTaken)
      await field('User name').fill('clara')
      await field('E-mail address').fill('Ada@example.com')
      await create.click()
      await page.getByText(texts.users.emailTaken).first().waitFor()
      assert.equal(await said('E-mail address'), texts.users.emailTaken)
    },
  )

  await t.test('the link of the mail leads to a password, and that to the bank', async () => {
    await page.reload()
    assert.equal(await field('Given name').inputValue(), 'Clara', 'what was typed is kept')
    await field('E-mail address').fill('clara@example.com')
    await page.getByRole('button', { name: 'Create a person' }).click()
    await page.getByText('gets a mail at clara@example.com').waitFor()
    await assertAccessibleEverywhere(page, 'new person, created')
    const mail = (await readMails(bank)).find(({ to }) => to?.[0]?.address === 'clara@example.com')
    const link = /https:\S+/.exec(mail?.text ?? '')?.[0] ?? assert.fail(mail?.text)
    const { pathname, hash } = new URL(link)
    await clara.goto(origin + pathname + hash)
    await clara.getByLabel('New password').fill('four green birds on a wire')
    await clara.getByRole('button', { name: 'Set password' }).click()
    await clara.getByText('Your password is set.').waitFor()
    await clara.getByLabel('User name or e-mail address').fill('clara')
    await clara.getByLabel('Password', { exact: true }).fill('four green birds on a wire')
    await clara.keyboard.press('Enter')
    await clara.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
    const { body } = await (await bank.as('root')).get('/api/v1/admin/users?username=clara')
    const { phone, address, language, roles } = body.items[0]
    assert.deepEqual([phone, address, language, roles], ['+442079460000', null, 'en', ['customer']])
  })

  await t.test(
    'people are found by role, status and name; the address keeps the filters',
    async () => {
      await page.goto(`${origin}/portal/staff/users`)
      await page.getByText('6 people shown').waitFor()
      await assertAccessibleEverywhere(page, 'people')
      const names = async () => (await readRows(page)).map(([name]) => name)
      await unfold(page)
      await field('Role').selectOption('Support agent')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('2 people shown').waitFor()
      assert.deepEqual(await names(), ['Both Hybrid', 'Agnes Moreau'])
      assert.equal(new URL(page.url()).search, '?role=support-agent')
      await page.reload()
      await page.getByText('2 people shown').waitFor()
      await page.getByRole('button', { name: texts.common.clearFilters }).click()
      await page.getByText('6 people shown').waitFor()
      for (const [typed, expected] of [
        ['hask', ['Clara Haskil']],
        ['BEN', ['Ben Lindqvist']],
        ['root@example.com', ['Root Keeper']],
        ['clar', ['Clara Haskil']],
        ['nobody at all', []],
      ] as const) {
        await page.getByRole('searchbox').fill(typed)
        await page.keyboard.press('Enter')
        const count = `${expected.length} ${expected.length === 1 ? 'person' : 'people'} shown`
        await page.getByText(expected.length === 0 ? texts.users.none : count).waitFor()
        assert.deepEqual(await names(), expected)
      }
      await page.getByRole('searchbox').fill('<b>')
      await page.keyboard.press('Enter')
      await page.getByText('The sign < is not accepted.').waitFor()
    },
  )

  await t.test(
    'a person whose login is disabled is out at once, and in again when it is enabled',
    async () => {
      await page.goto(`${origin}/portal/staff/users?search=clara`)
      await page.getByRole('link', { name: 'Clara Haskil' }).click()
      await page.locator('summary', { hasText: 'Change contact data' }).click()
      await page.getByRole('button', { name: 'Disable the login' }).click()
      const dialog = page.getByRole('dialog', { name: 'Disable the login' })
      await dialog.getByText('signed out everywhere at once').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Disable the login' }).click()
      await dialog.getByRole('button', { name: 'Disable the login' }).click()
      await page.getByText(texts.users.disabled).waitFor()
      await assertAccessibleEverywhere(page, 'a person, disabled')
      await clara.getByRole('link', { name: 'Security' }).click()
      await clara.getByText('Your session was ended from elsewhere.').waitFor()
      const signInAgain = async () => {
        await clara.getByLabel('User name or e-mail address').fill('clara')
        await clara.getByLabel('Password', { exact: true }).fill('four green birds on a wire')
        await clara.keyboard.press('Enter')
      }
      await signInAgain()
      await clara.getByText('User name or password is not right.').waitFor()
      await page.getByRole('button', { name: 'Enable the login' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Enable the login' }).click()
      await page.getByText(texts.users.enabled).waitFor()
      await signInAgain()
      await clara.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
    },
  )

  await t.test('an administrator who is disabled leaves a list of the keys to renew', async () => {
    const program = await newProgram(bank)
    await bank.sql(
      `with person as (
         update users set roles = '{customer,admin}' where username = 'clara' returning id
       )
       update service_keys set issued_by = person.id from person where service_keys.id = $1`,
      [program.keyId],
    )
    await page.reload()
    await page.locator('summary', { hasText: 'Change contact data' }).click()
    const press = async (name: string) => {
      await page.getByRole('button', { name }).click()
      await page.getByRole('dialog').getByRole('button', { name }).click()
    }
    await press('Disable the login')
    await page.getByText(texts.users.knownKeysMeaning).waitFor()
    const listed = `Program: ${program.keyId} of ${program.id}`
    await page.getByRole('listitem').filter({ hasText: listed }).waitFor()
    await assertAccessibleEverywhere(page, 'a former administrator')
    await press('Enable the login')
    await page.getByText(texts.users.enabled).waitFor()
    await bank.sql(`update users set roles = '{customer}' where username = 'clara'`)
    await page.reload()
    await page.locator('summary', { hasText: 'Change contact data' }).click()
  })

  await t.test('contact data and roles are changed; only what was changed is sent', async () => {
    await field('Phone (optional)').fill('')
    await field('Postal address (optional)').fill('12 Quay Street, Dublin')
    await field('Language').selectOption('de')
    await page.getByRole('checkbox', { name: /^Support agent/ }).check()
    // What is saved is read again late.
    const late = Promise.withResolvers<void>()
    await page.route(/\/admin\/users\/[^/?]+$/, async (route) => {
      if (route.request().method() === 'GET') await late.promise
      await route.continue()
    })
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    assert.deepEqual((await sent).postDataJSON(), {
      phone: null,
      address: '12 Quay Street, Dublin',
      language: 'de',
      roles: ['customer', 'support-agent'],
    })
    await page.getByText('Saved.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(texts.users.nothingChanged).waitFor()
    late.resolve()
    await field('E-mail address').fill('ben@example.com')
    await page.getByText(texts.users.newEmail).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(texts.users.emailTaken).first().waitFor()
    assert.equal(await said('E-mail address'), texts.users.emailTaken)

    await page.goto(`${origin}/portal/staff/users/${people.root.id}`)
    await page.locator('summary', { hasText: 'Change contact data' }).click()
    await page.getByRole('checkbox', { name: /^Administrator/ }).uncheck()
    await page.getByRole('checkbox', { name: /^Customer/ }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(texts.users.lastAdmin).waitFor()
  })

  await t.test('an agent sees people and no control to create or change them', async () => {
    const agnes = await another()
    await signIn('agnes', agnes)
    await agnes.getByRole('link', { name: 'Users' }).click()
    await agnes.getByText('6 people shown').waitFor()
    assert.equal(await agnes.getByRole('link', { name: 'Create a person' }).count(), 0)
    await agnes.getByRole('link', { name: 'Clara Haskil' }).click()
    await agnes.getByText('clara@example.com').waitFor()
    assert.equal(await agnes.getByRole('button', { name: /^(Save|Disable)/ }).count(), 0)
    await agnes.goto(`${origin}/portal/staff/users/new`)
    await agnes.getByRole('heading', { name: texts.missing.title, level: 1 }).waitFor()
  })

  assert.deepEqual(complaints, [])
})

test('the audit trail and the totals of the day show what the API answers', async (t) => {
  const visiting = await visit(t, { refusals: [403, 404] })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn, another } = visiting
  const [euros] = [await pay(bank, 'EUR', ['1.50', '2.25']), await pay(bank, 'JPY', [])]
  const [ben, root] = [await bank.as('ben'), await bank.as('root')]
  for (const { id } of euros) await ben.get(`/api/v1/transfers/${id}`)
  await ben.get('/api/v1/admin/overview')
  const wrong = { username: 'ben', password: 'not the password' }
  await bank.send('POST', '/api/v1/auth/login', { body: wrong })
  const { from } = euros[0] as Paid
  await root.post(`/api/v1/admin/accounts/${from}/freeze`, { reason: 'Reported lost' })
  await signIn('root')

  /** The rows that the API gives, as the page words them. */
  const expected = async (query: string) => {
    const { body } = await root.get(`/api/v1/admin/audit-events?limit=50${query}`)
    return (body.items as { action: string; outcome: string }[]).map(({ action, outcome }) => [
      texts.audit.actions[action as keyof typeof texts.audit.actions],
      texts.audit.outcomes[outcome as keyof typeof texts.audit.outcomes],
    ])
  }
  const shown = async () =>
    (await readRows(page)).map(([, , action, , outcome]) => [action, outcome])

  await t.test(
    'filters give the same rows as the API, and the address is a link to them',
    async () => {
      const filter = async (query: string, count: number) => {
        await page.goto(`${origin}/portal/staff/audit?reads=true&${query}`)
        const told = `${count} ${count === 1 ? 'event' : 'events'} shown`
        await page.getByText(count === 0 ? texts.audit.none : told).waitFor()
        assert.deepEqual(await shown(), await expected(`&${query}`), query)
      }
      await filter('outcome=forbidden', 3)
      await filter(`actorId=${people.ben.id}&action=getTransfer`, 2)
      await filter(`target=${from}&action=freezeAccount`, 1)
      await filter('outcome=failure&from=2026-01-02&to=2026-01-02', 1)
      await filter('outcome=failure&from=2026-01-03', 0)
      await filter('outcome=forbidden', 3)

      await unfold(page)
      await page.getByLabel('Person').fill('nobody')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText(texts.audit.unknownPerson).waitFor()
      await page.getByLabel('Person').fill('ben')
      await page.getByLabel('Action').selectOption(texts.audit.actions.getTransfer)
      await page.getByLabel('Target').fill('not an identifier')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText(texts.audit.unfitId).waitFor()
      await assertAccessibleEverywhere(page, 'audit trail with an error')
      await page.getByLabel('Target').fill('')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('2 events shown').waitFor()
      const { searchParams } = new URL(page.url())
      assert.deepEqual(Object.fromEntries(searchParams), {
        actorId: people.ben.id,
        action: 'getTransfer',
        outcome: 'forbidden',
        reads: 'true',
      })
      await assertAccessibleEverywhere(page, 'audit trail')
    },
  )

  await t.test('one event is told whole, by an address of its own', async () => {
    const { body } = await root.get(`/api/v1/admin/audit-events?target=${from}`)
    const event = body.items.find(({ action }: { action: string }) => action === 'freezeAccount')
    await page.goto(`${origin}/portal/staff/audit?target=${from}&action=${event.action}`)
    await page.getByRole('button', { name: 'Details: Freeze an account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Event' })
    for (const text of [
      event.requestId,
      event.id,
      from,
      'Reported lost',
      'Root Keeper',
      'Ada Okafor',
      'Freeze an account',
    ]) {
      await dialog
        .getByText(text as string, { exact: true })
        .first()
        .waitFor()
    }
    await assertAccessibleEverywhere(page, 'one event')
    const address = new URL(page.url())
    assert.equal(address.searchParams.get('event'), event.id)
    await page.goto(`${origin}/portal/staff/audit?outcome=failure&event=${event.id}`)
    await dialog.getByText('Reported lost').waitFor()
    await dialog.getByRole('link', { name: 'Events of this request' }).click()
    await page.getByText('1 event shown').waitFor()
    assert.equal(await dialog.count(), 0)
    assert.deepEqual(await shown(), await expected(`&requestId=${event.requestId}`))
    await page.goto(`${origin}/portal/staff/audit?outcome=failure&event=${from}`)
    await dialog.getByText('This does not exist or no longer exists.').waitFor()
  })

  await t.test('a program is told by its name, and what it read in words', async () => {
    const program = await newProgram(bank, { operations: ['findAccounts'] })
    await program.get(`/api/v1/admin/accounts?ownerId=${people.ada.id}&limit=5`)
    await page.goto(`${origin}/portal/staff/audit?actorId=${program.id}`)
    await page.getByText(texts.audit.none).waitFor()
    await page.getByLabel('Changes only').uncheck()
    const link = page.getByRole('table').getByRole('link', { name: 'Program', exact: true })
    await link.waitFor()
    await page.getByRole('button', { name: 'Details: Search accounts' }).click()
    const dialog = page.getByRole('dialog', { name: 'Event' })
    await dialog.getByText('Holder', { exact: true }).waitFor()
    assert.doesNotMatch(await dialog.innerText(), /ownerId|limit/)
    await dialog.getByRole('link', { name: 'Program', exact: true }).click()
    await page.getByRole('heading', { name: 'Program', level: 1 }).waitFor()
  })

  await t.test(
    'the totals of the day are those of the API; an agent sees no link that is refused',
    async () => {
      const agnes = await another()
      await signIn('agnes', agnes)
      await agnes.getByRole('link', { name: 'Today' }).click()
      await agnes.getByRole('heading', { name: 'The bank today', level: 1 }).waitFor()
      const { body } = await root.get('/api/v1/admin/overview')
      const figure = (name: string) =>
        agnes.locator('.figures > div', { hasText: name }).locator('dd').textContent()
      assert.equal(await figure('Pending payments'), '2')
      assert.equal(await figure('Live sessions'), String(body.liveSessions))
      assert.equal(await figure('Active people'), String(body.users.active))
      assert.equal(await figure('Disabled people'), String(body.users.disabled))
      assert.deepEqual((await readRows(agnes)).slice(0, 2), [
        ['EUR', '1', '€996.25', '2', '€3.75'],
        ['JPY', '1', 'JP¥1,000', '0', 'JP¥0'],
      ])
      const refusals = agnes.getByRole('table', { name: 'In the last 24 hours' })
      assert.deepEqual(
        (await readRows(refusals)).map(([, count]) => Number(count)),
        [body.refusals.failure, body.refusals.limited, body.refusals.forbidden],
      )
      await agnes.getByText('The books have never been verified.').waitFor()
      assert.equal(await agnes.locator('a[href*="/audit"]').count(), 0)
      assert.equal(await agnes.getByRole('link', { name: 'Audit trail' }).count(), 0)
      await agnes.goto(`${origin}/portal/staff/audit`)
      await agnes.getByRole('heading', { name: texts.missing.title, level: 1 }).waitFor()
      await page.goto(`${origin}/portal/staff/today`)
      await page.getByRole('link', { name: 'Failed sign-ins' }).waitFor()
      await assertAccessibleEverywhere(page, 'today')
    },
  )

  assert.deepEqual(complaints, [])
})
