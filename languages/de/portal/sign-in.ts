// The texts in German of signing in and of passwords.
import type { texts as english } from '../../en/portal/sign-in.ts'

export const texts: typeof english = {
  signIn: {
    title: 'Anmelden',
    note: (host) => `${host} · Wir fragen nie per E-Mail oder am Telefon nach Ihrem Passwort.`,
    username: 'Benutzername oder E-Mail-Adresse',
    forgot: 'Passwort vergessen?',
    help: 'Hilfe und Kontakt',
    byPasskey: 'Mit einem Passkey anmelden',
    byIssuer: 'Personal: beim Identitätsanbieter anmelden',
    confirmed:
      'Es ist bestätigt. Sie können diese Seite schließen und auf der anderen weitermachen.',
    ended: {
      idle: 'Sie wurden abgemeldet, weil eine Weile nichts geschah.',
      expired: 'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
      revoked:
        'Ihre Sitzung wurde von anderswo beendet. Wenn das nicht Sie waren, ändern Sie Ihr Passwort.',
      signedOut: 'Sie haben sich abgemeldet.',
      mayBeOpen: 'Die Bank ist nicht erreichbar. Vielleicht sind Sie noch angemeldet.',
      passwordSet: 'Ihr Passwort ist gesetzt. Melden Sie sich damit an.',
      emailProved: 'Ihre E-Mail-Adresse ist geändert. Melden Sie sich neu an.',
    },
  },
  password: {
    label: 'Passwort',
    show: 'Passwort anzeigen',
    rules: '12 bis 128 Zeichen, ohne den Benutzernamen. Ein Satz lässt sich leicht merken.',
    short: 'Dieses Passwort hat weniger als 12 Zeichen.',
    long: 'Dieses Passwort hat mehr als 128 Zeichen.',
    named: 'Dieses Passwort enthält den Benutzernamen.',
    common:
      'Dieses Passwort ist zu verbreitet: Es ist bekannt, auch mit Ziffern oder Zeichen darum, oder wiederholt sich.',
    new: 'Neues Passwort',
  },
}
