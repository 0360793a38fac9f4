// The end of a request: framing that two readers could read differently (CWE-444).
import { host, login, size, chunk, chunked, post, inner, te, raw, type Case } from './cases.ts'

const hex = size.toString(16)
const healthz = `GET /healthz HTTP/1.1\r\n${host}`
const runs = { plain: 301, behind: 'runs' } as const

export const framing: Record<string, Case[]> = {
  'framing that is refused': [
    post('length and chunked', `Content-Length: ${size}\r\n${te}`, chunked, 'invalid_request'),
    post('chunked and length', `${te}Content-Length: ${size}\r\n`, chunked, 'invalid_request'),
    ...[
      ['the same length twice', `${size}\r\nContent-Length: ${size}`],
      ['two lengths', `${size}\r\nContent-Length: ${size + 1}`],
      ['a list of lengths', `${size}, ${size}`],
      ['two lengths in one', `${size} ${size}`],
      ['a hexadecimal length', `0x${size.toString(16)}`],
      ['a negative length', '-1'],
      ['a length with a sign', `+${size}`],
      ['an empty length', ''],
    ].map(([what, length]) =>
      post(what as string, `Content-Length: ${length}\r\n`, login, 'invalid_request'),
    ),
    ...[
      ['xchunked', 'Transfer-Encoding: xchunked'],
      ['a vertical tab', 'Transfer-Encoding:\u000bchunked'],
      ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
      ['two codings', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'],
      ['a space before the colon', 'Transfer-Encoding : chunked'],
      ['chunked, identity', 'Transfer-Encoding: chunked, identity'],
      ['chunked, chunked', 'Transfer-Encoding: chunked, chunked'],
      ['a quoted coding', 'Transfer-Encoding: "chunked"'],
      ['a folded coding', 'Transfer-Encoding:\r\n chunked'],
    ].map(([what, field]) => post(what as string, `${field}\r\n`, chunked, 'invalid_request')),
    ...Object.entries({
      'a bare LF after the request line': `GET /healthz HTTP/1.1\n${host}\r\n`,
      'a bare LF after a field': `GET /healthz HTTP/1.1\r\nHost: bank.example\nX: y\r\n\r\n`,
      'a bare LF at the end': `${healthz}\n`,
      'a folded field': `${healthz}X: a\r\n b\r\n\r\n`,
      'a field folded by a tab': `${healthz}X: a\r\n\tb\r\n\r\n`,
      'a bare CR': `${healthz}X: a\rb\r\n\r\n`,
      'NUL in a field': `${healthz}X: a\u0000b\r\n\r\n`,
      'NUL in a field name': `${healthz}X\u0000: a\r\n\r\n`,
      'a space before the first field': `GET /healthz HTTP/1.1\r\n ${host}\r\n`,
    }).map(([what, bytes]) => raw(what, bytes, 'invalid_request')),
    ...Object.entries({
      'a bare LF after a chunk size': `${hex}\n${login}\r\n`,
      'a bare LF after a chunk': `${hex}\r\n${login}\n`,
      'LF inside a chunk extension': `${hex};a\nb\r\n${login}\r\n`,
      'a negative chunk size': `-${hex}\r\n${login}\r\n`,
      'a hexadecimal prefix of a chunk size': `0x${hex}\r\n${login}\r\n`,
      'a chunk size beyond 64 bits': `${'f'.repeat(17)}\r\n${login}\r\n`,
    }).map(([what, first]) =>
      post(what, te, `${first}0\r\n\r\n`, 'invalid_request', { plain: 301 }),
    ),
  ],
  'framing that is valid': [
    post('a tab before chunked', 'Transfer-Encoding:\tchunked\r\n', chunked, 200),
    post('CHUNKED', 'Transfer-Encoding: CHUNKED\r\n', chunked, 200),
    post('a chunk extension', te, `${hex};a=b\r\n${login}\r\n0\r\n\r\n`, 200),
    post('a trailer', te, `${chunk(login)}0\r\nX: y\r\n\r\n`, 200),
  ],
  'transfer codings beside chunked': [
    post(
      'identity, chunked',
      'Transfer-Encoding: identity, chunked\r\n',
      chunked,
      'not_implemented',
    ),
    post('gzip, chunked', 'Transfer-Encoding: gzip, chunked\r\n', chunked, 'not_implemented'),
  ],
  'GET whose body is a request': [
    raw(
      'GET with a length',
      `${healthz}Content-Length: ${inner.length}\r\n\r\n${inner}`,
      'unsupported_media_type',
      runs,
    ),
    raw(
      'GET in chunks',
      `${healthz}${te}\r\n${chunk(inner)}0\r\n\r\n`,
      'unsupported_media_type',
      runs,
    ),
    raw(
      'GET with JSON',
      `${healthz}Content-Type: application/json\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
      200,
      runs,
    ),
  ],
  'a valid body and bytes behind it': [
    raw(
      'a request after Connection: close',
      `POST /api/v1/auth/login HTTP/1.1\r\n${host}Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n${login}`,
      200,
      { plain: 301 },
    ),
    raw(
      'a request after HTTP/1.0',
      `POST /api/v1/auth/login HTTP/1.0\r\n${host}Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n${login}`,
      200,
      { plain: 301 },
    ),
    post('a brace too many', `Content-Length: ${size}\r\n`, `${login} }`, 200, { behind: 'never' }),
    post('garbage', `Content-Length: ${size}\r\n`, `${login}\u0000\u0001\u0002`, 200, {
      behind: 'never',
    }),
    post('garbage after the last chunk', te, `${chunked}}}}`, 200, { behind: 'never' }),
  ],
}
