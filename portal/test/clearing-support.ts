// Payments to other banks for tests of the screens of staff.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { deposit, openAccount } from '../../test/support/fixture.ts'
import type { World } from '../../test/support/world.ts'

const elsewhere = 'DE89370400440532013000'

export type Paid = { id: string; amount: string; from: string }

/** Payments of Ada's to another bank. Each has its amount in its reference. */
export async function pay(
  bank: World,
  currency: string,
  amounts: readonly string[],
): Promise<Paid[]> {
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const from = await openAccount(ada, currency)
  bank.clock.advance(1000)
  await deposit(root, from, currency === 'JPY' ? '1000' : '1000.00', currency)
  const payee = { name: 'Fernwerk', iban: elsewhere }
  const beneficiary = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  const paid: Paid[] = []
  for (const amount of amounts) {
    bank.clock.advance(1000)
    const reply = await ada.post('/api/v1/transfers', {
      fromAccountId: from,
      beneficiaryId: beneficiary.body.id as string,
      amount,
      currency,
      reference: `Invoice ${amount}`,
    })
    assert.deepEqual([reply.status, reply.body.status], [201, 'pending'], reply.text)
    paid.push({ id: reply.body.id as string, amount, from })
  }
  return paid
}

/** The texts of the cells of each row of the only table. */
export const readRows = (page: Pick<Page, 'locator'>): Promise<string[][]> =>
  page
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))
