// The kit passes a bank that does it rightly, and names the clause of each one that does not.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Client } from '../bank.ts'
import { type ClauseId, clauses } from '../clauses.ts'
import { runAll } from '../run.ts'
import { defaults, fields, routes } from '../settings.ts'
import { type Defect, defects, littleBank, loginWindow, pageMax } from './little-bank.ts'

/** The clauses that fail, and nothing else does. */
const wanted: Record<Defect, readonly ClauseId[]> = {
  'no ownership check': ['4.3-owner', '4.4-nested'],
  'beneficiary not checked under its account': ['4.4-nested'],
  'Retry-After that lies': ['7.2-retry-after'],
  'revocation after a delay': ['3-admin-revoke'],
  'logout on the client only': ['3-logout'],
  'double payment under races': ['8.4-race'],
  'stack in an error': ['7-500'],
  'algorithm none accepted': ['5.2-none'],
  'guessable secret accepted': ['5.2-weak'],
  'mass assignment': ['7.3-mass-assignment'],
  'freeze and PUT differ': ['3-card-freeze'],
  'deactivate deletes': ['3-beneficiary-deactivate'],
  '200 with a failure flag': ['4c3-status'],
  'wildcard CORS with credentials': ['7.6-cors'],
  'a security header is missing': ['7.5-headers'],
  'limit of a list not capped': ['8.3-page'],
  'login limited by name alone': ['8-login-address'],
  'reset limited for all at once': ['8-reset', '8-reset-scope'],
  'an endpoint without a limit': ['8-endpoints'],
  'HTML errors': ['7.4-json'],
}

/** Not asked of a bank in memory: lifetimes, plain HTTP, and what cannot be seen from outside. */
const leftOut = /^(3-absolute|3-idle|5\.3-expired|5\.8|5\.9|6-|8\.1|9\.2)/

/**
 * The time of the kit and of its bank: it passes when no request is under way and all that goes on
 * waits for it. A machine may be slow.
 */
function passTimeWhileWaiting(t: TestContext): void {
  let [now, underWay] = [Date.now(), 0]
  const waits: { until: number; go: () => void }[] = []
  const look = (): void => {
    if (underWay > 0) return
    const [next] = waits.sort((one, other) => one.until - other.until).splice(0, 1)
    if (!next) return
    now = Math.max(now, next.until)
    next.go()
    lookSoon()
  }
  // What an answer or the end of a wait sets off may send another request.
  const lookSoon = () => void setImmediate(look)
  t.mock.method(Date, 'now', () => now)
  t.mock.method(globalThis, 'setTimeout', (go: () => void, ms: number) => {
    waits.push({ until: now + ms, go })
    lookSoon()
  })
  const { send } = Client.prototype
  t.mock.method(Client.prototype, 'send', async function (this: Client, ...asked: Sent) {
    underWay++
    try {
      return await send.apply(this, asked)
    } finally {
      underWay--
      lookSoon()
    }
  })
}

type Sent = Parameters<Client['send']>

async function findFailures(defect?: Defect): Promise<ClauseId[]> {
  const bank = await littleBank(defect)
  const values = {
    tokenTtl: 0,
    sessionIdle: 0,
    sessionMax: 0,
    loginWindow,
    pageMax,
    burstTries: 60,
  }
  try {
    const results = await runAll({
      ...bank,
      ca: undefined,
      isQuick: false,
      settings: { ...defaults, ...values, routes, fields },
    })
    const skipped = results.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)
    assert.deepEqual(
      skipped,
      Object.keys(clauses).filter((id) => leftOut.test(id)),
    )
    return results.filter(({ outcome }) => outcome === 'fails').map(({ id }) => id)
  } finally {
    bank.close()
  }
}

test('a bank that does everything rightly passes whole', async (t) => {
  passTimeWhileWaiting(t)
  assert.deepEqual(await findFailures(), [])
})

test('of a bank with one defect, the clauses it breaks are named, and no other', async (t) => {
  passTimeWhileWaiting(t)
  for (const defect of defects) {
    await t.test(defect, async () => assert.deepEqual(await findFailures(defect), wanted[defect]))
  }
})
