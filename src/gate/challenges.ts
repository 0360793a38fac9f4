// Challenges that a person answers with a second factor: to log in, to enrol another factor, or to
// confirm a request. Stored here, so that each is answered once, in time, and by its own person.
import { randomBytes } from 'node:crypto'
import { rfc3339 } from '../domain/clock.ts'
import type { Challenge } from '../domain/errors.ts'
import { newId } from '../domain/ids.ts'
import { insertInto } from '../database/statements/rows.ts'
import {
  type Db,
  one,
  type RowOf,
  select,
  sql,
  statement,
} from '../database/statements/statement.ts'
import { LoggedError } from '../domain/logged-error.ts'

/** Also of an enrolment that was not finished. */
export const challengeLifetimeMs = 5 * 60_000
const triesMax = 5

const made = {
  id: 'uuid',
  purpose: 'text',
  userId: 'uuid?',
  sessionId: 'uuid?',
  passwordVersion: 'int4?',
  countedAs: 'text?',
  operation: 'text?',
  terms: 'jsonb?',
  digest: 'bytea?',
  origin: 'jsonb?',
  nonce: 'bytea',
  expiresAt: 'timestamptz',
} as const
const columns = { ...made, confirmedAt: 'timestamptz?' } as const
export type StoredChallenge = RowOf<typeof columns>

const insertChallenge = insertInto(
  'challenges_insert',
  'challenges',
  { ...made, createdAt: 'timestamptz' },
  { gives: columns },
)

/** What a challenge is for; each purpose has the fields of the table's constraints. */
export type NewChallenge = {
  purpose: 'login' | 'passkey-login' | 'enrolment' | 'confirmation'
  /** The challenge's identifier; a new one if absent. */
  id?: string
  userId?: string
  sessionId?: string
  /** The version of the password that a login has checked. */
  passwordVersion?: number
  /** The limit key of the failures of a login. */
  countedAs?: string
  operation?: string
  terms?: unknown
  /** SHA-256 of the canonical terms, 32 bytes. */
  digest?: Buffer
  /** Where the session of a login begins whose first step was the issuer's, as JSON. */
  origin?: unknown
}

/** Stores a challenge that is valid for five minutes and five tries. */
export async function addChallenge(
  db: Db,
  { id, purpose, ...about }: NewChallenge,
  now: number,
): Promise<StoredChallenge> {
  const stored = await insertChallenge(db, {
    id: id ?? newId(now),
    purpose,
    userId: about.userId ?? null,
    sessionId: about.sessionId ?? null,
    passwordVersion: about.passwordVersion ?? null,
    countedAs: about.countedAs ?? null,
    operation: about.operation ?? null,
    terms: about.terms ?? null,
    digest: about.digest ?? null,
    origin: about.origin ?? null,
    nonce: randomBytes(32),
    createdAt: new Date(now),
    expiresAt: new Date(now + challengeLifetimeMs),
  })
  if (!stored) throw new LoggedError('A challenge was not stored')
  return stored
}

const findOne = statement(
  'challenges_find_login',
  ['uuid', 'timestamptz'],
  columns,
  sql`select ${select(columns)} from challenges
   where id = $1 and expires_at > $2 and purpose in ('login', 'passkey-login')`,
)
/** The challenge of a login, whether or not it was answered; undefined when it has expired. */
export const findLoginChallenge = (db: Db, id: string, now: number) =>
  one(db, findOne, [id, new Date(now)])

const takeOne = statement(
  'challenges_take_try',
  ['uuid', 'text', 'timestamptz', 'int4'],
  columns,
  sql`update challenges set tries = tries + 1
   where id = $1 and purpose = $2 and expires_at > $3 and tries < $4
     and confirmed_at is null and used_at is null
   returning ${select(columns)}`,
)
/**
 * Takes one of the five tries of a challenge. Committed before the proof is judged, so that no
 * failure or race gives another one. Undefined when it is unknown, expired, answered or has no try
 * left.
 */
export const takeTry = (db: Db, id: string, purpose: NewChallenge['purpose'], now: number) =>
  one(db, takeOne, [id, purpose, new Date(now), triesMax])

const useOne = statement(
  'challenges_use',
  ['uuid', 'timestamptz'],
  { id: 'uuid' },
  `update challenges set used_at = $2 where id = $1 and used_at is null and expires_at > $2
   returning id`,
)
/** Uses a challenge up. Of any number of simultaneous uses exactly one is not undefined. */
export const useChallenge = (tx: Db, id: string, now: number) =>
  one(tx, useOne, [id, new Date(now)])

const findOpen = statement(
  'challenges_find_open',
  ['uuid'],
  { id: 'uuid' },
  'select id from challenges where id = $1 and used_at is null',
)
/** Whether a challenge was not used up. */
export const isOpen = async (tx: Db, id: string): Promise<boolean> =>
  (await one(tx, findOpen, [id])) !== undefined

/** What a person can answer with: the kinds of their active factors, and their passkeys. */
export type Means = {
  hasTotp: boolean
  /** The session began at the issuer with its second factor, and can be confirmed there again. */
  hasIssuer?: boolean
  passkeys: readonly { credentialId: Buffer; transports: readonly string[] }[]
}

const listMeans = statement(
  'challenges_list_means',
  ['uuid'],
  { kind: 'text', credentialId: 'bytea?', transports: 'text[]' },
  `select kind, credential_id as "credentialId", transports from factors
   where user_id = $1 and activated_at is not null order by id`,
)
export async function readMeans(db: Db, userId: string): Promise<Means> {
  const rows = await db.run(listMeans, [userId])
  return {
    hasTotp: rows.some(({ kind }) => kind === 'totp'),
    passkeys: rows.flatMap(({ credentialId, transports }) =>
      credentialId ? [{ credentialId, transports: transports as string[] }] : [],
    ),
  }
}

/** The bytes that a passkey signs: the digest of the terms, if there are any, and the nonce. */
export const passkeyChallenge = ({
  digest,
  nonce,
}: Pick<StoredChallenge, 'digest' | 'nonce'>): string =>
  Buffer.concat([digest ?? Buffer.alloc(0), nonce]).toString('base64url')

/** The relying party of WebAuthn: the host of the public URL. */
export const relyingParty = (publicUrl: string): string => new URL(publicUrl).hostname

/**
 * The challenge in the form in which a client is told of it.
 *
 * @param stored as {@link addChallenge} gave it
 * @param means what the person can answer with; none on a login by passkey alone, where the
 * authenticator offers its own
 */
export function describeChallenge(
  stored: StoredChallenge,
  means: Means | undefined,
  publicUrl: string,
): Challenge {
  const { id, purpose, expiresAt, terms } = stored
  const passkeys = means?.passkeys ?? []
  const takesPasskey = means === undefined || passkeys.length > 0
  return {
    id,
    expiresAt: rfc3339(expiresAt.getTime()),
    methods: [
      ...(takesPasskey ? ['passkey' as const] : []),
      ...(means?.hasTotp ? ['totp' as const] : []),
      ...(purpose === 'login' ? ['recovery-code' as const] : []),
      ...(means?.hasIssuer ? ['issuer' as const] : []),
    ],
    ...(takesPasskey && {
      passkey: {
        challenge: passkeyChallenge(stored),
        rpId: relyingParty(publicUrl),
        timeout: challengeLifetimeMs,
        userVerification: 'required',
        allowCredentials: passkeys.map(({ credentialId, transports }) => ({
          type: 'public-key',
          id: credentialId.toString('base64url'),
          transports: [...transports],
        })),
      },
    }),
    ...(terms !== null && { terms: terms as Record<string, unknown> }),
  }
}
