// The end of an enrolment: the challenge is answered, and everything that follows from the new
// factor is one transaction.
import type { WrittenDetail } from '../../audit/actions.ts'
import type { Static } from '../../domain/type.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { type StoredChallenge, takeTry, useChallenge } from '../../gate/challenges.ts'
import { readSecret } from '../../gate/provision.ts'
import type { Context } from '../../http/route.ts'
import { endAllSessions } from '../members/end-all-sessions.ts'
import { hashingChange } from '../credentials/own-hashes.ts'
import { queueMail } from '../mail/sql.ts'
import { verifyRegistration } from './passkeys.ts'
import { newRecoveryCodes } from './recovery.ts'
import type { PasskeyRegistration } from './schemas.ts'
import {
  storeActivation,
  type Activation,
  codesLeft,
  endRestriction,
  type FactorKind,
  isReset,
  keepHasFactor,
  type ListedFactor,
  pendingFactor,
  removeOthers,
  replaceCodes,
  voidReset,
} from './sql.ts'
import { findStep, unsealSecret } from './totp.ts'

type Body = { code?: string; passkey?: Static<typeof PasskeyRegistration> }
type ActivationContext = Context<{ factorId: string }, unknown, Body>

/**
 * Activates a pending factor. Refuses with `illegal_transition` when its enrolment has expired, has
 * no try left, or was begun in another session. `recoveryCodes` is there when the person had none.
 */
export async function activateFactor(
  context: ActivationContext,
): Promise<{ factor: ListedFactor; recoveryCodes?: string[] }> {
  const { params, caller, db, now, service, record } = context
  const { factorId } = params
  const { userId, sessionId } = caller
  const pending = await pendingFactor(db, factorId, userId)
  // Committed first: a wrong answer costs a try.
  const challenge =
    pending && (await transaction(db, (tx) => takeTry(tx, factorId, 'enrolment', now)))
  if (!challenge || challenge.sessionId !== sessionId) {
    refuse('illegal_transition', { because: 'no enrolment that can be answered here' })
  }
  const answered = await judge(context, pending.secretSealed, challenge)
  const needsCodes = async (from: Db) =>
    (await codesLeft(from, userId)) === 0 || isReset(from, userId, sessionId)

  const finish = (made?: Awaited<ReturnType<typeof newRecoveryCodes>>) =>
    transaction(db, async (tx) => {
      if (!(await useChallenge(tx, factorId, now))) refuse('illegal_transition')
      const factor =
        (await storeActivation(tx, factorId, answered, now)) ?? refuse('already_exists')
      const codes = (await needsCodes(tx)) ? made : undefined
      // Staff let this person replace what was lost: nothing of before opens the bank any more.
      const isReplacing = await isReset(tx, userId, sessionId)
      if (isReplacing) await removeOthers(tx, userId, factorId)
      await voidReset(tx, userId)
      if (codes) await replaceCodes(tx, userId, codes.stored)
      await keepHasFactor(tx, userId)
      await endRestriction(tx, sessionId)
      await endAllSessions(tx, userId, { by: userId, now, keep: sessionId, record })
      await queueMail(tx, 'factor-added', userId, now)
      await record(tx, {
        detail: describe(factor.kind, caller.isRestricted, isReplacing),
      })
      return { factor, ...(codes && { recoveryCodes: codes.codes }) }
    })

  if (!(await needsCodes(db))) return finish()
  return hashingChange(context, async () => finish(await newRecoveryCodes(service.passwords)))
}

const describe = (kind: FactorKind, isRestricted: boolean, isReplacing: boolean): string => {
  const parts: WrittenDetail[] = [
    kind,
    ...(isRestricted ? ['the session is not restricted any more' as const] : []),
    ...(isReplacing ? ['in place of all earlier factors' as const] : []),
  ]
  return parts.join('; ')
}

/** What the right answer to the challenge of an enrolment stores; refuses a wrong one. */
async function judge(
  { params, body, db, now, service }: ActivationContext,
  secretSealed: Buffer | null,
  challenge: StoredChallenge,
): Promise<Activation> {
  if (secretSealed) {
    const key = await readSecret(db, 'factors')
    const opened = unsealSecret(secretSealed, key, params.factorId)
    const lastStep = findStep(opened, body.code ?? '', { now, lastStep: -1 })
    // Stored as used: the code of the enrolment opens no session.
    return lastStep === undefined ? invalid('/body/code', 'is not right') : { lastStep }
  }
  const passkey = body.passkey && (await verifyRegistration(body.passkey, challenge, service))
  return passkey ? { passkey } : invalid('/body/passkey', 'is not right')
}
