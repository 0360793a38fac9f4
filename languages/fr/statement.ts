// The statements in French.
import type { statement as english } from '../en/statement.ts'
import { plural } from './plural.ts'
import { texts } from './portal/accounts.ts'

/** The first of a month, which Intl writes as `1 mars`. */
const first = (date: string): string => date.replace(/^1(?= )/, '1er')

export const statement: typeof english = {
  tag: 'fr',
  /** What a spreadsheet in this language expects in a CSV file. */
  spreadsheet: { separator: ';', decimal: ',' },
  csv: {
    date: 'Date',
    bookedAt: 'Comptabilisé le',
    id: 'Numéro d’opération',
    kind: 'Type',
    name: 'Nom de la contrepartie',
    iban: 'IBAN de la contrepartie',
    reference: 'Référence',
    amount: 'Montant',
    currency: 'Devise',
    balanceAfter: 'Solde après',
  },
  kinds: texts.entry.kinds,
  title: 'Relevé de compte',
  about: (label, ending) => `Relevé de compte ${label}, compte finissant par ${ending}`,
  page: (number, count) => `Page ${number} sur ${count}`,
  period: (from, to) => `Du ${first(from)} au ${first(to)}`,
  daysOf: (period, zone) => `${period}, jours en ${zone}`,
  at: (time) => `le ${first(time)}`,
  atStartOf: (day) => `au début du ${first(day)}`,
  atEndOf: (day) => `à la fin du ${first(day)}`,
  whenIssued: 'à l’émission',
  issued: 'Émis le',
  numbered: (number) => `Relevé numéro ${number}, émis le`,
  holder: 'Titulaire du compte',
  account: 'Compte',
  code: 'Code',
  accountIn: (currency) => `Compte en ${currency}`,
  opening: 'Solde initial',
  closing: 'Solde final',
  broughtForward: 'Solde reporté',
  in: 'Entrées',
  out: 'Sorties',
  entries: (count) => plural(count, 'opération', 'opérations'),
  date: 'Date',
  details: 'Opération',
  balance: 'Solde',
  empty: 'Il n’y a aucune opération sur cette période.',
  addsUp: 'Le solde initial et les opérations donnent ensemble le solde final.',
  formerEntries:
    'Votre ancienne banque a comptabilisé des opérations sur cette période. Elles ne font pas partie de ce relevé ni de ses totaux\u00a0: la page du compte les liste.',
  times: (zone) => `Les jours et les heures sont en ${zone}.`,
  replaced:
    'Un caractère absent des polices de ce document est remplacé par U+ et son numéro Unicode.',
  receipt: {
    title: 'Reçu de paiement',
    about: (id: string) => `Reçu de paiement ${id}`,
    statuses: {
      completed: 'Exécuté.',
      pending: 'En route vers une autre banque. Pas encore exécuté.',
      sent: 'Envoyé à une autre banque. Pas encore exécuté.',
      returned: 'Revenu\u00a0: l’autre banque l’a refusé, l’argent est de retour.',
      cancelled: 'Annulé\u00a0: il n’a pas été exécuté, l’argent est de retour.',
    },
    reversed: 'Annulé après coup\u00a0: l’argent a été repris.',
    from: 'De',
    to: 'À',
    leavesOn: 'Part le',
    noSide: 'la banque ou espèces',
    reference: 'Motif',
    id: 'Identifiant',
  },
}
