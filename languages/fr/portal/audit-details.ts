// The texts in French of what the service itself writes into the audit trail.
import type { texts as english } from '../../en/portal/audit-details.ts'

export const texts: typeof english = {
  auditDetails: {
    written: {
      match: 'Le nom correspond',
      close_match: 'Le nom correspond presque',
      no_match: 'Le nom ne correspond pas',
      not_possible: 'Non comparé',
      accepted: 'accepté par le payeur',
      passkey: 'une clé d’accès',
      totp: 'un code à usage unique',
      'With passkey': 'Avec une clé d’accès',
      'With totp': 'Avec un code à usage unique',
      'With a recovery code': 'Avec un code de secours',
      'With a link that replaces the factors': 'Avec un lien qui remplace les seconds facteurs',
      'The password was right; the second factor was asked for':
        'Le mot de passe était juste\u00a0; le second facteur a été demandé',
      'the session is not restricted any more': 'la session n’est plus restreinte',
      'in place of all earlier factors': 'à la place de tous les facteurs précédents',
      'A refresh token was used again: its session was revoked':
        'Un jeton de renouvellement a servi une nouvelle fois\u00a0: sa session a été révoquée',
      issuer: 'le fournisseur d’identité',
      'At the issuer': 'Chez le fournisseur d’identité',
      'with its second factor': 'avec son second facteur',
      'Staff no more': 'N’est plus du personnel',
      'The issuer knows the person; the second factor was asked for':
        'Le fournisseur d’identité connaît la personne\u00a0; le second facteur a été demandé',
      gone: 'Il a répondu qu’il n’existe plus',
      failing: 'Il a échoué trop longtemps',
      'a person': 'Une personne',
    },
  },
}
