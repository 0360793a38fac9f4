// Answers of an authenticator in form only.
import type { Random } from '../support/random.ts'

/** Its parts are other bytes, or none that anything can read. */
export function anyPasskey(random: Random, isNew: boolean): object {
  const bytes = () =>
    random.pick([
      'AQIDBA',
      Buffer.from('{"type":"webauthn.get","challenge":"x","origin":"y"}').toString('base64url'),
      Buffer.from('{}').toString('base64url'),
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746141', 'hex').toString(
        'base64url',
      ),
    ])
  const answered = isNew
    ? { attestationObject: bytes() }
    : { authenticatorData: bytes(), signature: bytes() }
  return {
    id: 'AQIDBA',
    rawId: 'AQIDBA',
    type: 'public-key',
    clientExtensionResults: {},
    response: { clientDataJSON: bytes(), ...answered },
  }
}
