// The texts in German of a person's own affairs: password, devices, preferences.
import type { texts as english } from '../en/own.ts'
import { plural } from '../plural.ts'

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
  reset: {
    title: 'Passwort setzen',
    submit: 'Passwort setzen',
    noToken: 'Diese Seite wird über den Link in einer E-Mail der Bank geöffnet.',
    used: 'Dieser Link wurde benutzt, ist älter als 30 Minuten, oder ein neuerer wurde gesendet.',
    another: 'Neuen Link anfordern',
  },
  security: {
    title: 'Sicherheit',
    sessions: 'Wo Sie angemeldet sind',
    end: 'Abmelden',
    endOf: (device) => `${device} abmelden`,
    endOthers: 'Alle anderen Geräte abmelden',
    endedOthers: (count) => `${plural(count, 'Gerät wurde', 'Geräte wurden')} abgemeldet.`,
    onlyThis: 'Sie sind nur auf diesem Gerät angemeldet.',
    password: 'Passwort ändern',
    currentPassword: 'Jetziges Passwort',
    changed: 'Ihr Passwort ist geändert. Alle anderen Geräte wurden abgemeldet.',
    wrongPassword: 'Das ist nicht Ihr jetziges Passwort.',
  },
  preferences: {
    title: 'Einstellungen',
    note: 'Sie werden in diesem Browser aufbewahrt.',
    language: 'Sprache',
    auto: 'Wie der Browser',
    timeZone: 'Zeitzone',
    theme: 'Darstellung',
    light: 'Hell',
    dark: 'Dunkel',
    contrast: 'Hoher Kontrast',
    shortcuts: 'Einzelne Tasten sind Kürzel',
  },
}
