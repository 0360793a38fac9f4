// A bank in memory that speaks the routes rightly, with one switch for each way to do it wrong.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export const defects = [
  'no ownership check',
  'beneficiary not checked under its account',
  'Retry-After that lies',
  'revocation after a delay',
  'logout on the client only',
  'double payment under races',
  'stack in an error',
  'algorithm none accepted',
  'guessable secret accepted',
  'mass assignment',
  'freeze and PUT differ',
  'deactivate deletes',
  '200 with a failure flag',
  'wildcard CORS with credentials',
  'a security header is missing',
  'limit of a list not capped',
  'login limited by name alone',
  'reset limited for all at once',
  'an endpoint without a limit',
  'HTML errors',
] as const
export type Defect = (typeof defects)[number]

class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  constructor(status: number, headers = {}) {
    super(http.STATUS_CODES[status])
    this.status = status
    this.headers = headers
  }
}
const refuse = (status: number, headers = {}): never => {
  throw new Refusal(status, headers)
}

type User = { id: string; username: string; email: string; password: string; roles: string[] }
type Session = { id: string; user: User; isLive: boolean; isRevoked?: true }
type Thing = Record<string, unknown> & { id: string; ownerId: string }
/** What a route sees of a request. */
type Call = { caller: User; session: Session; id: string; rest: string[]; body: Thing; url: URL }

/** Its values, for the kit. */
export const pageMax = 5
export const loginWindow = 3
const identifier = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const secret = randomBytes(32)
const sign = (text: string, key: string | Buffer = secret) =>
  createHmac('sha256', key).update(text).digest('base64url')
const noSession = { user: {} } as Session
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** The amount that the kit pays several times at once. */
const racingAmount = '5.00'

export async function littleBank(defect?: Defect) {
  const has = (name: Defect): boolean => defect === name
  const users: User[] = []
  const sessions = new Map<string, Session>()
  const things = new Map<string, Thing>()
  const hits = new Map<string, number[]>()

  /** At most `quota` in any `seconds` under a key. */
  function take(key: string, quota: number, seconds: number): void {
    const now = Date.now()
    const recent = (hits.get(key) ?? []).filter((at) => at > now - seconds * 1000)
    hits.set(key, recent)
    if (recent.length >= quota) {
      const wait = Math.ceil(((recent[0] ?? now) + seconds * 1000 - now) / 1000)
      refuse(429, { 'retry-after': String(has('Retry-After that lies') ? wait + 4 : wait) })
    }
    recent.push(now)
  }

  function newUser(body: Record<string, unknown>): User {
    const { username, email, password, roles } = body as unknown as User
    const isAdmin = has('mass assignment') && body['isAdmin'] === true
    const user = { id: randomUUID(), username, email, password, roles: isAdmin ? ['admin'] : roles }
    users.push(user)
    return user
  }
  newUser({ username: 'admin', email: 'a@x', password: 'admin password', roles: ['admin'] })

  function findSession(authorization = ''): Session {
    const [header = '', payload = '', signature] = authorization.replace('Bearer ', '').split('.')
    if (payload === '') return refuse(401)
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    const isUnsigned = has('algorithm none accepted') && /none/i.test(read(header).alg)
    const keys = has('guessable secret accepted') ? [secret, 'secret'] : [secret]
    const isSigned = keys.some((key) => sign(`${header}.${payload}`, key) === signature)
    if (!isSigned && !isUnsigned) return refuse(401)
    const { sid, exp } = read(payload) as { sid: string; exp: number }
    const session = sessions.get(sid)
    if (!session?.isLive || exp * 1000 <= Date.now()) return refuse(401)
    if (session.isRevoked) session.isLive = false
    return session
  }

  function add(ownerId: string, value: object): Thing {
    const thing = { id: randomUUID(), ownerId, ...value }
    things.set(thing.id, thing)
    return thing
  }

  const isStaff = ({ roles }: User) => roles.includes('admin') || roles.includes('support-agent')
  function asAdmin(call: Call): Call {
    return call.caller.roles.includes('admin') ? call : refuse(403)
  }

  /** The thing, if the caller may have it. */
  function own({ caller, id }: Call, mayStaff = true): Thing {
    const thing = things.get(id)
    if (isStaff(caller) && mayStaff) return thing ?? refuse(404)
    const isOwn = thing?.ownerId === caller.id || has('no ownership check')
    return thing && isOwn ? thing : refuse(403)
  }

  function login({ body }: Call): object {
    const { username, password } = body as unknown as User
    const keys = has('login limited by name alone') ? [username] : [username, 'address']
    const user = users.find((each) => each.username === username && each.password === password)
    if (!user) {
      for (const key of keys) take(`login ${key}`, 5, loginWindow)
      return has('200 with a failure flag') ? { success: false } : refuse(401)
    }
    const session = { id: randomUUID(), user, isLive: true }
    sessions.set(session.id, session)
    const claims = { sid: session.id, exp: Math.floor(Date.now() / 1000) + 900 }
    const input = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
    return { token: `${input}.${sign(input)}`, sessionId: session.id }
  }

  function end(session: Session | undefined): void {
    if (!session) return refuse(404)
    // The delay ends with the next request, however busy the computer is.
    if (has('revocation after a delay')) session.isRevoked = true
    else session.isLive = false
  }

  const racing = new Map<string, () => void>()
  /** Waits until an equal payment has come as far. */
  function meet(mark: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const other = racing.get(mark)
    if (other) [other, resolve].forEach((go) => go())
    else racing.set(mark, resolve)
    return promise
  }

  async function pay(call: Call): Promise<Thing> {
    const { fromAccountId, toAccountId, amount, reference } = call.body as Record<string, unknown>
    const cents = Math.round(Number(amount) * 100)
    if (typeof amount !== 'string' || !(cents > 0)) return refuse(400)
    const from = own({ ...call, id: fromAccountId as string }, false)
    const to = own({ ...call, id: toAccountId as string }, false)
    if (from['status'] === 'frozen' || Number(from['cents']) < cents) return refuse(409)
    const mark = `${from.id} ${to.id} ${cents} ${String(reference)}`
    const isDouble = () => [...things.values()].some((thing) => thing['mark'] === mark)
    if (isDouble()) return refuse(409)
    if (has('double payment under races') && amount === racingAmount) await meet(mark)
    from['cents'] = Number(from['cents']) - cents
    to['cents'] = Number(to['cents']) + cents
    for (const { entries } of [from, to]) (entries as unknown[]).push({ amount })
    return add(call.caller.id, { mark, amount, reference })
  }

  function page({ url }: Call, all: unknown[]): object {
    const asked = Number(url.searchParams.get('limit') ?? '20')
    if (!(asked > 0) || !Number.isSafeInteger(asked)) refuse(400)
    const limit = has('limit of a list not capped') ? asked : Math.min(asked, pageMax)
    return { items: all.slice(0, limit) }
  }

  function openAccount({ caller, body }: Call): object {
    if (typeof body['currency'] !== 'string') refuse(400)
    const cents = has('mass assignment') ? Math.round(Number(body['balance'] ?? 0) * 100) : 0
    return shown(
      add(caller.id, { currency: body['currency'], cents, entries: [], status: 'active' }),
    )
  }
  const shown = ({ cents, ...account }: Thing) => ({
    ...account,
    balance: (Number(cents) / 100).toFixed(2),
  })

  function addBeneficiary(call: Call): Thing {
    const { name, iban } = call.body as Record<string, unknown>
    if (typeof name !== 'string' || /[<>;="$']/.test(name)) refuse(400)
    return add(call.caller.id, { accountId: own(call, false).id, name, iban, status: 'active' })
  }

  const change = (thing: Thing, values: object): Thing => Object.assign(thing, values)
  const frozenBy = (way: string) => (has('freeze and PUT differ') ? { frozenBy: way } : {})
  /** By method and path; `{id}` is the first identifier of the call, later ones are its `rest`. */
  const handlers: Record<string, (call: Call) => unknown> = {
    'POST /auth/login': login,
    'POST /auth/logout'({ session }) {
      if (!has('logout on the client only')) session.isLive = false
    },
    'POST /auth/password-reset'({ body: { email } }) {
      if (typeof email !== 'string') return refuse(400)
      return take(`reset ${has('reset limited for all at once') ? '' : email}`, 3, 3600)
    },
    'GET /admin/users': ({ caller }) => (isStaff(caller) ? users.length : refuse(403)),
    'POST /admin/users': (call) => ({ ...newUser(asAdmin(call).body), password: undefined }),
    'DELETE /admin/sessions/{id}': (call) => end(sessions.get(asAdmin(call).id)),
    'POST /admin/accounts/{id}/deposits'(call) {
      const account = own(asAdmin(call))
      const cents = Number(account['cents']) + Number(call.body['amount']) * 100
      return change(account, { cents })
    },
    'POST /admin/accounts/{id}/freeze': (call) => change(own(asAdmin(call)), { status: 'frozen' }),
    'POST /accounts': openAccount,
    'GET /accounts/{id}': (call) => shown(own(call)),
    'DELETE /accounts/{id}': (call) => void things.delete(own(call).id),
    'GET /accounts/{id}/details': (call) => shown(own(call)),
    'GET /accounts/{id}/settings': (call) => ({
      registeredPhone: own(call)['registeredPhone'] ?? null,
    }),
    'PATCH /accounts/{id}/settings': (call) => change(own(asAdmin(call)), call.body),
    'GET /accounts/{id}/transactions': (call) => page(call, own(call)['entries'] as unknown[]),
    'POST /accounts/{id}/beneficiaries': addBeneficiary,
    'GET /accounts/{id}/beneficiaries/{id}'(call) {
      const account = own(call, false)
      const [id = ''] = call.rest
      if (has('beneficiary not checked under its account')) return things.get(id)
      const found = own({ ...call, id }, false)
      return found['accountId'] === account.id || has('no ownership check') ? found : refuse(403)
    },
    'GET /beneficiaries/{id}': (call) => own(call, false),
    'DELETE /beneficiaries/{id}': (call) => void things.delete(own(call, false).id),
    'POST /beneficiaries/{id}/deactivate'(call) {
      const found = own(call, false)
      if (has('deactivate deletes')) things.delete(found.id)
      return change(found, { status: 'deactivated' })
    },
    'POST /accounts/{id}/cards': (call) =>
      add(call.caller.id, { accountId: own(call).id, status: 'active' }),
    'GET /cards/{id}': (call) => own(call),
    'POST /cards/{id}/freeze': (call) =>
      change(own(call), { status: 'frozen', ...frozenBy('freeze') }),
    'PUT /cards/{id}'(call) {
      const { status, accountId } = call.body
      return accountId ? refuse(400) : change(own(call), { status, ...frozenBy('update') })
    },
    'POST /transfers': pay,
    'GET /transfers/{id}': (call) => own(call),
  }
  const routes = Object.entries(handlers).map(([name, handle]) => {
    const [method = '', path = ''] = name.split(' ')
    const pattern = new RegExp(`^(?:/api/v1)?${path.replaceAll('{id}', '([^/]+)')}$`)
    const quota = path === '/transfers' ? 20 : method === 'GET' ? 30 : 1000
    return { name, method, pattern, quota, handle, isPublic: /login|reset$/.test(path) }
  })

  async function answer(request: http.IncomingMessage): Promise<unknown> {
    const text = Buffer.concat((await request.toArray()) as Buffer[]).toString()
    const url = new URL(request.url ?? '/', 'http://bank')
    const route = routes.find(
      ({ method, pattern }) => method === request.method && pattern.test(url.pathname),
    )
    if (!route) return refuse(404)
    const session = route.isPublic ? noSession : findSession(request.headers.authorization)
    const isUnlimited = has('an endpoint without a limit') && route.name.endsWith('/transactions')
    const kind = `${route.method} ${route.quota}`
    if (!route.isPublic && !isUnlimited) take(`${kind} ${session.user.id}`, route.quota, 1)
    if (text.length > 2_097_152) return refuse(413)
    const body = (text === '' ? {} : JSON.parse(text)) as Thing | null
    if (typeof body !== 'object' || body === null) return refuse(400)
    const [, id = '', ...rest] = route.pattern.exec(url.pathname) ?? []
    if (id !== '' && !identifier.test(id)) return refuse(400)
    return route.handle({ caller: session.user, session, id, rest, body, url })
  }

  const server = http.createServer((request, response) => {
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('strict-transport-security', 'max-age=31536000')
    if (!has('a security header is missing')) response.setHeader('x-frame-options', 'DENY')
    if (has('wildcard CORS with credentials')) {
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-allow-credentials', 'true')
    }
    const put = (status: number, body: unknown, headers = {}) => {
      const type = has('HTML errors') && status >= 400 ? 'text/html' : 'application/json'
      response.writeHead(status, { ...headers, 'content-type': type }).end(JSON.stringify(body))
    }
    const fail = (thrown: Error) => {
      const isMeant = thrown instanceof Refusal
      const [status, headers] = isMeant ? [thrown.status, thrown.headers] : [400, {}]
      const message = has('stack in an error') && !isMeant ? thrown.stack : thrown.message
      put(status, { error: http.STATUS_CODES[status], code: 'x', message }, headers)
    }
    void answer(request).then((value) => put(200, value ?? {}), fail)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    admin: { username: 'admin', password: 'admin password' },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
