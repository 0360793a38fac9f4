// The texts in German of the bank’s own accounts and of what it books on them.
import type { texts as english } from '../../en/portal/postings.ts'

export const texts: typeof english = {
  bankAccount: {
    title: (name, currency) => `${name} (${currency})`,
    kind: 'Art',
    history: 'Umsätze, der neueste zuerst',
    noEntry: 'Dieses Konto hat noch keinen Umsatz.',
    statement: 'Auszug',
    month: 'Monat',
    days: (zone) => `Die Tage des Monats sind die von ${zone}.`,
    formats: { pdf: 'PDF', csv: 'CSV', camt053: 'camt.053' },
  },
  posting: {
    title: 'Gebühr, Zinsen oder Berichtigung',
    what: 'Was gebucht wird',
    bankAccount: 'Konto der Bank',
    confirm: 'Buchen',
    done: 'Es ist gebucht',
    another: 'Noch etwas buchen',
    forms: {
      fee: 'Gebühr belasten',
      interestPaid: 'Zinsen gutschreiben',
      interestCharged: 'Zinsen belasten',
      correctionIn: 'Berichtigen: gutschreiben',
      correctionOut: 'Berichtigen: belasten',
    },
  },
}
