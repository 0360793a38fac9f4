// The documents are true: generated parts agree with the code, links resolve, and every request
// shown is one that the service has.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { generatedDocuments } from '../src/cli/documents.ts'
import { fillRegions, grantText } from '../src/openapi/markdown.ts'
import { codes } from '../src/domain/errors.ts'
import { roles } from '../src/gate/roles.ts'
import { withoutMarkup } from '../src/http/error-response.ts'
import { openApiDocument } from '../src/openapi/document.ts'
import type { Route } from '../src/http/route.ts'
import { routes } from '../src/features/routes.ts'
import { world } from './support/world.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const exists = (file: string): boolean => existsSync(path.join(root, file))

for (const [file, content] of Object.entries(generatedDocuments())) {
  test(`${file} is what the code says`, () => {
    const isCurrent = exists(file) && read(file) === content
    assert.ok(
      isCurrent,
      `${file} is not current: run \`npm run documents\` and commit what it wrote`,
    )
  })
}

test('every setting, code, route and grant is in its document', () => {
  const documents = generatedDocuments()
  const errors = documents['docs/ERRORS.md'] ?? ''
  for (const code of codes) assert.ok(errors.includes(`\`${code}\``), code)
  const configuration = documents['docs/CONFIGURATION.md'] ?? ''
  assert.match(configuration, /`STRONGROOM_DATA_DIR` \| `\.\/data`/)
  const rows = (documents['docs/PERMISSIONS.md'] ?? '')
    .split('\n')
    .map((row) => row.trim().replaceAll(/ +/g, ' '))
  for (const { method, path: at, access, member, service, operation, limit } of routes) {
    const granted = roles.map((role) =>
      access === 'public' ? access : grantText(access[role], member),
    )
    const named = { read: 'readAccounts', pay: 'payFrom', operation }
    const program = service === undefined ? '–' : named[service]
    const grants = access === 'public' ? [access, access] : [granted.join('/'), program]
    const row = [method, at.replace(/:(\w+)/g, '{$1}'), ...grants, limit].join(' ')
    assert.ok(rows.includes(row), row)
  }
})

test('a document without a region, or with an unknown one, is refused', () => {
  const regions = { one: '| new |' }
  const text = 'Prose.\n<!-- generated: one -->\nold\n<!-- /generated -->\nMore.\n'
  const filled = 'Prose.\n<!-- generated: one -->\n\n| new |\n\n<!-- /generated -->\nMore.\n'
  assert.equal(fillRegions(text, regions), filled)
  assert.equal(fillRegions(filled, regions), filled)
  for (const wrong of ['Prose.\n', text + text, text.replace(': one', ': two')]) {
    assert.throws(() => fillRegions(wrong, regions), /^Error: The document has the regions/)
  }
})

test('every error code is used by the service', () => {
  const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'domain/errors.ts',
    )
    .filter((file) => !file.startsWith('openapi'))
    .map((file) => read(`src/${file}`))
    .join('\n')
  const unused = codes.filter((code) => !sources.includes(`'${code}'`))
  assert.deepEqual(unused, [])
})

const top = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
const markdown = top.concat(
  readdirSync(path.join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
)

/** As `wc -w` counts them. A document that grows is paid for by another one, or by itself. */
const wordsMax = 40_000

test(`the documents have at most ${wordsMax} words in all`, () => {
  const counts = markdown.map((file) => [file, read(file).match(/\S+/g)?.length ?? 0] as const)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const longest = counts.toSorted(([, one], [, other]) => other - one).slice(0, 3)
  assert.ok(total <= wordsMax, `${total} words; most are in ${longest.join('; ')}`)
})

/** Targets of inline links within the repository. */
const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z]+:/i.test(target))

/** The anchors of a document's headings, as GitHub forms them. */
const anchorsIn = (text: string): string[] =>
  [...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

for (const file of markdown) {
  test(`every link of ${file} leads to a file, and to a heading that is there`, () => {
    for (const link of linksIn(read(file))) {
      const [target = '', anchor] = link.split('#')
      const leads = target === '' ? file : path.join(path.dirname(file), target)
      assert.ok(exists(leads), `${file} links to ${link}`)
      if (anchor === undefined || !leads.endsWith('.md')) continue
      assert.ok(anchorsIn(read(leads)).includes(anchor), `${file} links to ${link}`)
    }
  })
}

type Call = { method: string; path: string }

/**
 * The requests of the curl commands in a text, continued lines and variables for a URL included.
 */
function callsIn(text: string): Call[] {
  const assigned = text.matchAll(/^\s*(?:export )?(\w+)=['"]?https?:\/\/[^\s'"/]+([^\s'"]*)/gm)
  const bases = new Map([...assigned].map(([, name, base]) => [name, base]))
  const commands = text.replaceAll(/\\\n\s*/g, ' ').match(/^.*\bcurl\b.*$/gm) ?? []
  return commands.flatMap((command) => {
    const found = /(?:https?:\/\/[^\s'"/]+|\$\{?(\w+)\}?)(\/[^\s'"?#`)]*)/.exec(command)
    if (!found) return []
    const [, variable, rest = ''] = found
    const method = /(?:-X|--request)[ =]?(\w+)/.exec(command)?.[1]
    const hasBody = /\s(?:-d|--data(?:-\w+)?|--json)\b/.test(command)
    const requested = (bases.get(variable) ?? '') + rest
    return [{ method: method ?? (hasBody ? 'POST' : 'GET'), path: requested }]
  })
}

/** Paths of the server that are not routes. */
const pathsWithoutRoute = ['/openapi.json', '/docs', '/metrics']

function hasRoute({ method, path: requested }: Call, list: readonly Route[]): boolean {
  if (method === 'GET' && pathsWithoutRoute.includes(requested)) return true
  const full = /^\/(accounts|transfers|beneficiaries|cards)\b/.test(requested)
    ? `/api/v1${requested}`
    : requested
  return list.some((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`)
    return route.method === method && pattern.test(full)
  })
}

test('the documents show only requests that the service has', () => {
  assert.ok(callsIn(read('docs/TOUR.md')).length > 20, 'the tour has requests')
  for (const file of markdown) {
    for (const call of callsIn(read(file))) {
      assert.ok(hasRoute(call, routes), `${file}: ${call.method} ${call.path}`)
    }
  }
})

test('callsIn() understands the usual forms of a curl command', () => {
  const text = [
    'curl --cacert ./data/tls/ca.pem https://localhost:8443/api/v1/auth/login \\',
    `  -H 'content-type: application/json' -d '{"username":"admin"}'`,
    'curl -s "$API/accounts/$ID/details?x=1" -H "authorization: Bearer $TOKEN"',
    'curl -X DELETE ${API}/api/v1/auth/sessions/<id> -i',
    'Then curl shows it.',
    'bank=https://localhost:8443/api/v1',
    `token=$(curl -s $bank/auth/login -d '{')`,
  ].join('\n')
  assert.deepEqual(callsIn(text), [
    { method: 'POST', path: '/api/v1/auth/login' },
    { method: 'GET', path: '/accounts/$ID/details' },
    { method: 'DELETE', path: '/api/v1/auth/sessions/<id>' },
    { method: 'POST', path: '/api/v1/auth/login' },
  ])
  for (const call of callsIn(text)) assert.ok(hasRoute(call, routes), call.path)
  assert.ok(!hasRoute({ method: 'GET', path: '/api/v1/auth/login' }, routes))
  assert.ok(!hasRoute({ method: 'GET', path: '/api/v1/nothing' }, routes))
})

test('GET /openapi.json serves the document to any client, under the limit class docs', async (t) => {
  const settings = { LIMITS: '{"docs":{"burst":"3/1s"}}' }
  const { send } = await world(t, { settings })
  const reply = await send('GET', '/openapi.json')
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(reply.headers['x-content-type-options'], 'nosniff')
  assert.equal(reply.text, withoutMarkup(JSON.stringify(openApiDocument(routes))))
  assert.doesNotMatch(reply.text, /[<>&]/)
  assert.deepEqual((await send('HEAD', '/openapi.json')).status, 200)
  assert.equal((await send('GET', '/openapi.json?format=yaml')).status, 400)
  const limited = await send('GET', '/openapi.json')
  assert.equal(limited.status, 429)
  assert.equal(limited.headers['retry-after'], '1')
})
