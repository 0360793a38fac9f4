// Request targets and methods.
import { never, get, ask, account, host, raw, token, type Case } from './cases.ts'

export const targets: Record<string, Case[]> = {
  'unknown paths': [
    get(`${account}/details/`, 'not_found'),
    get('/API/v1/accounts', 'not_found'),
    get('/api/v1/Accounts', 'not_found'),
    get('//api/v1/accounts', 'not_found'),
    get('/api//v1/accounts', 'not_found'),
    get('/api/v1/accounts/1/../2/details', 'not_found'),
    get('/api/v1/accounts;x', 'not_found'),
    get('/api/v1/accounts%20', 'not_found'),
    get('/healthz%20', 'not_found'),
    get('/nowhere?%3Cscript%3E', 'not_found'),
  ],
  'two access tokens': [
    raw(
      'two tokens',
      `GET /api/v1/auth/sessions HTTP/1.1\r\n${host}${token}${token}\r\n`,
      'invalid_request',
    ),
  ],
  'another spelling of a path': [
    get(`/%61pi/v1/accounts/{account}/details`, 200),
    get(`http://evil.example${account}/details`, 200),
    get(`${account}/details#x`, 'invalid_request'),
    get(`/accounts/{account}/details`, 200),
  ],
  'invalid identifiers': [
    get('/api/v1/accounts/1%2F..%2F2/details', 'invalid_request'),
    get('/api/v1/accounts/%2e%2e/details', 'invalid_request'),
    get('/api/v1/accounts/../details', 'invalid_request'),
    get('/api/v1/accounts/1;x=1/details', 'invalid_request'),
    get(`${account};x=1/details`, 'invalid_request'),
    get('/api/v1/accounts//details', 'not_found'),
    get('/api/v1/accounts/%00/details', 'invalid_request'),
    get(`${account}%00/details`, 'invalid_request'),
    get(`${account}%20/details`, 'invalid_request'),
    get(`${account}%2Fdetails`, 'invalid_request'),
  ],
  'invalid percent-escapes': [
    get('/api/v1/accounts/%zz/details', 'invalid_request'),
    get('/api/v1/accounts/%ff/details', 'invalid_request'),
    get('/%zz', 'invalid_request'),
    get('/%', 'invalid_request'),
    get('/%c0%af', 'invalid_request'),
  ],
  'a parameter of 101 characters': [
    get(`/api/v1/accounts/${'a'.repeat(101)}/details`, 'uri_too_long'),
    get(`/api/v1/accounts/${'a'.repeat(100)}/details`, 'invalid_request'),
  ],
  HEAD: [
    ask('HEAD', `${account}/details`, 200, { isHead: true }),
    ask('HEAD', '/healthz', 200, { isHead: true }),
    ask('HEAD', '/openapi.json', 200, { isHead: true }),
    ask('HEAD', '/nowhere', 'not_found', { isHead: true }),
    ask('HEAD', '/api/v1/auth/login', 'method_not_allowed', { isHead: true }),
    ask('HEAD', '/api/v1/accounts/x', 'invalid_request', { isHead: true }),
    ask('HEAD', '/%zz', 'invalid_request', { isHead: true }),
  ],
  'methods that the path does not offer': [
    ...['OPTIONS', 'TRACE', 'PROPFIND', 'PUT', 'POST', 'DELETE', 'PATCH'].map((method) =>
      ask(method, `${account}/details`, 'method_not_allowed'),
    ),
    ask('GET', '/api/v1/auth/login', 'method_not_allowed'),
    ask('POST', '/openapi.json', 'method_not_allowed'),
    ask('POST', '/docs', 'method_not_allowed'),
    ask('POST', '/healthz', 'method_not_allowed'),
    ask('OPTIONS', '/docs', 'method_not_allowed'),
    ask('OPTIONS', '/nowhere', 'not_found'),
    ask('OPTIONS', '*', 'not_found'),
  ],
  QUERY: [ask('QUERY', `${account}/details`, 'method_not_allowed')],
  'unknown methods': [
    ask('get', '/healthz', 'invalid_request', never),
    ask('FOO', '/healthz', 'invalid_request', never),
    ask('G\u0000T', '/healthz', 'invalid_request', never),
  ],
  CONNECT: [
    ask('CONNECT', 'evil.example:443', 'method_not_allowed', {
      plain: 'method_not_allowed',
      behind: 'never',
    }),
  ],
}
