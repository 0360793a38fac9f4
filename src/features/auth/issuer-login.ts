// Staff sign in at the issuer. What opens the bank is the link that an administrator made for that
// subject of that issuer: no name and no address of the ID token is read, and no user is made.
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { addChallenge, describeChallenge, readMeans } from '../../gate/challenges.ts'
import { findFactorPolicy, isStaff, lacksFactor, type Role } from '../../gate/roles.ts'
import type { Context } from '../../http/route.ts'
import type { Identity } from '../../http/services.ts'
import { sha256 } from '../../gate/opaque-secret.ts'
import { fromOrigin, hashOf, type Origin, userBySubject } from '../issuer/sql.ts'
import { endVisit, type IssuerAnswer, secretOfBrowser } from '../issuer/visits.ts'
import { beginSession, type MakeCredential } from './login.ts'
import { deviceByToken } from './sql.ts'

type SignInBody = IssuerAnswer & { device?: string; deviceToken?: string }
type SignInContext = Context<unknown, unknown, SignInBody, undefined>

const toOrigin = ({ issuer, subject, sid, hasFactor, issuedAt }: Identity): Origin => ({
  issuer,
  subject,
  sidHash: sid === undefined ? null : hashOf(issuer, sid),
  hasFactor,
  issuedAt,
})

/**
 * The second half of a sign-in, with what the browser brought back. A session begins, unless the
 * person has a second factor here and the issuer has asked for none: then the refusal is
 * `second_factor_required` with the challenge of step two.
 */
export async function signInByIssuer<C>(context: SignInContext, credential: MakeCredential<C>) {
  const { body, db, now, service } = context
  const { identity } = await endVisit(context, secretOfBrowser(context), (visit) => {
    return visit.challengeId === null
  })
  const user = await userBySubject(db, identity)
  if (!user) return refuse('issuer_refused', { because: 'nobody is linked' })
  const { userId, passwordVersion, hasFactor } = user
  if (!isStaff(user.roles)) refuse('issuer_refused', { userId, because: 'no staff' })
  const { config } = service
  const origin = toOrigin(identity)
  const isOff = findFactorPolicy(config.secondFactor, user.roles as Role[]) === 'off'
  if (hasFactor && !isOff && !origin.hasFactor) {
    return requireOwnFactor(context, { userId, passwordVersion, origin })
  }
  const device = body.deviceToken
    ? await deviceByToken(db, sha256(body.deviceToken), userId, now - config.deviceIdle)
    : undefined
  const opening = { deviceName: body.device, deviceToken: body.deviceToken, origin }
  const opened = await beginSession(
    context,
    { userId, passwordVersion: null, device, ...opening },
    credential,
    {
      async admit(_, locked) {
        const isAsked = findFactorPolicy(config.secondFactor, locked.roles as Role[]) !== 'off'
        // A factor was activated meanwhile.
        if (locked.hasFactor && isAsked && !origin.hasFactor) return undefined
        const person = {
          roles: locked.roles as Role[],
          createdAt: locked.createdAt,
          hasFactor: locked.hasFactor || origin.hasFactor,
        }
        return {
          isRestricted: lacksFactor(config, person, now),
          detail: origin.hasFactor ? 'At the issuer; with its second factor' : 'At the issuer',
        }
      },
    },
  )
  return opened ?? requireOwnFactor(context, { userId, passwordVersion, origin })
}

/** The issuer knows the person: the answer is a challenge of this bank. */
async function requireOwnFactor(
  { db, now, service }: SignInContext,
  { userId, passwordVersion, origin }: { userId: string; passwordVersion: number; origin: Origin },
): Promise<never> {
  const countedAs = `issuer ${userId}`
  const made = { purpose: 'login', userId, passwordVersion, countedAs } as const
  const challenge = await transaction(db, (tx) =>
    addChallenge(tx, { ...made, origin: fromOrigin(origin) }, now),
  )
  refuse('second_factor_required', {
    userId,
    challenge: describeChallenge(challenge, await readMeans(db, userId), service.publicUrl),
  })
}
