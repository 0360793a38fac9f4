// The texts in French of many postings at once.
import type { texts as english } from '../../en/portal/many-postings.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  postings: {
    rows: 'Lignes',
    meaning: (most) =>
      `Une écriture par ligne, ${most} au plus, avec des tabulations comme un tableur les copie, ou en CSV. Chaque côté est l’IBAN ou l’identifiant d’un compte client, ou le code d’un compte de la banque, tel que fees\u00a0; l’un des deux est à la banque. Le type est frais, intérêts ou correction.`,
    numberHint:
      'Une ligne de même numéro est comptabilisée une fois. Une ligne sans numéro en reçoit un pour cette vérification.',
    file: 'Prendre les lignes d’un fichier',
    wrong: 'Rien n’est comptabilisé\u00a0: ces lignes sont à corriger.',
    line: (line, message) => `Ligne ${line}\u00a0: ${message}`,
    tooMany: (most) => `Il y a plus de ${most} lignes. Comptabilisez-les par parties.`,
    looking: (done, all) => `Recherche du compte ${done + 1} sur ${all} …`,
    faults: {
      cells: (head) => `Ses colonnes ne sont pas ${head}.`,
      side: (text) => `«\u00a0${text}\u00a0» n’est ni un IBAN, ni un identifiant, ni un code.`,
      sides: 'L’un des côtés doit être un compte de la banque.',
      same: 'Les deux côtés sont le même compte.',
      currency: (text) => `«\u00a0${text}\u00a0» n’est pas une devise de la banque.`,
      kind: (kinds) => `Le type n’est aucun de ceux-ci\u00a0: ${kinds}.`,
      long: (most) => `Un texte dépasse ${most} lettres.`,
      quote: 'Un guillemet n’est pas fermé.',
      twice: (number) => `Le numéro ${number} figure deux fois.`,
      noBank: (code, currency) =>
        `La banque n’a pas de compte «\u00a0${code}\u00a0» en ${currency}.`,
      noAccount: (text) => `Aucun compte n’a ${text}.`,
    },
    directions: {
      out: 'Prélevé aux clients',
      in: 'Versé aux clients',
      between: 'Entre comptes de la banque',
    },
    count: (count) => plural(count, 'écriture', 'écritures'),
    from: 'De',
    to: 'À',
    kind: 'Type',
    number: 'Numéro',
    outcome: 'Résultat',
    caption: 'Écritures par ligne',
    confirm: (count) => `Comptabiliser ${plural(count, 'écriture', 'écritures')}`,
    secondPerson:
      'Ici, chaque écriture attend une deuxième personne. Demandez-les une à une\u00a0: rien n’est comptabilisé avant l’approbation.',
    askEach: 'Demander chacune',
    asking: (done, all) => `${done} sur ${all} demandées.`,
    result: 'Ce que chacune est devenue',
    booked: 'Comptabilisée',
    waits: 'Attend une deuxième personne',
    summaryBooked: (count) =>
      `${plural(count, 'écriture comptabilisée', 'écritures comptabilisées')}.`,
    summaryWaits: (count) =>
      `${plural(count, 'écriture attend', 'écritures attendent')} une deuxième personne.`,
    summaryRefused: (count) => `${plural(count, 'écriture refusée', 'écritures refusées')}.`,
    takeUp: 'Reprendre les lignes refusées',
    another: 'En comptabiliser d’autres',
  },
}
