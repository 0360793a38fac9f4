// A person whose second factor is the issuer's confirms a request by signing in there anew.
import { rfc3339 } from '../../domain/clock.ts'
import { refuse } from '../../domain/errors.ts'
import { ChallengeId } from '../../domain/ids.ts'
import { closed } from '../../domain/schema.ts'
import { type Db, one } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { takeTry } from '../../gate/challenges.ts'
import { readSecret } from '../../gate/provision.ts'
import { route } from '../../http/route.ts'
import { freshnessMs } from '../issuer/client.ts'
import { linkOf } from '../issuer/sql.ts'
import {
  answerBody,
  beginVisit,
  endVisit,
  IssuerAddress,
  requireIssuer,
  secretOfChallenge,
} from '../issuer/visits.ts'
import { Confirmed, writeConfirmed } from './confirmed.ts'

const staff = { 'support-agent': 'self', admin: 'self' } as const
const params = closed({ challengeId: ChallengeId })

const visitOf = async (db: Db, { challengeId }: { challengeId: string }): Promise<string> =>
  secretOfChallenge(await readSecret(db, 'factors'), challengeId)

const begin = route({
  method: 'POST',
  path: '/api/v1/auth/confirmations/:challengeId/issuer',
  operation: 'beginIssuerConfirmation',
  recordedBy: 'handler',
  summary:
    'Confirm a request at the issuer, with a new sign-in there: where the browser goes. ' +
    'For a session that began there with its second factor.',
  access: staff,
  limit: 'sensitive',
  params,
  reply: { 200: IssuerAddress },
  refusals: ['not_found', 'illegal_transition', 'issuer_unavailable'],
  async handle(context) {
    const { caller, db, params: named, service } = context
    requireIssuer(service)
    if (!caller.hasIssuerFactor) refuse('illegal_transition', { because: 'no factor there' })
    const visit = await visitOf(db, named)
    return beginVisit(context, visit, { ...named, sessionId: caller.sessionId })
  },
})

const complete = route({
  method: 'POST',
  path: '/api/v1/auth/confirmations/:challengeId/issuer/answer',
  operation: 'confirmAtIssuer',
  recordedBy: 'handler',
  summary:
    'Confirm a request with what the issuer gave the browser: the same person signed in there ' +
    'anew, with its second factor.',
  access: staff,
  limit: 'sensitive',
  params,
  body: closed(answerBody),
  reply: { 200: Confirmed },
  refusals: ['not_found', 'issuer_refused', 'issuer_unavailable'],
  example: { state: 'K4xv2J8vYg3Yb2n6b0o3rXb8mJc7a1dT5u9kQ2wZ0fE', code: 'SplxlOBeZQQYbYS6' },
  async handle(context) {
    const { caller, db, service, record, params: named } = context
    const { userId, sessionId } = caller
    const attempt = await context.chargeMore({ name: `session ${sessionId}` }, 'factor')
    const confirmed = await attempt.judge(async () => {
      const expected = await visitOf(db, named)
      const { identity, visit } = await endVisit(context, expected, (begun) => {
        return begun.challengeId === named.challengeId && begun.sessionId === sessionId
      })
      const { authenticatedAt = 0, hasFactor } = identity
      const isFresh = authenticatedAt >= visit.begunAt.getTime() - freshnessMs
      return transaction(db, async (tx) => {
        const now = service.clock.now()
        const taken = await takeTry(tx, named.challengeId, 'confirmation', now)
        const isOwn = taken?.userId === userId && taken.sessionId === sessionId
        if (!isOwn) return refuse('not_found')
        const link = await linkOf(tx, userId)
        const isSame = link?.issuer === identity.issuer && link.subject === identity.subject
        if (!isSame || !isFresh || !hasFactor) {
          return refuse('issuer_refused', { because: 'no new proof of the same person' })
        }
        await one(tx, writeConfirmed, [taken.id, new Date(now)])
        await record(tx, { target: taken.id, detail: `${taken.operation} by issuer` })
        return taken
      })
    })
    return { id: confirmed.id, expiresAt: rfc3339(confirmed.expiresAt.getTime()) }
  },
})

export const issuerConfirmationRoutes = [begin, complete]
