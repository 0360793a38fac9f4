// Identifiers and their schemas. Each schema names the resource, from which ownership is derived.
import { randomBytes } from 'node:crypto'
import { Type } from './type.ts'

export type Resource =
  | 'account'
  | 'approval'
  | 'beneficiary'
  | 'block'
  | 'card'
  | 'card payment'
  | 'challenge'
  | 'chargeback'
  | 'delivery'
  | 'dispute'
  | 'event'
  | 'factor'
  | 'former entry'
  | 'hold'
  | 'key'
  | 'member'
  | 'membership'
  | 'note'
  | 'order'
  | 'payee check'
  | 'payment draft'
  | 'payment list'
  | 'request'
  | 'service account'
  | 'session'
  | 'transaction'
  | 'transfer'
  | 'user'
  | 'webhook'

/** The schema key that names the resource of an identifier; read by route() and the gate. */
export const resourceKey = 'x-resource'

/** The schema key of an identifier that another system chose: it names no resource here. */
export const foreignKey = 'x-foreign'

/** RFC 9562 text form, lower case, any version. */
export const uuidPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

const shape = new RegExp(uuidPattern)
export const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && shape.test(value)

const identifier = (title: string, resource: Resource) =>
  Type.String({
    title,
    pattern: uuidPattern,
    minLength: 36,
    maxLength: 36,
    description: `The identifier of the ${resource}: a UUID in lower case.`,
    examples: [`01981f7e-4c00-7000-8000-${Buffer.from(`${resource}00000`).toString('hex', 0, 6)}`],
    [resourceKey]: resource,
  })

export const AccountId = identifier('AccountId', 'account')
export const ApprovalId = identifier('ApprovalId', 'approval')
export const BeneficiaryId = identifier('BeneficiaryId', 'beneficiary')
export const BlockId = identifier('BlockId', 'block')
export const CardId = identifier('CardId', 'card')
export const CardPaymentId = identifier('CardPaymentId', 'card payment')
export const ChallengeId = identifier('ChallengeId', 'challenge')
export const ChargebackId = identifier('ChargebackId', 'chargeback')
export const DeliveryId = identifier('DeliveryId', 'delivery')
export const DisputeId = identifier('DisputeId', 'dispute')
export const EventId = identifier('EventId', 'event')
export const FactorId = identifier('FactorId', 'factor')
export const FormerEntryId = identifier('FormerEntryId', 'former entry')
export const HoldId = identifier('HoldId', 'hold')
export const KeyId = identifier('KeyId', 'key')
export const MemberId = identifier('MemberId', 'member')
export const MembershipId = identifier('MembershipId', 'membership')
export const NoteId = identifier('NoteId', 'note')
export const OrderId = identifier('OrderId', 'order')
export const PayeeCheckId = identifier('PayeeCheckId', 'payee check')
export const PaymentDraftId = identifier('PaymentDraftId', 'payment draft')
export const PaymentListId = identifier('PaymentListId', 'payment list')
export const RequestId = identifier('RequestId', 'request')
export const ServiceAccountId = identifier('ServiceAccountId', 'service account')
export const SessionId = identifier('SessionId', 'session')
export const TransactionId = identifier('TransactionId', 'transaction')
export const TransferId = identifier('TransferId', 'transfer')
export const UserId = identifier('UserId', 'user')
export const WebhookId = identifier('WebhookId', 'webhook')

let pool = ''
let used = 0

/** Random hexadecimal digits from a pool: one system call fills it for hundreds of identifiers. */
function takeRandomDigits(count: number): string {
  if (used + count > pool.length) {
    pool = randomBytes(4000).toString('hex')
    used = 0
  }
  used += count
  return pool.slice(used - count, used)
}

/** 128 random bits, hexadecimal. */
export const newSalt = (): string => takeRandomDigits(32)

/** 48 bits as the first two groups of a UUID. */
function timeGroups(milliseconds: number): string {
  const hex = Math.floor(milliseconds).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/**
 * A new identifier: UUID version 7 (RFC 9562 section 5.7), 48 bits of `now` in milliseconds and
 * 74 random bits. Sorts by time, so keyset paging by it follows creation.
 */
export function newId(now: number): string {
  const random = takeRandomDigits(19)
  // Two bits of the variant's digit are fixed, the other two random.
  const variant = '89ab'[Number.parseInt(random.slice(-1), 16) % 4]
  return (
    `${timeGroups(now)}-7${random.slice(0, 3)}` +
    `-${variant}${random.slice(3, 6)}-${random.slice(6, 18)}`
  )
}

/** Smaller and greater than every identifier. */
export const firstId = '00000000-0000-0000-0000-000000000000'
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Not greater than any identifier created at that time or later. */
export const idAt = (milliseconds: number): string =>
  timeGroups(Math.max(0, milliseconds)) + firstId.slice(13)

/** Whether an identifier was made at that time. */
export const isMadeAt = (id: string, at: Date): boolean => id.startsWith(timeGroups(at.getTime()))

/** An identifier in a request: its place and its resource. */
export type Identifier = {
  part: 'params' | 'query' | 'body'
  keys: readonly string[]
  resource: Resource
}
