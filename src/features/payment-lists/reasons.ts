// Why a line of a payment list is not paid: codes of ISO 20022 ExternalStatusReason1Code.
import type { RunRefusal } from '../../../languages/words.ts'

/**
 * Why a line can be refused: as a run of a standing order, for an account number that is none, or
 * for a payee that was never checked.
 */
export type LineRefusal = RunRefusal | 'invalid_request' | 'payee_check_required'

const reasons = {
  account_closed: 'AC04', // closed account number
  account_frozen: 'AC06', // blocked account
  beneficiary_cooling: 'AG01', // transaction forbidden
  beneficiary_inactive: 'AG01',
  credits_blocked: 'AC06',
  currency_mismatch: 'AM03', // not allowed currency
  debits_blocked: 'AC06',
  forbidden: 'AG01',
  insufficient_funds: 'AM04', // insufficient funds
  invalid_request: 'AC01', // incorrect account number
  limit_exceeded: 'AM14', // amount exceeds the agreed limit
  not_found: 'BE06', // unknown end customer
  payee_check_required: 'BE01', // inconsistent with end customer
  signature_required: 'AG01',
} as const satisfies Record<LineRefusal, string>

export const lineRefusals = Object.keys(reasons) as LineRefusal[]
export const isoReasons = [...new Set(Object.values(reasons))]

export const toIsoReason = (refusal: LineRefusal): (typeof isoReasons)[number] => reasons[refusal]
