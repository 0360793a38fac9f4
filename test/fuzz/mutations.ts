// Requests that are right but for one thing.
import type { SchemaNode } from '../../src/domain/schema.ts'
import type { Random } from '../support/random.ts'
import { canary } from './canary.ts'
import { type Draft, encoded, toPath, type Place, findPlaces } from './request.ts'
import { nobodysId, type Pool } from './pool.ts'

type Mutation = (draft: Draft, pool: Pool) => boolean

/** Bends one thing, of which `only` is the name; tries until something could be bent. */
export function mutateOnce(draft: Draft, pool: Pool, only?: string): Draft {
  const bent: Draft = { ...draft, mood: 'mutated' }
  const names = only === undefined ? Object.keys(mutations) : [only]
  for (let turn = 0; turn < 30; turn++) {
    const name = pool.random.pick(names)
    bent.bent = name
    if ((mutations[name] as Mutation)(bent, pool)) return bent
  }
  return bent
}

/** Bends one value that the draft has. */
const inPlace =
  (mutate: (value: unknown, node: SchemaNode, random: Random) => unknown): Mutation =>
  (draft, { random }) => {
    const places = findPlaces(draft).filter(({ holder, key }) => holder[key] !== undefined)
    if (places.length === 0) return false
    const { holder, key, schema } = random.pick(places)
    const value = mutate(holder[key], schema.anyOf?.[0] ?? schema, random)
    if (value === undefined) return false
    holder[key] = value
    return true
  }

const inText = (mutate: (text: string, random: Random) => string): Mutation =>
  inPlace((value, _node, random) => (typeof value === 'string' ? mutate(value, random) : undefined))

const anyBody = (draft: Draft): Record<string, unknown> | undefined =>
  draft.body !== undefined && Object.keys(draft.body).length > 0 ? draft.body : undefined

const lookAlikes: readonly [RegExp, string][] = [
  [/a/, 'а'],
  [/e/, 'е'],
  [/o/, 'ο'],
  [/1/, '１'],
  [/0/, '٠'],
  [/-/, '‐'],
  [/\./, '．'],
]

const mutations: Record<string, Mutation> = {
  'type swapped': inPlace((value, _node, random) =>
    random.pick<unknown>([
      typeof value === 'string' ? Number(value) || 7 : String(value),
      [value],
      { value },
      true,
      null,
      '',
    ]),
  ),
  'bound exceeded by one': inPlace((value, { maxLength, minLength, maximum }, random) => {
    if (maximum !== undefined) return maximum + 1
    if (typeof value !== 'string' || maxLength === undefined) return undefined
    if (minLength && random.chance(40)) return value.slice(0, minLength - 1)
    return value.padEnd(maxLength + 1, value === '' ? 'x' : value)
  }),
  'at the bound': inPlace((value, { maxLength }) =>
    typeof value === 'string' && maxLength ? value.padEnd(maxLength, value || 'x') : undefined,
  ),
  'another word': inPlace((_value, { enum: words }) =>
    words === undefined ? undefined : `${String(words[0]).toUpperCase()}s`,
  ),
  'identifier malformed': inPlace((value, node, random) =>
    node['x-resource'] === undefined
      ? undefined
      : random.pick([
          String(value).toUpperCase(),
          `{${String(value)}}`,
          String(value).replaceAll('-', ''),
          `${String(value)}0`,
          `urn:uuid:${String(value)}`,
          '1',
          '-1',
          'null',
        ]),
  ),
  'identifier of nothing': inPlace((_value, node) =>
    node['x-resource'] === undefined ? undefined : nobodysId(),
  ),
  'look-alike': inText((text, random) => {
    const [letter, alike] = random.pick(lookAlikes)
    return text.replace(letter, alike)
  }),
  'space around': inText((text, random) => random.pick([` ${text}`, `${text} `, `${text}\n`])),
  'number spelt oddly': inText((text, random) =>
    random.pick([
      `+${text}`,
      `-${text}`,
      `${text}e0`,
      `0${text}`,
      `${text}.`,
      text.replace('.', ','),
    ]),
  ),
  'key missing': (draft, { random }) => {
    const body = anyBody(draft)
    if (!body) return false
    delete body[random.pick(Object.keys(body))]
    return true
  },
  'key unknown': (draft, { random }) => {
    const surplus = random.pick([
      'isAdmin',
      'roles',
      'ownerId',
      'balance',
      'status',
      'Amount',
      canary,
    ])
    if (draft.body && random.chance(60)) draft.body[surplus] = canary
    else draft.query[surplus] = canary
    return true
  },
  'key in another case': (draft, { random }) => {
    const body = anyBody(draft)
    if (!body) return false
    const key = random.pick(Object.keys(body))
    body[key.toUpperCase()] = body[key]
    delete body[key]
    return true
  },
  'key twice': (draft, { random }) => {
    const body = anyBody(draft)
    if (!body) return false
    const key = random.pick(Object.keys(body))
    const spelt = random.chance(50) ? key : `\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}`
    const text = JSON.stringify(body)
    draft.payload = `${text.slice(0, -1)},"${spelt}":${JSON.stringify(body[key])}}`
    return true
  },
  'parameter twice': (draft, { random }) => {
    const names = Object.keys(draft.route.query?.properties ?? { limit: 1 })
    const name = random.pick(names)
    draft.search = random.pick([
      `?${name}=1&${name}=2`,
      `?${name}[]=1`,
      `?${name}[x]=1`,
      `?${name}`,
    ])
    return true
  },
  'body cut': (draft, { random }) => {
    if (!draft.body) return false
    const text = JSON.stringify(draft.body)
    draft.payload = text.slice(0, random.below(text.length))
    return true
  },
  'body of another kind': (draft, { random }) => {
    const text = JSON.stringify(draft.body ?? {})
    draft.payload = random.pick([
      `[${text}]`,
      `${text}${text}`,
      `\uFEFF${text}`,
      'null',
      '"text"',
      '0',
      `${text},`,
      text.replaceAll('"', "'"),
      `/**/${text}`,
    ])
    return true
  },
  'another content type': (draft, { random }) => {
    draft.headers.push(['content-type', random.pick(contentTypes)])
    draft.payload ??= JSON.stringify(draft.body ?? {})
    return true
  },
  'another method': (draft, { random }) => {
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND']
    const method = random.pick(methods.filter((each) => each !== draft.method))
    // Whose sessions an administrator may look at, he may end: the cast's own are not his to try.
    if (method === 'DELETE' && draft.params['userId'] !== undefined) return false
    draft.method = method
    if (random.chance(30)) draft.headers.push(['x-http-method-override', draft.route.method])
    return true
  },
  'path spelt oddly': (draft, { random }) => {
    draft.path = random.pick(spellings)(toPath(draft))
    return true
  },
  'key header malformed': (draft, { random }) => {
    const key = random.pick(['', ' ', 'a b', 'ü', 'x'.repeat(256), '\t'])
    draft.headers = [['idempotency-key', key]]
    return true
  },
  'authorization malformed': (draft, { random }) => {
    const token = draft.caller.token ?? 'none'
    const odd = ['', 'Bearer', `Bearer  ${token}x`, `Basic ${token}`, token, `Bearer ${token}, x`]
    draft.headers.push(['authorization', random.pick(odd)])
    return true
  },
  'token in another place': (draft, { random }) => {
    const token = draft.caller.token ?? 'none'
    draft.headers.push(['authorization', ''])
    if (random.chance(50)) draft.headers.push(['cookie', `token=${token}; access_token=${token}`])
    else draft.query['access_token'] = token
    return true
  },
}

const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json;a=b',
  'Application/JSON',
  'application/jsonx',
  'application/merge-patch+json',
  '',
  '*/*',
]

const spellings: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => path.replace('/api', '/%61pi'),
  (path) => `${path};x=1`,
  (path) => `${path}%20`,
  (path) => `${path}%00`,
  (path) => `/x/..${path}`,
  (path) => `/.${path}`,
  (path) => path.replace(/\/(?=[^/]*$)/, '%2f'),
  (path) => path.replace(/\/(?=[^/]*$)/, '//'),
  (path) => path.replace('/api/v1', '/api/v2'),
  (path) => path.replace('/api/v1', ''),
  (path) => `${path}.json`,
  (path) => `${path}#x`,
  (path) => `https://evil.example${path}`,
  (path) => `${path}/${encoded(canary)}`,
]

export const isText = ({ schema }: Place): boolean =>
  schema.type === 'string' || schema.anyOf?.[0]?.type === 'string'
