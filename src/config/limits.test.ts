// An operator replaces single windows; the others keep their defaults.
import assert from 'node:assert/strict'
import test from 'node:test'
import { defaultLimits, readConfig } from './config.ts'

test('the default windows are the documented ones', () => {
  const second = 1000
  const minute = 60_000
  const hour = 3_600_000
  const window = (quota: number, windowMs: number, traits = {}) => ({ quota, windowMs, ...traits })
  const counts = 'failures'
  assert.deepEqual(defaultLimits, {
    read: { burst: window(10, second), sustained: window(1000, hour) },
    sensitive: { burst: window(5, second), sustained: window(300, hour) },
    admin: { burst: window(5, second), sustained: window(300, hour) },
    transfer: { burst: window(5, second), sustained: window(100, hour) },
    payeeCheck: { burst: window(10, 60 * second), sustained: window(60, 24 * hour) },
    payeeAnswer: { burst: window(20, second), sustained: window(20_000, 24 * hour) },
    payeeGuess: { perIban: window(20, hour, { key: 'name', counts }) },
    invitation: { burst: window(5, minute), sustained: window(30, 24 * hour) },
    export: { burst: window(2, second), sustained: window(30, hour) },
    service: { burst: window(100, second), sustained: window(100_000, hour) },
    login: {
      failedPerAddress: window(5, minute, { key: 'address', counts }),
      failedPerUsername: window(5, minute, { key: 'name', counts }),
      attempts: window(100, hour, { key: 'address' }),
    },
    factor: { failedPerUser: window(10, hour, { key: 'name', counts }) },
    refresh: {
      burst: window(5, second, { key: 'token' }),
      sustained: window(100, hour, { key: 'token' }),
    },
    confirm: { burst: window(5, second), sustained: window(100, hour) },
    reset: {
      perEmail: window(3, hour, { key: 'email' }),
      perAddress: window(30, hour, { key: 'address' }),
    },
    address: { burst: window(100, second) },
    issuer: { burst: window(20, second), sustained: window(5000, hour) },
    badTokens: { burst: window(100, minute) },
    docs: { burst: window(50, second), sustained: window(1000, hour) },
    files: { burst: window(500, second), sustained: window(20_000, hour) },
  })
})

test('limits replace single windows and leave the others as they are', () => {
  const { limits } = readConfig({
    STRONGROOM_LIMITS: '{"read":{"burst":"1000/1s"},"reset":{"perEmail":"9/30m"}}',
  })
  assert.deepEqual(limits, {
    ...defaultLimits,
    read: { ...defaultLimits.read, burst: { quota: 1000, windowMs: 1000 } },
    reset: { ...defaultLimits.reset, perEmail: { quota: 9, windowMs: 1_800_000, key: 'email' } },
  })
})
