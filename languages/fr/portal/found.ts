// The texts in French of payments that staff have looked up.
import type { texts as english } from '../../en/portal/found.ts'

export const texts: typeof english = {
  found: {
    title: 'Paiements',
    none: 'Aucun paiement trouvé.',
    late: 'Un paiement est trouvé quelques secondes après son exécution. Les refus sont conservés 90 jours.',
    kinds: {
      transfer: 'Paiement',
      cardPayment: 'Paiement par carte',
      hold: 'Montant réservé',
      refused: 'Paiement refusé',
    },
    refusedRun: 'Échéance refusée d’un ordre permanent',
    to: (target) => `à ${target}`,
    transfers: {
      completed: 'Effectué',
      pending: 'En attente',
      returned: 'Retourné',
      sent: 'Envoyé',
      cancelled: 'Annulé',
    },
    cardPayments: {
      authorized: 'Réservé',
      captured: 'Payé',
      released: 'Libéré',
      expired: 'Expiré',
      declined: 'Refusé',
    },
    holds: {
      active: 'Réservé',
      captured: 'Encaissé',
      released: 'Libéré',
      expired: 'Expiré',
    },
    reasons: {
      credits_blocked: 'compte du bénéficiaire n’acceptant pas d’argent',
      debits_blocked: 'restriction des paiements depuis le compte',
      insufficient_funds: 'solde insuffisant',
      limit_exceeded: 'au-dessus d’un plafond',
      account_frozen: 'compte bloqué',
      account_closed: 'compte du bénéficiaire clos',
      beneficiary_inactive: 'bénéficiaire désactivé',
      beneficiary_cooling: 'bénéficiaire trop récent après une récupération',
      not_found: 'bénéficiaire supprimé',
      currency_mismatch: 'devises différentes',
      forbidden: 'pas le droit de payer depuis le compte',
      duplicate_transfer: 'même paiement juste avant',
      payee_not_accepted: 'le nom du bénéficiaire ne correspond pas',
    },
    otherReason: 'impossible',
  },
}
