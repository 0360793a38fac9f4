// The texts in French of what becomes of a payment to another bank, for its payer.
import type { texts as english } from '../../en/portal/payment-state.ts'

export const texts: typeof english = {
  paymentState: {
    states: {
      pending: 'Vous pouvez l’annuler tant que la banque ne l’a pas envoyé.',
      sent: 'L’autre banque ne l’a pas encore confirmé. Il ne peut plus être annulé.',
      completed: 'Il est arrivé à l’autre banque.',
      returned: 'L’autre banque a renvoyé l’argent.',
      cancelled: 'Il a été annulé avant d’être envoyé.',
    },
    leaves: (day, by) => `Il part le ${day} et arrive le ${by} au plus tard.`,
    broughtBack: 'L’argent est revenu : voir cette opération',
    monthly: 'Payer chaque mois',
    again: 'Payer à nouveau',
    arrived: 'Il est arrivé.',
    why: 'Motif',
    reasons: {
      account: 'Aucun compte ne porte ce numéro.',
      closed: 'Le compte du bénéficiaire est clôturé.',
      blocked: 'Le compte du bénéficiaire est bloqué.',
      duplicate: 'Il a été payé deux fois.',
      asked: 'L’argent a été redemandé.',
      changed: 'Les coordonnées du compte du bénéficiaire ont changé.',
      kind: 'Le compte du bénéficiaire n’accepte pas ce type de paiement.',
      amount: 'L’autre banque n’accepte pas ce montant ou cette devise.',
      name: 'Le nom ne correspond pas au compte.',
      details: 'Des indications sur le payeur ou le bénéficiaire manquent ou sont fausses.',
      bank: 'La banque du bénéficiaire n’est pas joignable avec ces coordonnées.',
      technical: 'Un problème est survenu à l’autre banque.',
      unowed: 'Le bénéficiaire dit que rien n’est dû.',
      law: 'La loi interdit à l’autre banque de l’accepter.',
      unsaid: 'L’autre banque ne dit pas pourquoi.',
      refused: 'L’autre banque ne l’a pas accepté.',
    },
    otherReason: (code) => `L’autre banque ne l’a pas accepté. Elle a donné le code ${code}.`,
    cancel: 'Annuler le virement',
    title: (money) => `Annuler le virement de ${money} ?`,
    text: 'Il n’est pas envoyé, et l’argent revient aussitôt sur votre compte.',
    keep: 'Le garder',
    done: 'Le virement est annulé. L’argent est de nouveau sur votre compte.',
  },
}
