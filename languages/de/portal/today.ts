// The texts in German of the bank in totals, for staff.
import type { texts as english } from '../../en/portal/today.ts'

export const texts: typeof english = {
  today: {
    overdrawn: 'Überzogene Konten',
    since: 'Seit',
    lacking: 'Fehlt',
    overdrawnMeaning: 'Kartenzahlungen nahmen mehr, als auf diesen Konten war',
    noneOverdrawn: 'Keinem Konto fehlt Geld für eine Kartenzahlung.',
    title: 'Die Bank heute',
    refresh: 'Aktualisieren',
    asOf: 'Stand',
    pending: 'Offene Überweisungen',
    sessions: 'Laufende Sitzungen',
    active: 'Aktive Personen',
    disabled: 'Gesperrte Personen',
    orMore: (count) => `${count} oder mehr`,
    currencies: 'Geld nach Währung',
    currenciesCaption: 'Offene Konten, Guthaben der Kunden und Überweisungen an andere Banken',
    currency: 'Währung',
    accounts: 'Offene Konten',
    balances: 'Guthaben der Kunden',
    pendingAmount: 'Offener Betrag',
    noAccounts:
      'Noch ist kein Konto offen. Kunden eröffnen sie selbst; das Personal findet sie über die Suche.',
    refused: 'Abweisungen',
    refusalsCaption: 'In den letzten 24 Stunden',
    kind: 'Art',
    count: 'Anzahl',
    refusals: {
      failure: 'Fehlgeschlagene Anmeldungen',
      limited: 'Zu viele Anmeldungen',
      forbidden: 'Nicht erlaubt',
    },
    verification: 'Prüfung der Bücher',
    neverVerified:
      'Die Bücher wurden noch nie geprüft. Der Betrieb führt „strongroom verify“ aus, am besten täglich.',
    sound: 'In Ordnung',
    unsound: 'Nicht in Ordnung',
    soundMeaning: 'Jede Buchung, jeder Kontostand und jede Summe wurde nachgewiesen.',
    unsoundMeaning: 'Etwas stimmt nicht überein. Benachrichtigen Sie sofort den Betrieb.',
    toEvent: 'Den Lauf im Prüfprotokoll anzeigen',
  },
}
