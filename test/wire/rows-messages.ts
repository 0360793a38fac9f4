// Invalid heads and bodies: too large, of another kind, or missing.
import {
  host,
  login,
  size,
  chunk,
  chunked,
  get,
  post,
  body,
  te,
  raw,
  token,
  type Case,
  type Wanted,
} from './cases.ts'

const oversized = { plain: 'headers_too_large' } as const
const line = `POST /api/v1/auth/login HTTP/1.1\r\n${host}`
const typed = `${line}Content-Type: application/json\r\n`
const runs = { plain: 301, behind: 'runs' } as const
const healthz = `GET /healthz HTTP/1.1\r\n${host}`
/** A head that the plain listener redirects without reading the body. */
const head = (what: string, bytes: string, https: Wanted): Case =>
  raw(what, bytes, https, { plain: 301 })

const loginPath = '/api/v1/auth/login'
const forged = 'Authorization: Bearer x.y.z\r\n'
/** A request whose client asks to be told before it sends the body. */
const expecting = (what: string, path: string, rest: string, https: Wanted): Case =>
  head(
    `Expect: 100-continue, ${what}`,
    `POST ${path} HTTP/1.1\r\n${host}Expect: 100-continue\r\n` +
      `Content-Type: application/json\r\n${rest}`,
    https,
  )

export const messages: Record<string, Case[]> = {
  'no Host': [raw('no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 'invalid_request')],
  'invalid Hosts': [
    raw('two Hosts', `${healthz}Host: evil.example\r\n\r\n`, 'invalid_request'),
    raw('the same Host twice', `${healthz}${host}\r\n`, 'invalid_request'),
    raw('an empty Host', 'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n', 'invalid_request'),
    raw(
      'user information',
      'GET /healthz HTTP/1.1\r\nHost: evil.com:80@x\r\n\r\n',
      'invalid_request',
    ),
    raw('a path', 'GET /healthz HTTP/1.1\r\nHost: bank.example/x\r\n\r\n', 'invalid_request'),
    raw('a list', 'GET /healthz HTTP/1.1\r\nHost: bank.example, evil\r\n\r\n', 'invalid_request'),
    raw('HTTP/1.0 without', 'GET /healthz HTTP/1.0\r\n\r\n', 'invalid_request'),
    raw('HTTP/1.0 with one', `GET /healthz HTTP/1.0\r\n${host}\r\n`, 200, { plain: 301 }),
    raw('HTTP/0.9', 'GET /healthz\r\n\r\n', 'invalid_request'),
    ...['0.9', '2.0', '1.2', '3.0', '1.10'].map((version) =>
      raw(
        `HTTP/${version}, in so many words`,
        `GET /healthz HTTP/${version}\r\n${host}\r\n`,
        'invalid_request',
      ),
    ),
    raw('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'invalid_request'),
  ],
  'an oversized head': [
    raw(
      'a field of 17 kB',
      `${healthz}X: ${'a'.repeat(17_000)}\r\n\r\n`,
      'headers_too_large',
      oversized,
    ),
    raw(
      'an address of 17 kB',
      `GET /${'a'.repeat(17_000)} HTTP/1.1\r\n${host}\r\n`,
      'headers_too_large',
      oversized,
    ),
    raw('3000 fields', `${healthz}${'X: y\r\n'.repeat(3000)}\r\n`, 'headers_too_large', oversized),
    raw('101 fields', `${healthz}${'X: y\r\n'.repeat(100)}\r\n`, 'headers_too_large', oversized),
    head(
      'a chunked body with a huge trailer',
      `${typed}${te}\r\n${chunk(login)}0\r\nX: ${'a'.repeat(17_000)}\r\n\r\n`,
      'headers_too_large',
    ),
  ],
  'an expectation': [
    raw('Expect: foo', `${healthz}Expect: foo\r\n\r\n`, 'expectation_failed', {
      plain: 'expectation_failed',
    }),
    // The answer is known before the body: it is the only one, whether the body is sent or not.
    ...[
      `Content-Length: ${size}\r\n\r\n`,
      `Content-Length: ${size}\r\n\r\n${login}`,
      `${te}\r\n${chunked}`,
    ].flatMap((rest) => [
      expecting('no token', '/api/v1/transfers', rest, 'unauthenticated'),
      expecting('a forged token', '/api/v1/transfers', forged + rest, 'unauthenticated'),
      expecting('another role', '/api/v1/admin/users', token + rest, 'forbidden'),
      expecting('an unknown path', '/nowhere', rest, 'not_found'),
      expecting('another method', '/healthz', rest, 'method_not_allowed'),
      expecting('another site', '/portal/session', rest, 'forbidden'),
      expecting('another site, below', '/portal/api/v1/accounts', rest, 'forbidden'),
      expecting('gzip', loginPath, `Content-Encoding: gzip\r\n${rest}`, 'unsupported_media_type'),
    ]),
    expecting('64 KB and one', loginPath, 'Content-Length: 65537\r\n\r\n', 'payload_too_large'),
    expecting('no body', '/api/v1/auth/logout', '\r\n', 'unauthenticated'),
  ],
  'another protocol': [
    raw(
      'a TLS hello',
      '\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000\u00a1\u0003\u0003',
      'invalid_request',
    ),
    raw('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'invalid_request'),
    raw('a greeting of SSH', 'SSH-2.0-x\r\n', 'invalid_request'),
  ],
  'a body over the limit': [
    head(
      '2 MB by length',
      `${typed}Content-Length: 2097152\r\n\r\n${'a'.repeat(2_097_152)}`,
      'payload_too_large',
    ),
    head(
      '2 MB in chunks',
      `${typed}${te}\r\n${chunk('a'.repeat(2_097_152))}0\r\n\r\n`,
      'payload_too_large',
    ),
    head('64 KB and one', `${typed}Content-Length: 65537\r\n\r\n`, 'payload_too_large'),
  ],
  'another media type': [
    body('text/plain', login, 'unsupported_media_type', 'text/plain'),
    body('a form', 'username=ada', 'unsupported_media_type', 'application/x-www-form-urlencoded'),
    body('multipart', login, 'unsupported_media_type', 'multipart/form-data; boundary=x'),
    body('JSON by another name', login, 'unsupported_media_type', 'application/jsonx'),
    body(
      'another character set',
      login,
      'unsupported_media_type',
      'application/json; charset=utf-16',
    ),
    body('a parameter after a tab', login, 'unsupported_media_type', 'application/json\t;a'),
    raw(
      'no type',
      `${line}Content-Length: ${size}\r\n\r\n${login}`,
      'unsupported_media_type',
      runs,
    ),
    // What is not there has no type.
    ...[
      'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n',
      'Content-Type: multipart/form-data\r\n',
      'Content-Type: none\r\nContent-Encoding: gzip\r\n',
    ].flatMap((fields) => [
      raw(`no body, ${fields}`, `${line}${fields}\r\n`, 'invalid_request', runs),
      raw(`GET, ${fields}`, `${healthz}${fields}\r\n`, 200, runs),
    ]),
    ...[`${te}\r\n0\r\n\r\n`, `${te}\r\n${chunk('a=b')}0\r\n\r\n`].map((rest) =>
      raw(
        'a form in chunks',
        `${line}Content-Type: application/x-www-form-urlencoded\r\n${rest}`,
        'unsupported_media_type',
        runs,
      ),
    ),
    raw('no type and no body', `${line}\r\n`, 'invalid_request', runs),
    body('capitals', login, 200, 'APPLICATION/JSON'),
    body('a character set', login, 200, 'application/json; charset=utf-8'),
  ],
  'a content coding': [
    post(
      'gzip',
      `Content-Encoding: gzip\r\nContent-Length: ${size}\r\n`,
      login,
      'unsupported_media_type',
      runs,
    ),
    post(
      'gzip, identity',
      `Content-Encoding: gzip, identity\r\nContent-Length: ${size}\r\n`,
      login,
      'unsupported_media_type',
      runs,
    ),
  ],
  'two media types': [
    post(
      'two media types',
      `Content-Type: text/plain\r\nContent-Length: ${size}\r\n`,
      login,
      'invalid_request',
    ),
    post(
      'the same twice',
      `Content-Type: application/json\r\nContent-Length: ${size}\r\n`,
      login,
      'invalid_request',
    ),
  ],
  'other JSON than the object of the route': [
    body('an array', `[${login}]`, 'invalid_request'),
    body('null', 'null', 'invalid_request'),
    body('a string', '"x"', 'invalid_request'),
    body('__proto__', '{"__proto__":{"username":"ada"}}', 'malformed_json'),
    body('__proto__ escaped', '{"\\u005f\\u005fproto__":{"username":"ada"}}', 'malformed_json'),
    body('constructor.prototype', '{"constructor":{"prototype":{"x":1}}}', 'malformed_json'),
    body('trailing junk', `${login}x`, 'malformed_json'),
    body('NaN', '{"username":NaN}', 'malformed_json'),
    body('nothing', '', 'invalid_request'),
    body('a space', ' ', 'malformed_json'),
  ],
  'deep nesting': [
    head(
      '900 000 brackets',
      `${typed}Content-Length: 1800000\r\n\r\n${'['.repeat(900_000)}${']'.repeat(900_000)}`,
      'payload_too_large',
    ),
    body('32 000 brackets', `${'['.repeat(32_000)}${']'.repeat(32_000)}`, 'malformed_json'),
    body('17 brackets', `${'['.repeat(17)}${']'.repeat(17)}`, 'malformed_json'),
  ],
  'an oversized limit': [
    get('/api/v1/accounts?limit=1000000', 200),
    get('/api/v1/accounts?limit=999999999999999', 200),
    get(`/api/v1/accounts?limit=${'9'.repeat(400)}`, 200),
  ],
  'an invalid limit': [
    ...[
      '1e2',
      '0x10',
      '10.0',
      '+5',
      '%205',
      '5%20',
      '%D9%A5',
      '0',
      '-1',
      '',
      '05',
      '1&limit=2',
      'true',
    ].map((limit) => get(`/api/v1/accounts?limit=${limit}`, 'invalid_request')),
    get('/api/v1/accounts?limit[]=5', 'invalid_request'),
    get('/api/v1/accounts?__proto__=1', 'invalid_request'),
    get('/api/v1/accounts?constructor[prototype][x]=1', 'invalid_request'),
  ],
}
