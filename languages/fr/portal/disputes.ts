// What a person reads of a disputed card payment, and staff of those that wait.
import type { texts as english } from '../../en/portal/disputes.ts'

export const texts: typeof english = {
  disputes: {
    title: 'Contestation',
    dispute: 'Contester ce paiement',
    what: 'Qu’est-ce qui ne va pas ?',
    choose: 'Veuillez choisir',
    text: 'Ce qui s’est passé',
    missing: 'Veuillez choisir ce qui ne va pas.',
    blank: 'Veuillez écrire ce qui s’est passé.',
    send: 'Envoyer à la banque',
    answer: 'Réponse de la banque',
    reasons: {
      not_authorized: 'Je n’ai pas fait ce paiement',
      not_received: 'Ce que j’ai payé n’est jamais arrivé',
      not_as_described: 'Ce n’est pas ce qui était décrit',
      duplicate: 'Il a été débité deux fois',
      wrong_amount: 'Le montant est faux',
      cancelled: 'Je l’avais annulé',
      other: 'Autre chose',
    },
    statuses: {
      open: 'La banque l’examine',
      charged_back: 'Crédité en attendant la décision',
      won: 'Décidé en votre faveur : l’argent est à vous',
      lost: 'Décidé en faveur du commerce : le crédit a été repris',
      withdrawn: 'Retirée : le crédit a été repris',
      closed: 'Close par la banque',
    },
    staffTitle: 'Contestations',
    staffMeaning: 'Paiements par carte contestés : à rétrofacturer par le processeur, ou à clore',
    none: 'Aucune contestation n’attend.',
    since: 'Depuis',
    account: 'Compte',
    close: 'Clore',
    closeTitle: 'Clore sans rétrofacturation',
    closeMeaning: 'Le titulaire lit ce motif.',
    reason: 'Motif',
  },
}
