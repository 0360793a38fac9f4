// The texts in German of a person's own affairs: links by mail, preferences.
import type { texts as english } from '../../en/portal/own.ts'

export const texts: typeof english = {
  forgot: {
    title: 'Passwort vergessen',
    intro:
      'Geben Sie Ihre E-Mail-Adresse ein. Gehört sie zu einem Kunden, senden wir einen Link, der 30 Minuten gilt.',
    email: 'E-Mail-Adresse',
    submit: 'Link senden',
    sent: 'Wenn die Adresse bekannt ist, ist eine E-Mail unterwegs. Nur der neueste Link gilt.',
    toSignIn: 'Zur Anmeldung',
  },
  help: {
    title: 'Hilfe',
    phone: 'Telefon',
    address: 'Anschrift',
    noContact: 'Wie Sie die Bank erreichen, steht in Ihrem Vertrag und auf Ihren Kontoauszügen.',
    never:
      'Die Bank fragt nie nach Ihrem Passwort, einem Code oder einem Wiederherstellungscode, weder per Mail noch am Telefon.',
    cases: [
      {
        title: 'Sie haben Ihr Passwort vergessen',
        text: 'Fordern Sie einen Link an, um ein neues zu setzen. Er kommt per Mail und gilt 30 Minuten.',
      },
      {
        title: 'Sie haben das Telefon oder den Schlüssel Ihres zweiten Faktors verloren',
        text: 'Melden Sie sich mit einem Ihrer Wiederherstellungscodes an. Haben Sie keinen mehr, rufen Sie die Bank an. Ist sie sicher, dass Sie es sind, mailt sie Ihnen einen Link, mit dem Sie sich mit Ihrem Passwort anmelden und einen neuen zweiten Faktor einrichten.',
      },
      {
        title: 'Eine Karte ist verloren oder gestohlen',
        text: 'Sperren Sie sie sofort auf der Seite Ihrer Karten, oder ersetzen Sie sie dort. Können Sie sich nicht anmelden, rufen Sie die Bank an.',
      },
      {
        title:
          'Es gibt eine Zahlung, die nicht von Ihnen ist, oder jemand kennt vielleicht Ihr Passwort',
        text: 'Setzen Sie ein neues Passwort, beenden Sie auf der Seite Sicherheit alle anderen Sitzungen, sperren Sie Ihre Karten, und rufen Sie die Bank an.',
      },
      {
        title: 'Die Bank hat Ihr Konto oder Ihre Karte gesperrt',
        text: 'Nur die Bank kann Ihnen mehr sagen und die Sperre aufheben. Rufen Sie die Bank an.',
      },
    ],
  },
  reset: {
    title: 'Passwort setzen',
    of: (username) => `Für den Benutzernamen ${username}.`,
    submit: 'Passwort setzen',
    noToken: 'Diese Seite wird über den Link in einer E-Mail der Bank geöffnet.',
    used: 'Dieser Link wurde benutzt, ist zu alt, oder ein neuerer wurde gesendet.',
    another: 'Neuen Link anfordern',
  },
  factorReset: {
    title: 'Zweiten Faktor ersetzen',
    intro:
      'Melden Sie sich mit Benutzername und Passwort an. Danach richten Sie einen neuen zweiten Faktor ein, der alle früheren ersetzt.',
    noToken: 'Diese Seite wird über den Link in einer E-Mail der Bank geöffnet.',
    toSignIn: 'Zur Anmeldung',
  },
  emailProof: {
    title: 'E-Mail-Adresse bestätigen',
    intro:
      'Damit wird die Adresse, an die der Link gesendet wurde, Ihre E-Mail-Adresse. Danach melden Sie sich neu an, hier und auf allen Geräten.',
    submit: 'Diese Adresse verwenden',
    noToken: 'Diese Seite wird über den Link in einer E-Mail der Bank geöffnet.',
    dead: 'Dieser Link wurde verwendet, ist älter als 30 Minuten, oder Ihr Antrag ist beendet. Ist es Ihrer? Melden Sie sich unter Ihrem Namen an.',
    taken: 'Eine andere Person der Bank hat diese Adresse.',
    toProfile: 'Zum Profil',
  },
  preferences: {
    title: 'Einstellungen',
    note: 'Sie werden in diesem Browser aufbewahrt. E-Mails und Kontoauszüge folgen der Sprache.',
    language: 'Sprache',
    auto: 'Wie der Browser',
    timeZone: 'Zeitzone',
    theme: 'Darstellung',
    light: 'Hell',
    dark: 'Dunkel',
    contrast: 'Hoher Kontrast',
    shortcuts: 'Einzelne Tasten sind Kürzel',
  },
  profile: {
    title: 'Profil',
    name: 'Name',
    username: 'Benutzername',
    email: 'E-Mail-Adresse',
    phone: 'Telefonnummer',
    address: 'Anschrift',
    roles: 'Rollen',
    roleNames: { customer: 'Kunde', 'support-agent': 'Kundenbetreuung', admin: 'Administration' },
    since: 'Seit',
    note: 'Stimmt etwas anderes davon nicht? Bitte sagen Sie es der Bank: Sie ändert es für Sie.',
  },
}
