// The kit passes a bank that does it rightly, and names the clause of each one that does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('a bank that does everything rightly passes whole', async () => {
  assert.deepEqual(await findFailures(), [])
})

test(
  'of a bank with one defect, the clauses it breaks are named, and no other',
  { concurrency: 10 },
  async (t) => {
    const each = (defect: Defect) =>
      t.test(defect, async () => assert.deepEqual(await findFailures(defect), wanted[defect]))
    await Promise.all(defects.map(each))
  },
)
