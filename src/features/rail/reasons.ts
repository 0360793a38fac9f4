// Why a payment comes back, as a field of the API.
import { Type } from '../../domain/type.ts'
import { returnReasons } from './return-codes.ts'
import { secretKey } from '../../domain/schema.ts'

export const ReasonCode = Type.Unsafe<(typeof returnReasons)[number]>({
  title: 'ReasonCode',
  type: 'string',
  enum: [...returnReasons],
  description: 'Why it came back: a code of ISO 20022 ExternalReturnReason1Code.',
  examples: ['AC04'],
  [secretKey]: false,
})
