// A secret comes from the file that its operator meant, or the service does not start.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Config, ConfigError, readConfig, settingsTable } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'strongroom-secrets-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
function file(content: string | Buffer, mode = 0o400): string {
  const path = join(folder, String(count++))
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

function findProblems(settings: Record<string, string>): readonly string[] {
  try {
    readConfig(settings)
    return []
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError, String(thrown))
    return thrown.lines
  }
}

const values: Record<string, [key: keyof Config, value: string]> = {
  STRONGROOM_DATABASE_URL: ['databaseUrl', 'postgres://bank:canary@localhost/bank'],
  STRONGROOM_READ_DATABASE_URL: ['readDatabaseUrl', 'postgres://bank:canary@localhost/bank'],
  STRONGROOM_REDIS_URL: ['redisUrl', 'redis://:canary@localhost'],
  STRONGROOM_SMTP_URL: ['smtpUrl', 'smtp://u:canary@localhost'],
  STRONGROOM_PAYEE_CHECK_SECRET: ['payeeCheckSecret', 'a.canary.by.the.weir'],
  STRONGROOM_OIDC_CLIENT_SECRET: ['oidcClientSecret', 'canary-of-the-issuer'],
  STRONGROOM_ADMIN_PASSWORD: ['adminPassword', 'a canary by the weir'],
}
const mail = {
  STRONGROOM_MAIL_FROM: 'bank@bank.example',
  STRONGROOM_PUBLIC_URL: 'https://bank.example',
  STRONGROOM_PAYEE_CHECK_URL: 'https://payees.example',
}
const issuer = {
  STRONGROOM_OIDC_ISSUER: 'https://id.bank.example',
  STRONGROOM_OIDC_CLIENT_ID: 'strongroom',
}
/** What a secret needs beside it. */
const beside = (name: string) => {
  if (name.includes('READ')) return { STRONGROOM_DATABASE_URL: 'postgres://bank@localhost/bank' }
  return name.includes('OIDC') ? issuer : mail
}
const secrets = settingsTable().flatMap(({ name, isSecret }) => (isSecret ? [name] : []))

test('every secret can come from a file, less one line break at its end', () => {
  assert.deepEqual(secrets.toSorted(), Object.keys(values).toSorted())
  for (const [name, [key, value]] of Object.entries(values)) {
    for (const content of [value, `${value}\n`, `${value}\r\n`]) {
      for (const mode of [0o400, 0o440, 0o600]) {
        const config = readConfig({ ...beside(name), [`${name}_FILE`]: file(content, mode) })
        assert.equal(config[key], value)
      }
    }
    const link = join(folder, `link-${name}`)
    symlinkSync(file(value), link)
    assert.equal(
      readConfig({ ...beside(name), [`${name}_FILE`]: link })[key],
      value,
      'Kubernetes links',
    )
  }
})

test('a file that holds no secret of one owner is refused in one line, which names the setting', () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', ['-m', '600', pipe])
  const loop = join(folder, 'loop')
  symlinkSync(loop, loop)
  for (const name of secrets) {
    const [, value] = values[name] ?? assert.fail(name)
    const cases: [path: string, why: RegExp][] = [
      ['', /is empty; give it a path or remove it\.$/],
      [join(folder, 'none'), /names a file that is missing\.$/],
      [join(file(value), 'below'), /names a file that is missing\.$/],
      [folder, /names a folder\.$/],
      [pipe, /names no plain file\.$/],
      [loop, /cannot be read \(ELOOP\)\.$/],
      [file(''), /names a file that is empty\.$/],
      [file('\n'), /names a file that is empty\.$/],
      [file('x'.repeat(16_385)), /names a file of more than 16 KB\.$/],
      [file(Buffer.from([0xff, 0xfe, 0x41])), /names a file that is no UTF-8 text\.$/],
      // It opens, and its first read fails.
      ['/proc/self/mem', /cannot be read \(EIO\)\.$/],
      ...[0o444, 0o604, 0o602].map((mode): [string, RegExp] => [
        file(value, mode),
        /names a file that every user can read or change; give it the mode 0400 or 0440\.$/,
      ]),
    ]
    for (const [path, why] of cases) {
      const lines = findProblems({ ...beside(name), [`${name}_FILE`]: path })
      assert.equal(lines.length, 1, `${path} → ${JSON.stringify(lines)}`)
      assert.match(lines[0] ?? '', new RegExp(`^${name}_FILE ${why.source}`))
    }
  }
})

test('what a file holds is judged like the setting itself, and no message repeats it', () => {
  for (const name of secrets) {
    const wrong = file('canary\n\n')
    const lines = findProblems({ ...beside(name), [`${name}_FILE`]: wrong })
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', new RegExp(`^${name} `))
    assert.doesNotMatch(lines.join('\n'), /canary/)
  }
})

test('a secret given twice stops the start: which of them is meant is not guessed', () => {
  for (const name of secrets) {
    const [, value] = values[name] ?? assert.fail(name)
    const lines = findProblems({ ...beside(name), [name]: value, [`${name}_FILE`]: file(value) })
    assert.deepEqual(lines, [`${name}_FILE and ${name} are both given; remove one.`])
  }
})

test('settings that need each other see a secret from a file', () => {
  const path = file('smtp://localhost')
  const lines = findProblems({ STRONGROOM_SMTP_URL_FILE: path })
  assert.match(lines.join('\n'), /needs STRONGROOM_MAIL_FROM.*\n.*needs STRONGROOM_PUBLIC_URL/)
})

test('only secrets have files, and a misspelt name leads to the right one', () => {
  const meant = (name: string) => findProblems({ [name]: '/x' }).join()
  assert.match(meant('STRONGROOM_TLS_KEY_FILE'), /is not a setting; .*STRONGROOM_TLS_KEY\?$/)
  assert.match(meant('STRONGROOM_BANK_NAME_FILE'), /is not a setting; .*STRONGROOM_BANK_NAME\?$/)
  assert.match(meant('STRONGROOM_SMTP_URL_FLIE'), /is not a setting; .*STRONGROOM_SMTP_URL_FILE\?$/)
})
