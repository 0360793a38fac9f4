// The image of the Dockerfile, built and run as the documents say: on a read-only root, without
// capabilities, in 512 MB, and not as root. No registry of images is needed: see `build`.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { client } from '../support/client.ts'
import { userEnvironment } from '../support/package.ts'
import { payInDemo } from '../support/pay-in-demo.ts'
import { freePort } from '../support/program.ts'

const execute = promisify(execFile)
const needed = ['podman', 'runc', 'mmdebstrap']
const missing = needed.filter((program) => spawnSync(program, ['--version']).status !== 0)
if (process.getuid?.() !== 0) missing.push('root')
const options = { skip: missing.length > 0 && `without ${missing.join(', ')}`, timeout: 120_000 }
const buildMs = 1_200_000
const memoryBytes = 512 * 2 ** 20

let store = ''
const podman = async (...args: string[]): Promise<string> => {
  const places = { '--root': 'images', '--runroot': 'run', '--tmpdir': 'tmp' }
  const own = Object.entries(places).flatMap(([name, folder]) => [name, path.join(store, folder)])
  // Of the two runtimes of Debian, runc also knows cgroups of both versions side by side.
  const { stdout, stderr } = await execute('podman', [...own, '--runtime', 'runc', ...args])
  return stdout + stderr
}

before(
  async () => {
    if (missing.length > 0) return
    // On a disk: the images take some gigabytes, and memory has no overlays.
    store = await mkdtemp('/var/tmp/strongroom-image-')
    const build = path.join(import.meta.dirname, 'build')
    await execute(build, [store], { env: userEnvironment(), maxBuffer: 2 ** 26 })
  },
  { timeout: buildMs },
)
after(async () => {
  if (missing.length > 0) return
  // Not `system reset`, which also touches what is not in the store.
  await podman('rmi', '--all', '--force').catch(() => undefined)
  await execute('umount', ['--lazy', path.join(store, 'images/overlay')]).catch(() => undefined)
  await rm(store, { recursive: true, force: true })
})

/** As the documents say, and where no systemd runs. */
const running = [
  'run --read-only --read-only-tmpfs=false --cap-drop ALL --security-opt no-new-privileges',
  `--memory ${memoryBytes} --memory-swap ${memoryBytes} --network host --no-healthcheck`,
  '--passwd=false --ulimit nofile=20000:20000 --ulimit nproc=4096:4096',
].flatMap((part) => part.split(' '))

type Container = {
  port: number
  /** Runs a program in it. Gives what it prints. */
  inside(...command: string[]): Promise<string>
  /** Ends it as an orchestrator does. Gives the exit code, and whether memory was short. */
  stop(): Promise<string>
}

/** Starts the service as that user, on a volume of its own, and waits until it is ready. */
async function start(t: TestContext, user: string): Promise<Container> {
  const name = `strongroom-${user}`
  const port = await freePort()
  const settings = [
    'HOST=127.0.0.1',
    `HTTPS_PORT=${port}`,
    'HTTP_PORT=0',
    'METRICS_PORT=0',
  ].flatMap((setting) => ['--env', `STRONGROOM_${setting}`])
  t.after(() => podman('rm', '--force', '--volumes', name))
  await podman(...running, '--detach', '--name', name, '--user', user, ...settings, 'strongroom')
  const inside = (...command: string[]) => podman('exec', name, ...command)
  for (let tries = 0; ; tries++) {
    const failed = await inside('is-ready').then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    if (!failed) break
    if (tries > 200) assert.fail(`${failed.message}\n${await podman('logs', name)}`)
  }
  const stop = async () => {
    await podman('stop', '--time', '30', name)
    const state = '{{.State.ExitCode}} {{.State.OOMKilled}}'
    return (await podman('inspect', name, '--format', state)).trim()
  }
  return { port, inside, stop }
}

test('the image names its user, its volume, its signal and its health', options, async () => {
  const [image] = JSON.parse(await podman('image', 'inspect', 'strongroom'))
  const config = { Healthcheck: image.Healthcheck, ...image.Config }
  assert.equal(config.User, '10001')
  assert.deepEqual(config.Volumes, { '/data': {} })
  assert.equal(config.StopSignal, 'SIGTERM')
  assert.deepEqual(config.Entrypoint, ['tini', '--', 'strongroom'])
  assert.deepEqual(config.Healthcheck.Test, ['CMD', 'is-ready'])
})

test(
  'on a read-only root, without rights, in 512 MB a bank is filled, pays and is proved',
  options,
  async (t) => {
    const { port, inside, stop } = await start(t, '10001')
    const [, capabilities] = /^CapEff:\s+(\S+)/m.exec(await inside('cat', '/proc/1/status')) ?? []
    assert.equal(capabilities, '0000000000000000')
    await assert.rejects(inside('touch', '/opt/strongroom/new'), /Read-only file system/)
    assert.equal(await inside('find', '/usr', '/opt', '-xdev', '-perm', '/6000', '-type', 'f'), '')

    const logins = await inside('strongroom', 'demo')
    const { send, close } = client(port, await inside('cat', '/data/bank/tls/ca.pem'))
    await payInDemo(send, logins)
    assert.equal((await send('GET', '/portal/')).status, 200)
    close()
    await inside('strongroom', 'verify')
    await inside('strongroom', 'backup', '/data/backup')

    // A process whose parent has ended belongs to the first process, which has to take it away.
    await inside('sh', '-c', '(true & exec true) & exec true')
    const processes = await inside('sh', '-c', 'cat /proc/[0-9]*/stat')
    assert.doesNotMatch(processes, /^\d+ \(.*\) Z /m)
    assert.equal(await stop(), '0 false')
  },
)

test('any user id runs the image', options, async (t) => {
  const { inside, stop } = await start(t, '54321')
  assert.equal((await inside('id', '-u')).trim(), '54321')
  assert.equal(await stop(), '0 false')
})

test('a volume that the user may not write to ends the start with one line', options, async () => {
  const refused = await podman(...running, '--rm', '--user', '1:1', 'strongroom').catch(
    (thrown: { stderr: string }) => thrown.stderr,
  )
  assert.match(refused, /^.*\/data.*\n$/)
})

test('the documents start the image as it was tried', async () => {
  const docs = path.join(import.meta.dirname, '../../docs/OPERATIONS.md')
  const text = await readFile(docs, 'utf8')
  for (const option of ['--read-only', '--cap-drop ALL', '--memory 512m'])
    assert.ok(text.includes(option), option)
})
