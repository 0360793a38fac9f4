// The texts in German of what customers need daily.
import type { texts as english } from '../../en/portal/customer.ts'

export const texts: typeof english = {
  transfer: {
    title: 'Überweisen',
    titleReview: 'Prüfen und bestätigen',
    titleChecking: 'Ihre Überweisung wird geprüft',
    choose: 'Bitte wählen',
    chooseTarget: 'Wählen Sie, wen Sie bezahlen.',
    ownAccounts: 'Ihre Konten',
    beneficiaries: 'Empfänger',
    newBeneficiary: 'Empfänger hinzufügen',
    allFrozen: 'Alle Ihre Konten sind gesperrt. Keines kann belastet werden.',
    available: (money) => `Davon können jetzt ${money} gezahlt werden.`,
    amountIn: (currency) => `Betrag in ${currency}`,
    amountExample: (example) => `Zum Beispiel ${example}`,
    amountRead: (money) => `Sie zahlen ${money}.`,
    referenceHint: 'Freiwillig. Der Empfänger sieht ihn.',
    when: 'Wann',
    whens: {
      now: 'Jetzt',
      once: 'An einem Tag',
      weekly: 'Jede Woche',
      monthly: 'Jeden Monat',
      yearly: 'Jedes Jahr',
    },
    review: 'Weiter',
    change: 'Ändern',
    elsewhere: (day, by) =>
      `Zu einer anderen Bank geht die Überweisung am ${day} ab und kommt spätestens am ${by} an.`,
    pay: (money) => `${money} zahlen`,
    paidBefore: (ago) => `Sie haben ${ago} dasselbe gezahlt. Noch einmal zahlen?`,
    payAnyway: (money) => `${money} trotzdem zahlen`,
    compared: {
      match: 'Der Name ist der des Kontoinhabers.',
      close_match: (name) =>
        `Das Konto gehört ${name}. Vergleichen Sie das mit dem Namen Ihres Empfängers.`,
      no_match: 'Das Konto gehört jemand anderem. Fragen Sie nach, bevor Sie weitermachen.',
      not_possible:
        'Die Bank des Empfängers hat nicht gesagt, ob der Name stimmt. Vergleichen Sie die IBAN mit der Rechnung.',
      failed: 'Der Name konnte nicht verglichen werden. Vergleichen Sie die IBAN mit der Rechnung.',
    },
    payAgain: (money) => `${money} noch einmal zahlen`,
    balanceNow: 'Kontostand jetzt',
    beyond: 'Das ist mehr, als von diesem Konto jetzt gezahlt werden kann.',
    tooLate: (money) =>
      `Wir konnten nicht feststellen, ob Ihre Überweisung über ${money} ausgeführt wurde. Suchen Sie sie im Konto, bevor Sie erneut zahlen.`,
    toAccount: 'Zum Konto',
    forget: 'Ich habe nachgesehen',
    receipt: 'Beleg',
    told: {
      made: 'Ihre Überweisung wurde ausgeführt.',
      onItsWay: 'Ihre Überweisung ist angenommen. Die Bank sendet sie an die andere Bank.',
      checked:
        'Eine Antwort ging unterwegs verloren. Ihre Überweisung wurde ausgeführt, und nur einmal.',
      duplicate:
        'Dieselbe Überweisung wurde gerade eben ausgeführt. Dies ist sie; es wurde nicht noch einmal gezahlt.',
    },
    another: 'Neue Überweisung',
  },
}
