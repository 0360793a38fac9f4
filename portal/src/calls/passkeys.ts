// Passkeys of the browser (WebAuthn Level 3). It reads and writes their JSON form itself; what does
// not know that form yet gets it converted here.
import { Failure } from '../state/failure.ts'
import type { Challenge, Enrolment } from '../state/types.ts'

type Creation = NonNullable<Enrolment['passkey']>
type CreationJson = PublicKeyCredentialCreationOptionsJSON
type RequestJson = PublicKeyCredentialRequestOptionsJSON

/** Base64url without padding (RFC 4648 section 5). */
const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const toDescriptors = (known: Creation['excludeCredentials']) =>
  known.map(({ id, transports }) => ({
    type: 'public-key' as const,
    id: toBytes(id),
    transports: [...transports] as AuthenticatorTransport[],
  }))

/** Browsers before 2025 have none of these. */
const methods = (): Partial<typeof PublicKeyCredential> => PublicKeyCredential

/** Makes a passkey. Throws the `Failure` `already_exists`, or else `passkey_failed`. */
export function createPasskey(options: Creation): Promise<object> {
  const publicKey = methods().parseCreationOptionsFromJSON?.(options as CreationJson) ?? {
    ...options,
    pubKeyCredParams: [...options.pubKeyCredParams],
    challenge: toBytes(options.challenge),
    user: { ...options.user, id: toBytes(options.user.id) },
    excludeCredentials: toDescriptors(options.excludeCredentials),
  }
  return ask(() => navigator.credentials.create({ publicKey }))
}

/** Answers a challenge with a passkey. Throws the `Failure` `passkey_failed` if there is none. */
export function askPasskey({ passkey: options }: Challenge): Promise<object> {
  if (!options) throw new Failure('passkey_failed')
  const publicKey = methods().parseRequestOptionsFromJSON?.(options as RequestJson) ?? {
    ...options,
    challenge: toBytes(options.challenge),
    allowCredentials: toDescriptors(options.allowCredentials),
  }
  return ask(() => navigator.credentials.get({ publicKey }))
}

async function ask(work: () => Promise<Credential | null>): Promise<object> {
  try {
    return toJson((await work()) as PublicKeyCredential)
  } catch (thrown) {
    const isKnown = (thrown as Partial<DOMException>).name === 'InvalidStateError'
    throw new Failure(isKnown ? 'already_exists' : 'passkey_failed')
  }
}

const members = [
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle',
] as const

function toJson(credential: PublicKeyCredential): object {
  if ('toJSON' in credential) return credential.toJSON()
  const { id, response } = credential as PublicKeyCredential
  const given = response as Partial<Record<(typeof members)[number], ArrayBuffer | null>>
  const known = members.flatMap((name) => {
    const bytes = given[name]
    return bytes ? [[name, toText(bytes)]] : []
  })
  const transports = (response as Partial<AuthenticatorAttestationResponse>).getTransports?.()
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: { ...Object.fromEntries(known), ...(transports && { transports }) },
  }
}
