// The texts in Spanish of why an account is blocked, for staff.
import type { texts as english } from '../../en/portal/block-causes.ts'

export const texts: typeof english = {
  block: {
    causes: {
      court_order: 'Orden de un juzgado o de una autoridad',
      insolvency: 'Insolvencia',
      sanctions: 'Sanciones',
      money_laundering: 'Sospecha de blanqueo de capitales',
      fraud: 'Sospecha de fraude',
      takeover: 'Posible acceso de otra persona',
      death: 'Fallecimiento del titular',
      guardianship: 'Curatela',
      customer_request: 'A petición del titular',
      identification: 'Falta la identificación',
      bank_request: 'Otra causa del banco',
    },
  },
}
