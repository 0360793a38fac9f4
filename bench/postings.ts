// An interest run: an engine books a line on every account, a thousand in a request. The ledger is
// verified at the end.
import { type LocalAddress, openDatabase } from '../src/database/connections/connect.ts'
import { createServiceAccount } from '../src/features/service-accounts/change.ts'
import { itemsMax } from '../src/features/movements/many.ts'
import { connect, type Target, toRequest } from './connection.ts'
import { runBeside } from './day.ts'
import type { Case, Figures } from './harness.ts'
import type { Customer } from './seed.ts'
import { openService } from './service.ts'

const operation = 'createPostingBatch'

/** One customer issues the key: a program books nothing on accounts of the people behind it. */
export const open: Case = async ({ isTiny, profile }) => {
  const population = { customers: isTiny ? 6 : 25_001, accountsEach: 4, sessionsEach: 0 }
  const service = await openService({ population, profile })
  const [issuer, ...holders] = service.customers
  const token = await addEngine(service.address, issuer as Customer)
  const accounts = holders.flatMap((holder) => holder.accounts)
  let runs = 0
  const measure = () =>
    service.watch(() => postInterest(service.target, { token, accounts, run: ++runs }))
  const lines = accounts.length.toLocaleString('en')
  return {
    variants: [{ name: `${lines} lines of interest, one engine`, main: 'perSecond', measure }],
    async close() {
      await runBeside(service.folder, ['verify'])
      await service.stop()
    },
  }
}

async function addEngine(address: LocalAddress, { userId }: Customer): Promise<string> {
  const db = openDatabase(address)
  const grants = { readAccounts: null, payFrom: [], operations: [operation] }
  const issuer = { userId, now: Date.now(), operations: new Set([operation]) }
  const { key } = await db.runTransaction((tx) =>
    createServiceAccount(tx, { name: 'Engine', grants }, issuer),
  )
  await db.close()
  return key
}

type Run = { token: string; accounts: readonly string[]; run: number }

/** One request after the other. */
async function postInterest(target: Target, { token, accounts, run }: Run): Promise<Figures> {
  const { ask, close } = await connect(target)
  const startedAt = performance.now()
  for (let first = 0; first < accounts.length; first += itemsMax) {
    const items = accounts.slice(first, first + itemsMax).map((toAccountId, at) => ({
      fromCode: 'interest',
      toAccountId,
      amount: '0.42',
      currency: 'EUR',
      kind: 'interest',
      reason: 'Interest January',
      externalId: `interest-${run}-${first + at}`,
    }))
    const path = '/api/v1/admin/postings/batch'
    const answer = await ask(toRequest({ method: 'POST', path, token, body: { items } }))
    const booked = answer.split('"transfer":{').length - 1
    if (booked !== items.length) throw new Error(`${booked} were booked: ${answer.slice(0, 500)}`)
  }
  close()
  const seconds = (performance.now() - startedAt) / 1000
  return { perSecond: accounts.length / seconds, seconds }
}
