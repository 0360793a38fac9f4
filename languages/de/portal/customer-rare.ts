// The texts in German of what customers need rarely.
import type { texts as english } from '../../en/portal/customer-rare.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  accountNew: {
    title: 'Konto eröffnen',
    form: 'Ihr neues Konto',
    currency: 'Währung',
    currencyHint: 'Sie lässt sich später nicht ändern.',
    nameLabel: 'Name (freiwillig)',
    nameHint: 'Unter dem Sie das Konto kennen, etwa Haushalt.',
    name: 'Name',
    submit: 'Konto eröffnen',
    wrongCurrency: 'Bitte wählen Sie eine Währung.',
    done: 'Ihr Konto ist eröffnet',
    doneText: 'Geld kann sofort eingehen.',
    toAccount: 'Zum Konto',
    toList: 'Zu Ihren Konten',
    unknown: 'Ist das Konto eröffnet?',
    unknownText:
      'Die Antwort ging verloren; wir wissen nicht, ob das Konto eröffnet wurde. Bitte sehen Sie Ihre neuesten Konten an, bevor Sie es erneut versuchen.',
    newest: (count) => `Die neuesten von ${plural(count, 'Konto', 'Konten')}`,
    lookAgain: 'Erneut nachsehen',
    notThere: 'Es fehlt: erneut versuchen',
  },
  accountClose: {
    title: 'Konto schließen',
    what: 'Was geschieht',
    account: 'Konto',
    balance: 'Kontostand',
    points: [
      'Das Konto wird endgültig geschlossen. Es kann nicht wieder eröffnet werden.',
      'Überweisungen an seine IBAN gehen nicht mehr ein, und seine Karten gelten nicht mehr.',
      'Sie sehen seine Buchungen hier nicht mehr. Laden Sie die Auszüge herunter, die Sie behalten wollen.',
    ],
    statements: 'Kontoauszüge',
    begin: 'Dieses Konto schließen',
    frozen: 'Ein gesperrtes Konto kann nicht geschlossen werden. Bitte fragen Sie die Bank danach.',
    overdrawn: 'Der Kontostand muss null sein. Bitte überweisen Sie zuerst Geld auf dieses Konto.',
    notEmpty:
      'Der Kontostand muss null sein. Bitte überweisen Sie das Geld zuerst auf ein anderes Konto.',
    reserved: (money) =>
      `${money} sind reserviert, etwa durch eine Kartenzahlung. Das Konto kann geschlossen werden, sobald der Betrag bezahlt oder freigegeben ist.`,
    onItsWay:
      'Eine Überweisung von diesem Konto ist noch unterwegs zu einer anderen Bank. Das Konto kann geschlossen werden, sobald sie angekommen oder zurückgekommen ist. Ist sie noch nicht gesendet, lässt sie sich abbrechen.',
    moveMoney: 'Geld überweisen',
    confirm: 'Dieses Konto endgültig schließen?',
    forGood: 'Das lässt sich nicht rückgängig machen.',
    submit: 'Endgültig schließen',
    keep: 'Konto behalten',
    done: 'Das Konto ist geschlossen',
    doneText: 'Es steht nicht mehr in Ihrer Liste.',
  },
  charts: {
    title: 'Diagramme',
    period: 'Zeitraum',
    months: (count) => `${count} Monate`,
    balance: 'Kontostand im Verlauf',
    balanceText: (first, last, least, greatest) =>
      `Von ${first} am Anfang zu ${last} am Ende. Am niedrigsten ${least}, am höchsten ${greatest}. Die Tabelle daneben hat jeden Tag.`,
    balanceIn: (currency) => `Kontostand in ${currency}`,
    amountIn: (currency) => `Betrag in ${currency}`,
    inAndOut: 'Eingänge und Ausgänge nach Monat',
    inAndOutText:
      'Zwei Balken für jeden Monat: Eingänge und Ausgänge. Die Tabelle daneben hat die Beträge.',
    day: 'Tag',
    month: 'Monat',
    in: 'Eingänge',
    out: 'Ausgänge',
    net: 'Differenz',
    balanceAfter: 'Kontostand',
    days: 'Kontostand nach Tag',
    daysCaption: (zone) =>
      `Kontostand am Ende jedes Tages (${zone}) mit einer Buchung, die neuesten zuerst.`,
    monthsCaption: (zone) =>
      `Monate (${zone}), die neuesten zuerst. Der jetzige ist nicht zu Ende.`,
    nothing: (balance) =>
      `In diesem Zeitraum wurde kein Geld bewegt. Der Kontostand ist ${balance}.`,
    tooMany: 'In diesem Zeitraum gibt es mehr als 50.000 Buchungen. Wählen Sie einen kürzeren.',
  },
  statements: {
    title: 'Kontoauszüge',
    choose: 'Zeitraum wählen',
    holds: 'Was der Auszug enthält',
    period: 'Zeitraum',
    ownRange: 'Eigener Zeitraum',
    from: 'Erster Tag',
    to: 'Letzter Tag',
    problems: {
      noDay: 'Wählen Sie beide Tage.',
      backwards: 'Der letzte Tag liegt vor dem ersten.',
      tooLong: 'Ein Auszug umfasst höchstens ein Jahr.',
    },
    midnight: (zone) => `Tage beginnen und enden um Mitternacht in ${zone}, wo immer Sie sind.`,
    days: (from, to, zone) => `${from} bis ${to} (Tage in ${zone})`,
    entries: 'Buchungen',
    opening: 'Anfangssaldo',
    closing: 'Endsaldo',
    formats: {
      pdf: 'PDF zum Lesen und Drucken',
      csv: 'CSV für Tabellen',
      camt053: 'XML (camt.053) für die Buchhaltung',
      json: 'JSON für Programme',
    },
    noJson: 'JSON gibt es bis 1.000 Buchungen. Wählen Sie dafür einen kürzeren Zeitraum.',
    noPdf:
      'Ein PDF hat höchstens 10.000 Buchungen. Wählen Sie einen kürzeren Zeitraum, oder CSV oder XML.',
    tooMany:
      'In diesem Zeitraum gibt es mehr als 50.000 Buchungen. Sein Auszug ist eine Datei: CSV oder XML.',
    loading: 'Die Datei wird erstellt.',
    saved: (name) => `${name} wurde heruntergeladen.`,
  },
}
