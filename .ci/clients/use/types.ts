// What openapi-typescript makes of the reference: each line compiles only if the types say so.
import type { components, operations, paths } from './openapi.ts'

type Schemas = components['schemas']
type Code = Schemas['Error']['code']
type Replies = operations['createTransfer']['responses']

export const roles: Schemas['Role'][] = ['customer', 'support-agent', 'admin']
export const code: Code = 'insufficient_funds'
export const order: Schemas['CreateTransferBody'] = {
  fromAccountId: '01981f7e-4c00-7000-8000-6163636f756e',
  amount: '1.00',
  currency: 'EUR',
}
export const frozen: Schemas['Card']['frozenBy'] = null
// @ts-expect-error: an amount is a text.
export const wrong: Schemas['CreateTransferBody']['amount'] = 1
// @ts-expect-error: no such role.
export const none: Schemas['Role'] = 'owner'

// Later releases may answer other words; requests stay closed.
export const later: Schemas['Transfer']['kind'] = 'of-tomorrow'
export const currency: Schemas['Account']['currency'] = 'XXX'
// @ts-expect-error: no such currency.
export const unknown: Schemas['Currency'] = 'XXX'

/** Whether each is assignable to the other. */
type Same<A, B> = [A, B] extends [B, A] ? true : false
export const made: Same<Replies[201]['content']['application/json'], Schemas['Transfer']> = true
export const refused: Same<Replies[409]['content']['application/json'], Schemas['Error']> = true
export const path: Same<paths['/api/v1/transfers']['post'], operations['createTransfer']> = true
