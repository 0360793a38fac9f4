// One-time codes by time (RFC 6238 with the values that every authenticator application knows:
// HMAC-SHA-1, steps of 30 seconds, six digits), and how their secrets are stored.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const stepMs = 30_000
const digits = 6
/** Steps before and after the current one whose codes are right as well (RFC 6238 section 5.2). */
const drift = 1

/** 160 random bits, as long as the output of the HMAC (RFC 4226 section 4, R6). */
export const newTotpSecret = (): Buffer => randomBytes(20)

export const totpStep = (now: number): number => Math.floor(now / stepMs)

/** The code of a step (RFC 4226 section 5.3). */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits
  return String(number).padStart(digits, '0')
}

/**
 * The newest step around `now` that has this code and is after `lastStep`; undefined if there is
 * none. A code is used once: the caller stores its step.
 */
export function findStep(
  secret: Buffer,
  code: string,
  { now, lastStep }: { now: number; lastStep: number },
): number | undefined {
  const given = Buffer.from(code)
  const current = totpStep(now)
  let found: number | undefined
  for (let step = current - drift; step <= current + drift; step++) {
    const right = Buffer.from(totpCode(secret, step))
    const isRight = given.length === right.length && timingSafeEqual(given, right)
    if (isRight && step > lastStep) found = step
  }
  return found
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 without padding (RFC 4648 section 6). */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

/** The link that an authenticator application reads from a QR code. */
export function totpUri(secret: Buffer, issuer: string, username: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(username)}`
  const query = `secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=${digits}&period=${stepMs / 1000}`
}

const cipher = 'aes-256-gcm'
const [ivBytes, tagBytes] = [12, 16]

/** Sealed by AES-256-GCM for one factor: moved to another factor, it does not open. */
export function sealSecret(secret: Buffer, key: Buffer, factorId: string): Buffer {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(factorId))
  return Buffer.concat([iv, sealing.update(secret), sealing.final(), sealing.getAuthTag()])
}

/** Throws when it was sealed for another factor or with another key, or was changed. */
export function unsealSecret(sealed: Buffer, key: Buffer, factorId: string): Buffer {
  const end = sealed.length - tagBytes
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  opening.setAAD(Buffer.from(factorId)).setAuthTag(sealed.subarray(end))
  return Buffer.concat([opening.update(sealed.subarray(ivBytes, end)), opening.final()])
}
