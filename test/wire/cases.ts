// Builds the rows of the table. `{account}` and `{token}` stand for an account of Ada's and her
// access token.
import type { Code } from '../../src/domain/errors.ts'
import { password } from '../support/people.ts'

/** The code of a refusal, or the status of another answer. */
export type Wanted = Code | number

export type Case = {
  what: string
  bytes: string
  https: Wanted
  plain: Wanted
  /** Whether a request sent behind it on the same HTTPS connection is handled. */
  behind: 'runs' | 'never'
  isHead?: boolean
}

export const host = 'Host: bank.example\r\n'
export const token = 'Authorization: Bearer {token}\r\n'
export const login = JSON.stringify({ username: 'ada', password })
export const size = login.length
export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
export const chunked = `${chunk(login)}0\r\n\r\n`

type Wish = Partial<Pick<Case, 'plain' | 'behind' | 'isHead'>>

export const get = (target: string, https: Wanted, wish: Wish = {}): Case => ({
  what: `GET ${target}`,
  bytes: `GET ${target} HTTP/1.1\r\n${host}${token}\r\n`,
  https,
  plain: 301,
  behind: 'runs',
  ...wish,
})

export const ask = (method: string, target: string, https: Wanted, wish: Wish = {}): Case => ({
  ...get(target, https, wish),
  what: `${method} ${target}`,
  bytes: `${method} ${target} HTTP/1.1\r\n${host}${token}\r\n`,
})

/** A login with these framing fields. A refusal precedes any handler and ends the connection. */
export const post = (
  what: string,
  fields: string,
  body: string,
  https: Wanted,
  wish: Wish = {},
): Case => ({
  what,
  bytes:
    `POST /api/v1/auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\n` +
    `${fields}\r\n${body}`,
  https,
  plain: typeof https === 'string' ? https : 301,
  behind: typeof https === 'string' ? 'never' : 'runs',
  ...wish,
})

/** A login with valid framing and an invalid body. */
export const body = (
  what: string,
  text: string,
  https: Wanted,
  type = 'application/json',
): Case => ({
  what,
  bytes:
    `POST /api/v1/auth/login HTTP/1.1\r\n${host}Content-Type: ${type}\r\n` +
    `Content-Length: ${text.length}\r\n\r\n${text}`,
  https,
  plain: 301,
  // A body that cannot be read ends the connection.
  behind: https === 'malformed_json' ? 'never' : 'runs',
})

export const inner = `GET /readyz HTTP/1.1\r\n${host}\r\n`
export const account = '/api/v1/accounts/{account}'
export const te = 'Transfer-Encoding: chunked\r\n'
export const never = { plain: 'invalid_request', behind: 'never' } as const
export const raw = (what: string, bytes: string, https: Wanted, wish: Wish = {}): Case => ({
  what,
  bytes,
  https,
  ...never,
  ...wish,
})
