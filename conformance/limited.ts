// The rate limit of reads, met on purpose.
import { type Bank, fill, type Reply } from './bank.ts'

const known = new WeakMap<Bank, Promise<Reply | undefined>>()

/** All at once; gives the replies. */
export async function burst(count: number, send: () => Promise<Reply>) {
  return Promise.all(Array.from({ length: count }, send))
}

/** Reads of one customer until one is limited. */
export async function exceed(bank: Bank): Promise<Reply | undefined> {
  const { client, eve, settings } = bank
  const token = await eve.token()
  const path = fill(settings.routes.account, eve.account)
  const replies = await burst(settings.burstTries, () => client.send('GET', path, { token }))
  return replies.find(({ status }) => status === 429)
}

/** The first 429 that was met; looked for once. */
export function limited(bank: Bank): Promise<Reply | undefined> {
  const found = known.get(bank) ?? exceed(bank)
  known.set(bank, found)
  return found
}
