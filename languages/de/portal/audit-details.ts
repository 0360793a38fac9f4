// The texts in German of what the service itself writes into the audit trail.
import type { texts as english } from '../../en/portal/audit-details.ts'

export const texts: typeof english = {
  auditDetails: {
    written: {
      match: 'Der Name stimmt',
      close_match: 'Der Name stimmt fast',
      no_match: 'Der Name stimmt nicht',
      not_possible: 'Nicht verglichen',
      accepted: 'vom Zahler angenommen',
      passkey: 'ein Passkey',
      totp: 'ein Einmalcode',
      'With passkey': 'Mit einem Passkey',
      'With totp': 'Mit einem Einmalcode',
      'With a recovery code': 'Mit einem Wiederherstellungscode',
      'With a link that replaces the factors': 'Mit einem Link, der die zweiten Faktoren ersetzt',
      'The password was right; the second factor was asked for':
        'Das Passwort war richtig; der zweite Faktor wurde verlangt',
      'the session is not restricted any more': 'die Sitzung ist nicht mehr eingeschränkt',
      'in place of all earlier factors': 'anstelle aller früheren Faktoren',
      'A refresh token was used again: its session was revoked':
        'Ein Refresh-Token wurde noch einmal benutzt: Seine Sitzung wurde widerrufen',
      issuer: 'der Identitätsanbieter',
      'At the issuer': 'Beim Identitätsanbieter',
      'with its second factor': 'mit dessen zweitem Faktor',
      'Staff no more': 'Nicht mehr Personal',
      'The issuer knows the person; the second factor was asked for':
        'Der Identitätsanbieter kennt die Person; der zweite Faktor wurde verlangt',
      gone: 'Die Gegenstelle antwortete, dass es sie nicht mehr gibt',
      failing: 'Die Gegenstelle fiel zu lange aus',
      'a person': 'Eine Person',
    },
  },
}
