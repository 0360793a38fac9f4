// The service on hosts that differ: without IPv4, with few open files, a full disk, little memory.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isRoot, newFolder, usedFolder } from '../support/embedded.ts'
import { run } from '../support/program.ts'

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

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))

test('a first start on a full disk ends with 1 and one line, and succeeds once there is space', async (t) => {
  if (lacks(t, '--mount')) return
  const folder = await newFolder(t)
  await mkdir(folder, { mode: 0o711 })
  const script = `
    export STRONGROOM_DATA_DIR="$0/data"
    mount -t tmpfs -o size=8m,mode=0711 none "$0"
    code=0; "$1" "$2" serve || code=$?
    echo "full: $code"
    mount -o remount,size=300m "$0"
    code=0; "$1" "$2" migrate || code=$?
    echo "freed: $code"`
  const ran = await runIsolated(t, ['--mount'], script, folder, process.execPath, bin)
  assert.match(
    ran.output,
    /\nPostgreSQL could not be set up in \S+: .*No space left on device\nfull: 1\n/,
  )
  assert.match(ran.output, /\nfreed: 0\n$/)
})

test('a data folder that has lost its control file ends with 2 and one line that names it', async (t) => {
  const folder = await usedFolder(t)
  await rm(join(folder, 'postgres/global/pg_control'))
  for (const command of ['serve', 'migrate']) {
    const program = run([command], { DATA_DIR: folder, METRICS_PORT: '0' })
    assert.equal(await program.ended, 2, program.err())
    assert.match(
      program.err(),
      /^PostgreSQL did not start on \S+: could not open file "\S+\/pg_control": No such file .*\n$/,
    )
  }
})

/** Starts the service under that limit of open files. */
function limited(t: TestContext, folder: string, openFiles: number) {
  const command = `ulimit -n ${openFiles}; exec "$0" "$1"`
  const child = spawn('sh', ['-c', command, process.execPath, bin], {
    env: {
      PATH: process.env['PATH'],
      STRONGROOM_DATA_DIR: folder,
      STRONGROOM_HTTPS_PORT: '0',
      STRONGROOM_HTTP_PORT: '0',
      STRONGROOM_METRICS_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let [out, err] = ['', '']
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    if (out.includes('"message":"ready"')) child.kill('SIGTERM')
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { child, ended, out: () => out, err: () => err }
}

test('too few open files are one warning, and far too few end the start with 2 and one line', async (t) => {
  const folder = await usedFolder(t)
  const few = limited(t, folder, 256)
  assert.equal(await few.ended, 0, few.err())
  const warnings = few
    .out()
    .split('\n')
    .filter((line) => line.includes('ulimit'))
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /"level":40.*"openFileCount":256,"neededCount":16128,/)
  const none = limited(t, folder, 255)
  assert.equal(await none.ended, 2)
  assert.match(
    none.err(),
    /^Only 255 files may be open at once \(ulimit -n\): 256 are the least,.*\n$/,
  )
  const unit = await readFile(new URL('../../deploy/strongroom.service', import.meta.url), 'utf8')
  const [, count] = /^LimitNOFILE=(\d+)$/m.exec(unit) ?? []
  assert.ok(Number(count) >= 16_128, 'the unit gives enough')
})

test('the service is called strongroom in the list of processes', async (t) => {
  const folder = await usedFolder(t)
  const bank = run([], { DATA_DIR: folder, HTTPS_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0' })
  t.after(() => bank.child.kill('SIGKILL'))
  await bank.says(/Strongroom is ready/)
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(bank.child.pid)])
  assert.equal(stdout.toString().trim(), 'strongroom')
  bank.child.kill('SIGTERM')
  assert.equal(await bank.ended, 0)
})
