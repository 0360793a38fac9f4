// The texts in French of what customers need daily.
import type { texts as english } from '../../en/portal/customer.ts'

export const texts: typeof english = {
  transfer: {
    title: 'Payer',
    titleReview: 'Vérifier et confirmer',
    titleChecking: 'Votre virement est en cours de vérification',
    choose: 'Veuillez choisir',
    chooseTarget: 'Choisissez qui payer.',
    ownAccounts: 'Vos comptes',
    beneficiaries: 'Bénéficiaires',
    newBeneficiary: 'Ajouter un bénéficiaire',
    allFrozen: 'Tous vos comptes sont bloqués. Aucun argent ne peut en sortir.',
    available: (money) => `${money} peuvent en être payés maintenant.`,
    amountIn: (currency) => `Montant en ${currency}`,
    amountExample: (example) => `Par exemple ${example}`,
    amountRead: (money) => `Vous payez ${money}.`,
    referenceHint: 'Facultatif. Le destinataire le voit.',
    when: 'Quand',
    whens: {
      now: 'Maintenant',
      once: 'À une date',
      weekly: 'Chaque semaine',
      monthly: 'Chaque mois',
      yearly: 'Chaque année',
    },
    review: 'Continuer',
    change: 'Modifier',
    elsewhere: (day, by) =>
      `Vers une autre banque, le virement part le ${day} et arrive le ${by} au plus tard.`,
    pay: (money) => `Payer ${money}`,
    paidBefore: (ago) => `Vous avez payé la même chose ${ago}. Payer à nouveau\u00a0?`,
    payAnyway: (money) => `Payer ${money} malgré tout`,
    compared: {
      match: 'Le nom est celui du titulaire.',
      close_match: (name) =>
        `Le compte appartient à ${name}. Comparez-le avec le nom de votre bénéficiaire.`,
      no_match:
        'Le compte appartient à quelqu’un d’autre. Demandez à la personne que vous voulez payer avant de continuer.',
      not_possible:
        'La banque du bénéficiaire n’a pas dit si le nom est juste. Comparez l’IBAN avec la facture.',
      failed: 'Le nom n’a pas pu être comparé. Comparez l’IBAN avec la facture.',
    },
    payAgain: (money) => `Payer ${money} à nouveau`,
    balanceNow: 'Solde actuel',
    beyond: 'C’est plus que ce qui peut être payé du compte maintenant.',
    tooLate: (money) =>
      `Nous n’avons pas pu établir si votre virement de ${money} a été exécuté. Cherchez-le dans le compte avant de payer à nouveau.`,
    toAccount: 'Vers le compte',
    forget: 'J’ai vérifié',
    receipt: 'Reçu',
    told: {
      made: 'Votre virement a été exécuté.',
      onItsWay: 'Votre virement est accepté. La banque l’envoie à l’autre banque.',
      checked:
        'Une réponse s’est perdue en route. Votre virement a été exécuté, et une seule fois.',
      duplicate:
        'Le même virement a été fait il y a un instant. Le voici\u00a0; rien n’a été payé une seconde fois.',
    },
    another: 'Nouveau virement',
  },
}
