// The customers of a service under test, written into its database. Their accounts may be
// overdrawn, so that no transfer is refused for lack of funds. Each customer has several sessions.
import pg from 'pg'
import { type LocalAddress, openDatabase } from '../src/database/connect.ts'
import type { Db } from '../src/database/statement.ts'
import { systemClock } from '../src/domain/clock.ts'
import { fictitiousBank, newIban } from '../src/domain/iban.ts'
import { newId } from '../src/domain/ids.ts'
import { createSigningKeys } from '../src/gate/signing-keys.ts'
import { createTokens } from '../src/gate/token.ts'
import { createServiceAccount } from '../src/features/service-accounts/change.ts'

export type Population = { customers: number; accountsEach: number; sessionsEach: number }

/** A thousand accounts and a thousand sessions. */
const standard: Population = { customers: 250, accountsEach: 4, sessionsEach: 4 }
export const choosePopulation = (isTiny: boolean): Population =>
  isTiny ? { customers: 4, accountsEach: 3, sessionsEach: 2 } : standard

export type Customer = {
  userId: string
  accounts: readonly string[]
  sessions: readonly { id: string; token: string }[]
  /** The key of a service account that may do what the customer may. */
  key: string
}

/** The customers as their service accounts: in place of each session, the one key. */
export const asPrograms = (customers: readonly Customer[]): Customer[] =>
  customers.map((customer) => ({
    ...customer,
    sessions: customer.sessions.map(({ id }) => ({ id, token: customer.key })),
  }))

/** As the TOKEN_TTL of the service. */
const tokenTtlMs = 12 * 3600_000

export async function seed(
  address: LocalAddress,
  { customers: count, accountsEach, sessionsEach }: Population,
  issuer: string,
): Promise<Customer[]> {
  const db = openDatabase(address)
  const clock = systemClock()
  const keys = createSigningKeys(db, clock, tokenTtlMs)
  const { sign } = createTokens(keys, clock, { issuer, ttl: tokenTtlMs })
  const newIds = (length: number) => Array.from({ length }, () => newId(Date.now()))
  const people = await Promise.all(
    newIds(count).map(async (userId) => ({
      userId,
      accounts: newIds(accountsEach),
      sessions: await Promise.all(
        newIds(sessionsEach).map(async (id) => ({ id, token: await sign(userId, id) })),
      ),
    })),
  )
  await insert(address, people)
  const customers = await db.runTransaction((tx) =>
    Promise.all(
      people.map(async (person) => ({ ...person, key: await addServiceAccount(tx, person) })),
    ),
  )
  await db.close()
  return customers
}

type Person = Omit<Customer, 'key'>

async function addServiceAccount(tx: Db, { userId, accounts }: Person): Promise<string> {
  const grants = { readAccounts: userId, payFrom: [...accounts], operations: [] }
  const issuer = { userId, now: Date.now(), operations: new Set<string>() }
  return (await createServiceAccount(tx, { name: 'Program', grants }, issuer)).key
}

async function insert(address: LocalAddress, customers: readonly Person[]): Promise<void> {
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  const accounts = customers.flatMap(({ userId, accounts }) => accounts.map((id) => [id, userId]))
  const sessions = customers.flatMap(({ userId, sessions }) =>
    sessions.map(({ id }) => [id, userId]),
  )
  const column = (rows: (string | undefined)[][], index: number) => rows.map((row) => row[index])
  await owner.query(
    `insert into users (id, username, email, given_name, family_name, folded_name, roles,
       phone, address, created_at)
     select id, 'customer-' || number, 'customer-' || number || '@example.com', 'Cus', 'Tomer',
       'cus tomer', '{customer}', '+4930123456', '1 Long Street, 10115 Berlin', now()
     from unnest($1::uuid[]) with ordinality as u (id, number)`,
    [customers.map(({ userId }) => userId)],
  )
  await owner.query(
    `insert into accounts (id, owner_id, iban, currency, name, overdraft_limit, created_at)
     select id, owner_id, iban, 'EUR', 'Everyday', 1000000000000, now()
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as a (id, owner_id, iban)`,
    [column(accounts, 0), column(accounts, 1), accounts.map(() => newIban(fictitiousBank))],
  )
  await owner.query(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
     select id, user_id, now(), now(), now() + interval '12 hours'
     from unnest($1::uuid[], $2::uuid[]) as s (id, user_id)`,
    [column(sessions, 0), column(sessions, 1)],
  )
  await owner.query('vacuum analyze')
  await owner.end()
}
