// The texts in English of why an account is blocked, for staff.
import type { BlockCause } from '../../words.ts'

export const texts = {
  block: {
    causes: {
      court_order: 'Order of a court or an authority',
      insolvency: 'Insolvency',
      sanctions: 'Sanctions',
      money_laundering: 'Suspicion of money laundering',
      fraud: 'Suspicion of fraud',
      takeover: 'Somebody else may have access',
      death: 'Death of the holder',
      guardianship: 'Guardianship',
      customer_request: 'Asked for by the holder',
      identification: 'Identification is missing',
      bank_request: 'Other cause of the bank',
    } satisfies Record<BlockCause, string>,
  },
}
