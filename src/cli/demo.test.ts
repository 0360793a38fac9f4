// The demo: varied, the same for the same seed, and sound.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bank, type Bank } from '../../test/support/bank.ts'
import { type Client, client } from '../../test/support/client.ts'
import { freePort, run } from '../../test/support/program.ts'
import { isValidIBAN } from 'ibantools'
import { transaction } from '../database/connections/transaction.ts'
import { utcDays } from '../domain/days.ts'
import { fictitiousBank, isOwnIban } from '../domain/iban.ts'
import { sweepHolds } from '../ledger/rows/holds.ts'
import { verifyLedger } from '../ledger/proof/verify.ts'
import { fill, requireEmpty } from '../../demo/fill.ts'
import { addPeople, type Year } from '../../demo/people.ts'
import { planYear } from '../../demo/year.ts'

const end = Date.UTC(2026, 2, 1)
const start = Date.UTC(2025, 2, 1)
const hash = async () => 'not a hash'

const base = { days: utcDays, start, end, bank: fictitiousBank }

async function filled(year: Year, hasMembers = false): Promise<Bank> {
  const empty = await bank({ after })
  await requireEmpty(empty.db)
  // As a service that runs beside does.
  const sweep = () => transaction(empty.db, (tx) => sweepHolds(tx, year.end))
  const sweeps: Promise<boolean>[] = []
  const progress = (done: number) => {
    if (done % 20 === 0) sweeps.push(sweep())
  }
  await fill(empty.db, { year, hash, progress, hasMembers })
  await Promise.all(sweeps)
  return empty
}

const one = await filled({ ...base, seed: 'one' })

/** Everything that follows from the seed: no identifiers, hashes or keys. */
const seededRows = [
  `select username, email, given_name, family_name, phone, address, roles, status, created_at
   from users where email like '%.%@example.com' order by username`,
  `select iban, u.username, a.kind, currency, name, a.status, balance, last_seq, last_entry_at,
          overdraft_limit, daily_transfer_limit, a.created_at
   from accounts a join users u on u.id = a.owner_id order by iban`,
  `select kind, currency, balance, last_seq from accounts where kind <> 'customer' order by id`,
  `select a.iban as source, b.name, b.iban, b.status, b.created_at
   from beneficiaries b join accounts a on a.id = b.account_id order by 1, 5, 3`,
  `select a.iban, last_four, expiry_month, expiry_year, c.status, frozen_by, c.created_at
   from cards c join accounts a on a.id = c.account_id order by 1, 2`,
  `select coalesce(a.iban, a.kind || a.currency) as account, e.seq, e.amount, e.balance_after,
          e.created_at, t.kind, t.status, t.reference, t.counterparty_name, t.counterparty_iban
   from entries e join accounts a on a.id = e.account_id join transfers t on t.id = e.transfer_id
   order by 1, 2`,
  `select at, action, outcome, regexp_replace(detail, '^(transfer|hold|block) .*', '\\1') as detail
   from audit_events order by 1, 2, 4`,
]

async function tableDigest({ sql }: Bank): Promise<string> {
  const digest = createHash('sha256')
  for (const text of seededRows) digest.update(JSON.stringify(await sql(text)))
  return digest.digest('hex')
}

/** A movement that names an earlier one is a function of the identifier of that. */
const textOf = (plan: object): string =>
  JSON.stringify(plan, (_, value: unknown) => {
    if (typeof value === 'function') return (value as (id: string) => unknown)('an identifier')
    return typeof value === 'bigint' ? `${value}` : value
  })

test('the same seed gives the same bank, another seed another; it is varied, and its books are sound', async () => {
  await assertVaried(one)
  const found = await verifyLedger(one.db)
  assert.equal(found.mismatch, undefined)
  assert.ok(found.transfers > 5000, `${found.transfers} transfers`)
  // All tables of one month, and the plan of the whole year.
  const month = (seed: string) => filled({ ...base, seed, end: Date.UTC(2025, 3, 1) })
  const digest = await tableDigest(await month('one'))
  assert.equal(await tableDigest(await month('one')), digest)
  assert.notEqual(await tableDigest(await month('two')), digest)
  const year = { ...base, seed: 'one' }
  const people = await addPeople((await bank({ after })).db, year, hash)
  const plan = textOf(planYear(people, year))
  assert.equal(textOf(planYear(people, year)), plan)
  assert.notEqual(textOf(planYear(people, { ...year, seed: 'two' })), plan)
})

/** Currencies, things frozen, closed and under way, and all of it within the year. */
async function assertVaried({ sql, db }: Bank): Promise<void> {
  const count = async (text: string) => Number((await sql(`select count(*) ${text}`))[0]?.['count'])
  const customers = `from users where roles = '{customer}' and created_at < '2026-03-01'`
  assert.equal(await count(`${customers} and email like '%.%@example.com'`), 30)
  assert.ok(
    (await count(`from (select distinct currency from accounts where kind = 'customer') c`)) > 4,
  )
  for (const status of ['active', 'frozen', 'closed']) {
    assert.ok((await count(`from accounts where status = '${status}'`)) > 0, status)
  }
  assert.equal(await count('from accounts where debits_blocked_until is not null'), 1)
  for (const status of ['completed', 'pending', 'returned']) {
    assert.ok((await count(`from transfers where status = '${status}'`)) > 0, status)
  }
  assert.equal(await count(`from transfers where kind = 'reversal'`), 1)
  assert.ok((await count(`from transfers where kind = 'card'`)) > 1000)
  assert.equal(await count(`from transfers where kind = 'clearing'`), 1)
  assert.equal(await count(`from transfers where kind = 'refund'`), 1)
  assert.equal(await count(`from holds where status not in ('captured', 'active')`), 0)
  assert.equal(await count('from card_disputes'), 2)
  assert.equal(await count('from card_disputes where chargeback_id is not null'), 1)
  assert.equal(await count(`from transfers where kind = 'chargeback'`), 1)
  assert.equal(await count('from mails'), 0)
  // Each movement by staff stands in the trail.
  for (const [kind, action] of [
    ['deposit', 'createDeposit'],
    ['incoming', 'createIncomingPayment'],
  ]) {
    const booked = await count(`from transfers where kind = '${kind}'`)
    assert.ok(booked > 0, kind)
    assert.equal(await count(`from audit_events where action = '${action}'`), booked)
  }
  // Nothing that comes from another bank is booked as cash, which has no payer.
  assert.equal(
    await count(
      `from transfers where (kind = 'deposit') = (counterparty_iban is not null)
       and kind in ('deposit', 'incoming')`,
    ),
    0,
  )
  // Fees and interest of each month, with amounts that make sense.
  for (const [kind, least, most] of [
    ['fee', 390, 2490],
    ['interest', 50, 3000],
  ] as const) {
    const posted = `from transfers where kind = '${kind}'`
    assert.equal(
      await count(`from (select distinct date_trunc('month', created_at) ${posted}) m`),
      12,
    )
    assert.equal(await count(`${posted} and amount not between ${least} and ${most}`), 0, kind)
  }
  const postings = await count(`from transfers where kind in ('fee', 'interest')`)
  assert.equal(await count(`from audit_events where action = 'createPosting'`), postings)
  assert.equal(await count(`from beneficiaries where status = 'deactivated'`), 1)
  assert.ok((await count(`from beneficiaries where status = 'deleted'`)) > 0)
  assert.equal(await count(`from cards where frozen_by = 'admin'`), 1)
  assert.equal(await count(`from cards where status = 'cancelled'`), 1)
  assert.equal(await count(`from users where status = 'disabled'`), 1)
  assert.equal(await count(`from sessions where device = 'Demo' and ended_at is null`), 0)
  const months = await sql(
    `select count(*) from transfers group by date_trunc('month', created_at)`,
  )
  assert.equal(months.length, 12)
  assert.equal(await count(`from entries where created_at >= '2026-03-01'`), 0)
  await assert.rejects(requireEmpty(db), /^Error: The bank is not empty/)
}

test('the demo of another bank has the numbers of that bank alone, and a bakery where it has members', async () => {
  const dutch = { country: 'NL', prefix: 'ABNA' }
  const year = { ...base, seed: 'nl', end: Date.UTC(2025, 3, 1), bank: dutch }
  const { sql, db } = await filled(year, true)
  const waiting = await sql(
    `select m.rights, m.accepted_at is not null as accepted, d.maker_id = m.person_id as made,
       d.amount >= a.signatures_from as two, d.status
     from account_members m join accounts a on a.id = m.account_id
     join payment_drafts d on d.account_id = a.id order by 1`,
  )
  const common = { accepted: true, two: true, status: 'waiting' }
  assert.deepEqual(
    waiting.map((row) => ({ ...row })),
    [
      { rights: 'pay', made: false, ...common },
      { rights: 'prepare', made: true, ...common },
    ],
  )
  assert.equal((await verifyLedger(db)).mismatch, undefined)
  const without = await one.sql('select count(*) from account_members')
  assert.equal(Number(without[0]?.['count']), 0)
  const ibans = (await sql('select iban from accounts where iban is not null')).map(
    ({ iban }) => iban as string,
  )
  assert.ok(ibans.length > 30)
  for (const iban of ibans) assert.ok(isOwnIban([dutch], iban) && isValidIBAN(iban), iban)
})

/** The holder sees a payment of each state among the newest. */
async function assertCardPayments(
  send: Client['send'],
  token: string,
  accounts: { id: string; held: string }[],
): Promise<void> {
  const lists = accounts.map(({ id }) =>
    send('GET', `/api/v1/accounts/${id}/card-payments?limit=20`, { token }),
  )
  const payments = (await Promise.all(lists)).flatMap(({ body }) => body.items)
  const seen = payments.map(
    ({ status, reason, refunded, merchant }) =>
      `${merchant.name}: ${status} ${reason ?? (refunded === '0.00' ? 'kept' : 'refunded')}`,
  )
  for (const expected of [
    'Lindner Lebensmittel: authorized kept',
    'Reisen Fernweh: declined insufficient_funds',
    'Buchladen am Eck: captured refunded',
  ]) {
    assert.ok(seen.includes(expected), `${expected}: ${seen.join(', ')}`)
  }
  assert.ok(accounts.some(({ held }) => Number(held) >= 23.45))
}

test('the command fills the bank beside a running service, prints logins, and refuses a second run', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-demo-'))
  await chmod(folder, 0o755)
  t.after(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const settings = { DATA_DIR: path.join(folder, 'data'), HTTPS_PORT: String(port), HTTP_PORT: '0' }
  const service = run([], { ...settings, METRICS_PORT: '0' })
  t.after(() => service.child.kill('SIGKILL'))
  await service.says(/Strongroom is ready/)

  const demo = run(['demo'], settings)
  assert.equal(await demo.ended, 0, demo.err())
  assert.match(
    demo.err(),
    /^Filling the bank with a year …\n30 customers and \d+ transfers, in \d+ s\.\n/,
  )
  const logins = [...demo.out().matchAll(/^ {2}(customer|support-agent|admin) +(\S+) +(\S+)\n/gm)]
  assert.equal(logins.length, 3)
  assert.equal(demo.out(), logins.map(([text]) => text).join(''))
  for (const [, , , password] of logins) assert.ok(!demo.err().includes(String(password)))
  const ca = await readFile(path.join(settings.DATA_DIR, 'tls/ca.pem'))
  const { send, close } = client(port, ca)
  for (const [, role, username, password] of logins) {
    const { status, body } = await send('POST', '/api/v1/auth/login', {
      body: { username, password },
    })
    assert.equal(status, 200)
    assert.deepEqual(body.user.roles, [role])
    const accounts = await send('GET', '/api/v1/accounts?limit=5', { token: body.token })
    assert.ok(accounts.body.items.length > 1)
    if (role === 'customer') await assertCardPayments(send, body.token, accounts.body.items)
  }
  close()
  const line = /^ {2}(read .+)$/m.exec(demo.err())?.[1] as string
  const [, , , password] = logins[0] as RegExpExecArray
  assert.ok(!line.includes(String(password)), 'the password is in no command')
  const written = promisify(execFile)('bash', ['-c', `set -eu; cd '${folder}'; ${line}`])
  written.child.stdin?.end(`${password}\n`)
  await written
  const statement = await readFile(path.join(folder, 'statement.pdf'), 'latin1')
  assert.match(statement, /^%PDF-1\.7[^]*%%EOF\s*$/)

  for (const code of ['SE/500', 'NL']) {
    const wrong = run(['demo', '--bank', code], settings)
    assert.equal(await wrong.ended, 2)
    assert.match(wrong.err(), /^--bank [^\n]+\.\n$/)
  }
  const again = run(['demo'], settings)
  assert.equal(await again.ended, 1)
  assert.equal(again.err(), 'The bank is not empty: the demo is only for a new one.\n')
  const verify = run(['verify'], settings)
  assert.equal(await verify.ended, 0, verify.err())
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})
