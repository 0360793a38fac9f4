// The texts in French of the bank in totals, for staff.
import type { texts as english } from '../../en/portal/today.ts'

export const texts: typeof english = {
  today: {
    overdrawn: 'Comptes à découvert',
    since: 'Depuis',
    lacking: 'Manquant',
    overdrawnMeaning: 'Des paiements par carte ont pris plus que ces comptes n’avaient',
    noneOverdrawn: 'Aucun compte ne manque d’argent pour un paiement par carte.',
    title: 'La banque aujourd’hui',
    refresh: 'Actualiser',
    asOf: 'Situation à',
    pending: 'Virements en attente',
    sessions: 'Sessions en cours',
    active: 'Personnes actives',
    disabled: 'Personnes désactivées',
    orMore: (count) => `${count} ou plus`,
    currencies: 'Argent par devise',
    currenciesCaption: 'Comptes ouverts, avoirs des clients, et virements vers d’autres banques',
    currency: 'Devise',
    accounts: 'Comptes ouverts',
    balances: 'Soldes des clients',
    pendingAmount: 'En attente',
    noAccounts:
      'Aucun compte n’est encore ouvert. Les clients ouvrent les leurs ; le personnel les trouve par la recherche.',
    refused: 'Refus',
    refusalsCaption: 'Dans les dernières 24 heures',
    kind: 'Type',
    count: 'Nombre',
    refusals: {
      failure: 'Connexions échouées',
      limited: 'Trop de connexions',
      forbidden: 'Non autorisé',
    },
    verification: 'Vérification des livres',
    neverVerified:
      'Les livres n’ont jamais été vérifiés. L’opérateur lance « strongroom verify », de préférence chaque jour.',
    sound: 'En ordre',
    unsound: 'Pas en ordre',
    soundMeaning: 'Chaque opération, solde et somme a été prouvé.',
    unsoundMeaning: 'Quelque chose ne concorde pas. Prévenez aussitôt l’opérateur.',
    toEvent: 'Afficher l’exécution dans le journal d’audit',
  },
}
