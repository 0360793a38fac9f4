import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { addressDetails } from '../domain/address.ts'
import { Refusal } from '../domain/errors.ts'
import { LoggedError } from '../domain/logged-error.ts'
import { createLog, describeError, maskSecrets } from './log.ts'

/** @param space between its members */
function jwt(header: object, space?: number | string): string {
  const parts = [JSON.stringify(header, null, space), '{"sub":"x"}', 'signature']
  return parts.map((part) => Buffer.from(part).toString('base64url')).join('.')
}

const masked: [what: string, line: string][] = [
  ['a token', '{"a":"eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"}'],
  ['a token whose header has another order', `{"a":"${jwt({ typ: 'at+jwt', alg: 'EdDSA' })}"}`],
  ['a token whose header has spaces', `{"a":"${jwt({ kid: 'x', alg: 'EdDSA' }, 1)}"}`],
  ['a token whose header has tabs', `{"a":"${jwt({ alg: 'EdDSA' }, '\t')}"}`],
  ['a token without a signature', `{"a":"${jwt({ alg: 'none' }).replace(/[^.]+$/, '')}"}`],
  ['a bearer field', '{"a":"Bearer abcdef"}'],
  ['a password hash', '{"a":"$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"}'],
  ['a session cookie', '{"a":"__Host-strongroom=Jx7Qm2VtL0pRw8YbNc4KdHs6GfZa1Ue"}'],
  ['a card number', '{"a":"4111111111111111"}'],
  ['a card number in groups', '{"a":"4111 1111-1111 1111"}'],
  ['an IBAN', '{"a":"DE91007700774307234058"}'],
  ['an IBAN in groups', '{"a":"GB33 BUKB 2020 1555 5555 55"}'],
]
for (const [what, line] of masked) {
  test(`${what} is masked anywhere in a line`, () =>
    assert.equal(maskSecrets(line), '{"a":"[masked]"}'))
}

test('identifiers and times are not masked, even if they are all digits', () => {
  const line = JSON.stringify({
    requestId: '00000000-0002-7596-90b9-706598265055',
    userId: '00000000-0000-7000-8000-000000000001',
    time: '2026-11-21T11:24:05.318Z',
    milliseconds: 12.5,
  })
  assert.equal(maskSecrets(line), line)
})

test('an event is one line of JSON whatever it contains, and an error shows neither message nor values', () => {
  const lines: string[] = []
  const log = createLog('trace', (line) => void lines.push(line))
  const thrown = Object.assign(new Error('Key (email)=(ada@example.com) exists'), { code: '23505' })
  log.error({ because: 'line\nbreak \u001b[31m', error: describeError(thrown) }, 'refused')
  assert.equal(lines.length, 1)
  assert.equal(lines[0]?.trimEnd().split('\n').length, 1)
  assert.doesNotMatch(lines[0] ?? '', /ada@example\.com/)
  assert.ok(!lines[0]?.includes('\u001b'))
  assert.equal((JSON.parse(lines[0] ?? '') as { error: { state: string } }).error.state, '23505')
})

test('an answer is the line that `info` writes, at every level and detail of the address', () => {
  const uuid = '00000000-0002-7596-90b9-706598265055'
  const terms = {
    requestId: uuid,
    method: 'GET',
    route: '/api/v1/accounts/:accountId',
    status: 200,
  }
  const addresses = ['203.0.113.7', '2001:db8::4111:1111:1111:1111', 'fe80::1%eth"0', '']
  for (const level of ['debug', 'info', 'warn', 'silent']) {
    for (const detail of addressDetails) {
      for (const [index, address] of addresses.entries()) {
        const lines: string[] = []
        const log = createLog(level, (line) => void lines.push(line), detail)
        const refused = index === 1 && {
          status: 429,
          code: 'rate_limited' as const,
          window: 'login.short',
        }
        const answer = { ...terms, ...refused, milliseconds: index / 2, address }
        const userId = index % 2 === 0 ? uuid : undefined
        log.answered({ ...answer, userId })
        log.info({ ...answer, ...(userId !== undefined && { userId }) }, 'answered')
        const [one, other] = lines.map((line) => line.replace(/"time":"[^"]+"/, '"time":"now"'))
        assert.equal(one, other)
        assert.equal(lines.length, level === 'debug' || level === 'info' ? 2 : 0)
      }
    }
  }
})

test('an error of the database shows names of the schema, and none of its texts', () => {
  const secret = 'ada@example.com'
  const thrown = Object.assign(new pg.DatabaseError(`Key (email)=(${secret}) exists`, 1, 'error'), {
    code: '23505',
    table: 'users',
    column: 'email',
    constraint: 'users_email_key',
    routine: '_bt_check_unique',
    detail: `Key (email)=(${secret}) already exists.`,
    where: secret,
    hint: secret,
    internalQuery: secret,
  })
  // As it is refused, too.
  for (const error of [
    thrown,
    new Refusal('unavailable', { outage: 'database', because: thrown }),
  ]) {
    const { stack, ...shown } = describeError(error)
    assert.match(stack ?? '', /^ {4}at /)
    assert.deepEqual(shown, {
      name: 'DatabaseError',
      state: '23505',
      table: 'users',
      column: 'email',
      constraint: 'users_email_key',
      routine: '_bt_check_unique',
    })
  }
})

test('the message of an error is shown if this program wrote it, and of no other', () => {
  assert.equal(
    describeError(new LoggedError('An insert gave no row')).message,
    'An insert gave no row',
  )
  for (const other of [new Error('Key (email)=(x)'), new TypeError('x'), 'x', undefined]) {
    assert.ok(!('message' in describeError(other)))
  }
})

test('an error is named by its class, also if the class sets no name', () => {
  class Special extends Error {}
  const named = [new Special('x'), new pg.DatabaseError('x', 1, 'error'), new TypeError('x')]
  assert.deepEqual(
    named.map((thrown) => describeError(thrown).name),
    ['Special', 'DatabaseError', 'TypeError'],
  )
  assert.equal(describeError(AbortSignal.abort().reason).name, 'AbortError')
  assert.equal(describeError('text').name, 'Error')
})
