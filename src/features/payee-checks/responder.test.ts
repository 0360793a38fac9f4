import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { test, type TestContext } from 'node:test'
import { fakeClock } from '../../../test/support/clock.ts'
import { trusted } from '../../../test/support/connect.ts'
import { openAccount } from '../../../test/support/fixture.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { world, type World } from '../../../test/support/world.ts'
import { type OpenPayeeResponder, openPayeeResponder } from './responder.ts'

const secret = 'a secret of both banks'.replaceAll(' ', '.')
const asked = { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' }

type Logged = ['warn' | 'over', string]
type Question = { method: string | undefined; headers: IncomingHttpHeaders; body: string }
type Behaviour = (response: ServerResponse) => void

/** A responder at another bank that behaves so, and what this bank is told of it. */
async function responder(t: TestContext, behave: Behaviour) {
  const questions: Question[] = []
  const server = http.createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      questions.push({ method: request.method, headers: request.headers, body })
      behave(response)
    })
  })
  return { questions, ...(await asking(t, server)) }
}

async function asking(t: TestContext, server: net.Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    if (server instanceof http.Server) server.closeAllConnections()
  })
  const logged: Logged[] = []
  const clock = fakeClock()
  const payeeCheckUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/payees`
  const made = openPayeeResponder({
    config: { payeeCheckUrl, payeeCheckSecret: secret },
    clock,
    log: {
      warn: (_, message) => void logged.push(['warn', message]),
      over: (_, __, message) => void logged.push(['over', message]),
    },
  })
  t.after(() => made.close())
  return { logged, clock, url: payeeCheckUrl, ...made }
}

const json = (value: unknown): Behaviour => answering(JSON.stringify(value))
const answering =
  (text: string, status = 200): Behaviour =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(text)

async function assertNotPossible({ ask, failedCount }: OpenPayeeResponder, what: string) {
  const before = failedCount()
  const begin = performance.now()
  assert.deepEqual(await ask(asked), { result: 'not_possible' }, what)
  // A busy machine may be late by a while.
  assert.ok(performance.now() - begin < 3500, `${what}: ${performance.now() - begin} ms`)
  assert.equal(failedCount(), before + 1, what)
}

test('the responder is asked by POST with name and IBAN, and with the secret', async (t) => {
  const { ask, failedCount, logged, questions } = await responder(t, json({ result: 'match' }))
  assert.deepEqual(await ask(asked), { result: 'match' })
  const [{ method, headers, body } = {} as Question] = questions
  assert.deepEqual([method, JSON.parse(body)], ['POST', asked])
  assert.equal(headers.authorization, `Bearer ${secret}`)
  assert.equal(headers['content-type'], 'application/json')
  assert.deepEqual([questions.length, failedCount(), logged], [1, 0, []])
})

test('an answer in its form is told, and a name only of a close match, in signs that can be shown', async (t) => {
  let answer: unknown
  const { ask, failedCount } = await responder(t, (response) => json(answer)(response))
  const answers: [answer: unknown, told: object][] = [
    [{ result: 'match', id: 'x' }, { result: 'match' }],
    [{ result: 'match', name: 'Grace Hopper' }, { result: 'match' }],
    [{ result: 'no_match', name: 'Somebody Else' }, { result: 'no_match' }],
    [{ result: 'not_possible' }, { result: 'not_possible' }],
    [
      { result: 'close_match', name: 'Grace B. Hopper' },
      { result: 'close_match', name: 'Grace B. Hopper' },
    ],
    [
      { result: 'close_match', name: '<b>\u202eGrace</b> "Hopper"' },
      { result: 'close_match', name: "(b)Grace(/b) 'Hopper'" },
    ],
  ]
  for (const [given, told] of answers) {
    answer = given
    assert.deepEqual(await ask(asked), told)
  }
  assert.equal(failedCount(), 0)
})

const malformed: Record<string, Behaviour> = {
  'no JSON': answering('<html>'),
  nothing: answering(''),
  'no object': answering('"match"'),
  null: answering('null'),
  'another word': json({ result: 'MTCH' }),
  'no result': json({ name: 'Grace Hopper' }),
  'a close match without its name': json({ result: 'close_match' }),
  'a close match with a name that cannot be seen': json({ result: 'close_match', name: ' \u200b' }),
  'a name that is no text': json({ result: 'close_match', name: ['Grace'] }),
  'a name that is too long': json({ result: 'close_match', name: 'a'.repeat(142) }),
  'one result twice': answering('{"result":"match","result":"no_match"}'),
  'a key of prototypes': answering('{"result":"match","__proto__":{}}'),
  'bytes that are not UTF-8': (response) => void response.end(Buffer.from([0x22, 0xff, 0x22])),
  'a redirect': (response) => void response.writeHead(307, { location: '/match' }).end(),
  'a refusal': answering('{"error":"Unauthorized"}', 401),
  'too many requests': answering('', 429),
  'a failure': answering('{"result":"match"}', 500),
  'no content': (response) => void response.writeHead(204).end(),
  'an answer that is cut off': (response) => {
    response.writeHead(200, { 'content-length': 1000 })
    response.write('{"result":"match"}', () => response.destroy())
  },
  'no answer at all': (response) => response.destroy(),
  'an endless answer': (response) => {
    response.writeHead(200)
    const pour = (): void => {
      while (!response.destroyed && response.write(' '.repeat(16_384)));
    }
    response.on('drain', pour)
    pour()
  },
  'endless interim answers': ({ socket }) => {
    const open = socket ?? assert.fail('the connection is gone')
    const pour = (): void => {
      while (!open.destroyed && open.write('HTTP/1.1 102 Processing\r\n\r\n'));
    }
    open.on('error', () => {})
    open.on('drain', pour)
    pour()
  },
}

test('a malformed, lying, endless, refusing or redirecting responder: not possible, at once', async (t) => {
  for (const [what, behave] of Object.entries(malformed)) {
    const made = await responder(t, behave)
    await assertNotPossible(made, what)
    // No redirect is followed.
    assert.equal(made.questions.length, 1, what)
  }
})

test('a slow or silent responder, or none: not possible, within three seconds', async (t) => {
  const silent = await responder(t, () => {})
  const dripping = await responder(t, (response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(drip))
  })
  const mute = await asking(
    t,
    net.createServer(() => {}),
  )
  const gone = await responder(t, () => {})
  await Promise.all([
    assertNotPossible(silent, 'silent'),
    assertNotPossible(dripping, 'dripping'),
    assertNotPossible(mute, 'mute'),
  ])
  gone.close()
  await assertNotPossible(gone, 'the service ends')
})

test('32 questions at once are asked, and a further one is not possible without a wait', async (t) => {
  let waiting: ServerResponse[] = []
  const { ask, failedCount, questions } = await responder(t, (response) => {
    waiting.push(response)
    if (waiting.length < 32) return
    for (const each of waiting) json({ result: 'match' })(each)
    waiting = []
  })
  const many = Array.from({ length: 33 }, () => ask(asked))
  const results = (await Promise.all(many)).map(({ result }) => result)
  assert.deepEqual(results.filter((result) => result === 'match').length, 32)
  assert.deepEqual([results.at(-1), failedCount(), questions.length], ['not_possible', 1, 32])
})

test('a fault of the responder begins and ends with a line of the log, whichever bank it is of', async (t) => {
  let isFailing = true
  const { ask, clock, failedCount, logged } = await responder(t, (response) =>
    (isFailing ? answering('', 500) : json({ result: 'match' }))(response),
  )
  for (let turn = 0; turn < 5; turn++) {
    isFailing = true
    await ask(asked)
    clock.advance(59_999)
    // Another bank answers.
    isFailing = false
    await ask(asked)
  }
  assert.equal(logged.length, 1)
  clock.advance(1)
  await ask(asked)
  await ask(asked)
  assert.equal(failedCount(), 5)
  assert.deepEqual(logged, [
    ['warn', 'the responder for payees of other banks fails'],
    ['over', 'the responder for payees of other banks answers again'],
  ])
})

/** Two banks: customers of the first pay to accounts of the second, which answers. */
async function twoBanks(t: TestContext) {
  const other = await world(t, { settings: { BANK: 'NL/ABNA' } })
  const program = await newProgram(other, { operations: ['answerPayeeCheck'] })
  const ben = await other.as('ben')
  const account = await openAccount(ben)
  const { iban } = (await ben.get(`/api/v1/accounts/${account}`)).body as { iban: string }
  const { givenName, familyName } = (await ben.get('/api/v1/me')).body
  const responderCa = (await trusted(other)).toString()
  const settings = {
    PAYEE_CHECK_URL: `https://localhost:${other.running.httpsPort}/api/v1/admin/payee-checks`,
    PAYEE_CHECK_SECRET: program.token,
  }
  const bank = await world(t, { settings, responderCa })
  const ada = await bank.as('ada')
  const from = `/api/v1/accounts/${await openAccount(ada)}`
  const check = async (name: string, at = iban) => {
    const { status, text, body } = await ada.post(`${from}/payee-checks`, { name, iban: at })
    assert.equal(status, 200, text)
    const { id: _, expiresAt: __, policy, ...told } = body
    assert.equal(policy, 'shown')
    return told as object
  }
  const ownIban = (await ada.get(from)).body.iban as string
  return { bank, other, program, check, iban, ownIban, holder: { givenName, familyName } }
}

const failuresOf = ({ running }: World) => running.core.payeeResponder.failedCount()

test('two banks of this service ask and answer each other over HTTPS', async (t) => {
  const { bank, other, program, check, ownIban, holder } = await twoBanks(t)
  const { givenName, familyName } = holder
  const name = `${givenName} ${familyName}`
  assert.deepEqual(await check(name), { result: 'match' })
  const initial = `${givenName.charAt(0)}. ${familyName}`
  assert.deepEqual(await check(initial), { result: 'close_match', name })
  assert.deepEqual(await check('Mallory Nobody'), { result: 'no_match' })
  // A third bank: the second one answers for itself alone.
  assert.deepEqual(await check(name, asked.iban), { result: 'not_possible' })
  // An account of the first bank: no other one is asked of it.
  assert.deepEqual(await check(name, ownIban), { result: 'no_match' })
  assert.equal(failuresOf(bank), 0)
  const events = '/api/v1/admin/audit-events?action=answerPayeeCheck'
  const { items } = (await (await other.as('root')).get(events)).body
  assert.deepEqual(
    items.map(({ actorId }: { actorId: string }) => actorId),
    Array.from({ length: 4 }, () => program.id),
  )
  // Neither bank writes a name, an IBAN or the key into its log.
  const logged = [...bank.logged, ...other.logged].join('\n')
  for (const text of [familyName, 'Mallory', program.token]) assert.ok(!logged.includes(text))
  // The grant ends.
  await program.change({ grants: { readAccounts: null, payFrom: [], operations: [] } })
  assert.deepEqual(await check(name), { result: 'not_possible' })
  assert.equal(failuresOf(bank), 1)
})

test('a certificate that nobody vouches for is asked nothing', async (t) => {
  const { other } = await twoBanks(t)
  const program = await newProgram(other, { operations: ['answerPayeeCheck'] })
  const settings = {
    PAYEE_CHECK_URL: `https://localhost:${other.running.httpsPort}/api/v1/admin/payee-checks`,
    PAYEE_CHECK_SECRET: program.token,
  }
  const bank = await world(t, { settings })
  const ada = await bank.as('ada')
  const path = `/api/v1/accounts/${await openAccount(ada)}/payee-checks`
  const { body } = await ada.post(path, asked)
  assert.deepEqual([body.result, failuresOf(bank)], ['not_possible', 1])
})
