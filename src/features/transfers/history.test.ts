// The history of accounts as their owner searches and pages it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  deposit,
  openAccount,
  readPages,
  scene,
  transferBody,
} from '../../../test/support/fixture.ts'
import { createRandom } from '../../../test/support/random.ts'
import type { ApiClient } from '../../../test/support/world.ts'
import { eraseTextsBefore } from '../../cli/erase.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { newId } from '../../domain/ids.ts'
import { searchFor } from './entry-search.ts'
import { type HistoryDb, listEntries } from './history-sql.ts'

type Item = Record<string, string>

test('a history is searched by the reference and the counterparty as they are shown, and by nothing else', async (t) => {
  const fixture = await scene(t)
  const { ada, root, from, clock } = fixture
  const ben = await fixture.as('ben')
  const into = await openAccount(ben)
  const { iban } = (await ben.get(`/api/v1/accounts/${into}`)).body
  const payee = { name: 'Benny (Gärtner)', iban }
  const beneficiary = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, payee)
  for (const reference of ['Äpfel (4.5)', 'Birnen', 'Birnen?']) {
    clock.advance(10_000)
    const body = { fromAccountId: from, beneficiaryId: beneficiary.body.id, currency: 'EUR' }
    const paid = await ada.post('/api/v1/transfers', { ...body, amount: '1.00', reference })
    assert.equal(paid.status, 201, paid.text)
  }
  const find = async (client: ApiClient, account: string, text: string, more = '') => {
    const query = `text=${encodeURIComponent(text)}${more}`
    const reply = await client.get(`/api/v1/accounts/${account}/transactions?${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.items.map(({ reference }: Item) => reference)
  }
  const all = ['Birnen?', 'Birnen', 'Äpfel (4.5)']
  const found: [ApiClient, string, string, string[]][] = [
    [ada, from, 'BENNY (GÄR', all],
    [ben, into, 'okafor', all],
    [root, from, 'benny', all],
    [root, into, 'Ada O', all],
    [ada, from, 'äPFEL', ['Äpfel (4.5)']],
    [ben, into, 'rnen', ['Birnen?', 'Birnen']],
    [ada, from, 'n?', ['Birnen?']],
    [ada, from, '(4.', ['Äpfel (4.5)']],
    [ada, from, '.', ['Äpfel (4.5)']],
    [ada, from, 'paid in', ['Paid in']],
    // The holder behind an IBAN is not told to the payer, nor the payer's name for it to the payee.
    [ada, from, 'Lindqvist', []],
    [ben, into, 'Benny', []],
    // Part of both, but of neither alone.
    [ada, from, 'Birnen Benny', []],
  ]
  assert.deepEqual(await find(ada, from, 'benny', '&limit=1'), ['Birnen?'])
  for (const [client, account, text, references] of found) {
    assert.deepEqual(await find(client, account, text), references, text)
  }
  assert.deepEqual(await find(ada, from, 'birnen', '&maxAmount=0.99'), [])
  for (const text of ['', '%', '_', '\\', '<b>', 'x'.repeat(141), 'x'.repeat(200)]) {
    const query = new URLSearchParams({ text }).toString()
    const reply = await ada.get(`/api/v1/accounts/${from}/transactions?${query}`)
    assert.equal(reply.status, 400, text)
  }

  const path = `/api/v1/accounts/${from}/transactions?limit=1`
  const { nextCursor } = (await ada.get(`${path}&text=birnen`)).body
  assert.deepEqual(await find(ada, from, 'birnen', `&cursor=${nextCursor}`), ['Birnen'])
  // A cursor is of what is asked for, in whichever order it is written.
  const parts = ['minAmount=0.01', 'text=birnen', 'kind=transfer']
  const first = await ada.get(`${path}&${parts.join('&')}`)
  const written = `${parts.toReversed().join('&')}&cursor=${first.body.nextCursor}`
  assert.equal((await ada.get(`${path}&${written}`)).status, 200)
  for (const other of ['', '&text=Birnen']) {
    assert.equal((await ada.get(`${path}${other}&cursor=${nextCursor}`)).status, 400, other)
  }

  const owner = openDatabase(fixture.address, { role: null })
  t.after(() => owner.close())
  const now = clock.now()
  await eraseTextsBefore(owner, now + 1, { now, limit: now + 1 })
  for (const text of ['birnen', 'äpfel', 'benny', 'lindqvist', 'paid']) {
    assert.deepEqual(await find(ada, from, text), [], text)
  }
  assert.deepEqual(await find(ben, into, 'birnen'), [])
  assert.deepEqual(await find(ben, into, 'okafor'), [])
})

test('a history is searched by IBAN and exact amount, in either Unicode form, by direction and amount; what says nothing is refused by its name', async (t) => {
  const fixture = await scene(t)
  const { ada, root, from, to, clock } = fixture
  const { iban } = (await ada.get(`/api/v1/accounts/${to}`)).body
  for (const [amount, reference] of [
    ['12.34', 'Ελένη ΣΟΦΟΣ'],
    ['1.00', 'Cafe\u0301'],
    ['2.00', 'Tea 12'],
  ] as const) {
    clock.advance(10_000)
    const paid = await ada.post('/api/v1/transfers', {
      ...transferBody(from, to, amount),
      reference,
    })
    assert.equal(paid.status, 201, paid.text)
  }
  await deposit(root, from, '12.34')
  const ask = (query: Record<string, string>) => {
    clock.advance(1000)
    const text = new URLSearchParams(query).toString()
    return ada.get(`/api/v1/accounts/${from}/transactions?${text}`)
  }
  const all = ['-2.00', '-1.00', '-12.34']
  const groups = (iban as string).match(/.{1,4}/g) ?? []
  const found: [query: Record<string, string>, amounts: string[]][] = [
    [{ text: iban }, all],
    [{ text: groups.join(' ').toLowerCase() }, all],
    [{ text: (iban as string).slice(-4) }, all],
    [{ text: (iban as string).slice(-3) }, []],
    [{ text: '12.34' }, ['12.34', '-12.34']],
    [{ text: '12,34' }, ['12.34', '-12.34']],
    [{ text: '- 12,34' }, ['12.34', '-12.34']],
    [{ text: '12,3' }, []],
    [{ text: '12' }, ['-2.00']],
    [{ text: 'σοφος' }, ['-12.34']],
    [{ text: 'ΕΛΕΝΗ Σ' }, ['-12.34']],
    [{ text: 'CAFÉ' }, ['-1.00']],
    [{ amount: '12.34' }, ['12.34', '-12.34']],
    [{ amount: '12.34', direction: 'out' }, ['-12.34']],
    [{ direction: 'in' }, ['12.34', '100.00']],
    [{ direction: 'out', text: 'tea ' }, ['-2.00']],
  ]
  for (const [query, amounts] of found) {
    const { body, status, text } = await ask(query)
    assert.equal(status, 200, text)
    const shown = body.items.map(({ amount }: Item) => amount)
    assert.deepEqual(shown, amounts, JSON.stringify(query))
  }
  const wrong: [query: Record<string, string>, path: string][] = [
    [{ amount: '1.234' }, '/query/amount'],
    [{ minAmount: '1.234' }, '/query/minAmount'],
    [{ maxAmount: '0.001' }, '/query/maxAmount'],
    [{ amount: '1.00', maxAmount: '2.00' }, '/query/amount'],
    [{ amount: '-1.00' }, '/query/amount'],
    [{ direction: 'both' }, '/query/direction'],
    [{ text: '' }, '/query/text'],
    [{ text: ' ' }, '/query/text'],
    [{ text: 'x'.repeat(200) }, '/query/text'],
  ]
  for (const [query, path] of wrong) {
    const { body, status } = await ask(query)
    assert.deepEqual([status, body.details?.[0].path], [400, path], JSON.stringify(query))
  }
})

test('the newest transactions of all open accounts are those of each account, whole on any pages', async (t) => {
  const fixture = await scene(t)
  const { ada, root, from, to, clock } = fixture
  const random = createRandom(7)
  const yen = await openAccount(ada, 'JPY')
  const closing = await openAccount(ada)
  const foreign = await openAccount(await fixture.as('ben'))
  await deposit(root, foreign, '50.00')
  await deposit(root, closing, '1.00')
  const move = async (source: string, target: string, amount: string) => {
    const body = { ...transferBody(source, target, amount), reference: 'Between' }
    const paid = await ada.post('/api/v1/transfers', body)
    assert.equal(paid.status, 201, paid.text)
  }
  await move(closing, from, '1.00')
  for (let turn = 1; turn <= 30; turn++) {
    // Many entries have the same time.
    if (random.chance(50)) clock.advance(1)
    if (random.chance(30)) await deposit(root, yen, `${turn}`, 'JPY')
    else if (random.chance(70)) await move(from, to, `0.${9 + turn}`)
    else await move(to, from, `0.${9 + turn}`)
  }
  assert.equal((await ada.delete(`/api/v1/accounts/${closing}`)).status, 204)

  const expected: Item[] = []
  for (const accountId of [from, to, yen]) {
    const { body } = await ada.get(`/api/v1/accounts/${accountId}/transactions?limit=100`)
    expected.push(...body.items.map((item: object) => ({ accountId, ...item })))
  }
  const ofAccount = (items: Item[], id: string) => items.filter(({ accountId }) => accountId === id)
  for (const limit of [1, 2, 7, 100]) {
    const items = await readPages(ada, `/api/v1/transactions?limit=${limit}`)
    const times = items.map(({ createdAt }) => createdAt)
    assert.deepEqual(
      times,
      items
        .map(({ createdAt = '' }) => createdAt)
        .toSorted()
        .toReversed(),
    )
    for (const id of [from, to, yen]) {
      assert.deepEqual(ofAccount(items, id), ofAccount(expected, id))
    }
    assert.equal(items.length, expected.length)
  }

  const { nextCursor } = (await ada.get('/api/v1/transactions?limit=5')).body
  clock.advance(1)
  await deposit(root, from, '9.00')
  const { items } = (await ada.get(`/api/v1/transactions?limit=100&cursor=${nextCursor}`)).body
  assert.equal(items.length, expected.length - 5, 'what is posted meanwhile moves no later page')
  assert.equal((await ada.get('/api/v1/transactions?limit=1')).body.items[0].amount, '9.00')
  const both = await fixture.as('both')
  assert.deepEqual((await both.get('/api/v1/transactions')).body.items, [])
  assert.equal((await both.get(`/api/v1/transactions?cursor=${nextCursor}`)).status, 400)
})

test('no statement of a history reads more than 10 000 entries, or 2000 texts, the first one twice a filtered page, a request 20 000 in all, and none is sent once the page is full', async () => {
  const windows: unknown[][] = []
  const db: HistoryDb = {
    lookupMany: (statement, page) => {
      const [id, ...range] = page.split(' ')
      return db.run(statement, [id, ...range.map(BigInt)] as never) as never
    },
    async run({ name }, values) {
      if (name === 'ledger_list_entries_by_seq') {
        return (values[1] as bigint[]).map((seq) => ({ seq })) as never
      }
      const [, first, before] = values as unknown as [string, bigint, bigint]
      windows.push([first, before])
      const row = { reference: 'Rent', counterpartyName: null, counterpartyIban: null, amount: 1n }
      return [9000n]
        .filter((seq) => seq >= first && seq < before)
        .map((seq) => ({ seq, ...row })) as never
    },
  }
  const range = (before: bigint) => ({ accountId: newId(1), first: 1n, before })
  const matches = searchFor('rent', 'EUR')
  const wanted = [
    [{ kind: 'deposit' }, [24_801n, 22_801n, 12_801n, 5001n]],
    [
      { kind: 'deposit', matches },
      [24_801n, ...Array.from({ length: 9 }, (_, turn) => 22_801n - BigInt(turn) * 2000n), 5001n],
    ],
  ] as const
  for (const [filter, starts] of wanted) {
    windows.length = 0
    const { rows, next } = await listEntries(db, { ...range(25_001n), ...filter }, 100)
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      [9000n],
    )
    assert.equal(next, 5001n, 'where the next request goes on')
    const ends = [25_001n, ...starts]
    assert.deepEqual(
      windows,
      starts.map((start, index) => [start, ends[index]]),
    )
    windows.length = 0
    const full = await listEntries(db, { ...range(9001n), ...filter }, 1)
    assert.deepEqual([full.rows.length, windows], [1, [[8999n, 9001n]]])
  }
  const filters = [
    [{}, 9000n],
    [{ matches }, 8999n],
    [{ kind: 'deposit' }, 8999n],
    [{ min: 1n }, 8999n],
    [{ max: 1n }, 8999n],
    [{ isCredit: false }, 8999n],
  ] as const
  for (const [filter, first] of filters) {
    windows.length = 0
    await listEntries(db, { ...range(9001n), ...filter }, 1)
    assert.deepEqual(windows, [[first, 9001n]], 'without a filter it reads the page alone')
  }
})

test('a search folds 500 000 letters that are not ASCII at most in a request, and goes on exactly where it stopped', async () => {
  // Each takes 140 letters, and 140 times 18 when it is folded: the longest that Unicode knows.
  const reference = '\ufdfa'.repeat(140)
  let folded = 0
  const found = new Set([24_000n, 23_813n, 23_812n, 1n])
  const db: HistoryDb = {
    lookupMany: () => assert.fail('a search reads no page'),
    async run({ name }, values) {
      if (name === 'ledger_list_entries_by_seq') {
        return (values[1] as bigint[]).map((seq) => ({ seq })) as never
      }
      const [, first, before] = values as [string, bigint, bigint]
      const rows = []
      for (let seq = before - 1n; seq >= first; seq--) {
        rows.push({
          seq,
          amount: found.has(seq) ? 4711n : 1n,
          get reference() {
            folded += 140 * 19
            return reference
          },
          counterpartyName: null,
          counterpartyIban: null,
        })
      }
      return rows as never
    },
  }
  const seen: bigint[] = []
  let requests = 0
  let before: bigint | undefined = 24_001n
  while (before !== undefined) {
    folded = 0
    const filter = { accountId: newId(1), first: 1n, before, matches: searchFor('47.11', 'EUR') }
    const { rows, next } = await listEntries(db, filter, 21)
    seen.push(...rows.map(({ seq }) => seq))
    // It reads one entry more, and leaves it to the next request.
    assert.ok(folded < 500_000 + 2 * 140 * 19, `${folded}`)
    assert.ok(next === undefined || next < before, 'each request gets on')
    before = next
    requests++
  }
  assert.deepEqual(seen, [...found], 'each once')
  assert.equal(requests, Math.ceil(24_000 / 188))
})

test('an owner notes something on an entry, finds it by that and takes it away; nobody else reads it, and the books have none of it', async (t) => {
  const { ada, root, from, to, sql, as } = await scene(t)
  const body = { ...transferBody(from, to, '12.00'), reference: 'Dinner' }
  const { id } = (await ada.post('/api/v1/transfers', body)).body
  const path = `/api/v1/accounts/${from}/transactions/${id}`
  const notes = async (client: ApiClient, account = from) => {
    const read = await client.get(`/api/v1/accounts/${account}/transactions/${id}`)
    const found = await client.get(`/api/v1/accounts/${account}/transactions?text=gr%C3%81ce`)
    return [read.body.note, found.body.items.map(({ note }: Item) => note)]
  }
  const tables = ['transfers', 'entries']
  const books = async () =>
    (await Promise.all(tables.map((name) => sql(`table ${name}`)))).map(({ rows }) => rows)
  const before = await books()
  const [, deposited] = (await ada.get(`/api/v1/accounts/${from}/transactions`)).body.items
  for (const text of ['Split with Gráce', 'Gráce has paid']) {
    const noted = await ada.put(`${path}/note`, { text })
    assert.equal(noted.status, 204, noted.text)
    assert.deepEqual(await notes(ada), [text, [text]])
  }
  // The other side is an own account too: its entry has no note.
  assert.deepEqual(await notes(ada, to), [undefined, []])
  assert.deepEqual(await notes(root), [undefined, []])
  assert.deepEqual(await books(), before)
  const { rows } = await sql("select detail from audit_events where action = 'noteTransaction'")
  assert.ok(!JSON.stringify(rows).includes('Gr'))
  const refused: [ApiClient, string, string, number][] = [
    [await as('ben'), path, 'Mine', 403],
    [root, path, 'Ours', 403],
    [ada, `/api/v1/accounts/${to}/transactions/${deposited.id}`, 'Of another account', 403],
    [ada, path, 'x'.repeat(141), 400],
    [ada, path, 'Card 4111 1111 1111 1111', 400],
  ]
  for (const [client, where, text, status] of refused) {
    assert.equal((await client.put(`${where}/note`, { text })).status, status, text)
  }
  assert.equal((await ada.put(`${path}/note`, { text: '' })).status, 204)
  assert.deepEqual(await notes(ada), [undefined, []])
  assert.deepEqual((await sql('table entry_notes')).rows, [])
})

test('an amount is found as people of any language write it, and by no other number', () => {
  const finds = (text: string, currency: 'EUR' | 'JPY', amount: bigint) =>
    searchFor(
      text,
      currency,
    )?.({
      seq: 1n,
      reference: '',
      counterpartyName: null,
      counterpartyIban: null,
      amount,
    })
  for (const text of ['1234.5', '1234,50', '1,234.50', '1.234,50', '1 234,50', '+1,234.50'])
    assert.equal(finds(text, 'EUR', 123_450n), true, text)
  assert.equal(finds('1,234', 'EUR', 123_400n), true)
  assert.equal(finds('1,234', 'JPY', 1234n), true)
  for (const text of ['1,23,450', '1.234.50', '1234,505', '12,34.50', '1234-50'])
    assert.equal(finds(text, 'EUR', 123_450n), false, text)
})
