// Without a configured certificate: a certificate authority and a server certificate in the data
// folder, made once, so that the first start on a laptop already speaks HTTPS.
import { createPrivateKey, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { fileSystemError, StartupError } from '../../domain/startup-error.ts'
import { dayMs } from '../../domain/clock.ts'

/** PEM texts. With `caPath`, clients have to trust that file: the certificate is a local one. */
export type Certificate = { key: string; cert: string; caPath?: string }

/**
 * The certificate in `<data>/tls` if it covers the names for another week, else a new one of the
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
    return { ...server, caPath: join(folder, files.trusted) }
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code
    if (code === undefined) throw thrown
    const message = `${folder} cannot be used for the local certificate (${code}).`
    throw fileSystemError(message, thrown)
  }
}

/**
 * A key and its certificate share one file, so that one rename replaces both. `trusted` holds the
 * certificate of the authority alone: the file to give to clients.
 *
 * The authority's key is kept for renewals and new names: otherwise each of them would need a new
 * authority, and operators who have to confirm one often stop comparing it. The price: with this
 * key, any site can be impersonated to those clients. So only the service's user can read it, like
 * the database beside it. With a configured certificate (STRONGROOM_TLS_CERT) no such key exists.
 */
const files = {
  authority: 'authority.secret.pem',
  server: 'server.secret.pem',
  trusted: 'ca.pem',
} as const

type Pair = { key: string; cert: string }

const renewalMs = 7 * dayMs
const authorityMs = 10 * 365 * dayMs
/** A year: tools warn of more, and browsers refuse more than 398 days. */
const serverMs = 366 * dayMs
/** A certificate begins that long ago: clients whose clock is slow accept it too. */
const leewayMs = 3_600_000

async function readAuthority(folder: string, now: number): Promise<Pair> {
  const path = join(folder, files.authority)
  const found = await readPair(path)
  let authority = found
  if (!found || !isUsable(found, now) || !new X509Certificate(found.cert).ca) {
    const created = await issue(`Strongroom local CA ${randomBytes(4).toString('hex')}`, now)
    await write(path, created.key + created.cert, found ? 'replace' : 'create')
    // Several instances may start at once on one folder: the first to write makes the authority.
    authority = await readPair(path)
  }
  // Clients may trust the damaged authority: only the operator decides to give it up.
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
  const found = await readPair(path)
  if (found && isUsable(found, now)) {
    const leaf = new X509Certificate(found.cert)
    const isIssued = leaf.verify(new X509Certificate(authority.cert).publicKey)
    if (isIssued && names.every((name) => covers(leaf, name))) return found
  }
  const created = await issue(names[0] ?? 'localhost', now, { names, authority })
  await write(path, created.key + created.cert, 'replace')
  return created
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

/** A new key and its certificate: a server's under the authority; without one, an authority's. */
async function issue(
  commonName: string,
  now: number,
  server?: { names: readonly string[]; authority: Pair },
): Promise<Pair> {
  // Nearly all starts need neither. The second needs the first.
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = new x509.Name([{ CN: [commonName] }])
  const subjectKey = publicKey.export({ type: 'spki', format: 'der' })
  const authority = server && new x509.X509Certificate(server.authority.cert)
  const issuerKey = server ? createPrivateKey(server.authority.key) : privateKey
  const notBefore = now - leewayMs
  const latest = authority?.notAfter.getTime() ?? Infinity
  const notAfter = Math.min(notBefore + (server ? serverMs : authorityMs), latest)
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: authority?.subjectName ?? subject,
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    publicKey: subjectKey,
    signingKey: issuerKey.toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']),
    extensions: [
      // The authority signs certificates of servers, and of no further authority. It is not
      // constrained to names, since they may change while clients go on trusting it.
      new x509.BasicConstraintsExtension(!server, server ? undefined : 0, true),
      new x509.KeyUsagesExtension(server ? digitalSignature : keyCertSign | cRLSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      // Strict clients, such as Python's, insist on both identifiers (RFC 5280 section 4.2.1).
      await x509.SubjectKeyIdentifierExtension.create(subjectKey),
      ...(authority ? [await x509.AuthorityKeyIdentifierExtension.create(authority)] : []),
      ...(server ? [new x509.SubjectAlternativeNameExtension(server.names.map(toName))] : []),
    ],
  })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { key, cert: `${certificate.toString('pem').trimEnd()}\n` }
}

const toName = (value: string) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const

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
 * Writes the whole file or nothing, readable by its owner only. `create` leaves a file that another
 * instance made in the meantime.
 */
async function write(path: string, content: string, how: 'create' | 'replace'): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
    if (how === 'replace') await rename(temporary, path)
    else await link(temporary, path)
  } catch (thrown) {
    if (how === 'replace' || (thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
  } finally {
    await rm(temporary, { force: true })
  }
}
