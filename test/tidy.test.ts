// The house keeps its own order: rooms, bans and sizes are tests, so the newest file cannot drop a
// convention that the oldest has.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findFallbacks } from './support/fallbacks.ts'
import { functionLines } from './support/function-lines.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const filesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`)
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** The service, and the parts of its command line that stand beside `src/`. */
const sources = ['src', 'demo', 'client/cli']
  .flatMap(filesIn)
  .filter((file) => !file.endsWith('.test.ts'))
const built = /^client\/dist\//
const everything = [
  'bin',
  'src',
  'test',
  'bench',
  'conformance',
  'demo',
  'portal',
  'client',
  'languages',
]
  .flatMap(filesIn)
  .filter((file) => !built.test(file))

/** What the service, a browser and a program of a customer run. */
const production = [...sources, ...['portal/src', 'client/src', 'languages'].flatMap(filesIn)]

/** Rooms of a folder: a file imports only from its own room and from rooms listed before it. */
const rooms = {
  src: [
    'domain',
    'config',
    'database',
    'telemetry',
    'gate',
    'audit',
    'ledger',
    'http',
    'features',
    'openapi',
    'app',
    'cli',
  ],
  'src/database': ['statements', 'connections', 'schema', 'background', 'embedded', 'move'],
  // The proof of the books trusts the rules alone, not what writes the rows.
  'src/ledger': ['rules', 'proof', 'archive', 'erasure', 'rows', 'batch'],
  'portal/src': ['state', 'texts', 'parts', 'calls', 'screens', 'pages'],
}

/** Imports to the right that are meant, each with its reason. At most three. */
const exceptions: Record<string, string> = {}

type Import = { from: string; to: string }

function readImports(file: string): Import[] {
  const text = read(file)
  const first = text.matchAll(/^(?:import|export) [^;]*?from '([^']+)'/gms)
  const late = text.matchAll(/\bimport\('([^']+)'\)/g)
  return [...first, ...late].map(([, to]) => ({
    from: file,
    to: to?.startsWith('.') ? path.join(path.dirname(file), to) : (to as string),
  }))
}

for (const [folder, listed] of Object.entries(rooms)) {
  const findRoom = (file: string): number =>
    listed.indexOf(path.relative(folder, file).split('/')[0] as string)

  test(`${folder}/ has only the rooms that are listed`, () => {
    const found = filesIn(folder).map((file) => path.relative(folder, file).split('/')[0])
    assert.deepEqual(new Set(found), new Set(listed))
  })

  test(`a file of ${folder}/ imports only from its own room and from rooms to its left, types and late imports included`, () => {
    const found = production
      .filter((file) => file.startsWith(`${folder}/`))
      .flatMap(readImports)
      .filter(({ to }) => to.startsWith(`${folder}/`))
      .filter(({ from, to }) => !exceptions[`${from} → ${to}`] && findRoom(to) > findRoom(from))
    assert.deepEqual(found, [])
  })
}

/** Each folder or file with all that it imports. */
function assertNoCircles(next: ReadonlyMap<string, Iterable<string>>): void {
  const done = new Set<string>()
  const visit = (at: string, path: readonly string[]): void => {
    assert.ok(!path.includes(at), [...path, at].join(' → '))
    if (done.has(at)) return
    for (const to of next.get(at) ?? []) visit(to, [...path, at])
    done.add(at)
  }
  for (const at of next.keys()) visit(at, [])
}

test('no file imports itself by way of others, types and late imports included', () => {
  assertNoCircles(new Map(production.map((file) => [file, readImports(file).map(({ to }) => to)])))
})

test('no capability imports itself by way of others', () => {
  const folderOf = (file: string) => /^src\/features\/[\w-]+(?=\/)/.exec(file)?.[0]
  const next = new Map<string, Set<string>>()
  for (const { from, to } of sources.flatMap(readImports)) {
    const [importer, imported] = [folderOf(from), folderOf(to)]
    if (!importer || !imported || importer === imported) continue
    next.set(importer, (next.get(importer) ?? new Set()).add(imported))
  }
  assert.ok(next.size > 5)
  assertNoCircles(next)
})

test('the typesetter knows no bank: it imports packages and simple things alone', () => {
  const paper = 'src/features/statements/paper/'
  for (const { from, to } of sources
    .filter((file) => file.startsWith(paper))
    .flatMap(readImports)) {
    if (from.endsWith('.test.ts')) continue
    assert.doesNotMatch(to, /^(src\/(?!domain\/|features\/statements\/paper\/)|languages)/, from)
  }
})

/** Files of a folder without those of its rooms and without tests; a number only falls. */
const flatFilesMax = 30
const longerFolders: Record<string, number> = { 'portal/src/screens/staff': 34, 'src/cli': 31 }
/** Texts have a file for each group of screens, under the same name in each language. */
const isOfTexts = (folder: string): boolean => /^languages\/\w+\/portal$/.test(folder)

test('a folder has at most 30 files, then it gets rooms', () => {
  const counts = new Map<string, number>()
  for (const file of production.filter((each) => !each.endsWith('.test.ts'))) {
    const folder = path.dirname(file)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  for (const [folder, count] of counts) {
    const most = longerFolders[folder] ?? flatFilesMax
    assert.ok(count <= most || isOfTexts(folder), `${folder} has ${count} files`)
  }
})

test('the conformance kit stands alone: it imports nothing but itself and Node', () => {
  for (const { from, to } of filesIn('conformance').flatMap(readImports)) {
    assert.match(to, /^(node:|conformance\/)/, `${from} imports ${to}`)
  }
})

/** What a folder beside `src/` imports: files and packages, or what begins with `…/` or `…:`. */
const neighbours: Record<string, readonly string[]> = {
  'client/src/': ['client/src/', 'src/domain/money.ts'],
  'client/cli/': [
    'node:',
    'commander',
    'client/cli/',
    'client/src/',
    'client/package.json',
    'src/domain/clock.ts',
    'src/domain/money.ts',
    'src/features/rail/return-codes.ts',
    'src/features/webhooks/payload.ts',
    'src/features/webhooks/signature.ts',
  ],
  // All but the languages' names are types.
  'languages/': [
    'languages/',
    'client/src/generated.ts',
    'src/domain/errors.ts',
    'src/domain/languages.ts',
    'src/features/mail/kinds.ts',
    'src/ledger/rules/internal-accounts.ts',
  ],
  'portal/src/': [
    'preact',
    'preact/hooks',
    'uqr',
    'client/src/generated.ts',
    'portal/src/',
    'languages/',
    'src/domain/',
    'src/gate/roles.ts',
  ],
  'demo/': [
    'node:',
    'demo/',
    ...rooms.src.slice(0, rooms.src.indexOf('openapi')).map((room) => `src/${room}/`),
  ],
}

for (const [folder, allowed] of Object.entries(neighbours)) {
  test(`a file in ${folder} imports only what is listed for it`, () => {
    const files = everything.filter((file) => file.startsWith(folder))
    const imports = files.filter((file) => !file.endsWith('.test.ts')).flatMap(readImports)
    assert.ok(imports.length > 3)
    for (const { from, to } of imports) {
      const isListed = allowed.some((each) =>
        /[/:]$/.test(each) ? to.startsWith(each) : to === each,
      )
      assert.ok(isListed, `${from} imports ${to}`)
    }
  })
}

test('of src/, only the command line imports the client and the demo', () => {
  const found = sources
    .flatMap(readImports)
    .filter(({ from, to }) => from.startsWith('src/') && /^(client|demo)\//.test(to))
  assert.ok(found.length > 2)
  for (const { from, to } of found) assert.match(from, /^src\/cli\//, `${from} imports ${to}`)
})

test('every listed exception is still there, and there are at most three', () => {
  const there = new Set(sources.flatMap(readImports).map(({ from, to }) => `${from} → ${to}`))
  for (const edge of Object.keys(exceptions)) assert.ok(there.has(edge), `${edge} is gone`)
  assert.ok(Object.keys(exceptions).length <= 3)
})

/** Who may import a package; everybody else does without. */
const homes: Record<string, RegExp> = {
  ioredis: /^src\/gate\/store\/redis-link\.ts$/,
  fastify:
    /^src\/(http\/(answer-log|body|context|\w+-response|mount|portal|server)|openapi\/page)\.ts$/,
  '@fastify/cors': /^src\/http\/server\.ts$/,
  pg: /^src\/(database|cli|gate\/provision|ledger\/proof\/verify)/,
  pdfkit: /^src\/features\/statements\/paper\/paper\.ts$/,
  fontkit: /^src\/features\/statements\/paper\/(faces|shaping|composed-glyphs)\.ts$/,
  'bidi-js': /^src\/features\/statements\/paper\/runs\.ts$/,
  jose: /^src\/(gate\/(token|signing-keys|provision)|features\/issuer\/client)\.ts$/,
  'openid-client': /^src\/features\/issuer\/(client|bounded-fetch)\.ts$/,
  '@node-rs/argon2': /^src\/features\/credentials\/passwords\.ts$/,
  ajv: /^src\/http\/validation\.ts$/,
  'prom-client': /^src\/(telemetry|http\/listeners)\/[\w-]*metrics[\w-]*\.ts$/,
  nodemailer: /^src\/features\/mail\/transport\.ts$/,
  typebox: /^src\/domain\/type\.ts$/,
}

test('a package is imported only in its home', () => {
  for (const { from, to } of sources.flatMap(readImports)) {
    const home = homes[to]
    if (home) assert.match(from, home, `${from} imports ${to}`)
  }
})

test('what tests draw has the seed of test/support/random.ts', () => {
  const importing = everything.flatMap(readImports).filter(({ to }) => to === 'fast-check')
  assert.deepEqual(
    importing.map(({ from }) => from),
    ['test/support/random.ts'],
  )
})

type Ban = { what: RegExp; why: string; home: RegExp }

/** They read a clock of the process, or compare clocks. */
const timeHomes = [
  'domain/clock',
  'database/\\w+/(clocks|commit|lane)',
  'database/embedded/\\w+',
  'gate/store/redis-\\w+',
]

const bans: Ban[] = [
  {
    what: /^import (?!type )[^']*'node:http'/m,
    why: 'http/node-http.ts has it without fetch, which makes a start longer',
    home: /^client\/|\.test\.ts$/,
  },
  {
    what: /process\.env/,
    why: 'settings come from config/config.ts',
    home: /^src\/config\/config\.ts$/,
  },
  {
    what: /Date\.now|new Date\(\)|performance\.now/,
    why: 'time comes from domain/clock.ts',
    home: new RegExp(`^src/(${timeHomes.join('|')})\\.ts$`),
  },
  {
    what: /^\s*[\w.?]+\.\w+ (\?\?|\|\||&&)?= (async )?(\([^()]*\) =>|\w+ =>|function\b)/,
    why: 'V8 makes a function that is assigned to a member in the old generation',
    // Once for each font.
    home: /^src\/features\/statements\/paper\/(shaping|composed-glyphs)\.ts$/,
  },
  { what: /Math\.random/, why: 'randomness comes from node:crypto', home: /^$/ },
  {
    what: /^\s.*\bRegExp\(/,
    why: 'a pattern is made when its file is loaded, never of input',
    // Made of lengths, of the paths of routes, or of other patterns.
    home: /^src\/(domain\/(bban|card-number)|http\/server|telemetry\/log|\S+-lists\/xml)\.ts$/,
  },
  {
    what: /\beval\(|\bFunction\(/,
    why: 'only the code of a row, made of its columns, is compiled from text',
    home: /^src\/database\/statements\/values\.ts$/,
  },
  { what: /select \*/i, why: 'name the columns', home: /^$/ },
  {
    what: /(?<!sql|fragment)`(select|insert into|update|delete from) [^`]*\$\{/i,
    why: 'statements are constants',
    // Beside the text of a migration, which takes no parameters.
    home: /^src\/database\/schema\/migrations\.ts$/,
  },
  {
    what: /parseFloat|toFixed|(?<![.\w])Number\(|[=(,?:&|] \+[\w(]|\(\+[\w(]/,
    why: 'no float holds money',
    home: /^src\/(?!ledger|features|domain\/money)|\/accept\.ts$/,
  },
  {
    what: /request\.url|originalUrl/,
    why: 'access belongs to the route, never to the address',
    home: /^src\/http\/(server|listeners\/(request-checks|listeners))\.ts$/,
  },
  {
    what: /\breply\.(code|header|send|redirect|status|raw)/,
    why: 'handlers return values',
    home: /^src\/(http\/(answer-log|context|\w+-response|mount|portal|server)|openapi\/page)\.ts$/,
  },
  {
    what: /\.runTransaction\(/,
    why: 'transaction() is called instead',
    home: /^src\/(database\/connections\/transaction|http\/effects)\.ts$/,
  },
  {
    what: /(refuse|Refusal)\('(unavailable|outcome_unknown|internal_error)'\)/,
    why: 'the log says why the service failed',
    home: /^$/,
  },
  { what: /console\./, why: 'events go to the log', home: /^$/ },
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

test('a test of the pages keeps its routes: one taken back can hang a request for good', () => {
  for (const file of filesIn('portal/test')) {
    assert.doesNotMatch(read(file), /\.unroute|\btimes: |[{,] times [},]|[{,] unroute\b/, file)
  }
})

test('a test of the pages waits for all answers by `untilRead`, and for a width by `resize`', () => {
  for (const file of filesIn('portal/test')) {
    assert.doesNotMatch(read(file), /(['"`])networkidle\1/, file)
    const isHome = file === 'portal/test/support.ts'
    if (!isHome) assert.doesNotMatch(read(file), /setViewportSize/, file)
  }
})

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

test('a loop without a condition says above it where it ends', () => {
  const endless = /\bfor \([^;]*;\s*;|\bwhile \(true\)/
  let seen = 0
  for (const file of sources.filter((source) => source.startsWith('src/'))) {
    const lines = read(file).split('\n')
    for (const [at, line] of lines.entries()) {
      if (!endless.test(line)) continue
      seen++
      assert.match(lines[at - 1] ?? '', /^\s*\/\/ Ends /, `${file}:${at + 1}`)
    }
  }
  assert.ok(seen > 15)
})

/** The texts of a language: one file, one text a line. And what a program writes. */
const uncounted = /^languages\/\w\w\/|^client\/src\/generated\.ts$/

test('statements of tests have names of tests, each its own: their files may share a process', () => {
  const names = everything
    .filter((file) => /^test\/|\.test\.ts$/.test(file))
    .flatMap((file) =>
      [...read(file).matchAll(/\bstatement\(\s*['`](\w+)/g)].map((match) => String(match[1])),
    )
  assert.ok(names.length > 5)
  for (const name of names) assert.match(name, /^test_/)
  assert.deepEqual(names, [...new Set(names)])
})

test('no line is longer than 100 columns, no file than 400 lines', () => {
  for (const file of everything.filter((each) => !uncounted.test(each))) {
    const lines = read(file).split('\n')
    // A test's name is a sentence and stays on one line, and so does what it sends.
    const isLong = (line: string) =>
      line.length > 100 &&
      !/^\s*(test|await t\.test)\(|^\s*(?:const \w+ = )?`|^\s*\/\^src/.test(line)
    assert.equal(lines.findIndex(isLong), -1, `${file}:${lines.findIndex(isLong) + 1} is too long`)
    const most = file.endsWith('.test.ts') ? 600 : 400
    assert.ok(lines.length <= most + 1, `${file} has ${lines.length} lines`)
  }
})

const functionLinesMax = 80
test(`no function has more than ${functionLinesMax} lines`, () => {
  // What a bank, its customers or its auditors run. A test and a measurement read top to bottom.
  const looked = [...production, ...filesIn('conformance').filter((file) => !/\/test\//.test(file))]
  const found = looked.flatMap((file) =>
    functionLines(file, read(file)).map(({ name, lines }) => [`${file} ${name}`, lines] as const),
  )
  assert.ok(found.length > 3000, `${found.length} functions were found`)
  assert.deepEqual(
    found.filter(([, lines]) => lines > functionLinesMax),
    [],
  )
})

/** A type's name says its thing: `ConfirmedTerms`, `DeliveryContent`. */
const bareWord = /\b(?:type|interface|class|function|const|as) (Told|Asked|Parts|Terms|Shown)\b/

test('no type, import or component is called by a word that many things share', () => {
  for (const file of everything) {
    const line = read(file)
      .split('\n')
      .findIndex((text) => bareWord.test(text) && !/^\s*(\/\/|\*|\/\*)/.test(text))
    assert.equal(line, -1, `${file}:${line + 1}`)
  }
})

/** Verbs and adjectives that say nothing in the file that imports them. */
const bareExports =
  'all|asked|bare|bind|bounded|confirmed|confirms|describe|explain|hold|instant|keep|leave|left|' +
  'mark|note|number|post|put|recorded|right|stored|tell|use|whole|within'
const bareExport = new RegExp(
  String.raw`^export (?:const|(?:async )?function) (?:${bareExports})\b`,
  'm',
)

test('no export is a word that says nothing where it is imported', () => {
  assert.deepEqual(
    production.filter((file) => bareExport.test(read(file))),
    [],
  )
})

test('a comment names its subject first, not what it is of', () => {
  assert.deepEqual(
    production.filter((file) => /(?:\/\/|\/\*\*) Of /.test(read(file))),
    [],
  )
})

/** Tables that may lack a word, each with what happens then. */
const lackingTables: Record<string, string> = {
  'portal/src/screens/staff/posting.tsx forms[typed.what as FormName]': 'a draft of an old page',
  'src/app/listen.ts reasons': 'codes of Node; another one is thrown as it is',
  'src/cli/backup-folder.ts reasons': 'codes of Node; another one has its own message',
  "src/cli/backup-folder.ts reasons[thrown.code ?? '']": 'the same',
  'src/database/embedded/embedded.ts hints': "PostgreSQL's log; another line gives no hint",
  'src/database/schema/judge-schema.ts spellings': 'names of types; another one stays as it is',
  'src/database/schema/judge-schema.ts spellings[name]': 'the same',
  'src/database/statements/rows.ts name as keyof typeof row': 'the names are those of the row',
  'src/database/statements/values.ts items': 'the driver writes the arrays of other types',
  'src/database/statements/values.ts readers': 'a statement with another type does not start',
  'src/domain/bban.ts rules': 'countries; another one has no check digits in its BBAN',
  'src/domain/iban.ts areas': 'countries',
  'src/domain/payee-name.ts letters': 'characters; another one stays as it is',
  'src/domain/payee-name.ts letters[letter]?.[reading]': 'the same',
  'src/domain/rail-text.ts likeness': 'characters',
  'src/features/statements/xml-elements.ts entities': 'characters',
  'src/http/listeners/request-checks.ts clientErrors': "codes of Node's parser; else 400",
  'src/http/static-response.ts types': 'endings of files; another one does not start',
  'src/http/validation.ts messages': 'keywords of JSON Schema; another one is not valid',
  'src/openapi/names.ts collections': 'a route in none of them does not start',
  'src/openapi/names.ts formats': 'patterns; another one is shown as it is',
  'src/telemetry/journal.ts priorities': 'digits of a level',
  'src/telemetry/journal.ts priorities[line.slice(\'{"level":\'.length, \'{"level":\'.length + 2)]':
    'what is no line of the log has none',
}

test('a closed word has no fallback: a table has every word of its type, and a new one does not compile', () => {
  const found = production
    .filter((file) => !/generated\.ts$|\.test\.ts$/.test(file))
    .flatMap((file) =>
      findFallbacks(file, read(file)).map((text) => `${file} ${text.replace(/\s+/g, ' ')}`),
    )
  assert.deepEqual(found.toSorted(), Object.keys(lackingTables).toSorted())
})

test('every source file opens with a sentence of why', () => {
  for (const file of sources) assert.match(read(file), /^\/\/ [A-Z`]/, file)
})

test('every file is reached: by an import, by a test, or as a way in', () => {
  const reached = new Set(everything.flatMap(readImports).map(({ to }) => to))
  const waysIn =
    /^(src\/cli\/[\w-]+|client\/cli\/main|client\/src\/index|portal\/src\/pages\/main)\.tsx?$/
  // The build of the portal makes a script of each, which a page loads by its name.
  const namedScripts = /^(portal\/src\/pages\/groups|languages\/\w+\/portal)\/[\w-]+\.ts$/
  for (const file of production) {
    const isKnown = [waysIn, namedScripts].some((each) => each.test(file))
    assert.ok(reached.has(file) || isKnown, `${file} is dead`)
  }
})
