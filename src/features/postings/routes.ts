// Endpoints by which the bank books fees, interest and corrections.
import { closed } from '../../domain/schema.ts'
import { keyRefusals } from '../../http/repeats.ts'
import { route } from '../../http/route.ts'
import { executeEach, itemsMax, itemsOf } from '../movements/many.ts'
import { asFirstAnswered, Transfer } from '../movements/schemas.ts'
import { toAnswer } from '../movements/answer.ts'
import { bankAccountIds } from '../bank-accounts/sql.ts'
import {
  Posting,
  PostingItem,
  PostingOutcomes,
  showPosting,
  showPostings,
  toPostingMovement,
  toPostingMovements,
} from './schemas.ts'

const create = route({
  method: 'POST',
  path: '/api/v1/admin/postings',
  operation: 'createPosting',
  summary:
    'Book a fee, interest or a correction: between a customer’s account and an account of the ' +
    'bank, which is named by its code, or between two of the bank. The holder reads the reason. ' +
    'It is reversed like any transfer.',
  access: { admin: 'any' },
  service: 'operation',
  confirm: showPosting,
  limit: 'transfer',
  body: Posting,
  reply: { 201: Transfer },
  refusals: [
    'account_closed',
    'account_frozen',
    'currency_mismatch',
    'duplicate_transfer',
    'insufficient_funds',
    'limit_exceeded',
    'not_found',
    ...keyRefusals,
  ],
  example: {
    fromAccountId: '01890a5d-ac96-774b-bcce-b302099a8057',
    toCode: 'fees',
    amount: '2.50',
    currency: 'EUR',
    kind: 'fee',
    reason: 'Account fee January',
    externalId: '2026-01-fee-000017',
  },
  async handle(context) {
    const movement = toPostingMovement(context, await bankAccountIds(context.db))
    const { service } = context
    return toAnswer(await service.ledger.submit(movement), 'staff', service)
  },
})

const createMany = route({
  method: 'POST',
  path: '/api/v1/admin/postings/batch',
  operation: 'createPostingBatch',
  each: 'createPosting',
  summary:
    `As \`createPosting\`, for up to ${itemsMax} postings, each exactly once by its externalId and ` +
    'with its own outcome. Where each takes a second person, many at once are refused (403).',
  access: { admin: 'any' },
  service: 'operation',
  confirm: showPostings,
  limit: 'transfer',
  bodyMax: 1024 * 1024,
  body: closed({ items: itemsOf(PostingItem) }),
  reply: { 200: PostingOutcomes },
  refusals: ['unavailable'],
  example: {
    items: [
      {
        fromCode: 'interest',
        toAccountId: '01890a5d-ac96-774b-bcce-b302099a8057',
        amount: '0.42',
        currency: 'EUR',
        kind: 'interest',
        reason: 'Interest January',
        externalId: '2026-01-interest-000017',
      },
    ],
  },
  async handle({ body: { items }, ...context }) {
    const movements = toPostingMovements(items, context, await bankAccountIds(context.db))
    const outcomes = await executeEach(context, movements, asFirstAnswered)
    const externalIds = items.map(({ externalId }) => externalId)
    return {
      results: outcomes.map((each, index) => ({
        externalId: externalIds[index] as string,
        ...each,
      })),
    }
  },
})

export const postingRoutes = [create, createMany]
