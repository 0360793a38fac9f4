// What staff wait for when they look a payment up over the whole bank, with ten thousand payments
// stored, a million and, with --large, ten million: each kind of search by one program, one request
// at a time. Beside it: the same search in the smallest bank.
import pg from 'pg'
import { openDatabase, type LocalAddress } from '../src/database/connections/connect.ts'
import { createDays } from '../src/domain/days.ts'
import { accountTerm, amountTerm, wordTerms } from '../src/features/payments/terms.ts'
import { createServiceAccount } from '../src/features/service-accounts/change.ts'
import { toRequest } from './connection.ts'
import { chooseSizes } from './growth.ts'
import type { Case, Variant } from './harness.ts'
import { load } from './load.ts'
import { choosePopulation } from './seed.ts'
import { openService } from './service.ts'
import { type StoredBeside, type StoredTransfer, store } from './store.ts'

export const open: Case = async (settings) => {
  const sizes = chooseSizes(settings)
  const banks: Awaited<ReturnType<typeof openSearched>>[] = []
  for (const size of sizes) banks.push(await openSearched(size, settings.isTiny))
  return {
    variants: banks.flatMap(({ send }, at) =>
      searchNames.map((search): Variant => {
        const toName = (size = 0) => `by ${search}, ${size.toLocaleString('en')} stored`
        return {
          name: toName(sizes[at]),
          main: 'p50Ms',
          ...(at > 0 && { against: [toName(sizes[0])] }),
          measure: () => send(search, settings.seconds),
        }
      }),
    ),
    async close() {
      for (const { service } of banks) await service.stop()
    },
  }
}

/** Payments by whose values is searched; each search takes the next one. */
const sampleCount = 500

type Sample = StoredTransfer & { externalId: string; iban: string }

/** The query of each search. "stored" is in each reference, a month in each eleventh. */
const searches = {
  id: ({ id }) => `id=${id}`,
  'external id': ({ externalId }) => `externalId=${externalId}`,
  IBAN: ({ iban }) => `iban=${iban}`,
  'amount and day': ({ createdAt }) =>
    `amount=0.01&currency=EUR&day=${createdAt.toISOString().slice(0, 10)}`,
  'a rare word': ({ reference }) => `reference=${reference.split(' ').at(-1)}`,
  'a common word': () => 'reference=stored',
  'two common words': ({ reference }) => `reference=stored+${reference.split(' ')[1]}`,
  'all words of a reference': ({ reference }) => `reference=${reference.replaceAll(' ', '+')}`,
} as const satisfies Record<string, (sample: Sample) => string>
type Search = keyof typeof searches
const searchNames = Object.keys(searches) as Search[]

async function openSearched(size: number, isTiny: boolean) {
  const service = await openService({ population: choosePopulation(isTiny) })
  const { address, customers, target, watch } = service
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  const token = await createFinder(address, customers[0]?.userId ?? '')
  const { rows } = await owner.query<{ id: string; iban: string }>('select id, iban from accounts')
  const ibans = new Map(rows.map(({ id, iban }) => [id, iban]))
  const samples: Sample[] = []
  const every = Math.max(1, Math.floor(size / sampleCount))
  const [callerId = ''] = customers.map(({ userId }) => userId)
  let count = 0
  const externalIds: StoredBeside = {
    into: 'external_ids (caller_id, external_id, body_hash, transfer_id)',
    toRows: (transfers) =>
      transfers.map((transfer) => {
        const externalId = `BENCH-${++count}`
        const iban = ibans.get(transfer.toAccountId) ?? ''
        if (count % every === 0) samples.push({ ...transfer, externalId, iban })
        return `${callerId}\t${externalId}\t\\\\x${'00'.repeat(32)}\t${transfer.id}\n`
      }),
  }
  // The service writes the terms of payments that no event tells of: not these.
  await owner.query('update payment_terms_place set below = null')
  // The indexes are made at the end: random rows of tens of millions would take an hour. So they
  // are a little denser than in a bank whose service has written them.
  await owner.query('alter table payment_terms drop constraint payment_terms_pkey')
  await owner.query('drop index payment_terms_of')
  await store(address, customers, size, [terms, externalIds])
  await owner.query('set maintenance_work_mem = "1GB"')
  await owner.query('alter table payment_terms add primary key (term, id)')
  await owner.query('create index payment_terms_of on payment_terms (id)')
  await owner.query('vacuum analyze')
  await owner.query('checkpoint')
  await owner.end()
  const send = (search: Search, seconds: number) => {
    const toPath = (sample: Sample) => `/api/v1/admin/payments?${searches[search](sample)}`
    const templates = samples.map((sample) => toRequest({ path: toPath(sample), token }))
    return watch(() => load(target, templates, 1, seconds))
  }
  for (const search of searchNames) await send(search, isTiny ? 0.1 : 1)
  return { service, send }
}

const days = createDays([])
const terms: StoredBeside = {
  into: 'payment_terms (term, id)',
  toRows: (transfers) =>
    transfers.flatMap(({ id, toAccountId, reference, createdAt }) =>
      [
        amountTerm(1n, 'EUR', days.dayOf(createdAt.getTime())),
        accountTerm(toAccountId),
        ...wordTerms(reference),
      ].map((term) => `${term}\t${id}\n`),
    ),
}

/** A service account that may look payments up. */
async function createFinder(address: LocalAddress, userId: string): Promise<string> {
  const db = openDatabase(address)
  const operations = ['findPayments']
  const issuer = { userId, now: Date.now(), operations: new Set(operations) }
  const grants = { readAccounts: 'all' as const, payFrom: [], operations }
  const { key } = await db.runTransaction((tx) =>
    createServiceAccount(tx, { name: 'Finder', grants }, issuer),
  )
  await db.close()
  return key
}
