// What is changed beside an archive, in the database or in its files, is named by `verify`.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { archivedBank, later, mismatchOf } from '../../../test/support/archived-bank.ts'
import { StartupError } from '../../domain/startup-error.ts'
import {
  type EntryLine,
  type HeadLine,
  type HeadState,
  idOf,
  toEntry,
  type TransferLine,
} from '../../ledger/archive/lines.ts'
import { findFlawOfArchive } from '../../ledger/archive/prove-archive.ts'
import { verifyLedger } from '../../ledger/proof/verify.ts'
import { UnsoundBooks } from '../report.ts'
import { archiveUntil } from './archive.ts'
import { checkArchive } from './check.ts'
import { linesOf } from './folder.ts'
import { restoreFolder } from './restore.ts'

const none = () => {}
const made = await archivedBank({ after })
const { owner, folder, sql, mismatchAfter } = made
const [older, newer] = [path.join(folder, 'older'), path.join(folder, 'newer')]
await archiveUntil(owner, none, older, { until: '2022-12-10', now: later })
await archiveUntil(owner, none, newer, { until: '2023-02-20', now: later })

const aHead = `(select account_id from archived_heads g join accounts a on a.id = g.account_id
  where a.last_seq > g.seq and a.kind = 'customer' order by 1 limit 1)`
const atEnd = `(select account_id from archived_heads g join accounts a on a.id = g.account_id
  where a.last_seq = g.seq order by 1 limit 1)`
const clearing = `(select account_id from archived_heads g join accounts a on a.id = g.account_id
  where a.kind = 'clearing' order by g.mark_count desc limit 1)`

const aKept = `(select transfer_id from archived_terms order by 1 limit 1)`
const unsent = `(select transfer_id from archived_terms where sent_seq is null order by 1 limit 1)`

const anIncoming = `(select t.id from archived_terms k join transfers t on t.id = k.transfer_id
  where t.kind = 'incoming' order by 1 limit 1)`
const changes: [what: string, change: string, named: RegExp][] = [
  [
    'a head with another hash',
    `update archived_heads set hash = sha256('x') where account_id = ${aHead}`,
    /the chain breaks/,
  ],
  [
    'a head at the end of an account with another hash',
    `update archived_heads set hash = sha256('x') where account_id = ${atEnd}`,
    /its end of the chain is another/,
  ],
  [
    'a head with another balance',
    `update archived_heads set balance_after = balance_after + 1 where account_id = ${aHead}`,
    /the balance after it is/,
  ],
  [
    'a head at the end of an account with another balance',
    `update archived_heads set balance_after = balance_after + 1 where account_id = ${atEnd}`,
    /its balance is/,
  ],
  [
    'a head with another count of marks',
    `update archived_heads set mark_count = mark_count + 1 where account_id = ${clearing}`,
    /marks of payments/,
  ],
  [
    'a head one entry later',
    `update archived_heads set seq = seq + 1 where account_id = ${aHead}`,
    /the balance after it is|it has entries|the chain breaks/,
  ],
  [
    'a head one entry earlier',
    `update archived_heads set seq = seq - 1 where account_id = ${aHead}`,
    /is missing/,
  ],
  [
    'a head of a later time',
    `update archived_heads set at = '2023-02-28' where account_id = ${aHead}`,
    /its time is not right|no archive goes up to/,
  ],
  ['a head that is gone', `delete from archived_heads where account_id = ${aHead}`, /is missing/],
  [
    'the first entry behind a head removed',
    `delete from entries e using archived_heads g
     where g.account_id = ${aHead} and e.account_id = g.account_id and e.seq = g.seq + 1`,
    /is missing/,
  ],
  [
    'all entries behind a head removed',
    `delete from entries e using archived_heads g
     where g.account_id = ${aHead} and e.account_id = g.account_id`,
    /is missing/,
  ],
  [
    'an entry that is in an archive',
    `insert into entries (account_id, transfer_id, seq, amount, balance_after, created_at, hash,
      kind)
    select e.account_id, e.transfer_id, g.seq, e.amount, e.balance_after, e.created_at, e.hash,
      e.kind
    from entries e join archived_heads g on g.account_id = e.account_id and e.seq = g.seq + 1
    where g.account_id = ${aHead}`,
    /it has entries that are in an archive/,
  ],
  [
    'a transfer whose entries are in an archive, of another amount',
    `update transfers set amount = amount + 1 where id = ${aKept}`,
    /terms are not those|transfers say|is not its payment|what came back/,
  ],
  [
    'such a transfer removed with what was left of it',
    `with gone as (delete from archived_terms where transfer_id = (
      select transfer_id from archived_terms k join transfers t on t.id = k.transfer_id
      where t.kind = 'incoming' order by 1 limit 1) returning transfer_id)
    delete from transfers t using gone where t.id = gone.transfer_id`,
    /which is missing|are kept beside archives/,
  ],
  [
    'what an archive left of a transfer, changed',
    `update archived_terms set terms = sha256('x') where transfer_id = ${aKept}`,
    /its terms are not those that an archive left/,
  ],
  [
    'what an archive left of a transfer, removed',
    `delete from archived_terms where transfer_id = ${aKept}`,
    /one of its two entries is missing/,
  ],
  [
    'the place of an entry in an archive, changed',
    `update archived_terms set from_seq = from_seq - 1 where transfer_id = ${aKept}`,
    /its terms are not those that an archive left|its two entries is missing/,
  ],
  [
    'a mark of a payment in an archive, invented',
    `update archived_terms set sent_seq = 1 where transfer_id = ${unsent}`,
    /its terms are not those that an archive left/,
  ],
  [
    'that a transfer in an archive came back, which was never there',
    `insert into brought_back values (least_id_at('2023-01-01'), least_id_at('2023-01-02'))`,
    /\d+ transfers in archives are said to be brought back, not \d+/,
  ],
  [
    'the same, behind the end of the archive',
    `insert into brought_back values (least_id_at('2023-01-01'), least_id_at('2023-02-22'))`,
    /is said to be brought back, and is not/,
  ],
  [
    'the external identifier of a payment in an archive, changed',
    `update external_ids set external_id = external_id || 'x'
     where transfer_id = ${anIncoming}`,
    /its numbers are not those that an archive left/,
  ],
  [
    'the body of a payment in an archive, changed',
    `update external_ids set body_hash = sha256('x')
     where transfer_id = ${anIncoming}`,
    /its numbers are not those that an archive left/,
  ],
  [
    'an external identifier of a booking in an archive, added',
    `insert into external_ids (caller_id, external_id, body_hash, transfer_id)
     select t.caller_id, 'added', sha256('x'), t.id
     from transfers t join archived_terms k on k.transfer_id = t.id
     where t.kind in ('fee', 'deposit', 'interest', 'card', 'capture')
       and not exists (select from external_ids x where x.transfer_id = t.id)
     order by t.id limit 1`,
    /its numbers are not those that an archive left/,
  ],
  [
    'the newest archive removed',
    `delete from archives where id = 2`,
    /no archive goes up to its head|are kept beside archives/,
  ],
  [
    'a head of the time of the end of the archive',
    `update archived_heads set at = '2023-02-20' where account_id = ${aHead}`,
    /no archive goes up to its head/,
  ],
  [
    'two archives up to one time',
    `update archives set until = '2023-02-20' where id = 1`,
    /do not follow each other/,
  ],
  ['an older archive removed', `delete from archives where id = 1`, /do not follow each other/],
  [
    'the order of archives',
    `update archives set until = '2023-02-21' where id = 1`,
    /do not follow each other/,
  ],
]

for (const [what, change, named] of changes) {
  test(`verify names ${what}`, async () => {
    const found = await mismatchAfter(
      async () => {
        await sql(`select set_config('strongroom.archive', 'on', true)`)
        await sql('set local session_replication_role = replica')
        await sql(change)
      },
      async (db) => (await verifyLedger(db, { now: later })).mismatch,
    )
    assert.match(found, named)
  })
}

test('a head of the millisecond before the end of its archive is sound', async () => {
  const found = await mismatchAfter(
    async () => {
      await sql('set local session_replication_role = replica')
      await sql(
        `update archived_heads set at = '2023-02-19T23:59:59.999Z' where account_id = ${aHead}`,
      )
    },
    async (db) => (await verifyLedger(db, { now: later })).mismatch,
  )
  assert.equal(found, 'nothing')
})

type Lines = {
  heads: HeadLine[]
  entries: EntryLine[]
  transfers: TransferLine[]
  kept: TransferLine[]
}
async function collect<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const line of lines) all.push(line)
  return all
}
const readAll = async (folder: string): Promise<Lines> => {
  const { heads, entries, transfers, kept } = linesOf({ path: folder })
  return {
    heads: await collect(heads),
    entries: await collect(entries),
    transfers: await collect(transfers),
    kept: await collect(kept),
  }
}
async function* each<T>(lines: readonly T[]): AsyncGenerator<T> {
  yield* lines
}
const prove = async ({ heads, entries, transfers, kept }: Lines, until: number) => {
  const lines = { heads: each(heads), entries: each(entries), transfers: each(transfers) }
  return (await findFlawOfArchive({ ...lines, kept: each(kept) }, until)).flaw ?? 'nothing'
}
const ofOlder = (lines: Lines): HeadLine => lines.heads.find(({ start }) => start) as HeadLine
const endsOtherwise = (change: Partial<HeadState>): ((lines: Lines) => void) => {
  return (lines) => void Object.assign(ofOlder(lines).end, change)
}
const swap = (lines: unknown[]): void => void lines.unshift(...lines.splice(1, 1))
const noHead = /its entries do not lead to its head$/

const inFiles: [what: string, change: (lines: Lines) => void, named: RegExp][] = [
  ['a head with another number', endsOtherwise({ seq: '999' }), noHead],
  ['a head with another hash', endsOtherwise({ hash: '00' }), noHead],
  ['a head with another balance', endsOtherwise({ balance: '999' }), noHead],
  ['a head with another count of marks', endsOtherwise({ markCount: '999' }), noHead],
  ['a head of another time', endsOtherwise({ at: '2023-02-19T23:59:59.998Z' }), noHead],
  [
    'a head in a currency that is none',
    (lines) => void (ofOlder(lines).currency = 'XXX'),
    /no currency XXX$/,
  ],
  [
    'a chain without its start',
    (lines) => void (ofOlder(lines).start = null),
    /entry 1 is missing before it$/,
  ],
  [
    'a head twice',
    ({ heads }) => void heads.push(heads.at(-1) as HeadLine),
    /it is not in its order$/,
  ],
  ['a head left out', ({ heads }) => void heads.pop(), /^Entries of account .* have no head$/],
  ['an entry left out', ({ entries }) => void entries.pop(), noHead],
  ['transfers in another order', ({ transfers }) => swap(transfers), /it is not in its order$/],
  [
    'a transfer left out',
    ({ transfers }) => void transfers.pop(),
    /^The transfers are not those of the entries$/,
  ],
  [
    'a transfer twice',
    ({ transfers }) => void transfers.push(transfers.at(-1) as TransferLine),
    /it is not in its order$/,
  ],
  [
    'a mark that no entry is',
    ({ transfers }) => {
      const settled = transfers.find(({ settledSeq, kept }) => settledSeq !== null && !kept)
      Object.assign(settled as TransferLine, { settledSeq: '999' })
    },
    /^The marks of payments are not those of the entries$/,
  ],
  [
    'a transfer with other terms than an earlier archive has left',
    ({ transfers, kept }) => {
      const left = [...transfers, ...kept].find((line) => line.kept !== null)
      Object.assign(left?.kept as object, { terms: '\\x00' })
    },
    /its terms are not those of an earlier archive$/,
  ],
  [
    'a transfer that stays though what brought it back leaves',
    ({ transfers: [back], kept: [stays] }) => {
      Object.assign(back?.transfer as object, { reversal_of: idOf(stays as TransferLine) })
    },
    /what brought it back leaves alone$/,
  ],
]

test('the lines of an archive are sound by themselves, up to the millisecond behind its last entry', async () => {
  const lines = await readAll(newer)
  const times = lines.entries.map((line) => toEntry(line).createdAt.getTime())
  const last = Math.max(...times)
  assert.equal(await prove(lines, last + 1), 'nothing')
  assert.match(await prove(lines, last), /it is not before the archive's end$/)
})

for (const [what, change, named] of inFiles) {
  test(`the lines of an archive name ${what}`, async () => {
    const lines = await readAll(newer)
    change(lines)
    assert.match(await prove(lines, Date.UTC(2023, 1, 20)), named)
  })
}

const neverBooked = {
  'waits for the rail': `'transfer', 'pending', '2023-01-01'::timestamptz`,
  'is younger than the archive': `'transfer', 'pending', '2023-02-25'::timestamptz`,
  'is completed': `'deposit', 'completed', '2023-01-01'::timestamptz`,
}

for (const [what, values] of Object.entries(neverBooked)) {
  test(`verify names a transfer that the service adds without a booking, and that ${what}`, async () => {
    for (const now of [later, 0]) {
      const found = await mismatchAfter(
        async () => {
          await sql('set local role strongroom_service')
          await sql(
            `insert into transfers (id, kind, status, created_at, from_account_id, to_account_id,
               from_seq, to_seq, amount, caller_id, session_id, currency, reference,
               beneficiary_id, counterparty_name, counterparty_iban, salt)
             select least_id_at(n.at), n.kind, n.status, n.at, t.from_account_id,
               t.to_account_id, 1, 1, 100, t.caller_id, t.session_id, t.currency, '',
               case n.kind when 'transfer' then t.beneficiary_id end,
               case n.kind when 'transfer' then t.counterparty_name end,
               case n.kind when 'transfer' then t.counterparty_iban end, t.salt
             from transfers t join archived_terms k on k.transfer_id = t.id,
               (values (${values})) as n (kind, status, at)
             where t.counterparty_iban is not null and t.kind = 'transfer'
               and t.salt is not null
             order by t.id limit 1`,
          )
          await sql('reset role')
        },
        async (db) => (await verifyLedger(db, { now })).mismatch,
      )
      assert.match(found, /one of its two entries is missing/)
    }
  })
}

test('the owner changes neither heads nor archives by accident, and the service not at all', async () => {
  for (const change of ['update archived_heads set seq = seq', 'delete from archives']) {
    await assert.rejects(sql(change), /is for `strongroom archive` alone/)
  }
  await assert.rejects(sql('delete from entries where seq = 0'), /append-only/)
  await sql('begin; set local role strongroom_service')
  await sql(`select set_config('strongroom.archive', 'on', true)`)
  for (const table of ['entries', 'transfers', 'archives', 'archived_heads', 'archived_terms']) {
    await sql('savepoint s')
    await assert.rejects(sql(`delete from ${table}`), /permission denied/)
    await sql('rollback to s')
  }
  await sql('rollback')
})

test('a file that was changed is refused, and so is a folder that the database does not name', async () => {
  assert.equal(await mismatchOf(made), undefined)
  assert.match(await checkArchive(owner, newer), /go on in the database/)
  assert.match(await checkArchive(owner, older), /is sound: /)
  await assert.rejects(restoreFolder(owner, none, older, later), /the newest archive is newer/)
  const file = path.join(newer, 'entries.jsonl')
  const text = await readFile(file, 'utf8')
  const changed = text.replace(/"amount": "-?\d/, (found) => `${found}0`)
  assert.notEqual(changed, text)
  await writeFile(file, changed)
  await assert.rejects(checkArchive(owner, newer), StartupError)
  await assert.rejects(restoreFolder(owner, none, newer, later), /is not as it was written/)
  // With a right sum: it is another archive.
  const manifest = path.join(newer, 'manifest.json')
  const own = await readFile(manifest, 'utf8')
  const sha256 = createHash('sha256').update(changed).digest('hex')
  const old = createHash('sha256').update(text).digest('hex')
  await writeFile(manifest, own.replace(old, sha256))
  await assert.rejects(checkArchive(owner, newer), /the database names no such archive/)
  // And with its digest in the database, its chains break.
  const digest = createHash('sha256')
    .update(await readFile(manifest))
    .digest()
  await sql('begin')
  await sql(`select set_config('strongroom.archive', 'on', true)`)
  await sql('update archives set digest = $1 where id = 2', [digest])
  await sql('commit')
  await assert.rejects(checkArchive(owner, newer), UnsoundBooks)
  await assert.rejects(restoreFolder(owner, none, newer, later), UnsoundBooks)
})
