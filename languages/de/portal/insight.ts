// The texts in German of what was spent.
import type { texts as english } from '../../en/portal/insight.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  insight: {
    month: 'Monat',
    all: 'Insgesamt',
    soFar: (month) => `${month}, bisher`,
    own: 'Auf eigene Konten umgebucht, nicht mitgezählt:',
    note: 'Gutschriften und zurückgekommene Zahlungen sind in dem Monat abgezogen, in dem sie kamen.',
    byKind: 'Nach Art',
    byShop: 'Nach Händler',
    what: 'Wofür',
    change: 'Veränderung',
    drawn: (title) => `${title}, als Balken. Die Beträge stehen in der Tabelle.`,
    caption: (zone) => `Monate in ${zone}, die größten zuerst.`,
    moreShops: (count) => plural(count, 'weiterer Händler', 'weitere Händler'),
    nothing: 'In diesen beiden Monaten wurde nichts ausgegeben.',
    tooMany: 'In diesen beiden Monaten gibt es mehr als 25.000 Buchungen, zu viele für eine Summe.',
    kinds: {
      transfer: 'Überweisungen',
      withdrawal: 'Auszahlungen',
      capture: 'Vorgemerkte Beträge',
      fee: 'Gebühren',
      interest: 'Zinsen',
      correction: 'Berichtigungen',
    },
    shopKinds: {
      groceries: 'Lebensmittel',
      eating: 'Restaurants und Cafés',
      home: 'Haus und Garten',
      clothes: 'Kleidung und Schuhe',
      health: 'Gesundheit und Pflege',
      transport: 'Nahverkehr',
      car: 'Auto',
      travel: 'Reisen',
      leisure: 'Freizeit und Medien',
      devices: 'Telefon und Geräte',
      services: 'Haushaltskosten',
      learning: 'Bildung',
      cash: 'Bargeld mit Karte',
      otherShops: 'Andere Händler',
      erased: 'Nicht mehr gespeichert',
    },
  },
}
