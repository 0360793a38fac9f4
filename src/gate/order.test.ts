// The published steps of the gate are those it takes, in that order.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Refusal } from '../domain/errors.ts'
import { type Gate, createGate, gateSteps, type Guarded, stepsBeforeBody } from './gate.ts'
import type { Limits, Charged } from './limits.ts'
import type { Role } from './roles.ts'
import { newKey } from './service-keys.ts'
import { tracedGate } from './traced.ts'

type Step = (typeof gateSteps)[number]['name']
const names: readonly Step[] = gateSteps.map(({ name }) => name)
const taken: Charged = { headers: () => ({}), judge: (work) => work() }

type Later = {
  /** The roles that the session has when it is read again. */
  rolesLater?: readonly Role[]
  /** Whether the session is restricted then. */
  isRestrictedLater?: boolean
  /** Other grants of the service account, at that reading of its key. */
  grantsLater?(reading: number): object
  /** An identifier names something that is gone. */
  isGone?: boolean
  /** What it names, in place of a row of the caller's. */
  rows?: { id: string; ownerId: string; isGone: boolean }[]
  /** One question decides for the address and the caller. */
  isShared?: boolean
  /** After how many requests for the time the clocks differ. */
  agreements?: number
}

/** A gate whose steps all refuse from that one on, each by its name; keeps which it took. */
function gateThatRefusesFrom(first: number, later: Later = {}) {
  let refusedFrom = first
  let givenBack = 0
  const stepsTaken: Step[] = []
  /** By which of its functions ownership was judged. */
  const judgedBy: string[] = []
  /** The steps that had been taken when owners were asked for ahead. */
  const askedAfter: Step[][] = []
  const take = (step: Step): void => {
    stepsTaken.push(step)
    if (names.indexOf(step) >= refusedFrom) throw new Error(step)
  }
  const rolesNow = (): readonly Role[] => (names.indexOf('role') >= refusedFrom ? [] : ['customer'])
  const limits: Limits = {
    async take(name) {
      take(name === 'address' ? 'address' : 'limits')
      return taken
    },
    peek: () => taken,
    ...(later.isShared && {
      async takeBoth() {
        take('address')
        const second = () => (take('limits'), taken)
        return { first: taken, second, giveBack: async () => void givenBack++ }
      },
    }),
  }
  const row = { id: 'a', ownerId: 'u', isGone: false }
  const claims = { userId: 'u', sessionId: 's', kid: 'k', expiresAt: Infinity }
  const present = {
    idleEndsAt: Infinity,
    hasFactor: false,
    hasIssuerFactor: false,
    isRestricted: false,
  }
  const session = { ...claims, ownerId: 'u', username: 'ada', ...present }
  let [checks, keyReads, agreements] = [0, 0, later.agreements ?? Infinity]
  const gate = createGate({
    limits,
    tokens: {
      async verify() {
        take('token')
        return claims
      },
      sign: async () => '',
      known: () => claims,
      jwks: async () => ({ keys: [] }),
      counts: () => ({ checked: 0, bytes: 0 }),
    },
    sessions: {
      async check() {
        if (checks++ === 0) return { ...session, roles: rolesNow() }
        take('session')
        const isRestricted = later.isRestrictedLater ?? false
        return { ...session, roles: later.rolesLater ?? rolesNow(), isRestricted }
      },
      async checkHandle() {
        checks++
        take('token')
        return { ...session, kid: null, roles: rolesNow() }
      },
      checkLocked: () => assert.fail('no transaction is begun'),
      touch: () => take('activity'),
      async flush() {},
      async close() {},
    },
    serviceKeys: {
      async check(keyHash, address) {
        if (keyReads++ === 0) take('token')
        else take('session')
        const account = {
          userId: 's',
          ownerId: 's',
          sessionId: 'k',
          kid: null,
          username: 'program',
        }
        const payFrom = names.indexOf('role') >= refusedFrom ? [] : ['a']
        const grants = { readsAll: false, customerId: null, payFrom, operations: [] }
        const service = { keyHash, address, administrators: [], lastUsedAt: 0 }
        return {
          ...account,
          roles: [],
          ...present,
          service: { ...grants, ...service, ...later.grantsLater?.(keyReads) },
        }
      },
      checkLocked: () => assert.fail('no transaction is begun'),
      touch: () => take('activity'),
      async flush() {},
      cacheBytes: () => 0,
      async close() {},
    },
    ownership: {
      async ask() {
        askedAfter.push([...stepsTaken])
        return [later.rows ?? [row]]
      },
      judge() {
        judgedBy.push('judge')
        take('ownership')
        return { isGone: later.isGone ?? false }
      },
      async judgePayment() {
        judgedBy.push('judgePayment')
        take('ownership')
        return later.isGone ?? false
      },
      findOwn: async () => undefined,
    },
    clocks: {
      require() {
        if (agreements-- <= 0) throw new Error('clocks')
      },
    },
  })
  return {
    gate,
    stepsTaken,
    askedAfter,
    judgedBy,
    givenBack: () => givenBack,
    /** From now on, as for a request that comes later. */
    refuseFrom(step: number) {
      refusedFrom = step
      stepsTaken.length = 0
      checks = 0
      keyReads = 0
    },
  }
}

const transfers = {
  access: { customer: 'own' },
  operation: 'createTransfer',
  service: 'pay',
  limit: 'sensitive',
} as const

/** Gives the step that refused, or undefined. */
async function pass(
  gate: Gate,
  method: string,
  log: (part: string) => void = () => {},
  more: Partial<Guarded> & { authorization?: string; cookie?: string } = {},
) {
  const { authorization = 'Bearer x', cookie, ...other } = more
  const credential = cookie === undefined ? { authorization } : { cookie }
  const route: Guarded = { ...transfers, method, ...other }
  try {
    log('head')
    const expected = { limit: route.limit, credential }
    const { ahead } = await gate.admitAddress('192.0.2.1', 'address', expected)
    const admission = await gate.admit(route, { address: '192.0.2.1', credential, ahead })
    log('body')
    await gate.admitNamed(route, admission, [])
    return undefined
  } catch (thrown) {
    return thrown instanceof Refusal ? thrown.options.because : (thrown as Error).message
  }
}

const byKey = { authorization: `Bearer ${newKey()}` }
const byCookie = { cookie: `__Host-strongroom=${'h'.repeat(43)}` }

test('the first step that refuses answers, and the steps are those of the published table', async () => {
  for (const more of [{}, byKey]) {
    for (const [index, name] of names.entries()) {
      const { gate, stepsTaken } = gateThatRefusesFrom(index)
      let part = ''
      assert.equal(await pass(gate, 'POST', (reached) => (part = reached), more), name)
      // The role is judged from what the token step read: nothing is called for it.
      const wanted = names.slice(0, index + 1).filter((step) => step !== 'role')
      assert.deepEqual(stepsTaken, wanted)
      assert.equal(part, index < stepsBeforeBody ? 'head' : 'body', name)
    }
    const { gate, stepsTaken } = gateThatRefusesFrom(names.length)
    assert.equal(await pass(gate, 'POST', undefined, more), undefined)
    assert.deepEqual(
      stepsTaken,
      names.filter((step) => step !== 'role'),
    )
  }
})

test('one question for address and caller changes no order of refusals; a caller that is none is not charged', async () => {
  // Nothing is waited for behind the look-up of the session, so it is not read again.
  const steps = names.filter((step) => step !== 'session')
  for (const more of [{}, byKey, byCookie]) {
    for (const name of [...steps, undefined]) {
      const made = gateThatRefusesFrom(names.length, { isShared: true })
      assert.equal(await pass(made.gate, 'POST', undefined, more), undefined)
      made.refuseFrom(name === undefined ? names.length : names.indexOf(name))
      assert.equal(await pass(made.gate, 'POST', undefined, more), name)
      const wanted = name === undefined ? steps : steps.slice(0, steps.indexOf(name) + 1)
      const taken = wanted.filter((step) => step !== 'role')
      assert.deepEqual(made.stepsTaken, taken)
      assert.equal(made.givenBack(), name === 'token' ? 1 : 0)
    }
  }
})

test('a payment of a service account is judged as one, whatever else is by the caller', async () => {
  const judgedBy = async (method: string, more: Parameters<typeof pass>[3]) => {
    const made = gateThatRefusesFrom(names.length)
    assert.equal(await pass(made.gate, method, undefined, more), undefined)
    return made.judgedBy
  }
  assert.deepEqual(await judgedBy('POST', byKey), ['judgePayment'])
  assert.deepEqual(await judgedBy('POST', {}), ['judge'])
})

test('a GET has no body that could be held back, so its session is not read again', async () => {
  for (const more of [{}, byKey]) {
    const { gate, stepsTaken } = gateThatRefusesFrom(names.length)
    assert.equal(await pass(gate, 'GET', undefined, more), undefined)
    assert.ok(!stepsTaken.includes('session'))
  }
})

test('a read that a page makes by itself is no activity; a change, and the use of a key, always are', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    for (const isUnattended of [true, false]) {
      for (const credential of [{ authorization: 'Bearer x' }, byCookie, byKey]) {
        for (const traced of [tracedGate, (gate: Gate) => gate]) {
          const { gate: plain, stepsTaken } = gateThatRefusesFrom(names.length)
          const gate = traced(plain)
          const route: Guarded = { ...transfers, method }
          const admission = await gate.admit(route, { address: '192.0.2.1', credential })
          await gate.admitNamed(route, admission, [], isUnattended)
          const isActivity = method !== 'GET' || !isUnattended || credential === byKey
          assert.equal(stepsTaken.includes('activity'), isActivity, method)
        }
      }
    }
  }
})

const named = [{ resource: 'account', id: 'a' }] as const
const reading: Guarded = {
  access: { customer: 'own' },
  service: 'read',
  operation: 'x',
  limit: 'read',
  method: 'GET',
}

test('what a GET names is looked up with the session, and for no token that is not authentic', async () => {
  const ask = async (first: number, authorization: string) => {
    const { gate, askedAfter } = gateThatRefusesFrom(first)
    const credential = { authorization }
    await gate.admit(reading, { address: '192.0.2.1', credential, named }).catch(() => {})
    return askedAfter
  }
  assert.deepEqual(await ask(names.indexOf('token'), 'Bearer x'), [])
  assert.deepEqual(await ask(names.length, 'Bearer x'), [['token']])
  assert.deepEqual(await ask(names.length, byKey.authorization), [], 'the key is not known yet')
})

test('the row of a route is read once, and given when its owner was judged', async () => {
  const grantsLater = () => ({ customerId: 'u', readsAll: false })
  const row = { id: 'a', ownerId: 'u', isGone: false }
  const read = async (authorization: string, first: number, more: Later & Partial<Guarded>) => {
    const later = { grantsLater, ...more }
    const { gate, stepsTaken, askedAfter } = gateThatRefusesFrom(first, later)
    const route: Guarded = { ...reading, row: {} as never, ...more }
    const asked = { address: '192.0.2.1', credential: { authorization }, named }
    const accepted = await gate.admitNamed(route, await gate.admit(route, asked), named)
    assert.equal(askedAfter.length, 1)
    return { row: accepted.row, isJudged: stepsTaken.includes('ownership') }
  }
  for (const authorization of ['Bearer x', byKey.authorization]) {
    assert.deepEqual(await read(authorization, names.length, {}), { row, isJudged: true })
    await assert.rejects(read(authorization, names.indexOf('ownership'), {}), /ownership/)
    await assert.rejects(read(authorization, names.length, { rows: [row, row] }), /more than one/)
    const more = { access: { customer: 'any' } as const, rows: [] }
    const grants = { grantsLater: () => ({ readsAll: true }) }
    const missing = await read(authorization, names.length, { ...more, ...grants })
    assert.deepEqual(missing, { row: undefined, isJudged: false })
  }
})

test('the session is read again unless nothing was waited for since it was read first', async () => {
  for (const isCurrent of [undefined, false, true]) {
    const { gate, stepsTaken } = gateThatRefusesFrom(names.length)
    const route: Guarded = { ...transfers, method: 'POST' }
    const credential = { authorization: 'Bearer x' }
    const admission = await gate.admit(route, { address: '192.0.2.1', credential })
    assert.equal(admission.isCurrent, false, 'its limits were waited for')
    await gate.admitNamed(
      route,
      { ...admission, ...(isCurrent !== undefined && { isCurrent }) },
      [],
    )
    assert.equal(stepsTaken.includes('session'), !isCurrent)
    assert.ok(stepsTaken.includes('ownership'))
  }
})

test('when the body has arrived the roles, the owners and the clocks are judged by themselves', async () => {
  const passLater = async (later: Later, more?: Parameters<typeof pass>[3]) => {
    const { gate, stepsTaken } = gateThatRefusesFrom(names.length, later)
    const refusal = await pass(gate, 'POST', undefined, more)
    assert.equal(stepsTaken.includes('activity'), refusal === undefined, 'a refusal is no activity')
    return refusal
  }
  assert.equal(await passLater({ rolesLater: ['support-agent'] }), 'role')
  assert.equal(await passLater({ isRestrictedLater: true }), 'no second factor')
  assert.equal(await passLater({ isRestrictedLater: true }, { restricted: true }), undefined)
  const withoutAccounts = (reading: number) => (reading > 1 ? { payFrom: [] } : {})
  assert.equal(await passLater({ grantsLater: withoutAccounts }, byKey), 'role')
  assert.equal(await passLater({ isGone: true }), 'gone')
  assert.equal(await passLater({ isGone: true }, { whenGone: () => {} }), undefined)
  assert.equal(await passLater({ agreements: 0 }), 'clocks')
  assert.equal(await passLater({ agreements: 1 }), 'clocks')
  assert.equal(await passLater({ agreements: 0 }, { limit: 'address' }), undefined)
})

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

test('PERMISSIONS.md and ARCHITECTURE.md number the same steps', () => {
  const numbered = names.map((name, index) => `${index + 1} ${name}`)
  const rows = [...read('docs/PERMISSIONS.md').matchAll(/^\| (\d+ \w+) \|/gm)]
  assert.deepEqual(
    rows.map(([, step]) => step),
    numbered,
  )
  const way = read('docs/ARCHITECTURE.md')
    .split('\n')
    .filter((line) => line.includes('─ gate/gate.ts'))
  const steps = way.flatMap((line) => line.match(/\d \w+/g) ?? [])
  assert.deepEqual(steps, numbered)
  assert.equal(way[0]?.match(/\d \w+/g)?.length, stepsBeforeBody)
})
