// Endpoints of a person's own second factors.
import { Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { countLimit, refuse } from '../../domain/errors.ts'
import { FactorId, newId } from '../../domain/ids.ts'
import { closed, Name, named, Nothing, oneOf, Time } from '../../domain/schema.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { addChallenge, readMeans } from '../../gate/challenges.ts'
import { readSecret } from '../../gate/provision.ts'
import { type Caller, findFactorPolicy } from '../../gate/roles.ts'
import { Answer, route } from '../../http/route.ts'
import type { Service } from '../../http/services.ts'
import { endAllSessions } from '../members/end-all-sessions.ts'
import { hashingChange, requireOwnPassword } from '../credentials/own-hashes.ts'
import { Password } from '../credentials/passwords.ts'
import { credentialsByUser } from '../credentials/sql.ts'
import { queueMail } from '../mail/sql.ts'
import { activateFactor } from './activate.ts'
import { creationOptions } from './passkeys.ts'
import { newRecoveryCodes, recoveryCodesCount } from './recovery.ts'
import {
  Code,
  Factor,
  factorsMax,
  PasskeyCreation,
  PasskeyRegistration,
  toFactor,
} from './schemas.ts'
import {
  activeFactors,
  addPending,
  codesLeft,
  factorKinds,
  keepHasFactor,
  removeFactor,
  renameFactor,
  replaceCodes,
} from './sql.ts'
import { base32, newTotpSecret, sealSecret, totpUri } from './totp.ts'

const self = { customer: 'self', 'support-agent': 'self', admin: 'self' } as const
const own = { customer: 'own', 'support-agent': 'own', admin: 'own' } as const

/** The policy of the caller; refuses where people of these roles have no second factor. */
function requirePolicy({ config }: Service, { roles }: Caller): 'optional' | 'required' {
  const policy = findFactorPolicy(config.secondFactor, roles)
  return policy === 'off' ? refuse('forbidden', { because: 'no second factors' }) : policy
}

const RecoveryCodes = Type.Array(
  Type.String({ maxLength: 19, examples: ['ABCD-EFGH-IJKL-MNOP'] }),
  {
    maxItems: recoveryCodesCount,
    description: 'Shown this once; each of them logs you in once to enrol a new factor.',
  },
)

const list = route({
  method: 'GET',
  path: '/api/v1/auth/factors',
  operation: 'listFactors',
  summary: 'List your second factors, oldest first, and how many recovery codes are left.',
  access: self,
  limit: 'read',
  restricted: true,
  reply: {
    200: named('Factors', {
      factors: Type.Array(Factor, { maxItems: factorsMax }),
      recoveryCodesLeft: Type.Integer({ minimum: 0, maximum: recoveryCodesCount }),
      policy: oneOf(['optional', 'required']),
    }),
  },
  async handle({ caller, db, service }) {
    const policy = requirePolicy(service, caller)
    const factors = (await activeFactors(db, caller.userId)).map(toFactor)
    return { factors, recoveryCodesLeft: await codesLeft(db, caller.userId), policy }
  },
})

const enrol = route({
  method: 'POST',
  path: '/api/v1/auth/factors',
  operation: 'enrolFactor',
  summary: 'Begin to enrol a second factor: it counts once its challenge is answered.',
  access: self,
  confirm: true,
  limit: 'sensitive',
  restricted: true,
  body: closed({ kind: oneOf(factorKinds), name: Name, password: Password }),
  reply: {
    201: named('FactorEnrolment', {
      id: FactorId,
      expiresAt: Time,
      totp: Type.Optional(
        closed({
          secret: Type.String({ maxLength: 64, description: 'Base32 (RFC 4648).' }),
          uri: Type.String({ maxLength: 1024, description: 'For a QR code: `otpauth://`.' }),
        }),
      ),
      passkey: Type.Optional(PasskeyCreation),
    }),
  },
  refusals: ['limit_exceeded'],
  example: { kind: 'totp', name: 'Phone', password: 'correct horse battery' },
  async handle(context) {
    const { body, caller, db, now, service } = context
    requirePolicy(service, caller)
    const { kind, name, password } = body
    const { userId, sessionId } = caller
    const credentials = (await credentialsByUser(db, userId)) ?? refuse('unauthenticated')
    const { username, passwordHash } = credentials
    await requireOwnPassword(context, passwordHash, { password, path: '/body/password' })
    const id = newId(now)
    const totpSecret = kind === 'totp' ? newTotpSecret() : undefined
    const secretSealed = totpSecret
      ? sealSecret(totpSecret, await readSecret(db, 'factors'), id)
      : null
    const challenge = await transaction(db, async (tx) => {
      if ((await activeFactors(tx, userId)).length >= factorsMax) {
        refuse('limit_exceeded', { limit: countLimit('secondFactors', factorsMax) })
      }
      const createdAt = new Date(now)
      await addPending(tx, { id, userId, kind, name, secretSealed, createdAt })
      return addChallenge(tx, { purpose: 'enrolment', id, userId, sessionId }, now)
    })
    const { bankName } = service.config
    const { passkeys } = await readMeans(db, userId)
    const user = { id: userId, username }
    const value = {
      id,
      expiresAt: rfc3339(challenge.expiresAt.getTime()),
      ...(totpSecret
        ? {
            totp: {
              secret: base32(totpSecret),
              uri: totpUri(totpSecret, bankName, username),
            },
          }
        : {
            passkey: creationOptions(
              challenge,
              { publicUrl: service.publicUrl, bankName },
              user,
              passkeys,
            ),
          }),
    }
    return new Answer(value, { location: `/api/v1/auth/factors/${id}` })
  },
})

const activate = route({
  method: 'POST',
  path: '/api/v1/auth/factors/:factorId/activate',
  operation: 'activateFactor',
  recordedBy: 'handler',
  summary:
    'Answer the challenge of an enrolment with a code or a new passkey: the factor counts from ' +
    'here on, your other sessions are revoked, and a restricted session may do anything. Waiting ' +
    'payment drafts that were made or signed in the revoked sessions become void, and unanswered ' +
    'invitations that you sent are taken back.',
  access: own,
  limit: 'sensitive',
  restricted: true,
  params: closed({ factorId: FactorId }),
  body: closed({ code: Type.Optional(Code), passkey: Type.Optional(PasskeyRegistration) }),
  reply: {
    200: named('FactorActivation', {
      factor: Factor,
      recoveryCodes: Type.Optional(RecoveryCodes),
    }),
  },
  refusals: ['illegal_transition', 'already_exists'],
  example: { code: '755224' },
  async handle(context) {
    requirePolicy(context.service, context.caller)
    const { factor, recoveryCodes } = await activateFactor(context)
    return { factor: toFactor(factor), ...(recoveryCodes && { recoveryCodes }) }
  },
})

const renameOne = route({
  method: 'PATCH',
  path: '/api/v1/auth/factors/:factorId',
  operation: 'updateFactor',
  summary: 'Rename one of your second factors.',
  access: own,
  limit: 'sensitive',
  params: closed({ factorId: FactorId }),
  body: closed({ name: Name }),
  reply: { 200: Factor },
  refusals: ['not_found'],
  example: { name: 'Phone' },
  async handle({ params, body, caller, db, service }) {
    requirePolicy(service, caller)
    const renamed = await transaction(
      db,
      async (tx) => (await renameFactor(tx, params.factorId, body.name)) ?? refuse('not_found'),
    )
    return toFactor(renamed)
  },
})

const remove = route({
  method: 'DELETE',
  path: '/api/v1/auth/factors/:factorId',
  operation: 'deleteFactor',
  summary:
    'Remove one of your second factors; your other sessions are revoked. Waiting payment drafts ' +
    'that were made or signed in those become void, and unanswered invitations that you sent are ' +
    'taken back. The last one stays while your role requires one.',
  access: own,
  confirm: true,
  limit: 'sensitive',
  params: closed({ factorId: FactorId }),
  reply: { 204: Nothing },
  refusals: ['not_found', 'illegal_transition'],
  async handle({ params, caller, db, now, record, service }) {
    const policy = requirePolicy(service, caller)
    const { userId, sessionId } = caller
    await transaction(db, async (tx) => {
      if (!(await removeFactor(tx, params.factorId))) refuse('not_found')
      const hasFactor = await keepHasFactor(tx, userId)
      if (!hasFactor && policy === 'required') refuse('illegal_transition')
      if (!hasFactor) await replaceCodes(tx, userId, undefined)
      await endAllSessions(tx, userId, { by: userId, now, keep: sessionId, record })
      await queueMail(tx, 'factor-removed', userId, now)
    })
  },
})

const replaceRecoveryCodes = route({
  method: 'POST',
  path: '/api/v1/auth/recovery-codes',
  operation: 'replaceRecoveryCodes',
  summary: 'Make ten new recovery codes; the previous ones are void.',
  access: self,
  confirm: true,
  limit: 'sensitive',
  reply: { 200: named('RecoveryCodes', { recoveryCodes: RecoveryCodes }) },
  refusals: ['illegal_transition'],
  async handle(context) {
    const { caller, db, now, service } = context
    requirePolicy(service, caller)
    if (!caller.hasFactor) refuse('illegal_transition', { because: 'no factor' })
    return hashingChange(context, async () => {
      const { codes, stored } = await newRecoveryCodes(service.passwords)
      await transaction(db, async (tx) => {
        if ((await activeFactors(tx, caller.userId)).length === 0) refuse('illegal_transition')
        await replaceCodes(tx, caller.userId, stored)
        await queueMail(tx, 'recovery-codes-made', caller.userId, now)
      })
      return { recoveryCodes: codes }
    })
  },
})

export const factorRoutes = [list, enrol, activate, renameOne, remove, replaceRecoveryCodes]
