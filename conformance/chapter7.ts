// Chapter 7: errors and what every response carries.
import { randomUUID } from 'node:crypto'
import { type Bank, type Check, expect, expectStatus, fill, retryAfter, sleep } from './bank.ts'
import { requireWait } from './chapter3.ts'
import { exceed, limited } from './limited.ts'

const injections = ["' or '1'='1", "1'; drop table users; --", '{"$gt":""}', '<script>1</script>']

/** Requests that a careless server answers with its insides. */
async function odd({ ada, client, settings: { routes } }: Bank) {
  const replies = []
  for (const id of ['%00', "'", '../../etc/passwd', '9'.repeat(90), '[object Object]', '-1']) {
    replies.push(await ada.ask('GET', fill(routes.account, encodeURIComponent(id))))
  }
  const list = fill(routes.transactions, ada.account)
  for (const query of ['limit=-1', 'limit=1e9', 'cursor=%F0%9F%92%A9', 'limit[]=1']) {
    replies.push(await ada.ask('GET', `${list}?${query}`))
  }
  for (const body of ['{', 'null', '[]', '{"amount":{"$ne":1}}', '{"amount":1e999}', '\u0000']) {
    replies.push(await ada.ask('POST', routes.transfers, body))
  }
  const headers = { 'content-type': 'text/xml' }
  replies.push(await client.ask('POST', routes.reset, { body: '<a/>', headers }))
  return replies
}

const insides = [
  /\bat .+:\d+:\d+|node_modules|stack ?trace/i,
  /\bselect\b.+\bfrom\b|syntax error at|pg_|ORA-\d|SQLSTATE/i,
  /\b(postgres|mysql|express|nginx|fastify|node)\/?v?\d+\.\d/i,
]

export const chapter7 = {
  '7-injection': async ({ ada, settings: { routes, fields } }) => {
    const path = fill(routes.addBeneficiary, ada.account)
    for (const name of injections) {
      const reply = await ada.ask('GET', fill(routes.account, encodeURIComponent(name)))
      expectStatus(reply, [400], `the identifier ${name}`)
    }
    for (const name of [{ $gt: '' }, ['a'], { toString: 1 }]) {
      const reply = await ada.ask('POST', path, { ...fields.beneficiary, name })
      expectStatus(reply, [400], `the name ${JSON.stringify(name)}`)
    }
  },

  '7-malformed': async ({ ada, settings: { routes, fields } }) => {
    for (const body of ['{', '[', '"', 'nothing', '{"currency":}']) {
      expectStatus(await ada.ask('POST', routes.accounts, body), [400], `the body ${body}`)
    }
    const wrong = { ...fields.account, currency: 7 }
    expectStatus(
      await ada.ask('POST', routes.accounts, wrong),
      [400],
      'a currency that is a number',
    )
  },

  '7-413': async ({ ada, settings: { routes, fields, bodyMax } }) => {
    const large = JSON.stringify({ ...fields.account, name: 'x'.repeat(bodyMax) })
    const reply = await ada.ask('POST', routes.accounts, large).catch((thrown: unknown) => thrown)
    // A server may close before it has read what it will not process, and its answer is lost.
    if (reply instanceof Error && /EPIPE|ECONNRESET|socket hang up/.test(String(reply))) return
    expectStatus(reply as never, [413], `a body above ${bodyMax} bytes`)
  },

  '7-429': async (bank) => {
    const body: unknown = (await limited(bank))?.body
    const { error, message } = (body ?? {}) as Record<string, unknown>
    const isRight = typeof error === 'string' && typeof message === 'string'
    expect(isRight, 'the body of the 429 has no error and message')
  },

  '7-500': async (bank) => {
    for (const { status, text, headers } of await odd(bank)) {
      const shown = `${text} ${[headers.server, headers['x-powered-by']].join(' ')}`
      expect(
        !insides.some((inside) => inside.test(shown)),
        `a ${status} shows insides: ${text.slice(0, 60)}`,
      )
      expect(status < 500, `odd input is answered ${status}`)
    }
  },

  '7.1-signals': async ({ ada, ben, settings: { routes } }) => {
    for (let turn = 0; turn < 3; turn++) {
      const reply = await ada.ask('PATCH', fill(routes.settings, ben.account), {})
      expectStatus(reply, [403], 'a permission problem')
    }
  },

  '7.2-retry-after': async (bank) => {
    const { client, eve, settings } = bank
    requireWait(bank, 1, 'Retry-After')
    const begunAt = Date.now()
    const reply = await exceed(bank)
    expect(reply, 'no request was limited')
    const wait = retryAfter(reply)
    expect(wait > 0 && wait <= settings.waitMax, `Retry-After is ${reply.headers['retry-after']}`)
    const token = await eve.token()
    const again = () => client.send('GET', fill(settings.routes.account, eve.account), { token })
    const stated = Date.now() + wait * 1000
    // The header counts whole seconds, so a retry within the last of them may succeed. An answer
    // that comes so late, because this computer is busy, tells nothing.
    const early = async (what: string): Promise<void> => {
      const retried = await again()
      if (Date.now() < begunAt + (wait - 1) * 1000) expectStatus(retried, [429], what)
    }
    await early('a retry at once')
    // On a busy computer this answer comes in time to tell, where the next may not.
    await sleep((begunAt - Date.now()) / 1000 + (wait - 1) / 2)
    await early(`a retry halfway through ${wait} s`)
    await sleep((begunAt - Date.now()) / 1000 + wait - 1.2)
    await early(`a retry more than 1 s before ${wait} s`)
    await sleep((stated - Date.now()) / 1000 + 0.05)
    expectStatus(await again(), [200], `a retry after ${wait} s`)
  },

  '7.3-mass-assignment': async (bank) => {
    const { ada, root, newPerson, settings } = bank
    const { routes, fields } = settings
    const flags = { balance: '9999.00', isAdmin: true, roles: ['admin'], role: 'admin' }
    const created = await ada.ask('POST', routes.accounts, { ...fields.account, ...flags })
    if (created.status < 300) {
      const id: string = created.body?.[fields.id]
      const { body } = await ada.ask('GET', fill(routes.account, id))
      expect(Number(body?.[fields.balance]) === 0, `a new account holds ${body?.[fields.balance]}`)
      expectStatus(await ada.ask('GET', routes.users), [403], 'after it, the portal')
    }
    const { person, reply } = await newPerson(['customer'], { isAdmin: true, role: 'admin' })
    if (reply.status < 300) {
      expectStatus(await person.ask('GET', routes.users), [403], 'a customer with isAdmin')
    }
    const card = fill(routes.card, ada.card)
    const moved = await ada.ask('PUT', card, { accountId: bank.ben.account })
    const now = await ada.ask('GET', card)
    expect(moved.status >= 400 || now.status === 200, 'a card was moved to another account')
    expectStatus(await root.ask('GET', routes.users), [200], 'an administrator')
  },

  '7.4-json': async ({ client }) => {
    for (const { request, status, text, headers } of client.seen) {
      if (text === '') continue
      const type = headers['content-type'] ?? 'none'
      expect(/^application\/json\b/.test(type), `${request}, ${status}: Content-Type ${type}`)
    }
  },

  '7.4-markup': async ({ ada, settings: { routes, fields } }) => {
    const mark = `<img src=x onerror=${randomUUID().slice(0, 8)}>`
    const path = fill(routes.addBeneficiary, ada.account)
    const added = await ada.ask('POST', path, { ...fields.beneficiary, name: mark })
    expect(!added.text.includes(mark), 'markup comes back as it was sent')
    if (added.status >= 300) return
    const { text } = await ada.ask('GET', fill(routes.beneficiary, added.body?.[fields.id]))
    expect(!text.includes(mark), 'markup comes back as it was stored')
  },

  '7.5-headers': async ({ client }) => {
    await client.send('GET', '/nothing-is-here')
    for (const { request, status, headers } of client.seen) {
      const where = `${request}, ${status}`
      expect(headers['x-content-type-options'] === 'nosniff', `${where}: X-Content-Type-Options`)
      expect(headers['x-frame-options'] === 'DENY', `${where}: X-Frame-Options`)
      expect(headers['strict-transport-security'], `${where}: Strict-Transport-Security`)
    }
  },

  '7.6-cors': async ({ ada, client, settings: { routes } }) => {
    const path = fill(routes.account, ada.account)
    for (const origin of ['https://evil.example', 'null']) {
      const headers = { origin, 'access-control-request-method': 'GET' }
      const token = await ada.token()
      const replies = [
        await client.ask('GET', path, { token, headers }),
        await client.ask('OPTIONS', path, { headers }),
      ]
      for (const { headers: answered } of replies) {
        const allowed = answered['access-control-allow-origin']
        const withCredentials = answered['access-control-allow-credentials'] === 'true'
        expect(allowed !== origin, `${origin} is trusted`)
        expect(!(allowed === '*' && withCredentials), 'the wildcard stands with credentials')
      }
    }
  },
} satisfies Record<string, Check>
