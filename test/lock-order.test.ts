// What locks several rows of one table locks them in the order of their identifiers, so that two of
// them never wait for each other. Each pair meets at a row that a third connection holds: the one
// that had locked a later row before it would wait for the other, and that one for it.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openAsOwner } from './support/owner.ts'
import type { ServiceDatabase } from '../src/database/connections/connect.ts'
import { transaction } from '../src/database/connections/transaction.ts'
import { newId } from '../src/domain/ids.ts'
import { addEvents, commandEvent } from '../src/audit/sql.ts'
import { endAll } from '../src/features/auth/revoke-all.ts'
import { endReplaced, sessionCount } from '../src/features/auth/sql.ts'
import { endSessionsOfIssuer } from '../src/features/issuer/sql.ts'
import { keepTextsOf } from '../src/features/payments/index-sql.ts'
import { writeActivity } from '../src/gate/live-sessions.ts'
import { writeKeyUse } from '../src/gate/service-keys.ts'
import { eraseOfAccount } from '../src/ledger/erasure/erase.ts'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'
import { bank, type Bank, finishing, payElsewhere } from './support/bank.ts'
import { openHolder, waitingForLock } from './support/locks.ts'
import { people } from './support/people.ts'

/** A database that counts the transactions that were run over, after a deadlock. */
function counting(db: ServiceDatabase) {
  const counts = { repeated: 0 }
  const counted: ServiceDatabase = {
    ...db,
    runTransaction(work, opening) {
      let runs = 0
      return db.runTransaction((tx) => {
        if (runs++ > 0) counts.repeated++
        return work(tx)
      }, opening)
    },
  }
  return { counted, counts }
}

/** Both begin, one behind the other, while a row is held that both lock. */
async function meetAt(
  t: TestContext,
  { address, sql }: Bank,
  [table, id]: [table: string, id: string],
  ...works: (() => Promise<unknown>)[]
): Promise<void> {
  const holder = await openHolder(t, { address })
  await holder.query('begin')
  await holder.query(`select from ${table} where id = $1 for update`, [id])
  const looking = { sql: async (text: string) => ({ rows: await sql(text) }) } as never
  const done: Promise<unknown>[] = []
  for (const work of works) {
    done.push(work())
    await waitingForLock(looking, done.length)
  }
  await holder.query('commit')
  await Promise.all(done)
}

const now = Date.UTC(2026, 0, 2, 12)

/** Two sessions of Ada's, of which the one with the later identifier lies before the other. */
async function addSessions({ sql }: Bank): Promise<[string, string]> {
  const [earlier, later] = [newId(now - 2), newId(now - 1)] as const
  for (const id of [later, earlier]) {
    await sql(
      `insert into sessions (id, user_id, issuer, created_at, last_used_at, ends_at)
       values ($1, $2, 'an issuer', '2026-01-01', '2026-01-01', '2027-01-01')`,
      [id, people.ada.id],
    )
  }
  return [earlier, later]
}

const endings: Record<string, (db: ServiceDatabase) => Promise<unknown>> = {
  'a logout at the issuer that ends both': (db) =>
    transaction(db, (tx) => {
      const logout = { issuer: 'an issuer', subjects: [], sidHash: null, now }
      return endSessionsOfIssuer(tx, [people.ada.id], logout)
    }),
  'a login that has too many of them end': (db) =>
    transaction(db, (tx) => endReplaced(tx, people.ada.id, { countMax: 1, now })),
}

for (const [name, end] of Object.entries(endings)) {
  test(`the last uses of two sessions and ${name} wait in one direction`, async (t) => {
    const fixture = await bank(t)
    const [earlier, later] = await addSessions(fixture)
    const { counted, counts } = counting(fixture.db)
    const times = [new Date(now), new Date(now)]
    const write = () =>
      transaction(counted, (tx) => tx.run(writeActivity, [[earlier, later], times]))
    for (const works of [
      [write, () => end(counted)],
      [() => end(counted), write],
    ]) {
      await fixture.sql(
        `update sessions set last_used_at = '2026-01-01', ended_at = null, ended_because = null
         where id = any($1)`,
        [[later, earlier]],
      )
      await meetAt(t, fixture, ['sessions', earlier], ...works)
      assert.equal(counts.repeated, 0)
      const rows = await fixture.sql(
        'select ended_at is not null as "isEnded" from sessions where id = any($1)',
        [[earlier, later]],
      )
      assert.deepEqual(rows, [{ isEnded: true }, { isEnded: true }])
    }
  })
}

test('the last uses of two sessions and a login that replaces that of its browser wait in one direction', async (t) => {
  const fixture = await bank(t)
  const [earlier, later] = await addSessions(fixture)
  const handle = Buffer.alloc(32, 1)
  await fixture.sql(
    `update sessions set handle_hash = $2, last_used_at = '2026-01-01T01:00:00Z' where id = $1`,
    [earlier, handle],
  )
  const { counted, counts } = counting(fixture.db)
  const times = [new Date(now), new Date(now)]
  const write = () => transaction(counted, (tx) => tx.run(writeActivity, [[earlier, later], times]))
  // The least recently used one is too many, and the other one is that of the browser.
  const countMax = Number(await sessionCount(fixture.db, people.ada.id, now))
  const login = () =>
    transaction(counted, (tx) =>
      endReplaced(tx, people.ada.id, { countMax, now, replaces: handle }),
    )
  await meetAt(t, fixture, ['sessions', earlier], write, login)
  assert.equal(counts.repeated, 0)
  const ended = await fixture.sql(
    `select id from sessions where ended_because = 'replaced' order by id`,
  )
  assert.deepEqual(
    ended.map(({ id }) => id),
    [earlier, later],
  )
})

test('the last uses of two keys and an operator who ends all of them wait in one direction', async (t) => {
  const fixture = await bank(t)
  const { sql } = fixture
  const [earlier, later, program] = [newId(now - 2), newId(now - 1), newId(now)] as const
  await sql(
    `insert into service_accounts (id, name, reads_all, pay_from, operations, addresses,
       administrators, created_at)
     values ($1, 'A rail', false, '{}', '{}', '{}', '{}', '2026-01-01')`,
    [program],
  )
  for (const [place, id] of [later, earlier].entries()) {
    await sql(
      `insert into service_keys (id, service_account_id, key_hash, place, created_at)
       values ($1::uuid, $2, sha256($1::uuid::text::bytea), $3, '2026-01-01')`,
      [id, program, place + 1],
    )
  }
  const { counted, counts } = counting(fixture.db)
  const times = [new Date(now), new Date(now)]
  const write = () => transaction(counted, (tx) => tx.run(writeKeyUse, [[earlier, later], times]))
  const end = () => transaction(counted, (tx) => endAll(tx, now))
  await meetAt(t, fixture, ['service_keys', earlier], write, end)
  assert.equal(counts.repeated, 0)
  const rows = await sql('select from service_keys where revoked_at is not null')
  assert.equal(rows.length, 2)
})

test('the erasure of a person, with what came back, and the indexing of old payments wait in one direction', async (t) => {
  const fixture = await bank(t)
  const { address, clock, ledger } = fixture
  const owner = openAsOwner(address)
  t.after(() => owner.close())
  const [from, to] = [await fixture.account(7n), await fixture.account()]
  const close = (status: string) =>
    fixture.sql('update accounts set status = $2 where id = $1', [from, status])
  const first = await payElsewhere(fixture, from)
  await ledger.submit(finishing(first, 'settlement'))
  clock.advance(1)
  await close('closed')
  // Into suspense: it is not among the entries of the account.
  const { transfer: back } = await ledger.submit({
    ...finishing(first, 'return'),
    suspenseId: bankAccount('suspense', 'EUR'),
    reference: first.reference,
    counterparty: { name: first.counterpartyName ?? '', iban: first.counterpartyIban },
  })
  await close('active')
  clock.advance(1)
  await fixture.deposit(from, 1n)
  const { transfer: last } = await ledger.submit(fixture.movement(from, to))
  await close('closed')
  assert.ok(first.id < back.id && back.id < last.id)
  clock.advance(1)
  const event = commandEvent(clock.now(), { action: 'erase' })
  await transaction(owner, (tx) => addEvents(tx, [event]))
  const { counted, counts } = counting(owner)
  // A page that begins behind the first payment.
  const index = () => transaction(counted, (tx) => keepTextsOf(tx, [back.id, last.id]))
  const erase = () => eraseOfAccount(counted, from, event.id)
  await meetAt(t, fixture, ['transfers', last.id], erase, index)
  assert.equal(counts.repeated, 0)
  const kept = await fixture.sql(
    'select id from transfers where id = any($1) and salt is not null',
    [[first.id, back.id, last.id]],
  )
  assert.deepEqual(kept, [])
})
