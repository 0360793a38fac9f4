// The API reference as a judge reads it: which statuses an operation has, with which bodies.
// The validator is not the one the service judges requests with.
// oxlint-disable-next-line import/no-unassigned-import -- it registers the formats
import '@hyperjump/json-schema/formats'
import {
  registerSchema,
  setShouldValidateFormat,
  validate,
} from '@hyperjump/json-schema/openapi-3-1'
import { openApiDocument } from '../../src/openapi/document.ts'
import { growingWordsKey } from '../../src/openapi/names.ts'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/features/routes.ts'

type Reply = {
  $ref?: string
  content?: Record<string, unknown>
  headers?: Record<string, unknown>
  'x-codes'?: string[]
}
type Operation = { responses: Record<string, Reply> }
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Reply> }
}

/** `undefined`: that status is not documented; else whether a body is as it should be. */
export type Documented = {
  has(route: Route, status: number): boolean
  /** Whether the body is what the reference says; undefined means that there has to be none. */
  fits(route: Route, status: number, body: unknown): Promise<boolean>
  headersOf(route: Route, status: number): string[]
  /** The media types of that answer. */
  mediaTypes(route: Route, status: number): string[]
}

/** Answers are judged by what this release has; the reference leaves them open for later ones. */
function close(key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || key.startsWith('example')) return value
  if (growingWordsKey in value) return { ...value, enum: value[growingWordsKey] }
  const isOpen = 'properties' in value && 'type' in value && !('additionalProperties' in value)
  return isOpen ? { ...value, additionalProperties: false } : value
}

const document = JSON.parse(JSON.stringify(openApiDocument(routes), close)) as Document
const base = 'https://bank.example/openapi.json'
const dialect = 'https://spec.openapis.org/oas/3.1/dialect/base'
registerSchema(document as never, base, dialect)
setShouldValidateFormat(true)

type Judge = (body: unknown) => boolean

const pointer = (...keys: string[]): string =>
  encodeURI(keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))

/** Where in the document that answer stands. */
function findPlace(route: Route, status: number): { reply: Reply; at: string } | undefined {
  const path = route.path.replace(/:(\w+)/g, '{$1}')
  const method = route.method.toLowerCase()
  const reply = document.paths[path]?.[method]?.responses[status]
  if (reply === undefined) return undefined
  if (reply.$ref === undefined) {
    return { reply, at: pointer('paths', path, method, 'responses', `${status}`) }
  }
  const name = reply.$ref.split('/').at(-1) as string
  const named = document.components.responses[name] as Reply
  return { reply: named, at: pointer('components', 'responses', name) }
}

const judges = new Map<string, Promise<Judge>>()

async function judgeAt(at: string): Promise<Judge> {
  const validator = await validate(
    `${base}#${at}${pointer('content', 'application/json', 'schema')}`,
  )
  return (body) => validator(body as never).valid
}

export const documented: Documented = {
  has: (route, status) => findPlace(route, status) !== undefined,
  async fits(route, status, body) {
    const place = findPlace(route, status)
    if (place?.reply.content === undefined) return body === undefined
    const judge = judges.get(place.at) ?? judgeAt(place.at)
    judges.set(place.at, judge)
    const codes = place.reply['x-codes']
    if (codes && !codes.includes((body as { code?: string } | undefined)?.code ?? '')) return false
    return (await judge)(body)
  },
  headersOf: (route, status) => Object.keys(findPlace(route, status)?.reply.headers ?? {}),
  mediaTypes: (route, status) => Object.keys(findPlace(route, status)?.reply.content ?? {}),
}
