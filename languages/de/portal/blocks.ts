// The texts in German of the blocks of an account, for staff.
import type { texts as english } from '../../en/portal/blocks.ts'

export const texts: typeof english = {
  block: {
    causes: {
      court_order: 'Anordnung eines Gerichts oder einer Behörde',
      insolvency: 'Insolvenz',
      sanctions: 'Sanktionen',
      money_laundering: 'Verdacht auf Geldwäsche',
      fraud: 'Verdacht auf Betrug',
      takeover: 'Möglicher Zugriff durch andere',
      death: 'Tod des Inhabers',
      guardianship: 'Betreuung',
      customer_request: 'Vom Inhaber verlangt',
      identification: 'Legitimation fehlt',
      bank_request: 'Anderer Anlass der Bank',
    },
  },
  staffBlocks: {
    title: 'Sperrvermerke',
    none: 'Es gibt keinen Sperrvermerk, und es gab keinen.',
    set: 'Sperrvermerk setzen',
    setDone: 'Der Sperrvermerk ist gesetzt.',
    side: 'Was er aufhält',
    sides: {
      debits: 'Was vom Konto abgeht',
      credits: 'Was auf dem Konto eingeht',
      both: 'Was abgeht und was eingeht',
    },
    stops: {
      debits:
        'Er hält Überweisungen, Zahlungen an andere Banken, Barauszahlungen, Daueraufträge an ihren Tagen und neue Kartenzahlungen auf.',
      credits:
        'Er hält Überweisungen auf das Konto und Bareinzahlungen auf. Geld von anderen Banken und Gutschriften von Händlern werden abgelehnt oder liegen unter den ungeklärten Beträgen.',
    },
    goesOn:
      'Was vorher reserviert war, wird noch eingezogen. Gebühren, Zinsen, Berichtigungen und Geld, das zurückkommt, werden weiter gebucht: Um auch aufzuhalten, was die Bank nimmt, sperren Sie das Konto. Der Inhaber sieht, was aufgehalten wird, und nicht warum.',
    cause: 'Anlass',
    classes: {
      authority: 'Gesetz oder Behörde',
      security: 'Sicherheit',
      person: 'Die Person',
      bank: 'Die Bank',
    },
    note: 'Notiz',
    noteHint: 'Nur für Administratoren. Sie bleibt, wie sie ist.',
    badNote: 'Dieser Text lässt sich nicht speichern. Vielleicht enthält er eine Kartennummer.',
    untilDay: 'Bis zum Ende des',
    untilHint: 'Freiwillig: ohne Tag, bis er aufgehoben wird.',
    badDay: 'Bitte wählen Sie einen Tag ab heute.',
    statuses: { active: 'Aktiv', ended: 'Vorbei', lifted: 'Aufgehoben' },
    setAt: (at, by) => (by ? `Gesetzt ${at} von ${by}` : `Gesetzt ${at}`),
    until: (at) => `bis ${at}`,
    open: 'bis er aufgehoben wird',
    liftedAt: (at, by) => (by ? `Aufgehoben ${at} von ${by}` : `Aufgehoben ${at}`),
    lift: 'Aufheben',
    liftOf: (what) => `Sperrvermerk aufheben: ${what}`,
    liftTitle: 'Diesen Sperrvermerk aufheben?',
    liftText:
      'Was kein anderer Sperrvermerk aufhält, ist sofort wieder möglich. Der Sperrvermerk bleibt in dieser Liste.',
    liftDone: 'Der Sperrvermerk ist aufgehoben.',
  },
}
