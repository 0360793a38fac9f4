// The client as it is published: packed, installed in an empty project, compiled with every
// TypeScript in use, and run against a service that is killed under it. So is its command line.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { client, patiently } from '../../test/support/client.ts'
import { cloneTemplate, cluster } from '../../test/support/database.ts'
import { deposit, openAccount } from '../../test/support/fixture.ts'
import { wide } from '../../test/support/limits.ts'
import { password, people } from '../../test/support/people.ts'
import { freePort, type Program, run } from '../../test/support/program.ts'
import { clientWith } from '../../test/support/world.ts'

const execute = promisify(execFile)
const packageFolder = path.dirname(import.meta.dirname)
const root = path.dirname(packageFolder)
const modules = path.join(root, 'node_modules')

/** The project of a user of the client: nothing is in it but the tarball. */
let project = ''

before(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'strongroom-project-'))
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: packageFolder,
  })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }]
  const manifest = { name: 'project', private: true, type: 'module' }
  await writeFile(path.join(project, 'package.json'), JSON.stringify(manifest))
  await execute('npm', ['install', '--offline', `./${filename}`], { cwd: project })
  for (const file of ['types.ts', 'pay.ts']) {
    await cp(path.join(import.meta.dirname, 'consumer', file), path.join(project, file))
  }
})
after(() => rm(project, { recursive: true, force: true }))

test('the package has no dependency, and the version of the service', async () => {
  const read = async (file: string) =>
    JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  const lock = await read(path.join(project, 'package-lock.json'))
  const installed = Object.keys(lock['packages'] as object)
  assert.deepEqual(installed, ['', 'node_modules/@strongroom/client'])
  const own = await read(path.join(project, 'node_modules/@strongroom/client/package.json'))
  assert.equal(own['version'], (await read(path.join(root, 'package.json')))['version'])
  assert.equal(own['dependencies'], undefined)
  const code = await readFile(
    path.join(project, 'node_modules/@strongroom/client/dist/index.js'),
    'utf8',
  )
  assert.doesNotMatch(code, /^\s*import\b|\brequire\(|node:/m, 'it runs in a browser as well')
})

const strict = ['--strict', '--noUncheckedIndexedAccess', '--target', 'es2022']
const node = [...strict, '--module', 'nodenext', '--moduleResolution', 'nodenext']
const bundler = [...strict, '--module', 'esnext', '--moduleResolution', 'bundler']
const withoutDom = [
  '--lib',
  'es2022',
  '--typeRoots',
  path.join(modules, '@types'),
  '--types',
  'node',
]
const inBrowser = ['--lib', 'es2022,dom', '--exactOptionalPropertyTypes']

const compile = (typescript: string, args: readonly string[]) =>
  execute(process.execPath, [path.join(modules, typescript, 'bin/tsc'), ...args], { cwd: project })

for (const typescript of ['typescript5', 'typescript6', 'typescript']) {
  test(`its types hold for ${typescript}: errors narrow by code, and a wrong body does not compile`, async () => {
    const { stdout } = await compile(typescript, ['--version'])
    assert.match(stdout, new RegExp(`Version ${typescript.slice(10) || '7'}\\.`))
    const failed = (thrown: { stdout: string }) => assert.fail(thrown.stdout)
    await compile(typescript, [...node, ...withoutDom, '--noEmit', 'types.ts', 'pay.ts']).catch(
      failed,
    )
    await compile(typescript, [...bundler, ...inBrowser, '--noEmit', 'types.ts']).catch(failed)
  })
}

/** Runs `npx strongroom-client …` in the project, by the Node that runs this test. */
const useCommand = (args: readonly string[], input = '') => {
  const PATH = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter)
  const env = { ...process.env, PATH }
  const used = execute('npx', ['--offline', 'strongroom-client', ...args], { cwd: project, env })
  used.child.stdin?.end(input)
  return used
}

test('the package brings a command line that needs nothing but Node', async () => {
  const { stdout } = await useCommand(['--help'])
  assert.match(stdout, /^Usage: strongroom-client /)
  const folder = path.join(project, 'node_modules/@strongroom/client')
  const code = await readFile(path.join(folder, 'dist/cli.js'), 'utf8')
  const imported = [...code.matchAll(/^import\b.*\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/gm)]
  assert.ok(imported.length > 5)
  for (const [line] of imported) assert.match(line, /["']node:\w[\w/]*["']/)
  assert.doesNotMatch(code, /\brequire\(["']/)
  const { engines } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
    engines: { node: string }
  }
  // The first versions that let a program choose the authorities that it trusts.
  assert.equal(engines.node, '^22.19.0 || >=24.5.0')
})

test('its command line logs in to a bank, pays once and shows it', async (t) => {
  const { start, baseUrl, ca } = await serviceFor(t)
  await start()
  const [from = '', to = ''] = await openAccounts(baseUrl, ca)
  const kept = ['--folder', path.join(project, 'login')]
  const { username } = people.ada
  const login = ['login', '--url', baseUrl, '--ca', ca, '--username', username]
  await useCommand([...login, ...kept], `${password}\n`)
  const pay = ['transfer', '--from', from, '--to', to, '--amount', '2.50', '--key', 'rent', ...kept]
  const { stdout: first } = await useCommand(pay)
  assert.match(first, /^2\.50 EUR completed: transfer [0-9a-f-]{36}\n$/)
  assert.equal((await useCommand(pay)).stdout, first)
  const { stdout } = await useCommand(['accounts', '--json', ...kept])
  const accounts = JSON.parse(stdout) as { id: string; balance: string }[]
  const balances = new Map(accounts.map(({ id, balance }) => [id, balance]))
  assert.deepEqual([balances.get(from), balances.get(to)], ['997.50', '2.50'])
  await assert.rejects(useCommand(['accounts', '--folder', path.join(project, 'none')]), {
    code: 2,
    stderr: 'No login is kept here: run the command `login` first.\n',
  })
})

test('every payment happens exactly once, while the service is killed and started again three times', async (t) => {
  const { start, sql, baseUrl, ca } = await serviceFor(t)
  let service = await start()
  const [fromAccountId, toAccountId] = await openAccounts(baseUrl, ca)
  await compile('typescript', [...node, ...withoutDom, '--skipLibCheck', 'pay.ts'])
  const [count, killsAt] = [400, new Set([40, 150, 280])]
  const { username } = people.ada
  const accounts = { fromAccountId, toAccountId }
  const task = { baseUrl, username, password, ...accounts, count, atOnce: 16 }
  const program = spawn(process.execPath, ['pay.js', JSON.stringify(task)], {
    cwd: project,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => program.kill('SIGKILL'))
  const paid: string[] = []
  let last: { sum?: string; entries?: number; attempts?: number; replayed?: number } = {}
  for await (const line of createInterface(program.stdout)) {
    const said = JSON.parse(line) as typeof last & { paid?: string }
    if (said.paid === undefined) last = said
    else paid.push(said.paid)
    if (!killsAt.delete(paid.length)) continue
    service.child.kill('SIGKILL')
    await service.ended
    service = await start()
  }
  assert.equal(killsAt.size, 0)
  assert.equal(new Set(paid).size, count)
  t.diagnostic(`${last.attempts} attempts, ${last.replayed} answered again`)
  assert.ok((last.attempts as number) >= count + 3, 'a kill made nothing be repeated')
  assert.deepEqual([last.sum, last.entries], [`${count}.00`, count])
  const counted = await sql(
    `select count(*)::int as all, count(distinct reference)::int as different,
         count(distinct id) filter (where id = any($2))::int as answered
       from transfers where from_account_id = $1`,
    [fromAccountId, paid],
  )
  assert.deepEqual(counted, [{ all: count, different: count, answered: count }])
})

/** A service as a process of its own on a database of its own, which outlives it. */
async function serviceFor(t: TestContext) {
  const shared = await cluster()
  const { address, certified, stop } = await cloneTemplate(shared)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-killed-'))
  if (certified === undefined) await mkdir(path.join(folder, 'data'))
  else await cp(certified, path.join(folder, 'data'), { recursive: true })
  const { user, password: secret, database, host, port } = address
  const url = `postgres://${user}:${encodeURIComponent(secret)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  const httpsPort = String(await freePort())
  const settings = {
    DATABASE_URL: url,
    DATA_DIR: path.join(folder, 'data'),
    HTTPS_PORT: httpsPort,
    HTTP_PORT: String(await freePort()),
    METRICS_PORT: '0',
    LIMITS: wide,
  }
  const started: Program[] = []
  t.after(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGKILL')
      await ended
    }
    await stop()
    await shared.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    baseUrl: `https://localhost:${httpsPort}`,
    ca: path.join(folder, 'data/tls/ca.pem'),
    async start(): Promise<Program> {
      const program = run(['serve'], settings)
      started.push(program)
      await program.says(/Strongroom is ready|Log in/)
      return program
    },
    async sql(text: string, values: unknown[]) {
      const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
      await owner.connect()
      const { rows } = await owner.query<Record<string, unknown>>(text, values)
      await owner.end()
      return rows
    },
  }
}

/** Two accounts of Ada's, one with a thousand in it. */
async function openAccounts(baseUrl: string, ca: string): Promise<string[]> {
  const { send, close } = client(Number(new URL(baseUrl).port), await readFile(ca))
  const logIn = async ({ username }: { username: string }) => {
    const asked = { body: { username, password } }
    const reply = await patiently(() => send('POST', '/api/v1/auth/login', asked))
    return clientWith(send, reply.body.token as string)
  }
  const [ada, root] = [await logIn(people.ada), await logIn(people.root)]
  const [from, to] = [await openAccount(ada), await openAccount(ada)]
  await deposit(root, from, '1000.00')
  close()
  return [from, to]
}
