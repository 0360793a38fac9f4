// The texts in French of what customers need rarely.
import type { texts as english } from '../../en/portal/customer-rare.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  accountNew: {
    title: 'Ouvrir un compte',
    form: 'Votre nouveau compte',
    currency: 'Devise',
    currencyHint: 'Elle ne peut pas être changée plus tard.',
    nameLabel: 'Nom (facultatif)',
    nameHint: 'Par lequel vous reconnaissez le compte, par exemple Ménage.',
    name: 'Nom',
    submit: 'Ouvrir le compte',
    wrongCurrency: 'Veuillez choisir une devise.',
    done: 'Votre compte est ouvert',
    doneText: 'De l’argent peut y arriver dès maintenant.',
    toAccount: 'Vers le compte',
    toList: 'Vers vos comptes',
    unknown: 'Le compte est-il ouvert\u00a0?',
    unknownText:
      'La réponse s’est perdue\u00a0; nous ne savons pas si le compte a été ouvert. Veuillez regarder vos derniers comptes avant de recommencer.',
    newest: (count) => `Les plus récents de ${plural(count, 'compte', 'comptes')}`,
    lookAgain: 'Regarder à nouveau',
    notThere: 'Il n’y est pas\u00a0: recommencer',
  },
  accountClose: {
    title: 'Clôturer un compte',
    what: 'Ce qui se passe',
    account: 'Compte',
    balance: 'Solde',
    points: [
      'Le compte est clôturé définitivement. Il ne peut pas être rouvert.',
      'Les virements vers son IBAN n’arrivent plus, et ses cartes ne fonctionnent plus.',
      'Vous n’en voyez plus les opérations ici. Téléchargez les relevés que vous voulez garder.',
    ],
    statements: 'Relevés',
    begin: 'Clôturer ce compte',
    frozen: 'Un compte bloqué ne peut pas être clôturé. Veuillez vous adresser à la banque.',
    overdrawn: 'Le solde doit être nul. Veuillez d’abord alimenter ce compte.',
    notEmpty: 'Le solde doit être nul. Veuillez d’abord virer l’argent vers un autre compte.',
    reserved: (money) =>
      `Un montant de ${money} est réservé, par exemple par un paiement par carte. Le compte pourra être clôturé dès que ce montant sera payé ou libéré.`,
    onItsWay:
      'Un virement depuis ce compte est encore en route vers une autre banque. Le compte pourra être clôturé dès qu’il sera arrivé ou revenu. S’il n’est pas encore envoyé, il peut être annulé.',
    moveMoney: 'Virer l’argent',
    confirm: 'Clôturer ce compte définitivement\u00a0?',
    forGood: 'C’est irréversible.',
    submit: 'Clôturer définitivement',
    keep: 'Garder le compte',
    done: 'Le compte est clôturé',
    doneText: 'Il n’est plus dans votre liste.',
  },
  charts: {
    title: 'Graphiques',
    period: 'Période',
    months: (count) => `${count} mois`,
    balance: 'Solde dans le temps',
    balanceText: (first, last, least, greatest) =>
      `De ${first} au début à ${last} à la fin. Minimum ${least}, maximum ${greatest}. Le tableau à côté contient chaque jour.`,
    balanceIn: (currency) => `Solde en ${currency}`,
    amountIn: (currency) => `Montant en ${currency}`,
    inAndOut: 'Entrées et sorties par mois',
    inAndOutText:
      'Deux barres par mois\u00a0: les entrées et les sorties. Le tableau à côté contient les montants.',
    day: 'Jour',
    month: 'Mois',
    in: 'Entrées',
    out: 'Sorties',
    net: 'Différence',
    balanceAfter: 'Solde',
    days: 'Solde par jour',
    daysCaption: (zone) =>
      `Solde à la fin de chaque jour (${zone}) avec une opération, du plus récent au plus ancien.`,
    monthsCaption: (zone) =>
      `Mois (${zone}), du plus récent au plus ancien. Le mois actuel n’est pas terminé.`,
    nothing: (balance) =>
      `Aucun mouvement d’argent dans cette période. Le solde est de ${balance}.`,
    tooMany: 'Cette période compte plus de 50 000 opérations. Choisissez-en une plus courte.',
  },
  statements: {
    title: 'Relevés',
    choose: 'Choisir une période',
    holds: 'Ce que contient le relevé',
    period: 'Période',
    ownRange: 'Dates au choix',
    from: 'Premier jour',
    to: 'Dernier jour',
    problems: {
      noDay: 'Choisissez les deux jours.',
      backwards: 'Le dernier jour précède le premier.',
      tooLong: 'Un relevé couvre au plus un an.',
    },
    midnight: (zone) => `Les jours commencent et finissent à minuit en ${zone}, où que vous soyez.`,
    days: (from, to, zone) => `${from} au ${to} (jours en ${zone})`,
    entries: 'Opérations',
    opening: 'Solde initial',
    closing: 'Solde final',
    formats: {
      pdf: 'PDF à lire et à imprimer',
      csv: 'CSV pour tableurs',
      camt053: 'XML (camt.053) pour la comptabilité',
      json: 'JSON pour programmes',
    },
    noJson: 'Le JSON est proposé jusqu’à 1 000 opérations. Choisissez une période plus courte.',
    noPdf:
      'Un PDF contient au plus 10 000 opérations. Choisissez une période plus courte, ou le CSV ou le XML.',
    tooMany:
      'Cette période compte plus de 50 000 opérations. Son relevé est un fichier\u00a0: CSV ou XML.',
    loading: 'Le fichier est en préparation.',
    saved: (name) => `${name} a été téléchargé.`,
  },
}
