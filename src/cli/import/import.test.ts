// The import of a bank: all of it and once, or nothing; and each fault by its place alone.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
// The validator is not the one that the import judges lines with.
import { registerSchema, validate } from '@hyperjump/json-schema/draft-2020-12'
import { bank, type Bank } from '../../../test/support/bank.ts'
import {
  type Folder,
  imported,
  type Line,
  newPlace,
  writeFolder,
} from '../../../test/support/import-folder.ts'
import { readConfig } from '../../config/config.ts'
import { fictitiousBank, toIban } from '../../domain/iban.ts'
import { readTrialBalance } from '../../ledger/proof/trial-balance.ts'
import { verifyLedger } from '../../ledger/proof/verify.ts'
import { erasePersonWholly } from '../erase.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { type ImportOptions, importFolder } from './import.ts'

const config = readConfig({})

type Scene = Bank & {
  place: string
  /** What was said, and the line of a refusal. */
  run(options?: ImportOptions): Promise<{ said: string; refused?: string }>
}

async function scene(t: TestContext, content: Partial<Folder>): Promise<Scene> {
  const made = await bank(t)
  const place = await newPlace(t)
  await writeFolder(place, content)
  return {
    ...made,
    place,
    async run(options = {}) {
      let said = ''
      const say = (text: string) => (said += text)
      const { address, clock } = made
      try {
        await importFolder(place, { address, config, say, clock, ...options })
        return { said }
      } catch (thrown) {
        return { said, refused: (thrown as Error).message }
      }
    },
  }
}

const number = async ({ sql }: Bank, from: string): Promise<number> =>
  Number((await sql(`select count(1) from ${from}`))[0]?.['count'])

/** All that an import could change, without times. */
const contents = ({ sql }: Bank) =>
  sql(`select (select count(1) from users) as users, (select count(1) from accounts) as accounts,
    (select sum(balance) from accounts where kind = 'customer') as balance,
    (select count(1) from beneficiaries) as beneficiaries,
    (select count(1) from standing_orders) as orders,
    (select count(1) from former_entries) as former, (select count(1) from entries) as entries,
    (select count(1) from imported) as imported, (select count(1) from events) as events`)

test('a bank is imported once and as a whole, each account by one posting from `opening`, and no mail is sent', async (t) => {
  const content = imported(6)
  const [first, second] = content.accounts as [Line, Line]
  Object.assign(first, { status: 'frozen', frozenBecause: 'Asked for by the holder' })
  Object.assign(second, { overdraftLimit: '500' })
  const debt = content.balances[1] as Line
  debt['amount'] = '-1.00'
  const { EUR } = content.totals['currencies'] as { EUR: { sum: string } }
  EUR.sum = ((Math.round(Number(EUR.sum) * 100) - 1006 - 100) / 100).toFixed(2)
  const iban = toIban(fictitiousBank, '0000009999')
  content.accounts.push({ sourceId: 'old', owner: 'p1', iban, currency: 'EUR', status: 'closed' })
  Object.assign(content.totals, { accounts: 10 })
  Object.assign(EUR, { accounts: 10 })
  const made = await scene(t, content)
  const free = toIban(fictitiousBank, '0000008888')
  await made.sql('insert into iban_pool (iban) values ($1), ($2)', [first['iban'], free])

  const before = await contents(made)
  const checked = await made.run({ check: true })
  assert.match(checked.said, /^6 people, 10 accounts, .*: no fault\.\n$/, checked.refused)
  assert.deepEqual(await contents(made), before)
  const done = await made.run()
  assert.equal(done.refused, undefined, done.said)

  assert.equal(await number(made, `users where username like 'person%' and status = 'active'`), 6)
  const found = await made.sql(`select iban, balance::text, status, last_seq::text as entries
    from accounts a join imported i on i.id = a.id and i.kind = 'account' order by i.source_id`)
  assert.deepEqual(found[0], { iban: first['iban'], balance: '5', status: 'frozen', entries: '1' })
  assert.equal(found[1]?.['balance'], '-100')
  assert.deepEqual(await made.sql('select iban from iban_pool'), [{ iban: free }])
  assert.deepEqual(
    found.map(({ status }) => status).filter((status) => status !== 'active'),
    ['frozen', 'closed'],
  )
  assert.equal(await number(made, 'beneficiaries'), 18)
  assert.equal(await number(made, `standing_orders where next_on = '2026-03-31'`), 3)
  assert.equal(await number(made, 'mails'), 0)
  const former = await made.sql(`select booked_on::text, amount::int, counterparty_name, reference
    from former_entries order by id`)
  assert.equal(former.length, 6)
  assert.deepEqual(former[1], {
    booked_on: '2024-02-29',
    amount: 750,
    counterparty_name: 'Stadtwerke',
    reference: 'Former 1',
  })
  const postings = await made.sql('select kind, reference from transfers')
  assert.equal(postings.length, 9)
  assert.deepEqual(
    postings.map(({ kind, reference }) => `${kind as string} ${reference as string}`).toSorted(),
    [
      ...Array.from({ length: 5 }, () => 'correction Anfangssaldo'),
      ...Array.from({ length: 4 }, () => 'correction Opening balance'),
    ],
  )
  const books = await verifyLedger(made.db)
  assert.equal(books.mismatch, undefined)
  const [euros] = await readTrialBalance(made.db, made.clock.now() + 60_000)
  const opening = euros?.lines.find(({ code }) => code === 'opening')
  assert.equal(opening?.balance, -BigInt(EUR.sum.replace('.', '')))
  const [event] = await made.sql(`select id, address, detail from audit_events
    where action = 'importBank'`)
  assert.equal(event?.['address'], 'operator')
  assert.equal(await number(made, `transfers where caller_id = '${event?.['id'] as string}'`), 9)
  const freezes = await made.sql(`select f.reason from account_freezes f
    join audit_events e on e.target = f.account_id and e.action = 'freezeAccount'`)
  assert.deepEqual(freezes, [{ reason: 'Asked for by the holder' }])

  const after = await contents(made)
  assert.match((await made.run()).said, /imported before: nothing has changed/)
  assert.deepEqual(await contents(made), after)
  const person = content.people[2] as Line
  Object.assign(content.history[0] as Line, { bookedOn: '2024-02-28' })
  person['familyName'] = 'Changed'
  await writeFolder(made.place, content)
  const again = await made.run()
  assert.equal(
    again.said,
    'people.ndjson, line 3: sourceId is known, and the line has changed since.\n' +
      'history.ndjson, line 1: sourceId is known, and the line has changed since.\n',
  )
  assert.match(again.refused ?? '', /^2 faults: nothing was imported/)
  assert.deepEqual(await contents(made), after)
})

/** What is wrong with a folder once this was done to it. */
type Wrong = readonly [said: RegExp, change: (content: Folder) => void]

const at = (lines: Line[], index: number): Line => lines[index] as Line
const put =
  (file: Exclude<keyof Folder, 'totals'>, index: number, change: Line) => (content: Folder) =>
    void Object.assign(at(content[file], index), change)

const block = {
  sourceId: 'k0',
  account: 'a0',
  debits: true,
  credits: false,
  cause: 'court_order',
  note: 'Order 12 C 345',
}
const cardNumber = '4111 1111 1111 1111'
const wrongs: readonly Wrong[] = [
  [
    /^people.ndjson, line 2: username is that of line 1/,
    put('people', 1, { username: 'ＰERSON0' }),
  ],
  [
    /^people.ndjson, line 2: email is that of line 1/,
    put('people', 1, { email: 'PERSON0@example.com' }),
  ],
  [/^people.ndjson, line 2: username is taken in the bank/, put('people', 1, { username: 'ADA' })],
  [/^people.ndjson, line 2: email is taken/, put('people', 1, { email: 'Ada@example.com' })],
  [/^people.ndjson, line 2: username is not a user name/, put('people', 1, { username: 'p 1' })],
  [/^people.ndjson, line 2: email is not an e-mail/, put('people', 1, { email: 'p1@' })],
  [/^people.ndjson, line 2: sourceId is that of line 1/, put('people', 1, { sourceId: 'p0' })],
  [/^people.ndjson, line 2: has a member that is unknown/, put('people', 1, { Okafor: 1 })],
  [
    /^people.ndjson, line 2: phone is not a valid/,
    put('people', 1, { phone: '+491' + '0'.repeat(8) }),
  ],
  [
    /^people.ndjson, line 1: address holds what looks like a card/,
    put('people', 0, { address: cardNumber }),
  ],
  [
    /^orders.ndjson, line 1: reference holds what looks like a card/,
    put('orders', 0, { reference: cardNumber }),
  ],
  [
    /^accounts.ndjson, line 2: iban is not of a code of this bank/,
    put('accounts', 1, { iban: 'DE89370400440532013000' }),
  ],
  [
    /^accounts.ndjson, line 2: iban is not an IBAN/,
    put('accounts', 1, { iban: 'DE00007700770000000001' }),
  ],
  [
    /^accounts.ndjson, line 2: frozenBecause is of an account that is not frozen/,
    put('accounts', 1, { frozenBecause: 'Lost' }),
  ],
  [/^accounts.ndjson, line 3: owner is in no line/, put('accounts', 2, { owner: 'nobody' })],
  [
    /^blocks.ndjson, line 1: until is over/,
    (content) => void content.blocks.push({ ...block, until: '2025-12-31T00:00:00.000Z' }),
  ],
  [
    /^blocks.ndjson, line 1: until is not a time/,
    (content) => void content.blocks.push({ ...block, until: '2026-13-31T00:00:00.000Z' }),
  ],
  [
    /^blocks.ndjson, line 1: debits or credits/,
    (content) => void content.blocks.push({ ...block, debits: false }),
  ],
  [
    /^blocks.ndjson, line 1: account is in no line/,
    (content) => void content.blocks.push({ ...block, account: 'none' }),
  ],
  [
    /^balances.ndjson, line 1: account is closed, and has money/,
    put('accounts', 0, { status: 'closed' }),
  ],
  [/^balances.ndjson, line 1: currency is not that/, put('balances', 0, { currency: 'USD' })],
  [/^balances.ndjson, line 1: amount is not an amount of its/, put('accounts', 0, {})],
  [
    /^balances.ndjson, line 1: amount is below the overdraft/,
    put('balances', 0, { amount: '-0.01' }),
  ],
  [
    /^balances.ndjson, line 1: unarrangedSince is without an amount below/,
    put('balances', 0, { amount: '0.00', unarrangedSince: '2025-12-31T12:00:00.000Z' }),
  ],
  [
    /^balances.ndjson, line 1: unarrangedSince is in the future/,
    put('balances', 0, { amount: '-0.01', unarrangedSince: '2999-12-31T12:00:00.000Z' }),
  ],
  [/^balances.ndjson, line 2: account is that of line 1/, put('balances', 1, { account: 'a0' })],
  [
    /^beneficiaries.ndjson, line 1: iban is that of the account itself/,
    (content) => put('beneficiaries', 0, { iban: at(content.accounts, 0)['iban'] })(content),
  ],
  [
    /^beneficiaries.ndjson, line 1: iban is not an IBAN/,
    put('beneficiaries', 0, { iban: 'DE00007700770000000001' }),
  ],
  [/^orders.ndjson, line 1: amount is zero/, put('orders', 0, { amount: '0.00' })],
  ...['firstOn', 'nextOn', 'lastOn'].map((member): Wrong => [
    new RegExp(`^orders.ndjson, line 1: ${member} is not a day\\.?$`),
    put('orders', 0, { [member]: '2026-02-30' }),
  ]),
  [
    /^orders.ndjson, line 1: beneficiary is of another account/,
    put('orders', 0, { beneficiary: 'b1' }),
  ],
  [/^orders.ndjson, line 1: beneficiary or toAccount/, put('orders', 0, { toAccount: 'a1' })],
  [
    /^orders.ndjson, line 1: toAccount is of another person/,
    put('orders', 0, { toAccount: 'a1', beneficiary: undefined }),
  ],
  [
    /^orders.ndjson, line 1: nextOn is not a day of its rhythm/,
    put('orders', 0, { nextOn: '2026-03-30' }),
  ],
  [/^orders.ndjson, line 1: nextOn is long over/, put('orders', 0, { nextOn: '2024-02-29' })],
  [/^history.ndjson, line 2: sourceId is that of line 1/, put('history', 1, { sourceId: 'h0' })],
  [/^history.ndjson, line 1: account is in no line/, put('history', 0, { account: 'none' })],
  [/^history.ndjson, line 1: currency is not that/, put('history', 0, { currency: 'USD' })],
  [/^history.ndjson, line 1: amount is not an amount of/, put('history', 0, { amount: '1.055' })],
  [
    /^history.ndjson, line 1: amount is not an amount of its/,
    put('history', 0, { amount: '9'.repeat(19) }),
  ],
  [
    /^history.ndjson, line 1: bookedOn is after the day/,
    put('history', 0, { bookedOn: '2026-01-03' }),
  ],
  [/^history.ndjson, line 1: bookedOn is before/, put('history', 0, { bookedOn: '1969-12-31' })],
  [/^history.ndjson, line 1: bookedOn is not a day/, put('history', 0, { bookedOn: '2025-02-29' })],
  [
    /^history.ndjson, line 1: counterpartyIban is not an IBAN/,
    put('history', 0, { counterpartyIban: 'DE00007700770000000001' }),
  ],
  [
    /^history.ndjson, line 1: counterpartyName is not of/,
    put('history', 0, { counterpartyName: 'A\u202eB' }),
  ],
  [
    /^history.ndjson, line 1: reference holds what looks like a card/,
    put('history', 0, { reference: cardNumber }),
  ],
  [
    /^history.ndjson, line 1: sourceId holds what looks like a card/,
    put('history', 0, { sourceId: cardNumber.replaceAll(' ', '') }),
  ],
  [/^totals.json: history is not the number/, (content) => void (content.totals['history'] = 3)],
  [/^totals.json: people is not the number/, (content) => void (content.totals['people'] = 5)],
  [
    /^totals.json: the sum in EUR is another/,
    (content) => put('balances', 0, { amount: '0.06' })(content),
  ],
]

test('each fault is named by its file and line, none by a value, and nothing is imported', async (t) => {
  const made = await scene(t, {})
  const before = await contents(made)
  let allSaid = ''
  for (const [expected, change] of wrongs) {
    const content = imported(4)
    if (/amount of its/.test(expected.source)) put('balances', 0, { amount: '0.055' })(content)
    change(content)
    await writeFolder(made.place, content)
    const { said, refused } = await made.run()
    assert.match(refused ?? said, /faults: nothing was imported/, expected.source)
    assert.ok(
      said.split('\n').some((line) => expected.test(line)),
      `${expected.source}: ${said}`,
    )
    allSaid += said
    assert.doesNotMatch(said, /4111|Okafor|example|ＰERSON|PERSON|ADA|DE\d|0\.05/)
  }
  assert.deepEqual(await contents(made), before)
  const rules = await readFile(new URL('parse.ts', import.meta.url), 'utf8')
  const texts = [...rules.matchAll(/requireThat\([^]*?'([^']+)',?\s*\)\n/g)].map(([, text]) => text)
  assert.ok(texts.length > 18)
  for (const text of texts) assert.ok(allSaid.includes(` ${text}`), `no row has: ${text}`)
})

test('a folder that is none of the form, and a line without an end, are refused in one line', async (t) => {
  const made = await scene(t, imported(2))
  const put2 = (name: string, text: string) => writeFile(join(made.place, name), text)
  await put2('people.ndjson', `${'x'.repeat(100_000)}\n{"sourceId":"p0","sourceId":"p1"}`)
  const { said } = await made.run()
  assert.match(said, /^people.ndjson, line 1: is too long\.\npeople.ndjson, line 2: is not strict/)
  await put2('cards.ndjson', '')
  assert.match((await made.run()).refused ?? '', /has a file that is not of the form: cards.ndjson/)
  await put2('totals.json', '{}')
  assert.match((await made.run()).refused ?? '', /totals.json: format is missing/)
})

test('of two imports at once one is refused', async (t) => {
  const made = await scene(t, imported(2))
  await made.sql('begin')
  await made.sql(`select pg_advisory_xact_lock(hashtext('strongroom import'))`)
  assert.equal((await made.run()).refused, 'Another import is running.')
  await made.sql('rollback')
  assert.equal((await made.run()).refused, undefined)
})

test('the digest of a line goes with the person, and the line does not bring the person back', async (t) => {
  const made = await scene(t, imported(2))
  await made.run()
  await made.sql(`update accounts set status = 'closed', balance = 0 where kind = 'customer'`)
  const [ada] = await made.sql(`update users set status = 'disabled' where username = 'person0'
    returning id`)
  const owner = openDatabase(made.address, { role: null })
  t.after(() => owner.close())
  const time = { now: made.clock.now() + 1000, limit: made.clock.now() + 1000 }
  await erasePersonWholly(owner, ada?.['id'] as string, time)
  assert.deepEqual(
    await made.sql(`select source_id from imported where line_hash is not null order by 1`),
    [{ source_id: 'h1' }, { source_id: 'p1' }],
  )
  assert.equal(await number(made, 'former_entries'), 1)
  const { said, refused } = await made.run()
  assert.equal(await number(made, 'former_entries'), 1)
  assert.match(refused ?? said, /nothing has changed/)
})

test('docs/import.schema.json is JSON Schema, by another author too, and each line is judged by it', async () => {
  const schema = JSON.parse(
    await readFile(new URL('../../../docs/import.schema.json', import.meta.url), 'utf8'),
  ) as object
  const base = 'https://bank.example/import.schema.json'
  registerSchema(schema as never, base)
  const isValid = async (name: string, value: unknown): Promise<boolean> =>
    (await validate(`${base}#/$defs/${name}`, value as never)).valid
  const { totals, ...files } = imported(2)
  assert.ok(await isValid('totals', totals))
  for (const [name, lines] of Object.entries(files)) {
    for (const line of lines) {
      assert.ok(await isValid(name, line), name)
      assert.ok(!(await isValid(name, { ...line, more: 1 })), name)
    }
  }
})

test('the example for Fineract makes a folder of its CSV files that is imported', async (t) => {
  const made = await scene(t, {})
  const csv = `${made.place}-csv`
  const folder = `${made.place}-mapped`
  await mkdir(csv)
  const iban = (number: string) => toIban(fictitiousBank, number) as string
  const files = {
    'clients.csv':
      'id,firstname,lastname,mobile_no,email_address\n' +
      '1,Ada,"Okafor, van der",+442079460000,ada.o@example.com\r\n2,Grace,Hopper,,g@example.com\n',
    'savings.csv':
      'id,client_id,currency_code,iban,balance\n' +
      `7,1,EUR,${iban('0000000007')},1200.500000\n` +
      `8,2,EUR,${iban('0000000008')},-3.000000\n9,2,JPY,${iban('0000000009')},0.000000\n`,
    'totals.csv': 'currency_code,accounts,sum\nEUR,2,1197.500000\nJPY,1,0.000000\n',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(csv, name), text)
  const script = fileURLToPath(new URL('../../../deploy/fineract.js', import.meta.url))
  await promisify(execFile)(process.execPath, [script, csv, folder])
  const { address, clock } = made
  await importFolder(folder, { address, config, clock, say: () => {} })
  const found = await made.sql(`select u.family_name, a.currency, a.balance::int
    from accounts a join users u on u.id = a.owner_id join imported i on i.id = a.id
    where i.kind = 'account' order by i.source_id`)
  assert.deepEqual(found, [
    { family_name: 'Okafor, van der', currency: 'EUR', balance: 120050 },
    { family_name: 'Hopper', currency: 'EUR', balance: -300 },
    { family_name: 'Hopper', currency: 'JPY', balance: 0 },
  ])
})
