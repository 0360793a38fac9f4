// An account with a payment of each kind from and to other banks, and its statement.
import assert from 'node:assert/strict'
import type { Scene } from './fixture.ts'

const elsewhere = 'GB33BUKB20201555555555'

/** One came in, one was sent, one returned as AC04, one cancelled. Gives the last three. */
export async function payElsewhereAndBack({ ada, root, from, clock }: Scene) {
  const { iban } = (await ada.get(`/api/v1/accounts/${from}`)).body
  const arrived = await root.post('/api/v1/admin/incoming-payments', {
    iban,
    amount: '25.00',
    currency: 'EUR',
    externalId: 'A',
    debtor: { name: 'Müller & Söhne', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
    reference: 'Invoice 4711',
    endToEndId: 'INV-4711',
  })
  assert.equal(arrived.status, 201, arrived.text)
  const payee = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, {
    name: 'Grace Hopper',
    iban: elsewhere,
  })
  const pay = async (amount: string): Promise<string> => {
    const terms = { fromAccountId: from, beneficiaryId: payee.body.id, amount, currency: 'EUR' }
    return (await ada.post('/api/v1/transfers', terms)).body.id
  }
  const [kept, returned, cancelled] = [await pay('1.00'), await pay('2.00'), await pay('3.00')]
  const back = `/api/v1/admin/transfers/${returned}/return`
  assert.equal((await root.post(back, { reasonCode: 'AC04' })).status, 200)
  assert.equal((await ada.post(`/api/v1/transfers/${cancelled}/cancel`)).status, 200)
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  const path = `/api/v1/accounts/${from}/statement?from=${day}&to=${day}&format=`
  return {
    kept,
    returned,
    cancelled,
    async read(format: 'camt053' | 'csv') {
      const file = await ada.get(`${path}${format}`)
      assert.equal(file.status, 200, file.text)
      return file
    },
  }
}
