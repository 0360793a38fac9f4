// Shows that an installed bank works: a customer of the demo pays and takes a statement.
import assert from 'node:assert/strict'
import type { Client } from './client.ts'

const dayMs = 86_400_000

/** @param logins what `strongroom demo` printed */
export async function payInDemo(send: Client['send'], logins: string): Promise<void> {
  const [, username, password] = /^ {2}customer +(\S+) +(\S+)$/m.exec(logins) ?? []
  const login = await send('POST', '/api/v1/auth/login', { body: { username, password } })
  assert.equal(login.status, 200, login.text)
  const { token } = login.body
  const accounts = (await send('GET', '/api/v1/accounts', { token })).body.items
  const from = accounts.find(
    (each: Record<'status' | 'balance', string>) =>
      each.status === 'active' && Number(each.balance) > 1,
  )
  const opened = { token, body: { currency: from.currency } }
  const to = (await send('POST', '/api/v1/accounts', opened)).body
  const payment = await send('POST', '/api/v1/transfers', {
    token,
    headers: { 'idempotency-key': 'installed-1' },
    body: {
      fromAccountId: from.id,
      toAccountId: to.id,
      amount: from.balance.replace(/^\d+/, '1'),
      currency: from.currency,
      // The statement needs the fonts of these letters, in both weights.
      reference: 'Rent 家賃 임대료 ค่าเช่า',
    },
  })
  assert.equal(payment.status, 201, payment.text)
  const [first, last] = [-dayMs, 0].map((ms) =>
    new Date(Date.now() + ms).toISOString().slice(0, 10),
  )
  const days = `from=${first}&to=${last}`
  const statement = await send('GET', `/api/v1/accounts/${from.id}/statement?format=pdf&${days}`, {
    token,
  })
  assert.match(statement.text, /^%PDF/, statement.text.slice(0, 500))
}
