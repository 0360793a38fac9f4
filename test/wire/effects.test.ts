// A client never reads an error for a transfer that took effect, nor a success for one that did
// not: each answer is compared with the ledger, and with a repetition of the request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBelongings } from '../support/requests.ts'
import { world, type World } from '../support/world.ts'
import { judge } from './judge.ts'
import { type Heard, speak } from './socket.ts'

const host = 'Host: bank.example\r\n'
const behind = `GET /readyz HTTP/1.1\r\n${host}\r\n`

type Send = (head: string, body: string) => string

const length = (body: string): string => `Content-Length: ${body.length}\r\n\r\n${body}`
const chunks = (body: string): string =>
  `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

/** Bytes behind a complete transfer, on the same connection. */
const surplus: Record<string, Send> = {
  'a brace too many': (head, body) => `${head}${length(body)} }`,
  garbage: (head, body) => `${head}${length(body)}\u0000\u0001garbage\r\n\r\n`,
  'a request behind Connection: close': (head, body) =>
    `${head}Connection: close\r\n${length(body)}${behind}`,
  'a request behind HTTP/1.0': (head, body) =>
    `${head.replace('HTTP/1.1', 'HTTP/1.0')}${length(body)}${behind}`,
  'garbage behind chunks': (head, body) => `${head}${chunks(body)}}}}`,
  CONNECT: (head, body) => `${head}${length(body)}CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`,
  'a head that is too large': (head, body) =>
    `${head}${length(body)}GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(17_000)}\r\n\r\n`,
  'a request without a Host': (head, body) => `${head}${length(body)}GET / HTTP/1.1\r\n\r\n`,
}

/** The second request of this row is parsed, and has an answer of its own. */
const answerCounts: Record<string, number> = { 'a request without a Host': 2 }

/** Transfers whose body is broken off. */
const broken: Record<string, Send> = {
  'a length that is too small by one': (head, body) =>
    `${head}Content-Length: ${body.length - 1}\r\n\r\n${body}`,
  'a chunk that does not end': (head, body) =>
    `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}x\r\n0\r\n\r\n`,
  'a last chunk that is none': (head, body) =>
    `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n-1\r\n\r\n`,
  'no last chunk': (head, body) =>
    `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\nzz\r\n`,
}

async function fixture(bank: World) {
  const { account } = await readBelongings(bank, 'ada')
  const ada = await bank.as('ada')
  const { body } = await ada.get('/api/v1/accounts')
  const to = (body.items as { id: string }[]).map(({ id }) => id).find((id) => id !== account)
  const countTransfers = async () => {
    const { rows } = await bank.sql('select count(*)::int as made from transfers')
    return rows[0]?.['made'] as number
  }
  const transferFromRow = (amount: string) => ({
    fromAccountId: account,
    toAccountId: to,
    amount,
    currency: 'EUR',
  })
  const requestHead = (key: string) =>
    `POST /api/v1/transfers HTTP/1.1\r\n${host}Authorization: Bearer ${ada.token}\r\n` +
    `Idempotency-Key: ${key}\r\nContent-Type: application/json\r\n`
  const repeat = (key: string, transfer: object) =>
    ada.post('/api/v1/transfers', transfer, { headers: { 'idempotency-key': key } })
  return { countTransfers, transferFromRow, requestHead, repeat }
}

const statuses = ({ answers }: Heard) => answers.map(({ status }) => status)

test('bytes behind a transfer do not change what its client reads of it', async (t) => {
  const bank = await world(t)
  const { countTransfers, transferFromRow, requestHead, repeat } = await fixture(bank)
  for (const [what, send] of Object.entries(surplus)) {
    const before = await countTransfers()
    const transfer = transferFromRow('0.01')
    const key = what.replaceAll(/\W/g, '-')
    const heard = await speak(bank, 'https', send(requestHead(key), JSON.stringify(transfer)))
    const [first] = heard.answers
    assert.equal(
      heard.answers.length,
      answerCounts[what] ?? 1,
      `${what}: ${statuses(heard).join(' ')}`,
    )
    assert.equal(heard.rest, '', what)
    assert.ok(first && heard.isClosed, what)
    judge(first, 201, what)
    assert.equal((await countTransfers()) - before, 1, `${what}: it took effect`)
    const again = await repeat(key, transfer)
    assert.equal(again.status, 201, what)
    assert.equal(again.headers['idempotency-replayed'], 'true', what)
    assert.equal(again.text, first.body, `${what}: the same answer again`)
    assert.equal((await countTransfers()) - before, 1, `${what}: once`)
  }
})

test('bytes behind a refused transfer do not change its refusal, and no money moves', async (t) => {
  const bank = await world(t)
  const { countTransfers, transferFromRow, requestHead, repeat } = await fixture(bank)
  for (const [what, send] of Object.entries(surplus)) {
    const before = await countTransfers()
    const transfer = transferFromRow('9999.00')
    const key = what.replaceAll(/\W/g, '-')
    const heard = await speak(bank, 'https', send(requestHead(key), JSON.stringify(transfer)))
    assert.equal(
      heard.answers.length,
      answerCounts[what] ?? 1,
      `${what}: ${statuses(heard).join(' ')}`,
    )
    judge(heard.answers[0] as never, 'insufficient_funds', what)
    assert.equal(await countTransfers(), before, what)
    assert.equal((await repeat(key, transfer)).body.code, 'insufficient_funds', what)
  }
})

test('a transfer whose body is broken is answered 400, takes no effect and leaves its key free', async (t) => {
  const bank = await world(t)
  const { countTransfers, transferFromRow, requestHead, repeat } = await fixture(bank)
  for (const [what, send] of Object.entries(broken)) {
    const before = await countTransfers()
    const transfer = transferFromRow('0.02')
    const key = what.replaceAll(/\W/g, '-')
    const heard = await speak(bank, 'https', send(requestHead(key), JSON.stringify(transfer)))
    assert.deepEqual(statuses(heard), [400], what)
    const { code } = JSON.parse(heard.answers[0]?.body ?? '') as { code: 'invalid_request' }
    judge(heard.answers[0] as never, code, what)
    assert.equal(await countTransfers(), before, `${what}: it took no effect`)
    const again = await repeat(key, transfer)
    assert.equal(again.status, 201, what)
    assert.equal(again.headers['idempotency-replayed'], undefined, what)
  }
})

test('a request that is refused while its body breaks gets one answer, never a second', async (t) => {
  const bank = await world(t)
  const head = `POST /api/v1/transfers HTTP/1.1\r\n${host}Content-Type: application/json\r\n`
  for (const expect of ['', 'Expect: 100-continue\r\n']) {
    for (const [what, send] of Object.entries(broken)) {
      // By its length it is whole: what is behind it is the next request.
      if (what.startsWith('a length')) continue
      const heard = await speak(bank, 'https', send(head + expect, '{}'))
      assert.match(statuses(heard).join(' '), /^40[01]$/, `${what} ${expect}`)
      assert.equal(heard.rest, '', what)
      assert.ok(heard.isClosed, what)
    }
  }
})

test('a transfer over plain HTTP is not made, whatever comes behind it', async (t) => {
  const bank = await world(t)
  const { countTransfers, transferFromRow, requestHead } = await fixture(bank)
  const before = await countTransfers()
  for (const [what, send] of Object.entries({ ...surplus, ...broken })) {
    const heard = await speak(
      bank,
      'plain',
      send(requestHead('k'), JSON.stringify(transferFromRow('0.01'))),
    )
    assert.deepEqual(statuses(heard), [301], what)
    assert.equal(heard.rest, '', what)
  }
  assert.equal(await countTransfers(), before)
})
