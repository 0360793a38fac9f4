// The texts in German of the page that customers begin with.
import type { texts as english } from '../../en/portal/home.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  home: {
    title: (name) => `Guten Tag, ${name}`,
    pay: 'Überweisen',
    accounts: 'Konten',
    moreAccounts: (count) => plural(count, 'weiteres Konto', 'weitere Konten'),
    total: (currency) => `Summe in ${currency}`,
    newest: 'Neueste Umsätze',
    blocked: 'Sperrvermerk',
    frozenText: 'Dieses Konto kann nicht belastet werden. Bitte fragen Sie die Bank.',
    overdrawn: 'Überzogen',
    overdrawnText: 'Der Kontostand ist unter null. Bitte überweisen Sie Geld auf dieses Konto.',
    lackingText:
      'Kartenzahlungen nahmen mehr, als auf dem Konto war. Bis das eingezahlt ist, verlässt kein Geld das Konto.',
    order: 'Dauerauftrag',
    orderStates: { paused: 'Angehalten', waiting: 'Wartet auf Guthaben', refused: 'Nicht bezahlt' },
  },
}
