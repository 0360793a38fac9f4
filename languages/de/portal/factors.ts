// The texts in German of what guards a person's access: second factors, devices, the password.
import type { texts as english } from '../../en/portal/factors.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  factors: {
    title: 'Zweite Faktoren',
    what: 'Neben Ihrem Passwort beweist ein zweiter Faktor, dass Sie es sind: ein Passkey dieses oder eines anderen Geräts, oder Codes einer Authenticator-App.',
    required: 'Ihre Rolle braucht einen zweiten Faktor. Bitte fügen Sie jetzt einen hinzu.',
    passkey: 'Passkey',
    totp: 'Authenticator-App',
    since: 'Hinzugefügt',
    neverUsed: 'noch nicht benutzt',
    rename: 'Umbenennen',
    renameOf: (name) => `${name} umbenennen`,
    remove: 'Entfernen',
    removeOf: (name) => `${name} entfernen`,
    removeOne:
      'Er kann nicht mehr zur Anmeldung benutzt werden. Alle anderen Geräte werden abgemeldet.',
    removeLast:
      'Es ist Ihr letzter: Danach meldet Ihr Passwort allein Sie an, und Ihre Wiederherstellungscodes gelten nicht mehr. Alle anderen Geräte werden abgemeldet.',
    removed: 'Der zweite Faktor ist entfernt.',
    added: 'Der zweite Faktor ist hinzugefügt. Alle anderen Geräte wurden abgemeldet.',
    addPasskey: 'Passkey hinzufügen',
    addTotp: 'Authenticator-App hinzufügen',
    passkeyWhat:
      'Ihr Gerät oder ein Sicherheitsschlüssel bewahrt den Passkey auf. Sie benutzen ihn mit Fingerabdruck, Gesicht oder der PIN des Geräts.',
    totpWhat:
      'Eine App auf Ihrem Telefon zeigt jede halbe Minute einen neuen Code aus sechs Ziffern.',
    name: 'Name',
    nameHint: 'Daran erkennen Sie ihn wieder.',
    continue: 'Weiter',
    scan: 'Scannen Sie dies mit Ihrer Authenticator-App:',
    qr: 'QR-Code mit dem Geheimnis für Ihre Authenticator-App',
    orType: 'Wenn Sie nicht scannen können, tippen Sie dieses Geheimnis in die App:',
    secret: 'Geheimnis',
    openApp: 'In einer App auf diesem Gerät öffnen',
    code: 'Code der Authenticator-App',
    codeHint: 'Sechs Ziffern.',
    wrong:
      'Dieser Code ist nicht richtig. Jeder Code gilt einmal und eine halbe Minute lang: Bitte nehmen Sie den, den die App jetzt zeigt. Nach fünf Versuchen oder fünf Minuten beginnen Sie neu.',
    refused:
      'Wird auch der richtige Code abgelehnt, dann gab es zu viele falsche, und die Bank hat Ihnen das per E-Mail mitgeteilt. Benutzen Sie einen Passkey oder einen Wiederherstellungscode, oder wählen Sie mit „Passwort vergessen?“ ein neues Passwort.',
    wrongRecovery:
      'Dieser Code ist nicht richtig oder wurde schon benutzt. Nach fünf Versuchen oder fünf Minuten beginnen Sie neu.',
    over: 'Das hat mehr als fünf Minuten oder fünf Versuche gedauert.',
    startAgain: 'Neu beginnen',
    stepTitle: 'Zweiter Schritt',
    passkeyHow:
      'Benutzen Sie den Passkey dieses Geräts, Ihres Telefons oder Ihres Sicherheitsschlüssels.',
    usePasskey: 'Passkey benutzen',
    lost: 'Wiederherstellungscode benutzen',
    otherMeans: 'Anderen Weg benutzen',
    recoveryCode: 'Wiederherstellungscode',
    recoveryHint:
      'Einer der Codes, die Ihnen einmal gezeigt wurden. Danach können Sie nur einen neuen zweiten Faktor einrichten.',
    codesTitle: 'Ihre Wiederherstellungscodes',
    codesWhat:
      'Wenn Sie Ihren zweiten Faktor verlieren, meldet einer dieser Codes Sie an, damit Sie einen neuen einrichten können. Jeder gilt einmal.',
    codesOnce:
      'Sie werden nur jetzt gezeigt. Drucken oder kopieren Sie sie und bewahren Sie sie sicher auf.',
    codesKept: 'Ich habe sie aufbewahrt',
    codesLeft: (count) =>
      `Sie haben ${plural(count, 'unbenutzten Wiederherstellungscode', 'unbenutzte Wiederherstellungscodes')}.`,
    newCodes: 'Neue Wiederherstellungscodes erzeugen',
    firstTitle: 'Zweiten Faktor einrichten',
    firstWhy:
      'Sie haben sich ohne zweiten Faktor angemeldet. Bevor Sie etwas anderes tun können, richten Sie bitte einen ein. Ihr Geld und Ihre Daten sind, wie sie waren.',
  },
  confirmation: {
    title: 'Mit dem zweiten Faktor bestätigen',
    operation: 'Was',
    payee: 'Empfänger',
    iban: 'IBAN',
    onlyOwn: 'Bestätigen Sie nur, was Sie selbst tun wollen. Brechen Sie sonst ab.',
    confirm: 'Bestätigen',
    otherOperation: 'Eine Änderung',
    operations: {
      createTransfer: 'Eine Überweisung',
      createBeneficiary: 'Ein neuer Empfänger',
      trustBeneficiary:
        'Einem Empfänger vertrauen: Überweisungen an ihn werden nicht mehr bestätigt',
      untrustBeneficiary: 'Einem Empfänger nicht mehr vertrauen',
      updateAccountSettings: 'Einstellungen eines Kontos',
      changePassword: 'Ein neues Passwort',
      enrolFactor: 'Ein neuer zweiter Faktor',
      deleteFactor: 'Einen zweiten Faktor entfernen',
      replaceRecoveryCodes: 'Neue Wiederherstellungscodes',
      createUser: 'Ein neuer Benutzer',
      updateUser: 'Eine Änderung eines Benutzers',
      allowFactorReset: 'Eine Person die zweiten Faktoren ersetzen lassen',
      mailPasswordLink: 'Einer Person einen Link für ihr Passwort senden',
      approveRequest: 'Freigeben, worum eine andere Person gebeten hat',
      createDeposit: 'Eine Bareinzahlung',
      createWithdrawal: 'Eine Barauszahlung',
      reverseTransfer: 'Eine Überweisung stornieren',
      createServiceAccount: 'Einen Programmzugang anlegen',
      updateServiceAccount: 'Eine Änderung eines Programmzugangs',
      issueServiceAccountKey: 'Ein neuer Schlüssel eines Programmzugangs',
      createWebhook: 'Einen Webhook anlegen, der Ereignisse an eine Adresse sendet',
      updateWebhook: 'Eine Änderung eines Webhooks',
      renewWebhookSecret: 'Ein neues Geheimnis eines Webhooks',
      createHold: 'Einen Betrag zu sperren',
      captureHold: 'Einen gesperrten Betrag einzuziehen',
      releaseHold: 'Einen gesperrten Betrag freizugeben',
      updateHold: 'Eine Änderung eines gesperrten Betrags',
      settleTransfer: 'Eine Überweisung ausführen',
      returnTransfer: 'Eine Überweisung zurückgeben',
    },
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
}
