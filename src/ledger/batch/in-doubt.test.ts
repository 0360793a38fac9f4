// The connection is lost during COMMIT: every answer is true, and nothing is paid twice.
import assert from 'node:assert/strict'
import net from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Bank,
  bank,
  callers,
  code,
  finishing,
  payElsewhere,
} from '../../../test/support/bank.ts'
import { until } from '../../../test/support/mailbox.ts'
import { people } from '../../../test/support/people.ts'
import type { AuditEvent } from '../../audit/sql.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { newId } from '../../domain/ids.ts'
import { digestTerms } from '../../gate/confirmations.ts'
import { openLedger } from './batch.ts'
import { toExternalId } from '../rules/external-ids.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import type { Movement } from '../rules/movement.ts'
import { emptyPlan, type Plan } from './facts.ts'
import { resolveInDoubt } from './in-doubt.ts'
import { verifyLedger } from '../proof/verify.ts'

/** The connection to the client is cut at the next COMMIT, and then … */
type Fault =
  | 'delivered' // … the server receives it and commits
  | 'late' // … the server receives it half a second later
  | 'lost' // … the server does not receive it
  | 'alone' // … the server receives it, and cannot be reached for some seconds

const commit = Buffer.from('Q\0\0\0\x0bcommit\0')

/** What a movement may be answered on a slow machine. */
const busy = ['unavailable', 'outcome_unknown']

/** Submits again while a slow machine is refused for want of time. A movement has a key. */
async function patiently(submit: () => Promise<string>): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const answer = await submit()
    if (!busy.includes(answer) || attempt === 100) return answer
    await sleep(100)
  }
}

/** A ledger whose connections to the database can be cut. */
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
      // The server has to receive the COMMIT before the end of the connection.
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
    failNextCommit: (next: Fault) => {
      fault = next
      commits = 0
    },
    commits: () => commits,
    reconnect: () => {
      isShut = false
    },
  }
}

for (const fault of ['delivered', 'late', 'lost'] as const) {
  test(`a COMMIT that was ${fault} is resolved: done, and done once`, async (t) => {
    const fixture = await bank(t)
    const { ledger, failNextCommit, commits } = await faulty(t, fixture)
    const [from, to] = [await fixture.account(100n), await fixture.account()]
    assert.equal(
      await code(ledger.submit(fixture.movement(from, to, { reference: 'warm' }))),
      'done',
    )
    // Without PostgreSQL's own, such as an automatic vacuum.
    const clients = `select from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'`
    const countConnections = async () => (await fixture.sql(clients)).length
    const connections = await countConnections()
    failNextCommit(fault)
    const keys = ['a', 'b', 'c']
    const submit = (key: string) => code(ledger.submit(fixture.movement(from, to, { key })))
    const first = await Promise.all(keys.map(submit))
    const isPrompt = first.every((answer) => answer === 'done')
    // With the one that found out.
    if (isPrompt) assert.equal(commits(), fault === 'lost' ? 3 : 2)
    for (const key of keys) assert.equal(await patiently(() => submit(key)), 'done')
    assert.equal(await fixture.balance(to), 4n)
    const again = await ledger.submit(fixture.movement(from, to, { key: 'a' }))
    assert.equal(again.isReplayed, true)
    await until('no connection is left', async () => (await countConnections()) === connections)
  })
}

for (const fault of ['delivered', 'lost'] as const) {
  test(`a COMMIT that was ${fault} of a new order and of one that is repeated: each is answered truly`, async (t) => {
    const fixture = await bank(t)
    const { ledger, failNextCommit } = await faulty(t, fixture)
    const [from, to] = [await fixture.account(100n), await fixture.account()]
    const submit = (key: string) => ledger.submit(fixture.movement(from, to, { key }))
    const first = await submit('a')
    failNextCommit(fault)
    const [order, repetition] = [submit('b'), submit('a')]
    // It is looked at below, after the new movement.
    repetition.catch(() => {})
    const posted = await order
    assert.equal(posted.isReplayed, false)
    // The transfer of the repetition was to be read with the COMMIT.
    if (fault === 'delivered') {
      assert.equal(await code(repetition), 'outcome_unknown')
    } else {
      const { isReplayed, transfer } = await repetition
      assert.deepEqual([isReplayed, transfer.id], [true, first.transfer.id])
    }
    for (const [key, { transfer }] of [
      ['a', first],
      ['b', posted],
    ] as const) {
      const again = await submit(key)
      assert.deepEqual([again.isReplayed, again.transfer.id], [true, transfer.id])
    }
    assert.equal(await fixture.balance(to), 2n)
  })
}

/** A movement that a confirmed challenge belongs to, by which it is paid once. */
async function confirmedMovement({ sql, movement, clock }: Bank, from: string, key: string) {
  const { userId, sessionId } = callers.ada
  const [challengeId, digest] = [newId(clock.now()), digestTerms({ key })]
  await sql(
    `insert into challenges (id, purpose, user_id, session_id, operation, terms, digest, nonce,
       created_at, expires_at, confirmed_at)
     values ($1, 'confirmation', $2, $3, 'createTransfer', '{}', $4, $4, $5, $6, $5)`,
    [challengeId, userId, sessionId, digest, new Date(clock.now()), new Date(clock.now() + 60_000)],
  )
  const event = { ...toEvent(), action: 'useConfirmation' as const }
  const exempt = { amount: 0n, sum: 0n }
  const confirmation = { userId, sessionId, digest, challengeId, exempt, event }
  const beneficiaryId = newId(1)
  await sql(
    `insert into beneficiaries (id, account_id, name, iban, created_at)
     values ($1, $2, 'Elsewhere', $3, '2026-01-01')`,
    [beneficiaryId, from, `DE8937040044053201${key}`],
  )
  const counterparty = { name: 'Elsewhere', iban: 'DE89370400440532013000' }
  const clearing = bankAccount('clearing', 'EUR')
  return movement(from, clearing, { beneficiaryId, counterparty, confirmation })
}

for (const fault of ['delivered', 'late', 'lost'] as const) {
  test(`a COMMIT that was ${fault} uses a confirmation up with its payment, once`, async (t) => {
    const fixture = await bank(t)
    const { ledger, failNextCommit } = await faulty(t, fixture)
    const from = await fixture.account(100n)
    const movements = await Promise.all(
      ['a', 'b'].map((key) => confirmedMovement(fixture, from, `key-${key}`)),
    )
    failNextCommit(fault)
    const answers = await Promise.all(movements.map((movement) => code(ledger.submit(movement))))
    assert.ok(answers.every((answer) => ['done', ...busy].includes(answer)))
    const text = `select (select count(*)::int from challenges where used_at is not null) as used,
      (select count(*)::int from audit_events where action = 'useConfirmation') as noted,
      (select count(*)::int from unconfirmed_payments where count = 0) as begun`
    const [{ used, noted, begun } = {}] = await fixture.sql(text)
    assert.equal(await fixture.balance(from), 100n - BigInt(used as number))
    assert.equal(noted, used)
    // The rest is about answers that were given in time.
    if (answers.some((answer) => answer !== 'done')) return
    assert.deepEqual([used, begun], [2, 1])
    for (const movement of movements) {
      const again = { ...movement, reference: 'again' }
      assert.equal(await code(ledger.submit(again)), 'confirmation_required')
    }
    // A repetition by its key is answered without a confirmation.
    const last = { ...(await confirmedMovement(fixture, from, 'key-c')), key: 'c' }
    failNextCommit(fault)
    assert.equal(await patiently(() => code(ledger.submit(last))), 'done')
    assert.equal((await ledger.submit(last)).isReplayed, true)
    assert.equal(await fixture.balance(from), 97n)
  })
}

test('an outcome that was unknown uses a confirmation up or leaves it, as the payment', async (t) => {
  const fixture = await bank(t)
  const { ledger, failNextCommit, reconnect } = await faulty(t, fixture)
  const from = await fixture.account(100n)
  const movement = { ...(await confirmedMovement(fixture, from, 'key-a')), key: 'k' }
  failNextCommit('alone')
  assert.equal(await code(ledger.submit(movement)), 'outcome_unknown')
  reconnect()
  assert.equal(await patiently(() => code(ledger.submit(movement))), 'done')
  assert.equal((await ledger.submit(movement)).isReplayed, true)
  const { confirmation: _, ...unconfirmed } = movement
  assert.equal((await ledger.submit(unconfirmed)).isReplayed, true)
  assert.equal(await fixture.balance(from), 99n)
  const [row] = await fixture.sql('select used_at is not null as used from challenges')
  assert.equal(row?.['used'], true)
})

for (const fault of ['delivered', 'lost'] as const) {
  test(`a card payment that is approved or declined when its COMMIT was ${fault} is stored once`, async (t) => {
    const fixture = await bank(t)
    const { ledger, failNextCommit } = await faulty(t, fixture)
    const [account, cardId] = [await fixture.account(100n), newId(1)]
    await fixture.sql(
      `insert into cards (id, account_id, last_four, number_hmac, expiry_month, expiry_year,
         created_at) values ($1, $2, '1234', sha256('x'), 12, 2099, '2026-01-01')`,
      [cardId, account],
    )
    const merchant = { merchantName: 'Shop', merchantCategory: '5411', merchantCountry: 'DE' }
    const ask = (id: string, amount: bigint) =>
      ledger.submit({
        kind: 'authorization',
        fromAccountId: account,
        toAccountId: account,
        amount,
        currency: 'EUR',
        reference: '',
        expiresAt: undefined,
        request: { cardId, channel: 'chip', isAbroad: false, mails: [], ...merchant },
        externalId: toExternalId(id, 'authorizeCardPayment', id),
        caller: callers.root,
      })
    const amounts = { A: 60n, B: 70n, C: 40n }
    for (const [id, amount] of Object.entries(amounts)) {
      failNextCommit(fault)
      assert.equal(await patiently(() => code(ask(id, amount))), 'done')
      assert.equal((await ask(id, amount)).isReplayed, true)
    }
    const rows = await fixture.sql('select amount::int, reason from card_authorizations order by 1')
    assert.deepEqual(rows, [
      { amount: 40, reason: null },
      { amount: 60, reason: null },
      { amount: 70, reason: 'insufficient_funds' },
    ])
    assert.equal((await verifyLedger(fixture.db)).mismatch, undefined)
  })
}

test('without a database the outcome is unknown, and the key gets the answer later', async (t) => {
  const fixture = await bank(t)
  const { ledger, failNextCommit, reconnect } = await faulty(t, fixture)
  const [from, to] = [await fixture.account(100n), await fixture.account()]
  failNextCommit('alone')
  const keyed = fixture.movement(from, to, { key: 'k' })
  assert.equal(await code(ledger.submit(keyed)), 'outcome_unknown')
  assert.equal(await code(ledger.submit(fixture.movement(from, to, { key: 'l' }))), 'unavailable')
  reconnect()
  assert.equal(await patiently(() => code(ledger.submit(keyed))), 'done')
  assert.equal((await ledger.submit(keyed)).isReplayed, true)
  assert.equal(await fixture.balance(to), 1n)
})

test('when backends are terminated, every order is done or refused without effect', async (t) => {
  const { ledger, account, movement, balance, sql } = await bank(t)
  const [from, to] = [await account(1000n), await account()]
  const answers: Promise<string>[] = []
  const submit = (key: string) => code(ledger.submit(movement(from, to, { key })))
  for (let round = 0; round < 20; round++) {
    for (let index = 0; index < 10; index++) {
      const key = `${round}-${index}`
      const answer = submit(key)
      // Its key tells later what became of it.
      const isKnown = (told: string) => told !== 'outcome_unknown'
      answers.push(answer.then((told) => (isKnown(told) ? told : patiently(() => submit(key)))))
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

test('a locked account makes its own movements wait and then fail, and no others', async (t) => {
  const { ledger, account, movement, balance, address } = await bank(t)
  const [from, to, other] = [await account(10n), await account(), await account(10n)]
  const holder = openDatabase(address)
  t.after(() => holder.close())
  const client = await holder.pool.connect()
  await client.query('begin')
  await client.query('select 1 from accounts where id = $1 for update', [from])
  const waiting = code(ledger.submit(movement(from, to)))
  const free = { ...movement(other, to), key: 'free' }
  assert.equal(await patiently(() => code(ledger.submit(free))), 'done')
  assert.equal(await waiting, 'unavailable')
  await client.query('rollback')
  client.release()
  assert.equal(await balance(to), 1n)
})

/** A payment to another bank, the movements that end it, and the plan of a settlement in doubt. */
async function pendingPayment(fixture: Bank) {
  const transfer = await payElsewhere(fixture, await fixture.account(10n))
  const { id, fromAccountId, toAccountId } = transfer
  const plan = (events: AuditEvent[] = []): Plan => ({
    ...emptyPlan([fromAccountId, toAccountId]),
    steps: new Map([[id, { id, status: 'completed', marks: [] }]]),
    events,
  })
  return { settle: finishing(transfer, 'settlement'), refund: finishing(transfer, 'return'), plan }
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

test('a settlement in doubt is resolved by its own effect, not by later movements', async (t) => {
  const fixture = await bank(t)
  const { db, ledger } = fixture
  const lost = await pendingPayment(fixture)
  assert.equal(await resolveInDoubt(db, lost.plan()), 'absent')
  await ledger.submit(lost.refund)
  assert.equal(await resolveInDoubt(db, lost.plan()), 'absent', 'it was returned since')

  const [own, others] = [toEvent(), toEvent()]
  const done = await pendingPayment(fixture)
  await ledger.submit({ ...done.settle, events: [others] } satisfies Movement)
  assert.equal(await resolveInDoubt(db, done.plan([own])), 'absent', 'another order settled it')
  assert.equal(await resolveInDoubt(db, done.plan([others])), 'committed')
  assert.equal(await resolveInDoubt(db, done.plan()), 'committed')
  assert.equal(await resolveInDoubt(db, emptyPlan([])), 'absent', 'claims are written again')
})
