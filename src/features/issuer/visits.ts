// A way of a browser to the issuer and back. All that has to be known again at its end is derived
// from one secret, of which this service holds a hash.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Type } from '../../domain/type.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { named, secretKey, withExample } from '../../domain/schema.ts'
import { deletedVisitCookie, readCookie, visitCookie, writeCookie } from '../../gate/cookies.ts'
import { newSecret, sha256 } from '../../gate/opaque-secret.ts'
import { Answer, type Context } from '../../http/route.ts'
import type { Identity, Issuer, IssuerVisit, Service } from '../../http/services.ts'
import { putVisit, type StoredVisit, takeVisit } from './sql.ts'

/** How long a person may take at the issuer. */
const visitMs = 10 * 60_000

/** Where the browser goes. */
export const IssuerAddress = named('IssuerAddress', {
  location: Type.String({
    maxLength: 4096,
    description: 'The page of the issuer; the browser is sent there.',
    examples: ['https://id.bank.example/authorize?client_id=strongroom'],
  }),
})

const Parameter = (maxLength: number) => Type.String({ minLength: 1, maxLength })

/** What the issuer gave the browser in the address of the page that it came back to. */
export const answerBody = {
  state: withExample(Parameter(128), 'K4xv2J8vYg3Yb2n6b0o3rXb8mJc7a1dT5u9kQ2wZ0fE'),
  code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      [secretKey]: true,
      examples: ['SplxlOBeZQQYbYS6'],
    }),
  ),
  iss: Type.Optional(withExample(Parameter(255), 'https://id.bank.example')),
  error: Type.Optional(withExample(Parameter(128), 'access_denied')),
}
export type IssuerAnswer = { state: string; code?: string; iss?: string; error?: string }

/** Refuses with `not_found` where no issuer is set. */
export const requireIssuer = ({ issuer }: Pick<Service, 'issuer'>): Issuer =>
  issuer ?? refuse('not_found', { because: 'no issuer' })

const derive = (secret: string | Buffer, name: string): string =>
  createHmac('sha256', secret).update(name).digest('base64url')

/** One of the three tells nothing of the others, nor of the secret. */
const toVisit = (secret: string): IssuerVisit => ({
  state: derive(secret, 'state'),
  nonce: derive(secret, 'nonce'),
  verifier: derive(secret, 'verifier'),
})

/** The secret of a visit by which one challenge is confirmed: its session alone gets there. */
export const secretOfChallenge = (key: Buffer, challengeId: string): string =>
  derive(key, `issuer visit ${challengeId}`)

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

type VisitContext = Pick<Context, 'db' | 'now' | 'service'>
type Confirming = { challengeId: string; sessionId: string }

/**
 * Begins a visit, and gives where the browser goes.
 *
 * @param confirming the challenge that the person confirms there; else the person signs in
 */
export async function beginVisit(
  { db, now, service }: VisitContext,
  secret: string,
  confirming?: Confirming,
): Promise<{ location: string }> {
  const isFresh = confirming !== undefined
  const location = await requireIssuer(service).addressOf(toVisit(secret), { isFresh })
  const row = {
    handleHash: sha256(secret),
    challengeId: confirming?.challengeId ?? null,
    sessionId: confirming?.sessionId ?? null,
    begunAt: new Date(now),
    expiresAt: new Date(now + visitMs),
  }
  await transaction(db, (tx) => putVisit(tx, row))
  return { location }
}

/** Begins a sign-in: the browser holds the secret in a cookie. */
export async function beginSignIn(context: VisitContext) {
  const secret = newSecret()
  const found = await beginVisit(context, secret)
  return new Answer(found, { 'set-cookie': writeCookie(visitCookie, secret, visitMs / 1000) })
}

/** What a browser forgets at the end of a sign-in. */
export const visitOver = deletedVisitCookie

/** The secret of the visit that this browser has begun. */
export const secretOfBrowser = ({ headers }: Pick<Context, 'headers'>) =>
  readCookie(headers['cookie'], visitCookie)

/**
 * Ends a visit with what the browser brought back. Refuses with `issuer_refused` an answer to
 * another browser or another visit, and one that came before.
 *
 * @param secret of the visit; none where this browser has begun none
 * @param isOurs whether the visit was begun for this
 */
export async function endVisit(
  { db, now, service, body }: VisitContext & { body: IssuerAnswer },
  secret: string | null | undefined,
  isOurs: (visit: StoredVisit) => boolean,
): Promise<{ identity: Identity; visit: StoredVisit }> {
  const issuer = requireIssuer(service)
  try {
    if (!secret) return refuse('issuer_refused', { because: 'no visit of this browser' })
    const expected = toVisit(secret)
    // Before it is used up: a page of another site can make a browser send any state.
    if (!isSame(expected.state, body.state)) refuse('issuer_refused', { because: 'the state' })
    const visit = await transaction(db, (tx) => takeVisit(tx, sha256(secret), now))
    if (!visit || !isOurs(visit)) return refuse('issuer_refused', { because: 'no such visit' })
    const { state, code, iss } = body
    if (code === undefined || body.error !== undefined) {
      return refuse('issuer_refused', { because: 'the issuer gave no code' })
    }
    return { identity: await issuer.redeem(expected, { code, state, iss }), visit }
  } catch (thrown) {
    issuer.noteRefused()
    throw thrown
  }
}
