// With no certificate configured: a certificate authority and a certificate of our own, made once
// in the data folder, so that even the first start on a laptop speaks nothing but HTTPS.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  type webcrypto,
  X509Certificate,
} from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { StartupError } from '../domain/startup-error.ts'

/** PEM texts. With `caPath`, clients have to trust that file: the certificate is a local one. */
export type Certificate = { key: string; cert: string; caPath?: string }

/**
 * The certificate in `<data>/tls` if it still covers the names for a week, else a new one under the
 * same authority. Throws {@link StartupError} when the folder cannot be read or written.
 */
export async function localCertificate(
  dataDir: string,
  names: readonly string[],
  now: number,
): Promise<Certificate> {
  const folder = join(dataDir, 'tls')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
    const authority = await readAuthority(folder, now)
    const server = await readServer(folder, authority, names, now)
    return { key: server.key, cert: server.cert, caPath: join(folder, files.trusted) }
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code
    if (code === undefined) throw thrown
    throw new StartupError(`${folder} cannot be used for the local certificate (${code}).`, {
      cause: thrown,
    })
  }
}

/**
 * Key and certificate share one file each, so that one rename replaces both and no crash can part
 * them. `trusted` is the authority's certificate alone: the file to give to clients.
 *
 * The authority's key is kept. Without it each renewal and each new name would need a new authority
 * that every client has to be told to trust again; people who are asked that often stop looking.
 * The price is that who reads it can impersonate any site to those clients; so it lies where the
 * token keys and the database lie, readable by the service's user only, and real deployments bring
 * their own certificate (STRONGROOM_TLS_CERT), so that no such key exists.
 */
const files = {
  authority: 'authority.secret.pem',
  server: 'server.secret.pem',
  trusted: 'ca.pem',
} as const

type Pair = { key: string; cert: string }

const dayMs = 86_400_000
const renewalMs = 7 * dayMs
const authorityMs = 10 * 365 * dayMs
/** From its beginning on; below the 398 days that browsers accept. */
const serverMs = 397 * dayMs
/** Clients whose clock is a little slow accept the certificate too. */
const leewayMs = 3_600_000

async function readAuthority(folder: string, now: number): Promise<Pair> {
  const path = join(folder, files.authority)
  const kept = await readPair(path)
  let authority = kept
  if (!kept || !isUsable(kept, now) || !new X509Certificate(kept.cert).ca) {
    const commonName = `Strongroom local CA ${randomBytes(4).toString('hex')}`
    const made = await make(commonName, validitySpan(now, authorityMs))
    const isFirst = await write(path, made.key + made.cert, kept ? 'replace' : 'create')
    // Two instances may start at once on one folder: the first to write has made the authority.
    authority = isFirst ? made : await readPair(path)
  }
  // Clients may trust the authority that was in there: only the operator decides to give it up.
  if (!authority) {
    throw new StartupError(`${path} is damaged; restore it or delete it for a new authority.`)
  }
  const trusted = join(folder, files.trusted)
  if ((await readIfPresent(trusted)) !== authority.cert)
    await write(trusted, authority.cert, 'replace')
  return authority
}

async function readServer(
  folder: string,
  authority: Pair,
  names: readonly string[],
  now: number,
): Promise<Pair> {
  const path = join(folder, files.server)
  const issuer = new X509Certificate(authority.cert)
  const kept = await readPair(path)
  if (kept && isUsable(kept, now)) {
    const leaf = new X509Certificate(kept.cert)
    if (leaf.verify(issuer.publicKey) && names.every((name) => covers(leaf, name))) return kept
  }
  const span = validitySpan(now, serverMs, issuer.validToDate.getTime())
  const made = await make(names[0] ?? 'localhost', span, { names, authority })
  await write(path, made.key + made.cert, 'replace')
  return made
}

const covers = (leaf: X509Certificate, name: string): boolean =>
  (isIP(name) === 0 ? leaf.checkHost(name, { subject: 'never' }) : leaf.checkIP(name)) !== undefined

function isUsable({ key, cert }: Pair, now: number): boolean {
  const certificate = new X509Certificate(cert)
  return (
    certificate.checkPrivateKey(createPrivateKey(key)) &&
    certificate.validFromDate.getTime() <= now &&
    certificate.validToDate.getTime() >= now + renewalMs
  )
}

type Span = { notBefore: Date; notAfter: Date }

const validitySpan = (now: number, lengthMs: number, latest = Infinity): Span => ({
  notBefore: new Date(now - leewayMs),
  notAfter: new Date(Math.min(now - leewayMs + lengthMs, latest)),
})

const keyType = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** A new key and its certificate: a server's under the authority; without one, an authority's. */
async function make(
  commonName: string,
  span: Span,
  server?: { names: readonly string[]; authority: Pair },
): Promise<Pair> {
  // Loaded only when needed, which on nearly all starts it is not; the second needs the first.
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: keyType.namedCurve })
  const issuerKey = server ? createPrivateKey(server.authority.key) : privateKey
  const subject = new x509.Name([{ CN: [commonName] }])
  const keys: Keys = {
    subject: publicKey.toCryptoKey(keyType, true, ['verify']),
    issuer: createPublicKey(issuerKey).toCryptoKey(keyType, true, ['verify']),
  }
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject,
    issuer: server ? new x509.X509Certificate(server.authority.cert).subjectName : subject,
    ...span,
    publicKey: keys.subject,
    signingKey: issuerKey.toCryptoKey(keyType, false, ['sign']),
    signingAlgorithm: { name: keyType.name, hash: 'SHA-256' },
    extensions: await (server
      ? serverExtensions(x509, keys, server.names)
      : authorityExtensions(x509, keys)),
  })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { key, cert: asLines(made.toString('pem')) }
}

type Library = typeof import('@peculiar/x509')
type Keys = { subject: webcrypto.CryptoKey; issuer: webcrypto.CryptoKey }

/**
 * It signs server certificates and nothing else: no further authority, no client, no code. It is
 * not constrained to names, since those may change while clients go on trusting it.
 */
const authorityExtensions = async (x509: Library, { subject }: Keys) => [
  new x509.BasicConstraintsExtension(true, 0, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
  new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
  await x509.SubjectKeyIdentifierExtension.create(subject),
]

/** With both key identifiers (RFC 5280 section 4.2.1): strict clients, Python's say, insist. */
const serverExtensions = async (x509: Library, keys: Keys, names: readonly string[]) => [
  new x509.BasicConstraintsExtension(false, undefined, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
  new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
  new x509.SubjectAlternativeNameExtension(
    names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
  ),
  await x509.SubjectKeyIdentifierExtension.create(keys.subject),
  await x509.AuthorityKeyIdentifierExtension.create(keys.issuer),
]

/** Random, positive and never with a leading zero (RFC 5280 section 4.1.2.2). */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

const asLines = (pem: string): string => `${pem.trimEnd()}\n`

/** Undefined when there is no such file, or it does not hold a readable key and certificate. */
async function readPair(path: string): Promise<Pair | undefined> {
  const content = await readIfPresent(path)
  const [, key, cert] = pairShape.exec(content ?? '') ?? []
  if (key === undefined || cert === undefined) return undefined
  try {
    createPrivateKey(key)
    new X509Certificate(cert)
    return { key, cert }
  } catch {
    return undefined
  }
}

const pairShape = /^([^]*?-----END PRIVATE KEY-----\n)([^]+)$/

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}

/**
 * Writes the whole file or nothing, readable by its owner only. `create` leaves a file that
 * somebody else made in the meantime, and then gives false.
 */
async function write(path: string, content: string, how: 'create' | 'replace'): Promise<boolean> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
    if (how === 'replace') await rename(temporary, path)
    else await link(temporary, path)
    return true
  } catch (thrown) {
    if (how === 'create' && (thrown as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw thrown
  } finally {
    await rm(temporary, { force: true })
  }
}
