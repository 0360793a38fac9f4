// Stored transfers in bulk: rows as the service would have written them, chained and numbered, so
// that `verify` proves them. COPY takes millions of them in minutes; the service's own ledger would
// take an hour.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { clientOptions, type LocalAddress } from '../src/database/connections/connect.ts'
import { newId } from '../src/domain/ids.ts'
import {
  commitTexts,
  entryHash,
  joinTerms,
  joinTexts,
  zeroHash,
} from '../src/ledger/rules/hash-chain.ts'
import type { Customer } from './seed.ts'

type End = {
  id: string
  iban: string
  holder: string
  seq: bigint
  balance: bigint
  hash: string
}
type Rows = { transfers: string[]; entries: string[] }
/** A transfer as it was stored. */
export type StoredTransfer = { id: string; toAccountId: string; reference: string; createdAt: Date }
/** Rows of another table that belong to the transfers of one COPY, in PostgreSQL's text form. */
export type StoredBeside = {
  into: string
  toRows(transfers: readonly StoredTransfer[]): readonly string[]
}

const rowsPerCopy = 20_000
const yearMs = 365 * 86_400_000
const saltBytes = 16

/**
 * Stores that many transfers of one cent between accounts of the same customer, spread over the
 * first half of the time since the last entry of any account, or of a year.
 */
export async function store(
  address: LocalAddress,
  customers: readonly Customer[],
  count: number,
  beside: readonly StoredBeside[] = [],
): Promise<void> {
  const clients = await Promise.all([connect(address), connect(address)])
  const [owner, other] = clients
  try {
    await owner.query('set synchronous_commit = off')
    await other.query('set synchronous_commit = off')
    const ends = await readEnds(owner)
    const now = Date.now()
    const since = (await readLastTime(owner)) ?? now - yearMs
    for (let done = 0; done < count;) {
      const rows: Rows = { transfers: [], entries: [] }
      const stored: StoredTransfer[] = []
      for (let each = 0; each < rowsPerCopy && done < count; each++, done++) {
        const at = new Date(Math.floor(since + ((now - since) / 2) * (done / count)))
        stored.push(add(rows, customers[below(customers.length)] as Customer, ends, at))
      }
      // No row refers to a later one, and nothing reads them before the end.
      const storeTransfers = async () => {
        await copy(owner, `copy transfers (${transferColumns}) from stdin`, rows.transfers)
        for (const { into, toRows } of beside) {
          await copy(owner, `copy ${into} from stdin`, toRows(stored))
        }
      }
      await Promise.all([
        storeTransfers(),
        copy(other, `copy entries (${entryColumns}) from stdin`, rows.entries),
      ])
    }
    await writeEnds(owner, ends)
    await owner.query('vacuum analyze')
    await owner.query('checkpoint')
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

async function connect(address: LocalAddress): Promise<pg.Client> {
  const options = clientOptions(address, undefined, { statementMs: 0, answerMs: 0 })
  const client = new pg.Client(options)
  await client.connect()
  return client
}

const months = 'january february march april may june july august september october november'.split(
  ' ',
)

const below = (limit: number): number => Math.floor(Math.random() * limit)

const transferColumns =
  'id, from_account_id, to_account_id, from_seq, to_seq, amount, created_at, caller_id, ' +
  'session_id, kind, status, currency, reference, salt'
const entryColumns =
  'account_id, transfer_id, seq, amount, balance_after, created_at, hash, kind, reference, ' +
  'counterparty_name, counterparty_iban, texts_in_chain'

/** A word that is searched for has two characters. */
let storedCount = 9

function add(
  rows: Rows,
  customer: Customer,
  ends: Map<string, End>,
  createdAt: Date,
): StoredTransfer {
  const { userId: callerId, accounts, sessions } = customer
  const choice = below(accounts.length)
  const from = ends.get(accounts[choice] as string) as End
  const next = (choice + 1 + below(accounts.length - 1)) % accounts.length
  const to = ends.get(accounts[next] as string) as End
  const [id, sessionId] = [newId(createdAt.getTime()), sessions[0]?.id as string]
  const number = ++storedCount
  const reference = `Stored ${months[number % months.length]} ${number}`
  const salt = randomBytes(saltBytes).toString('hex')
  const texts = { reference, counterpartyName: null, counterpartyIban: null }
  const [kind, currency] = ['transfer', 'EUR'] as const
  const movement = { fromAccountId: from.id, toAccountId: to.id, amount: 1n }
  const about = { beneficiaryId: null, reversalOf: null, callerId, sessionId }
  const commitment = commitTexts(salt, texts)
  const terms = joinTerms({ id, kind, currency, createdAt, ...movement, ...about }, commitment)
  const time = createdAt.toISOString()
  for (const [end, other, amount] of [
    [from, to, -1n],
    [to, from, 1n],
  ] as const) {
    end.seq += 1n
    end.balance += amount
    const { id: accountId, seq, balance: balanceAfter } = end
    const entry = { accountId, seq, kind, amount, balanceAfter, createdAt }
    const { holder: counterpartyName, iban: counterpartyIban } = other
    const own = commitTexts(salt, { reference, counterpartyName, counterpartyIban })
    end.hash = entryHash(end.hash, entry, joinTexts(terms, own))
    rows.entries.push(
      `${accountId}\t${id}\t${seq}\t${amount}\t${balanceAfter}\t${time}\t\\\\x${end.hash}` +
        `\t${kind}\t${reference}\t${counterpartyName}\t${counterpartyIban}\ttrue\n`,
    )
  }
  rows.transfers.push(
    `${id}\t${from.id}\t${to.id}\t${from.seq}\t${to.seq}\t1\t${time}\t${callerId}\t${sessionId}` +
      `\t${kind}\tcompleted\t${currency}\t${reference}\t\\\\x${salt}\n`,
  )
  return { id, toAccountId: to.id, reference, createdAt }
}

async function readEnds(owner: pg.Client): Promise<Map<string, End>> {
  type Row = Record<'id' | 'iban' | 'holder' | 'seq' | 'balance' | 'hash', string>
  const { rows } = await owner.query<Row>(
    `select a.id, iban, given_name || ' ' || family_name as holder, last_seq as seq, balance,
       coalesce(encode(last_hash, 'hex'), $1) as hash
     from accounts a join users u on u.id = a.owner_id where kind = 'customer'`,
    [zeroHash],
  )
  return new Map(
    rows.map(({ seq, balance, ...end }) => [
      end.id,
      { ...end, seq: BigInt(seq), balance: BigInt(balance) },
    ]),
  )
}

async function readLastTime(owner: pg.Client): Promise<number | undefined> {
  const { rows } = await owner.query<{ at: Date | null }>(
    'select max(last_entry_at) as at from accounts',
  )
  return rows[0]?.at?.getTime()
}

/** The time of the last entry of any account. */
export async function readLastStored(address: LocalAddress): Promise<number> {
  const client = await connect(address)
  try {
    return (await readLastTime(client)) ?? 0
  } finally {
    await client.end()
  }
}

async function writeEnds(owner: pg.Client, ends: ReadonlyMap<string, End>): Promise<void> {
  const all = [...ends.values()]
  await owner.query(
    `update accounts a
     set last_seq = e.seq, balance = e.balance, last_hash = last.hash, last_entry_at = last.at
     from unnest($1::uuid[], $2::int8[], $3::int8[]) as e (id, seq, balance)
     cross join lateral (
       select hash, created_at from entries where account_id = e.id and seq = e.seq
     ) as last (hash, at)
     where a.id = e.id`,
    [all.map(({ id }) => id), all.map(({ seq }) => seq), all.map(({ balance }) => balance)],
  )
}

/** What the driver calls of a query; it has no COPY of its own. */
type Connection = {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** COPY of rows in PostgreSQL's text form. */
function copy(client: pg.Client, text: string, rows: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const query = {
    submit: (connection: Connection) => connection.query(text),
    handleCopyInResponse(connection: Connection) {
      connection.sendCopyFromChunk(Buffer.from(rows.join('')))
      connection.endCopyFrom()
    },
    handleCommandComplete() {},
    handleReadyForQuery: () => resolve(),
    handleError: reject,
  }
  client.query(query as unknown as pg.Submittable)
  return promise
}
