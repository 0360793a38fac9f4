// The bank under test as the checks see it: requests, people who can log in, and their things.
import { randomBytes, randomUUID } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { Settings } from './settings.ts'

export type Reply = {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  /** The parsed body; `any`, since its shape is what is checked. */
  // oxlint-disable-next-line no-explicit-any
  body: any
}
export type SendOptions = {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

/** The clause does not hold. */
export class Failure extends Error {}
/** The clause is not checked, and why. */
export class Skip extends Error {}

export function expect(holds: unknown, message: string): asserts holds {
  if (holds !== true && !holds) throw new Failure(message)
}

export function expectStatus({ status }: Reply, wanted: readonly number[], what: string): void {
  expect(wanted.includes(status), `${what}: ${status} instead of ${wanted.join(' or ')}`)
}

/**
 * No connection that was idle for longer is taken for a request: the bank may be ending it in that
 * moment. Node heeds the time that the bank announces only below this one.
 */
const idleMsMax = 3000

export const refused = [401, 403]
export const sleep = (seconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, seconds * 1000))

export const fill = (route: string, id: string, beneficiaryId = ''): string =>
  route.replace('{id}', id).replace('{beneficiaryId}', beneficiaryId)

/** The items of a list, bare or in an object. */
export function findItems({ body }: Reply): unknown[] {
  const items: unknown = Array.isArray(body) ? body : body?.items
  expect(Array.isArray(items), 'the answer is not a list')
  return items as unknown[]
}

/** The seconds a Retry-After header states, as a number or a date. */
export function retryAfter({ headers }: Reply): number {
  const value = headers['retry-after'] ?? ''
  return /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
}

export type Options = {
  baseUrl: string
  ca: string | undefined
  admin: { username: string; password: string }
  isQuick: boolean
  settings: Settings
}

export class Client {
  readonly seen: (Reply & { request: string })[] = []
  private readonly agents = new Map<string, http.Agent>()
  private readonly options: Options
  constructor(options: Options) {
    this.options = options
  }

  /** One request, whatever its answer. */
  send(method: string, path: string, { token, body, headers }: SendOptions = {}): Promise<Reply> {
    const url = new URL(path, this.options.baseUrl)
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const fields = {
      ...(payload !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(payload)),
      }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    }
    const library = url.protocol === 'https:' ? https : http
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const agent = this.agentOf(url.protocol)
    const request = library.request(url, { method, headers: fields, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const status = response.statusCode ?? 0
        const reply = { status, headers: response.headers, text, body: parsed(text) }
        this.seen.push({ ...reply, request: `${method} ${url.pathname}` })
        resolve(reply)
      })
    })
    request.on('error', reject)
    request.end(payload)
    return promise
  }

  /** The same, sent again after a 429 that says to wait no longer: for what is not about limits. */
  async ask(
    method: string,
    path: string,
    asked?: SendOptions,
    waitMax = this.options.settings.waitMax,
  ): Promise<Reply> {
    for (let turn = 0; ; turn++) {
      const reply = await this.send(method, path, asked)
      const wait = retryAfter(reply)
      if (reply.status !== 429 || turn === 9 || !(wait <= waitMax)) return reply
      await sleep(Math.max(wait, 0.1))
    }
  }

  close(): void {
    for (const agent of this.agents.values()) agent.destroy()
  }

  private agentOf(protocol: string): http.Agent {
    const { ca } = this.options
    const pooling = { keepAlive: true, maxSockets: 50, timeout: idleMsMax }
    const options = { ...pooling, ...(ca !== undefined && { ca }) }
    const made = protocol === 'https:' ? new https.Agent(options) : new http.Agent(options)
    const agent = this.agents.get(protocol) ?? made
    this.agents.set(protocol, agent)
    return agent
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export type Login = { token: string; refreshToken: string; sessionId: string }

/** A user who can log in. The session is renewed before it could end by itself. */
export class Person {
  readonly email: string
  readonly username: string
  readonly password: string
  private readonly bank: Client
  private readonly settings: Settings
  private current: Login | undefined
  private since = 0
  constructor(bank: Client, settings: Settings, known?: { username: string; password: string }) {
    this.bank = bank
    this.settings = settings
    this.username = known?.username ?? `c-${randomBytes(6).toString('hex')}`
    this.password = known?.password ?? `Pw-${randomBytes(12).toString('hex')}`
    this.email = `${this.username}@conformance.example`
  }

  /** Opens a session of its own. */
  async login(): Promise<Login> {
    const { routes, fields } = this.settings
    const body = { username: this.username, password: this.password }
    const reply = await this.bank.ask('POST', routes.login, { body })
    expectStatus(reply, [200, 201], `login of ${this.username}`)
    const answer = reply.body as Record<string, string>
    return {
      token: answer[fields.token] ?? '',
      refreshToken: answer[fields.refreshToken] ?? '',
      sessionId: answer[fields.sessionId] ?? '',
    }
  }

  async token(): Promise<string> {
    const { tokenTtl, sessionIdle, sessionMax } = this.settings
    const lifetimes = [tokenTtl, sessionIdle, sessionMax].filter((seconds) => seconds > 0)
    if (Date.now() - this.since > (Math.min(...lifetimes, 3600) / 3) * 1000) {
      const at = Date.now()
      this.current = await this.login()
      this.since = at
    }
    return this.current?.token ?? ''
  }

  async ask(method: string, path: string, body?: unknown, headers = {}): Promise<Reply> {
    return this.bank.ask(method, path, { token: await this.token(), body, headers })
  }
}

export type Things = { account: string; second: string; beneficiary: string; card: string }

/** Checks one clause: returns when it holds, throws {@link Failure} or {@link Skip} otherwise. */
export type Check = (bank: Bank) => Promise<void>

export type Bank = Options & {
  client: Client
  /** Two customers with the same things, two with an account, and the staff. */
  ada: Person & Things
  ben: Person & Things
  eve: Person & Things
  finn: Person & Things
  agent: Person
  root: Person
  newPerson(roles: readonly string[], more?: object): Promise<{ person: Person; reply: Reply }>
  /** The body of a transfer between the two accounts of one customer. */
  payment(from: Things, amount: string): Record<string, unknown>
}

/** Makes the people and their things by the interface itself. */
export async function prepare(options: Options): Promise<Bank> {
  const { settings, admin } = options
  const { routes, fields } = settings
  const client = new Client(options)
  const root = new Person(client, settings, admin)

  async function newPerson(roles: readonly string[], more = {}) {
    const person = new Person(client, settings)
    const { username, email, password } = person
    const body = { ...fields.user, username, email, password, roles, ...more }
    return { person, reply: await root.ask('POST', routes.users, body) }
  }
  async function made(roles: readonly string[]): Promise<Person> {
    const { person, reply } = await newPerson(roles)
    expectStatus(reply, [200, 201], 'preparation: creating a user')
    return person
  }
  async function create(by: Person, path: string, body: object): Promise<string> {
    const reply = await by.ask('POST', path, body)
    expectStatus(reply, [200, 201], `preparation: POST ${path}`)
    return (reply.body as Record<string, string>)[fields.id] as string
  }
  async function customer(): Promise<Person & Things> {
    const person = await made(['customer'])
    const account = await create(person, routes.accounts, fields.account)
    const second = await create(person, routes.accounts, fields.account)
    const funds = { ...fields.money, reason: fields.reason }
    expectStatus(
      await root.ask('POST', fill(routes.deposit, account), funds),
      [200, 201],
      'deposit',
    )
    const beneficiary = await create(
      person,
      fill(routes.addBeneficiary, account),
      fields.beneficiary,
    )
    const card = await create(person, fill(routes.addCard, account), {})
    return Object.assign(person, { account, second, beneficiary, card })
  }
  return {
    ...options,
    client,
    root,
    agent: await made(['support-agent']),
    ada: await customer(),
    ben: await customer(),
    eve: await customer(),
    finn: await customer(),
    newPerson,
    payment: ({ account, second }, amount) => ({
      fromAccountId: account,
      toAccountId: second,
      amount,
      currency: fields.money.currency,
      reference: `Test ${randomUUID().slice(0, 8)}`,
    }),
  }
}
