// The texts in German of payments that staff have looked up.
import type { texts as english } from '../../en/portal/found.ts'

export const texts: typeof english = {
  found: {
    title: 'Zahlungen',
    none: 'Keine Zahlung gefunden.',
    late: 'Eine Zahlung wird einige Sekunden nach ihrer Ausführung gefunden. Abgelehntes bleibt 90 Tage erhalten.',
    kinds: {
      transfer: 'Zahlung',
      cardPayment: 'Kartenzahlung',
      hold: 'Vorgemerkter Betrag',
      refused: 'Abgelehnte Zahlung',
    },
    refusedRun: 'Abgelehnte Ausführung eines Dauerauftrags',
    to: (target) => `an ${target}`,
    transfers: {
      completed: 'Ausgeführt',
      pending: 'Ausstehend',
      returned: 'Zurückgegeben',
      sent: 'Gesendet',
      cancelled: 'Abgebrochen',
    },
    cardPayments: {
      authorized: 'Vorgemerkt',
      captured: 'Bezahlt',
      released: 'Freigegeben',
      expired: 'Abgelaufen',
      declined: 'Abgelehnt',
    },
    holds: {
      active: 'Vorgemerkt',
      captured: 'Eingezogen',
      released: 'Freigegeben',
      expired: 'Abgelaufen',
    },
    reasons: {
      credits_blocked: 'Konto des Empfängers nimmt kein Geld an',
      debits_blocked: 'Sperrvermerk gegen Zahlungen vom Konto',
      insufficient_funds: 'nicht genug Geld',
      limit_exceeded: 'über einem Limit',
      account_frozen: 'Konto gesperrt',
      account_closed: 'Konto des Empfängers geschlossen',
      beneficiary_inactive: 'Empfänger deaktiviert',
      beneficiary_cooling: 'Empfänger zu neu nach einer Wiederherstellung',
      not_found: 'Empfänger gelöscht',
      currency_mismatch: 'verschiedene Währungen',
      forbidden: 'kein Recht, vom Konto zu zahlen',
      duplicate_transfer: 'dieselbe Zahlung kurz davor',
      payee_not_accepted: 'Name des Empfängers passt nicht',
    },
    otherReason: 'nicht möglich',
  },
}
