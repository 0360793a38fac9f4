// Requests that a person with a second factor has to confirm.
import { hash } from 'node:crypto'
import { addEvents, type AuditEvent } from '../audit/sql.ts'
import type { Database } from '../database/connections/connect.ts'
import { transaction } from '../database/connections/transaction.ts'
import { invalid, Refusal, refuse } from '../domain/errors.ts'
import { isIdentifier } from '../domain/ids.ts'
import { addChallenge, describeChallenge, readMeans } from '../gate/challenges.ts'
import { digestTerms, type ConfirmedTerms, useUp } from '../gate/confirmations.ts'
import type { Effect } from './effects.ts'
import { findSecrets } from './route-check.ts'
import type { Context, Route } from './route.ts'

/** The header field that names a confirmation, in lower case. */
export const confirmationField = 'confirmation'

/**
 * The terms of a request. Every member of its body is bound by the SHA-256 of the body's JSON text,
 * but for secrets: what is stored of a password is an argon2id hash and nothing else.
 */
async function toTerms(route: Route, context: Context): Promise<ConfirmedTerms> {
  const { confirm, operation } = route
  const { headers, params, query, body } = context
  const shown = typeof confirm === 'function' ? await confirm(context as never) : {}
  const key = headers['idempotency-key']
  const text = JSON.stringify(withoutSecrets(route.body, body))
  return {
    ...shown,
    ...(query as ConfirmedTerms),
    ...(params as ConfirmedTerms),
    operation,
    ...(key !== undefined && { idempotencyKey: key }),
    ...(body !== undefined && { bodySha256: hash('sha256', text, 'hex') }),
  }
}

/** The value without the member to which the keys lead. */
const without = (value: unknown, [key = '', ...more]: readonly string[]): unknown => {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value
  const inner = (value as Record<string, unknown>)[key]
  return { ...value, [key]: more.length > 0 ? without(inner, more) : undefined }
}

/** What is beside a secret stays, however deep the secret is. */
export const withoutSecrets = (schema: Route['body'], body: unknown): unknown =>
  findSecrets(schema).reduce(without, body)

function readConfirmation(headers: Context['headers']): string | undefined {
  const id = headers[confirmationField]
  if (id === undefined || isIdentifier(id)) return id
  return invalid('/headers/confirmation', 'is not of the accepted form')
}

type ConfirmationParts = {
  /** Not the handler's: a challenge is stored although the change was refused. */
  db: Database
  toEvent(about: Partial<AuditEvent>): AuditEvent
}

/**
 * The effect on a change that has to be confirmed: it commits with the confirmation that it uses
 * up, or not at all. A change that is not confirmed is judged like any other, since no person
 * should confirm what cannot be done. It is then refused with `confirmation_required` and a
 * challenge.
 */
export async function requireConfirmation(
  route: Route,
  context: Context,
  { db, toEvent }: ConfirmationParts,
): Promise<Effect> {
  const { caller, service } = context
  const { userId, sessionId } = caller
  const { clock, config, publicUrl } = service
  const { operation } = route
  const terms = await toTerms(route, context)
  const challengeId = readConfirmation(context.headers)
  const confirmation = { userId, sessionId, digest: digestTerms(terms), challengeId }
  const event = toEvent({ action: 'useConfirmation', detail: `${operation} ${challengeId}` })

  async function toChallenged(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof Refusal) || thrown.code !== 'confirmation_required') return thrown
    const made = { purpose: 'confirmation', operation, terms, ...confirmation } as const
    const stored = await transaction(db, (tx) => addChallenge(tx, made, clock.now()))
    const means = { ...(await readMeans(db, userId)), hasIssuer: caller.hasIssuerFactor }
    const challenge = describeChallenge(stored, means, publicUrl)
    return new Refusal(thrown.code, { challenge })
  }

  return {
    async after(tx, madeId) {
      if (!(await useUp(tx, confirmation, clock.now()))) refuse('confirmation_required')
      await addEvents(tx, [{ ...event, target: madeId ?? event.target }])
    },
    // The ledger judges under the account's lock whether a movement is exempt.
    withMovement(movement) {
      const { confirmAbove, confirmSum } = config
      const { currency } = movement
      const exempt = { amount: confirmAbove[currency] ?? 0n, sum: confirmSum[currency] ?? 0n }
      return { ...movement, confirmation: { ...confirmation, exempt, event } }
    },
    async around(change) {
      try {
        return await change()
      } catch (thrown) {
        throw await toChallenged(thrown)
      }
    },
  }
}
