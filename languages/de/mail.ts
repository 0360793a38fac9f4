// The mails in German.
import type { mail as english } from '../en/mail.ts'

const notYou = 'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, sagen Sie es sofort der Bank.'
const orderNotYou =
  'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, beenden Sie den Auftrag und die Sitzungen, die Sie nicht kennen, setzen Sie ein neues Passwort und sagen Sie es sofort der Bank.'
const listNotYou =
  'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, stornieren Sie die Liste, falls sie noch nicht gezahlt ist, beenden Sie die Sitzungen, die Sie nicht kennen, setzen Sie ein neues Passwort und sagen Sie es sofort der Bank.'
const byMemberNotYou =
  'Wenn Sie es erwartet haben, ist nichts zu tun. Wenn nicht, beenden Sie es auf der Seite des Kontos, beenden Sie dort, was die Person darf, und sagen Sie es der Bank.'
const paidByMember = (member: string) =>
  `${member} hat sie ausgeführt, eine Person, die von diesem Konto zahlen darf. Wenn Sie es erwartet haben, ist nichts zu tun. Wenn nicht, beenden Sie auf der Seite des Kontos, was die Person darf, und sagen Sie es der Bank.`
const asked =
  'Wenn Sie die Bank darum gebeten haben, ist nichts zu tun. Wenn nicht, sagen Sie es sofort der Bank.'
const neverAsked = 'Niemand in der Bank wird Sie je nach diesem Link fragen.'

export const mail: typeof english = {
  hello: (name) => `Guten Tag ${name},`,
  inCash: 'in bar',
  reserved: 'aus dem reservierten Betrag',
  toAccount: (ending) => `auf ein Konto, das auf ${ending} endet`,
  toDeletedPayee: 'an einen Empfänger, der gelöscht wurde',
  fromAccount: (ending) => `von einem Konto, das auf ${ending} endet`,
  fromElsewhere: 'von einer anderen Bank',
  rhythms: {
    once: (day) => `einmal, am ${day}`,
    weekly: (day) => `jede Woche ab dem ${day}`,
    monthly: (day) => `jeden Monat ab dem ${day}`,
    yearly: (day) => `jedes Jahr ab dem ${day}`,
  },
  atOnce: 'sofort',
  onDay: (day) => `am ${day}`,
  byLogin: 'mit Ihrer Anmeldung',
  byProgram: 'von einem Programm, das von Ihrem Konto zahlen darf',
  byMember: (name) => `von ${name}, einer Person, die von diesem Konto zahlen darf,`,
  formerMember: 'ein früheres Mitglied',
  members: {
    rights: { view: 'sehen', prepare: 'sehen und Zahlungen vorbereiten', pay: 'sehen und zahlen' },
    perPayment: (money) => `bis ${money} je Zahlung`,
    perDay: (money) => `bis ${money} am Tag`,
    until: (time) => `bis ${time}`,
    enders: {
      owner: 'der Inhaber des Kontos hat es beendet',
      member: 'das Mitglied hat es beendet',
      staff: 'die Bank hat es beendet',
      time: 'der letzte Tag ist vorbei',
      revocation:
        'die Anmeldung, in der die Einladung verschickt oder geändert wurde, wurde widerrufen',
    },
  },
  notMade: 'die Bank konnte sie nicht ausführen',
  refusals: {
    insufficient_funds: 'das Guthaben reichte nicht aus',
    limit_exceeded: 'der Betrag lag über einem Limit des Kontos',
    account_frozen: 'das Konto ist gesperrt',
    account_closed: 'das Konto des Empfängers ist geschlossen',
    credits_blocked: 'das Konto des Empfängers nimmt zurzeit kein Geld an',
    debits_blocked: 'ein Sperrvermerk der Bank hält Zahlungen vom Konto auf',
    currency_mismatch: 'das Konto des Empfängers hat eine andere Währung',
    beneficiary_inactive: 'der Empfänger ist deaktiviert',
    signature_required: 'ein Betrag in dieser Höhe ist von zwei Personen freizugeben',
    beneficiary_cooling:
      'der Empfänger wurde weniger als einen Tag nach der Wiederherstellung Ihres Zugangs angelegt',
    not_found: 'der Empfänger wurde gelöscht',
    forbidden: 'der Auftraggeber darf von dem Konto nicht mehr zahlen',
  },
  notApproved: 'die Bank konnte sie nicht genehmigen',
  declines: {
    card_cancelled: 'die Karte ist gekündigt',
    card_frozen: 'die Karte ist gesperrt',
    card_expired: 'die Karte ist abgelaufen',
    account_frozen: 'das Konto ist gesperrt',
    debits_blocked: 'ein Sperrvermerk der Bank hält Zahlungen vom Konto auf',
    currency_mismatch: 'das Konto hat eine andere Währung',
    channel_off: 'die Karte ist für solche Zahlungen ausgeschaltet',
    per_payment_limit: 'der Betrag lag über dem Limit der Karte für eine Zahlung',
    per_day_limit: 'der Betrag lag über dem Tageslimit der Karte',
    insufficient_funds: 'das Guthaben reichte nicht aus',
  },
  disputeSteps: {
    opened: () => 'die Bank hat sie erhalten',
    closed: () => 'die Bank hat sie geschlossen; den Grund zeigt die Seite der Zahlung',
    made: (money: string) =>
      `${money} sind Ihrem Konto gutgeschrieben, bis darüber entschieden ist`,
    won: (money: string) => `sie ist für Sie entschieden, und Sie behalten ${money}`,
    lost: (money: string) =>
      `sie ist für das Geschäft entschieden, und ${money} sind von Ihrem Konto zurückgenommen`,
    withdrawn: (money: string) =>
      `sie wurde zurückgezogen, und ${money} sind von Ihrem Konto zurückgenommen`,
  },
  mails: {
    reset: {
      subject: 'Neues Passwort setzen',
      paragraphs: ({ username, link, until }) => [
        `für Ihren Benutzernamen ${username} wurde ein neues Passwort angefordert, von Ihnen oder von der Bank für Sie. Öffnen Sie dafür diesen Link:`,
        link,
        `Er gilt einmal, bis ${until}. Ein neuerer Link macht ihn ungültig. Sobald das neue Passwort gesetzt ist, sind Sie überall abgemeldet.`,
        `Wenn Sie das nicht möchten, tun Sie nichts: Ihr Passwort bleibt, wie es ist. ${neverAsked}`,
      ],
    },
    invitation: {
      subject: 'Willkommen: Wählen Sie Ihr Passwort',
      paragraphs: ({ username, link, until }) => [
        `Sie können die Bank jetzt nutzen. Ihr Benutzername ist ${username}. Öffnen Sie diesen Link, um Ihr Passwort zu wählen:`,
        link,
        `Er gilt einmal, bis ${until}. Danach fordern Sie einen neuen Link an, als hätten Sie das Passwort vergessen. ${neverAsked}`,
      ],
    },
    'password-changed': {
      subject: 'Ihr Passwort wurde geändert',
      paragraphs: ({ username }) => [
        `das Passwort Ihres Benutzernamens ${username} wurde gerade geändert, und andere Geräte wurden abgemeldet.`,
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, fordern Sie sofort mit „Passwort vergessen“ ein neues an und sagen Sie es der Bank.',
      ],
    },
    'email-changed': {
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      paragraphs: ({ username }) => [
        `die Bank hat die E-Mail-Adresse Ihres Benutzernamens ${username} geändert. E-Mails gehen ab jetzt an die neue Adresse. Sie wurden überall abgemeldet, und Links zum Setzen eines Passworts, die hierher gingen, sind ungültig.`,
        asked,
      ],
    },
    'email-set': {
      subject: 'Dies ist jetzt Ihre E-Mail-Adresse',
      paragraphs: () => [
        'die Bank hat diese E-Mail-Adresse als Ihre vermerkt. E-Mails gehen ab jetzt hierher. Sie wurden überall abgemeldet.',
        'Wenn Sie die Bank nicht darum gebeten haben, sagen Sie es sofort der Bank.',
      ],
    },
    'email-asked': {
      subject: 'Eine andere E-Mail-Adresse wurde verlangt',
      paragraphs: ({ username, at }) => [
        `mit Ihrem Benutzernamen ${username} wurde am ${at} eine andere E-Mail-Adresse verlangt. Bis sie durch einen Link bestätigt ist, der dorthin gesendet wurde, geht alles wie bisher hierher.`,
        'Wenn Sie es waren, ist hier nichts zu tun. Wenn nicht, setzen Sie sofort mit „Passwort vergessen“ ein neues Passwort: Das beendet den Antrag und meldet alle Geräte ab. Sagen Sie es dann der Bank.',
      ],
    },
    // Without the user name: the address may have been mistyped.
    'email-proof': {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      paragraphs: ({ link, until }) => [
        'Sie möchten, dass die Bank diese E-Mail-Adresse verwendet. Um zu bestätigen, dass sie Ihnen gehört, öffnen Sie diesen Link und melden Sie sich an:',
        link,
        `Er gilt einmal, bis ${until}. Ein neuerer Link macht ihn ungültig. Danach sind Sie überall abgemeldet.`,
        `Wenn Sie das nicht verlangt haben, tun Sie nichts: Die Adresse wird dann nicht verwendet. ${neverAsked}`,
      ],
    },
    'new-device': {
      subject: 'Anmeldung von einem neuen Gerät',
      paragraphs: ({ username, at }) => [
        `mit Ihrem Benutzernamen ${username} hat sich jemand am ${at} angemeldet, mit einem Gerät oder Programm, das die Bank nicht kannte.`,
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, fordern Sie sofort mit „Passwort vergessen“ ein neues Passwort an, das alle Geräte abmeldet, und sagen Sie es der Bank.',
      ],
    },
    'limits-raised': {
      subject: 'Ein höheres Limit wurde verlangt',
      paragraphs: ({ username, at }) => [
        `mit Ihrem Benutzernamen ${username} wurde am ${at} verlangt, ein Limit eines Ihrer Konten zu erhöhen oder aufzuheben. Es gilt 12 Stunden später. Bis dahin können Sie es auf der Seite des Kontos rückgängig machen.`,
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, machen Sie es rückgängig, beenden Sie die Sitzungen, die Sie nicht kennen, setzen Sie ein neues Passwort und sagen Sie es sofort der Bank.',
      ],
    },
    'signatures-lowered': {
      subject: 'Weniger Unterschriften wurden verlangt',
      paragraphs: ({ username, at }) => [
        `mit Ihrem Benutzernamen ${username} wurde am ${at} verlangt, dass Zahlungen von einem Ihrer Konten erst ab einem höheren Betrag oder gar nicht mehr zwei Unterschriften brauchen. Es gilt 12 Stunden später. Bis dahin können Sie es auf der Seite des Kontos rückgängig machen.`,
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, machen Sie es rückgängig, beenden Sie die Sitzungen, die Sie nicht kennen, setzen Sie ein neues Passwort und sagen Sie es sofort der Bank.',
      ],
    },
    'draft-waiting': {
      subject: 'Eine Zahlung wartet auf Ihre Unterschrift',
      paragraphs: ({ money, iban, way, member, at }) => [
        `eine Zahlung von ${money} vom Konto, das auf ${iban} endet, ${way}, angelegt von ${member}, wartet seit ${at} auf Ihre Unterschrift.`,
        'Lesen Sie alles auf der Seite, bevor Sie unterschreiben. Wenn Sie sie nicht erwartet haben, fragen Sie die Person, die sie angelegt hat.',
      ],
    },
    'draft-paid': {
      subject: 'Ihre Zahlung wurde unterschrieben',
      paragraphs: ({ money, iban, way, signers, at }) => [
        `die Zahlung von ${money}, die Sie angelegt haben, vom Konto, das auf ${iban} endet, ${way}, wurde von ${signers} unterschrieben und am ${at} ausgeführt.`,
      ],
    },
    'draft-ended': {
      subject: 'Eine Zahlung wurde nicht ausgeführt',
      paragraphs: ({ money, iban, way, member, at }) => [
        `eine Zahlung von ${money} vom Konto, das auf ${iban} endet, ${way}, angelegt von ${member}, wartet seit ${at} nicht mehr: Sie wurde storniert, ihre Zeit ist abgelaufen, oder eine Person, die sie angelegt oder unterschrieben hat, darf es nicht mehr oder tat es in einer Anmeldung, die zur Sicherheit widerrufen wurde.`,
        'Es wurde nichts gezahlt. Wenn sie noch gewünscht ist, legen Sie sie neu an.',
      ],
    },
    'member-invited': {
      subject: 'Einladung zum Handeln für ein Konto',
      paragraphs: ({ owner, rights, at }) => [
        `${owner} hat Sie am ${at} eingeladen, für ein Konto zu handeln. Ihr Recht wäre: ${rights}.`,
        'Melden Sie sich bei der Bank an, um innerhalb von sieben Tagen anzunehmen oder abzulehnen. Wenn Sie die Person nicht kennen, lehnen Sie ab: Ohne Sie geschieht nichts.',
      ],
    },
    'member-joined': {
      subject: 'Eine Person darf für Ihr Konto handeln',
      paragraphs: ({ member, iban, rights, at }) => [
        `${member} hat Ihre Einladung am ${at} angenommen und handelt ab jetzt für Ihr Konto, das auf ${iban} endet. Das Recht der Person: ${rights}.`,
        'Wenn Sie die Person nicht eingeladen haben, beenden Sie das sofort auf der Seite des Kontos, beenden Sie die Sitzungen, die Sie nicht kennen, setzen Sie ein neues Passwort und sagen Sie es der Bank.',
      ],
    },
    'member-changed': {
      subject: 'Rechte an einem Konto wurden geändert',
      paragraphs: ({ member, owner, iban, rights, at }) => [
        `was ${member} für das Konto von ${owner} darf, das auf ${iban} endet, wurde am ${at} geändert. Das Recht der Person ist jetzt: ${rights}.`,
        'Nur der Inhaber ändert es. Wenn Sie der Inhaber sind und es nicht waren, beenden Sie es auf der Seite des Kontos und sagen Sie es sofort der Bank.',
      ],
    },
    'member-ended': {
      subject: 'Eine Person handelt nicht mehr für ein Konto',
      paragraphs: ({ member, owner, iban, why, at }) => [
        `${member} handelt seit ${at} nicht mehr für das Konto von ${owner}, das auf ${iban} endet: ${why}.`,
        'Was die Person dort beauftragt hat, wird nicht mehr in ihrem Namen gezahlt.',
      ],
    },
    'notices-off': {
      subject: 'Ein Hinweis wurde abgeschaltet',
      paragraphs: ({ username, at }) => [
        `mit Ihrem Benutzernamen ${username} wurden am ${at} Hinweise per E-Mail abgeschaltet, oder ein niedrigerer Kontostand als bisher wurde gewählt, bei dem Sie benachrichtigt werden. Welche E-Mails Sie erhalten, steht in Ihrem Profil. Eine Stunde lang erfahren Sie von weiteren Änderungen nichts.`,
        notYou,
      ],
    },
    'money-arrived': {
      subject: 'Geld ist eingegangen',
      paragraphs: ({ money, iban, at, way }) => [
        `am ${at} gingen ${money} auf Ihrem Konto ein, das auf ${iban} endet, ${way}.`,
        'Sie haben diesen Hinweis bestellt. Welche E-Mails Sie erhalten, steht in Ihrem Profil.',
      ],
    },
    'card-dispute': {
      subject: 'Ihre reklamierte Kartenzahlung',
      paragraphs: ({ merchant, card, at, why }) => [
        `zu Ihrer Reklamation einer Kartenzahlung bei ${merchant} mit der Karte, die auf ${card} endet, ${at}: ${why}.`,
        'Wie es steht, zeigt die Seite der Zahlung.',
      ],
    },
    'account-overdrawn': {
      subject: 'Ihr Konto ist überzogen',
      paragraphs: ({ money, iban, at }) => [
        `am ${at} wurde eine Kartenzahlung oder das Ende einer Reklamation gebucht, wofür auf Ihrem Konto, das auf ${iban} endet, nicht genug Geld war: Jetzt fehlen ${money} über das hinaus, was Sie mit der Bank vereinbart haben.`,
        'Ein Geschäft kann spät bezahlt werden, mehr bekommen als vorgemerkt war, oder eine Reklamation gewinnen, und die Bank muss es dann bezahlen. Bitte zahlen Sie den Betrag ein: Bis dahin verlässt kein Geld das Konto.',
      ],
    },
    'balance-below': {
      subject: 'Ihr Kontostand ist niedrig',
      paragraphs: ({ money, iban, at }) => [
        `am ${at} fiel der Stand Ihres Kontos, das auf ${iban} endet, unter ${money}, den Betrag, den Sie gewählt haben.`,
        'Sie erfahren es wieder, wenn der Kontostand den Betrag erreicht hat und erneut darunter fällt.',
      ],
    },
    'phone-changed': {
      subject: 'Eine Telefonnummer wurde geändert',
      paragraphs: ({ at }) => [
        `die Bank hat am ${at} eine Telefonnummer geändert, die sie von Ihnen hat oder die für eines Ihrer Konten eingetragen ist.`,
        asked,
      ],
    },
    payment: {
      subject: 'Eine Überweisung von Ihrem Konto',
      paragraphs: ({ money, iban, at, way, member }) => [
        `${money} gingen am ${at} von Ihrem Konto ab, das auf ${iban} endet, ${way}.`,
        member === '' ? notYou : paidByMember(member),
      ],
    },
    'alerts-paused': {
      subject: 'Viele Hinweise in einer Stunde',
      paragraphs: ({ alertsPerHour }) => [
        `es gab in einer Stunde mehr als ${alertsPerHour} Hinweise einer Art für Sie, etwa zu Anmeldungen von neuen Geräten, Zahlungen oder Daueraufträgen. Bis die Stunde vorbei ist, bekommen Sie keine weiteren dieser Art.`,
        'Sehen Sie Ihre Konten und Ihre Anmeldungen an. Wenn Sie nicht wissen, warum es so viele sind, sagen Sie es sofort der Bank.',
      ],
    },
    'webhook-disabled': {
      subject: 'Ein Webhook wurde deaktiviert',
      paragraphs: ({ at, publicUrl }) => [
        `ein Webhook der Bank wurde am ${at} deaktiviert: Sein Ziel hat geantwortet, dass es nicht mehr da ist, oder alle Zustellungen sind fünf Tage lang gescheitert. Es wird nichts mehr dorthin gesendet, bis die Administration ihn wieder aktiviert. Welcher es ist und warum, steht hier:`,
        `${publicUrl}/portal/staff/programs/webhooks`,
      ],
    },
    'factor-added': {
      subject: 'Ein zweiter Faktor wurde hinzugefügt',
      paragraphs: ({ username, at }) => [
        `zu Ihrem Benutzernamen ${username} wurde am ${at} ein zweiter Faktor hinzugefügt, und andere Geräte wurden abgemeldet. Jede Anmeldung fragt ab jetzt nach einem Ihrer zweiten Faktoren.`,
        notYou,
      ],
    },
    'factor-removed': {
      subject: 'Ein zweiter Faktor wurde entfernt',
      paragraphs: ({ username, at }) => [
        `von Ihrem Benutzernamen ${username} wurde am ${at} ein zweiter Faktor entfernt, und andere Geräte wurden abgemeldet.`,
        notYou,
      ],
    },
    'recovery-codes-made': {
      subject: 'Neue Wiederherstellungscodes',
      paragraphs: ({ username, at }) => [
        `für Ihren Benutzernamen ${username} wurden am ${at} neue Wiederherstellungscodes erstellt. Frühere sind ungültig.`,
        notYou,
      ],
    },
    'recovery-code-used': {
      subject: 'Anmeldung ohne Ihren zweiten Faktor',
      paragraphs: ({ username, at }) => [
        `mit Ihrem Benutzernamen ${username} hat sich jemand am ${at} angemeldet, mit dem Passwort und statt eines zweiten Faktors mit einem Wiederherstellungscode oder einem Link der Bank. Diese Anmeldung kann nur einen neuen zweiten Faktor hinzufügen. 24 Stunden lang wird nichts an Empfänger gezahlt, die ab jetzt hinzukommen.`,
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, fordern Sie sofort mit „Passwort vergessen“ ein neues Passwort an und sagen Sie es der Bank.',
      ],
    },
    'factor-reset': {
      subject: 'Ersetzen Sie Ihren zweiten Faktor',
      paragraphs: ({ username, link, until }) => [
        `die Bank lässt Sie die zweiten Faktoren Ihres Benutzernamens ${username} ersetzen. Sie wurden überall abgemeldet. Melden Sie sich mit diesem Link und Ihrem Passwort an, und richten Sie einen neuen zweiten Faktor ein; er tritt an die Stelle aller anderen:`,
        link,
        `Er gilt einmal, bis ${until}. ${neverAsked}`,
        'Wenn Sie die Bank nicht darum gebeten haben, sagen Sie es sofort der Bank: Jemand versucht vielleicht, Ihre Konten zu übernehmen.',
      ],
    },
    'wrong-factor': {
      subject: 'Ein falscher zweiter Faktor',
      paragraphs: ({ username, at }) => [
        `für Ihren Benutzernamen ${username} wurde am ${at} ein zweiter Faktor angegeben, der nicht stimmt, nach Ihrem Passwort oder in einer Ihrer Sitzungen. Es wurde nichts damit getan. Eine Stunde lang sagen wir Ihnen nichts von weiteren.`,
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, kennt jemand Ihr Passwort oder nutzt eine Ihrer Sitzungen: Fordern Sie sofort mit „Passwort vergessen“ ein neues Passwort an, das alle Geräte abmeldet, und sagen Sie es der Bank.',
      ],
    },
    'codes-refused': {
      subject: 'Einmalcodes werden abgelehnt',
      paragraphs: ({ username, at }) => [
        `für Ihren Benutzernamen ${username} waren nach dem richtigen Passwort zu viele Einmalcodes hintereinander falsch, bis ${at}. Bei einer Anmeldung werden jetzt alle Codes abgelehnt, auch richtige, aber nicht auf einem Gerät, mit dem Sie sich schon angemeldet haben.`,
        'Vielleicht kennt jemand Ihr Passwort: Setzen Sie mit „Passwort vergessen“ ein neues. Danach werden Codes wieder angenommen, auch nach einer Anmeldung mit einem Passkey oder einem Wiederherstellungscode. Wenn nichts davon hilft, bitten Sie die Bank, Ihren zweiten Faktor ersetzen zu dürfen.',
      ],
    },
    'issuer-linked': {
      subject: 'Sie melden sich beim Identitätsanbieter an',
      paragraphs: ({ username, at }) => [
        `am ${at} wurde von der Verwaltung festgelegt, dass eine Anmeldung beim Identitätsanbieter der Bank Ihren Benutzernamen ${username} öffnet. Alle Geräte wurden abgemeldet.`,
        'Wenn Sie das nicht erwarten, sagen Sie es sofort der Bank: Jemand könnte in Ihrem Namen handeln.',
      ],
    },
    'issuer-unlinked': {
      subject: 'Die Anmeldung beim Identitätsanbieter endet',
      paragraphs: ({ username, at }) => [
        `am ${at} wurde von der Verwaltung beendet, dass eine Anmeldung beim Identitätsanbieter der Bank Ihren Benutzernamen ${username} öffnet. Alle Geräte wurden abgemeldet. Ab jetzt melden Sie sich mit Ihrem Passwort dieser Bank an.`,
        'Wenn Sie das nicht erwarten, sagen Sie es sofort der Bank.',
      ],
    },
    'list-ordered': {
      subject: 'Eine Zahlungsliste wurde beauftragt',
      paragraphs: ({ count, money, iban, day, why, member, at }) => [
        `am ${at} wurde ${why} eine Liste von ${count} Zahlungen beauftragt, zusammen ${money}. Sie wird ${day} von Ihrem Konto gezahlt, das auf ${iban} endet.`,
        member === '' ? listNotYou : byMemberNotYou,
      ],
    },
    'list-refused': {
      subject: 'Zahlungen einer Liste wurden abgelehnt',
      paragraphs: ({ count, iban }) => [
        `von Ihrer Zahlungsliste vom Konto, das auf ${iban} endet, wurden ${count} Zahlungen nicht ausgeführt. Die anderen wurden es.`,
        'Auf der Seite der Liste steht bei jeder, warum.',
      ],
    },
    'order-refused': {
      subject: 'Ein Dauerauftrag wurde nicht ausgeführt',
      paragraphs: ({ money, iban, day, why }) => [
        `Ihr Dauerauftrag über ${money} von dem Konto mit der Endung ${iban}, fällig am ${day}, wurde nicht ausgeführt: ${why}.`,
        'Hat der Auftrag spätere Termine, bleiben sie bestehen. Wenn Sie diese Zahlung trotzdem wünschen, überweisen Sie sie bitte selbst.',
      ],
    },
    'order-paused': {
      subject: 'Ein Dauerauftrag wurde angehalten',
      paragraphs: ({ money, iban }) => [
        `Ihr Dauerauftrag über ${money} von dem Konto mit der Endung ${iban} hat viele Termine verpasst. Die Bank hat 31 davon nachgeholt und ihn angehalten.`,
        'Bitte prüfen Sie den Auftrag, und setzen Sie ihn fort, wenn er weiterlaufen soll.',
      ],
    },
    'order-made': {
      subject: 'Ein neuer Dauerauftrag',
      paragraphs: ({ money, iban, way, day, why, member, at }) => [
        `am ${at} wurde ${why} ein Dauerauftrag eingerichtet. Er zahlt ${money} von Ihrem Konto mit der Endung ${iban}, ${way}, ${day}.`,
        member === '' ? orderNotYou : byMemberNotYou,
      ],
    },
    'order-changed': {
      subject: 'Ein Dauerauftrag wurde geändert',
      paragraphs: ({ money, iban, way, day, why, member, at }) => [
        `am ${at} wurde ${why} der Empfänger oder der Betrag eines Dauerauftrags geändert. Er zahlt jetzt ${money} von Ihrem Konto mit der Endung ${iban}, ${way}, ${day}.`,
        member === '' ? orderNotYou : byMemberNotYou,
      ],
    },
    'card-payment': {
      subject: 'Eine Kartenzahlung',
      paragraphs: ({ money, card, merchant, at, iban }) => [
        `mit Ihrer Karte, die auf ${card} endet, wurden am ${at} bei ${merchant} ${money} genehmigt. Sie sind auf Ihrem Konto, das auf ${iban} endet, vorgemerkt.`,
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, sperren Sie die Karte und sagen Sie es sofort der Bank.',
      ],
    },
    'card-declined': {
      subject: 'Eine Kartenzahlung wurde abgelehnt',
      paragraphs: ({ money, card, merchant, at, why }) => [
        `eine Zahlung über ${money} mit Ihrer Karte, die auf ${card} endet, wurde am ${at} bei ${merchant} abgelehnt: ${why}.`,
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, sperren Sie die Karte und sagen Sie es sofort der Bank.',
      ],
    },
  },
}
