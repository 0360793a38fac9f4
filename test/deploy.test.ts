// What deploys the service keeps what the documents promise, and has settings that it accepts.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../src/config/config.ts'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFile(path.join(root, file), 'utf8')

/** A composition with the values of `.env`. A variable that has none there must have a default. */
function substitute(text: string, values: Record<string, string>): string {
  return text
    .replaceAll(/^\s*#.*$/gm, '')
    .replaceAll(/\$\{(\w+)(:\?|:-([^}]*))?\}/g, (_, name, sign, standard) => {
      const value = values[name] ?? standard
      assert.ok(value !== undefined, `${name} is not given, and has no default`)
      assert.ok(!/PASSWORD/.test(name) || sign === ':?', `${name} is refused when it is not given`)
      return value
    })
}

const secrets = {
  POSTGRES_PASSWORD: '0a1b',
  BANK_OWNER_PASSWORD: '2c3d',
  BANK_SERVICE_PASSWORD: '4e5f',
  VALKEY_PASSWORD: '6a7b',
}
const composition = async () =>
  parse(substitute(await read('compose.yaml'), secrets), { merge: true })

test('compose.yaml asks for each password, and only the proxy has a port, on the loopback address', async () => {
  assert.throws(() => substitute('${POSTGRES_PASSWORD:?}', {}))
  const { services } = await composition()
  for (const [name, { ports }] of Object.entries<{ ports?: string[] }>(services)) {
    assert.deepEqual(ports, name === 'caddy' ? ['127.0.0.1:8443:8443'] : undefined)
  }
})

test('compose.yaml runs the service without rights, with settings that it accepts, and not as the owner of the schema', async () => {
  const { services } = await composition()
  for (const name of ['strongroom', 'migrate']) {
    const service = services[name]
    assert.equal(service.read_only, true)
    assert.deepEqual(service.cap_drop, ['ALL'])
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
    const config = readConfig(service.environment)
    assert.match(
      String(config.databaseUrl),
      name === 'migrate' ? /bank_owner:2c3d/ : /bank_service:4e5f/,
    )
  }
  assert.equal(services.strongroom.mem_limit, '512m')
})

test("compose.yaml shows the proxy the service's authority and nothing else of the bank's folder", async () => {
  const { services } = await composition()
  const { volumes, cap_drop, cap_add, security_opt } = services.caddy
  assert.deepEqual([cap_drop, cap_add], [['ALL'], ['NET_BIND_SERVICE']])
  assert.deepEqual(security_opt, ['no-new-privileges:true'])
  assert.deepEqual(volumes, [
    './deploy/compose/Caddyfile:/etc/caddy/Caddyfile:ro',
    'caddy:/data',
    'authority:/authority:ro',
  ])
  const { entrypoint, command, cap_drop: dropped, ...authority } = services.authority
  assert.deepEqual(dropped, ['ALL'])
  assert.deepEqual(authority.volumes, ['bank:/bank:ro', 'authority:/data'])
  const copy = [...entrypoint, ...command].join(' ')
  assert.equal(copy, 'install -m 0444 /bank/bank/tls/ca.pem /data/ca.pem')
  const caddyfile = await read('deploy/compose/Caddyfile')
  assert.match(caddyfile, /tls_trusted_ca_certs \/authority\/ca\.pem$/m)
})

/** The manifests by their kind, as a reader of that YAML takes them. */
async function manifests(version: '1.1' | '1.2') {
  const documents = parseAllDocuments(await read('deploy/kubernetes.yaml'), { version })
  const all = documents.map((each) => each.toJS())
  return Object.fromEntries(all.map((each) => [each.kind, each]))
}

test('the Kubernetes manifests are the same in YAML 1.1 and 1.2, and their modes are numbers', async () => {
  const found = await manifests('1.1')
  assert.deepEqual(found, await manifests('1.2'))
  for (const { secret } of found['Deployment'].spec.template.spec.volumes)
    if (secret) assert.equal(secret.defaultMode, 0o440)
})

test('the Kubernetes manifests keep one of two pods while nodes are drained, and close every way but the named ones', async () => {
  const { Deployment, PodDisruptionBudget, NetworkPolicy } = await manifests('1.1')
  const { replicas, selector, template } = Deployment.spec
  assert.deepEqual(template.metadata.labels, selector.matchLabels)
  assert.deepEqual(PodDisruptionBudget.spec.selector, selector)
  assert.ok(PodDisruptionBudget.spec.maxUnavailable < replicas)
  const { podSelector, policyTypes, ingress, egress } = NetworkPolicy.spec
  assert.deepEqual(podSelector, selector)
  assert.deepEqual(policyTypes, ['Ingress', 'Egress'])
  const [{ containerPort }] = template.spec.containers[0].ports
  assert.deepEqual(
    ingress.map(({ from, ports }: Record<string, unknown[]>) => [from?.length, ports]),
    [[1, [{ port: containerPort }]]],
  )
  for (const { to, ports } of egress) assert.ok(to.length > 0 && ports.length > 0)
})

test('the Kubernetes manifest drops every right, probes readiness, and has settings that the service accepts', async (t) => {
  const { spec } = (await manifests('1.2')).Deployment.spec.template
  const [container] = spec.containers
  assert.equal(spec.enableServiceLinks, false)
  assert.equal(spec.automountServiceAccountToken, false)
  assert.equal(spec.securityContext.runAsNonRoot, true)
  assert.deepEqual(container.securityContext, {
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  })
  for (const probe of ['startupProbe', 'readinessProbe'])
    assert.equal(container[probe].httpGet.path, '/readyz')
  assert.equal(container.livenessProbe.httpGet.path, '/healthz')

  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-deploy-'))
  t.after(() => rm(folder, { recursive: true }))
  const held = {
    'admin-password': 'a quiet heron by the weir',
    'database-url': 'postgres://bank_service:4e5f@db.example/bank?sslmode=verify-full',
    'redis-url': 'rediss://:6a7b@limits.example:6379/0',
  }
  const { secret } = spec.volumes.find(({ name }: { name: string }) => name === 'secrets')
  for (const [name, text] of Object.entries(held))
    await writeFile(path.join(folder, name), text, { mode: secret.defaultMode })
  const listed = container.env.map(({ name, value }: Record<'name' | 'value', string>) => [
    name,
    value.replace('/secrets', folder),
  ])
  const config = readConfig(Object.fromEntries(listed))
  assert.equal(config.databaseUrl, held['database-url'])
  // A generated one would be in a folder that ends with its pod.
  assert.equal(config.adminPassword, held['admin-password'])
  // A Service of that name would add this one.
  assert.throws(() => readConfig({ STRONGROOM_PORT: 'tcp://10.0.0.1:443' }))
})

test('every action of the workflows is pinned by its commit, and no workflow may write by default', async () => {
  const folder = '.github/workflows'
  for (const file of await readdir(path.join(root, folder))) {
    const text = await read(path.join(folder, file))
    for (const [, used] of text.matchAll(/uses: (.+)/g))
      assert.match(String(used), /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v[\d.]+$/)
    assert.deepEqual(parse(text).permissions, { contents: 'read' })
  }
})

test('nothing is published of a tag that the build of the packages refuses', async () => {
  const { jobs } = parse(await read('.github/workflows/release.yml'))
  const [packages, ...others] = Object.keys(jobs)
  for (const name of others) assert.equal(jobs[name].needs, packages, name)
})

const installed = (t: TestContext, program: string, argument: string): boolean => {
  const isThere = spawnSync(program, [argument]).status === 0
  if (!isThere) t.skip(`${program} is not installed`)
  return isThere
}

test('Caddy accepts its configuration', async (t) => {
  if (!installed(t, 'caddy', 'version')) return
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-caddy-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(root, 'deploy/compose/Caddyfile')
  const env = { ...process.env, HOME: folder, STRONGROOM_PUBLIC_URL: 'https://localhost:8443' }
  await execute('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile'], { env })
})

test('each way to start the service gives Node the same options, and the benchmark measures these', async () => {
  const places = [
    ['package.json', /"start": "exec node (.*) bin\/strongroom\.js serve"/],
    ['package.json', /"strongroom": "exec node (.*) bin\/strongroom\.js"/],
    ['deploy/strongroom.service', /^ExecStart=\S+\/node (.*) bin\/strongroom\.js serve$/m],
    ['deploy/image/strongroom', /^exec node (.*) \/opt\/strongroom\/dist\/bin\/strongroom\.js/m],
    ['docs/OPERATIONS.md', /\.bin\/node (.*) node_modules\/\.bin\/strongroom serve`/],
    ['bench/service.ts', /^const options = \['(.*)'\]$/m],
  ] as const
  for (const [place, pattern] of places) {
    const [, options] = pattern.exec(await read(place)) ?? []
    assert.equal(options, '--max-semi-space-size=32', place)
  }
})

/** The command line of a unit, with another folder of backups, and what would be run printed. */
async function commandOf(unit: string, folder: string, weekday = 1) {
  const text = await read(`deploy/${unit}.service`)
  const [, line = ''] = /^ExecStart=\/bin\/sh -c '(.+)'$/m.exec(text) ?? []
  const command = line
    .replaceAll('$$', '$')
    .replaceAll('%%', '%')
    .replaceAll('/backup', folder)
    .replaceAll('$(date +%u)', String(weekday))
    .replace('node_modules/.bin/node bin/strongroom.js', 'echo')
  return async () => (await execute('/bin/sh', ['-c', command])).stdout.trim()
}

test('the nightly proof is of what is new since the heads of the night before; on Sunday, in the first night, and behind older heads it is of all', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-nightly-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const run = await commandOf('strongroom-verify', folder)
  const first = await run()
  assert.match(first, /^verify --heads \S+\/heads-\d{4}-\d\d-\d\d$/)
  for (const day of ['2025-12-31', '2026-01-01']) {
    await writeFile(path.join(folder, `heads-${day}`), '')
  }
  // Left by a run that was killed.
  await writeFile(path.join(folder, 'heads-2026-01-02.part'), '')
  const since = `${first} --since ${folder}/heads-2026-01-01`
  assert.equal(await run(), since)
  await writeFile(path.join(folder, 'heads-2026-01-01'), '# from 2026-01-01T00:00:00.000Z\n')
  assert.equal(await run(), `${since} --only-new`)
  const onSunday = await commandOf('strongroom-verify', folder, 7)
  assert.equal(await onSunday(), since)
})

test('a second backup and a second proof of one day get names of their own, behind those of the first', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-nightly-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const [unit, option] of [
    ['strongroom-backup', 'backup '],
    ['strongroom-verify', 'verify --heads '],
  ] as const) {
    const run = await commandOf(unit, folder)
    const first = (await run()).replace(option, '')
    await writeFile(first, '')
    const [second = ''] = (await run()).replace(option, '').split(' ')
    assert.match(second.replace(first, ''), /^-\d{6}$/)
    assert.ok(second > first)
  }
})

test('no proxy gives up before the service has answered a request for events', async () => {
  // `wait` of `GET /events` is at most that.
  const waitSecondsMax = 25n
  const parts = Object.entries({
    'nginx.conf': [/proxy_read_timeout (\d+)s;/],
    'haproxy.cfg': [/^ {4}timeout client (\d+)s$/m, /^ {4}timeout server (\d+)s$/m],
    'compose/Caddyfile': [/response_header_timeout (\d+)s$/m],
  })
  for (const [file, patterns] of parts) {
    const text = await read(`deploy/${file}`)
    for (const pattern of patterns) {
      const seconds = BigInt(pattern.exec(text)?.[1] ?? 0)
      assert.ok(seconds >= waitSecondsMax + 5n, `${file}: ${pattern} ${seconds}`)
    }
  }
})
