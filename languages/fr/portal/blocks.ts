// The texts in French of the blocks of an account, for staff.
import type { texts as english } from '../../en/portal/blocks.ts'

export const texts: typeof english = {
  block: {
    causes: {
      court_order: 'Ordre d’un tribunal ou d’une autorité',
      insolvency: 'Insolvabilité',
      sanctions: 'Sanctions',
      money_laundering: 'Soupçon de blanchiment',
      fraud: 'Soupçon de fraude',
      takeover: 'Accès possible d’une autre personne',
      death: 'Décès du titulaire',
      guardianship: 'Tutelle',
      customer_request: 'À la demande du titulaire',
      identification: 'Identification manquante',
      bank_request: 'Autre motif de la banque',
    },
  },
  staffBlocks: {
    title: 'Restrictions',
    none: 'Il n’y a pas de restriction, et il n’y en a pas eu.',
    set: 'Poser une restriction',
    setDone: 'La restriction est posée.',
    side: 'Ce qu’elle arrête',
    sides: {
      debits: 'Ce qui sort du compte',
      credits: 'Ce qui arrive sur le compte',
      both: 'Ce qui sort et ce qui arrive',
    },
    stops: {
      debits:
        'Elle arrête les virements, les paiements vers d’autres banques, les retraits d’espèces, les ordres permanents à leurs dates et les nouveaux paiements par carte.',
      credits:
        'Elle arrête les virements vers le compte et les dépôts d’espèces. L’argent d’autres banques et les remboursements de commerçants sont refusés ou restent parmi les montants en attente.',
    },
    goesOn:
      'Ce qui était réservé est encore encaissé. Les frais, les intérêts, les corrections et l’argent qui revient passent toujours\u00a0: pour arrêter aussi ce que prend la banque, bloquez le compte. Le titulaire voit ce qui est arrêté, et non pourquoi.',
    cause: 'Motif',
    classes: {
      authority: 'Loi ou autorité',
      security: 'Sécurité',
      person: 'La personne',
      bank: 'La banque',
    },
    note: 'Note',
    noteHint: 'Pour les administrateurs seuls. Elle reste telle quelle.',
    badNote: 'Ce texte ne peut pas être enregistré. Il contient peut-être un numéro de carte.',
    untilDay: 'Jusqu’à la fin du',
    untilHint: 'Facultatif\u00a0: sans date, jusqu’à ce qu’elle soit levée.',
    badDay: 'Veuillez choisir une date à partir d’aujourd’hui.',
    statuses: { active: 'Active', ended: 'Terminée', lifted: 'Levée' },
    setAt: (at, by) => (by ? `Posée ${at} par ${by}` : `Posée ${at}`),
    until: (at) => `jusqu’au ${at}`,
    open: 'jusqu’à ce qu’elle soit levée',
    liftedAt: (at, by) => (by ? `Levée ${at} par ${by}` : `Levée ${at}`),
    lift: 'Lever',
    liftOf: (what) => `Lever la restriction\u00a0: ${what}`,
    liftTitle: 'Lever cette restriction\u00a0?',
    liftText:
      'Ce qu’aucune autre restriction n’arrête peut bouger à nouveau aussitôt. La restriction reste dans cette liste.',
    liftDone: 'La restriction est levée.',
  },
}
