// The texts in German of the search and of people, for staff.
import type { texts as english } from '../../en/portal/people.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  staffSearch: {
    title: 'Suche',
    label: 'Kunde, Konto oder Zahlung',
    hint: 'Ein Name in jeder Reihenfolge, auch mit einem falschen Buchstaben; eine Telefonnummer; die letzten vier Ziffern einer Karte; ein Benutzername, eine E-Mail-Adresse, eine IBAN oder eine Kennung. Von einer Zahlung: Wörter des Verwendungszwecks oder der Betrag mit seinem Tag: 12,50 EUR 31.01.2026.',
    submit: 'Suchen',
    begin: 'Kunden, Konten und Zahlungen suchen. Jede Suche steht im Prüfprotokoll.',
    found: (people, accounts, hasMore) =>
      `${plural(people, 'Person', 'Personen')} und ${plural(accounts, 'Konto', 'Konten')} angezeigt${hasMore ? '; es gibt weitere' : ''}.`,
    people: 'Personen',
    accounts: 'Konten',
    noPeople: 'Es wurde keine Person gefunden.',
    noAccounts: 'Es wurde kein Konto gefunden.',
    nothing:
      'Keine Person und kein Konto gefunden. Prüfen Sie die Schreibweise, oder suchen Sie nach einem anderen Teil des Namens.',
    badIban:
      'Das ist keine gültige IBAN: Die Prüfziffern passen nicht. Bitte vergleichen Sie sie noch einmal.',
  },
  customer: {
    ordersBy: 'Daueraufträge nach Auftraggebenden',
    title: 'Person',
    person: 'Person',
    username: 'Benutzername',
    roles: 'Rollen',
    status: 'Zugang',
    email: 'E-Mail-Adresse',
    phone: 'Telefonnummer',
    address: 'Anschrift',
    since: 'Seit',
    id: 'Kennung',
    externalId: 'Kennung anderswo',
    accounts: 'Konten',
    noAccounts: 'Diese Person hat kein Konto.',
    sessions: 'Sitzungen',
    noSessions: 'Diese Person ist nirgends angemeldet.',
    ownSessions: 'Das sind Ihre eigenen Sitzungen. Beenden Sie sie hier:',
    end: 'Beenden',
    endOf: (device) => `Sitzung auf ${device} beenden`,
    endedOne: (device) => `Die Sitzung auf ${device} ist beendet.`,
    endAll: 'Alle Sitzungen beenden',
    endAllText: (name) => `${name} wird auf allen Geräten sofort abgemeldet.`,
    endedAll: 'Alle Sitzungen sind beendet.',
    allAbout: 'Alle Ereignisse zu dieser Person',
    allBy: 'Alle Ereignisse von dieser Person',
    edit: 'Kontaktdaten, Rollen oder Zugang ändern',
    noEvents: 'Es gibt kein Ereignis.',
  },
  notes: {
    title: 'Notizen',
    none: 'Es ist noch nichts notiert.',
    add: 'Notiz hinzufügen',
    text: 'Notiz',
    hint: 'Für Mitarbeitende. Eine Notiz bleibt, wie sie ist; die Person sieht sie in einer Auskunft über ihre Daten.',
    save: 'Notiz speichern',
    bad: 'Dieser Text kann nicht gespeichert werden. Vielleicht enthält er eine Kartennummer.',
    onAccount: 'zu einem Konto',
  },
  users: {
    find: 'Personen finden',
    search: 'Name, Benutzername oder E-Mail-Adresse',
    any: 'Alle',
    caption: 'Personen der Bank, neueste zuerst',
    shown: (count, hasMore) =>
      `${plural(count, 'Person', 'Personen')} angezeigt${hasMore ? '; es gibt weitere' : ''}`,
    none: 'Niemand passt dazu. Prüfen Sie die Schreibweise, oder entfernen Sie die Filter.',
    name: 'Name',
    username: 'Benutzername',
    email: 'E-Mail-Adresse',
    role: 'Rolle',
    status: 'Status',
    since: 'Seit',
    roles: { customer: 'Kunde', 'support-agent': 'Kundenbetreuung', admin: 'Administration' },
    roleMeanings: {
      customer: 'hat eigene Konten',
      'support-agent': 'liest, was Kunden haben, schreibt Notizen',
      admin: 'bewegt Geld, ändert Konten und Personen',
    },
    rolesLegend: 'Rollen',
    rolesMissing: 'Bitte wählen Sie mindestens eine Rolle.',
    statuses: { active: 'Aktiv', disabled: 'Gesperrt' },
    create: 'Person anlegen',
    created: 'Die Person ist angelegt',
    invited: (name, email) =>
      `${name} erhält an ${email} eine E-Mail mit einem Link, um ein Passwort zu setzen. Der Link gilt einen Tag.`,
    withPassword: (name) => `${name} kann sich mit dem Passwort anmelden, das Sie gesetzt haben.`,
    toPerson: 'Person anzeigen',
    another: 'Weitere Person anlegen',
    lookFor: (username) => `Nachsehen, ob ${username} angelegt wurde`,
    usernameRules: '3 bis 32 Kleinbuchstaben, Ziffern, Punkte, Binde- oder Unterstriche.',
    unfitUsername:
      'Ein Benutzername hat 3 bis 32 Kleinbuchstaben, Ziffern, Punkte, Binde- oder Unterstriche und beginnt mit einem Buchstaben oder einer Ziffer.',
    usernameTaken: 'Dieser Benutzername ist vergeben.',
    emailTaken: 'Diese E-Mail-Adresse ist vergeben.',
    givenName: 'Vorname',
    familyName: 'Nachname',
    phone: 'Telefonnummer (freiwillig)',
    phoneHint: 'Mit Ländervorwahl, zum Beispiel +49 30 901820.',
    address: 'Postanschrift (freiwillig)',
    language: 'Sprache',
    ownLanguage: 'Wählt die Person',
    unfitEmail: 'Das ist keine E-Mail-Adresse.',
    unfitPhone: 'Das ist keine Telefonnummer mit Ländervorwahl.',
    access: 'Wie erhält die Person Zugang?',
    ways: {
      invitation: 'Mit einem Link in einer E-Mail (empfohlen)',
      password: 'Mit einem Passwort, das Sie jetzt setzen',
    },
    edit: 'Kontaktdaten und Rollen',
    saved: 'Gespeichert.',
    nothingChanged: 'Es wurde nichts geändert.',
    newEmail:
      'Mit einer neuen E-Mail-Adresse wird die Person überall abgemeldet, und die alte Adresse wird benachrichtigt.',
    lastAdmin:
      'Die eigene und die letzte Administration lassen sich nicht entfernen. Das muss eine andere Person tun.',
    isInvited: 'Eingeladen',
    tooManyLinks: 'Diese Person hat innerhalb einer Stunde drei Links bekommen. Bitte warten Sie.',
    invite: {
      title: 'Einladung',
      text: 'Diese Person hat noch kein Passwort gesetzt. Eine neue Einladung macht den Link der früheren ungültig.',
      send: 'Noch einmal einladen',
      ask: (name: string, email: string) =>
        `Ein Link zum Setzen eines Passworts geht an ${email}. Er gilt einmal, einen Tag lang. Vergewissern Sie sich, dass dies die Adresse von ${name} ist.`,
      sent: (email: string) => `Die Einladung ist unterwegs an ${email}.`,
    },
    resetPassword: {
      title: 'Passwort',
      text: 'Die Person bekommt per E-Mail einen Link, um ein neues Passwort zu setzen. Niemand in der Bank sieht den Link oder das Passwort.',
      send: 'Link zum Zurücksetzen senden',
      ask: (name: string, email: string) =>
        `Ein Link geht an ${email}. Er gilt einmal, 30 Minuten lang. Bis er benutzt wird, ändert sich nichts. Vergewissern Sie sich, dass ${name} darum bittet.`,
      sent: (email: string) => `Ein Link ist unterwegs an ${email}.`,
    },
    secondFactor: 'Zweiter Faktor',
    secondFactorMeaning:
      'Wer alle zweiten Faktoren und Wiederherstellungscodes verloren hat, bekommt einen Link per E-Mail. Mit ihm und dem Passwort richtet die Person einen neuen ein.',
    sendFactorLink: 'Link zum Ersetzen senden',
    factorLinkSent: (email) => `Ein Link ist unterwegs an ${email}.`,
    noFactor:
      'Diese Person hat keinen zweiten Faktor, der ersetzt werden kann, oder kann sich nicht anmelden.',
    askFactorLink: (name) =>
      `Stellen Sie sicher, dass ${name} selbst darum bittet. ${name} wird sofort überall abgemeldet.`,
    issuer: {
      title: 'Identitätsanbieter',
      issuer: 'Anbieter',
      subject: 'Subject (sub)',
      subjectHint:
        'Wie der Anbieter die Person für diese Bank nennt, Zeichen für Zeichen. Nie eine geratene E-Mail-Adresse.',
      since: 'Verknüpft',
      link: 'Verknüpfen',
      unlink: 'Verknüpfung lösen',
      linked: 'Die Person ist verknüpft.',
      unlinked: 'Die Verknüpfung ist gelöst.',
      taken: 'Dieses Subject gehört einer anderen Person, oder die Person ist schon verknüpft.',
      unfit: 'Das sind nicht 1 bis 255 Buchstaben, Ziffern und Zeichen von ASCII.',
      meaning: (issuer) =>
        `Diese Person meldet sich mit einem Passwort dieser Bank an. Nach der Verknüpfung öffnet eine Anmeldung bei ${issuer} als dieses Subject die Bank in ihrem Namen.`,
      askLink: (name) =>
        `Stellen Sie sicher, dass dieses Subject ${name} ist: Wer sich so anmeldet, handelt als ${name}. ${name} wird sofort überall abgemeldet.`,
      askUnlink: (name) =>
        `${name} wird sofort überall abgemeldet und meldet sich mit einem Passwort dieser Bank an.`,
    },
    login: 'Anmeldung',
    disable: 'Anmeldung sperren',
    enable: 'Anmeldung freigeben',
    disabled: 'Die Anmeldung ist gesperrt. Die Person ist überall abgemeldet.',
    enabled: 'Die Anmeldung ist freigegeben.',
    activeMeaning: 'Die Person kann sich anmelden.',
    knownKeys: 'Schlüssel von Programmzugänge',
    noKnownKeys: 'Diese Person hat keinen Schlüssel gesehen, der noch gilt.',
    knownKeysMeaning:
      'Diese Person hat diese Schlüssel gesehen, und sie gelten weiter. Erneuern Sie jeden: Erstellen Sie einen zweiten Schlüssel (Programme), geben Sie ihn dem Programm und widerrufen Sie dann den alten.',
    disabledMeaning: 'Die Person kann sich nicht anmelden. Konten und ihr Geld bleiben.',
    ask: (name, isActive) =>
      isActive
        ? `${name} wird sofort überall abgemeldet und kann sich nicht mehr anmelden.`
        : `${name} kann sich dann wieder anmelden.`,
  },
}
