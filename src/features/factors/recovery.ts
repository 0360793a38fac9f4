// Recovery codes: ten for each person with a factor, shown once, each of use once.
import { randomBytes } from 'node:crypto'
import type { Passwords } from '../../http/services.ts'
import { base32 } from './totp.ts'

export const recoveryCodesCount = 10
/** 80 bits: 16 digits of base32. */
const codeBytes = 10
const saltBytes = 16

/** `ABCD-EFGH-IJKL-MNOP` as people type it → the 16 digits; case and separators do not matter. */
export const canonicalCode = (typed: string): string => typed.replaceAll(/[\s-]/g, '').toUpperCase()

/** The digits as people are shown them, in groups of four. */
export const toShownCode = (code: string): string => code.match(/.{4}/g)?.join('-') ?? code

/**
 * A code has fewer than 112 bits, so it is hashed like a password (OWASP ASVS 5.0, 6.5.2). The
 * codes of one set share their salt: one hash finds the code that was typed.
 */
export async function hashCode(passwords: Passwords, typed: string, salt: Buffer): Promise<Buffer> {
  const [hashed] = await passwords.hashRaw([canonicalCode(typed)], salt)
  return hashed as Buffer
}

/** Ten new codes as they are shown, and as they are stored. */
export async function newRecoveryCodes(
  passwords: Passwords,
): Promise<{ codes: string[]; stored: { hashes: Buffer[]; salt: Buffer } }> {
  const salt = randomBytes(saltBytes)
  const codes = Array.from({ length: recoveryCodesCount }, () => base32(randomBytes(codeBytes)))
  const hashes = [...(await passwords.hashRaw(codes, salt))]
  return { codes: codes.map(toShownCode), stored: { hashes, salt } }
}
