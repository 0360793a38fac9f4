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
  reset: {
    title: 'Définir votre mot de passe',
    of: (username) => `Pour le nom d’utilisateur ${username}.`,
    submit: 'Définir le mot de passe',
    noToken: 'Cette page s’ouvre par le lien d’un e-mail de la banque.',
    used: 'Ce lien a déjà servi, a plus de 30 minutes, ou un lien plus récent a été envoyé.',
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
    dead: 'Ce lien a été utilisé, a plus de 30 minutes, ou votre demande est terminée. Est-il à vous ? Connectez-vous sous votre nom.',
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
    note: 'Autre chose n’est pas juste ? Dites-le à la banque : elle le modifie pour vous.',
  },
}
