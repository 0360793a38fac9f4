// Staff sign in at a real Keycloak, and it logs them out. Its distribution comes by Maven; without
// Java, where it cannot be had, and by day, the test is skipped with the reason.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { localCertificate } from '../../src/http/listeners/local-certificate.ts'
import { readCookies, toCookieField } from '../support/browser-session.ts'
import { client, type Client } from '../support/client.ts'
import { fakeClock } from '../support/clock.ts'
import {
  beginSignIn,
  browserOf,
  clientId,
  clientSecret,
  endSignIn,
  handedOn,
  returnUrl,
} from '../support/issuer.ts'
import { freePort } from '../support/program.ts'
import { people, world } from '../support/world.ts'

const version = '26.4.5'
const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`
const file = path.join(
  homedir(),
  `.m2/repository/org/keycloak/keycloak-quarkus-dist/${version}`,
  `keycloak-quarkus-dist-${version}.zip`,
)
const subject = 'f3c1b1de-7a4b-4c57-9d5c-3b8f2f6f8f01'
const login = { username: 'agnes-there', password: 'a password of the realm' }
const startMsMax = 400_000

/** Why there is no Keycloak here; undefined when its distribution is at hand. */
function findReason(): string | undefined {
  if (process.env['NIGHTLY'] !== '1') return '`npm run test:nightly` runs it'
  if (spawnSync('java', ['-version']).status !== 0) return 'there is no Java'
  if (spawnSync('unzip', ['-v']).status !== 0) return 'there is no unzip'
  if (existsSync(file)) return undefined
  const got = spawnSync('mvn', ['-q', 'dependency:get', `-Dartifact=${artifact}`], {
    timeout: 300_000,
  })
  return got.status === 0 && existsSync(file) ? undefined : 'Keycloak cannot be fetched'
}

const toRealm = (logoutUrl: string) => ({
  realm: 'staff',
  enabled: true,
  clients: [
    {
      clientId,
      secret: clientSecret,
      redirectUris: [returnUrl],
      standardFlowEnabled: true,
      attributes: {
        'backchannel.logout.url': logoutUrl,
        'backchannel.logout.session.required': 'true',
        'pkce.code.challenge.method': 'S256',
      },
    },
  ],
  users: [
    {
      id: subject,
      username: login.username,
      enabled: true,
      email: 'root@example.com',
      emailVerified: true,
      firstName: 'Agnes',
      lastName: 'Moreau',
      credentials: [{ type: 'password', value: login.password }],
    },
  ],
})

async function keycloak(t: TestContext) {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-keycloak-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  assert.equal(spawnSync('unzip', ['-q', file, '-d', folder]).status, 0)
  const home = path.join(folder, `keycloak-${version}`)
  const { key, cert, caPath } = await localCertificate(folder, ['localhost'], Date.now())
  await writeFile(path.join(folder, 'key.pem'), key, { mode: 0o600 })
  await writeFile(path.join(folder, 'cert.pem'), cert)
  await mkdir(path.join(home, 'data/import'), { recursive: true })
  const realm = toRealm('https://localhost:1/unused')
  await writeFile(path.join(home, 'data/import/staff.json'), JSON.stringify(realm))
  const port = await freePort()
  const options = [
    `--https-port=${port}`,
    `--https-certificate-file=${folder}/cert.pem`,
    `--https-certificate-key-file=${folder}/key.pem`,
    `--hostname=https://localhost:${port}`,
    `--http-host=127.0.0.1`,
    '--http-enabled=false',
    '--health-enabled=false',
  ]
  const program = spawn(path.join(home, 'bin/kc.sh'), ['start-dev', '--import-realm', ...options], {
    stdio: 'ignore',
    detached: true,
  })
  t.after(() => {
    if (program.pid) process.kill(-program.pid, 'SIGKILL')
  })
  const browser = client(port, await readFile(caPath as string))
  t.after(() => browser.close())
  const url = `https://localhost:${port}/realms/staff`
  for (const startedAt = performance.now(); ;) {
    const at = '/realms/staff/.well-known/openid-configuration'
    const reply = await browser.send('GET', at).catch(() => undefined)
    if (reply?.status === 200) break
    assert.ok(performance.now() - startedAt < startMsMax, 'Keycloak does not start')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const settings = {
    OIDC_ISSUER: url,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_CA: caPath as string,
  }
  return { browser, origin: `https://localhost:${port}`, url, settings }
}

/** Types the password into the page of Keycloak, and gives what the browser brings back. */
async function visit(browser: Client, origin: string, location: string) {
  const jar: Record<string, string> = {}
  const ask = async (at: string, body?: string) => {
    const headers = {
      host: new URL(origin).host,
      cookie: toCookieField(jar),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    }
    const method = body === undefined ? 'GET' : 'POST'
    const asked = { headers, ...(body !== undefined && { body }) }
    const reply = await browser.send(method, at.replace(origin, ''), asked)
    Object.assign(jar, readCookies(reply))
    return reply
  }
  const page = await ask(location)
  const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? []
  const typed = new URLSearchParams(login).toString()
  const done = await ask(action.replaceAll('&amp;', '&'), typed)
  const to = done.headers['location'] ?? assert.fail(`${done.status} ${done.text.slice(0, 500)}`)
  return Object.fromEntries(new URL(to).searchParams)
}

test('staff sign in at a real Keycloak, whose tokens name the session that it logs out', async (t) => {
  const reason = findReason()
  if (reason !== undefined) return t.skip(reason)
  const { browser, origin, url, settings } = await keycloak(t)
  const bank = await world(t, { clock: fakeClock(Date.now()), settings })
  await bank.sql('insert into issuer_links values ($1, $2, $3, now(), $1)', [
    people.agnes.id,
    url,
    subject,
  ])
  const { cookie, location } = await beginSignIn(bank)
  const brought = await visit(browser, origin, location)
  const opened = await endSignIn(bank, handedOn(brought), cookie)
  assert.equal(opened.status, 204, opened.text)
  const me = await browserOf(bank, opened)('GET', '/api/v1/me')
  assert.equal(me.body.id, people.agnes.id)
  const { rows } = await bank.sql(
    'select issuer, issuer_sid_hash from sessions where issuer is not null',
  )
  assert.equal(rows[0]?.['issuer'], url)
  assert.equal((rows[0]?.['issuer_sid_hash'] as Buffer | undefined)?.length, 32)
})
