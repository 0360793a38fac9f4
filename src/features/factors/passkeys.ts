// Passkeys (WebAuthn Level 3), judged by @simplewebauthn/server: what a browser is asked for, and
// whether its answer is right. User verification is always required, so a passkey is two factors.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Static } from '../../domain/type.ts'
import { passkeyChallenge, relyingParty, type StoredChallenge } from '../../gate/challenges.ts'
import type { PasskeyAssertion, PasskeyRegistration } from './schemas.ts'

/** COSE: ES256, EdDSA, RS256 (RFC 9053, RFC 8812). */
const algorithms = [-7, -8, -257]

/** The identifier of a person as an authenticator keeps it: the 16 bytes of the UUID. */
const userHandle = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url')

export const toCredentialId = (text: string): Buffer => Buffer.from(text, 'base64url')

type Origin = { publicUrl: string }

/** `PublicKeyCredentialCreationOptionsJSON`, for `parseCreationOptionsFromJSON`. */
export const creationOptions = (
  challenge: StoredChallenge,
  { publicUrl, bankName }: Origin & { bankName: string },
  user: { id: string; username: string },
  known: readonly { credentialId: Buffer; transports: readonly string[] }[],
) => ({
  challenge: passkeyChallenge(challenge),
  rp: { id: relyingParty(publicUrl), name: bankName },
  user: { id: userHandle(user.id), name: user.username, displayName: user.username },
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
  timeout: 5 * 60_000,
  attestation: 'none' as const,
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true,
    userVerification: 'required' as const,
  },
  excludeCredentials: known.map(({ credentialId, transports }) => ({
    type: 'public-key' as const,
    id: credentialId.toString('base64url'),
    transports: [...transports],
  })),
})

/** The page was in a frame of another page. */
const isFramed = (clientDataJSON: string): boolean => {
  const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as unknown
  return (data as { crossOrigin?: unknown }).crossOrigin === true
}

export type NewPasskey = {
  credentialId: Buffer
  publicKey: Buffer
  signCount: number
  transports: readonly string[]
}

/**
 * The passkey of a registration; undefined when anything about it is wrong. Attestation is not
 * asked for, and refused: to judge it the library would fetch what a client's certificate names.
 */
export async function verifyRegistration(
  given: Static<typeof PasskeyRegistration>,
  challenge: StoredChallenge,
  { publicUrl }: Origin,
): Promise<NewPasskey | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const response = given as RegistrationResponseJSON
  try {
    const { attestationObject, clientDataJSON, transports = [] } = given.response
    const attestation = decodeAttestationObject(
      new Uint8Array(Buffer.from(attestationObject, 'base64url')),
    )
    const format = attestation.get('fmt')
    const isSelf = format === 'packed' && !attestation.get('attStmt').get('x5c')
    if ((format !== 'none' && !isSelf) || isFramed(clientDataJSON)) return undefined
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: passkeyChallenge(challenge),
      expectedOrigin: publicUrl,
      expectedRPID: relyingParty(publicUrl),
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    const known = { credentialId: toCredentialId(id), publicKey: Buffer.from(publicKey) }
    return { ...known, signCount: counter, transports }
  } catch {
    // The library throws for whatever is wrong with what a client sent.
    return undefined
  }
}

export type StoredPasskey = { userId: string; publicKey: Buffer }

/** The signature counter of a right answer; undefined when anything else about it is wrong. */
export async function verifyAssertion(
  given: Static<typeof PasskeyAssertion>,
  stored: StoredPasskey,
  challenge: StoredChallenge,
  { publicUrl }: Origin,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const response = given as AuthenticationResponseJSON
  try {
    const { clientDataJSON, userHandle: handle } = given.response
    const isOfOther = handle !== undefined && handle !== userHandle(stored.userId)
    if (isOfOther || isFramed(clientDataJSON)) return undefined
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: passkeyChallenge(challenge),
      expectedOrigin: publicUrl,
      expectedRPID: relyingParty(publicUrl),
      requireUserVerification: true,
      credential: {
        id: given.id,
        publicKey: new Uint8Array(stored.publicKey),
        // The statement that stores the new one compares them (`usePasskey`).
        counter: 0,
      },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}
