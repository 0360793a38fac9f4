// The certificate authorities that the issuer's certificate has to come from.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { StartupError } from '../../domain/startup-error.ts'

const begin = '-----BEGIN CERTIFICATE-----'

/**
 * In PEM; undefined where the usual ones are meant.
 *
 * @throws {@link StartupError} for a file that is missing or holds no certificate
 */
export async function readAuthorities({
  oidcCa,
}: Pick<Config, 'oidcCa'>): Promise<string | undefined> {
  if (oidcCa === undefined) return undefined
  try {
    const text = await readFile(oidcCa, 'utf8')
    const each = text.split(begin).slice(1)
    for (const body of each) void new X509Certificate(begin + body)
    if (each.length > 0) return text
  } catch {
    // Told below: neither the path nor the content is repeated.
  }
  throw new StartupError('STRONGROOM_OIDC_CA has to name a file with certificates in PEM.')
}
