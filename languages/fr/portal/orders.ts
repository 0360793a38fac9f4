// The texts in French of standing orders.
import type { texts as english } from '../../en/portal/orders.ts'

export const texts: typeof english = {
  orders: {
    title: 'Ordres permanents',
    lists: 'Beaucoup de paiements à la fois',
    list: 'Ordres de ce compte',
    add: 'Nouvel ordre permanent',
    none: 'Il n’y a pas encore d’ordre permanent. Avec un ordre, la banque paie pour vous à ses échéances.',
    made: 'L’ordre est créé. La banque paie à ses échéances.',
    upcoming: 'Les 30 prochains jours',
    upcomingCaption: 'Paiements des 30 prochains jours',
    day: 'Jour',
    payee: 'Bénéficiaire',
    amount: 'Montant',
    left: 'Disponible alors',
    ownAccount: 'Compte à vous',
    goneName: 'Bénéficiaire supprimé',
    noneOfHolder: 'Aucun ordre permanent n’existe pour ce compte.',
    accountOfHolder: 'Autre compte du titulaire',
    statuses: { active: 'Actif', paused: 'Suspendu', ended: 'Terminé' },
    rhythms: {
      once: 'Une fois',
      weekly: 'Chaque semaine',
      monthly: 'Chaque mois',
      yearly: 'Chaque année',
    },
    next: (day) => `Prochaine échéance le ${day}`,
    noNext: 'Aucune autre échéance',
    until: (day) => `jusqu’au ${day}`,
    missed:
      'Suspendu par la banque : de nombreuses échéances ont été manquées. Reprenez-le s’il doit continuer.',
    pausesForStaff: {
      owner: 'Suspendu par le titulaire ou par un programme qui peut payer depuis le compte.',
      missed:
        'Suspendu par la banque : de nombreuses échéances ont été manquées. Le titulaire le reprend s’il doit continuer.',
    },
    aboveLimit: 'Le montant dépasse le plafond quotidien du compte : l’échéance sera refusée.',
    byProgram: 'Donné par un programme qui peut payer depuis le compte.',
    runs: 'Ce que sont devenues ses échéances',
    noRuns: 'Aucune échéance n’est encore venue.',
    outcomes: {
      made: 'payé',
      refused: 'non payé',
      skipped: 'sauté',
      waiting: 'attend le solde',
    },
    refusals: {
      insufficient_funds: 'solde insuffisant',
      limit_exceeded: 'au-dessus du plafond quotidien',
      account_frozen: 'compte bloqué',
      account_closed: 'compte du bénéficiaire clôturé',
      credits_blocked: 'compte du bénéficiaire n’acceptant pas d’argent',
      debits_blocked: 'restriction des paiements depuis le compte',
      beneficiary_inactive: 'bénéficiaire désactivé',
      beneficiary_cooling: 'bénéficiaire trop récent',
      not_found: 'bénéficiaire supprimé',
      currency_mismatch: 'compte du bénéficiaire dans une autre devise',
      forbidden: 'pas de droit de payer depuis le compte',
    },
    otherRefusal: 'impossible',
    change: 'Modifier',
    changeTitle: 'Modifier l’ordre permanent',
    changeAnyway: 'Modifier quand même',
    changed: 'L’ordre permanent a été modifié.',
    skip: 'Sauter la prochaine échéance',
    pause: 'Suspendre',
    resume: 'Reprendre',
    end: 'Terminer',
    turned: {
      pause: 'L’ordre est suspendu.',
      resume: 'L’ordre continue.',
      'skip-next': 'La prochaine échéance est sautée.',
    },
    endTitle: (name) => `Terminer l’ordre vers ${name} ?`,
    endText: 'Plus rien n’est payé par cet ordre. Ce qui a été payé reste.',
    endForGood: 'Terminer l’ordre',
    ended: 'L’ordre est terminé.',
    rhythm: 'À quelle fréquence',
    firstOn: 'Premier jour',
    firstHint: 'Aujourd’hui ou plus tard. Un jour qui manque à un mois en est le dernier.',
    dayHint: 'Aujourd’hui ou plus tard.',
    lastOn: 'Dernier jour (facultatif)',
    lastHint: 'Sans lui, l’ordre continue jusqu’à ce que vous y mettiez fin.',
    badDay: 'Veuillez saisir un jour, aujourd’hui ou plus tard.',
    badLastDay: 'Veuillez saisir un jour qui n’est pas avant le premier.',
    retry: 'Si le solde ne suffit pas',
    retries: (days) =>
      days === 0
        ? 'Ne pas payer ce jour-là'
        : days === 1
          ? 'Essayer encore un jour'
          : `Essayer encore ${days} jours`,
    payeeStays: 'Le bénéficiaire reste enregistré : l’ordre le paie plus tard.',
    otherName:
      'Il a été créé bien que le nom du bénéficiaire ne corresponde pas ou n’ait pas pu être comparé.',
    makeAnyway: 'Le créer malgré tout',
    make: 'Créer l’ordre',
    titleChecking: 'Votre ordre est en cours de vérification',
    tooLate: (money) =>
      `Nous n’avons pas pu établir si cet ordre permanent de ${money} a été créé. Cherchez-le dans la liste avant de le créer à nouveau.`,
  },
}
