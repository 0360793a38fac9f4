// The texts in German of the trial balance.
import type { texts as english } from '../../en/portal/trial.ts'

export const texts: typeof english = {
  trial: {
    add: 'Konto anlegen',
    postings: 'Viele Buchungen',
    heading: 'Saldenbilanz',
    account: 'Konto der Bank',
    balance: 'Saldo',
    customers: 'Alle Kundinnen und Kunden',
    total: 'Summe',
    unsound: 'Die Summe ist nicht null. Bitte sofort den Betrieb verständigen.',
    none: 'Es wurde noch kein Geld bewegt.',
    caption: (currency: string) => `Konten in ${currency}`,
    codes: {
      cash: 'Bargeld',
      clearing: 'Zahlungen von und an andere Banken',
      fees: 'Gebühren',
      interest: 'Zinsen',
      suspense: 'Ungeklärte Beträge',
      opening: 'Anfangsbestände',
    },
  },
}
