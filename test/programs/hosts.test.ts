// The service on hosts that differ: without IPv4, with few open files, with a full disk.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isRoot, newFolder } from '../support/embedded.ts'

/** Keeps the user, so that PostgreSQL does too. Root needs no name space of users. */
const isolated = (...kinds: string[]) =>
  isRoot ? kinds : ['--map-current-user', '--keep-caps', ...kinds]

/** Skips the test where it cannot run, such as in a container without name spaces. */
function lacks(t: TestContext, ...kinds: string[]): boolean {
  const { status } = spawnSync('unshare', [...isolated(...kinds), 'ip', 'link'])
  if (status !== 0) t.skip('this system gives no name spaces (unshare, ip)')
  return status !== 0
}

/** Runs the shell's commands in name spaces of their own. Gives all that they have written. */
async function runIsolated(t: TestContext, kinds: string[], script: string, ...args: string[]) {
  const child = spawn('unshare', [...isolated(...kinds), 'sh', '-ec', script, ...args], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output }
}

const onIpv6 = fileURLToPath(new URL('../support/on-ipv6.ts', import.meta.url))

test('a host without IPv4 starts the bank with its defaults: every listener and the metrics are on ::1', async (t) => {
  if (lacks(t, '--net')) return
  const script = 'ip link set lo up; ip address delete 127.0.0.1/8 dev lo; exec "$0" "$@"'
  const folder = await newFolder(t)
  const ran = await runIsolated(t, ['--net'], script, process.execPath, onIpv6, folder)
  assert.equal(ran.code, 0, ran.output)
  assert.match(ran.output, /^ready 200, redirect 301, metrics 200, webhook 204$/m)
})
