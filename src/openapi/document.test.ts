// The API reference is valid and complete, and agrees with the route objects.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validate } from '@hyperjump/json-schema/openapi-3-1'
import type { TSchema } from '../domain/type.ts'
import { type Code, errorStatus } from '../domain/errors.ts'
import { CardId } from '../domain/ids.ts'
import { openApiDocument } from './document.ts'
import { errorSchema } from './error-schema.ts'
import { createExample } from '../http/example.ts'
import { createSchemas, findCollection } from './names.ts'
import { listSchema } from '../http/pagination.ts'
import { type Route, route } from '../http/route.ts'
import { isNumbered } from '../http/repeats.ts'
import { isOfBooks } from '../gate/archived.ts'
import { findIdentifiers } from '../http/route-check.ts'
import { isApprovable } from '../features/approvals/requests.ts'
import { routes } from '../features/routes.ts'
import { closed, Name, Nothing } from '../domain/schema.ts'
import { compile, createSerializer } from '../http/validation.ts'

type Ref = { $ref: string }
type Content = Record<string, { schema: object; example?: unknown; examples?: Record<string, Ref> }>
type Reply = {
  description: string
  headers: Record<string, Ref>
  content?: Content
  'x-codes'?: Code[]
}
type Parameter = {
  name: string
  in: string
  required: boolean
  schema: { type?: string; minimum?: number }
  example?: unknown
}
type Operation = {
  operationId: string
  tags: string[]
  security: object[]
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, Reply | Ref>
  'x-access': unknown
  'x-service'?: string
  'x-limit': { class: string; windows: Record<string, string> }
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, never>>
}

/** The document as a client reads it: through JSON. */
const createDocument = (list: readonly Route[]): Document =>
  JSON.parse(JSON.stringify(openApiDocument(list))) as Document

const document = createDocument(routes)
const routeName = ({ method, path }: Route): string => `${method} ${path}`

function findOperation(sought: Route, inside: Document = document): Operation {
  const path = sought.path.replace(/:(\w+)/g, '{$1}')
  const operation = inside.paths[path]?.[sought.method.toLowerCase()]
  return operation ?? assert.fail(`${routeName(sought)} is not in the document`)
}

function resolved<T>(node: T | Ref, inside: Document = document): T {
  if (typeof node !== 'object' || node === null || !('$ref' in node)) return node
  const found = node.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], inside)
  assert.ok(found, `${node.$ref} does not resolve`)
  return found as T
}

/** The codes a reply can have. Its body is the one schema of errors. */
function readCodes(reply: Reply | Ref, inside: Document = document): Code[] {
  const { content, 'x-codes': found = [] } = resolved(reply, inside)
  const schema = content?.['application/json']?.schema
  assert.deepEqual(schema, { $ref: '#/components/schemas/Error' })
  return found
}

const admits = (schema: object, value: unknown): boolean => compile(schema)(value)

const openApi = 'https://spec.openapis.org/oas/3.1/schema-base'
const isValid = async (value: unknown): Promise<unknown> =>
  validate(openApi, value as never, 'BASIC')

test('the document is valid OpenAPI 3.1, its schemas included', async () => {
  assert.deepEqual(await isValid(document), { valid: true })
  const broken = structuredClone(document) as unknown as {
    components: { schemas: Record<string, object> }
  }
  broken.components.schemas['Time'] = { type: 'strin' }
  assert.notDeepEqual(await isValid(broken), { valid: true }, 'an invalid document is found')
})

test('every reference resolves, and no internal key of a library is left', () => {
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('$ref' in node) resolved(node as Ref)
    for (const [key, value] of Object.entries(node)) {
      assert.match(key, /^[\w{}/.$:-]+$/)
      visit(value)
    }
  }
  visit(document)
})

test('every route is one operation with a unique name and its parameters', () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  assert.equal(operations.length, routes.length)
  const names = operations.map(({ operationId }) => operationId)
  assert.equal(new Set(names).size, names.length)
  for (const item of routes) {
    const { parameters = [], tags } = findOperation(item)
    const named = (place: string) =>
      parameters.filter((one) => one.in === place).map(({ name }) => name)
    assert.deepEqual(named('path'), Object.keys(item.params?.properties ?? {}), routeName(item))
    assert.deepEqual(named('query'), Object.keys(item.query?.properties ?? {}), routeName(item))
    assert.equal(tags.length, 1)
    const limit = parameters.find(({ name }) => name === 'limit')
    if (limit) assert.deepEqual([limit.schema.type, limit.schema.minimum], ['integer', 1])
  }
})

test('every operation has its access and its limit class', () => {
  for (const item of routes) {
    const operation = findOperation(item)
    assert.deepEqual(operation['x-access'], item.access, routeName(item))
    assert.equal(operation['x-limit'].class, item.limit)
    assert.match(Object.values(operation['x-limit'].windows).join(), /^\d+\/\d+[smh]/)
    const byToken = item.access === 'public' ? [] : [{ bearer: [] }]
    const byKey = item.service === undefined ? [] : [{ programKey: [] }]
    assert.deepEqual(operation.security, [...byToken, ...byKey])
    assert.equal(operation['x-service'], item.service)
  }
})

test('every example fits its schema', () => {
  for (const item of routes) {
    const { requestBody, responses, parameters = [] } = findOperation(item)
    const reply = resolved(responses[item.success] as Reply)
    const pairs: [TSchema, Content | undefined][] = [
      [item.reply[item.success] as TSchema, reply.content],
      ...(item.body ? [[item.body, requestBody?.content] as [TSchema, Content]] : []),
    ]
    for (const [schema, content] of pairs) {
      if ((schema as { type?: string }).type === 'null') assert.equal(content, undefined)
      else assert.ok(admits(schema, content?.['application/json']?.example), routeName(item))
    }
    for (const { name, example, in: place } of parameters) {
      const schema = item.params?.properties[name]
      if (place === 'path' && schema)
        assert.ok(admits(schema, example), `${routeName(item)} ${name}`)
    }
  }
  for (const { value } of Object.values(document.components['examples'] ?? {})) {
    assert.ok(admits(errorSchema, value))
  }
})

// Both are made when a request first needs them, not when the service starts.
test('a validator of each query and a writer of each answer can be made', () => {
  for (const item of routes) {
    if (item.query) assert.equal(typeof admits(item.query, {}), 'boolean', routeName(item))
    const { responses } = findOperation(item)
    for (const [status, schema] of Object.entries(item.reply)) {
      const reply = resolved(responses[status] as Reply)
      const example = reply.content?.['application/json']?.example as object | undefined
      if (example === undefined) continue
      assert.deepEqual(JSON.parse(createSerializer(schema)(example)), example, routeName(item))
    }
  }
})

test('every status and code a route can answer is in its operation', () => {
  for (const item of routes) {
    const { responses } = findOperation(item)
    const isPrivate = item.access !== 'public'
    const expected = new Set<Code>([
      'invalid_request',
      'unsupported_media_type',
      'rate_limited',
      'internal_error',
      'unavailable',
      ...(isPrivate ? (['unauthenticated', 'token_expired', 'forbidden'] as const) : []),
      ...(isPrivate ? (['session_revoked', 'session_expired'] as const) : []),
      ...(isPrivate && findIdentifiers(item).length > 0 ? (['not_found'] as const) : []),
      ...(isPrivate && findIdentifiers(item).some(({ resource }) => isOfBooks(resource))
        ? (['archived'] as const)
        : []),
      ...(item.method === 'GET'
        ? []
        : (['malformed_json', 'payload_too_large', 'outcome_unknown'] as const)),
      ...(isPrivate && !item.restricted ? (['factor_enrolment_required'] as const) : []),
      ...(item.confirm ? (['confirmation_required'] as const) : []),
      // Too many of them wait for a second person.
      ...(isApprovable(item) ? (['limit_exceeded'] as const) : []),
      // The same externalId again, after it was rejected.
      ...(isApprovable(item) && isNumbered(item) ? (['illegal_transition'] as const) : []),
      ...(item.refusals ?? []),
    ])
    const described = Object.entries(responses)
      .filter(([status]) => /^[45]/.test(status))
      .flatMap(([status, reply]) => readCodes(reply).map((code) => [status, code] as const))
    assert.deepEqual(new Set(described.map(([, code]) => code)), expected, routeName(item))
    for (const [status, code] of described) assert.equal(status, String(errorStatus(code)))
    assert.ok(readCodes(responses['default'] as Ref).includes('headers_too_large'))
  }
})

test('every reply has its header fields', () => {
  for (const item of routes) {
    for (const [status, reply] of Object.entries(findOperation(item).responses)) {
      const { headers } = resolved(reply)
      const has = (name: string): boolean => name in headers
      assert.ok(has('X-Request-Id'))
      assert.equal(has('RateLimit') && has('RateLimit-Policy'), status !== 'default')
      assert.equal(has('WWW-Authenticate'), status === '401')
      assert.equal(has('Retry-After'), status === '429' || status === '503')
      if (status === '201') assert.ok(has('Location'))
    }
  }
})

const declared = (change: object): Route =>
  route({
    method: 'POST',
    path: '/api/v1/cards/:cardId/freeze',
    operation: 'freezeCard',
    summary: 'Freeze a card.',
    access: { admin: 'any' },
    limit: 'sensitive',
    params: closed({ cardId: CardId }),
    reply: { 204: Nothing },
    handle: async () => {},
    ...change,
  } as never)

test('a title names a schema, a list after its items, and no two schemas share one', () => {
  const Card = closed({ id: CardId, title: Name }, { title: 'Card' })
  const { referRequest: refer, referAnswer, named } = createSchemas()
  assert.deepEqual(refer(listSchema(Card)), { $ref: '#/components/schemas/CardList' })
  assert.deepEqual(Object.keys(named), ['CardId', 'Name', 'Card', 'CardList'])
  assert.deepEqual(named['Card'], {
    type: 'object',
    required: ['id', 'title'],
    properties: {
      id: { $ref: '#/components/schemas/CardId' },
      title: { $ref: '#/components/schemas/Name' },
    },
    additionalProperties: false,
  })
  assert.throws(() => refer(closed({ id: CardId }, { title: 'Card' })), /the title Card$/)
  const answered = { $ref: '#/components/schemas/AnsweredCard' }
  assert.deepEqual(referAnswer(Card), answered)
  const Other = closed({ id: CardId, of: Name }, { title: 'Card' })
  assert.throws(() => referAnswer(Other), /the title AnsweredCard$/)
})

test('every reply has a name, and every route of the API a collection', () => {
  for (const { reply, success } of routes) {
    const { type, title } = reply[success] as { type: string; title?: string }
    assert.ok(type === 'null' || title !== undefined, JSON.stringify(reply))
  }
  assert.equal(findCollection({ path: '/api/v1/accounts/:id/statement' }), 'accounts')
  assert.equal(findCollection({ path: '/healthz' }), 'system')
  assert.throws(() => findCollection({ path: '/api/v1/loans' }), /no collection/)
})

test('what is repeated by its externalId, and a decision, take no Idempotency-Key', () => {
  const parts = (name: string) => {
    const sought = routes.find(({ operation }) => operation === name) as Route
    const { parameters = [], responses } = findOperation(sought)
    const { headers } = resolved(responses[sought.success] as Reply)
    return [
      parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
      'Idempotency-Replayed' in headers,
    ]
  }
  for (const name of ['createTransfer', 'cancelTransfer', 'createDeposit', 'reverseTransfer']) {
    assert.deepEqual(parts(name), [true, true], name)
  }
  for (const name of ['createIncomingPayment', 'returnTransfer', 'sendTransfer']) {
    assert.deepEqual(parts(name), [false, true], name)
  }
  assert.deepEqual(parts('approveRequest'), [false, false])
})

test('a route that can refuse a used Idempotency-Key takes one', () => {
  const twice = declared({
    refusals: ['idempotency_key_reused', 'duplicate_transfer', 'request_in_progress'],
  })
  const inside = createDocument([twice])
  const { parameters = [], responses } = findOperation(twice, inside)
  assert.deepEqual(
    parameters.map(({ name, in: place, required }) => [name, place, required]),
    [
      ['cardId', 'path', true],
      ['Idempotency-Key', 'header', false],
    ],
  )
  assert.ok('Idempotency-Replayed' in resolved(responses['204'] as Reply, inside).headers)
  assert.ok('Location' in resolved(responses['409'] as Reply, inside).headers)
  assert.deepEqual(readCodes(responses['422'] as Ref, inside), ['idempotency_key_reused'])
})

test('an example is that of the route, else of the schema', () => {
  const named = declared({ body: closed({ name: Name }), example: { name: 'Mine' } })
  const { requestBody } = findOperation(named, createDocument([named]))
  assert.deepEqual(requestBody?.content['application/json']?.example, { name: 'Mine' })
  assert.equal(createExample({ type: 'string', examples: ['qqq'] }), 'qqq')
  assert.equal(createExample({ type: 'integer', minimum: 2026, maximum: 2099 }), 2026)
  assert.throws(() => createExample({ type: 'string' }, 'x'), /There is no example of x/)
})
