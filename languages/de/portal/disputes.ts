// What a person reads of a disputed card payment, and staff of those that wait.
import type { texts as english } from '../../en/portal/disputes.ts'

export const texts: typeof english = {
  disputes: {
    title: 'Reklamation',
    dispute: 'Diese Zahlung reklamieren',
    what: 'Was stimmt nicht?',
    choose: 'Bitte wählen',
    text: 'Was passiert ist',
    missing: 'Bitte wählen Sie, was nicht stimmt.',
    blank: 'Bitte schreiben Sie, was passiert ist.',
    send: 'An die Bank senden',
    answer: 'Antwort der Bank',
    reasons: {
      not_authorized: 'Ich habe diese Zahlung nicht gemacht',
      not_received: 'Was ich bezahlt habe, kam nie an',
      not_as_described: 'Es ist nicht, was beschrieben war',
      duplicate: 'Es wurde doppelt abgebucht',
      wrong_amount: 'Der Betrag ist falsch',
      cancelled: 'Ich hatte es storniert',
      other: 'Etwas anderes',
    },
    statuses: {
      open: 'Die Bank prüft es',
      charged_back: 'Gutgeschrieben, bis es entschieden ist',
      won: 'Für Sie entschieden: Das Geld gehört Ihnen',
      lost: 'Für das Geschäft entschieden: Die Gutschrift wurde zurückgenommen',
      withdrawn: 'Zurückgezogen: Die Gutschrift wurde zurückgenommen',
      closed: 'Von der Bank geschlossen',
    },
    staffTitle: 'Reklamationen',
    staffMeaning:
      'Kartenzahlungen, die reklamiert sind: vom Prozessor zurückzubelasten oder zu schließen',
    none: 'Keine Reklamation wartet.',
    since: 'Seit',
    account: 'Konto',
    close: 'Schließen',
    closeTitle: 'Ohne Rückbelastung schließen',
    closeMeaning: 'Die Person liest diesen Grund.',
    reason: 'Grund',
  },
}
