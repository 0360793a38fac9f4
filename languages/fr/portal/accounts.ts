// The texts in French of accounts and their entries, for customers and staff.
import type { texts as english } from '../../en/portal/accounts.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  account: {
    title: 'Compte',
    details: 'Détails',
    balance: 'Solde',
    available: (money) => `${money} disponibles`,
    withOverdraft: (money, part) => `${money} disponibles, dont ${part} de découvert`,
    holder: 'Titulaire',
    status: 'Statut',
    opened: 'Ouvert',
    frozenText:
      'Ce compte est bloqué. De l’argent peut arriver, mais aucun ne peut sortir. Veuillez vous adresser à la banque.',
    pay: 'Payer',
    charts: 'Graphiques',
    statements: 'Relevés',
    history: 'Opérations',
    caption: (zone) => `Les plus récentes d’abord. Les heures sont celles de ${zone}.`,
    period: 'Période',
    ranges: {
      all: 'Tout',
      thisMonth: 'Ce mois-ci',
      lastMonth: 'Le mois dernier',
      days90: '90 jours',
      thisYear: 'Cette année',
    },
    from: 'Du',
    to: 'Au',
    text: 'Nom ou texte',
    minAmount: 'Au moins',
    maxAmount: 'Au plus',
    noneFound: (hasMore) =>
      hasMore
        ? 'Aucune opération récente ne correspond aux filtres. Les plus anciennes restent à chercher.'
        : 'Aucune opération ne correspond aux filtres.',
    shown: (count, hasMore) =>
      hasMore
        ? `Les ${count} plus récentes sont affichées.`
        : plural(count, 'opération.', 'opérations.'),
    wrongDay: 'Veuillez choisir un jour.',
    settings: 'Réglages',
    settingsNote: 'La banque les modifie pour vous. Adressez-vous à nous.',
    phone: 'Téléphone enregistré',
    noPhone: 'Aucun',
    noLimit: 'Sans limite',
    dailyLimit: 'Limite quotidienne des virements',
    overdraft: 'Découvert autorisé',
    alerts: 'Alertes',
    on: 'Activées',
    off: 'Désactivées',
    close: 'Clôturer ce compte',
    noAccount: 'Vous n’avez pas encore de compte. Ouvrez le premier pour commencer.',
    noEntry: 'Aucun mouvement pour l’instant. Communiquez votre IBAN pour recevoir de l’argent.',
    openNew: 'Ouvrir un compte',
  },
  entry: {
    title: 'Opération',
    time: 'Heure',
    details: 'Détails',
    account: 'Compte',
    amount: 'Montant',
    balanceAfter: 'Solde après',
    received: 'Entrée',
    paid: 'Sortie',
    kinds: {
      transfer: 'Virement',
      deposit: 'Versement',
      withdrawal: 'Retrait',
      reversal: 'Annulation',
      return: 'Virement retourné',
      incoming: 'Virement d’une autre banque',
      cancellation: 'Virement annulé',
    },
    from: 'De',
    to: 'À',
    bank: 'La banque',
    erased: 'N’est plus conservé',
    reference: 'Référence',
    status: 'Statut',
    statuses: {
      completed: 'Exécuté',
      pending: 'Pas encore envoyé',
      returned: 'Retourné',
      sent: 'En route',
      cancelled: 'Annulé',
    },
    broughtBack: 'L’argent est revenu : voir cette opération',
    id: 'Numéro du virement',
    again: 'Payer à nouveau',
  },
  card: {
    statuses: { active: 'Active', frozen: 'Bloquée', cancelled: 'Résiliée' },
    validTo: (month) => `Valable jusqu’à ${month}`,
  },
}
