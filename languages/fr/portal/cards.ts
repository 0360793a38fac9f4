// The texts in French of cards.
import type { texts as english } from '../../en/portal/cards.ts'

export const texts: typeof english = {
  cards: {
    title: 'Cartes',
    list: 'Vos cartes',
    none: 'Il n’y a pas encore de carte.',
    which: (digits) => `carte ${digits}`,
    frozenByBank: 'La banque a bloqué cette carte. Veuillez vous adresser à la banque.',
    freeze: 'Bloquer',
    unfreeze: 'Débloquer',
    turned: {
      freeze: (digits) => `La carte ${digits} est bloquée.`,
      unfreeze: (digits) => `La carte ${digits} peut de nouveau être utilisée.`,
    },
    cancel: 'Résilier',
    cancelTitle: (digits) => `Résilier la carte ${digits} ?`,
    cancelText:
      'C’est définitif : la carte ne pourra plus servir. Pour une pause, bloquez-la plutôt.',
    cancelForGood: 'Résilier définitivement',
    keep: 'Garder la carte',
    cancelled: (digits) => `La carte ${digits} est résiliée.`,
    order: 'Commander une carte',
    ordered: (digits) => `Votre nouvelle carte se termine par ${digits}.`,
    nickname: 'Surnom',
    nicknameHint: 'Facultatif, par exemple courses',
    tooMany: 'Ce compte a autant de cartes qu’il peut en avoir. Résiliez-en une d’abord.',
    where: (digits) => `Où la carte ${digits} peut servir`,
    channels: {
      online: 'En ligne',
      abroad: 'À l’étranger',
      contactless: 'Sans contact',
      cash: 'Distributeurs',
    },
    switched: {
      on: (what, digits) => `Carte ${digits} : ${what}, activé.`,
      off: (what, digits) => `Carte ${digits} : ${what}, désactivé.`,
    },
    limits: 'Limites',
    limitsOf: (digits) => `Limites de la carte ${digits}`,
    perPayment: (money) => `${money} par paiement`,
    perDay: (money) => `${money} par jour`,
    noLimits: 'Aucune limite',
    perPaymentIn: (currency) => `Maximum par paiement (${currency})`,
    perDayIn: (currency) => `Maximum par jour (${currency})`,
    limitHint: 'Laissez vide pour aucune limite. Avec 0, rien ne peut être payé.',
    limitsSaved: (digits) => `Les limites de la carte ${digits} sont enregistrées.`,
  },
}
