// What is the caller's, what is gone, and what lies in what: by identifier alone.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bank, code, finishing, payElsewhere } from '../../test/support/bank.ts'
import { people } from '../../test/support/people.ts'
import { statement } from '../database/statements/statement.ts'
import { newId, type Resource } from '../domain/ids.ts'
import { bankAccount } from '../ledger/rules/internal-accounts.ts'
import { createOwnership, type Named } from './ownership.ts'

const made = await bank({ after })
const { db, sql, account } = made
const ownership = createOwnership(db)
const ada = people.ada.id

const [open, closed] = [await account(100n), await account()]
const bens = await account(0n, 'ben')
const { transfer } = await made.ledger.submit(made.movement(open, closed))
const away = await payElsewhere(made, open)
await made.ledger.submit(finishing(away, 'return'))
const unknown = newId(1)

async function beneficiary(of: string, status: string): Promise<string> {
  const id = newId(1)
  const [name, iban, at] =
    status === 'deleted' ? [null, null, null] : ['Grace', `XX${id}`, '2026-01-01']
  await sql(
    `insert into beneficiaries (id, account_id, name, iban, status, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, of, name, iban, status, at],
  )
  return id
}

async function card(of: string): Promise<string> {
  const id = newId(1)
  await sql(
    `insert into cards
       (id, account_id, last_four, number_hmac, expiry_month, expiry_year, created_at)
     values ($1, $2, '1234', sha256(uuid_send($1)), 1, 2029, '2026-01-01')`,
    [id, of],
  )
  return id
}

async function session(isEnded: boolean): Promise<string> {
  const id = newId(1)
  const reason = isEnded ? 'logout' : null
  await sql(
    `insert into sessions (id, user_id, created_at, last_used_at, ends_at, ended_at, ended_because)
     values ($1, $2, '2026-01-01', '2026-01-01', '2027-01-01',
             case when $3::text is not null then now() end, $3)`,
    [id, ada, reason],
  )
  return id
}

const [friend, inactive, deleted] = [
  await beneficiary(open, 'active'),
  await beneficiary(open, 'deactivated'),
  await beneficiary(open, 'deleted'),
]
const [ofClosed, cardOfClosed] = [await beneficiary(closed, 'active'), await card(closed)]
const ownCard = await card(open)
const [live, ended] = [await session(false), await session(true)]
// No trigger takes along what hangs on the account: each row is judged by itself.
await sql('set session_replication_role = replica')
await sql('alter table accounts drop constraint accounts_closed_empty')
await sql(`update accounts set status = 'closed' where id = $1`, [closed])
await sql('reset session_replication_role')

async function require(...of: [Resource, string][]): Promise<boolean> {
  const named = of.map(([resource, id]) => ({ resource, id }))
  return (await ownership.judge({ callerId: ada }, named, await ownership.ask(named))).isGone
}

test('a resource is the caller’s, was the caller’s, or is refused: known and unknown alike', async () => {
  const own: [Resource, string][] = [
    ['account', open],
    ['beneficiary', friend],
    ['beneficiary', inactive],
    ['card', ownCard],
    ['session', live],
    ['transfer', transfer.id],
    ['transaction', away.id],
    ['user', ada],
  ]
  for (const named of own) assert.equal(await require(named), false, named.join(' '))
  const gone: [Resource, string][] = [
    ['account', closed],
    ['beneficiary', deleted],
    ['beneficiary', ofClosed],
    ['card', cardOfClosed],
    ['session', ended],
  ]
  for (const named of gone) assert.equal(await require(named), true, named.join(' '))
  const foreign: [Resource, string][] = [
    ['account', bens],
    ['account', bankAccount('cash', 'EUR')],
    ['user', people.ben.id],
    ...own.map(([resource]): [Resource, string] => [resource, unknown]),
  ]
  for (const named of foreign) assert.equal(await code(require(named)), 'forbidden')
})

const readRow = statement(
  'test_read_row_of_account',
  ['uuid[]'],
  { id: 'uuid', ownerId: 'uuid?', isGone: 'bool', iban: 'text?' },
  `select id, owner_id as "ownerId", status = 'closed' as "isGone", iban
   from accounts where id = any($1) and kind = 'customer'`,
)

test('a row that was read in place of the owner is judged as the owner would be', async () => {
  const judge = async (id: string) => {
    const named = [{ resource: 'account', id }] as const
    const found = await ownership.ask(named, readRow)
    return (await ownership.judge({ callerId: ada }, named, found)).isGone
  }
  assert.equal(await judge(open), false)
  assert.equal(await judge(closed), true)
  for (const foreign of [bens, bankAccount('cash', 'EUR'), unknown]) {
    assert.equal(await code(judge(foreign)), 'forbidden')
  }
  const [[row] = []] = await ownership.ask([{ resource: 'account', id: open }], readRow)
  assert.match((row as { iban?: string }).iban ?? '', /^[A-Z]{2}/)
})

test('a payment is from a granted account, on behalf of the active customer who has it', async () => {
  const pay = (payFrom: string[], ...of: [Resource, string][]) =>
    ownership.judgePayment(
      { userId: unknown, payFrom },
      of.map(([resource, id]) => ({ resource, id })),
    )
  assert.equal(await pay([open], ['account', open], ['beneficiary', friend]), false)
  assert.equal(await pay([open], ['account', open], ['beneficiary', deleted]), true)
  assert.equal(await pay([open, closed], ['account', closed], ['account', open]), true)
  const cash = bankAccount('cash', 'EUR')
  const refused: Parameters<typeof pay>[] = [
    [[], ['account', open]],
    [[closed], ['account', open]],
    [[friend], ['beneficiary', friend]],
    [[open]],
    // Granted, but on no customer's behalf.
    [[unknown], ['account', unknown]],
    [[cash], ['account', cash]],
    // To an account or a beneficiary of somebody else.
    [[open], ['account', open], ['account', bens]],
    [[bens], ['account', bens], ['beneficiary', friend]],
  ]
  for (const each of refused) assert.equal(await code(pay(...each)), 'forbidden')
  const setStatus = (status: string) =>
    sql('update users set status = $2 where id = $1', [ada, status])
  await setStatus('disabled')
  try {
    assert.equal(await code(pay([open], ['account', open])), 'forbidden')
  } finally {
    await setStatus('active')
  }
})

test('of several resources each is checked, and one that is gone is reported only if all are own', async () => {
  assert.equal(await require(['account', open], ['beneficiary', friend]), false)
  assert.equal(await require(['account', open], ['account', closed]), true)
  assert.equal(await require(['account', closed], ['account', open]), true)
  for (const other of [bens, unknown]) {
    assert.equal(await code(require(['account', closed], ['account', other])), 'forbidden')
    assert.equal(await code(require(['account', other], ['account', closed])), 'forbidden')
  }
})

test('a nested resource lies in the account that is named with it', async () => {
  const nested: [Resource, string][] = [
    ['beneficiary', friend],
    ['card', ownCard],
    ['transaction', away.id],
  ]
  for (const named of nested) {
    assert.equal(await require(['account', open], named), false)
    assert.equal(await code(require(['account', closed], named)), 'forbidden', named[0])
  }
  assert.equal(await require(['account', closed], ['transaction', transfer.id]), true)
  assert.equal(await require(['account', open], ['transaction', transfer.id]), false)
})

test('an account of the caller is found behind every identifier, on either side of a transfer', async () => {
  const find = async (...named: [Resource, string][]): Promise<Named | undefined> =>
    ownership.findOwn(
      [people.ben.id],
      named.map(([resource, id]) => ({ resource, id })),
    )
  assert.equal(await find(['account', open], ['transfer', transfer.id]), undefined)
  assert.equal((await find(['account', open], ['account', bens]))?.id, bens)
  await sql('set session_replication_role = replica')
  await sql('update transfers set to_account_id = $2 where id = $1', [transfer.id, bens])
  await sql('reset session_replication_role')
  assert.equal((await find(['transfer', transfer.id]))?.id, transfer.id)
  assert.equal(await find(['user', people.ben.id], ['session', live]), undefined)
})
