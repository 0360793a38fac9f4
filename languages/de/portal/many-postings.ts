// The texts in German of many postings at once.
import type { texts as english } from '../../en/portal/many-postings.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  postings: {
    rows: 'Zeilen',
    meaning: (most) =>
      `Eine Buchung je Zeile, bis zu ${most}, mit Tabulatoren, wie eine Tabelle sie kopiert, oder als CSV. Jede Seite ist eine IBAN oder Kennung eines Kundenkontos oder der Code eines Kontos der Bank, etwa fees; eine davon ist ein Konto der Bank. Die Art ist Gebühr, Zinsen oder Berichtigung.`,
    numberHint:
      'Eine Zeile mit derselben Nummer wird einmal gebucht. Eine ohne erhält für diese Prüfung eine eigene.',
    file: 'Zeilen aus einer Datei nehmen',
    wrong: 'Nichts ist gebucht: Diese Zeilen sind zu verbessern.',
    line: (line, message) => `Zeile ${line}: ${message}`,
    tooMany: (most) => `Es sind mehr als ${most} Zeilen. Bitte in Teilen buchen.`,
    looking: (done, all) => `Konto ${done + 1} von ${all} wird nachgesehen …`,
    faults: {
      cells: (head) => `Sie hat andere Spalten als ${head}.`,
      side: (text) => `„${text}“ ist keine IBAN, keine Kennung und kein Code.`,
      sides: 'Eine Seite muss ein Konto der Bank sein.',
      same: 'Beide Seiten sind dasselbe Konto.',
      currency: (text) => `„${text}“ ist keine Währung der Bank.`,
      kind: (kinds) => `Die Art ist keine von: ${kinds}.`,
      long: (most) => `Ein Text ist länger als ${most} Zeichen.`,
      quote: 'Ein Anführungszeichen hat kein Ende.',
      twice: (number) => `Die Nummer ${number} steht zweimal da.`,
      noBank: (code, currency) => `Die Bank hat kein Konto „${code}“ in ${currency}.`,
      noAccount: (text) => `Kein Konto hat ${text}.`,
    },
    directions: {
      out: 'Kundenkonten belastet',
      in: 'Kundenkonten gutgeschrieben',
      between: 'Zwischen Konten der Bank',
    },
    count: (count) => plural(count, 'Buchung', 'Buchungen'),
    from: 'Von',
    to: 'An',
    kind: 'Art',
    number: 'Nummer',
    outcome: 'Ergebnis',
    caption: 'Buchungen nach Zeilen',
    confirm: (count) => `${plural(count, 'Buchung', 'Buchungen')} ausführen`,
    secondPerson:
      'Hier wartet jede Buchung auf eine zweite Person. Beantragen Sie jede: Nichts wird gebucht, bevor es genehmigt ist.',
    askEach: 'Jede beantragen',
    asking: (done, all) => `${done} von ${all} beantragt.`,
    result: 'Was aus jeder wurde',
    booked: 'Gebucht',
    waits: 'Wartet auf eine zweite Person',
    summaryBooked: (count) => `${plural(count, 'Buchung', 'Buchungen')} ausgeführt.`,
    summaryWaits: (count) =>
      `${plural(count, 'Buchung wartet', 'Buchungen warten')} auf eine zweite Person.`,
    summaryRefused: (count) => `${plural(count, 'Buchung wurde', 'Buchungen wurden')} abgelehnt.`,
    takeUp: 'Abgelehnte Zeilen wieder aufnehmen',
    another: 'Andere buchen',
  },
}
