// The texts in English of what the service itself writes into the audit trail, as it writes it.

export const texts = {
  auditDetails: {
    written: {
      match: 'The name matches',
      close_match: 'The name nearly matches',
      no_match: 'The name does not match',
      not_possible: 'Not compared',
      accepted: 'accepted by the payer',
      passkey: 'a passkey',
      totp: 'a one-time code',
      'With passkey': 'With a passkey',
      'With totp': 'With a one-time code',
      'With a recovery code': 'With a recovery code',
      'With a link that replaces the factors': 'With a link that replaces the second factors',
      'The password was right; the second factor was asked for':
        'The password was right; the second factor was asked for',
      'the session is not restricted any more': 'the session is not restricted any more',
      'in place of all earlier factors': 'in place of all earlier factors',
      'A refresh token was used again: its session was revoked':
        'A refresh token was used again: its session was revoked',
      issuer: 'the identity provider',
      'At the issuer': 'At the identity provider',
      'with its second factor': 'with its second factor',
      'Staff no more': 'Not of staff any more',
      'The issuer knows the person; the second factor was asked for':
        'The identity provider knows the person; the second factor was asked for',
      gone: 'It answered that it is gone',
      failing: 'It failed for too long',
      'a person': 'A person',
    },
  },
}
