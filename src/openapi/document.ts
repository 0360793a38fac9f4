// The OpenAPI document, generated from the route objects alone.
import type { TObject, TSchema } from '../domain/type.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { release } from '../domain/release.ts'
import { defaultLimits } from '../config/config.ts'
import { windowText } from './markdown.ts'
import { errorSchema } from './error-schema.ts'
import { createExample } from '../http/example.ts'
import type { SchemaNode } from '../domain/schema.ts'
import { capitalized, collections, createSchemas, findCollection, type Schemas } from './names.ts'
import {
  toErrorResponses,
  toWaitingResponse,
  mediaType,
  shared,
  toSuccessResponse,
} from './responses.ts'
import { takesKey } from '../http/repeats.ts'
import type { Route } from '../http/route.ts'

/** An OpenAPI 3.1.1 document of the routes, ready for JSON, under the name of the bank. */
export function openApiDocument(routes: readonly Route[], bankName = 'Strongroom'): object {
  const schemas = createSchemas()
  // First: their schemas keep their names where an answer has the same, but open.
  for (const route of routes) {
    toParameters(route, schemas)
    toRequestBody(route, schemas)
  }
  schemas.referAnswer(errorSchema)
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const item = (paths[path] ??= {})
    item[route.method.toLowerCase()] = toOperation(route, schemas)
  }
  return {
    openapi: '3.1.1',
    info: {
      title: bankName,
      summary: packageJson.description,
      description,
      version: release,
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    // The API is for the bank's customers as well as its staff.
    servers: [{ url: '/', 'x-internal': false }],
    tags: [...new Set(routes.map(findCollection))].map((name) => ({
      name,
      description: collections[name],
    })),
    paths,
    components: {
      ...shared,
      schemas: schemas.named,
      securitySchemes: { bearer, programKey },
    },
  }
}

const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  // The OWASP rules of .ci/lint-openapi look for this spelling of RFC8725.
  description:
    'An access token of `POST /api/v1/auth/login` (RFC 9068). It is verified as RFC8725 ' +
    'requires: EdDSA only, a key, issuer, audience and type of this service, not expired.',
}

const programKey = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'srk',
  description:
    'The key of a service account, for programs: `srk_[0-9A-Za-z]{36}`. Administrators make them ' +
    'under `/api/v1/admin/service-accounts`; `x-service` of an operation names its grant.',
}

const description = `\
Every error has the body of the schema \`Error\`; programs decide by its \`code\`. A request body is
\`application/json\` without a content coding; \`createPaymentList\` also takes XML, and
\`logoutByIssuer\` a form. An unknown key or query parameter is refused, but in the JSON of a
passkey and in a form. Lists are paged: pass \`nextCursor\` as \`cursor\` to get the next page.
Times are RFC 3339 in UTC, amounts are decimal strings.

\`x-access\` of an operation says by role which resources may be used: \`any\`, only the caller's
\`own\`, or the caller alone (\`self\`). \`x-limit\` is its limit class with the default windows.
A service account reaches the operations that have \`x-service\`, by its grant of that kind
(\`read\`: \`readAccounts\`, \`pay\`: \`payFrom\`, \`operation\`: that operation by name); its
requests count in the class \`service\` instead. Every request also counts against the \`address\`
class.

A person with a second factor confirms the operations that have \`x-confirm\`, unless a payment is
exempt. The refusal \`confirmation_required\` has a challenge. Answer it by
\`POST /api/v1/auth/confirmations/{challengeId}\` and send the same request again with
\`Confirmation\`.

The paths \`/accounts\`, \`/transfers\`, \`/beneficiaries\` and \`/cards\` also work without
\`/api/v1\`. Under \`/portal/api/v1\` the pages of the portal reach the same operations with the
cookie of \`POST /portal/session\`, and nothing else does. A method that a path does not support is
answered with 405 and \`Allow\`. Plain HTTP is redirected to HTTPS with 301.`

function toOperation(route: Route, schemas: Schemas): object {
  const { access, service, confirm, limit, summary } = route
  const windows = Object.entries(defaultLimits[limit]).map(([name, window]) => {
    return [name, windowText(window)]
  })
  const parameters = toParameters(route, schemas)
  const body = toRequestBody(route, schemas)
  return {
    operationId: route.operation,
    tags: [findCollection(route)],
    summary,
    security: [
      ...(access === 'public' ? [] : [{ bearer: [] }]),
      ...(service ? [{ programKey: [] }] : []),
    ],
    'x-access': access,
    ...(service && { 'x-service': service }),
    ...(confirm && { 'x-confirm': true }),
    'x-limit': { class: limit, windows: Object.fromEntries(windows) },
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: {
      [route.success]: toSuccessResponse(route, schemas),
      ...toWaitingResponse(route, schemas),
      ...toErrorResponses(route),
      default: { $ref: '#/components/responses/Transport' },
    },
  }
}

function toRequestBody(route: Route, schemas: Schemas): object | undefined {
  const { body, operation, bodyIsOptional } = route
  if (!body) return undefined
  const schema = schemas.referRequest(body, `${capitalized(operation)}Body`)
  const example = route.example ?? createExample(body)
  const types = route.form ? [mediaType, 'application/x-www-form-urlencoded'] : [mediaType]
  const content = Object.fromEntries(types.map((type) => [type, { schema, example }]))
  const xml = {
    schema: { type: 'string', maxLength: route.bodyMax, description: route.xml?.about },
  }
  return {
    required: !bodyIsOptional,
    content: { ...content, ...(route.xml && { 'application/xml': xml }) },
  }
}

function toParameters(route: Route, schemas: Schemas): object[] {
  const declared = (place: 'path' | 'query', schema: TObject | undefined) =>
    Object.entries(schema?.properties ?? {}).map(([name, property]) => {
      const required = ((schema as SchemaNode).required ?? []).includes(name)
      // Swagger UI fills in examples: those of optional parameters would be sent by accident.
      const example = required && { example: createExample(property, name) }
      return { name, in: place, required, schema: parameterSchema(name, property), ...example }
    })
  const parameterSchema = (name: string, property: TSchema): object => {
    const place = capitalized(route.operation) + capitalized(name)
    if (name !== 'limit') return schemas.referRequest(property, place)
    // Text in the schema of the route; a number for clients.
    const { description: text, maxLength = 1 } = property as SchemaNode
    // Larger values are accepted too, but a page is never that large.
    const maximum = Math.min(10 ** maxLength - 1, 2 ** 31 - 1)
    return { type: 'integer', format: 'int32', minimum: 1, maximum, description: text }
  }
  return [
    ...declared('path', route.params),
    ...declared('query', route.query),
    ...(takesKey(route) ? [idempotencyKey] : []),
    ...(route.confirm ? [confirmation] : []),
  ]
}

const confirmation = {
  name: 'Confirmation',
  in: 'header',
  required: false,
  description:
    'The challenge of `confirmation_required`, once it is confirmed. It holds for the same ' +
    'request in the same session, once, for five minutes.',
  schema: { type: 'string', format: 'uuid' },
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a retry safe: for 24 hours the same key with the same body gets the first answer ' +
    'again, with `Idempotency-Replayed`. Use a new key, such as a UUID, for a new request.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]+$', minLength: 1, maxLength: 255 },
}
