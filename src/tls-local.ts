// With no certificate configured: a certificate authority and a certificate of our own, made once
// in the data folder, so that even the first start on a laptop speaks nothing but HTTPS.
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { generate, SelfsignedOptions } from 'selfsigned'
import { Unstartable } from './database/unstartable.ts'
import type { Certificate } from './tls.ts'

/**
 * The certificate in `<data>/tls` if it still covers the names for a week, else a new one under the
 * same authority. Throws {@link Unstartable} when the folder cannot be read or written.
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
    throw new Unstartable(`${folder} cannot be used for the local certificate (${code}).`, {
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
/** Below the 398 days that browsers accept. */
const serverMs = 397 * dayMs
/** Clients whose clock is a little slow accept the certificate too. */
const leewayMs = 3_600_000

async function readAuthority(folder: string, now: number): Promise<Pair> {
  const path = join(folder, files.authority)
  const kept = await readPair(path)
  let authority = kept
  if (!kept || !isUsable(kept, now) || !new X509Certificate(kept.cert).ca) {
    const made = await make(`Strongroom local CA ${randomBytes(4).toString('hex')}`, now, {
      notAfterDate: new Date(now + authorityMs),
      extensions: [
        // It signs server certificates and nothing else: no further authority, no client, no code.
        { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
        { name: 'keyUsage', keyCertSign: true, critical: true },
        { name: 'extKeyUsage', serverAuth: true },
      ],
    })
    const isFirst = await write(path, made.key + made.cert, kept ? 'replace' : 'create')
    // Two instances may start at once on one folder: the first to write has made the authority.
    authority = isFirst ? made : await readPair(path)
  }
  // Clients may trust the authority that was in there: only the operator decides to give it up.
  if (!authority) {
    throw new Unstartable(`${path} is damaged; restore it or delete it for a new authority.`)
  }
  const trusted = join(folder, files.trusted)
  if ((await contentOf(trusted)) !== authority.cert) await write(trusted, authority.cert, 'replace')
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
  const made = await make(names[0] ?? 'localhost', now, {
    notAfterDate: new Date(Math.min(now + serverMs, issuer.validToDate.getTime())),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: names.map(altName) },
    ],
    ca: authority,
  })
  await write(path, made.key + made.cert, 'replace')
  return made
}

type AltName = { type: 7; ip: string } | { type: 2; value: string }
const altName = (name: string): AltName =>
  isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name }

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

async function make(commonName: string, now: number, options: SelfsignedOptions): Promise<Pair> {
  // Loaded only when needed, which on nearly all starts it is not.
  const selfsigned: { generate: typeof generate } = await import('selfsigned')
  const made = await selfsigned.generate([{ name: 'commonName', value: commonName }], {
    ...options,
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - leewayMs),
  })
  return { key: made.private, cert: asLines(made.cert) }
}

const asLines = (pem: string): string => `${pem.trimEnd()}\n`

/** Undefined when there is no such file, or it does not hold a readable key and certificate. */
async function readPair(path: string): Promise<Pair | undefined> {
  const content = await contentOf(path)
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

async function contentOf(path: string): Promise<string | undefined> {
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
