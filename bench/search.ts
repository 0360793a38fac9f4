// What staff wait for when they look a payment or a person up over the whole bank, with ten
// thousand payments and people stored, a million and, with --large, ten million payments: each kind
// of search by one program, one request at a time. Beside it: the same search in the smallest bank.
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

type Person = Record<'givenName' | 'familyName' | 'phone' | 'lastFour', string>
type Sample = StoredTransfer & { externalId: string; iban: string; person: Person }

const payments = (query: string): string => `/api/v1/admin/payments?${query}`
const spoken = (said: string): string => `/api/v1/admin/users?q=${encodeURIComponent(said)}`
/** A name whose third letter is another one. */
const misspelt = (name: string): string => `${name.slice(0, 2)}x${name.slice(3)}`

/** The path of each search. "stored" is in each reference, a month in each eleventh. */
const searches = {
  id: ({ id }) => payments(`id=${id}`),
  'external id': ({ externalId }) => payments(`externalId=${externalId}`),
  IBAN: ({ iban }) => payments(`iban=${iban}`),
  'amount and day': ({ createdAt }) =>
    payments(`amount=0.01&currency=EUR&day=${createdAt.toISOString().slice(0, 10)}`),
  'a rare word': ({ reference }) => payments(`reference=${reference.split(' ').at(-1)}`),
  'a common word': () => payments('reference=stored'),
  'two common words': ({ reference }) => payments(`reference=stored+${reference.split(' ')[1]}`),
  'all words of a reference': ({ reference }) =>
    payments(`reference=${reference.replaceAll(' ', '+')}`),
  'a family name': ({ person }) => spoken(person.familyName),
  'a given name': ({ person }) => spoken(person.givenName),
  'a name, family name first': ({ person }) => spoken(`${person.familyName} ${person.givenName}`),
  'a misspelt name': ({ person }) => spoken(`${misspelt(person.familyName)} ${person.givenName}`),
  'a telephone number': ({ person }) => spoken(person.phone.replace('+49', '0')),
  'the end of a card': ({ person }) => spoken(person.lastFour),
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
  const persons = await storePeople(owner, size)
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
        const person = persons[count % persons.length]
        if (person && count % every === 0) samples.push({ ...transfer, externalId, iban, person })
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
    const templates = samples.map((sample) => toRequest({ path: searches[search](sample), token }))
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
  const operations = ['findPayments', 'listUsers']
  const issuer = { userId, now: Date.now(), operations: new Set(operations) }
  const grants = { readAccounts: 'all' as const, payFrom: [], operations }
  const { key } = await db.runTransaction((tx) =>
    createServiceAccount(tx, { name: 'Finder', grants }, issuer),
  )
  await db.close()
  return key
}

/** The most people of a bank. */
const peopleMax = 1_000_000

/**
 * People with an account and a card: 400 given names and up to 60,000 family names, of which few
 * are common. Gives some of them.
 */
async function storePeople(owner: pg.Client, size: number): Promise<Person[]> {
  // The words of their names are written at once.
  await owner.query('alter table users disable trigger user')
  await owner.query(
    `with parts as (
       select string_to_array('an ar bel cor den el fan gar hof in jan kel lan mar nor ost per '
         'quen ros sel tor ul ver wal xan yor zel berg man son ski ton ley ford ham wick shaw well '
         'stone field', ' ') as part
     ), named as (
       select n,
         part[1 + n * 7 % 20] || part[21 + n * 13 % 20] as given,
         part[1 + floor(40 * (n * 7919 % 997 / 997.0) ^ 2)::int]
           || part[1 + n * 31 % 40] || part[1 + floor(40 * (n * 6007 % 991 / 991.0) ^ 3)::int]
           as family
       from generate_series(1, $1::bigint) as n, parts
     )
     insert into users (id, username, email, given_name, family_name, folded_name, phone, roles,
       created_at)
     select gen_random_uuid(), 'stored' || n, 'stored' || n || '@example.com', given, family,
       given || ' ' || family, '+4930' || lpad((n * 7919 % 10000000)::text, 7, '0'), '{customer}',
       now()
     from named`,
    [Math.min(size, peopleMax)],
  )
  await owner.query('alter table users enable trigger user')
  const ofStored = `from users where username like 'stored%'`
  await owner.query(`insert into user_words select id, spoken_words(folded_name) ${ofStored}`)
  await owner.query(
    `insert into accounts (id, owner_id, iban, currency, created_at)
     select gen_random_uuid(), id, 'XX00' || username, 'EUR', now() ${ofStored}`,
  )
  await owner.query(
    `insert into cards (id, account_id, last_four, number_hmac, expiry_month, expiry_year,
       created_at)
     select gen_random_uuid(), id, lpad((abs(hashtext(iban)) % 10000)::text, 4, '0'),
       sha256(iban::bytea), 1, 2030, now()
     from accounts where iban like 'XX00stored%'`,
  )
  const { rows } = await owner.query<Person>(
    `select u.given_name as "givenName", u.family_name as "familyName", u.phone,
       c.last_four as "lastFour"
     from users u join accounts a on a.owner_id = u.id join cards c on c.account_id = a.id
     where u.username like 'stored%' limit $1`,
    [sampleCount],
  )
  return rows
}
