// What is made beside the database: it answers nothing and writes nothing before its time.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access, mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { readConfig } from '../config/config.ts'
import { systemClock } from '../domain/clock.ts'
import { createLog } from '../telemetry/log.ts'
import { layGround, reportStandbys } from './start.ts'

const standIn = new URL('../../test/support/portal/', import.meta.url)

async function partsFor(t: TestContext) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'strongroom-ground-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const config = readConfig({ STRONGROOM_DATA_DIR: dataDir, STRONGROOM_HTTPS_PORT: '0' })
  const logged: string[] = []
  const log = createLog('info', (line) => void logged.push(line))
  return { config, logged, parts: { clock: systemClock(), log, portal: standIn } }
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

test('a route that is mounted answers with 500 until there is what answers it', async (t) => {
  const { config, logged, parts } = await partsFor(t)
  const { mounted, reserved } = await layGround(config, parts)
  t.after(() => Promise.all([mounted.app.close(), reserved?.release()]))
  for (const url of ['/healthz', '/readyz', '/api/v1/accounts', '/portal/', '/nothing']) {
    const { statusCode, body } = await mounted.app.inject({ url })
    assert.equal(statusCode, 500, `${url}: ${body}`)
  }
  assert.equal(logged.filter((line) => line.includes('at answers (')).length, 5)
})

test('neither the certificate is written nor a route mounted before its time, and the end releases the port', async (t) => {
  const { config, parts } = await partsFor(t)
  const { mock } = t.mock.method(net.Server.prototype, 'listen')
  const folder = Promise.withResolvers<void>()
  const judging = Promise.withResolvers<void>()
  const authority = path.join(config.dataDir, 'tls/ca.pem')
  let reads = 0
  const portal = {
    get href() {
      reads++
      return standIn.href
    },
    toString: () => (reads++, standIn.href),
  } as unknown as URL
  const more = { folder: folder.promise, judging: judging.promise, portal }
  const laid = layGround(config, { ...parts, ...more })
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.deepEqual([reads, await isThere(authority)], [0, false])
  folder.resolve()
  while (!(await isThere(authority))) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(reads, 0)
  judging.resolve()
  const { reserved } = await laid
  assert.ok(reads > 0)

  await reserved?.release()
  const over = new Error('over')
  const refused = Promise.reject<void>(over)
  await assert.rejects(layGround(config, { ...parts, judging: refused }), over)
  const servers = mock.calls.map((call) => call.this as net.Server)
  assert.deepEqual(
    servers.map(({ listening }) => listening),
    [false, false],
  )
})

/** As a program of its own: other tests of this process load more. */
const begin = `
  import { createRequire } from 'node:module'
    const [start, config, clock, log] = await Promise.all(
    ['app/start', 'config/config', 'domain/clock', 'telemetry/log'].map(
      (name) => import(\`\${process.env.SOURCES}\${name}.ts\`)),
  )
  const parts = { clock: clock.systemClock(), log: log.createLog('info', () => {}) }
  const portal = new URL(process.env.PORTAL)
  const { reserved } = await start.layGround(config.readConfig(process.env), { ...parts, portal })
  await reserved.release()
  const files = Object.keys(createRequire(import.meta.url).cache)
  console.log(JSON.stringify({ files, own: process.moduleLoadList }))`

test('a start loads neither compilers of the framework nor fetch nor a parser of XML', async (t) => {
  const { config } = await partsFor(t)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', begin],
    {
      env: {
        STRONGROOM_DATA_DIR: config.dataDir,
        STRONGROOM_HTTPS_PORT: '0',
        SOURCES: new URL('..', import.meta.url).href,
        PORTAL: standIn.href,
      },
      maxBuffer: 2 ** 24,
    },
  )
  const { files, own } = JSON.parse(stdout) as Record<'files' | 'own', string[]>
  assert.ok(files.some((file) => file.includes('/fastify/')))
  const unused = /node_modules\/(@fastify\/(ajv|fast-json-stringify)-compiler|fast-xml-parser)\//
  assert.deepEqual(
    files.filter((file) => unused.test(file)),
    [],
  )
  assert.deepEqual(
    own.filter((name) => name.includes('undici')),
    [],
  )
})

test('operators are told when a standby is missed and when it is back, of writes and of reads', () => {
  const logged: string[] = []
  const log = createLog('info', (line) => void logged.push(line))
  const told = () =>
    logged.splice(0).map((line) => {
      const { level, message, because } = JSON.parse(line) as Record<string, unknown>
      return [level, message, because]
    })
  let write = (_isAway: boolean): void => assert.fail('nothing listens')
  let read = (_because: string | undefined): void => assert.fail('nothing listens')
  const standby = { onChange: (listener: typeof write) => void (write = listener) }
  const readStandby = { onChange: (listener: typeof read) => void (read = listener) }
  reportStandbys({ standby, readStandby } as never, log)
  for (let turn = 0; turn < 2; turn++) {
    write(true)
    write(false)
    read('behind')
    read(undefined)
    assert.deepEqual(told(), [
      [50, 'no COMMIT is confirmed; writes are refused', undefined],
      [50, 'COMMITs are confirmed again', undefined],
      [40, 'the standby for reads is not used: the primary answers', 'behind'],
      [40, 'the standby for reads is used again', undefined],
    ])
  }
  reportStandbys({ standby } as never, log)
  write(true)
  assert.equal(told().length, 1, 'without a standby for reads')
})
