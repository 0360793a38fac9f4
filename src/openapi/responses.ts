// The responses of the API reference: the success of a route, and every error it can answer.
import type { TSchema } from '../domain/type.ts'
import {
  type Challenge,
  type Code,
  codes,
  errorMessage,
  errorStatus,
  type ExceededLimit,
  Refusal,
} from '../domain/errors.ts'
import { json, render } from '../http/error-response.ts'
import { isApprovable } from '../features/approvals/requests.ts'
import { isOfBooks } from '../gate/archived.ts'
import { WaitingApproval } from '../gate/waiting-approval.ts'
import { createExample } from '../http/example.ts'
import type { SchemaNode } from '../domain/schema.ts'
import type { Schemas } from './names.ts'
import type { Route } from '../http/route.ts'
import { findIdentifiers } from '../http/route-check.ts'
import { canReplay, isNumbered } from '../http/repeats.ts'

export const mediaType = json.split(';', 1)[0] as string

const text = { type: 'string', maxLength: 512 }

/** Header fields by name: description, schema, example. */
const headerFields = {
  'X-Request-Id': [
    'The identifier of this request in the log.',
    text,
    '01981f7e-4c00-7000-8000-726571756573',
  ],
  'RateLimit-Policy': [
    'The windows of the limit class: quota and length in seconds.',
    text,
    '"burst";q=10;w=1, "sustained";q=1000;w=3600',
  ],
  RateLimit: [
    'The remaining quota of each window, and the seconds until it grows.',
    text,
    '"burst";r=9;t=1, "sustained";r=999;t=3600',
  ],
  'WWW-Authenticate': ['As RFC 6750 section 3 says.', text, 'Bearer error="invalid_token"'],
  'Retry-After': [
    'Seconds to wait before another attempt, a whole number.',
    { type: 'integer', format: 'int32', minimum: 1, maximum: 2 ** 31 - 1 },
    1,
  ],
  Location: [
    'Path of the created resource, or of the one that exists already.',
    { ...text, format: 'uri-reference' },
    '/api/v1/accounts/01981f7e-4c00-7000-8000-6163636f756e',
  ],
  'Content-Disposition': [
    'The name of the file in the body; absent with JSON.',
    text,
    'attachment; filename="statement-5685-2026-10.csv"',
  ],
  'Set-Cookie': [
    'The session and the known device, each a cookie of its own; no script can read them.',
    text,
    '__Host-strongroom=…; Secure; HttpOnly; SameSite=Strict; Path=/',
  ],
  'Idempotency-Replayed': [
    'The answer is that of an earlier request with the same key or `externalId`.',
    { type: 'string', const: 'true' },
    'true',
  ],
} satisfies Record<string, [string, object, unknown]>

type HeaderField = keyof typeof headerFields
const commonFields: HeaderField[] = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']

const headers = (...names: HeaderField[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The one success of a route. */
export function toSuccessResponse(route: Route, schemas: Schemas): object {
  const schema = route.reply[route.success] as TSchema
  const isEmpty = (schema as SchemaNode).type === 'null'
  const more: HeaderField[] = [
    ...(route.success === 201 ? ['Location' as const] : []),
    ...(canReplay(route) ? ['Idempotency-Replayed' as const] : []),
    ...(route.files ? ['Content-Disposition' as const] : []),
    ...(route.portal === 'only' ? ['Set-Cookie' as const] : []),
  ]
  // A file is binary data, which has no schema (OpenAPI 3.1, Media Type Object).
  const files = route.files?.map((type) => [type.split(';', 1)[0], {}]) ?? []
  return {
    description: successes[route.success] ?? 'Success.',
    headers: headers(...commonFields, ...more),
    ...(!isEmpty && {
      content: {
        [mediaType]: { schema: schemas.referAnswer(schema), example: createExample(schema) },
        ...Object.fromEntries(files),
      },
    }),
  }
}

/**
 * The answer to a change that waits for a second person, where the operator has chosen that; with
 * the status 202 of its own success, either of both as one object: a client that has to choose
 * between two schemas by what fits can not, because both are open for new fields.
 */
export function toWaitingResponse(route: Route, schemas: Schemas): Record<number, object> {
  if (!isApprovable(route)) return {}
  const own = route.success === waitingStatus && (route.reply[waitingStatus] as SchemaNode)
  const waiting = WaitingApproval as SchemaNode
  const schema = schemas.referAnswer(own ? eitherOf(own, waiting) : waiting)
  return {
    [waitingStatus]: {
      description: 'Accepted. With `approvalId`: it waits until a second person approves it.',
      headers: headers(...commonFields, 'Location'),
      content: { [mediaType]: { schema, example: createExample(own || waiting) } },
    },
  }
}

/** The fields of both objects; those that only one has may be absent. */
function eitherOf(one: SchemaNode, other: SchemaNode): SchemaNode {
  const properties = { ...other.properties, ...one.properties }
  for (const [name, property] of Object.entries(properties)) {
    const second = other.properties?.[name]
    if (second === undefined || second === property) continue
    if (!property.enum || !second.enum) throw new Error(`Two answers have a ${name} of two types`)
    properties[name] = { ...property, enum: [...property.enum, ...second.enum] }
  }
  return {
    type: 'object',
    title: `${one.title}Or${other.title}`,
    required: (one.required ?? []).filter((name) => other.required?.includes(name)),
    properties,
  }
}

const waitingStatus = 202

const successes: Readonly<Record<number, string>> = {
  200: 'OK.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'No content.',
}

type Standard = { name: string; codes: readonly Code[]; applies(route: Route): boolean }
const isPrivate = ({ access }: Route): boolean => access !== 'public'
/** Names a transfer, which an archive may have. */
const namesBooks = (route: Route): boolean =>
  isPrivate(route) && findIdentifiers(route).some(({ resource }) => isOfBooks(resource))
const mayHaveBody = ({ method }: Route): boolean => method !== 'GET'
const always = (): boolean => true

/**
 * What the server and the gate may answer, and on which routes. An unexpected body is checked like
 * any other, so every method but GET may refuse one.
 */
const standard: readonly Standard[] = [
  { name: 'BadRequest', codes: ['invalid_request'], applies: (route) => !mayHaveBody(route) },
  { name: 'BadBody', codes: ['invalid_request', 'malformed_json'], applies: mayHaveBody },
  {
    name: 'Unauthorized',
    codes: ['unauthenticated', 'token_expired', 'session_expired', 'session_revoked'],
    applies: isPrivate,
  },
  {
    name: 'Forbidden',
    codes: ['forbidden'],
    applies: (route) => isPrivate(route) && route.restricted === true && !route.confirm,
  },
  {
    name: 'Unenrolled',
    codes: ['forbidden', 'factor_enrolment_required'],
    applies: (route) => isPrivate(route) && !route.restricted && !route.confirm,
  },
  {
    name: 'UnconfirmedFactor',
    codes: ['forbidden', 'confirmation_required'],
    applies: ({ restricted, confirm }) => restricted === true && confirm !== undefined,
  },
  {
    name: 'Unconfirmed',
    codes: ['forbidden', 'factor_enrolment_required', 'confirmation_required'],
    applies: ({ restricted, confirm }) => !restricted && confirm !== undefined,
  },
  {
    name: 'NotFound',
    codes: ['not_found'],
    applies: (route) => isPrivate(route) && findIdentifiers(route).length > 0 && !namesBooks(route),
  },
  { name: 'NotInBooks', codes: ['archived', 'not_found'], applies: namesBooks },
  { name: 'TooLarge', codes: ['payload_too_large'], applies: mayHaveBody },
  { name: 'NotJson', codes: ['unsupported_media_type'], applies: always },
  { name: 'RateLimited', codes: ['rate_limited'], applies: always },
  { name: 'InternalError', codes: ['internal_error'], applies: always },
  { name: 'Unavailable', codes: ['unavailable'], applies: (route) => !mayHaveBody(route) },
  { name: 'InDoubt', codes: ['unavailable', 'outcome_unknown'], applies: mayHaveBody },
]

/** Answered before a route is chosen, so described once for all of them: `default`. */
const transport: readonly Code[] = [
  'request_timeout',
  'uri_too_long',
  'expectation_failed',
  'headers_too_large',
  'not_implemented',
]

/** Every error status of the route, with the codes it can have. */
export function toErrorResponses(route: Route): Record<string, object> {
  const applying = standard.filter(({ applies }) => applies(route))
  // A maker may have too many requests that wait for a second person, and a number may be that of
  // one that was rejected.
  const ofWaiting: Code[] = isApprovable(route) ? ['limit_exceeded'] : []
  if (isApprovable(route) && isNumbered(route)) ofWaiting.push('illegal_transition')
  const codes = applying.flatMap((answer) => answer.codes)
  const all = new Set([...codes, ...(route.refusals ?? []), ...ofWaiting])
  const byStatus = Object.groupBy(all, errorStatus)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, some = []]) => {
      const same = applying.find((answer) => answer.codes.join() === some.join())
      return [status, same ? { $ref: `#/components/responses/${same.name}` } : errorResponse(some)]
    }),
  )
}

function errorResponse(some: readonly Code[], common = commonFields): object {
  const statuses = new Set(some.map(errorStatus))
  const more: HeaderField[] = [
    ...(statuses.has(401) ? ['WWW-Authenticate' as const] : []),
    ...(statuses.has(429) || statuses.has(503) ? ['Retry-After' as const] : []),
    ...(some.includes('duplicate_transfer') ? ['Location' as const] : []),
  ]
  const examples = some.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  return {
    description: some.map((code) => `\`${code}\`: ${errorMessage(code)}`).join(' '),
    'x-codes': some,
    headers: headers(...common, ...more),
    content: {
      [mediaType]: {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

function errorExample(code: Code): unknown {
  const details = [{ path: '/body/colour', message: 'is not known here' }]
  const challenge = challenging.includes(code) ? exampleChallenge : undefined
  const limit = code === 'limit_exceeded' ? exampleLimit : undefined
  const archive = code === 'archived' ? exampleArchive : undefined
  const options = {
    outage: 'database' as const,
    details,
    ...(challenge && { challenge }),
    ...(limit && { limit }),
    ...(archive && { archive }),
  }
  return JSON.parse(render(new Refusal(code, options)).body)
}

/** The refusals with a challenge. */
const challenging: readonly Code[] = ['second_factor_required', 'confirmation_required']

const exampleChallenge: Challenge = {
  id: '01981f7e-4c00-7000-8000-6368616c6c65',
  expiresAt: '2026-01-02T09:05:00.000Z',
  methods: ['totp'],
}

const exampleLimit: ExceededLimit = {
  name: 'dailyTransfers',
  amount: '1000.00',
  used: '950.00',
  currency: 'EUR',
  resetsAt: '2026-01-03T00:00:00.000Z',
}

const exampleArchive = { name: 'books-2024', until: '2024-01-01T00:00:00.000Z' }

/** The components that responses refer to. */
export const shared = {
  responses: Object.fromEntries([
    ...standard.map((answer) => [answer.name, errorResponse(answer.codes)] as const),
    ['Transport', errorResponse(transport, ['X-Request-Id'])],
  ]),
  headers: Object.fromEntries(
    Object.entries(headerFields).map(([name, [description, schema, example]]) => [
      name,
      { description, schema, example },
    ]),
  ),
  examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
}
