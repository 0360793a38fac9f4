// The texts in French of the page that customers begin with.
import type { texts as english } from '../../en/portal/home.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  home: {
    title: (name) => `Bonjour ${name}`,
    pay: 'Payer',
    accounts: 'Comptes',
    moreAccounts: (count) => plural(count, 'autre compte', 'autres comptes'),
    total: (currency) => `Total en ${currency}`,
    newest: 'Dernières opérations',
    blocked: 'Restriction',
    frozenText: 'Aucun argent ne peut sortir de ce compte. Veuillez vous adresser à la banque.',
    overdrawn: 'À découvert',
    overdrawnText: 'Le solde est inférieur à zéro. Veuillez alimenter ce compte.',
    lackingText:
      'Des paiements par carte ont pris plus que le compte n’avait. Aucun argent ne le quitte avant le versement de ce montant.',
    order: 'Ordre permanent',
    orderStates: { paused: 'Suspendu', waiting: 'Attend le solde', refused: 'Non payé' },
  },
}
