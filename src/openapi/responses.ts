// The responses of the API reference: what success looks like, and every error a route can answer.
import type { TSchema } from 'typebox'
import { type Code, codes, errorMessage, Refusal, errorStatus } from '../domain/errors.ts'
import { json, render } from '../http/error-response.ts'
import { createExample, type Node } from './examples.ts'
import type { Schemas } from './names.ts'
import type { Route } from '../http/route.ts'
import { findIdentifiers } from '../http/route-check.ts'

export const mediaType = json.split(';', 1)[0] as string

/** A route that can refuse a key that was used before takes the key: that says it all. */
export const takesKey = ({ refusals = [] }: Route): boolean =>
  refusals.includes('idempotency_key_reused')

const text = { type: 'string', maxLength: 512 }
const aSentence = { type: 'string', maxLength: 140 }

/** Header fields by name: what they say, their schema, an example. */
const headerFields = {
  'X-Request-Id': ['Names this request in the log.', text, '01981f7e-4c00-7000-8000-726571756573'],
  'RateLimit-Policy': [
    'The windows of the limit class: quota and length in seconds.',
    text,
    '"burst";q=10;w=1, "sustained";q=1000;w=3600',
  ],
  RateLimit: [
    'What is left in each window, and in how many seconds there is more.',
    text,
    '"burst";r=9;t=1, "sustained";r=999;t=3600',
  ],
  'WWW-Authenticate': ['How to authenticate.', { type: 'string', const: 'Bearer' }, 'Bearer'],
  'Retry-After': [
    'Whole seconds until it is worth trying again.',
    { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 },
    1,
  ],
  Location: [
    'Path of what was made, or was there already.',
    { ...text, format: 'uri-reference' },
    '/api/v1/accounts/01981f7e-4c00-7000-8000-6163636f756e',
  ],
  'Content-Disposition': [
    'Says that the body is a file, and its name; JSON has none.',
    text,
    'attachment; filename="statement-5685-2026-10.csv"',
  ],
  'Idempotency-Replayed': [
    'This answer was given before.',
    { type: 'string', const: 'true' },
    'true',
  ],
} satisfies Record<string, [string, object, unknown]>

type HeaderField = keyof typeof headerFields
const onAll: HeaderField[] = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']

const headers = (...names: HeaderField[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The one success of a route. */
export function toSuccessResponse(route: Route, schemas: Schemas): object {
  const schema = route.reply[route.success] as TSchema
  const isEmpty = (schema as Node).type === 'null'
  const more: HeaderField[] = [
    ...(route.success === 201 ? ['Location' as const] : []),
    ...(takesKey(route) ? ['Idempotency-Replayed' as const] : []),
    ...(route.files ? ['Content-Disposition' as const] : []),
  ]
  // A file is bytes without a bound: it has no schema (OpenAPI 3.1, Media Type Object).
  const files = route.files?.map((type) => [type.split(';', 1)[0], {}]) ?? []
  return {
    description: successes[route.success] ?? 'Done.',
    headers: headers(...onAll, ...more),
    ...(!isEmpty && {
      content: {
        [mediaType]: { schema: schemas.refer(schema), example: createExample(schema) },
        ...Object.fromEntries(files),
      },
    }),
  }
}

const successes: Readonly<Record<number, string>> = {
  200: 'Here it is.',
  201: 'Made.',
  202: 'Accepted; it will be done.',
  204: 'Done; there is nothing to show.',
}

type Standard = { name: string; codes: readonly Code[]; applies(route: Route): boolean }
const isPrivate = ({ access }: Route): boolean => access !== 'public'
const mayHaveBody = ({ method }: Route): boolean => method !== 'GET'
const always = (): boolean => true

/**
 * What the server and the gate themselves may answer, and on which routes. A body that nobody asked
 * for is judged like any other, so all methods but GET may refuse one.
 */
const standard: readonly Standard[] = [
  { name: 'BadRequest', codes: ['invalid_request'], applies: (route) => !mayHaveBody(route) },
  { name: 'BadBody', codes: ['invalid_request', 'malformed_json'], applies: mayHaveBody },
  {
    name: 'Unauthorized',
    codes: ['unauthenticated', 'token_expired', 'session_expired', 'session_revoked'],
    applies: isPrivate,
  },
  { name: 'Forbidden', codes: ['forbidden'], applies: isPrivate },
  {
    name: 'NotFound',
    codes: ['not_found'],
    applies: (route) => isPrivate(route) && findIdentifiers(route).length > 0,
  },
  { name: 'TooLarge', codes: ['payload_too_large'], applies: mayHaveBody },
  { name: 'NotJson', codes: ['unsupported_media_type'], applies: always },
  { name: 'RateLimited', codes: ['rate_limited'], applies: always },
  { name: 'InternalError', codes: ['internal_error'], applies: always },
  { name: 'Unavailable', codes: ['unavailable'], applies: (route) => !mayHaveBody(route) },
  { name: 'InDoubt', codes: ['unavailable', 'outcome_unknown'], applies: mayHaveBody },
]

/** Answered before any route is looked at, so said of all of them in one place: `default`. */
const transport: readonly Code[] = [
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
  'not_implemented',
]

/** Every error status the route can answer by itself, each with the codes it can have there. */
export function toErrorResponses(route: Route): Record<string, object> {
  const applying = standard.filter(({ applies }) => applies(route))
  const all = new Set([...applying.flatMap(({ codes: its }) => its), ...(route.refusals ?? [])])
  const byStatus = Object.groupBy(all, errorStatus)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, its = []]) => {
      const same = applying.find(({ codes: theirs }) => theirs.join() === its.join())
      return [status, same ? { $ref: `#/components/responses/${same.name}` } : errorResponse(its)]
    }),
  )
}

function errorResponse(its: readonly Code[], common = onAll): object {
  const statuses = new Set(its.map(errorStatus))
  const more: HeaderField[] = [
    ...(statuses.has(401) ? ['WWW-Authenticate' as const] : []),
    ...(statuses.has(429) || statuses.has(503) ? ['Retry-After' as const] : []),
    ...(its.includes('duplicate_transfer') ? ['Location' as const] : []),
  ]
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: its } } }],
  }
  const examples = its.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  return {
    description: its.map((code) => `\`${code}\`: ${errorMessage(code)}`).join(' '),
    headers: headers(...common, ...more),
    content: { [mediaType]: { schema, examples: Object.fromEntries(examples) } },
  }
}

function errorExample(code: Code): unknown {
  const details = [{ path: '/body/colour', message: 'is not known here' }]
  return JSON.parse(render(new Refusal(code, { details })).body)
}

const errorSchema = {
  type: 'object',
  description: 'What every error says; `details` only with `invalid_request`.',
  required: ['error', 'code', 'message'],
  properties: {
    error: { ...aSentence, description: 'The reason phrase of the status.' },
    code: { ...text, description: 'Stable; programs decide by it.', enum: codes },
    message: { ...aSentence, description: 'One sentence for people.' },
    details: {
      type: 'array',
      maxItems: 16,
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string', maxLength: 64 }, message: aSentence },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
}

/** What responses refer to, for the components of the document. */
export const shared = {
  schemas: { Error: errorSchema },
  responses: Object.fromEntries([
    ...standard.map(({ name, codes: its }) => [name, errorResponse(its)] as const),
    ['Transport', errorResponse(transport, ['X-Request-Id'])],
  ]),
  headers: Object.fromEntries(
    Object.entries(headerFields).map(([name, [about, schema, example]]) => [
      name,
      { description: about, schema, example },
    ]),
  ),
  examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
}
