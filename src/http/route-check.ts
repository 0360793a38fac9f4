// Checks of a route when it is declared. Each error names the route and the place in it.
import type { TObject, TSchema } from '../domain/type.ts'
import { defaultLimits, type LimitClass } from '../config/config.ts'
import { type MemberRight, memberRights } from '../gate/members.ts'
import { owners } from '../gate/owners.ts'
import { type Access, findGrant, roles, type ServiceUse, serviceUses } from '../gate/roles.ts'
import { openKey, type SchemaNode, secretKey } from '../domain/schema.ts'
import { foreignKey, type Identifier, type Resource, resourceKey } from '../domain/ids.ts'
import { createExample } from './example.ts'

const parts = ['params', 'query', 'body'] as const

type Checked = {
  atStandby?: true
  method: string
  path: string
  operation: string
  access: Access
  service?: ServiceUse | undefined
  member?: MemberRight | undefined
  confirm?: unknown
  each?: string | undefined
  row?: unknown
  limit: LimitClass
  params?: TObject | undefined
  query?: TObject | undefined
  body?: TObject | undefined
  example?: unknown
  reply: Record<number, TSchema>
}

/** @returns the status of success */
export function checkRoute(definition: Checked): number {
  const refuseBoot = (problem: string): never => {
    throw new Error(`Route ${definition.method} ${definition.path}: ${problem}`)
  }
  const { access, limit, reply } = definition
  if (!/^[a-z]+([A-Z][a-z]*)*$/.test(definition.operation)) refuseBoot('no operation is named')
  if (access === undefined) refuseBoot('no access is declared')
  if (access !== 'public') {
    for (const [role, grant] of Object.entries(access)) {
      if (!(roles as readonly string[]).includes(role)) refuseBoot(`unknown role ${role}`)
      if (!['any', 'own', 'self'].includes(grant)) refuseBoot(`unknown grant ${grant}`)
    }
    if (!findGrant(access, roles)) refuseBoot('no role has access')
  }
  if (!Object.hasOwn(defaultLimits, limit)) refuseBoot(`unknown limit class ${limit}`)
  for (const part of parts) {
    const schema = definition[part] as SchemaNode | undefined
    if (schema) checkSchema(schema, part, (problem) => refuseBoot(problem))
  }
  checkPath(definition, refuseBoot)
  checkOwnership(definition, refuseBoot)
  checkService(definition, refuseBoot)
  checkMember(definition, refuseBoot)
  const isChange = access !== 'public' && definition.method !== 'GET'
  if (definition.confirm && !isChange) refuseBoot('only a change of a person is confirmed')
  const successes = Object.keys(reply).filter((status) => /^2\d\d$/.test(status))
  if (successes.length !== 1) refuseBoot('not exactly one 2xx reply')
  const success = Number.parseInt(successes[0] as string, 10)
  const isByStaff = isChange && Object.values(access).includes('any')
  const isNamed = findIdentifiers(definition).some(({ part }) => part !== 'body')
  // The ledger knows the target of each item.
  const hasTarget = isNamed || success === 201 || definition.each !== undefined
  if (isByStaff && !hasTarget) refuseBoot('its events in the trail have no target')
  checkReply(definition, reply[success] as SchemaNode, refuseBoot)
  checkExamples(definition, refuseBoot)
  return success
}

type Refuse = (problem: string) => never

function checkPath({ path, params, method, body, atStandby }: Checked, refuseBoot: Refuse) {
  const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string).toSorted()
  const declared = Object.keys(params?.properties ?? {}).toSorted()
  if (named.join() !== declared.join()) refuseBoot('path and params name different parameters')
  if (body && method === 'GET') refuseBoot('a GET has no body')
  if (atStandby && method !== 'GET') refuseBoot('only a read is made at a standby')
}

function checkOwnership(definition: Checked, refuseBoot: Refuse): void {
  const { access, service, row, method } = definition
  if (row) {
    const [named, ...more] = findIdentifiers(definition)
    const isOfOne = named?.part === 'params' && more.length === 0 && !owners[named.resource]?.within
    // With the grant `self` no owner is judged.
    const isJudged = access !== 'public' && !Object.values(access).includes('self')
    if (method !== 'GET' || !isJudged || !isOfOne) {
      refuseBoot('only a read of one resource by itself has a row')
    }
  }
  if (access === 'public') return
  const isOwn = Object.values(access).includes('own')
  // A service account that reads one customer's accounts is judged as `own` on every read.
  if (!isOwn && service !== 'read') return
  const identifiers = findIdentifiers(definition)
  if (isOwn && identifiers.length === 0) refuseBoot('access is own, but no identifier is named')
  for (const { resource } of identifiers) {
    if (!owners[resource]) refuseBoot(`no owner can be found for a ${resource}`)
  }
}

/** No grant of a service account reaches further than a role does on the same route. */
function checkService(definition: Checked, refuseBoot: Refuse): void {
  const { access, service, method } = definition
  if (service === undefined) return
  if (!serviceUses.includes(service)) refuseBoot(`unknown grant of service accounts ${service}`)
  if (access === 'public') return refuseBoot('a public route asks for no grant')
  if (service === 'read' && method !== 'GET') refuseBoot('a change is no read')
  if (service === 'operation' && !Object.values(access).includes('any')) {
    refuseBoot('an operation that staff do not have')
  }
  if (service === 'pay') {
    const [source] = findIdentifiers(definition)
    const isFromBody = source?.part === 'body' && source.keys.join('.') === 'fromAccountId'
    const holders: readonly string[] = ['account', 'order', 'payment list', 'transfer']
    const isInPath = source?.part === 'params' && holders.includes(source.resource)
    if (!(isFromBody || isInPath) || access.customer !== 'own')
      refuseBoot('a payment names its source first')
  }
}

/** What a member may reach: an account, and what lies in one and is no setting of it. */
const ofMembers: readonly Resource[] = [
  'account',
  'beneficiary',
  'hold',
  'order',
  'payee check',
  'payment draft',
  'payment list',
  'transaction',
  'transfer',
]
/** The owner's alone, whatever a route says: the last noun of its path. */
const ofOwner: readonly string[] = [
  'cards',
  'card-payments',
  'limits',
  'members',
  'notices',
  'settings',
  'signatures',
]
/** What of these a member reads: it decides what the member can pay. */
const readByMembers: readonly string[] = ['signatures']

/** A member never reaches further than the owner does, and changes nothing by seeing. */
function checkMember({ ...definition }: Checked, refuseBoot: Refuse): void {
  const { access, member, method, path } = definition
  if (member === undefined) return
  if (!memberRights.includes(member)) refuseBoot(`unknown right of members ${member}`)
  const isOwn = access !== 'public' && access.customer === 'own'
  if (!isOwn) refuseBoot("members reach only what is a customer's own")
  if (member === 'view' && method !== 'GET') refuseBoot('a member changes nothing by seeing')
  const identifiers = findIdentifiers(definition)
  const other = identifiers.find(({ resource }) => !ofMembers.includes(resource))
  if (other) refuseBoot(`no member reaches a ${other.resource}`)
  if (!identifiers.some(isOfAccount)) refuseBoot('members reach what lies in an account')
  const noun = path.split('/').find((part) => ofOwner.includes(part))
  const isRead = noun !== undefined && method === 'GET' && readByMembers.includes(noun)
  if (noun && !isRead) refuseBoot(`${noun} are the owner's alone`)
  const isAccountItself = path.endsWith('/accounts/:accountId')
  if (isAccountItself && method !== 'GET') refuseBoot("the account itself is the owner's alone")
}

const isOfAccount = ({ part, resource }: Identifier): boolean =>
  resource !== 'payee check' && (part !== 'query' || resource === 'account')

/** A list replies with a page and takes the capped `limit`. */
function checkReply(definition: Checked, reply: SchemaNode, refuseBoot: Refuse): void {
  const isList = reply.type === 'array' || reply.properties?.['items'] !== undefined
  if (reply.type === 'array') refuseBoot('a list replies with items and nextCursor')
  if (isList && definition.query?.properties['limit'] === undefined) {
    refuseBoot('a list without the capped limit')
  }
  checkSchema(reply, 'reply', refuseBoot, false)
}

/**
 * The API reference shows an example of each request and answer. One of an optional parameter would
 * be sent by accident.
 */
function checkExamples({ params, query, body, example, reply }: Checked, refuseBoot: Refuse): void {
  const shown = [
    ['params', params],
    ['query', query?.required?.length ? query : undefined],
    ['body', example === undefined ? body : undefined],
    ...Object.values(reply).map((schema) => ['reply', schema] as const),
  ] as const
  for (const [at, schema] of shown) {
    if (schema) createExample(schema, at, (place) => refuseBoot(`${place} has no example`))
  }
}

const idLike = /(^id|Id|_id)$/
const secretLike = /password|secret|token|code/i

/**
 * Requests are closed unless declared `open`, and bounded, and every id-like key in them names its
 * resource. What a body calls a secret is marked as one, or as none. Replies are closed without
 * exception: their schemas filter what is sent.
 */
function checkSchema(node: SchemaNode, at: string, refuseBoot: Refuse, isRequest = true): void {
  if (node.anyOf) {
    for (const option of node.anyOf) checkSchema(option, at, refuseBoot, isRequest)
    return
  }
  if (node.type === 'object') {
    const isDeclared = isRequest && node[openKey] === true
    if (node.additionalProperties !== false && !isDeclared) {
      refuseBoot(`${at} is open to unknown keys`)
    }
    for (const [key, value] of Object.entries(node.properties ?? {})) {
      if (isRequest && idLike.test(key) && !findResource(value) && !value[foreignKey]) {
        refuseBoot(`${at}.${key} is an identifier without a resource`)
      }
      if (at.startsWith('body') && secretLike.test(key) && findMark(value) === undefined) {
        refuseBoot(`${at}.${key} is a secret by its name, and has no ${secretKey}`)
      }
      checkSchema(value, `${at}.${key}`, refuseBoot, isRequest)
    }
  }
  if (node.type === 'array') {
    if (isRequest && !Number.isInteger(node.maxItems)) refuseBoot(`${at} has no bound`)
    if (node.items) checkSchema(node.items, `${at}[]`, refuseBoot, isRequest)
    // Its place could not be named by keys alone.
    if (isRequest && findSecrets(node).length > 0) refuseBoot(`${at} is a list with secrets`)
  }
  const isWord = node.enum !== undefined || node.const !== undefined
  if (isRequest && node.type === 'string' && !isWord) {
    if (!Number.isInteger(node.maxLength)) refuseBoot(`${at} has no bound`)
  }
  if (isRequest && (node.type === 'integer' || node.type === 'number')) {
    const bounds = [node.minimum, node.maximum]
    if (!bounds.every(Number.isFinite)) refuseBoot(`${at} has no bound`)
  }
}

const findResource = (node: SchemaNode): Resource | undefined =>
  node[resourceKey] ?? node.anyOf?.map(findResource).find((found) => found !== undefined)

const findMark = (node: SchemaNode): boolean | undefined =>
  node[secretKey] ?? node.anyOf?.map(findMark).find((found) => found !== undefined)

/** The places of secrets in a schema, each as the keys that lead there; of an item, its list. */
export function findSecrets(schema: TSchema | undefined): string[][] {
  const { properties = {}, items, anyOf = [], ...node } = (schema ?? {}) as SchemaNode
  if (node[secretKey]) return [[]]
  const below = Object.entries(properties).flatMap(([key, value]) =>
    findSecrets(value).map((keys) => [key, ...keys]),
  )
  return [...below, ...[items, ...anyOf].flatMap((each) => (each ? findSecrets(each) : []))]
}

/** Every tagged identifier of a route's requests, in the order path, query, body. */
export function findIdentifiers(
  definition: Pick<Checked, 'params' | 'query' | 'body'>,
): readonly Identifier[] {
  const collect = (part: Identifier['part'], node: SchemaNode, keys: string[]): Identifier[] => {
    const resource = findResource(node)
    if (resource) return [{ part, keys, resource }]
    return Object.entries(node.properties ?? {}).flatMap(([key, value]) =>
      collect(part, value, [...keys, key]),
    )
  }
  return parts.flatMap((part) => {
    const schema = definition[part] as SchemaNode | undefined
    return schema ? collect(part, schema, []) : []
  })
}
