// Schemas of factors, and of what browsers answer for passkeys.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { challengeMethods } from '../../domain/errors.ts'
import { ChallengeId, FactorId, foreignKey } from '../../domain/ids.ts'
import { closed, Name, named, nullable, oneOf, open, secretKey, Time } from '../../domain/schema.ts'
import { factorKinds, type ListedFactor } from './sql.ts'

const bytes = (maxLength: number, options: object = {}) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]*$',
    minLength: 1,
    maxLength,
    description: 'Base64url without padding (RFC 4648 section 5).',
    examples: ['AQIDBA'],
    ...options,
  })

/** An identifier that an authenticator chose: of nothing that the bank has by itself. */
const CredentialId = bytes(1366, { [foreignKey]: true })

/** Clients and authenticators add to them, and what they add decides nothing here. */
const ignored = {
  description: 'Members that are not named here are ignored (WebAuthn Level 3, section 7.1).',
}

const credential = {
  id: CredentialId,
  rawId: CredentialId,
  type: oneOf(['public-key']),
  authenticatorAttachment: Type.Optional(nullable(oneOf(['platform', 'cross-platform']))),
  clientExtensionResults: open({}, ignored),
}

/** `RegistrationResponseJSON`: `PublicKeyCredential.toJSON()` of a new passkey. */
export const PasskeyRegistration = open(
  {
    ...credential,
    response: open(
      {
        clientDataJSON: bytes(4096),
        attestationObject: bytes(16_384),
        authenticatorData: Type.Optional(bytes(8192)),
        publicKey: Type.Optional(nullable(bytes(8192))),
        publicKeyAlgorithm: Type.Optional(
          Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }),
        ),
        transports: Type.Optional(
          Type.Array(Type.String({ pattern: '^[a-z-]+$', minLength: 1, maxLength: 32 }), {
            maxItems: 16,
          }),
        ),
      },
      ignored,
    ),
  },
  { title: 'PasskeyRegistration', ...ignored },
)

/** `AuthenticationResponseJSON`: `PublicKeyCredential.toJSON()` of an assertion. */
export const PasskeyAssertion = open(
  {
    ...credential,
    response: open(
      {
        clientDataJSON: bytes(4096),
        authenticatorData: bytes(8192),
        signature: bytes(8192),
        userHandle: Type.Optional(bytes(128)),
        attestationObject: Type.Optional(nullable(bytes(16_384))),
      },
      ignored,
    ),
  },
  { title: 'PasskeyAssertion', ...ignored },
)

/** A one-time code (RFC 6238). */
export const Code = Type.String({
  pattern: '^[0-9]{6}$',
  minLength: 6,
  maxLength: 6,
  examples: ['755224'],
  [secretKey]: true,
})

/** A recovery code, however it was typed. */
export const RecoveryCode = Type.String({
  minLength: 16,
  maxLength: 32,
  pattern: '^[A-Za-z2-7 -]+$',
  examples: ['ABCD-EFGH-IJKL-MNOP'],
  [secretKey]: true,
})

export const Factor = named('Factor', {
  id: FactorId,
  kind: oneOf(factorKinds),
  name: Name,
  createdAt: Time,
  lastUsedAt: nullable(Time),
})

export const factorsMax = 10

export const toFactor = (row: ListedFactor): Static<typeof Factor> => ({
  ...row,
  createdAt: rfc3339(row.createdAt.getTime()),
  lastUsedAt: row.lastUsedAt && rfc3339(row.lastUsedAt.getTime()),
})

const Label = Type.String({ maxLength: 512 })
const Descriptors = Type.Array(
  named('PasskeyDescriptor', {
    type: oneOf(['public-key']),
    id: Label,
    transports: Type.Array(Label, { maxItems: 16 }),
  }),
  { maxItems: 32 },
)

/** `PublicKeyCredentialCreationOptionsJSON`. */
export const PasskeyCreation = named('PasskeyCreation', {
  challenge: Label,
  rp: closed({ id: Label, name: Label }),
  user: closed({ id: Label, name: Label, displayName: Label }),
  pubKeyCredParams: Type.Array(
    closed({
      type: oneOf(['public-key']),
      alg: Type.Integer({ minimum: -65535, maximum: 65535, examples: [-7] }),
    }),
    { maxItems: 8 },
  ),
  timeout: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, examples: [300_000] }),
  attestation: oneOf(['none']),
  authenticatorSelection: closed({
    residentKey: oneOf(['required']),
    requireResidentKey: Type.Boolean(),
    userVerification: oneOf(['required']),
  }),
  excludeCredentials: Descriptors,
})

/** `PublicKeyCredentialRequestOptionsJSON`. */
const PasskeyRequest = named('PasskeyRequest', {
  challenge: Label,
  rpId: Label,
  timeout: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, examples: [300_000] }),
  userVerification: oneOf(['required']),
  allowCredentials: Descriptors,
})

export const ChallengeMethod = oneOf(challengeMethods, { title: 'ChallengeMethod' })

/** A challenge in a reply; in a refusal it has the same form. */
export const ChallengeReply = named('Challenge', {
  id: ChallengeId,
  expiresAt: Time,
  methods: Type.Array(ChallengeMethod, { maxItems: challengeMethods.length }),
  passkey: Type.Optional(PasskeyRequest),
})
