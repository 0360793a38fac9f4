// The texts in French of what is reserved in an account, and of its former bank.
import type { texts as english } from '../../en/portal/holds.ts'

export const texts: typeof english = {
  hold: {
    kinds: {
      authorization: 'Paiement par carte',
      seizure: 'Saisie',
      dispute: 'Contestation',
    },
    until: (at) => `jusqu’au ${at}`,
    open: 'jusqu’à ce que la banque le libère',
  },
  reserved: {
    title: 'Réservé',
    note: 'Cet argent est encore sur le compte et ne peut pas être dépensé.',
    none: 'Plus rien n’est réservé.',
    cardPayments: 'Tous les paiements par carte',
  },
  formerEntries: {
    title: 'Opérations de votre ancienne banque',
    note: 'Votre ancienne banque les a comptabilisées. Elles ne font pas partie de nos livres, soldes et relevés.',
    staffNote:
      'L’ancienne banque les a comptabilisées. Elles ne font pas partie des livres, soldes et relevés de cette banque.',
    none: 'L’ancienne banque n’a rien comptabilisé sur ce compte.',
  },
  staffHolds: {
    title: 'Montants réservés',
    none: 'Rien n’est réservé sur ce compte.',
    place: 'Réserver un montant',
    placeText: 'Un montant réservé reste sur le compte et ne peut pas en sortir.',
    kind: 'Type',
    reasonHint: 'Le titulaire le voit.',
    untilDay: 'Réservé jusqu’à la fin du',
    untilHint: 'Facultatif\u00a0: sans jour, jusqu’à la libération. 400 jours au plus.',
    badDay: 'Veuillez choisir un jour à partir d’aujourd’hui, dans 400 jours au plus.',
    placed: (money) => `${money} sont réservés.`,
    release: 'Libérer',
    releaseTitle: (money) => `Libérer ${money}\u00a0?`,
    releaseText: 'L’argent peut de nouveau être dépensé aussitôt.',
    released: (money) => `${money} sont libérés.`,
    change: 'Changer le jour',
    changed: 'Le jour est changé.',
    of: (what) => `montant ${what}`,
  },
}
