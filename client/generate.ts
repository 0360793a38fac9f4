// Generates client/src/generated.ts from the route objects: the types of what is sent and answered,
// the table of operations, and the interface `Bank` with one method for each operation.
import { codes } from '../src/domain/errors.ts'
import type { Route } from '../src/http/route.ts'
import type { SchemaNode } from '../src/domain/schema.ts'
import { isNumbered, takesKey } from '../src/http/repeats.ts'

const root = '/api/v1/'

/** The portal's routes set cookies; tokens are refreshed by the client itself. */
const isOffered = ({ path, portal, operation }: Route): boolean =>
  path.startsWith(root) && portal !== 'only' && operation !== 'refresh'

/** The text of client/src/generated.ts. */
export function generateClient(routes: readonly Route[]): string {
  const types = new Map<string, string>()
  const operations = routes.filter(isOffered).map((route) => toOperation(route, types))
  return [
    '// Generated from the routes of the service: `npm run documents`. Changes are overwritten.',
    `import type { BankFile, CallOptions, ConfirmedOptions, PaymentOptions } from './types.ts'`,
    `import type { Feed } from './feed.ts'`,
    `import type { Pages } from './pages.ts'`,
    '',
    '/**',
    ' * The stable code of a refusal; programs decide by it. A newer bank can send one that is not',
    ' * listed, as it can answer other new words: a program keeps a way for them.',
    ' */',
    `export type Code =\n  | ${codes.map(quote).join('\n  | ')}\n`,
    ...[...types].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text),
    '/** The operations of the bank, by resource. */',
    `export type Bank = ${writeTree(toTree(operations))}\n`,
    '/** Method, path and what the client has to know of each operation, by its name in `Bank`. */',
    'export const operations = {',
    ...operations.flatMap(({ entries }) => entries),
    '} as const',
    '',
  ].join('\n')
}

const quote = (word: unknown): string =>
  typeof word === 'string' ? `'${word}'` : JSON.stringify(word)

type Method = { path: string[]; text: string }
type Operation = { methods: Method[]; entries: string[] }

function toOperation(route: Route, types: Map<string, string>): Operation {
  const { access, method, path, operation, params, query, summary, bodyIsOptional } = route
  const body = bodyIsOptional ? undefined : route.body
  const where = findName(route)
  const name = `${operation.charAt(0).toUpperCase()}${operation.slice(1)}`
  const declare = (title: string, schema: SchemaNode | undefined): string =>
    toType({ ...schema, title }, types, 'request')
  const success = route.reply[route.success] as SchemaNode
  const list = findItems(success, types)
  const answer = success.type === 'null' ? 'void' : (list?.item ?? toType(success, types, 'answer'))
  const confirmed = route.confirm ? 'ConfirmedOptions' : 'CallOptions'
  // Among the options: a program of before gives these behind the identifiers.
  const inOptions = route.body && !body ? ` & { body?: ${declare(`${name}Body`, route.body)} }` : ''
  const options = `options?: ${takesKey(route) ? 'PaymentOptions' : confirmed}${inOptions}`
  const ids = Object.keys(params?.properties ?? {}).map((id) => `${id}: string`)
  // The bytes of an XML file are sent as they are.
  const file = route.xml ? ' | Uint8Array' : ''
  const bodies = body ? [`body: ${declare(`${name}Body`, body)}${file}`] : []
  const isQueryOptional = ((query as SchemaNode | undefined)?.required ?? []).length === 0
  const ask = (type: string) => (query ? [`query${isQueryOptional ? '?' : ''}: ${type}`] : [])
  const queryType = query ? declare(`${name}Query`, query) : ''
  const write = (last: string, queries: string[], result: string): Method => ({
    path: [...where.slice(0, -1), last],
    text:
      `/** ${summary} */\n` +
      `${last}(${[...ids, ...bodies, ...queries, options].join(', ')}): ${result}`,
  })
  const enter = (last: string, kind: string, takesQuery = query !== undefined): string => {
    const flags = [
      access !== 'public' && 'token',
      body && 'body',
      takesQuery && 'query',
      takesKey(route) && 'key',
      isNumbered(route) && 'externalId',
    ].filter(Boolean)
    const fields = [method, path, kind].map(quote)
    return (
      `  '${[...where.slice(0, -1), last].join('.')}': ` +
      `{ method: ${fields[0]}, path: ${fields[1]}, answer: ${fields[2]}, ` +
      `takes: [${flags.map(quote).join(', ')}] },`
    )
  }
  const last = where.at(-1) as string
  if (!route.files) {
    const result = `${list?.reader ?? 'Promise'}<${answer}>`
    const kind = list?.reader.toLowerCase() ?? (answer === 'void' ? 'nothing' : 'value')
    // The feed itself says how long to wait.
    const asked = list?.reader === 'Feed' ? `Omit<${queryType}, 'wait'>` : queryType
    return { methods: [write(last, ask(asked), result)], entries: [enter(last, kind)] }
  }
  const asked = (query as SchemaNode | undefined)?.properties ?? {}
  const formats = asked['format']?.enum
  const hasMore = Object.keys(asked).length > 1
  if (!formats?.includes('json')) throw new Error(`${operation} has files, but no format 'json'`)
  const files = formats.filter((format) => format !== 'json').map(quote)
  const asFile = `Omit<${queryType}, 'format' | 'cursor'> & { format: ${files.join(' | ')} }`
  const required = [`query: ${asFile}`]
  return {
    methods: [
      write(last, hasMore ? ask(`Omit<${queryType}, 'format'>`) : [], `Promise<${answer}>`),
      write(`${last}File`, required, 'Promise<BankFile>'),
    ],
    entries: [enter(last, 'value', hasMore), enter(`${last}File`, 'file')],
  }
}

/**
 * Resource and method: `resendWebhookDelivery` of `/admin/webhooks/…` is
 * `admin.webhooks.resendDelivery`. The first collection of the path is the resource. The method is
 * the operation without the resource, and without `get` or `list` where more than these is left.
 */
function findName({ operation, path }: Route): string[] {
  const words = path.slice(root.length).split('/')
  const isAdmin = words[0] === 'admin'
  const resource = (words[isAdmin ? 1 : 0] as string).replace(/-(\w)/g, (_, letter: string) =>
    letter.toUpperCase(),
  )
  const plural = resource.charAt(0).toUpperCase() + resource.slice(1)
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '')
  const own = operation.replace(new RegExp(`^([a-z]+)(?:${plural}|${singular})`), '$1')
  const method = own.replace(/^(?:get|list)([A-Z])/, (_, letter: string) => letter.toLowerCase())
  return [...(isAdmin ? ['admin'] : []), resource, method]
}

type Tree = { [name: string]: Tree | string }

function toTree(operations: readonly Operation[]): Tree {
  const tree: Tree = {}
  for (const { path, text } of operations.flatMap(({ methods }) => methods)) {
    const parent = path.slice(0, -1).reduce((node, name) => (node[name] ??= {}) as Tree, tree)
    const name = path.at(-1) as string
    if (parent[name] !== undefined) throw new Error(`Two operations are named ${path.join('.')}`)
    parent[name] = text
  }
  return tree
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ')

function writeTree(tree: Tree): string {
  const members = Object.entries(tree).map(([name, node]) =>
    typeof node === 'string' ? node : `${name}: ${writeTree(node)}`,
  )
  return `{\n${members.map((member) => `${indent(member)}\n`).join('')}}`
}

/** What reads a list or a feed, which is told by the keys of its reply; and the type of an item. */
function findItems({ properties = {} }: SchemaNode, types: Map<string, string>) {
  const reader = readers[Object.keys(properties).toSorted().join()]
  return (
    reader && { reader, item: toType(properties['items']?.items as SchemaNode, types, 'answer') }
  )
}

const readers: Readonly<Record<string, 'Pages' | 'Feed'>> = {
  'items,nextCursor': 'Pages',
  'items,nextAfter': 'Feed',
}

type Place = 'request' | 'answer'

/** The TypeScript type of a schema; one with a title is declared by that name. */
function toType(node: SchemaNode, types: Map<string, string>, place: Place): string {
  const { title, description } = node
  if (title === undefined) return toPlainType(node, types, place)
  const text = description === undefined ? '' : `/** ${description} */\n`
  const declared = `${text}export type ${title} = ${toPlainType(node, types, place)}\n`
  if ((types.get(title) ?? declared) !== declared) throw new Error(`Two types are named ${title}`)
  types.set(title, declared)
  return title
}

function toPlainType(node: SchemaNode, types: Map<string, string>, place: Place): string {
  const { type, enum: words, const: constant, anyOf, items, properties, required = [] } = node
  if (words) return words.map(quote).join(' | ')
  if (constant !== undefined) return quote(constant)
  if (anyOf) return anyOf.map((each) => toType(each, types, place)).join(' | ')
  if (type === 'array') {
    const item = toType(items as SchemaNode, types, place)
    return `readonly ${item.includes(' | ') ? `(${item})` : item}[]`
  }
  if (type === 'object') {
    const members = Object.entries(properties ?? {}).map(([name, property]) => {
      const isRequired = required.includes(name)
      // Undefined is left out of what is sent, so a caller may pass it.
      const absent = isRequired || place === 'answer' ? '' : ' | undefined'
      const own =
        name === 'limit' && place === 'request' ? 'number' : toType(property, types, place)
      const note = property.title === undefined && property.description
      const about = note ? `/** ${note} */\n` : ''
      return `${about}${name}${isRequired ? '' : '?'}: ${own}${absent}`
    })
    return members.length > 0 ? `{\n${members.map((each) => `${indent(each)}\n`).join('')}}` : '{}'
  }
  const plain = { string: 'string', integer: 'number', boolean: 'boolean', null: 'null' }[
    type ?? ''
  ]
  if (plain === undefined) throw new Error(`No type is known for ${JSON.stringify(node)}`)
  return plain
}
