// The schema of every error.
import { challengeMethods, codes, detailsMax, limitNames } from '../domain/errors.ts'
import { ChallengeId } from '../domain/ids.ts'
import { Currency, Time } from '../domain/schema.ts'
import { ChallengeMethod } from '../features/factors/schemas.ts'
import { ErrorArchive } from '../gate/archived.ts'

const text = { type: 'string', maxLength: 512 }
const sentence = { type: 'string', maxLength: 140 }

const challengeSchema = {
  title: 'ErrorChallenge',
  type: 'object',
  description: 'What a person has to answer before the request is accepted.',
  required: ['id', 'expiresAt', 'methods'],
  properties: {
    id: ChallengeId,
    expiresAt: Time,
    methods: {
      type: 'array',
      maxItems: challengeMethods.length,
      items: ChallengeMethod,
    },
    passkey: {
      type: 'object',
      description:
        '`PublicKeyCredentialRequestOptionsJSON` of WebAuthn Level 3, for ' +
        '`PublicKeyCredential.parseRequestOptionsFromJSON`.',
    },
    terms: { type: 'object', description: 'What is confirmed, to be shown to the person.' },
  },
  additionalProperties: false,
}

const figure = { type: 'string', maxLength: 22, pattern: '^\\d+(\\.\\d+)?$' }

const limitSchema = {
  title: 'ErrorLimit',
  type: 'object',
  description: 'The limit that the request would exceed.',
  required: ['name', 'amount', 'used'],
  properties: {
    name: { type: 'string', enum: [...limitNames] },
    amount: { ...figure, description: 'The limit: money beside its currency, else a number.' },
    used: { ...figure, description: 'How much of it is used.' },
    currency: Currency,
    resetsAt: Time,
  },
  additionalProperties: false,
}

export const errorSchema = {
  title: 'Error',
  type: 'object',
  description:
    'The body of every error; `details` only with `invalid_request`, `challenge` only with ' +
    '`second_factor_required` and `confirmation_required`, `limit` only with `limit_exceeded`, ' +
    '`archive` only with `archived`.',
  required: ['error', 'code', 'message'],
  properties: {
    error: { ...sentence, description: 'The reason phrase of the status.' },
    code: {
      ...text,
      description: 'Stable: programs decide by it.',
      enum: [...codes],
    },
    message: { ...sentence, description: 'One sentence for people.' },
    details: {
      type: 'array',
      maxItems: detailsMax,
      items: {
        title: 'ErrorDetail',
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string', maxLength: 64 }, message: sentence },
        additionalProperties: false,
      },
    },
    challenge: challengeSchema,
    limit: limitSchema,
    archive: ErrorArchive,
  },
  additionalProperties: false,
}
