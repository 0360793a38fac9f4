// Chapter 4: who may do what, and the routes.
import { randomUUID } from 'node:crypto'
import {
  type Bank,
  type Check,
  expect,
  expectStatus,
  fill,
  findItems,
  type Reply,
  refused,
} from './bank.ts'

/** Reads of everything that belongs to a customer. */
async function toReads({ ben, payment, settings: { routes, fields } }: Bank): Promise<string[]> {
  const transfer = await ben.ask('POST', routes.transfers, payment(ben, '1.00'))
  return [
    fill(routes.account, ben.account),
    fill(routes.details, ben.account),
    fill(routes.transactions, ben.account),
    fill(routes.nested, ben.account, ben.beneficiary),
    fill(routes.beneficiary, ben.beneficiary),
    fill(routes.card, ben.card),
    fill(routes.transfer, transfer.body?.[fields.id] ?? randomUUID()),
  ]
}

/** Changes of another customer's things, which must not take place. */
const toChanges = ({
  ben,
  ada,
  payment,
  settings: { routes },
}: Bank): [string, string, object?][] => [
  ['PUT', fill(routes.card, ben.card), { status: 'frozen' }],
  ['POST', `${fill(routes.card, ben.card)}/freeze`],
  ['POST', `${fill(routes.beneficiary, ben.beneficiary)}/deactivate`],
  ['DELETE', fill(routes.beneficiary, ben.beneficiary)],
  ['DELETE', fill(routes.account, ben.second)],
  ['POST', routes.transfers, payment({ ...ben, second: ada.account }, '1.00')],
]

async function strangersReads(bank: Bank): Promise<(Reply & { path: string })[]> {
  const replies = []
  for (const path of await toReads(bank))
    replies.push({ path, ...(await bank.ada.ask('GET', path)) })
  return replies
}

export const chapter4 = {
  '4.1-authenticated': async (bank) => {
    const { root, ben, client, settings } = bank
    for (const path of [...(await toReads(bank)), settings.routes.users]) {
      expectStatus(await client.ask('GET', path), refused, `GET ${path} without a token`)
    }
    for (const [method, path, body] of toChanges(bank)) {
      expectStatus(await client.ask(method, path, { body }), refused, `${method} without a token`)
    }
    expectStatus(await root.ask('GET', fill(settings.routes.details, ben.account)), [200], 'staff')
  },

  '4.2-role': async ({ agent, ben, settings: { routes, fields } }) => {
    const freeze = fill(routes.freeze, ben.account)
    const body = { reason: fields.reason }
    expectStatus(await agent.ask('POST', freeze, body), refused, 'a support agent who freezes')
  },

  '4.3-owner': async (bank) => {
    for (const { path, ...reply } of await strangersReads(bank)) {
      // The nested route has a clause of its own.
      if (/beneficiaries\/.*/.test(path) && path.includes('accounts')) continue
      expectStatus(reply, [403], `another customer's GET ${path}`)
    }
    for (const [method, path, body] of toChanges(bank)) {
      expectStatus(await bank.ada.ask(method, path, body), [403], `another's ${method} ${path}`)
    }
  },

  '4.4-nested': async ({ ada, ben, settings: { routes } }) => {
    const pairs = [
      [ada.account, ben.beneficiary, 'a foreign beneficiary under the own account'],
      [ben.account, ada.beneficiary, 'the own beneficiary under a foreign account'],
      [ben.account, ben.beneficiary, 'both foreign'],
      [ada.second, ada.beneficiary, 'the own beneficiary of another own account'],
    ] as const
    for (const [account, beneficiary, what] of pairs) {
      const reply = await ada.ask('GET', fill(routes.nested, account, beneficiary))
      expectStatus(reply, what.includes('another own') ? [403, 404] : [403], what)
    }
    const right = await ada.ask('GET', fill(routes.nested, ada.account, ada.beneficiary))
    expectStatus(right, [200], 'the own beneficiary under its account')
  },

  '4.5-no-data': async (bank) => {
    const secrets = [bank.ben.email, bank.ben.username, bank.settings.fields.beneficiary.iban]
    for (const { path, status, text } of await strangersReads(bank)) {
      if (status < 400) continue
      expect(!secrets.some((secret) => text.includes(secret)), `the ${status} of ${path} tells`)
    }
  },

  '4-details': async ({ ada, agent, root, settings: { routes } }) => {
    for (const [who, person] of Object.entries({ owner: ada, agent, admin: root })) {
      expectStatus(await person.ask('GET', fill(routes.details, ada.account)), [200], who)
    }
  },

  '4-settings-agent': async ({ ada, agent, settings: { routes, fields } }) => {
    const path = fill(routes.settings, ada.account)
    expectStatus(await agent.ask('GET', path), [200], 'a support agent who reads settings')
    for (const [who, person] of Object.entries({ agent, customer: ada })) {
      const reply = await person.ask('PATCH', path, { [fields.phone]: '+442079460000' })
      expectStatus(reply, [403], `PATCH by the ${who}`)
    }
  },

  '4-settings-admin': async ({ ada, root, settings: { routes, fields } }) => {
    const phone = '+442079460018'
    const path = fill(routes.settings, ada.account)
    expectStatus(await root.ask('PATCH', path, { [fields.phone]: phone }), [200], 'PATCH')
    const { body } = await root.ask('GET', path)
    expect(body?.[fields.phone] === phone, 'the changed phone is not in the settings')
  },

  '4-login': async ({ ada, client, settings: { routes, fields } }) => {
    expect((await ada.login()).token !== '', `the login gives no ${fields.token}`)
    const body = { username: ada.username, password: 'not the password' }
    const { status, body: answer } = await client.ask('POST', routes.login, { body })
    // A refusal by a wrong status is `4c3-status`.
    expect(answer?.[fields.token] === undefined, `a wrong password gives a token (${status})`)
  },

  '4-reset': async ({ ada, client, settings: { routes } }) => {
    const known = await client.ask('POST', routes.reset, { body: { email: ada.email } })
    const email = `${randomUUID()}@conformance.example`
    const unknown = await client.ask('POST', routes.reset, { body: { email } })
    expectStatus(known, [200, 202, 204], 'a known address')
    const isAlike = known.status === unknown.status && known.text === unknown.text
    expect(isAlike, 'the answers to a known and an unknown address differ')
  },

  '4-admin-users': async ({ ada, settings: { routes, fields } }) => {
    const username = `x-${randomUUID().slice(0, 8)}`
    const more = { username, email: `${username}@conformance.example`, password: randomUUID() }
    const body = { ...fields.user, ...more, roles: ['admin'] }
    expectStatus(await ada.ask('POST', routes.users, body), [403], 'a customer who creates a user')
  },

  '4-portal': async ({ ada, settings: { routes } }) => {
    expectStatus(await ada.ask('GET', routes.users), [403], 'a customer on the portal')
  },

  '4-accounts': async ({ ada, settings: { routes, fields } }) => {
    const created = await ada.ask('POST', routes.accounts, fields.account)
    expectStatus(created, [200, 201], 'POST')
    const path = fill(routes.account, created.body?.[fields.id])
    expectStatus(await ada.ask('GET', path), [200], 'GET')
    expectStatus(await ada.ask('DELETE', path), [200, 204], 'DELETE')
    expectStatus(await ada.ask('GET', path), [403, 404, 410], 'GET after DELETE')
  },

  '4-transactions': async ({ ada, settings: { routes } }) => {
    const reply = await ada.ask('GET', fill(routes.transactions, ada.account))
    expect(findItems(reply).length > 0, 'no transactions are listed')
  },

  '4-transfers': async ({ ada, payment, settings: { routes, fields } }) => {
    const { body } = await ada.ask('POST', routes.transfers, payment(ada, '1.00'))
    const reply = await ada.ask('GET', fill(routes.transfer, body?.[fields.id]))
    expect(reply.status === 200 && reply.body?.[fields.id] === body?.[fields.id], 'not retrieved')
  },

  '4-beneficiaries': async ({ ada, settings: { routes, fields } }) => {
    const { status, body } = await ada.ask('GET', fill(routes.beneficiary, ada.beneficiary))
    expect(status === 200 && body?.[fields.id] === ada.beneficiary, 'not retrieved')
  },

  '4-cards': async ({ finn, settings: { routes } }) => {
    const path = fill(routes.card, finn.card)
    expectStatus(await finn.ask('PUT', path, { status: 'frozen' }), [200], 'PUT')
  },

  '4c2-stateless': async ({ ada, ben, settings: { routes } }) => {
    const path = fill(routes.account, ada.account)
    const first = await ada.ask('GET', path)
    await ben.ask('GET', fill(routes.account, ben.account))
    await ada.ask('GET', fill(routes.card, ada.card))
    const again = await ada.ask('GET', path)
    expect(first.text === again.text, 'the same request has two answers')
  },

  '4c3-status': async ({ ada, client, payment, settings: { routes } }) => {
    const body = { username: ada.username, password: 'not the password' }
    const login = await client.ask('POST', routes.login, { body })
    expect(login.status >= 400, `a failed login is answered ${login.status}`)
    const poor = await ada.ask('POST', routes.transfers, payment(ada, '999999.00'))
    expect(poor.status >= 400, `a transfer without funds is answered ${poor.status}`)
  },
} satisfies Record<string, Check>
