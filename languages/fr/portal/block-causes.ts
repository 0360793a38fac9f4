// The texts in French of why an account is blocked, for staff.
import type { texts as english } from '../../en/portal/block-causes.ts'

export const texts: typeof english = {
  block: {
    causes: {
      court_order: 'Ordre d’un tribunal ou d’une autorité',
      insolvency: 'Insolvabilité',
      sanctions: 'Sanctions',
      money_laundering: 'Soupçon de blanchiment',
      fraud: 'Soupçon de fraude',
      takeover: 'Accès possible d’une autre personne',
      death: 'Décès du titulaire',
      guardianship: 'Tutelle',
      customer_request: 'À la demande du titulaire',
      identification: 'Identification manquante',
      bank_request: 'Autre motif de la banque',
    },
  },
}
