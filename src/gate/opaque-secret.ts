// Secrets that mean nothing by themselves: tokens of refresh, of mails and of devices, handles of
// sessions. Only their hashes are stored.
import { createHash, randomBytes } from 'node:crypto'

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** 256 random bits, in the form `opaqueSecret` of `domain/secret-forms.ts`. */
export const newSecret = (): string => randomBytes(32).toString('base64url')
