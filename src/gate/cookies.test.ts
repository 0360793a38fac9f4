// The cookies of the portal, as a browser sends them and as the service sets them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSecret } from './opaque-secret.ts'
import {
  deletedSessionCookie,
  deletedVisitCookie,
  deviceCookie,
  readCookie,
  sessionCookie,
  visitCookie,
  writeCookie,
} from './cookies.ts'

const secret = newSecret()
const name = sessionCookie

test('a cookie is read by its whole name, and is null where the service did not set it', () => {
  for (const [field, expected] of [
    [undefined, undefined],
    ['', undefined],
    [`other=${secret}`, undefined],
    [`${name}x=${secret}`, undefined],
    [deviceCookie, undefined],
    [`${name}=${secret}`, secret],
    [` ${name} = ${secret} `, secret],
    [`${deviceCookie}=x; ${name}=${secret};other=1`, secret],
    [name, null],
    [`${name}=`, null],
    [`${name}=${secret}x`, null],
    [`${name}=${secret}=`, null],
    [`${name}=${secret.slice(1)}`, null],
    [`${name}=${secret}; ${name}=${secret}`, null],
    [`${name}=${secret}; ${name}=x`, null],
  ] as const) {
    assert.equal(readCookie(field, name), expected, field)
  }
})

test('a cookie is for this host alone, and is taken back by one that has ended', () => {
  const attributes = 'Secure; HttpOnly; SameSite=Strict; Path=/'
  assert.equal(writeCookie(visitCookie, 'x'), `${visitCookie}=x; ${attributes}`)
  assert.equal(writeCookie(deviceCookie, 'x', 9), `${deviceCookie}=x; ${attributes}; Max-Age=9`)
  assert.equal(deletedSessionCookie, `${name}=; ${attributes}; Max-Age=0`)
  assert.equal(deletedVisitCookie, `${visitCookie}=; ${attributes}; Max-Age=0`)
  for (const each of [sessionCookie, deviceCookie, visitCookie]) assert.match(each, /^__Host-/)
})
