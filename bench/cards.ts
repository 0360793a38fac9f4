// Authorisations of cards by a processor, beside transfers of programs: each is exactly once, by an
// external identifier or an Idempotency-Key. The ledger is verified at the end.
import pg from 'pg'
import { type LocalAddress, openDatabase } from '../src/database/connections/connect.ts'
import { newId } from '../src/domain/ids.ts'
import { createServiceAccount } from '../src/features/service-accounts/change.ts'
import { toRequest } from './connection.ts'
import type { Case, Variant } from './harness.ts'
import { load, numberMark, type Templates, warmUpSeconds } from './load.ts'
import { asPrograms, choosePopulation, type Customer } from './seed.ts'
import { openService } from './service.ts'
import { uniform, verify } from './transfers.ts'

const operation = 'authorizeCardPayment'
const counts = (isTiny: boolean) => (isTiny ? [4] : [1, 64])

/** Each account has a card without a limit, and one with a limit of the day. */
export const open: Case = async ({ seconds, profile, isTiny }) => {
  const service = await openService({ population: choosePopulation(isTiny), profile })
  const { address, customers, target } = service
  // Nothing is authorised on accounts of the person behind the processor.
  const [issuer, ...holders] = customers
  const token = await addProcessor(address, issuer as Customer)
  const [plain, limited] = [
    await addCards(address, holders, null),
    await addCards(address, holders, 1e12),
  ]
  const transfers = uniform(await asPrograms(address, customers), { isKeyed: true })
  const kinds: Record<string, Templates> = {
    'transfers with keys': transfers,
    authorisations: toRequests(plain, token),
    'authorisations, limit of the day': toRequests(limited, token),
  }
  for (const templates of Object.values(kinds)) {
    await load(target, templates, 64, isTiny ? 0.1 : warmUpSeconds)
  }
  const variant = (name: string, count: number): Variant => ({
    name: `${name}, ${count} connections`,
    main: 'perSecond',
    ...(name.startsWith('auth') && {
      against: [`transfers with keys, ${count} connections`],
      goal: { atLeast: 1 },
    }),
    measure: () => service.watch(() => load(target, kinds[name] ?? [], count, seconds)),
  })
  return {
    variants: counts(isTiny).flatMap((count) =>
      Object.keys(kinds).map((name) => variant(name, count)),
    ),
    async close() {
      await verify(service)
      await service.stop()
    },
  }
}

async function addProcessor(address: LocalAddress, { userId }: Customer): Promise<string> {
  const db = openDatabase(address)
  const grants = { readAccounts: null, payFrom: [], operations: [operation] }
  const issuer = { userId, now: Date.now(), operations: new Set([operation]) }
  const { key } = await db.runTransaction((tx) =>
    createServiceAccount(tx, { name: 'Processor', grants }, issuer),
  )
  await db.close()
  return key
}

/** @param perDay the limit of the day, in minor units */
async function addCards(
  address: LocalAddress,
  customers: readonly Customer[],
  perDay: number | null,
): Promise<string[]> {
  const accounts = customers.flatMap((customer) => customer.accounts)
  const ids = accounts.map(() => newId(Date.now()))
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  await owner.query(
    `insert into cards (id, account_id, last_four, number_hmac, expiry_month, expiry_year,
       created_at, per_day_limit)
     select id, account_id, '1234', sha256(id::text::bytea), 12, 2099, now(), $3
     from unnest($1::uuid[], $2::uuid[]) as c (id, account_id)`,
    [ids, accounts, perDay],
  )
  await owner.query('vacuum analyze cards')
  await owner.end()
  return ids
}

const toRequests = (cards: readonly string[], token: string): Templates =>
  cards.map((card) =>
    toRequest({
      method: 'POST',
      path: `/api/v1/cards/${card}/authorizations`,
      token,
      body: {
        amount: '0.01',
        currency: 'EUR',
        merchant: { name: 'Lindner Lebensmittel', category: '5411', country: 'DE' },
        channel: 'contactless',
        externalId: `bench-${numberMark}`,
      },
    }),
  )
