// The texts in German that every page may show.
import type { texts as english } from '../../en/portal/common.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  common: {
    colon: ': ',
    loading: 'Wird geladen',
    again: 'Erneut versuchen',
    broken: 'Diese Seite konnte nicht angezeigt werden.',
    tryIn: (seconds) =>
      `Sie können es in ${plural(seconds, 'Sekunde', 'Sekunden')} erneut versuchen.`,
    requestId: (id) => `Wenn Sie die Bank dazu fragen, nennen Sie die Anfrage ${id}.`,
    copy: 'Kopieren',
    copied: 'Kopiert',
    copyName: (name) => `${name} kopieren`,
    filter: 'Filter',
    applyFilters: 'Anwenden',
    clearFilters: 'Filter entfernen',
    more: 'Mehr anzeigen',
    save: 'Speichern',
    cancel: 'Abbrechen',
    close: 'Schließen',
    back: 'Zurück',
    print: 'Drucken',
    none: 'Keine',
    yes: 'Ja',
    no: 'Nein',
    timesIn: (zone) => `Zeiten gelten für ${zone}.`,
    skip: 'Zum Inhalt',
    menu: 'Hauptmenü',
    account: 'Ihr Profil',
    unnamedAccount: (currency) => `${currency}-Konto`,
    accountStatuses: { active: 'Aktiv', frozen: 'Gesperrt', closed: 'Geschlossen' },
  },
  nav: {
    home: 'Konten',
    transfer: 'Überweisen',
    orders: 'Daueraufträge',
    beneficiaries: 'Empfänger',
    cards: 'Karten',
    statements: 'Kontoauszüge',
    search: 'Suche',
    clearing: 'Clearing',
    users: 'Benutzer',
    audit: 'Prüfprotokoll',
    approvals: 'Freigaben',
    today: 'Heute',
    programs: 'Programme',
    profile: 'Profil',
    security: 'Sicherheit',
    preferences: 'Einstellungen',
    signOut: 'Abmelden',
    more: 'Mehr',
  },
  form: {
    badText: "Nur Buchstaben, Ziffern, Leerzeichen und / ? : ( ) . , ' + & # · - sind möglich.",
    badSign: (sign) => `Das Zeichen ${sign} ist nicht möglich.`,
    badAmount: (example) => `Bitte geben Sie einen Betrag ein, etwa ${example}.`,
    zeroAmount: (example) => `Bitte geben Sie einen Betrag über null ein, etwa ${example}.`,
    manyDigits: (currency, most, example) =>
      most === 0
        ? `Beträge in ${currency} sind ganze Zahlen, etwa ${example}.`
        : `${currency} hat höchstens ${most} Stellen nach dem Komma, etwa ${example}.`,
    signedAmount: 'Bitte lassen Sie das Zeichen vor dem Betrag weg.',
    longAmount: 'Dieser Betrag ist zu lang: höchstens 15 Stellen vor dem Komma.',
    unclearAmount: (typed, example, plain) =>
      `„${typed}“ lässt sich verschieden lesen. Schreiben Sie es wie ${example} oder ${plain}.`,
    summary: (count) => `Bitte ${plural(count, 'Feld', 'Felder')} korrigieren:`,
    notAccepted: 'Das wurde nicht angenommen.',
    required: 'Bitte ausfüllen.',
    cut: (most) =>
      `Hier passen nur ${most} Zeichen; der Rest wurde abgeschnitten. Bitte prüfen Sie das Ende.`,
    checking: 'Die Antwort ging verloren. Wir stellen fest, was geschehen ist.',
    unknown:
      'Die Antwort ging verloren; wir wissen nicht, ob es gewirkt hat. Bitte prüfen Sie es, bevor Sie es erneut versuchen.',
    noPayee:
      'Kein Konto dieser Bank hat die IBAN des Empfängers. Bitte vergleichen Sie sie noch einmal.',
  },
  errors: {
    offline: 'Die Bank ist nicht erreichbar. Bitte prüfen Sie Ihre Verbindung.',
    account_closed: 'Dieses Konto ist geschlossen.',
    account_frozen:
      'Dieses Konto ist gesperrt. Es kann nicht belastet werden, und nichts lässt sich ändern.',
    account_not_empty:
      'Ein Konto mit einem Saldo, einem reservierten Betrag oder einer Zahlung unterwegs lässt sich nicht schließen.',
    already_exists: 'Das gibt es schon.',
    already_reversed: 'Diese Überweisung wurde bereits storniert.',
    archived: 'Das liegt in einem Archiv. Bitte fragen Sie die Bank.',
    signature_required:
      'Diesen Betrag müssen zwei Personen unterschreiben. Senden Sie ihn zur Unterschrift.',
    beneficiary_cooling:
      'Sie haben sich ohne zweiten Faktor angemeldet. Ein seither angelegter Empfänger kann 24 Stunden danach bezahlt werden.',
    approval_pending:
      'Das wartet jetzt auf die Freigabe durch eine zweite Person der Bank. Noch hat sich nichts geändert.',
    beneficiary_inactive:
      'Dieser Empfänger ist deaktiviert. Aktivieren Sie ihn vor der Überweisung.',
    card_cancelled: 'Diese Karte ist endgültig gekündigt.',
    confirmation_required: 'Das muss mit Ihrem zweiten Faktor bestätigt werden.',
    factor_enrolment_required: 'Richten Sie zuerst einen zweiten Faktor ein.',
    link_refused: 'Dieser Link wurde benutzt, ist zu alt, oder ein neuerer wurde gesendet.',
    passkey_failed:
      'Es wurde kein Passkey benutzt, oder er ist hier nicht bekannt. Versuchen Sie es erneut oder wählen Sie einen anderen Weg.',
    second_factor_required: 'Bitte melden Sie sich mit Ihrem zweiten Faktor an.',
    unconfirmed: 'Das wurde nicht bestätigt; es hat sich nichts geändert.',
    currency_mismatch: 'Die Währungen passen nicht zueinander.',
    credits_blocked: 'Das Konto nimmt zurzeit kein Geld an.',
    debits_blocked:
      'Die Bank hat einen Sperrvermerk auf dieses Konto gesetzt. Zurzeit kann kein Geld von ihm abgehen.',
    duplicate_transfer: 'Dieselbe Überweisung wurde gerade eben ausgeführt.',
    forbidden: 'Dazu sind Sie nicht berechtigt.',
    idempotency_key_reused:
      'Diese Überweisung wurde schon mit anderem Inhalt gesendet. Bitte beginnen Sie neu.',
    illegal_transition: 'Das ist im jetzigen Zustand nicht möglich. Bitte laden Sie die Seite neu.',
    insufficient_funds: 'Auf dem Konto ist nicht genug Geld.',
    internal_error: 'Bei der Bank ist etwas schiefgegangen. Bitte versuchen Sie es später.',
    invalid_credentials: 'Benutzername oder Passwort stimmt nicht.',
    issuer_refused:
      'Die Anmeldung beim Identitätsanbieter öffnet hier nichts. Versuchen Sie es noch einmal, oder fragen Sie die Verwaltung, ob Sie verknüpft sind.',
    issuer_unavailable:
      'Der Identitätsanbieter antwortet gerade nicht. Bitte melden Sie sich später an.',
    invalid_request: 'Etwas im Formular wurde nicht angenommen.',
    limit_exceeded: 'Das würde ein Limit überschreiten.',
    not_found: 'Das gibt es nicht oder nicht mehr.',
    outcome_unknown: 'Das Ergebnis ist noch nicht bekannt.',
    payee_check_required:
      'Der Name des Empfängers muss neu verglichen werden: Das gilt 15 Minuten. Bitte beginnen Sie noch einmal.',
    payee_not_accepted:
      'Der Name des Empfängers stimmt nicht. Bitte beginnen Sie noch einmal, und fahren Sie nur fort, wenn Sie sicher sind.',
    rate_limited: 'Zu viele Anfragen in kurzer Zeit.',
    request_in_progress: 'Das wird bereits bearbeitet.',
    session_expired: 'Ihre Sitzung ist beendet.',
    session_revoked: 'Ihre Sitzung wurde beendet.',
    unauthenticated: 'Bitte melden Sie sich an.',
    unavailable: 'Die Bank ist im Moment ausgelastet.',
  },
  rename: {
    action: 'Umbenennen',
    name: 'Neuer Name',
    hint: 'Nur Sie sehen ihn. Leer lassen für keinen.',
    done: 'Der neue Name ist gespeichert.',
  },
  limits: {
    perPayment: (most) => `Eine Zahlung darf höchstens ${most} betragen.`,
    dailyTransfers: (most, left, until) =>
      `Das Tageslimit ist ${most}. Davon sind bis ${until} noch ${left} frei.`,
    openAccounts: (most) => `Sie können ${most} offene Konten haben. Schließen Sie zuerst eines.`,
    cards: (most) => `Ein Konto kann ${most} Karten haben. Kündigen Sie zuerst eine.`,
    orders: (most) => `Ein Konto kann ${most} Aufträge haben. Kündigen Sie zuerst einen.`,
    drafts: (most) =>
      `Auf diesem Konto warten ${most} Zahlungen auf eine Unterschrift. Mehr sind nicht möglich.`,
    paymentLists: (most) =>
      `Ein Konto kann ${most} offene Zahlungslisten haben. Stornieren Sie zuerst eine.`,
    secondFactors: (most) =>
      `Sie können ${most} zweite Faktoren haben. Entfernen Sie zuerst einen.`,
    activeHolds: (most) => `Ein Konto kann ${most} Vormerkungen haben. Heben Sie zuerst eine auf.`,
    members: (most) =>
      `Ein Konto kann ${most} Mitglieder haben. Beenden Sie zuerst eine Mitgliedschaft.`,
  },
  todo: {
    title: 'Bitte beachten Sie',
    factor: (day) => `Richten Sie bis ${day} einen zweiten Faktor ein.`,
    approvals: (count) => `${plural(count, 'Antrag wartet', 'Anträge warten')} auf Ihre Freigabe.`,
    refused: (count) =>
      `${plural(count, 'Antrag von Ihnen wurde', 'Anträge von Ihnen wurden')} abgelehnt.`,
  },
  idle: {
    title: 'Sind Sie noch da?',
    text: (seconds) =>
      `Zu Ihrer Sicherheit werden Sie in ${plural(seconds, 'Sekunde', 'Sekunden')} abgemeldet.`,
    stay: 'Angemeldet bleiben',
    leave: 'Jetzt abmelden',
  },
  missing: {
    title: 'Diese Seite gibt es nicht',
    text: 'Die Adresse gehört nicht zu dieser Bank, oder Sie dürfen die Seite nicht sehen.',
    toHome: 'Zur Startseite',
  },
  device: {
    unknown: 'Unbekanntes Gerät',
    started: 'Angemeldet',
    lastUsed: 'Zuletzt benutzt',
    current: 'Dieses Gerät',
  },
}
