// Payments from and to other banks in the ledger: one effect of each identifier and of each race,
// also between two instances, and books that prove what is stored of them.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { newId } from '../../domain/ids.ts'
import {
  type Bank,
  bank,
  callers,
  code,
  finishing,
  payElsewhere,
} from '../../../test/support/bank.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { toPieces } from '../../database/schema/piecemeal.ts'
import { type Ledger, openLedger } from './batch.ts'
import { eraseBefore } from '../erasure/erase.ts'
import { toExternalId } from '../rules/external-ids.ts'
import { bankAccount } from '../rules/internal-accounts.ts'
import type { Movement, MovementCaller, MovementOf, Transfer } from '../rules/movement.ts'
import { verifyLedger } from '../proof/verify.ts'

const clearing = bankAccount('clearing', 'EUR')
const details = { endToEndId: 'INV-7', bic: null, reasonCode: null, original: null }

const incoming = (
  to: string,
  id: string,
  more: Partial<MovementOf<'incoming'>> = {},
): MovementOf<'incoming'> => ({
  kind: 'incoming',
  fromAccountId: clearing,
  toAccountId: to,
  amount: 500n,
  currency: 'EUR',
  reference: 'Invoice 7',
  counterparty: { name: 'Payer', iban: 'DE89370400440532013000' },
  details,
  externalId: toExternalId(id, 'createIncomingPayment', { to, amount: '500' }),
  caller: callers.root,
  ...more,
})

const sending = (paid: Transfer, id: string): MovementOf<'sending'> => ({
  ...finishing(paid, 'settlement'),
  kind: 'sending',
  externalId: toExternalId(id, 'sendTransfer', paid.id),
})

const cancelling = (paid: Transfer): MovementOf<'cancellation'> => ({
  ...finishing(paid, 'return'),
  kind: 'cancellation',
  caller: callers.ada,
})

/** A second instance on the same database. */
function another(t: TestContext, { address, clock }: Bank): Ledger {
  const db = openDatabase(address)
  const ledger = openLedger(db, clock)
  t.after(async () => {
    await ledger.close()
    await db.close()
  })
  return ledger
}

const count = async ({ sql }: Bank, where: string): Promise<unknown> =>
  (await sql(`select count(*)::int as count from transfers where ${where}`))[0]?.['count']

async function isSound({ db }: Bank): Promise<void> {
  assert.equal((await verifyLedger(db)).mismatch, undefined)
}

/** Fifty of each at once, on two instances in turn; how each ended. */
const race = (ledgers: readonly Ledger[], movements: readonly Movement[]): Promise<string[]> =>
  Promise.all(
    movements.map((movement, index) => code((ledgers[index % 2] as Ledger).submit(movement))),
  )

const fifty = <V>(make: (index: number) => V): V[] => Array.from({ length: 50 }, (_, i) => make(i))
const tally = (codes: readonly string[]) =>
  Object.fromEntries(
    [...new Set(codes)].map((each) => [each, codes.filter((c) => c === each).length]),
  )

test('an external identifier stands for one transfer for ever: replayed with the same body, refused with another', async (t) => {
  const made = await bank(t)
  const to = await made.account()
  const first = await made.ledger.submit(incoming(to, 'A'))
  made.clock.advance(400 * 86_400_000)
  const at = new Date(made.clock.now())
  await made.sql('update sessions set last_used_at = $1, ends_at = $2', [at, new Date(9e12)])
  const again = await made.ledger.submit(incoming(to, 'A'))
  assert.deepEqual([again.isReplayed, again.transfer.id], [true, first.transfer.id])
  const other = incoming(to, 'A', { externalId: toExternalId('A', 'createIncomingPayment', 'x') })
  assert.equal(await code(made.ledger.submit(other)), 'idempotency_key_reused')
  assert.equal(await made.balance(to), 500n)
  await isSound(made)
})

test('two payments that differ in their external identifiers alone are two, and callers number apart', async (t) => {
  const made = await bank(t)
  const to = await made.account()
  await Promise.all([incoming(to, 'A'), incoming(to, 'B')].map((o) => made.ledger.submit(o)))
  await made.sql(`update users set roles = '{customer,admin}' where id = $1`, [callers.ben.userId])
  const byAnother = { ...callers.ben, role: 'admin' as const }
  await made.ledger.submit(incoming(to, 'A', { caller: byAnother }))
  assert.equal(await made.balance(to), 1500n)
  await isSound(made)
})

test('fifty deliveries of one payment at once, on two instances: one effect, the others replays', async (t) => {
  const made = await bank(t)
  const to = await made.account()
  const ledgers = [made.ledger, another(t, made)]
  const codes = await race(
    ledgers,
    fifty(() => incoming(to, 'A')),
  )
  assert.deepEqual(tally(codes), { done: 50 })
  assert.equal(await made.balance(to), 500n)
  await isSound(made)
})

test('one external identifier for fifty accounts at once, on two instances: one of them is credited', async (t) => {
  const made = await bank(t)
  const ledgers = [made.ledger, another(t, made)]
  const accounts = []
  for (let index = 0; index < 50; index++) accounts.push(await made.account())
  const codes = await race(
    ledgers,
    accounts.map((to) => incoming(to, 'A')),
  )
  assert.deepEqual(tally(codes), { done: 1, idempotency_key_reused: 49 })
  assert.equal(await count(made, `kind = 'incoming'`), 1)
})

test('an incoming payment shows its payer to its account, also when it is reversed', async (t) => {
  const made = await bank(t)
  const to = await made.account()
  const { transfer } = await made.ledger.submit(incoming(to, 'A'))
  const back = { fromAccountId: to, toAccountId: clearing, originalId: transfer.id }
  const { externalId: _, details: __, ...plain } = incoming(to, 'A')
  await made.ledger.submit({ ...plain, kind: 'reversal', ...back })
  const rows = await made.sql(
    `select kind, counterparty_name as name, counterparty_iban as iban from entries
     where account_id = $1 order by seq`,
    [to],
  )
  const payer = { name: 'Payer', iban: 'DE89370400440532013000' }
  assert.deepEqual(rows, [
    { kind: 'incoming', ...payer },
    { kind: 'reversal', ...payer },
  ])
  await isSound(made)
})

test('cancel and send of one payment, fifty of each at once on two instances: one of them wins', async (t) => {
  const made = await bank(t)
  const ledgers = [made.ledger, another(t, made)]
  for (let round = 0; round < 4; round++) {
    const from = await made.account(1000n)
    const paid = await payElsewhere(made, from)
    const movements = fifty((i) => [cancelling(paid), sending(paid, paid.id)][(i + round) % 2]!)
    const mixed = [...movements.slice(round), ...movements.slice(0, round)]
    const codes = await race(ledgers, mixed)
    const [row] = await made.sql('select status from transfers where id = $1', [paid.id])
    const isSent = row?.['status'] === 'sent'
    assert.deepEqual(
      tally(codes),
      isSent ? { done: 25, illegal_transition: 25 } : { done: 1, illegal_transition: 49 },
    )
    assert.equal(await made.balance(from), isSent ? 993n : 1000n)
  }
  await isSound(made)
})

test('a cancellation is not reversed, nor by an instance of a version that knows none', async (t) => {
  const made = await bank(t)
  const paid = await payElsewhere(made, await made.account(7n))
  const { transfer: back } = await made.ledger.submit(cancelling(paid))
  const reversal = { ...finishing(back, 'return'), kind: 'reversal' } as const
  assert.equal(await code(made.ledger.submit(reversal)), 'illegal_transition')
  const columns = 'amount, created_at, caller_id, session_id, status, currency, reference, salt'
  await assert.rejects(
    made.sql(
      `insert into transfers (id, kind, reversal_of, from_account_id, to_account_id, from_seq,
         to_seq, ${columns})
       select $2, 'reversal', id, to_account_id, from_account_id, to_seq + 1, from_seq + 1,
         ${columns}
       from transfers where id = $1`,
      [back.id, newId(1)],
    ),
    /A cancellation is not reversed/,
  )
  await isSound(made)
})

test('two rails that send one payment: one has it, the other is told so', async (t) => {
  const made = await bank(t)
  const ledgers = [made.ledger, another(t, made)]
  const paid = await payElsewhere(made, await made.account(1000n))
  const codes = await race(
    ledgers,
    fifty((i) => sending(paid, `rail ${i % 2} of ${i}`)),
  )
  assert.deepEqual(tally(codes), { done: 1, illegal_transition: 49 })
  assert.equal(await count({ ...made }, `status = 'sent'`), 1)
  await isSound(made)
})

test('return and reversal of a payment that arrived, fifty of each at once: its money comes back once', async (t) => {
  const made = await bank(t)
  const ledgers = [made.ledger, another(t, made)]
  const from = await made.account(1000n)
  const paid = await payElsewhere(made, from)
  await made.ledger.submit(finishing(paid, 'settlement'))
  const back = finishing(paid, 'return')
  const codes = await race(
    ledgers,
    fifty((i) => ({ ...back, kind: i % 4 < 2 ? 'return' : 'reversal' })),
  )
  assert.equal(codes.filter((each) => each === 'done').length, 1)
  assert.equal(await made.balance(from), 1000n)
  assert.equal(await count(made, `reversal_of = '${paid.id}'`), 1)
  await isSound(made)
})

test('a payment goes from pending by sent and completed to returned, each step in the chain and in the feed', async (t) => {
  const made = await bank(t)
  const from = await made.account(1000n)
  const paid = await payElsewhere(made, from)
  await made.ledger.submit(sending(paid, 'A'))
  await isSound(made)
  await made.ledger.submit(finishing(paid, 'settlement'))
  await isSound(made)
  const late = { ...finishing(paid, 'return'), details: { ...details, reasonCode: 'AC04' } }
  await made.ledger.submit(late)
  await isSound(made)
  const [row] = await made.sql('select status from transfers where id = $1', [paid.id])
  assert.equal(row?.['status'], 'returned')
  const told = await made.sql(
    `select type from events where type like 'transfer.%' and ids @> array[$1::uuid] order by written`,
    [paid.id],
  )
  assert.deepEqual(
    told.map(({ type }) => type),
    ['transfer.pending', 'transfer.sent', 'transfer.settled', 'transfer.returned'],
  )
})

test('all steps of a payment in one batch are one change of it, and sound', async (t) => {
  const made = await bank(t)
  const from = await made.account(1000n)
  const paid = await payElsewhere(made, from)
  const steps = [sending(paid, 'A'), finishing(paid, 'settlement'), finishing(paid, 'return')]
  await Promise.all(steps.map((movement) => made.ledger.submit(movement)))
  const [row] = await made.sql('select status from transfers where id = $1', [paid.id])
  assert.equal(row?.['status'], 'returned')
  await isSound(made)
})

/** A service account that may take the step, as the caller of it. */
async function newRail({ sql }: Bank, operation: string): Promise<MovementCaller> {
  const [userId, sessionId] = [newId(1), newId(1)]
  await sql(
    `with made as (
       insert into service_accounts (id, name, reads_all, pay_from, operations, addresses,
         administrators, created_at)
       values ($1, 'Rail', false, '{}', array[$3], '{}', '{}', now()))
     insert into service_keys (id, service_account_id, key_hash, place, created_at)
     values ($2, $1, sha256($2::uuid::text::bytea), 1, now())`,
    [userId, sessionId, operation],
  )
  return { userId, sessionId, kid: null, role: 'admin', operation }
}

test('what one rail sends another does not settle in the same batch, in either order', async (t) => {
  const made = await bank(t)
  const from = await made.account(1000n)
  const [one, other] = [await newRail(made, 'sendTransfer'), await newRail(made, 'settleTransfer')]
  for (const [id, codes] of [
    ['A', ['done', 'forbidden']],
    ['B', ['illegal_transition', 'done']],
  ] as const) {
    const paid = await payElsewhere(made, from)
    const send = () => code(made.ledger.submit({ ...sending(paid, id), caller: one }))
    const settlement = { ...finishing(paid, 'settlement'), caller: other }
    const settle = () => code(made.ledger.submit(settlement))
    const both = id === 'A' ? [send(), settle()] : [settle(), send()].toReversed()
    assert.deepEqual(await Promise.all(both), codes)
  }
  await isSound(made)
})

test('a payment that is returned to a closed account lies in suspense only where the movement names it', async (t) => {
  const made = await bank(t)
  const from = await made.account(7n)
  const paid = await payElsewhere(made, from)
  await made.ledger.submit(finishing(paid, 'settlement'))
  await made.sql(`update accounts set status = 'closed' where id = $1`, [from])
  assert.equal(await code(made.ledger.submit(finishing(paid, 'return'))), 'account_closed')
})

const tampered: Record<string, string> = {
  'details changed': `alter table transfer_details disable trigger user;
    update transfer_details set end_to_end_id = 'OTHER'`,
  'details removed': `alter table transfer_details disable trigger user;
    delete from transfer_details`,
  'the external identifier removed': `alter table external_ids disable trigger user;
    delete from external_ids where external_id = 'A'`,
  'the external identifier of another caller': `alter table external_ids disable trigger user;
    update external_ids set caller_id = gen_random_uuid() where external_id = 'A'`,
  'an external identifier for a payment that was not sent': `insert into external_ids
    select gen_random_uuid(), 'C', sha256(''), id from transfers where status = 'pending'`,
  'an external identifier for a settlement that was not': `insert into external_ids
    select gen_random_uuid(), 'C', sha256(''), id, true from transfers where status = 'sent'`,
  'an external identifier of a transfer that is missing': `insert into external_ids
    select caller_id, 'C', sha256(''), gen_random_uuid() from transfers limit 1`,
  'details of a transfer that is missing': `insert into transfer_details (transfer_id)
    values (gen_random_uuid())`,
  'an external identifier for a deposit': `insert into external_ids
    select caller_id, 'C', sha256(''), id from transfers where kind = 'deposit'`,
  'a sent payment set to pending': `alter table transfers disable trigger user;
    update transfers set status = 'pending', sent_seq = null where status = 'sent'`,
  'a pending payment set to cancelled': `update transfers set status = 'cancelled'
    where status = 'pending'`,
}

test('each change of what is stored of payments from and to other banks is refused or named', async (t) => {
  const made = await bank(t)
  const from = await made.account(1000n)
  await made.ledger.submit(incoming(from, 'A'))
  await made.ledger.submit(sending(await payElsewhere(made, from), 'B'))
  await payElsewhere(made, from, 8n)
  await isSound(made)
  for (const [what, change] of Object.entries(tampered)) {
    const mismatch = await made.mismatchAfter(() => made.sql(change))
    assert.notEqual(mismatch, 'nothing', what)
  }
  await assert.rejects(made.sql('delete from transfer_details'), /append-only/)
  await assert.rejects(made.sql('update external_ids set external_id = $1', ['C']), /append-only/)
})

test('an erasure takes the details with the texts, leaves payments on their way, and the books are sound', async (t) => {
  const made = await bank(t)
  const from = await made.account(1000n)
  await made.ledger.submit(
    incoming(from, 'A', { details: { ...details, original: '{"name":"<x>"}' } }),
  )
  await made.ledger.submit(sending(await payElsewhere(made, from), 'B'))
  const owner = openDatabase(made.address, { role: null })
  t.after(() => owner.close())
  const erasureId = newId(made.clock.now())
  await made.sql(
    `insert into audit_events (id, at, action, outcome, request_id, address)
     values ($1, now(), 'erase', 'success', $1, '')`,
    [erasureId],
  )
  const { pending } = await eraseBefore(owner, made.clock.now() + 1, erasureId)
  assert.equal(pending, 1n)
  assert.deepEqual(await made.sql('select * from transfer_details'), [])
  await isSound(made)
})

test('the marks of payments are counted as they are made, and those of an earlier version by the migration', async (t) => {
  const made = await bank(t)
  const payer = await made.account(100n)
  for (const [index, turn] of ['A', 'B', 'C'].entries()) {
    const paid = await payElsewhere(made, payer, BigInt(index + 1))
    if (turn !== 'C') await made.ledger.submit(sending(paid, turn))
    if (turn !== 'A') await made.ledger.submit(finishing(paid, 'settlement'))
  }
  const counted = () =>
    made.sql('select id, mark_count as count from accounts where mark_count <> 0')
  const marks = [{ id: clearing, count: '4' }]
  assert.deepEqual(await counted(), marks)
  await isSound(made)
  const read = (name: string) =>
    readFile(new URL(`../../../migrations/${name}.sql`, import.meta.url), 'utf8')
  await made.sql('update accounts set mark_count = 0')
  await made.sql((await read('0050_counted_marks')).split('\n\n').at(-1) as string)
  // Between the two the trigger counts.
  await made.ledger.submit(sending(await payElsewhere(made, payer, 9n), 'D'))
  assert.deepEqual(await counted(), [{ id: clearing, count: '1' }])
  const pieces = toPieces(await read('0061_marks_of_before'))
  // The second time as one that was killed before it was recorded.
  for (const piece of [...pieces, ...pieces]) await made.sql(piece)
  assert.deepEqual(await counted(), [{ id: clearing, count: '5' }])
  await isSound(made)
})
