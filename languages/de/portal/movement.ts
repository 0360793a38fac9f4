// The texts in German of a movement of money that is told on every page.
import type { texts as english } from '../../en/portal/movement.ts'

export const texts: typeof english = {
  movement: {
    kinds: {
      payment: (money) => `Überweisung über ${money}`,
      deposit: (money) => `Einzahlung von ${money}`,
      withdrawal: (money) => `Auszahlung von ${money}`,
      reversal: () => 'Storno',
      posting: (money) => `Buchung über ${money}`,
      order: (money) => `Dauerauftrag über ${money}`,
    },
    unknown: (what) =>
      `${what}: Die Antwort ging verloren. Wir stellen fest, was geschehen ist. Bitte zahlen Sie nicht noch einmal.`,
    made: (what) => `${what}: ausgeführt.`,
    onItsWay: (what) => `${what}: unterwegs zur anderen Bank.`,
    madeOnce: (what) =>
      `${what}: Eine Antwort ging unterwegs verloren. Sie wurde ausgeführt, und nur einmal.`,
    refused: (what) => `${what}: nicht ausgeführt.`,
    forgotten: (time) =>
      `Ihre Zahlung oder Buchung vom ${time}: Ihre Sitzung endete vor der Antwort. Wir wissen deshalb nicht, ob sie ausgeführt wurde. Bitte sehen Sie nach, bevor Sie sie noch einmal senden.`,
    tooLate: (what) =>
      `${what}: Wir konnten nicht feststellen, ob sie ausgeführt wurde. Suchen Sie sie im Konto, bevor Sie erneut zahlen.`,
    order: {
      unknown: (what) =>
        `${what}: Die Antwort ging verloren. Wir stellen fest, was geschehen ist. Bitte legen Sie ihn nicht noch einmal an.`,
      made: (what) => `${what}: angelegt. Die Bank zahlt an seinen Terminen.`,
      madeOnce: (what) =>
        `${what}: Eine Antwort ging unterwegs verloren. Er wurde angelegt, und nur einmal.`,
      refused: (what) => `${what}: nicht angelegt.`,
      tooLate: (what) =>
        `${what}: Wir konnten nicht feststellen, ob er angelegt wurde. Suchen Sie ihn in der Liste der Aufträge, bevor Sie ihn erneut anlegen.`,
    },
    show: 'Anzeigen',
  },
}
