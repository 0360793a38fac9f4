// The same requests over HTTP/2, where they can be sent at all, and those that only HTTP/2 has.
import { password } from '../support/people.ts'
import type { Fields } from './http2.ts'
import type { Wanted } from './cases.ts'

export type Case2 = {
  what: string
  fields: Fields
  data?: readonly string[]
  /** `reset`: the stream ends with an error and without an answer. */
  wanted: Wanted | 'reset'
  isHead?: boolean
  /** 100 is answered first. */
  isContinued?: boolean
}

const authority = [':authority', 'bank.example'] as const
const https = [':scheme', 'https'] as const
const token = ['authorization', 'Bearer {token}'] as const
const expect = ['expect', '100-continue'] as const
const json = ['content-type', 'application/json'] as const
const login = JSON.stringify({ username: 'ada', password })

const ask = (
  method: string,
  path: string,
  wanted: Case2['wanted'],
  more: Fields = [],
  data?: readonly string[],
): Case2 => ({
  what: `${method} ${path.slice(0, 60)} ${more
    .map(([name]) => name)
    .join(' ')
    .slice(0, 60)}`,
  fields: [[':method', method], [':path', path], https, authority, token, ...more],
  wanted,
  isHead: method === 'HEAD',
  ...(data && { data }),
})

const post = (wanted: Case2['wanted'], more: Fields, data: readonly string[] = [login]): Case2 =>
  ask('POST', '/api/v1/auth/login', wanted, more, data)

const head = (what: string, wanted: Case2['wanted'], fields: Fields): Case2 => ({
  what,
  fields,
  wanted,
})

const details = '/api/v1/accounts/{account}/details'

export const rowsOfHttp2: Record<string, Case2[]> = {
  'unknown paths': [
    ask('GET', `${details}/`, 'not_found'),
    ask('GET', '/API/v1/accounts', 'not_found'),
    ask('GET', '//api/v1/accounts', 'not_found'),
    ask('GET', '/api/v1/accounts%20', 'not_found'),
  ],
  'another spelling of a path': [
    ask('GET', '/%61pi/v1/accounts/{account}/details', 200),
    ask('GET', '/accounts/{account}/details', 200),
    ask('GET', `${details}#x`, 'invalid_request'),
    ask('GET', `http://evil.example${details}`, 'reset'),
  ],
  'invalid identifiers': [
    ask('GET', '/api/v1/accounts/1%2F..%2F2/details', 'invalid_request'),
    ask('GET', '/api/v1/accounts/%2e%2e/details', 'invalid_request'),
    ask('GET', '/api/v1/accounts//details', 'not_found'),
    ask('GET', '/api/v1/accounts/%00/details', 'invalid_request'),
  ],
  'invalid percent-escapes': [
    ask('GET', '/api/v1/accounts/%zz/details', 'invalid_request'),
    ask('GET', '/%ff', 'invalid_request'),
  ],
  'a parameter of 101 characters': [
    ask('GET', `/api/v1/accounts/${'a'.repeat(101)}/details`, 'uri_too_long'),
  ],
  HEAD: [ask('HEAD', details, 200), ask('HEAD', '/nowhere', 'not_found')],
  'methods that the path does not offer': [
    ...['OPTIONS', 'TRACE', 'PROPFIND', 'PUT'].map((method) =>
      ask(method, details, 'method_not_allowed'),
    ),
    ask('POST', '/docs', 'method_not_allowed'),
  ],
  QUERY: [ask('QUERY', details, 'method_not_allowed')],
  'unknown methods': [
    ask('get', '/healthz', 'method_not_allowed'),
    ask('FOO', '/healthz', 'method_not_allowed'),
    ask('G T', '/healthz', 'reset'),
    ask('', '/healthz', 'reset'),
  ],
  CONNECT: [
    head('CONNECT', 'method_not_allowed', [[':method', 'CONNECT'], authority]),
    head('CONNECT with a path', 'reset', [[':method', 'CONNECT'], authority, [':path', '/']]),
  ],
  'framing that is refused': [
    post('reset', [json, ['transfer-encoding', 'chunked']]),
    post('reset', [json, ['connection', 'close']]),
    post('reset', [json, ['keep-alive', 'timeout=5']]),
    post('reset', [json, ['upgrade', 'h2c']]),
    post('reset', [json, ['te', 'gzip']]),
    post('reset', [['Content-Type', 'application/json']]),
    post('reset', [json, [':path', '/healthz']]),
    post('reset', [json, [':unknown', 'x']]),
    post('reset', [json, ['content-length', String(login.length + 1)]]),
    post('reset', [json, ['content-length', String(login.length - 1)]]),
    post('reset', [json, ['content-length', '-1']]),
    post('reset', [json, ['content-length', '0x10']]),
    post('reset', [json, ['content-length', '1'], ['content-length', '1']]),
    head('no path', 'reset', [[':method', 'GET'], https, authority]),
    head('no scheme', 'reset', [[':method', 'GET'], [':path', '/healthz'], authority]),
    head('no method', 'reset', [[':path', '/healthz'], https, authority]),
    head('a pseudo field behind a field', 'reset', [
      [':method', 'GET'],
      https,
      authority,
      ['x', 'y'],
      [':path', '/healthz'],
    ]),
  ],
  'a valid request': [
    post(200, [json]),
    post(200, [json, ['content-length', String(login.length)]]),
    post(200, [json], [login.slice(0, 5), login.slice(5)]),
    post(200, [json, ['te', 'trailers']]),
  ],
  // Node drops invalid fields.
  'invalid fields': [
    post(200, [json, ['x', 'a\r\nb: c']]),
    post(200, [json, ['x', 'a\u0000b']]),
    post(200, [json, ['x y', 'a']]),
    post(200, [json, ['', 'a']]),
    head('a token that is none', 'unauthenticated', [
      [':method', 'GET'],
      [':path', details],
      https,
      authority,
      ['authorization', 'Bearer {token}\u0000'],
    ]),
  ],
  'no Host': [head('none', 'reset', [[':method', 'GET'], [':path', '/healthz'], https])],
  'invalid Hosts': [
    head('two authorities', 'reset', [
      [':method', 'GET'],
      [':path', '/healthz'],
      https,
      authority,
      authority,
    ]),
    ask('GET', '/healthz', 'invalid_request', [['host', 'evil.example']]),
    head('a host alone', 200, [
      [':method', 'GET'],
      [':path', '/healthz'],
      https,
      ['host', 'bank.example'],
    ]),
    head('two hosts', 'reset', [
      [':method', 'GET'],
      [':path', '/healthz'],
      https,
      ['host', 'a'],
      ['host', 'b'],
    ]),
    head('an empty authority', 'reset', [
      [':method', 'GET'],
      [':path', '/healthz'],
      https,
      [':authority', ''],
    ]),
    head('user information', 'reset', [
      [':method', 'GET'],
      [':path', '/healthz'],
      https,
      [':authority', 'evil.com:80@x'],
    ]),
  ],
  'an oversized head': [
    ask('GET', '/healthz', 'headers_too_large', [['x', 'a'.repeat(9000)]]),
    ask(
      'GET',
      '/healthz',
      'headers_too_large',
      Array.from({ length: 101 }, () => ['x', 'y'] as const),
    ),
    ask('GET', `/${'a'.repeat(9000)}`, 'headers_too_large'),
    ask('GET', '/healthz', 'reset', [['x', 'a'.repeat(70_000)]]),
  ],
  'an expectation': [
    ask('GET', '/healthz', 'expectation_failed', [['expect', 'foo']]),
    ask('POST', '/nowhere', 'not_found', [expect, json], [login]),
    ask('POST', '/healthz', 'method_not_allowed', [expect, json], [login]),
    ask('POST', '/api/v1/admin/users', 'forbidden', [expect, json], [login]),
    ask('POST', '/portal/session', 'forbidden', [expect, json], [login]),
    post('unsupported_media_type', [expect]),
    post('payload_too_large', [expect, json, ['content-length', '65537']], ['a'.repeat(65_537)]),
    { ...post(200, [expect, json]), isContinued: true },
    { ...post('malformed_json', [expect, json], ['{']), isContinued: true },
  ],
  'a body over the limit': [
    post('payload_too_large', [json, ['content-length', '2097152']], ['a'.repeat(2_097_152)]),
    post('payload_too_large', [json], ['a'.repeat(2_097_152)]),
  ],
  'another media type': [
    post('unsupported_media_type', [['content-type', 'text/plain']]),
    post('unsupported_media_type', []),
    post('unsupported_media_type', [['content-type', 'text/plain']], ['']),
    ask('POST', '/api/v1/auth/login', 'invalid_request', [['content-type', 'text/plain']]),
    post(
      'invalid_request',
      [
        ['content-type', 'text/plain'],
        ['content-length', '0'],
      ],
      [''],
    ),
  ],
  'a content coding': [post('unsupported_media_type', [json, ['content-encoding', 'gzip']])],
  'two media types': [post('invalid_request', [json, ['content-type', 'text/plain']])],
  'other JSON than the object of the route': [
    post('invalid_request', [json], ['[]']),
    post('malformed_json', [json], ['{"__proto__":{}}']),
    post('malformed_json', [json], [' ']),
  ],
}
