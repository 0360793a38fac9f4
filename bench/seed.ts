// The people of a bank under test, written straight into its database: customers with accounts that
// may be overdrawn, so that no transfer is refused for want of money, each logged in several times.
import pg from 'pg'
import { createPasswords } from '../src/features/auth/passwords.ts'
import { type LocalAddress, openDatabase } from '../src/database/connect.ts'
import { systemClock } from '../src/domain/clock.ts'
import { Refusal } from '../src/domain/errors.ts'
import { newIban } from '../src/domain/iban.ts'
import { newId } from '../src/domain/ids.ts'
import { openLedger } from '../src/ledger/batch.ts'
import type { Order } from '../src/ledger/order.ts'

export type Population = { customers: number; accountsEach: number; sessionsEach: number }

/** A thousand accounts and a thousand sessions. */
export const standard: Population = { customers: 250, accountsEach: 4, sessionsEach: 4 }

export type Customer = {
  userId: string
  username: string
  accounts: readonly string[]
  sessions: readonly { id: string; token: string }[]
}

export const password = 'a measured pace wins'

type Signer = { sign(userId: string, sessionId: string): Promise<string>; close(): Promise<void> }

export async function settle(
  address: LocalAddress,
  { customers: count, accountsEach, sessionsEach }: Population,
  { sign, close }: Signer,
): Promise<Customer[]> {
  const hashed = await (await createPasswords()).hash(password)
  const made = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const userId = newId(Date.now())
      const ids = Array.from({ length: sessionsEach }, () => newId(Date.now()))
      return {
        userId,
        username: `customer-${number}`,
        accounts: Array.from({ length: accountsEach }, () => newId(Date.now())),
        sessions: await Promise.all(ids.map(async (id) => ({ id, token: await sign(userId, id) }))),
      }
    }),
  )
  await close()
  await write(address, made, hashed)
  return made
}

async function write(address: LocalAddress, people: readonly Customer[], hashed: string) {
  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  const owned = people.flatMap(({ userId, accounts }) => accounts.map((id) => ({ id, userId })))
  const opened = people.flatMap(({ userId, sessions }) =>
    sessions.map(({ id }) => ({ id, userId })),
  )
  await owner.query(
    `insert into users (id, username, email, given_name, family_name, roles, password_hash,
       phone, address, created_at)
     select id, name, name || '@example.com', 'Cus', 'Tomer', '{customer}', $3,
       '+4930123456', '1 Long Street, 10115 Berlin', now()
     from unnest($1::uuid[], $2::text[]) as u (id, name)`,
    [people.map(({ userId }) => userId), people.map(({ username }) => username), hashed],
  )
  await owner.query(
    `insert into accounts (id, owner_id, iban, currency, name, overdraft_limit, created_at)
     select id, owner_id, iban, 'EUR', 'Everyday', 1000000000000, now()
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as a (id, owner_id, iban)`,
    [owned.map(({ id }) => id), owned.map(({ userId }) => userId), owned.map(() => newIban())],
  )
  await owner.query(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at)
     select id, user_id, now(), now(), now() + interval '12 hours'
     from unnest($1::uuid[], $2::uuid[]) as s (id, user_id)`,
    [opened.map(({ id }) => id), opened.map(({ userId }) => userId)],
  )
  await owner.query('vacuum analyze')
  await owner.end()
}

const below = (limit: number): number => Math.floor(Math.random() * limit)

let stored = 0

/**
 * That many transfers between the customers' accounts, posted by the product's own ledger: the
 * books are sound afterwards. The disk is not waited for meanwhile.
 */
export async function store(
  address: LocalAddress,
  customers: readonly Customer[],
  count: number,
): Promise<void> {
  const owner = new pg.Client(address)
  await owner.connect()
  const name = owner.escapeIdentifier(address.database)
  await owner.query(`alter database ${name} set synchronous_commit = off`)
  const db = openDatabase(address)
  const ledger = openLedger(db, systemClock())
  let left = count
  async function post(): Promise<void> {
    while (left > 0) {
      left--
      const { userId, accounts, sessions } = customers[below(customers.length)] as Customer
      const from = below(accounts.length)
      const to = (from + 1 + below(accounts.length - 1)) % accounts.length
      const order: Order = {
        kind: 'transfer',
        fromAccountId: accounts[from] as string,
        toAccountId: accounts[to] as string,
        amount: 1n,
        currency: 'EUR',
        reference: `Stored ${++stored}`,
        caller: { userId, sessionId: sessions[0]?.id as string, kid: null, role: 'customer' },
      }
      const thrown = await ledger.submit(order).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      // On a machine with too much to do a batch may come too late: it had no effect.
      if (thrown instanceof Refusal && thrown.code === 'unavailable') left++
      else if (thrown !== undefined) throw thrown
    }
  }
  try {
    await Promise.all(Array.from({ length: 1024 }, post))
  } finally {
    await ledger.close()
    await db.close()
    await owner.query(`alter database ${name} reset synchronous_commit`)
    await owner.query('vacuum analyze')
    await owner.query('checkpoint')
    await owner.end()
  }
}
