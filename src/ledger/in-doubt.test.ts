// Faults at the worst moment: the connection goes while COMMIT is on its way. Whatever is answered
// afterwards is the truth, and nothing is ever paid twice.
import assert from 'node:assert/strict'
import net from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bank, bank, code, sessions } from '../../test/support/bank.ts'
import { people } from '../../test/support/people.ts'
import type { AuditEvent } from '../audit/sql.ts'
import { openDatabase } from '../database/connect.ts'
import { newId } from '../domain/ids.ts'
import { bankAccount } from './internal-accounts.ts'
import { openLedger } from './batch.ts'
import type { Order } from './order.ts'
import { emptyPlan, type Plan } from './plan.ts'
import { resolveInDoubt } from './in-doubt.ts'

/** What happens to the next COMMIT: the connection to the client is cut, and then … */
type Fault =
  | 'delivered' // … the server gets it and commits
  | 'late' // … the server gets it half a second later
  | 'lost' // … the server never gets it
  | 'alone' // … the server gets it, and cannot be reached for some seconds

const commit = Buffer.from('Q\0\0\0\x0bcommit\0')

/** A ledger that reaches its database through a wire that can be cut. */
async function faulty(t: TestContext, { address, clock }: Bank) {
  const { host, port } = address as { host: string; port: number }
  let fault: Fault | undefined
  let isShut = false
  let commits = 0
  const sockets = new Set<net.Socket>()
  const server = net.createServer((client) => {
    if (isShut) {
      client.destroy()
      return
    }
    const upstream = net.connect(`${host}/.s.PGSQL.${port}`)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    upstream.pipe(client)
    upstream.on('close', () => client.destroy())
    let isCut = false
    client.on('close', () => isCut || upstream.destroy())
    client.on('data', (bytes: Buffer) => {
      if (bytes.includes(commit)) commits++
      if (fault === undefined || !bytes.includes(commit)) {
        upstream.write(bytes)
        return
      }
      const now = fault
      isCut = true
      isShut = now === 'alone'
      // The server must not see the client go before it has seen the COMMIT.
      upstream.unpipe(client)
      client.destroy()
      if (now === 'lost') upstream.destroy()
      else void sleep(now === 'late' ? 500 : 0).then(() => upstream.end(bytes))
      fault = undefined
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const wire = { host: '127.0.0.1', port: (server.address() as net.AddressInfo).port }
  const db = openDatabase({ ...(address as object), ...wire } as Bank['address'])
  const ledger = openLedger(db, clock)
  t.after(async () => {
    await ledger.close()
    await db.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    ledger,
    strike: (next: Fault) => {
      fault = next
      commits = 0
    },
    commits: () => commits,
    mend: () => {
      isShut = false
    },
  }
}

for (const fault of ['delivered', 'late', 'lost'] as const) {
  test(`a COMMIT that was ${fault} is found out about: done, and done once`, async (t) => {
    const made = await bank(t)
    const { ledger, strike, commits } = await faulty(t, made)
    const [from, to] = [await made.account(100n), await made.account()]
    assert.equal(await code(ledger.submit(made.order(from, to, { reference: 'warm' }))), 'done')
    strike(fault)
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((key) => code(ledger.submit(made.order(from, to, { key })))),
    )
    assert.deepEqual(answers, ['done', 'done', 'done'])
    assert.equal(commits(), fault === 'lost' ? 2 : 1)
    assert.equal(await made.balance(to), 4n)
    const again = await ledger.submit(made.order(from, to, { key: 'a' }))
    assert.equal(again.isReplayed, true)
  })
}

test('when nobody can say, the answer is that, and the key tells later', async (t) => {
  const made = await bank(t)
  const { ledger, strike, mend } = await faulty(t, made)
  const [from, to] = [await made.account(100n), await made.account()]
  strike('alone')
  const asked = made.order(from, to, { key: 'k' })
  assert.equal(await code(ledger.submit(asked)), 'outcome_unknown')
  assert.equal(await code(ledger.submit(made.order(from, to, { key: 'l' }))), 'unavailable')
  mend()
  await sleep(150)
  assert.equal((await ledger.submit(asked)).isReplayed, true)
  assert.equal(await made.balance(to), 1n)
})

test('a backend that is ended mid-way costs a moment, not an answer', async (t) => {
  const { ledger, account, order, balance, sql } = await bank(t)
  const [from, to] = [await account(1000n), await account()]
  const answers: Promise<string>[] = []
  for (let round = 0; round < 20; round++) {
    for (let each = 0; each < 10; each++) {
      answers.push(code(ledger.submit(order(from, to, { key: `${round}-${each}` }))))
    }
    await sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }
  const all = await Promise.all(answers)
  const done = all.filter((answer) => answer === 'done').length
  assert.equal(await balance(to), BigInt(done))
  assert.deepEqual(
    all.filter((answer) => answer !== 'done' && answer !== 'unavailable'),
    [],
  )
})

test('an account that somebody holds makes its orders wait, then fail, and no others', async (t) => {
  const { ledger, account, order, balance, address } = await bank(t)
  const [from, to, other] = [await account(10n), await account(), await account(10n)]
  const holder = openDatabase(address)
  t.after(() => holder.close())
  const client = await holder.pool.connect()
  await client.query('begin')
  await client.query('select 1 from accounts where id = $1 for update', [from])
  const answers = await Promise.all([
    code(ledger.submit(order(from, to))),
    code(ledger.submit(order(other, to))),
  ])
  await client.query('rollback')
  client.release()
  assert.deepEqual(answers, ['unavailable', 'done'])
  assert.equal(await balance(to), 1n)
})

/** A payment to another bank, and the orders that end its wait. */
async function pendingPayment({ account, order, ledger, sql }: Bank) {
  const [from, clearing] = [await account(10n), bankAccount('clearing', 'EUR')]
  const counterparty = { name: 'Elsewhere', iban: 'DE89370400440532013000' }
  const beneficiaryId = newId(1)
  await sql(
    `insert into beneficiaries (id, account_id, name, iban, created_at)
     values ($1, $2, $3, $4, '2026-01-01')`,
    [beneficiaryId, from, counterparty.name, counterparty.iban],
  )
  const { transfer } = await ledger.submit(order(from, clearing, { counterparty, beneficiaryId }))
  const caller = {
    userId: people.root.id,
    sessionId: sessions.root,
    kid: null,
    role: 'admin',
  } as const
  const ending = { originalId: transfer.id, caller }
  const settle = order(from, clearing, { kind: 'settlement', ...ending })
  const refund = order(clearing, from, { kind: 'return', ...ending })
  /** The plan of a settlement whose COMMIT was not answered. */
  const { id } = transfer
  const plan = (events: AuditEvent[] = []): Plan => ({
    ...emptyPlan([from, clearing]),
    statuses: new Map([[id, { id, status: 'completed', settledSeq: 1n }]]),
    events,
  })
  return { settle, refund, plan }
}

const toEvent = (): AuditEvent => ({
  id: newId(1),
  at: 1,
  actorId: people.root.id,
  action: 'settleTransfer',
  target: null,
  outcome: 'success',
  requestId: newId(1),
  address: '::1',
  detail: null,
})

test('a settlement in doubt is judged by what was done, not by what others did since', async (t) => {
  const made = await bank(t)
  const { db, ledger } = made
  const lost = await pendingPayment(made)
  assert.equal(await resolveInDoubt(db, lost.plan()), 'absent')
  await ledger.submit(lost.refund)
  assert.equal(await resolveInDoubt(db, lost.plan()), 'absent', 'it was returned meanwhile')

  const [own, others] = [toEvent(), toEvent()]
  const done = await pendingPayment(made)
  await ledger.submit({ ...done.settle, event: others } satisfies Order)
  assert.equal(await resolveInDoubt(db, done.plan([own])), 'absent', 'another order settled it')
  assert.equal(await resolveInDoubt(db, done.plan([others])), 'committed')
  assert.equal(await resolveInDoubt(db, done.plan()), 'committed')
})
