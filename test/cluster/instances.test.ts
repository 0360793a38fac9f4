// Several instances on one machine, by the files of deploy/: they count limits together, and are
// restarted in turn behind HAProxy without a request that is lost.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { client } from '../support/client.ts'
import { cloneTemplate, cluster, toUrl } from '../support/database.ts'
import { many, tally } from '../support/fixture.ts'
import { password } from '../support/people.ts'
import { freePort, type Program, run } from '../support/program.ts'
import { openStore, withoutStore } from '../support/redis.ts'
import { seenDown, seenUp, startHaproxy } from './haproxy.ts'
import { end, programs } from './programs.ts'

const skip = withoutStore || (programs.haproxy === undefined && 'haproxy is not installed')

/** The settings that deploy/instance.conf gives to instance `name`. */
async function readDropIn(name: string): Promise<Record<string, string>> {
  const file = new URL('../../deploy/instance.conf', import.meta.url)
  const lines = (await readFile(file, 'utf8')).matchAll(/^Environment=STRONGROOM_(\w+)=(.*)$/gm)
  return Object.fromEntries(
    [...lines].map(([, key, value = '']) => [key, value.replace('%i', name)]),
  )
}

async function openInstances(t: TestContext) {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-instances-'))
  const { address, stop } = await cloneTemplate(await cluster())
  const store = await openStore()
  const shared = path.join(folder, 'shared')
  const ports = [await freePort(), await freePort(), await freePort()]
  const frontPort = await freePort()
  const haproxy = await startHaproxy(folder, { dataDir: shared, servicePorts: ports, frontPort })
  const pair = path.join(shared, 'tls/server.secret.pem')
  const start = async (index: number): Promise<Program> => {
    const program = run([], {
      ...(await readDropIn(String(index + 1))),
      DATA_DIR: path.join(folder, String(index + 1)),
      HTTPS_PORT: String(ports[index]),
      HTTP_PORT: '0',
      METRICS_PORT: '0',
      PUBLIC_URL: `https://localhost:${frontPort}`,
      DATABASE_URL: toUrl(address),
      REDIS_URL: store.url,
      TLS_CERT: pair,
      TLS_KEY: pair,
    })
    await program.says(/Strongroom is ready/)
    return program
  }
  const instances = [await start(0), await start(1), await start(2)]
  t.after(async () => {
    for (const { child } of instances) child.kill('SIGKILL')
    await end(haproxy)
    await store.stop()
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  await seenUp(folder)
  const front = client(frontPort, await readFile(path.join(shared, 'tls/ca.pem')))
  t.after(() => front.close())
  async function restart(index: number): Promise<void> {
    const former = instances[index] as Program
    former.child.kill('SIGTERM')
    assert.equal(await former.ended, 0, former.err())
    await seenDown(folder, index)
    instances[index] = await start(index)
    await seenUp(folder)
  }
  return { front, restart }
}

test(
  'instances on one machine count limits together, and restart in turn without a lost request',
  { skip },
  async (t) => {
    const { front, restart } = await openInstances(t)
    const body = { username: 'ada', password }
    const login = await front.send('POST', '/api/v1/auth/login', { body })
    assert.equal(login.status, 200, login.text)
    const { token } = login.body as { token: string }
    const read = () => front.send('GET', '/api/v1/me', { token })

    await sleep(1000)
    const startedAt = performance.now()
    const burst = tally(await many(30, read))
    const seconds = Math.ceil((performance.now() - startedAt) / 1000)
    const admitted = burst['200'] ?? 0
    // Ten in any second; a busy machine takes several for them.
    assert.ok(admitted >= 10 && admitted <= 10 * seconds, `${admitted} in ${seconds} s`)
    assert.deepEqual(burst, { 200: admitted, '429 rate_limited': 30 - admitted })

    const isDone = new AbortController()
    const seen: number[] = []
    const ask = async (): Promise<void> => {
      for (; !isDone.signal.aborted; await sleep(250)) {
        seen.push((await front.send('GET', '/healthz')).status)
      }
    }
    // Far below the limit of an address, also where a pause of this process bunches them.
    const asking = Promise.all(Array.from({ length: 8 }, ask))
    for (const index of [0, 1, 2]) await restart(index)
    isDone.abort()
    await asking
    assert.ok(seen.length > 100, `${seen.length} requests`)
    assert.deepEqual(new Set(seen), new Set([200]))
  },
)
