// Requests that a route should take: identifiers of what there is, texts and amounts of its schema,
// and for routes that ask for a secret, one that is good.
import { fc } from '../support/random.ts'
import type { Resource } from '../../src/domain/ids.ts'
import { foreignKey, resourceKey } from '../../src/domain/ids.ts'
import type { SchemaNode } from '../../src/domain/schema.ts'
import { takesKey } from '../../src/http/repeats.ts'
import type { Route } from '../../src/http/route.ts'
import { password, people } from '../support/world.ts'
import { canary, signed } from './canary.ts'
import { type Draft, toPath, type Via } from './request.ts'
import { foreignIban } from './fixtures.ts'
import { anyPasskey } from './passkey.ts'
import { type Caller, countUp, type Item, findItems, mayAsk, nobodysId, pickYoung } from './pool.ts'
import type { Pool, Spare } from './pool.ts'

const routeName = ({ method, path }: Route): string => `${method} ${path}`

/** Routes that end the session of whoever asks: nobody of the cast may. */
const selfDestructive = new Set([
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/password',
  'POST /api/v1/auth/factors/:factorId/activate',
  'PATCH /api/v1/auth/factors/:factorId',
  'DELETE /api/v1/auth/factors/:factorId',
  'POST /api/v1/auth/recovery-codes',
  'POST /api/v1/auth/confirmations/:challengeId',
])

/** Routes by which an administrator could end the cast: only spares are named. */
const destructive = new Set([
  'PATCH /api/v1/admin/users/:userId',
  'DELETE /api/v1/admin/users/:userId/sessions',
  'DELETE /api/v1/admin/sessions/:sessionId',
  'POST /api/v1/admin/users/:userId/factor-reset',
  'POST /api/v1/admin/users/:userId/password-link',
])

export function callerFor(pool: Pool, route: Route): Caller {
  const { random, cast, programs, strangers } = pool
  if (random.chance(12)) return random.pick(strangers)
  if (selfDestructive.has(routeName(route))) return pickSpare(pool)
  const all = [...Object.values(cast), ...Object.values(programs)]
  const may = all.filter((caller) => mayAsk(caller, route))
  return random.pick(may.length > 0 && random.chance(75) ? may : all)
}

/** The youngest live their own lives; what ends people is done to the others. */
const pickSpare = ({ random, spares }: Pool): Spare => random.pick(spares.slice(-2))
const pickVictim = ({ random, spares }: Pool): Spare => random.pick(spares.slice(0, -4))
/** Whose link still opens something, most likely. */
const pickForgetful = ({ random, spares }: Pool): Spare => random.pick(spares.slice(-4, -2))

function spareFor(pool: Pool, route: Route): Spare {
  if (destructive.has(routeName(route))) return pickVictim(pool)
  return route.path.endsWith('/confirm') ? pickForgetful(pool) : pickSpare(pool)
}

/**
 * @param stray how often, of a hundred, an identifier is not one that the caller may name
 * @param isFull with all that a query or a body may have
 */
export function validDraft(
  pool: Pool,
  route: Route,
  caller: Caller,
  stray: number,
  isFull = false,
): Draft {
  const { random } = pool
  const spare = spareFor(pool, route)
  const maker: Maker = { pool, route, caller, stray, spare, chosen: undefined }
  const params = makeObject(maker, route.params, 100)
  const query = makeObject(maker, route.query, isFull ? 100 : 35)
  const body = route.body ? makeObject(maker, route.body, isFull ? 100 : 60) : undefined
  const headers: Draft['headers'] = []
  if (takesKey(route) && random.chance(30)) headers.push(['idempotency-key', pickKey(pool)])
  if (route.portal === 'only') headers.push(['sec-fetch-site', 'same-origin'])
  const via: Via = random.chance(15) ? 'http/2' : 'http/1.1'
  const { method } = route
  const draft: Draft = {
    route,
    caller,
    method: method === 'GET' && random.chance(5) ? 'HEAD' : method,
    params,
    query,
    body,
    headers,
    via,
    mood: 'valid',
    bent: '',
  }
  if (random.chance(6)) draft.path = unprefixed(toPath(draft))
  return fromCursor(pool, draft) ?? draft
}

const unprefixed = (path: string): string =>
  path.replace(/^\/api\/v1(?=\/(accounts|transfers|beneficiaries|cards)(\/|$))/, '')

/** The next page of a list that the same caller has seen. */
function fromCursor({ random, cursors }: Pool, draft: Draft): Draft | undefined {
  const name = routeName(draft.route)
  const known = cursors.filter((each) => each.route === name && each.caller === draft.caller.name)
  if (known.length === 0 || !random.chance(15)) return undefined
  const { path, cursor } = random.pick(known)
  const [at = '', search = ''] = path.split('?')
  const join = search === '' ? '?' : `?${search}&`
  return { ...draft, path: at, search: `${join}cursor=${cursor}` }
}

const anyKey = fc.stringMatching(/^[!-~]{1,60}$/)

export function pickKey(pool: Pool): string {
  const { random, keys } = pool
  if (random.chance(40)) return random.pick(keys)
  const key = `${canary}-${random.draw(anyKey)}`
  keys.push(key)
  return key
}

type Maker = {
  pool: Pool
  route: Route
  caller: Caller
  stray: number
  spare: Spare
  /** The account that was named before: what comes after it should be of it. */
  chosen: Item | undefined
}

function makeObject(maker: Maker, schema: SchemaNode | undefined, optional: number) {
  const made: Record<string, unknown> = {}
  const required = schema?.required ?? []
  for (const [key, node] of Object.entries(schema?.properties ?? {})) {
    if (required.includes(key) || maker.pool.random.chance(optional)) {
      const value = makeValue(maker, key, node)
      if (value !== undefined) made[key] = value
    }
  }
  return made
}

function makeValue(maker: Maker, key: string, node: SchemaNode): unknown {
  const { random } = maker.pool
  const options = node.anyOf
  if (options) return random.chance(15) ? null : makeValue(maker, key, options[0] as SchemaNode)
  const resource = node[resourceKey]
  if (resource !== undefined) return pickId(maker, resource)
  if (Object.hasOwn(byKey, key)) return byKey[key]?.(maker)
  if (node.enum) return random.pick(node.enum)
  if (node.type === 'boolean') return random.chance(50)
  if (node.type === 'array') {
    return node.items?.enum?.filter((_, index) => index === 0 || random.chance(40))
  }
  if (node.type === 'integer') return node.minimum
  if (node.pattern?.startsWith('^[0-9A-Z]')) return random.pick(['13.1', '4853'])
  if (node.pattern?.includes('\\p{L}') || node[foreignKey] === true) {
    return makeText(maker, node.maxLength ?? 70)
  }
  throw new Error(`The fuzz knows no value for ${key}: ${JSON.stringify(node)}`)
}

const anyTail = fc.stringMatching(/^[A-Za-z0-9 /?:().,'+&#-]{0,20}$/)

function makeText({ pool, caller }: Maker, longest: number): string {
  const { random } = pool
  const tail = random.draw(anyTail)
  const letters = random.pick(['', 'Ünïcödé', 'Ελένη', '王秀英', 'ابن'])
  return `${signed(caller.name, tail)} ${letters}`.trim().slice(0, longest)
}

/** An identifier of the caller's own, or, as often as it says, a stranger's, gone or unknown. */
function pickId(maker: Maker, resource: Resource): string {
  const { pool, caller, route, stray, spare } = maker
  const { random } = pool
  const isStray = random.chance(stray)
  if (isStray && random.chance(25)) return nobodysId()
  if (destructive.has(routeName(route)) && caller.roles.includes('admin')) {
    return resource === 'user' ? spare.userId : spare.sessionId
  }
  if (resource === 'user') {
    const isSelf = caller.roles.includes('customer') && !isStray
    return isSelf ? caller.userId : random.pick(Object.values(pool.cast)).userId
  }
  if (resource === 'request') return nobodysId()
  if (resource === 'challenge') {
    const own = (caller as Spare).factor?.confirmationId
    return (route.access === 'public' ? spare.factor?.challengeId : own) ?? nobodysId()
  }
  if (resource === 'factor') {
    const { factor } = caller as Spare
    const isPending = route.path.endsWith('/activate')
    return (isPending ? factor?.pendingId : factor?.id) ?? nobodysId()
  }
  const isCustomer = caller.roles.length === 1 && caller.roles[0] === 'customer'
  // Nobody's: a session that is watched. Everybody may try to end it but whose it really is.
  const own = findItems(pool, resource, isCustomer && !isStray ? caller.userId : undefined).filter(
    ({ id, ownerId }) => ownerId !== 'nobody' || pool.ownerOf.get(id) !== caller.userId,
  )
  const fitting = own.filter((item) => isStray || (!item.isGone && belongsTo(item, maker.chosen)))
  const item = pickYoung(pool, fitting.length > 0 ? fitting : own)
  const isContainer = ['account', 'service account', 'webhook'].includes(resource)
  if (isContainer && maker.chosen === undefined) maker.chosen = item
  return item?.id ?? nobodysId()
}

const belongsTo = ({ accountId }: Item, chosen: Item | undefined): boolean =>
  accountId === undefined || chosen === undefined || accountId === chosen.id

type Make = (maker: Maker) => unknown

const amount: Make = ({ pool: { random } }) =>
  random.pick(['0.01', '1', '2.5', '9.99', '20.00', `${random.below(40)}.${random.below(90) + 10}`])
const newPassword: Make = ({ pool }) => `${canary} horse ${countUp(pool)}`
const phone: Make = ({ pool }) => `+4420794603${10 + pool.random.below(90)}`
const when: Make = ({ pool: { random } }) =>
  random.pick(['2026-01-01', '2026-01-02', '2026-01-02T09:10:00Z', '2026-01-03', '2025-12-24'])
const nobodys: Make = () => nobodysId()
const iban: Make = ({ pool }) => {
  const { random, payable } = pool
  return random.chance(40) ? random.pick(payable) : foreignIban(random)
}

const makePosting = (maker: Maker) => ({
  fromAccountId: pickId(maker, 'account'),
  toCode: maker.pool.random.pick(['fees', 'interest', 'none']),
  amount: amount(maker),
  currency: maker.chosen?.currency ?? 'EUR',
  kind: maker.pool.random.pick(['fee', 'interest']),
  reason: makeText(maker, 140),
})

const makeListItem = (maker: Maker) => ({
  name: makeText(maker, 70),
  iban: iban(maker),
  amount: amount(maker),
  ...(maker.pool.random.chance(30) && { reference: makeText(maker, 140) }),
})

/** Of several proofs one is sent mostly. */
const isSeldom = ({ pool: { random } }: Maker): boolean => random.chance(20)
const isActivation = ({ route }: Maker): boolean => route.path.endsWith('/activate')

/** What only the key tells. */
const byKey: Readonly<Record<string, Make>> = {
  channels: ({ pool: { random } }) => ({
    [random.pick(['online', 'abroad', 'contactless', 'cash'])]: random.chance(50),
  }),
  limits: (maker) => ({
    [maker.pool.random.pick(['perPayment', 'perDay'])]: maker.pool.random.pick([
      amount(maker),
      null,
    ]),
  }),
  addresses: ({ pool }) => pool.random.pick([[], ['127.0.0.0/8', '::1'], ['2001:db8::/32']]),
  externalId: ({ pool }) => pickKey(pool),
  tolerance: ({ pool }) => pool.random.pick([1, 20, 30]),
  orderedBy: ({ pool, caller }) => pool.random.pick([caller.userId, nobodysId()]),
  expiresAt: ({ pool, route }) =>
    pool.random.pick(
      /\/(holds|authorizations)/.test(route.path)
        ? [undefined, '2026-06-30T12:00:00+02:00']
        : [null, '2030-01-01T00:00:00.000Z'],
    ),
  grants: ({ pool, ...maker }) => ({
    readAccounts: pool.random.pick([null, 'all', people.ada.id]),
    payFrom: pool.random.chance(30) ? [pickId({ pool, ...maker }, 'account')] : [],
    operations: pool.random.pick([[], ['getOverview'], ['settleTransfer']]),
  }),
  action: ({ pool }) => pool.random.pick(['logIn', 'getAccount', 'createTransfer', 'Nothing']),
  after: ({ pool }) => pool.random.pick(['0', '1', '20']),
  amount,
  at: when,
  // Soon over: most of what is tried needs accounts that are not blocked.
  until: ({ pool }) => new Date(pool.bank.clock.now() + 1000).toISOString(),
  code: (maker) => {
    if (maker.route.path.endsWith('/bank-accounts')) return `b${countUp(maker.pool)}`
    if (maker.route.path.includes('/bank-accounts/')) {
      return maker.pool.random.pick(['cash', 'clearing', 'fees', 'none'])
    }
    const wrong = String(maker.pool.random.below(1_000_000)).padStart(6, '0')
    const { factor } = maker.caller as Spare
    if (isActivation(maker)) return factor?.pendingCode() ?? wrong
    if (maker.route.path.includes('/confirmations/')) return factor?.code() ?? wrong
    return isSeldom(maker) ? wrong : undefined
  },
  currency: ({ pool: { random }, chosen }) =>
    random.chance(95) ? (chosen?.currency ?? 'EUR') : random.pick(['EUR', 'USD', 'JPY', 'BHD']),
  currentPassword: ({ caller }) => (caller as Spare).password ?? password,
  cursor: () => undefined,
  dailyTransferLimit: () => '500000.00',
  perPayment: ({ pool }) => pool.random.pick(['400000.00', '300000.00']),
  perDay: ({ pool }) => pool.random.pick(['500000.00', '600000.00']),
  balanceBelow: ({ pool }) => pool.random.pick(['10.00', '20.00', null]),
  notices: ({ pool: { random } }) => {
    const kind = random.pick(['payment', 'money-arrived', 'new-device'])
    return [{ kind, channel: random.pick(['mail', 'off']) }]
  },
  debtorIban: () => undefined,
  executeOn: ({ pool }) => pool.random.pick([undefined, '2099-12-31']),
  form: ({ pool }) => pool.random.pick([undefined, 'pain.001.001.09']),
  messageId: ({ pool }) => `${canary} ${countUp(pool)}`,
  debtor: (maker) => ({
    name: makeText(maker, 140),
    ...(maker.pool.random.chance(60) && { iban: iban(maker), bic: 'MARKDEFFXXX' }),
  }),
  deviceToken: ({ spare }) => spare.deviceToken,
  email: ({ pool, route, spare }) =>
    /\/admin\/|\/me\/email/.test(route.path) && route.method !== 'GET'
      ? `${canary}.new${countUp(pool)}@example.com`
      : `${spare.username}@example.com`,
  day: ({ pool }) => pool.random.pick(['2026-01-02', '2026-01-03']),
  month: ({ pool }) => pool.random.pick(['2026-01', '2025-12', '1970-01']),
  dueOn: ({ pool }) => pool.random.pick([undefined, '2026-01-02', '2099-12-31']),
  firstOn: ({ pool }) => pool.random.pick(['2026-01-02', '2027-02-28', '2099-12-31']),
  from: (maker) =>
    maker.route.path.endsWith('/signatures')
      ? maker.pool.random.pick(['4000.00', '4500.00'])
      : when(maker),
  fromCode: (maker) => maker.pool.random.pick(['fees', 'interest', undefined]),
  iban,
  lastOn: ({ pool }) => pool.random.pick([undefined, '2099-12-31']),
  endToEndId: (maker) => makeText(maker, 35),
  items: (maker) =>
    Array.from({ length: 1 + maker.pool.random.below(4) }, (_, index) => {
      if (maker.route.operation === 'createPaymentList') return makeListItem(maker)
      const externalId = `${canary} ${index} ${maker.pool.random.below(20)}`
      return maker.route.operation === 'createPostingBatch'
        ? { ...makePosting(maker), externalId }
        : { id: pickId(maker, 'transfer'), externalId }
    }),
  limit: ({ pool }) => pool.random.pick(['1', '1', '2', '20', '100', '5000', '999999999']),
  merchant: (maker) => ({
    name: makeText(maker, 140),
    category: maker.pool.random.pick(['5411', '5812', '6011']),
    country: maker.pool.random.pick(['DE', 'FR']),
  }),
  maxAmount: () => '4000',
  minAgeSeconds: ({ pool }) => pool.random.pick(['0', '60', '9999999999']),
  minAmount: () => '0.50',
  newPassword,
  overdraftLimit: amount,
  retryDays: ({ pool }) => pool.random.pick([undefined, 1, 5]),
  onHoliday: ({ pool }) => pool.random.pick([undefined, 'pay', 'before', 'after']),
  passkey: (maker) =>
    isSeldom(maker) ? anyPasskey(maker.pool.random, isActivation(maker)) : undefined,
  password: ({ route, spare, ...maker }) =>
    route.path.endsWith('/factors')
      ? ((maker.caller as Spare).password ?? password)
      : route.limit === 'login'
        ? spare.password
        : newPassword({ route, spare, ...maker }),
  phone,
  recoveryCode: ({ pool: { random }, spare }) =>
    random.pick(spare.factor?.recoveryCodes ?? ['ABCD-EFGH-IJKL-MNOP', 'a'.repeat(16)]),
  recoveryToken: (maker) => (isSeldom(maker) ? maker.spare.deviceToken : undefined),
  reference: (maker) => makeText(maker, 140),
  refreshToken: ({ spare }) => spare.refreshToken,
  registeredPhone: phone,
  // Of an issuer, which this bank has none of.
  subject: ({ pool }) => pool.random.pick(['248289761001', 'auth0|5f7c', canary]),
  state: ({ pool }) => `${canary}.${countUp(pool)}`,
  iss: () => 'https://id.bank.example',
  error: () => 'access_denied',
  logout_token: () => 'eyJhbGciOiJub25lIn0.e30.c2lnbmF0dXJl',
  target: nobodys,
  to: ({ pool }) => pool.random.pick(['2026-01-02', '2026-01-04', '2026-02-01T00:00:00.000Z']),
  toCode: (maker) => maker.pool.random.pick(['fees', 'suspense', undefined]),
  token: ({ spare }) => spare.resetToken,
  types: ({ pool, route }) =>
    route.method === 'GET'
      ? pool.random.pick(['card.frozen', 'card.issued,account.opened'])
      : pool.random.pick([['card.issued'], ['transfer.completed', 'session.revoked']]),
  // Refused without a name server.
  url: ({ pool }) => pool.random.pick(['https://127.0.0.1/in?a=1', 'http://[::1]/']),
  wait: () => '0',
  username: ({ pool, route, spare }) =>
    route.method === 'POST' && route.path.includes('/admin/')
      ? `${canary}.new${countUp(pool)}`
      : spare.username,
}
