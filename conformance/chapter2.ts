// Chapter 2: resources and their fields.
import { type Check, expect, expectStatus, fill } from './bank.ts'

export const chapter2 = {
  '2-identifiers': async ({ ada, payment, settings: { routes, fields } }) => {
    const transfer = await ada.ask('POST', routes.transfers, payment(ada, '1.00'))
    const ids = [ada.account, ada.beneficiary, ada.card, transfer.body?.[fields.id]]
    for (const id of ids)
      expect(typeof id === 'string' && id !== '', `an identifier is ${typeof id}`)
  },

  '2-roles': async ({ newPerson }) => {
    const { reply } = await newPerson(['customer', 'support-agent'])
    const roles: unknown = reply.body?.roles
    expect(Array.isArray(roles), 'the created user shows no roles')
    const held = [...(roles as string[])].sort().join(', ')
    expect(held === 'customer, support-agent', `the created user holds ${held}`)
  },

  '2-settings-phone': async ({ root, ada, settings: { routes, fields } }) => {
    const reply = await root.ask('GET', fill(routes.settings, ada.account))
    expect(fields.phone in (reply.body ?? {}), `the settings have no ${fields.phone}`)
  },

  '2-transfer': async ({ ada, payment, settings: { routes, fields } }) => {
    const balances = async () =>
      Promise.all(
        [ada.account, ada.second].map(async (id) => {
          const { body } = await ada.ask('GET', fill(routes.account, id))
          return Math.round(Number(body?.[fields.balance]) * 100)
        }),
      )
    const before = await balances()
    expectStatus(await ada.ask('POST', routes.transfers, payment(ada, '2.50')), [200, 201], 'pay')
    const [from, to] = (await balances()).map((balance, index) => balance - (before[index] ?? 0))
    expect(from === -250 && to === 250, `2.50 moved ${from} and ${to} minor units`)
  },
} satisfies Record<string, Check>
