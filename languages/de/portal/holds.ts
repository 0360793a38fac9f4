// The texts in German of what is reserved in an account, and of its former bank.
import type { texts as english } from '../../en/portal/holds.ts'

export const texts: typeof english = {
  hold: {
    kinds: {
      authorization: 'Kartenzahlung',
      seizure: 'Pfändung',
      dispute: 'Reklamation',
    },
    until: (at) => `bis ${at}`,
    open: 'bis die Bank es freigibt',
  },
  reserved: {
    title: 'Reserviert',
    note: 'Dieses Geld ist noch auf dem Konto und kann nicht ausgegeben werden.',
    none: 'Es ist nichts mehr reserviert.',
    cardPayments: 'Alle Kartenzahlungen',
  },
  formerEntries: {
    title: 'Buchungen Ihrer früheren Bank',
    note: 'Ihre frühere Bank hat sie gebucht. Sie gehören nicht zu unseren Büchern, Salden und Auszügen.',
    staffNote:
      'Die frühere Bank hat sie gebucht. Sie gehören nicht zu den Büchern, Salden und Auszügen dieser Bank.',
    none: 'Die frühere Bank hat in diesem Konto nichts gebucht.',
  },
  staffHolds: {
    title: 'Gesperrte Beträge',
    none: 'Auf diesem Konto ist nichts gesperrt.',
    place: 'Betrag sperren',
    placeText: 'Ein gesperrter Betrag bleibt auf dem Konto und kann nicht abfließen.',
    kind: 'Art',
    reasonHint: 'Der Kontoinhaber sieht es.',
    untilDay: 'Gesperrt bis Ende des',
    untilHint: 'Freiwillig: ohne Tag bis zur Freigabe. Höchstens 400 Tage.',
    badDay: 'Bitte wählen Sie einen Tag ab heute, höchstens 400 Tage voraus.',
    placed: (money) => `${money} sind gesperrt.`,
    release: 'Freigeben',
    releaseTitle: (money) => `${money} freigeben?`,
    releaseText: 'Das Geld kann sofort wieder ausgegeben werden.',
    released: (money) => `${money} sind freigegeben.`,
    change: 'Tag ändern',
    changed: 'Der Tag ist geändert.',
    of: (what) => `Sperre ${what}`,
  },
}
