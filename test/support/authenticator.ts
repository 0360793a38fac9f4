// A passkey in software, for tests: keys, CBOR, COSE and signatures by hand (WebAuthn Level 3), so
// that the service's library is judged by another implementation.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest()

/** The head of a CBOR item (RFC 8949 section 3). */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

type Item = number | string | Buffer | Map<Item, Item> | Item[]

function cbor(item: Item): Buffer {
  if (typeof item === 'number') return item < 0 ? head(1, -1 - item) : head(0, item)
  if (typeof item === 'string') return Buffer.concat([head(3, item.length), Buffer.from(item)])
  if (Buffer.isBuffer(item)) return Buffer.concat([head(2, item.length), item])
  if (Array.isArray(item)) return Buffer.concat([head(4, item.length), ...item.map(cbor)])
  const entries = [...item].flatMap(([key, value]) => [cbor(key), cbor(value)])
  return Buffer.concat([head(5, item.size), ...entries])
}

const flag = { userPresent: 1, userVerified: 4, attested: 64 }

type Attestation = { fmt: string; attStmt: Map<Item, Item> }

/**
 * A valid attestation with a certificate of its own (WebAuthn 8.2): it is refused for its kind
 * alone.
 */
export async function certify(): Promise<(signed: Buffer) => Attestation> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const usage = { name: 'ECDSA', namedCurve: 'P-256' }
  const keys = {
    privateKey: privateKey.toCryptoKey(usage, true, ['sign']),
    publicKey: publicKey.toCryptoKey(usage, true, ['verify']),
  }
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'C=SE, O=Example, OU=Authenticator Attestation, CN=Example',
    serialNumber: '01',
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    keys,
    extensions: [new x509.BasicConstraintsExtension(false)],
  })
  return (signed) => ({
    fmt: 'packed',
    attStmt: new Map<Item, Item>([
      ['alg', -7],
      ['sig', sign('sha256', signed, privateKey)],
      ['x5c', [Buffer.from(made.rawData)]],
    ]),
  })
}

/** The defects of an answer. */
export type Bent = {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  crossOrigin?: boolean
  isVerified?: boolean
  signCount?: number
  /** An attestation of another format than `none`, or how it is made of the bytes that it signs. */
  attestation?: Attestation | ((signed: Buffer) => Attestation)
  userHandle?: string
  /** One bit of the signature is changed. */
  isForged?: boolean
}

export type Creation = { challenge: string; rp: { id: string }; user: { id: string } }
export type Request = { challenge: string; rpId: string }

export class Authenticator {
  readonly id = randomBytes(32)
  readonly origin: string
  signCount = 0
  private readonly privateKey: KeyObject
  private readonly publicKey: Buffer
  private userHandle = ''

  /** ES256, as every browser offers it. */
  constructor(origin: string) {
    this.origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.privateKey = privateKey
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    // COSE_Key (RFC 9053 section 7.1): kty EC2, alg ES256, crv P-256, x, y.
    const key = new Map<Item, Item>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ])
    this.publicKey = cbor(key)
  }

  /** `RegistrationResponseJSON`. */
  create({ challenge, rp, user }: Creation, bent: Bent = {}) {
    this.userHandle = user.id
    const clientData = this.clientData('webauthn.create', challenge, bent)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, this.publicKey])
    const data = Buffer.concat([this.data(rp.id, bent, flag.attested), credential])
    const { attestation: given = { fmt: 'none', attStmt: new Map<Item, Item>() } } = bent
    const signed = Buffer.concat([data, sha256(clientData)])
    const { fmt, attStmt } = typeof given === 'function' ? given(signed) : given
    const attestation = cbor(
      new Map<Item, Item>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', data],
      ]),
    )
    return this.response({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** `AuthenticationResponseJSON`. */
  get({ challenge, rpId }: Request, bent: Bent = {}) {
    const clientData = this.clientData('webauthn.get', challenge, bent)
    const data = this.data(rpId, bent, 0)
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.privateKey)
    if (bent.isForged) signature.writeUInt8(signature.readUInt8(20) ^ 1, 20)
    return this.response({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      // Without one if no person was registered.
      ...((bent.userHandle ?? this.userHandle) && {
        userHandle: bent.userHandle ?? this.userHandle,
      }),
    })
  }

  private clientData(type: string, challenge: string, bent: Bent): Buffer {
    const { origin = this.origin, crossOrigin = false } = bent
    const data = { type: bent.type ?? type, challenge: bent.challenge ?? challenge }
    return Buffer.from(JSON.stringify({ ...data, origin, crossOrigin }))
  }

  /** Authenticator data (section 6.1): the RP, flags, and the counter. */
  private data(rpId: string, bent: Bent, more: number): Buffer {
    const { isVerified = true, signCount = ++this.signCount } = bent
    const flags = flag.userPresent | (isVerified ? flag.userVerified : 0) | more
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(signCount)
    return Buffer.concat([sha256(bent.rpId ?? rpId), Buffer.from([flags]), counter])
  }

  private response<R>(response: R) {
    const id = this.id.toString('base64url')
    const type = 'public-key' as const
    return { id, rawId: id, type, clientExtensionResults: {}, response }
  }
}
