// The texts in French of a person's own affairs: links by mail, preferences.
import type { texts as english } from '../../en/portal/own.ts'

export const texts: typeof english = {
  forgot: {
    title: 'Mot de passe oublié',
    intro:
      'Saisissez votre adresse e-mail. Si elle appartient à un client, nous envoyons un lien valable 30 minutes.',
    email: 'Adresse e-mail',
    submit: 'Envoyer le lien',
    sent: 'Si l’adresse est connue, un e-mail est en route. Seul le lien le plus récent fonctionne.',
    toSignIn: 'Vers la connexion',
  },
  help: {
    title: 'Aide',
    phone: 'Téléphone',
    address: 'Adresse',
    noContact: 'Votre contrat et vos relevés indiquent comment joindre la banque.',
    never:
      'La banque ne demande jamais votre mot de passe, un code ou un code de secours, ni par e-mail ni au téléphone.',
    cases: [
      {
        title: 'Vous avez oublié votre mot de passe',
        text: 'Demandez un lien pour en choisir un nouveau. Il arrive par e-mail et reste valable 30 minutes.',
      },
      {
        title: 'Vous avez perdu le téléphone ou la clé de votre second facteur',
        text: 'Connectez-vous avec l’un de vos codes de secours. S’il ne vous en reste aucun, appelez la banque. Quand elle est sûre que c’est vous, elle vous envoie un lien par lequel vous vous connectez avec votre mot de passe et installez un nouveau second facteur.',
      },
      {
        title: 'Une carte est perdue ou volée',
        text: 'Bloquez-la aussitôt sur la page de vos cartes, ou remplacez-la. Si vous ne pouvez pas vous connecter, appelez la banque.',
      },
      {
        title:
          'Vous voyez un paiement qui n’est pas de vous, ou quelqu’un connaît peut-être votre mot de passe',
        text: 'Choisissez un nouveau mot de passe, fermez toutes les autres sessions à la page Sécurité, bloquez vos cartes et appelez la banque.',
      },
      {
        title: 'La banque a bloqué votre compte ou votre carte',
        text: 'Seule la banque peut vous en dire plus et lever le blocage. Appelez la banque.',
      },
    ],
  },
  reset: {
    title: 'Définir votre mot de passe',
    of: (username) => `Pour le nom d’utilisateur ${username}.`,
    submit: 'Définir le mot de passe',
    noToken: 'Cette page s’ouvre par le lien d’un e-mail de la banque.',
    used: 'Ce lien a déjà servi, est trop ancien, ou un lien plus récent a été envoyé.',
    another: 'Demander un nouveau lien',
  },
  factorReset: {
    title: 'Remplacer votre second facteur',
    intro:
      'Connectez-vous avec votre nom d’utilisateur et votre mot de passe. Vous configurez ensuite un nouveau second facteur, qui remplace tous les précédents.',
    noToken: 'Cette page s’ouvre par le lien d’un e-mail de la banque.',
    toSignIn: 'Vers la connexion',
  },
  emailProof: {
    title: 'Confirmer votre adresse e-mail',
    intro:
      'L’adresse à laquelle le lien a été envoyé devient votre adresse e-mail. Ensuite, vous vous connectez de nouveau, ici et sur tous les appareils.',
    submit: 'Utiliser cette adresse',
    noToken: 'Cette page s’ouvre par le lien d’un e-mail de la banque.',
    dead: 'Ce lien a été utilisé, a plus de 30 minutes, ou votre demande est terminée. Est-il à vous\u00a0? Connectez-vous sous votre nom.',
    taken: 'Une autre personne de la banque a cette adresse.',
    toProfile: 'Vers votre profil',
  },
  preferences: {
    title: 'Préférences',
    note: 'Elles sont conservées dans ce navigateur. Les e-mails et les relevés suivent la langue.',
    language: 'Langue',
    auto: 'Comme le navigateur',
    timeZone: 'Fuseau horaire',
    theme: 'Apparence',
    light: 'Claire',
    dark: 'Sombre',
    contrast: 'Contraste élevé',
    shortcuts: 'Des touches seules servent de raccourcis',
  },
  profile: {
    title: 'Profil',
    name: 'Nom',
    username: 'Nom d’utilisateur',
    email: 'Adresse e-mail',
    phone: 'Téléphone',
    address: 'Adresse',
    roles: 'Rôles',
    roleNames: { customer: 'Client', 'support-agent': 'Agent du support', admin: 'Administrateur' },
    since: 'Depuis',
    note: 'Autre chose n’est pas juste\u00a0? Dites-le à la banque\u00a0: elle le modifie pour vous.',
  },
}
