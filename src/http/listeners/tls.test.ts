// Clients that trust the local authority connect without a warning, no connection is weaker than
// the policy, and a certificate that cannot be used stops the start.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import tls from 'node:tls'
import { promisify } from 'node:util'
import { systemClock } from '../../domain/clock.ts'
import { fakeClock } from '../../../test/support/clock.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { type CertificateSource, keepRenewed, loadCertificate, tlsOptions } from './tls.ts'
import { mockTimers } from '../../../test/support/timers.ts'

const day = 86_400_000
const now = systemClock().now()

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'strongroom-tls-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

const source = (dataDir: string, more: Partial<CertificateSource> = {}): CertificateSource => ({
  dataDir,
  host: '127.0.0.1',
  publicUrl: undefined,
  tlsCert: undefined,
  tlsKey: undefined,
  ...more,
})

async function serving(t: TestContext, certificate: { key: string; cert: string }) {
  const options = { ...tlsOptions, key: certificate.key, cert: certificate.cert }
  const server = https.createServer(options, (_, response) => response.end('in'))
  await new Promise<void>((resolve) => server.listen(0, resolve))
  t.after(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

/** A server with a local certificate, and what its clients need. */
async function servingLocal(t: TestContext) {
  const certificate = await loadCertificate(source(await folder(t)))
  const port = await serving(t, certificate)
  return { port, ca: await readFile(certificate.caPath ?? ''), servername: 'localhost' }
}

/** What a TLS client with these options gets: its socket after the handshake, or the error. */
const connected = (t: TestContext, options: tls.ConnectionOptions) =>
  new Promise<tls.TLSSocket>((resolve, reject) => {
    const socket = tls.connect(options, () => resolve(socket))
    socket.on('error', reject)
    t.after(() => socket.destroy())
  })

test('with only the local authority trusted, every name of the service is reached', async (t) => {
  const dataDir = await folder(t)
  const publicUrl = 'https://bank.example:8443'
  const certificate = await loadCertificate(source(dataDir, { host: '::', publicUrl }))
  const port = await serving(t, certificate)
  const ca = await readFile(certificate.caPath ?? '')
  for (const host of ['localhost', '127.0.0.1', '::1']) {
    const status = await new Promise((resolve, reject) => {
      https
        .get({ host, port, path: '/', ca }, (response) => resolve(response.statusCode))
        .on('error', reject)
    })
    assert.equal(status, 200, host)
  }
  const { subjectAltName } = new X509Certificate(certificate.cert)
  const names = ['DNS:localhost', 'IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1']
  assert.deepEqual(subjectAltName?.split(', '), [...names, 'DNS:bank.example'])
  await connected(t, { port, ca, servername: 'bank.example' })
  await assert.rejects(connected(t, { port, ca, servername: 'other.example' }), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  await assert.rejects(connected(t, { port, servername: 'localhost' }), /verify|issuer/)
})

test('TLS is 1.2 or 1.3 with forward secrecy and authenticated encryption', async (t) => {
  const client = await servingLocal(t)
  const modern = await connected(t, client)
  assert.equal(modern.getProtocol(), 'TLSv1.3')
  const older = await connected(t, { ...client, maxVersion: 'TLSv1.2' })
  assert.match(older.getCipher().name, /^ECDHE-.*(GCM|POLY1305)/)
  const weak: tls.ConnectionOptions[] = [
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' },
    { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' },
    { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-CCM' },
  ]
  for (const options of weak) {
    await assert.rejects(connected(t, { ...client, ...options }), /alert/)
  }
})

test('of the ciphers that a client offers the first in the order of the service is taken', async (t) => {
  const client = await servingLocal(t)
  for (const [maxVersion, best, other] of [
    ['TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ['TLSv1.3', 'TLS_AES_256_GCM_SHA384', 'TLS_AES_128_GCM_SHA256'],
  ] as const) {
    for (const [ciphers, taken] of [
      [`${best}:${other}`, best],
      [`${other}:${best}`, best],
      [other, other],
    ]) {
      const socket = await connected(t, { ...client, maxVersion, ciphers })
      assert.equal(socket.getCipher().name, taken, ciphers)
    }
  }
})

test('a quantum-safe key agreement is offered where this OpenSSL has it', async (t) => {
  assert.match(tlsOptions.ecdhCurve, /^X25519MLKEM768:X25519:P-256$/)
  const client = await servingLocal(t)
  for (const ecdhCurve of ['X25519MLKEM768', 'X25519', 'P-256']) {
    await connected(t, { ...client, ecdhCurve })
  }
  await assert.rejects(connected(t, { ...client, ecdhCurve: 'P-521' }))
})

test('a client cannot renegotiate', async (t) => {
  const socket = await connected(t, { ...(await servingLocal(t)), maxVersion: 'TLSv1.2' })
  const refusal = await new Promise<Error | null>((resolve) => {
    socket.removeAllListeners('error').on('error', resolve)
    socket.renegotiate({ rejectUnauthorized: true }, resolve)
  })
  assert.match(String(refusal), /renegotiation/i)
})

test('the authority signs server certificates only, and its key is private', async (t) => {
  const dataDir = await folder(t)
  const { cert, caPath = '' } = await loadCertificate(source(dataDir), now)
  const pem = await readFile(caPath, 'utf8')
  assert.ok(!pem.includes('PRIVATE'))
  const authority = new X509Certificate(pem)
  assert.ok(authority.ca)
  assert.deepEqual(authority.keyUsage, ['1.3.6.1.5.5.7.3.1'], 'extended key usage: server only')
  const isIn = (hex: string) => authority.raw.includes(Buffer.from(hex, 'hex'))
  assert.ok(isIn('0603551d130101ff040830060101ff020100'), 'basic constraints: CA, path length 0')
  assert.ok(isIn('0603551d0f0101ff040403020106'), 'key usage: certificates and revocation lists')
  assert.equal(authority.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  const leaf = new X509Certificate(cert)
  assert.equal(leaf.ca, false)
  assert.ok(leaf.verify(authority.publicKey))
  assert.ok(leaf.validToDate.getTime() - leaf.validFromDate.getTime() <= 366 * day)
  const hour = day / 24
  for (const { validFromDate } of [leaf, authority]) {
    const ago = now - validFromDate.getTime()
    assert.ok(ago >= hour && ago < hour + 1000, 'for clients whose clock is slow')
  }
  assert.equal((await stat(join(dataDir, 'tls'))).mode & 0o777, 0o700)
  const files = await readdir(join(dataDir, 'tls'))
  assert.deepEqual(files.sort(), ['authority.secret.pem', 'ca.pem', 'server.secret.pem'])
  for (const file of files) {
    assert.equal((await stat(join(dataDir, 'tls', file))).mode & 0o777, 0o600, file)
  }
})

test('a usable certificate is kept, any other is renewed under the same authority', async (t) => {
  const dataDir = await folder(t)
  const load = (at: number, more = {}) => loadCertificate(source(dataDir, more), at)
  const first = await load(now)
  const trusted = await readFile(first.caPath ?? '', 'utf8')
  const publicUrl = 'https://bank.example'
  assert.equal((await load(now)).cert, first.cert)
  assert.equal((await load(now + 358 * day)).cert, first.cert)
  const named = await load(now, { publicUrl })
  assert.notEqual(named.cert, first.cert, 'a new name needs a new certificate')
  assert.equal((await load(now)).cert, named.cert, 'one with more names will do')
  const renewed = await load(now + 360 * day)
  assert.notEqual(renewed.cert, named.cert, 'too near its end')
  await writeFile(join(dataDir, 'tls', 'server.secret.pem'), 'damaged')
  const repaired = await load(now)
  for (const { cert } of [named, renewed, repaired]) {
    assert.ok(new X509Certificate(cert).verify(new X509Certificate(trusted).publicKey))
  }
  assert.equal(await readFile(first.caPath ?? '', 'utf8'), trusted)
  await load(now + 3650 * day)
  assert.notEqual(await readFile(first.caPath ?? '', 'utf8'), trusted, 'the authority has ended')
})

test('a running service renews its certificate under the authority that clients trust', async (t) => {
  mockTimers(t, 'setInterval')
  const dataDir = await folder(t)
  // Ends up in its last week at the real time, so that real clients accept the new one too.
  const clock = fakeClock(now - 359 * day)
  const config = source(dataDir)
  const certificate = await loadCertificate(config, clock.now())
  const server = https.createServer({ ...tlsOptions, ...certificate }, (_, response) =>
    response.end('in'),
  )
  await new Promise<void>((resolve) => server.listen(0, resolve))
  t.after(() => server.close().closeAllConnections())
  const lines: string[] = []
  const renewal = keepRenewed({
    config,
    clock,
    certificate,
    server,
    log: { info: (_, line) => lines.push(line), error: (_, line) => lines.push(line) },
  })
  const { port } = server.address() as AddressInfo
  const ca = await readFile(certificate.caPath ?? '')
  const connect = () => connected(t, { port, ca, servername: 'localhost' })
  const served = async () => (await connect()).getPeerX509Certificate()?.toString()
  const hour = async () => {
    clock.advance(3_600_000)
    t.mock.timers.tick(3_600_000)
    await renewal.settled()
  }
  const open = await connect()
  const first = await served()
  assert.equal(first, certificate.cert)
  await hour()
  assert.equal(await served(), first, 'it is good for more than a week')
  clock.advance(359 * day - 2 * 3_600_000)
  const file = join(dataDir, 'tls', 'authority.secret.pem')
  const authority = await readFile(file)
  await writeFile(file, 'damaged')
  await hour()
  assert.equal(await served(), first, 'the one in use stays')
  await writeFile(file, authority)
  await hour()
  const renewed = await served()
  assert.notEqual(renewed, first)
  assert.ok(open.writable, 'open connections go on')
  await hour()
  assert.equal(await served(), renewed)
  assert.deepEqual(lines, ['the certificate could not be renewed', 'the certificate was renewed'])
  assert.deepEqual(await readFile(certificate.caPath ?? ''), ca)
  const weak = connected(t, {
    port,
    ca,
    servername: 'localhost',
    ciphers: 'AES128-GCM-SHA256',
    maxVersion: 'TLSv1.2',
  })
  await assert.rejects(weak, /alert/, 'the policy stays')
})

test('instances that start at once on one folder agree on the authority', async (t) => {
  const dataDir = await folder(t)
  const all = await Promise.all(Array.from({ length: 8 }, () => loadCertificate(source(dataDir))))
  const authority = new X509Certificate(await readFile(all[0]?.caPath ?? ''))
  for (const { key, cert } of all) {
    assert.ok(new X509Certificate(cert).verify(authority.publicKey))
    assert.ok(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
  }
})

test('a damaged authority, or a folder that cannot be used, stops the start', async (t) => {
  const dataDir = await folder(t)
  await mkdir(join(dataDir, 'tls'))
  await writeFile(join(dataDir, 'tls', 'authority.secret.pem'), 'damaged')
  const loading = loadCertificate(source(dataDir))
  await assert.rejects(loading, /authority\.secret\.pem is damaged; restore it or delete it/)
  await assert.rejects(loading, StartupError)
  await assert.rejects(loadCertificate(source('/dev/null')), StartupError)
})

const run = promisify(execFile)

test('strict clients accept the chain: openssl verify -x509_strict', async (t) => {
  const isInstalled = await run('openssl', ['version']).then(
    () => true,
    () => false,
  )
  if (!isInstalled) return t.skip('openssl is not installed')
  const dataDir = await folder(t)
  const publicUrl = 'https://bank.example:8443'
  const { cert, caPath = '' } = await loadCertificate(source(dataDir, { publicUrl }), now)
  const leaf = join(dataDir, 'leaf.pem')
  await writeFile(leaf, cert)
  const strictly = ['verify', '-x509_strict', '-check_ss_sig', '-purpose', 'sslserver']
  const verify = (...more: string[]) => run('openssl', [...strictly, '-CAfile', caPath, ...more])
  for (const name of ['localhost', 'bank.example']) await verify('-verify_hostname', name, leaf)
  for (const address of ['127.0.0.1', '::1']) await verify('-verify_ip', address, leaf)
  await assert.rejects(verify('-verify_hostname', 'other.example', leaf), /hostname mismatch/)
})

test('each certificate has its own serial number: random, positive, at most 20 octets', async (t) => {
  const serials = new Set<string>()
  for (let turn = 0; turn < 8; turn++) {
    const { cert, caPath = '' } = await loadCertificate(source(await folder(t)), now)
    for (const pem of [cert, await readFile(caPath)]) {
      const { serialNumber } = new X509Certificate(pem)
      assert.match(serialNumber, /^[0-9A-F]{24,40}$/)
      serials.add(serialNumber)
    }
  }
  assert.equal(serials.size, 16)
})

type Self = { notBefore?: Date; notAfter?: Date; isWeak?: boolean }

/** A certificate that an operator might configure: signed by its own key. */
async function pem({ notBefore = new Date(now), notAfter, isWeak = false }: Self = {}) {
  const [pair, algorithm] = isWeak
    ? [
        generateKeyPairSync('rsa', { modulusLength: 1024 }),
        { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      ]
    : [
        generateKeyPairSync('ec', { namedCurve: 'P-256' }),
        { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
      ]
  await import('reflect-metadata')
  const { X509CertificateGenerator } = await import('@peculiar/x509')
  const made = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    notBefore,
    notAfter: notAfter ?? new Date(notBefore.getTime() + 9 * day),
    signingAlgorithm: algorithm,
    keys: {
      privateKey: pair.privateKey.toCryptoKey(algorithm, true, ['sign']),
      publicKey: pair.publicKey.toCryptoKey(algorithm, true, ['verify']),
    },
  })
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { cert: `${made.toString('pem')}\n`, key }
}

test('a configured certificate is served as it is', async (t) => {
  const dataDir = await folder(t)
  const own = await pem()
  const [tlsCert, tlsKey] = [join(dataDir, 'cert.pem'), join(dataDir, 'key.pem')]
  await writeFile(tlsCert, own.cert + own.cert)
  await writeFile(tlsKey, own.key)
  const loaded = await loadCertificate(source(dataDir, { tlsCert, tlsKey }))
  assert.deepEqual(loaded, { key: own.key, cert: own.cert + own.cert })
  assert.deepEqual((await readdir(dataDir)).sort(), ['cert.pem', 'key.pem'])
  await connected(t, { port: await serving(t, loaded), ca: own.cert, servername: 'localhost' })
})

test('a configured certificate that cannot be used stops the start with one line', async (t) => {
  const good = await pem()
  const at = (days: number) => new Date(now + days * day)
  const encrypted = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  })
  const cases: [RegExp, { cert?: string; key?: string }][] = [
    [/^STRONGROOM_TLS_CERT: .* cannot be read \(ENOENT\)\.$/, { key: good.key }],
    [/^STRONGROOM_TLS_KEY: .* cannot be read \(ENOENT\)\.$/, { cert: good.cert }],
    [/^STRONGROOM_TLS_CERT: .* no PEM certificate\.$/, { ...good, cert: 'certificate' }],
    [/^STRONGROOM_TLS_KEY: .* no unencrypted PEM private key\.$/, { ...good, key: good.cert }],
    [/^STRONGROOM_TLS_KEY: .* no unencrypted/, { ...good, key: encrypted.privateKey }],
    [
      /^STRONGROOM_TLS_KEY: .* not belong to the certificate\.$/,
      { ...good, key: (await pem()).key },
    ],
    [/^STRONGROOM_TLS_CERT: expired on /, await pem({ notBefore: at(-9), notAfter: at(-1) })],
    [/^STRONGROOM_TLS_CERT: not valid before /, await pem({ notBefore: at(1) })],
    [/^STRONGROOM_TLS_CERT: OpenSSL refuses/, await pem({ isWeak: true })],
  ]
  for (const [line, { cert, key }] of cases) {
    const dataDir = await folder(t)
    const [tlsCert, tlsKey] = [join(dataDir, 'cert.pem'), join(dataDir, 'key.pem')]
    if (cert !== undefined) await writeFile(tlsCert, cert)
    if (key !== undefined) await writeFile(tlsKey, key)
    const loading = loadCertificate(source(dataDir, { tlsCert, tlsKey }))
    await assert.rejects(loading, (thrown) => {
      assert.ok(thrown instanceof StartupError, String(thrown))
      assert.match(thrown.message, line)
      return true
    })
  }
})
