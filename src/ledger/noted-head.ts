// The state of all chains at a time, in one line that is noted outside of the bank: a restored or
// rewritten ledger is held to it. Times in an account never go back, so the entries up to a time
// are the beginning of each chain, whatever is added later.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, one, statement } from '../database/statement.ts'
import { rfc3339 } from '../domain/clock.ts'
import { headLine } from './heads.ts'

export type NotedHead = {
  /** Of all entries up to this time, inclusive. Milliseconds since the epoch. */
  at: number
  /** Accounts that have entries by then. */
  accounts: bigint
  entries: bigint
  /** SHA-256, hexadecimal, over the last entry of each of these accounts, as in a file of heads. */
  digest: string
}

const shape = /^strongroom-head:(\d{4}-[\dT:.-]+Z):(\d{1,18}):(\d{1,18}):([0-9a-f]{64})$/

/** `strongroom-head:<time>:<accounts>:<entries>:<digest>` */
export const headText = ({ at, accounts, entries, digest }: NotedHead): string =>
  `strongroom-head:${rfc3339(at)}:${accounts}:${entries}:${digest}`

/** Undefined for anything that {@link headText} does not write. */
export function parseHead(text: string): NotedHead | undefined {
  const [, time = '', accounts = '', entries = '', digest = ''] = shape.exec(text) ?? []
  const at = Date.parse(time)
  if (!Number.isFinite(at)) return undefined
  return { at, accounts: BigInt(accounts), entries: BigInt(entries), digest }
}

type Entry = { accountId: string; seq: bigint; createdAt: Date; hash: string }

/** Takes all entries in the order of their chains, and gives the head of those up to that time. */
export function collectHead(at: number): { add(entry: Entry): void; finish(): NotedHead } {
  const digest = createHash('sha256')
  let [accounts, entries] = [0n, 0n]
  let last: Entry | undefined
  const close = (): void => {
    if (last) digest.update(headLine(last))
  }
  return {
    add(entry) {
      if (entry.createdAt.getTime() > at) return
      entries++
      if (last?.accountId !== entry.accountId) {
        close()
        accounts++
      }
      last = entry
    },
    finish() {
      close()
      return { at, accounts, entries, digest: digest.digest('hex') }
    },
  }
}

/**
 * A standby tells of no transaction that is open, and its clock says nothing about how far it is:
 * the time is that of the last COMMIT that it has, or none after a start without any since.
 */
const readOpen = statement(
  'noted_head_read_open',
  [],
  { at: 'timestamptz?', open: 'text[]' },
  // Transactions that have written something hold a lock on their own number until they end. The
  // lock names no database; one whose database is unknown counts.
  `select
     case
       when not pg_is_in_recovery() then clock_timestamp()
       when pg_last_xact_replay_timestamp() is not null
         then least(clock_timestamp(), pg_last_xact_replay_timestamp())
     end as at,
     array(
       select l.transactionid::text
       from pg_locks l
       left join pg_stat_activity a on a.pid = l.pid
       left join pg_prepared_xacts p on p.transaction = l.transactionid
       where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
         and coalesce(a.datname, p.database, current_database()) = current_database()
     ) as open`,
)

/** More than a transaction of the service takes, and than the database's clock is set back by. */
const ageMs = 10_000
const waitMs = 10_000
const pollMs = 100

/**
 * A time up to which no entry will be added any more. Entries are dated before they are committed,
 * so this waits for the transactions that are open now.
 *
 * @throws an Error of one line when one of them does not end, or when the time is unknown
 */
export async function settledTime(db: Db): Promise<number> {
  const first = await one(db, readOpen, [])
  if (!first?.at) {
    throw new Error('This standby has replayed no transaction since its start: no head is known.')
  }
  for (let waited = 0; waited <= waitMs; waited += pollMs) {
    const now = await one(db, readOpen, [])
    if (!now?.open.some((id) => first.open.includes(id))) return first.at.getTime() - ageMs
    await sleep(pollMs)
  }
  throw new Error(`A transaction has been open for ${waitMs / 1000} s: no head can be noted now.`)
}
