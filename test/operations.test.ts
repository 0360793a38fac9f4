// The files of deploy/ are accepted by their programs, where those are installed.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { type CertificateSource, loadCertificate } from '../src/http/listeners/tls.ts'

const execute = promisify(execFile)
const deploy = fileURLToPath(new URL('../deploy', import.meta.url))

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-operations-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a program; skips the test where it is not installed. Gives what it says of faults. */
async function check(t: TestContext, program: string, args: string[]): Promise<string> {
  try {
    return (await execute(program, args)).stderr
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT')
      return t.skip(`${program} is not installed`) ?? ''
    assert.fail((thrown as { stderr?: string }).stderr ?? String(thrown))
  }
}

async function certificateIn(folder: string): Promise<string> {
  const source = { dataDir: folder, host: '127.0.0.1' } as CertificateSource
  const { cert, key } = await loadCertificate(source)
  const both = path.join(folder, 'both.pem')
  await writeFile(both, cert + key)
  return both
}

const ownPaths = /\/(?:etc\/ssl|var\/lib\/strongroom)\/[\w./-]+\.pem/g

test('the units, and the instances that are made from one, pass systemd-analyze verify', async (t) => {
  const folder = await folderFor(t)
  const text = await readFile(path.join(deploy, 'strongroom.service'), 'utf8')
  const unit = text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
  const files = ['strongroom.service', 'strongroom@.service'].map((name) => path.join(folder, name))
  for (const file of files) await writeFile(file, unit)
  const dropIns = path.join(folder, 'strongroom@.service.d')
  await mkdir(dropIns)
  await copyFile(path.join(deploy, 'instance.conf'), path.join(dropIns, 'instance.conf'))
  const nightly = ['verify', 'backup'].flatMap((command) => [
    `strongroom-${command}.service`,
    `strongroom-${command}.timer`,
  ])
  for (const name of nightly) {
    await copyFile(path.join(deploy, name), path.join(folder, name))
    files.push(path.join(folder, name))
  }
  // It ends with 0 for a line that it ignores.
  assert.equal(await check(t, 'systemd-analyze', ['verify', ...files]), '')
})

test('each unit is hardened as the service is, and the nightly ones may write the backups beside', async (t) => {
  const names = ['strongroom', 'strongroom-backup', 'strongroom-verify']
  const files = names.map((name) => path.join(deploy, `${name}.service`))
  const [service = '', ...nightly] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const block = service.slice(service.indexOf('# Hardening.'), service.indexOf('[Install]'))
  const settings = block.match(/^\w+=.*$/gm) ?? []
  assert.ok(settings.length > 20)
  for (const text of nightly) {
    const lines = text.split('\n')
    assert.deepEqual(
      settings.filter((line) => !lines.includes(line)),
      [],
    )
    assert.ok(lines.includes('ReadWritePaths=/backup'))
  }
  // In tenths: 9.2 is what systemd calls unsafe.
  for (const file of files)
    await check(t, 'systemd-analyze', ['security', '--offline=true', '--threshold=20', file])
})

test('nginx accepts its configuration', async (t) => {
  const folder = await folderFor(t)
  const both = await certificateIn(folder)
  const site = (await readFile(path.join(deploy, 'nginx.conf'), 'utf8'))
    .replaceAll(ownPaths, both)
    // Ports below 1024 need privileges: listen on sockets instead.
    .replace(/listen (\d+)/g, `listen unix:${folder}/$1.sock`)
  const file = path.join(folder, 'nginx.conf')
  const head = `pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}`
  await writeFile(file, `${head}\nhttp { access_log off;\n${site}}\n`)
  await check(t, 'nginx', ['-t', '-c', file])
})

test('HAProxy accepts its configuration', async (t) => {
  const folder = await folderFor(t)
  const both = await certificateIn(folder)
  const file = path.join(folder, 'haproxy.cfg')
  const text = await readFile(path.join(deploy, 'haproxy.cfg'), 'utf8')
  const resolved = text
    .replaceAll(ownPaths, both)
    .replaceAll(/\b(bank|db)\d\.example/g, '127.0.0.1')
  await writeFile(file, resolved)
  await check(t, 'haproxy', ['-c', '-f', file])
})
