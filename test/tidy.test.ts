// The house keeps its own order: floors, bans and sizes are tests, so the newest file cannot drop a
// convention that the oldest has.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const filesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`)
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

const sources = filesIn('src').filter((file) => !file.endsWith('.test.ts'))
const everything = ['src', 'test', 'bench', 'conformance'].flatMap(filesIn)

const features = [
  'auth',
  'accounts',
  'audit',
  'beneficiaries',
  'cards',
  'ledger',
  'mail',
  'system',
  'users',
]

/** Files of the top folder by floor; a new one has to be put on a floor here. */
const ground =
  /^src\/(address|address-pool|clock|config.*|cursor|deadline|errors|headers|iban|ids|json|log|markup|money|nearest|password-rules|people|period|phone|query|schema|times)\.ts$/
const shape = /^src\/(route|route-check|service|validation)\.ts$/
const roof =
  /^src\/(answers|answers-below|bodies|connections|context|documents|handshakes|main|malformed|routes|serve|server|start|transport|turns)\.ts$/
const wings = /^src\/(commands\/|(docs-page|metrics|openapi|tls|window-redis)[^/]*\.ts$)/

/** The floor a source file stands on (design: ground, data, gate, shape, features, roof). */
function floorOf(file: string): number {
  if (ground.test(file)) return 0
  if (file.startsWith('src/database/')) return 1
  if (file.startsWith('src/gate/')) return 2
  if (shape.test(file)) return 3
  if (features.some((feature) => file.startsWith(`src/${feature}/`))) return 4
  if (roof.test(file) || wings.test(file)) return 5
  throw new Error(`${file} stands on no floor; see test/tidy.test.ts`)
}

/** Imports across features or up a floor that are meant, each with its reason. */
const edges: Record<string, string> = {
  'src/tls.ts → src/database/unstartable.ts': 'the one error of an unusable installation',
  'src/tls-local.ts → src/database/unstartable.ts': 'the one error of an unusable installation',
  'src/database/owners.ts → src/ids.ts': 'names resources',
  'src/auth/routes.ts → src/mail/sql.ts': 'a changed password is told in its transaction',
  'src/auth/reset.ts → src/mail/sql.ts': 'a reset password is told in its transaction',
  'src/auth/reset-routes.ts → src/mail/sql.ts': 'a link is asked for by queueing its mail',
  'src/auth/end-all.ts → src/audit/sql.ts': 'the end of all sessions is recorded with it',
  'src/auth/first-admin.ts → src/audit/sql.ts': 'a new administrator is recorded with him',
  'src/ledger/post.ts → src/audit/sql.ts': 'a movement by staff is recorded in its transaction',
  'src/ledger/resolve.ts → src/audit/sql.ts': 'the event of a movement tells that it took effect',
  'src/ledger/target.ts → src/beneficiaries/sql.ts': 'a beneficiary says where its money goes',
  'src/ledger/post.ts → src/beneficiaries/sql.ts': 'a batch decides on beneficiaries as they stand',
  'src/users/change.ts → src/auth/reset-sql.ts': 'another e-mail address voids links and devices',
  'src/users/change.ts → src/mail/sql.ts': 'another e-mail address is told in its transaction',
  'src/users/invitation.ts → src/mail/sql.ts': 'an invitation is queued with its person',
}

type Import = { from: string; to: string; isTypeOnly: boolean }

function importsOf(file: string): Import[] {
  return [...read(file).matchAll(/^(?:import|export)( type)? [^;]*?from '([^']+)'/gms)].map(
    ([, type, to]) => ({
      from: file,
      to: to?.startsWith('.') ? path.join(path.dirname(file), to) : (to as string),
      isTypeOnly: type !== undefined,
    }),
  )
}

const featureOf = (file: string) => features.find((name) => file.startsWith(`src/${name}/`))

test('no file imports from a floor above its own, save types and the edges that are listed', () => {
  for (const { from, to, isTypeOnly } of sources.flatMap(importsOf)) {
    if (!to.startsWith('src/') || isTypeOnly || edges[`${from} → ${to}`]) continue
    assert.ok(floorOf(to) <= floorOf(from), `${from} imports ${to}, a floor above`)
  }
})

test("a feature imports another's data only, by an edge that is listed or its sql.ts", () => {
  for (const { from, to, isTypeOnly } of sources.flatMap(importsOf)) {
    const [own, other] = [featureOf(from), featureOf(to)]
    if (!own || !other || own === other || isTypeOnly || edges[`${from} → ${to}`]) continue
    assert.fail(`${from} imports ${to}: list the edge with its reason, or do without`)
  }
})

test('the conformance kit stands alone: it imports nothing but itself and Node', () => {
  for (const { from, to } of filesIn('conformance').flatMap(importsOf)) {
    assert.match(to, /^(node:|conformance\/)/, `${from} imports ${to}`)
  }
})

test('every listed edge is still there', () => {
  const there = new Set(sources.flatMap(importsOf).map(({ from, to }) => `${from} → ${to}`))
  for (const edge of Object.keys(edges)) assert.ok(there.has(edge), `${edge} is gone`)
})

/** Who may import a package; everybody else does without. */
const homes: Record<string, RegExp> = {
  ioredis: /^src\/window-redis-link\.ts$/,
  fastify: /^src\/(answers|answers-below|bodies|context|server|docs-page)\.ts$/,
  '@fastify/cors': /^src\/server\.ts$/,
  pg: /^src\/(database|commands|ledger\/verify)/,
  pdfkit: /^src\/ledger\/statement-pdf-paper\.ts$/,
  jose: /^src\/(gate\/token|database\/(provision|signing-keys))\.ts$/,
  '@node-rs/argon2': /^src\/auth\/passwords\.ts$/,
  ajv: /^src\/validation\.ts$/,
  'prom-client': /^src\/metrics[\w-]*\.ts$/,
  nodemailer: /^src\/mail\/transport\.ts$/,
}

test('a package is imported only in its home', () => {
  for (const { from, to } of sources.flatMap(importsOf)) {
    const home = homes[to]
    if (home) assert.match(from, home, `${from} imports ${to}`)
  }
})

type Ban = { what: RegExp; why: string; home: RegExp }

const bans: Ban[] = [
  { what: /process\.env/, why: 'settings come from config.ts', home: /^src\/config\.ts$/ },
  {
    what: /Date\.now|new Date\(\)|performance\.now/,
    why: 'time comes from clock.ts',
    home: /^src\/(clock|database\/(clocks|connect|embedded.*)|window-redis.*)\.ts$/,
  },
  { what: /Math\.random/, why: 'randomness comes from node:crypto', home: /^$/ },
  { what: /select \*/i, why: 'name the columns', home: /^$/ },
  {
    what: /`(select|insert into|update|delete from) [^`]*\$\{/i,
    why: 'statements are constants',
    home: /^$/,
  },
  { what: /parseFloat|toFixed/, why: 'no float holds money', home: /^$/ },
  { what: /(?<![.\w])Number\(/, why: 'no float holds money', home: /^src\/config-\w+\.ts$/ },
  {
    what: /request\.url|originalUrl/,
    why: 'access belongs to the route, never to the address',
    home: /^src\/(answers|malformed|server|transport)\.ts$/,
  },
  {
    what: /\breply\.(code|header|send|redirect|status|raw)/,
    why: 'handlers return values',
    home: /^src\/(answers|context|docs-page|server)\.ts$/,
  },
  { what: /console\./, why: 'events go to the log', home: /-trial\.ts$/ },
  { what: /: any\b|<any>|as any\b/, why: 'types say what is there', home: /^$/ },
]

for (const { what, why, home } of bans) {
  test(`no ${what.source} outside its home: ${why}`, () => {
    for (const file of sources.filter((source) => !home.test(source))) {
      const line = read(file)
        .split('\n')
        .findIndex((text) => what.test(text) && !/^\s*(\/\/|\*|\/\*)/.test(text))
      assert.equal(line, -1, `${file}:${line + 1}`)
    }
  })
}

/** From the opening bracket at that place to the one that closes it. */
function bracketed(text: string, from: number): string {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return text.slice(from, at)
  }
  return text.slice(from)
}

test('the work of a transaction uses its own connection, not the database around it', () => {
  let seen = 0
  for (const file of sources) {
    const text = read(file)
    for (const { 0: call, 1: outer, index } of text.matchAll(/\btransaction\((\w+), (?=.*=>)/g)) {
      seen++
      const work = bracketed(text, index + 'transaction'.length).slice(call.length)
      assert.doesNotMatch(work, new RegExp(`\\b${outer}\\b`), `${file}: ${call}`)
    }
  }
  assert.ok(seen > 15)
})

test('no line is longer than 100 columns, no file than 300 lines', () => {
  for (const file of everything) {
    const lines = read(file).split('\n')
    // A test's name is a sentence and stays on one line, and so does what it sends.
    const isLong = (line: string) =>
      line.length > 100 &&
      !/^\s*(test|await t\.test)\(|^\s*(?:const \w+ = )?`|^\s*\/\^src/.test(line)
    assert.equal(lines.findIndex(isLong), -1, `${file}:${lines.findIndex(isLong) + 1} is too long`)
    const most = file.endsWith('.test.ts') ? 600 : 300
    assert.ok(lines.length <= most + 1, `${file} has ${lines.length} lines`)
  }
})

test('every source file opens with a sentence of why', () => {
  for (const file of sources) assert.match(read(file), /^\/\/ [A-Z`]/, file)
})

test('every file is reached: by an import, by a test, or as a way in', () => {
  const reached = new Set(everything.flatMap(importsOf).map(({ to }) => to))
  const waysIn = /^src\/(main|commands\/[\w-]+)\.ts$/
  for (const file of sources) {
    assert.ok(reached.has(file) || waysIn.test(file) || isImportedLate(file), `${file} is dead`)
  }
})

const isImportedLate = (file: string): boolean =>
  read('src/main.ts').includes(`import('${file.replace('src/', './')}')`)
