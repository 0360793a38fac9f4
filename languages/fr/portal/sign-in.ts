// The texts in French of signing in and of passwords.
import type { texts as english } from '../../en/portal/sign-in.ts'

export const texts: typeof english = {
  signIn: {
    title: 'Se connecter',
    note: (host) =>
      `${host} · Nous ne demandons jamais votre mot de passe par e-mail ni au téléphone.`,
    username: 'Nom d’utilisateur ou adresse e-mail',
    forgot: 'Mot de passe oublié\u00a0?',
    help: 'Aide et contact',
    byPasskey: 'Se connecter avec une clé d’accès',
    byIssuer: 'Personnel\u00a0: se connecter chez le fournisseur d’identité',
    confirmed: 'C’est confirmé. Vous pouvez fermer cette page et continuer dans l’autre.',
    ended: {
      idle: 'Vous avez été déconnecté après un moment sans activité.',
      expired: 'Votre session est terminée. Veuillez vous reconnecter.',
      revoked:
        'Il a été mis fin à votre session depuis un autre endroit. Si ce n’était pas vous, changez votre mot de passe.',
      signedOut: 'Vous êtes déconnecté.',
      mayBeOpen: 'La banque était injoignable. Vous êtes peut-être encore connecté.',
      passwordSet: 'Votre mot de passe est défini. Connectez-vous avec lui.',
      emailProved: 'Votre adresse e-mail est changée. Connectez-vous de nouveau.',
    },
  },
  password: {
    label: 'Mot de passe',
    show: 'Afficher le mot de passe',
    rules: '12 à 128 caractères, sans le nom d’utilisateur. Une phrase est facile à retenir.',
    short: 'Ce mot de passe a moins de 12 caractères.',
    long: 'Ce mot de passe a plus de 128 caractères.',
    named: 'Ce mot de passe contient le nom d’utilisateur.',
    common: 'Ce mot de passe est trop courant.',
    new: 'Nouveau mot de passe',
  },
}
