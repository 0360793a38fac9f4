// The OpenAPI document, made from the route objects alone: what is not declared on a route cannot
// be said here, and what is cannot be left out.
import type { TObject, TSchema } from 'typebox'
import packageJson from '../../package.json' with { type: 'json' }
import { defaultLimits } from '../config/config.ts'
import { windowText } from './markdown.ts'
import { createExample, type Node } from './examples.ts'
import { createSchemas, findCollection, type Schemas } from './names.ts'
import { toErrorResponses, mediaType, shared, toSuccessResponse, takesKey } from './responses.ts'
import type { Route } from '../http/route.ts'

/** An OpenAPI 3.1.1 document of the routes, ready for JSON. */
export function openApiDocument(routes: readonly Route[]): object {
  const schemas = createSchemas()
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const item = (paths[path] ??= {})
    item[route.method.toLowerCase()] = toOperation(route, schemas)
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Strongroom',
      summary: packageJson.description,
      description,
      version: packageJson.version,
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    // Meant for the bank's customers and staff, wherever they are.
    servers: [{ url: '/', 'x-internal': false }],
    tags: [...new Set(routes.map(findCollection))].map((name) => ({ name })),
    paths,
    components: {
      ...shared,
      schemas: { ...schemas.named, ...shared.schemas },
      securitySchemes: { bearer },
    },
  }
}

const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'An access token of `POST /api/v1/auth/login` (RFC 9068), made and verified as RFC8725 says: ' +
    'EdDSA alone, keys of ours alone, issuer, audience and type of ours, and 15 minutes long.',
}

const description = `\
Every error has the body of the schema \`Error\`; programs decide by its \`code\`. Requests with a
body are plain \`application/json\`; an unknown key or query parameter is refused. Lists are paged:
pass \`nextCursor\` as \`cursor\` to go on. Times are RFC 3339 in UTC, amounts are decimal strings.

Who may call an operation stands in its \`x-access\`: by role \`any\` resource, only one's \`own\`,
or what is oneself by construction (\`self\`). Its limit class with the default windows stands in
\`x-limit\`; besides, every request counts against the \`address\` class.

The paths \`/accounts\`, \`/transfers\`, \`/beneficiaries\` and \`/cards\` also work without
\`/api/v1\`. A method that a path does not offer is answered 405 with \`Allow\`, and plain HTTP
301 to HTTPS.`

function toOperation(route: Route, schemas: Schemas): object {
  const { access, limit, body, summary } = route
  const windows = Object.entries(defaultLimits[limit]).map(([name, window]) => {
    return [name, windowText(window)]
  })
  const parameters = toParameters(route, schemas)
  return {
    operationId: route.operation,
    tags: [findCollection(route)],
    summary,
    security: access === 'public' ? [] : [{ bearer: [] }],
    'x-access': access,
    'x-limit': { class: limit, windows: Object.fromEntries(windows) },
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { [mediaType]: { schema: schemas.refer(body), example: bodyExample(route) } },
      },
    }),
    responses: {
      [route.success]: toSuccessResponse(route, schemas),
      ...toErrorResponses(route),
      default: { $ref: '#/components/responses/Transport' },
    },
  }
}

const bodyExample = ({ body, example }: Route): unknown => example ?? createExample(body as TSchema)

function toParameters(route: Route, schemas: Schemas): object[] {
  const declared = (place: 'path' | 'query', schema: TObject | undefined) =>
    Object.entries(schema?.properties ?? {}).map(([name, property]) => {
      const required = ((schema as Node).required ?? []).includes(name)
      // No examples of what may be left out: readers would send them without meaning to.
      const example = required && { example: createExample(property, name) }
      return { name, in: place, required, schema: parameterSchema(name, property), ...example }
    })
  const parameterSchema = (name: string, property: TSchema): object => {
    if (name !== 'limit') return schemas.refer(property)
    // On the wire everything is text; to people and clients it is a number.
    const { description: about, maxLength = 1 } = property as Node
    // Larger ones are taken too, but many generators of clients know no larger number.
    const maximum = Math.min(10 ** maxLength - 1, Number.MAX_SAFE_INTEGER)
    return { type: 'integer', minimum: 1, maximum, description: about }
  }
  return [
    ...declared('path', route.params),
    ...declared('query', route.query),
    ...(takesKey(route) ? [idempotencyKey] : []),
  ]
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes repeating safe: the same key with the same body gets the first answer again, marked ' +
    '`Idempotency-Replayed`, for 24 hours. Take a fresh one, such as a UUID, for a new intention.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]+$', minLength: 1, maxLength: 255 },
}
