// A program with the client: pays many times, and says so on standard output, one line a payment.
import { createClient, money } from '@strongroom/client'
import process from 'node:process'

type Task = {
  baseUrl: string
  username: string
  password: string
  fromAccountId: string
  toAccountId: string
  count: number
  atOnce: number
}

const [, , text = ''] = process.argv
const { baseUrl, username, password, count, atOnce, ...accounts } = JSON.parse(text) as Task
let requests = 0
let replayed = 0
const bank = createClient({
  baseUrl,
  deadlineSeconds: 300,
  async fetch(url, init) {
    requests++
    const response = await fetch(url, init)
    if (response.headers.get('idempotency-replayed') === 'true') replayed++
    return response
  },
})
await bank.auth.login({ username, password, device: 'A program' })
const before = requests
let next = 0

async function pay(): Promise<void> {
  while (next < count) {
    const reference = `Payment ${++next}`
    const body = { ...accounts, amount: '1.00', currency: 'EUR', reference } as const
    const { id } = await bank.transfers.create(body)
    process.stdout.write(`${JSON.stringify({ paid: id })}\n`)
  }
}

await Promise.all(Array.from({ length: atOnce }, pay))
const attempts = requests - before
const amounts: string[] = []
for await (const { amount } of bank.accounts.transactions(accounts.toAccountId, { limit: 100 })) {
  amounts.push(amount)
}
const sum = money.add(amounts, 'EUR')
await bank.auth.logout()
process.stdout.write(`${JSON.stringify({ sum, entries: amounts.length, attempts, replayed })}\n`)
