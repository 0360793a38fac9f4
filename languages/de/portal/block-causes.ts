// The texts in German of why an account is blocked, for staff.
import type { texts as english } from '../../en/portal/block-causes.ts'

export const texts: typeof english = {
  block: {
    causes: {
      court_order: 'Anordnung eines Gerichts oder einer Behörde',
      insolvency: 'Insolvenz',
      sanctions: 'Sanktionen',
      money_laundering: 'Verdacht auf Geldwäsche',
      fraud: 'Verdacht auf Betrug',
      takeover: 'Möglicher Zugriff durch andere',
      death: 'Tod des Inhabers',
      guardianship: 'Betreuung',
      customer_request: 'Vom Inhaber verlangt',
      identification: 'Legitimation fehlt',
      bank_request: 'Anderer Anlass der Bank',
    },
  },
}
