// The texts in French of the trial balance.
import type { texts as english } from '../../en/portal/trial.ts'

export const texts: typeof english = {
  trial: {
    add: 'Ajouter un compte',
    postings: 'Plusieurs écritures',
    heading: 'Balance',
    account: 'Compte de la banque',
    balance: 'Solde',
    customers: 'Tous les clients',
    total: 'Total',
    unsound: 'Le total n’est pas nul. Prévenez l’exploitation tout de suite.',
    none: 'Aucun argent n’a encore été déplacé.',
    caption: (currency: string) => `Comptes en ${currency}`,
    codes: {
      cash: 'Espèces',
      clearing: 'Échanges avec d’autres banques',
      fees: 'Frais',
      interest: 'Intérêts',
      suspense: 'Montants en attente',
      opening: 'Soldes d’ouverture',
    },
  },
}
