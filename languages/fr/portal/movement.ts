// The texts in French of a movement of money that is told on every page.
import type { texts as english } from '../../en/portal/movement.ts'

export const texts: typeof english = {
  movement: {
    kinds: {
      payment: (money) => `Virement de ${money}`,
      deposit: (money) => `Versement de ${money}`,
      withdrawal: (money) => `Retrait de ${money}`,
      reversal: () => 'Annulation',
      posting: (money) => `Écriture de ${money}`,
      order: (money) => `Ordre permanent de ${money}`,
    },
    unknown: (what) =>
      `${what}\u00a0: la réponse s’est perdue. Nous cherchons ce qui s’est passé. Veuillez ne pas payer une seconde fois.`,
    made: (what) => `${what}\u00a0: exécuté.`,
    onItsWay: (what) => `${what}\u00a0: en route vers l’autre banque.`,
    madeOnce: (what) =>
      `${what}\u00a0: une réponse s’est perdue en route. L’opération a été exécutée, et une seule fois.`,
    refused: (what) => `${what}\u00a0: non exécuté.`,
    forgotten: (time) =>
      `L’opération envoyée le ${time}\u00a0: votre session s’est terminée avant la réponse, et nous ne savons pas si elle a été exécutée. Cherchez-la avant de l’envoyer à nouveau.`,
    tooLate: (what) =>
      `${what}\u00a0: nous n’avons pas pu établir si l’opération a été exécutée. Cherchez-la dans le compte avant de payer à nouveau.`,
    order: {
      unknown: (what) =>
        `${what}\u00a0: la réponse s’est perdue. Nous cherchons ce qui s’est passé. Veuillez ne pas le créer une seconde fois.`,
      made: (what) => `${what}\u00a0: créé. La banque paie à ses échéances.`,
      madeOnce: (what) =>
        `${what}\u00a0: une réponse s’est perdue en route. Il a été créé, et une seule fois.`,
      refused: (what) => `${what}\u00a0: non créé.`,
      tooLate: (what) =>
        `${what}\u00a0: nous n’avons pas pu établir s’il a été créé. Cherchez-le dans la liste des ordres avant de le créer à nouveau.`,
    },
    show: 'Afficher',
  },
}
