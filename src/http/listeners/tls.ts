// The certificate of the HTTPS listener, and the TLS policy of its connections.
import { constants, createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, type Server } from 'node:tls'
import { type Clock, systemClock } from '../../domain/clock.ts'
import type { Config } from '../../config/config.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { describeError, type Log } from '../../telemetry/log.ts'
import { type Certificate, localCertificate } from './local-certificate.ts'

export type CertificateSource = Pick<
  Config,
  'dataDir' | 'host' | 'publicUrl' | 'tlsCert' | 'tlsKey'
>

/**
 * The configured certificate, else a local one in the data folder. `now` is the wall clock's time,
 * by which clients judge it. Throws {@link StartupError} when none can be used or made.
 */
export async function loadCertificate(
  config: CertificateSource,
  now: number = systemClock().now(),
): Promise<Certificate> {
  if (config.tlsCert !== undefined && config.tlsKey !== undefined) {
    return await configuredCertificate(config.tlsCert, config.tlsKey, now)
  }
  return await localCertificate(config.dataDir, findHostNames(config), now)
}

const renewalIntervalMs = 3_600_000

type RenewalParts = {
  config: CertificateSource
  clock: Pick<Clock, 'now'>
  log: Pick<Log, 'info' | 'error'>
  /** The certificate in use. */
  certificate: Certificate
  server: Pick<Server, 'setSecureContext'>
}

export type Renewal = {
  stop(): void
  /** Renews it now, if it is not under way. Resolves at its end with whether it could be loaded. */
  renew(): Promise<boolean>
  /** Resolves when no renewal is under way. */
  settled(): Promise<unknown>
  /** When the certificate in use expires, in seconds since the epoch. */
  expiresAt(): number
}

/**
 * Loads the certificate again each hour, and when asked to: a local one is renewed a week before
 * its end, a configured one is read anew. New connections get it. For one that cannot be loaded a
 * line is logged, and the old one stays.
 */
export function keepRenewed({ config, clock, log, certificate, server }: RenewalParts): Renewal {
  let { cert } = certificate
  let renewing: Promise<boolean> | undefined
  async function load(): Promise<boolean> {
    try {
      const next = await loadCertificate(config, clock.now())
      if (next.cert === cert) return true
      server.setSecureContext({ ...tlsOptions, key: next.key, cert: next.cert })
      cert = next.cert
      log.info({}, 'the certificate was renewed')
      return true
    } catch (thrown) {
      const because = thrown instanceof StartupError ? { because: thrown.message } : {}
      log.error(
        { ...because, error: describeError(thrown) },
        'the certificate could not be renewed',
      )
      return false
    }
  }
  const renew = (): Promise<boolean> => (renewing ??= load().finally(() => (renewing = undefined)))
  const timer = setInterval(() => void renew(), renewalIntervalMs).unref()
  return {
    stop: () => clearInterval(timer),
    renew,
    settled: async () => renewing,
    expiresAt: () => new X509Certificate(cert).validToDate.getTime() / 1000,
  }
}

/**
 * TLS 1.2 and 1.3 with forward secrecy and authenticated encryption only (RFC 9325 section 4.2):
 * Node's own list still offers RSA key exchange and CBC under 1.2. The first group protects a
 * recording from a later quantum computer.
 */
export const tlsOptions = Object.freeze({
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE+AESGCM',
    'ECDHE+CHACHA20',
  ].join(':'),
  honorCipherOrder: true,
  ecdhCurve: ['X25519MLKEM768:X25519:P-256', 'X25519:P-256'].find(isOffered) ?? 'auto',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const)

/** Whether this OpenSSL knows the groups: X25519MLKEM768 came with 3.5, in Node 24. */
function isOffered(ecdhCurve: string): boolean {
  return attempt(() => createSecureContext({ ecdhCurve })) !== undefined
}

/** The names under which clients reach the service; a wildcard address is none. */
function findHostNames({ host, publicUrl }: CertificateSource): string[] {
  const publicHost = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  return ['localhost', '127.0.0.1', '::1', host, ...publicHost]
    .map((name) => name.replace(/^\[(.*)\]$/, '$1').toLowerCase())
    .filter((name, index, all) => all.indexOf(name) === index && !wildcards.includes(name))
}

const wildcards = ['0.0.0.0', '::']

async function configuredCertificate(
  certPath: string,
  keyPath: string,
  now: number,
): Promise<Certificate> {
  const cert = await readConfigured('STRONGROOM_TLS_CERT', certPath)
  const key = await readConfigured('STRONGROOM_TLS_KEY', keyPath)
  const leaf = attempt(() => new X509Certificate(cert))
  if (!leaf) throw new StartupError('STRONGROOM_TLS_CERT: the file holds no PEM certificate.')
  const privateKey = attempt(() => createPrivateKey(key))
  if (!privateKey) {
    throw new StartupError('STRONGROOM_TLS_KEY: the file holds no unencrypted PEM private key.')
  }
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new StartupError('STRONGROOM_TLS_KEY: the key does not belong to the certificate.')
  }
  if (leaf.validFromDate.getTime() > now) {
    throw new StartupError(`STRONGROOM_TLS_CERT: not valid before ${leaf.validFrom}.`)
  }
  if (leaf.validToDate.getTime() <= now) {
    throw new StartupError(`STRONGROOM_TLS_CERT: expired on ${leaf.validTo}.`)
  }
  // OpenSSL refuses keys and signatures that are too weak.
  if (!attempt(() => createSecureContext({ ...tlsOptions, key, cert }))) {
    throw new StartupError('STRONGROOM_TLS_CERT: OpenSSL refuses the certificate or its key.')
  }
  return { key, cert }
}

async function readConfigured(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new StartupError(`${setting}: ${path} cannot be read (${code}).`, { cause: thrown })
  }
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}
