import assert from 'node:assert/strict'
import { createHmac, createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { openAccount } from '../../../test/support/fixture.ts'
import { readMails, until } from '../../../test/support/mailbox.ts'
import { type ApiClient, type World, world } from '../../../test/support/world.ts'
import { openDatabase } from '../../database/connections/connect.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { newId } from '../../domain/ids.ts'
import { endAll } from '../auth/revoke-all.ts'
import { jitterRatio, retryDelaysMs } from './worker.ts'

const path = '/api/v1/admin/webhooks'
const hourMs = 3_600_000
const settings = { PRIVATE_WEBHOOKS: 'on' }

type Sent = { headers: IncomingHttpHeaders; text: string; body: Body }
type Body = { type: string; timestamp: string; data: Record<string, unknown> }
type Hook = { id: string; secret: string; publicKey: string; url: string }

/** A program that is told of events, and answers with the status that it has. */
async function receiver(t: TestContext) {
  const made = {
    url: '',
    status: 200,
    sent: [] as Sent[],
    answered: 0,
    isSilent: false,
    onSent: async () => {},
  }
  const server = http.createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      made.sent.push({ headers: request.headers, text, body: JSON.parse(text) as Body })
      if (made.isSilent) return
      void made.onSent().then(() => response.writeHead(made.status).end(() => made.answered++))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?a=1`
  return made
}

const idsOf = (sent: readonly Sent[]) => sent.map(({ headers }) => headers['webhook-id'])

async function create(bank: World, url: string, types = ['account.opened']): Promise<Hook> {
  const made = await (await bank.as('root')).post(path, { url, types })
  assert.equal(made.status, 201, made.text)
  return made.body as Hook
}

/** Everything that is due now is sent. */
async function work({ running: { core } }: Pick<World, 'running'>): Promise<void> {
  await core.feed.last()
  await core.webhooks.work()
}

type Logged = { id: string; number: string; status: string; attempts: number } & Record<
  'failure' | 'lastStatus' | 'dueAt' | 'type',
  unknown
>
async function deliveriesOf(client: ApiClient, { id }: Hook): Promise<Logged[]> {
  const { status, text, body } = await client.get(`${path}/${id}/deliveries`)
  assert.equal(status, 200, text)
  return body.items as Logged[]
}

/** Which of the keys have signed, in order; fails if a signature is of none of them. */
function signers({ headers, text }: Sent, hooks: readonly Hook[]): string[] {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`
  return String(headers['webhook-signature'])
    .split(' ')
    .map((each) => {
      const [kind, value = ''] = each.split(',')
      const index = hooks.findIndex(({ secret, publicKey }) => {
        const shared = Buffer.from(secret.slice('whsec_'.length), 'base64')
        if (kind === 'v1') {
          return createHmac('sha256', shared).update(signed).digest('base64') === value
        }
        const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url')
        const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
        return verify(null, Buffer.from(signed), key, Buffer.from(value, 'base64'))
      })
      return `${kind} ${index}`
    })
}

test('events from now on are told, thin and signed, and the log says so', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  const ada = await bank.as('ada')
  await openAccount(ada)
  const hook = await create(bank, program.url)
  const account = await openAccount(ada)
  await ada.post(`/api/v1/accounts/${account}/cards`, {})
  await work(bank)
  const [sent, ...others] = program.sent
  assert.ok(sent)
  assert.equal(others.length, 0)
  const { type, data, timestamp } = sent.body
  assert.deepEqual(Object.keys(sent.body), ['type', 'timestamp', 'data'])
  assert.deepEqual([type, timestamp], ['account.opened', '2026-01-02T09:00:00.000Z'])
  assert.deepEqual([data['resourceId'], data['accountIds']], [account, [account]])
  assert.deepEqual(signers(sent, [hook]), ['v1 0', 'v1a 0'])
  assert.equal(sent.headers['webhook-timestamp'], `${bank.clock.now() / 1000}`)
  const agnes = await bank.as('agnes')
  const feed = await agnes.get('/api/v1/events?types=account.opened')
  assert.equal(data['number'], feed.body.items.at(-1).number)
  const [first, ...more] = await deliveriesOf(agnes, hook)
  assert.equal(more.length, 0)
  const logged = first ?? assert.fail()
  assert.equal(logged.id, sent.headers['webhook-id'])
  const { status, attempts, lastStatus, failure, dueAt } = logged
  assert.deepEqual(
    [status, attempts, lastStatus, failure, dueAt],
    ['delivered', 1, 200, null, null],
  )
  const read = await agnes.get(`${path}/${hook.id}`)
  assert.doesNotMatch(read.text + (await agnes.get(path)).text, /whsec_|secret/)
  assert.equal(read.body.publicKey, hook.publicKey)
})

test('after a restore a webhook goes on, with greater numbers than it has told of', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  await create(bank, program.url)
  const kept = await bank.sql('select number from last_event')
  const ada = await bank.as('ada')
  await openAccount(ada)
  await openAccount(ada)
  await work(bank)
  const number = [kept.rows[0]?.['number']]
  await bank.sql('delete from events where last_number > $1', number)
  await bank.sql('update last_event set number = $1', number)
  await bank.sql('update webhooks set after_number = $1', number)
  const db = openDatabase(bank.address)
  t.after(() => db.close())
  await transaction(db, (tx) => endAll(tx, bank.clock.now()))
  const account = await openAccount(await bank.login('ada'))
  await work(bank)
  const told = program.sent.map(({ body }) => body.data)
  assert.equal(told.at(-1)?.['resourceId'], account)
  const numbers = told.map((data) => BigInt(String(data['number'])))
  assert.equal(numbers.length, 3)
  assert.ok(numbers.slice(0, 2).every((lost) => lost < (numbers[2] as bigint)))
})

test('a test is sent, and a delivery is sent again under the same webhook-id', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  const root = await bank.as('root')
  const hook = await create(bank, program.url)
  const tried = await root.post(`${path}/${hook.id}/test`)
  assert.deepEqual([tried.status, tried.body.status], [202, 'waiting'])
  const again = `${path}/${hook.id}/deliveries/${tried.body.id}/resend`
  await work(bank)
  assert.equal((await root.post(again)).status, 202)
  await work(bank)
  const { type, data } = program.sent[0]?.body ?? assert.fail()
  assert.deepEqual(
    [type, data],
    ['webhook.test', { number: null, resourceId: null, accountIds: [] }],
  )
  assert.deepEqual(idsOf(program.sent), [tried.body.id, tried.body.id])
  const unknown = newId(0)
  assert.equal((await root.post(again.replace(tried.body.id, unknown))).status, 404)
  assert.equal((await root.post(again.replace(hook.id, unknown))).status, 404)
  program.status = 500
  await root.post(again)
  await work(bank)
  assert.equal((await deliveriesOf(root, hook))[0]?.status, 'waiting')
  await root.post(again)
  await work(bank)
  assert.equal(program.sent.length, 4, 'at once, though it would be due later')
})

test('an attempt that ends after a resend does not end the attempt of the resend', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  const root = await bank.as('root')
  const hook = await create(bank, program.url)
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const gates = [first, second]
  program.onSent = async () => gates[program.sent.length - 1]?.promise
  const { id } = (await root.post(`${path}/${hook.id}/test`)).body
  const working = work(bank)
  await until('the first attempt is sent', () => program.sent.length === 1)
  bank.clock.advance(1)
  assert.equal((await root.post(`${path}/${hook.id}/deliveries/${id}/resend`)).status, 202)
  void bank.running.core.webhooks.work()
  await until('the attempt of the resend is sent', () => program.sent.length === 2)
  first.resolve()
  await until('the first attempt is answered', () => program.answered === 1)
  const [during] = await deliveriesOf(root, hook)
  assert.deepEqual([during?.status, during?.attempts, during?.lastStatus], ['waiting', 1, null])
  program.status = 503
  second.resolve()
  await working
  const [after] = await deliveriesOf(root, hook)
  assert.deepEqual([after?.status, after?.attempts, after?.lastStatus], ['waiting', 1, 503])
})

test('what fails is repeated by the table, then given up, and can be resent', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  program.status = 503
  const hook = await create(bank, program.url)
  await openAccount(await bank.as('ada'))
  await work(bank)
  for (const [index, delayMs] of retryDelaysMs.entries()) {
    assert.equal(program.sent.length, index + 1)
    bank.clock.advance(delayMs - 1)
    await work(bank)
    assert.equal(program.sent.length, index + 1, `not before ${delayMs}`)
    bank.clock.advance(delayMs * jitterRatio + 1)
    await work(bank)
  }
  assert.equal(program.sent.length, 8)
  bank.clock.advance(24 * hourMs)
  await work(bank)
  assert.equal(program.sent.length, 8)
  assert.equal(new Set(idsOf(program.sent)).size, 1)
  assert.equal(new Set(program.sent.map(({ headers }) => headers['webhook-timestamp'])).size, 8)
  const root = await bank.login('root')
  const [failed] = await deliveriesOf(root, hook)
  const { status, attempts, lastStatus, failure, id } = failed ?? assert.fail()
  assert.deepEqual([status, attempts, lastStatus], ['failed', 8, 503])
  assert.equal(failure, 'The answer was 503')
  program.status = 204
  await root.post(`${path}/${hook.id}/deliveries/${id}/resend`)
  await work(bank)
  const [delivered] = await deliveriesOf(root, hook)
  assert.deepEqual([delivered?.status, delivered?.failure], ['delivered', null])
})

const toldOfDisabling = async (bank: World) =>
  (await readMails(bank)).filter(({ subject }) => subject === 'A webhook was disabled')

test('410 disables at once and tells the administrators; enabled, it goes on from then', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  program.status = 410
  const hook = await create(bank, program.url)
  const [root, ada] = [await bank.as('root'), await bank.as('ada')]
  await bank.sql(`update users set roles = '{customer,admin}' where username = 'ben'`)
  await bank.sql(`update users set roles = '{admin}', status = 'disabled' where username = 'both'`)
  await openAccount(ada)
  await work(bank)
  const read = await root.get(`${path}/${hook.id}`)
  assert.deepEqual([read.body.status, read.body.disabledBecause], ['disabled', 'gone'])
  const told = await toldOfDisabling(bank)
  assert.deepEqual(
    new Set(told.map(({ to }) => to?.[0]?.address)),
    new Set(['ben@example.com', 'root@example.com']),
    'neither an agent nor one who is disabled',
  )
  const query = `?action=disableWebhook&target=${hook.id}`
  const [event] = (await root.get(`/api/v1/admin/audit-events${query}`)).body.items
  assert.deepEqual([event.actorId, event.address, event.detail], [null, 'service', 'gone'])
  assert.equal((await root.post(`${path}/${hook.id}/test`)).body.code, 'illegal_transition')
  await openAccount(ada)
  bank.clock.advance(4 * 60_000)
  await work(bank)
  assert.equal(program.sent.length, 1)
  program.status = 200
  const enabled = await root.patch(`${path}/${hook.id}`, { status: 'active' })
  assert.equal(enabled.body.disabledBecause, null)
  const account = await openAccount(await bank.login('ada'))
  await work(bank)
  assert.deepEqual(
    program.sent.slice(1).map(({ body }) => body.data['resourceId']),
    [account],
  )
})

test('failures for five days disable, unless one delivery succeeded', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  const hook = await create(bank, program.url)
  const statusAfter = async (days: number) => {
    bank.clock.advance(days * 24 * hourMs)
    const root = await bank.login('root')
    await root.post(`${path}/${hook.id}/test`)
    await work(bank)
    return (await root.get(`${path}/${hook.id}`)).body.disabledBecause as unknown
  }
  program.status = 500
  assert.equal(await statusAfter(0), null)
  assert.equal(await statusAfter(4.9), null)
  program.status = 200
  assert.equal(await statusAfter(0.05), null)
  program.status = 500
  assert.equal(await statusAfter(0.2), null)
  assert.equal(await statusAfter(4.9), null)
  assert.equal(await statusAfter(0.2), 'failing')
  assert.equal((await toldOfDisabling(bank)).length, 1)
})

test('after a rotation both pairs of keys sign for a day', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  const old = await create(bank, program.url)
  const test = async () => {
    const root = await bank.login('root')
    await root.post(`${path}/${old.id}/test`)
    await work(bank)
    return program.sent.at(-1) ?? assert.fail()
  }
  const rotated = await (await bank.as('root')).post(`${path}/${old.id}/secret`)
  const fresh = rotated.body as Hook
  assert.notEqual(fresh.secret, old.secret)
  assert.equal(rotated.body.previousKeysEndAt, '2026-01-03T09:00:00.000Z')
  assert.deepEqual(signers(await test(), [old, fresh]), ['v1 1', 'v1a 1', 'v1 0', 'v1a 0'])
  bank.clock.advance(24 * hourMs - 1)
  assert.equal(signers(await test(), [old, fresh]).length, 4)
  const early = await (await bank.login('root')).post(`${path}/${old.id}/secret`)
  assert.equal(early.body.code, 'illegal_transition', 'the keys of before would end early')
  bank.clock.advance(1)
  assert.deepEqual(signers(await test(), [old, fresh]), ['v1 1', 'v1a 1'])
  const later = await (await bank.login('root')).post(`${path}/${old.id}/secret`)
  assert.equal(later.status, 200)
})

test('a type that is added is told of from then on, and no event of the others is left out', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  const [root, ada] = [await bank.as('root'), await bank.as('ada')]
  const issueCard = async () => {
    const { body } = await ada.post(`/api/v1/accounts/${await openAccount(ada)}/cards`, {})
    return body.id as string
  }
  const hook = await create(bank, program.url, ['card.issued'])
  const card = await issueCard()
  await openAccount(ada)
  const types = ['card.issued', 'account.opened']
  assert.equal((await root.patch(`${path}/${hook.id}`, { types })).status, 200)
  const account = await openAccount(ada)
  await work(bank)
  const told = program.sent.map(({ body }) => body.data['resourceId'])
  assert.deepEqual([told.length, new Set(told)], [2, new Set([card, account])])
  const addType = async (outstanding: number, type: string) => {
    await bank.sql(
      `insert into events (type, at, ids)
       select 'account.opened', now(), array[gen_random_uuid()] from generate_series(1, $1)`,
      [outstanding],
    )
    return root.patch(`${path}/${hook.id}`, { types: [...types, type] })
  }
  assert.equal((await addType(1000, 'card.frozen')).status, 200)
  // More than one change makes deliveries of, whatever is made of them meanwhile.
  assert.equal((await addType(4000, 'card.cancelled')).body.code, 'illegal_transition')
})

test('what the former URL answers does not concern the new one', async (t) => {
  const bank = await world(t, { settings })
  const [former, present] = [await receiver(t), await receiver(t)]
  const root = await bank.as('root')
  const hook = await create(bank, former.url)
  const { url } = present
  former.onSent = async () => void (await root.patch(`${path}/${hook.id}`, { url }))
  former.status = 410
  await openAccount(await bank.as('ada'))
  await work(bank)
  assert.deepEqual([former.sent.length, idsOf(present.sent)], [1, idsOf(former.sent)])
  const { body } = await root.get(`${path}/${hook.id}`)
  assert.deepEqual([body.status, body.disabledBecause, body.url], ['active', null, url])
  const { rows } = await bank.sql('select failing_since from webhooks')
  assert.equal(rows[0]?.['failing_since'], null)
  await root.patch(`${path}/${hook.id}`, { url: former.url })
  former.onSent = async () => {}
  former.status = 500
  await root.post(`${path}/${hook.id}/test`)
  await work(bank)
  const failing = await bank.sql('select 1 from webhooks where failing_since is not null')
  assert.equal(failing.rows.length, 1)
  await root.patch(`${path}/${hook.id}`, { url })
  const fresh = await bank.sql('select 1 from webhooks where failing_since is not null')
  assert.equal(fresh.rows.length, 0, 'the five days begin anew')
})

test('two instances send each delivery once', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  const hook = await create(bank, program.url)
  const second = await bank.another()
  const ada = await bank.as('ada')
  for (let turn = 0; turn < 30; turn++) {
    await openAccount(ada)
    if (turn % 6 === 0) await Promise.all([work(bank), work(second)])
  }
  await Promise.all([work(bank), work(second)])
  await until('the other has sent as well', () => program.sent.length >= 30)
  await Promise.all([work(bank), work(second)])
  const told = program.sent.map(({ body }) => body.data['resourceId'])
  assert.deepEqual([told.length, new Set(told).size], [30, 30])
  const logged = await deliveriesOf(await bank.as('root'), hook)
  assert.ok(logged.every(({ status }) => status === 'delivered'))
})

test('an instance that ends between sending and noting: sent again, same webhook-id', async (t) => {
  const [bank, program] = [await world(t, { settings }), await receiver(t)]
  const hook = await create(bank, program.url)
  program.onSent = async () => {
    await bank.sql('revoke update on webhook_deliveries from strongroom_service')
  }
  await openAccount(await bank.as('ada'))
  await work(bank)
  await bank.sql('grant update on webhook_deliveries to strongroom_service')
  program.onSent = async () => {}
  bank.clock.advance(59_000)
  await work(bank)
  assert.equal(program.sent.length, 1, 'not while the lease lasts')
  bank.clock.advance(1000)
  await work(bank)
  assert.equal(program.sent.length, 2)
  assert.equal(new Set(idsOf(program.sent)).size, 1)
  const [logged] = await deliveriesOf(await bank.as('root'), hook)
  assert.deepEqual([logged?.status, logged?.attempts], ['delivered', 2])
})

test('a silent program holds up four deliveries of its own, and no other webhook', async (t) => {
  const bank = await world(t, { settings, isPolling: true })
  const [silent, program] = [await receiver(t), await receiver(t)]
  silent.isSilent = true
  await create(bank, silent.url)
  const ada = await bank.as('ada')
  for (let turn = 0; turn < 6; turn++) await openAccount(ada)
  await bank.running.core.feed.last()
  const working = bank.running.core.webhooks.work()
  await until('four are under way', () => silent.sent.length === 4)
  await create(bank, program.url)
  await openAccount(ada)
  await until('the other was told', () => program.sent.length === 1)
  assert.equal(silent.sent.length, 4)
  const startedAt = performance.now()
  await bank.running.close()
  await working
  assert.ok(performance.now() - startedAt < 12_000)
  const { rows } = await bank.sql('select 1 from webhook_deliveries where done_at is null')
  assert.ok(rows.length >= 6, 'what was cut off is sent again later')
})

test('a refused target says why in the log of its deliveries and nowhere else', async (t) => {
  const [bank, program] = [await world(t), await receiver(t)]
  const root = await bank.as('root')
  const targets = {
    [program.url]: 'The target is not https',
    [program.url.replace('http:', 'https:')]: /^The port \d+ is not allowed$/,
    'https://127.0.0.1/in': 'The address 127.0.0.1 is not public',
    'https://localhost/in': 'The address 127.0.0.1 is not public',
    'https://[::ffff:10.0.0.1]/': 'The address ::ffff:a00:1 is not public',
    'https://ada:pw@127.0.0.1/': 'The target has a login',
  }
  for (const [url, expected] of Object.entries(targets)) {
    const hook = await create(bank, url)
    await root.post(`${path}/${hook.id}/test`)
    await work(bank)
    const [logged] = await deliveriesOf(root, hook)
    const { status, lastStatus, failure } = logged ?? assert.fail()
    assert.deepEqual([status, lastStatus], ['waiting', null], url)
    if (typeof expected === 'string') assert.equal(failure, expected)
    else assert.match(String(failure), expected)
  }
  assert.equal(program.sent.length, 0)
  assert.doesNotMatch(bank.logged.join('\n'), /not public|not https|has a login/)
})

test('what cannot be made or found is refused, and there are twenty at most', async (t) => {
  const bank = await world(t)
  const root = await bank.as('root')
  const good = { url: 'https://127.0.0.1/', types: ['card.issued'] }
  const bad = [
    { ...good, url: 'ftp://hook.example/' },
    { ...good, url: 'https://hook.example/<b>' },
    { ...good, url: 'https://[::1/' },
    { ...good, types: [] },
    { ...good, types: ['card.eaten'] },
    { ...good, types: ['card.issued', 'card.issued'] },
  ]
  for (const body of bad) assert.equal((await root.post(path, body)).status, 400, body.url)
  const unknown = newId(0)
  for (const at of [unknown, `${unknown}/deliveries`]) {
    assert.equal((await root.get(`${path}/${at}`)).status, 404)
  }
  assert.equal((await root.patch(`${path}/${unknown}`, { status: 'active' })).status, 404)
  const { id } = await create(bank, good.url)
  assert.equal((await root.delete(`${path}/${id}`)).status, 204)
  assert.equal((await root.delete(`${path}/${id}`)).status, 404)
  const replies = await Promise.all(Array.from({ length: 23 }, () => root.post(path, good)))
  assert.equal(replies.filter(({ status }) => status === 201).length, 20)
  assert.equal(replies.filter(({ body }) => body.code === 'limit_exceeded').length, 3)
})
