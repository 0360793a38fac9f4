// The generated password of the first administrator: for the operator, and for nobody who reads
// logs.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { client, type Client } from '../support/client.ts'
import { isRoot, newFolder, until } from '../support/embedded.ts'
import { firstPassword, freePort, inheritedVariables, run } from '../support/program.ts'

async function settingsFor(folder: string) {
  return {
    DATA_DIR: folder,
    HTTPS_PORT: String(await freePort()),
    HTTP_PORT: '0',
    METRICS_PORT: '0',
  }
}

type Settings = Awaited<ReturnType<typeof settingsFor>>

async function started(t: TestContext, settings: Settings) {
  const bank = run([], settings)
  t.after(() => bank.child.kill('SIGKILL'))
  await bank.says(/Strongroom is ready/)
  const ca = await readFile(join(settings.DATA_DIR, 'tls/ca.pem'))
  const { send, close } = client(Number(settings.HTTPS_PORT), ca)
  t.after(close)
  const end = async () => {
    bank.child.kill('SIGTERM')
    assert.equal(await bank.ended, 0)
    return bank.out() + bank.err()
  }
  return { send, end, bank }
}

async function changePassword(send: Client['send'], from: string, to: string) {
  const body = { username: 'admin', password: from }
  const login = await send('POST', '/api/v1/auth/login', { body })
  assert.equal(login.status, 200)
  const change = { currentPassword: from, newPassword: to }
  const token = login.body.token as string
  const changed = await send('POST', '/api/v1/auth/password', { token, body: change })
  assert.equal(changed.status, 204, changed.text)
}

const next = 'a quiet heron by the weir'

test('without a terminal the first password is in a file of its owner alone, and gone once it is changed', async (t) => {
  const folder = await newFolder(t)
  const settings = await settingsFor(folder)
  const file = join(folder, 'first-admin-password')
  const first = await started(t, settings)
  const { mode } = await stat(file)
  assert.equal(mode & 0o777, 0o600)
  const password = await firstPassword(folder)
  assert.ok(password.length >= 20)
  const said = await first.end()
  assert.ok(said.includes(`in ${file} until it is changed`))
  assert.ok(!said.includes(password))

  const second = await started(t, settings)
  assert.equal(await firstPassword(folder), password, 'a second start leaves it')
  await second.bank.says(/"because":"[^"]+","message":"the first administrator still has/)
  await changePassword(second.send, password, next)
  await until(() => !existsSync(file))
  await second.bank.says(/the file of the first password was removed/)
  assert.ok(!(await second.end()).includes(password))

  const third = await started(t, settings)
  assert.doesNotMatch(await third.end(), /first/)
})

test('a password that was changed through another instance removes the file at the next start', async (t) => {
  const folder = await newFolder(t)
  const settings = await settingsFor(folder)
  const file = join(folder, 'first-admin-password')
  const first = await started(t, settings)
  const content = await readFile(file)
  await changePassword(first.send, await firstPassword(folder), next)
  await until(() => !existsSync(file))
  await first.end()
  await writeFile(file, content, { mode: 0o600 })
  const second = await started(t, settings)
  await until(() => !existsSync(file))
  await second.end()
})

test('the file of a start that was cut off is removed when the first administrator gets another password', async (t) => {
  const folder = await newFolder(t)
  const settings = { ...(await settingsFor(folder)), ADMIN_PASSWORD: next }
  const file = join(folder, 'first-admin-password')
  await mkdir(folder, { mode: 0o700 })
  await writeFile(file, '  user name  admin\n  password   of-a-former-start\n', { mode: 0o600 })
  const bank = await started(t, settings)
  assert.ok(!existsSync(file))
  await bank.end()
})

test('a folder that takes no file refuses the first start in one line, and no administrator is made', async (t) => {
  if (isRoot) return t.skip('root may write anywhere')
  const folder = await newFolder(t)
  const settings = await settingsFor(folder)
  assert.equal(await run(['migrate'], settings).ended, 0)
  await chmod(folder, 0o500)
  t.after(() => chmod(folder, 0o700))
  const bank = run([], settings)
  assert.equal(await bank.ended, 2)
  assert.equal(bank.err().trim().split('\n').length, 1)
})

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))

/** A bank in a terminal of its own, by a shell's command that ends in `"$@"`. */
async function inTerminal(t: TestContext, prefix: string) {
  const folder = await newFolder(t)
  const named = Object.entries(await settingsFor(folder)).map(([name, value]) => {
    return [`STRONGROOM_${name}`, value] as const
  })
  const command = `exec ${prefix} '${process.execPath}' '${bin}'`
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    env: {
      ...inheritedVariables(),
      PATH: process.env['PATH'],
      SHELL: '/bin/sh',
      ...Object.fromEntries(named),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  t.after(() => terminal.kill('SIGKILL'))
  let shown = ''
  terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()))
  await until(() => shown.includes('Strongroom is ready'))
  return { folder, shown, terminal }
}

test('in a terminal the first password is shown once and in no file, and the service ends with its terminal', async (t) => {
  if (spawnSync('script', ['--version']).error) return t.skip('script (util-linux) is missing')
  const { folder, shown, terminal } = await inTerminal(t, '')
  assert.match(
    shown,
    /This is shown only once:\r\n {2}user name {2}admin\r\n {2}password {3}\S{20,}/,
  )
  assert.ok(!(await readdir(folder)).includes('first-admin-password'))
  assert.ok(existsSync(join(folder, 'postgres/postmaster.pid')))
  terminal.kill('SIGKILL')
  await until(() => !existsSync(join(folder, 'postgres/postmaster.pid')))
  assert.ok(existsSync(dirname(folder)))
})

test('in the terminal of a container, which is its log, the first password is not shown', async (t) => {
  const isolated = ['--pid', '--fork', '--mount-proc', '--kill-child']
  if (!isRoot) isolated.unshift('--map-current-user', '--keep-caps')
  for (const [command, ...args] of [
    ['script', '--version'],
    ['unshare', ...isolated, 'true'],
  ]) {
    if (spawnSync(command as string, args).status !== 0) return t.skip(`no ${command}`)
  }
  const container = `unshare ${isolated.join(' ')}`
  // With a first process of its own, or one that it shares, which root alone can try.
  const sharing = 'mount --bind $(tty) /dev/console && exec "$@"'
  for (const prefix of [
    container,
    `${container} sh -c 'setsid -w "$@"; exit' sh`,
    ...(isRoot ? [`unshare --mount sh -c '${sharing}' sh`] : []),
  ]) {
    const { folder, shown } = await inTerminal(t, prefix)
    const password = await firstPassword(folder)
    assert.ok(password.length >= 20)
    assert.ok(!shown.includes(password), prefix)
    assert.match(shown, /in \S+first-admin-password until it is changed/)
  }
  // A terminal beside that of the first process is a person's.
  const { shown } = await inTerminal(t, `${container} sh -c 'exec script -qefc "$*" /dev/null' sh`)
  assert.match(shown, /This is shown only once/)
})
