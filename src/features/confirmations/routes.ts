// The endpoint by which a person confirms a request with a second factor.
import { Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { ChallengeId } from '../../domain/ids.ts'
import { closed } from '../../domain/schema.ts'
import { one } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { takeTry } from '../../gate/challenges.ts'
import { route } from '../../http/route.ts'
import { Confirmed, writeConfirmed } from './confirmed.ts'
import { issuerConfirmationRoutes } from './issuer.ts'
import { verifyProof } from '../factors/proof.ts'
import { Code, PasskeyAssertion } from '../factors/schemas.ts'
import { queueHourly } from '../mail/sql.ts'

const confirm = route({
  method: 'POST',
  path: '/api/v1/auth/confirmations/:challengeId',
  operation: 'confirm',
  recordedBy: 'handler',
  summary:
    'Confirm a request with a second factor. Then send the same request again, in the same ' +
    'session, with `Confirmation: <challenge>`.',
  access: { customer: 'self', 'support-agent': 'self', admin: 'self' },
  limit: 'sensitive',
  params: closed({ challengeId: ChallengeId }),
  body: closed({ code: Type.Optional(Code), passkey: Type.Optional(PasskeyAssertion) }),
  reply: { 200: Confirmed },
  refusals: ['not_found'],
  example: { code: '123456' },
  async handle({ params, body, caller, db, service, chargeMore, record }) {
    const { userId, sessionId } = caller
    const { clock, publicUrl } = service
    // By session: a thief of one spends no try of the others, whatever challenge is named.
    const attempt = await chargeMore({ name: `session ${sessionId}` }, 'factor')
    const confirmed = await attempt.judge(async () => {
      const challenge = await transaction(db, async (tx) => {
        const taken = await takeTry(tx, params.challengeId, 'confirmation', clock.now())
        const isOwn = taken?.userId === userId && taken.sessionId === sessionId
        return isOwn ? taken : refuse('not_found')
      })
      const isRight = await transaction(db, async (tx) => {
        const now = clock.now()
        const asked = { userId, challenge, proof: body, now, publicUrl }
        const judged = await verifyProof(tx, asked)
        const proven = judged === 'used' ? undefined : judged
        const written = proven && (await one(tx, writeConfirmed, [challenge.id, new Date(now)]))
        const detail = `${challenge.operation}${proven ? ` by ${proven.kind}` : ''}`
        const outcome = written ? 'success' : 'failure'
        await record(tx, { target: challenge.id, detail, outcome })
        if (judged === undefined) await queueHourly(tx, 'wrong-factor', userId, now)
        return written !== undefined
      })
      return isRight ? challenge : invalid('/body', 'is not right')
    })
    return { id: confirmed.id, expiresAt: rfc3339(confirmed.expiresAt.getTime()) }
  },
})

export const confirmationRoutes = [confirm, ...issuerConfirmationRoutes]
