// The texts in German of cards.
import type { texts as english } from '../../en/portal/cards.ts'

export const texts: typeof english = {
  cards: {
    title: 'Karten',
    list: 'Ihre Karten',
    none: 'Es gibt noch keine Karte.',
    which: (digits) => `Karte ${digits}`,
    frozenByBank: 'Die Bank hat diese Karte gesperrt. Bitte fragen Sie die Bank.',
    freeze: 'Sperren',
    unfreeze: 'Entsperren',
    turned: {
      freeze: (digits) => `Karte ${digits} ist gesperrt.`,
      unfreeze: (digits) => `Karte ${digits} kann wieder benutzt werden.`,
    },
    cancel: 'Kündigen',
    cancelTitle: (digits) => `Karte ${digits} kündigen?`,
    cancelText:
      'Das ist endgültig: Die Karte kann nie wieder benutzt werden. Für eine Pause sperren Sie sie stattdessen.',
    cancelForGood: 'Endgültig kündigen',
    keep: 'Karte behalten',
    cancelled: (digits) => `Karte ${digits} ist gekündigt.`,
    order: 'Karte bestellen',
    ordered: (digits) => `Ihre neue Karte endet auf ${digits}.`,
    nickname: 'Kurzname',
    nicknameHint: 'Freiwillig, etwa Einkauf',
    tooMany: 'Dieses Konto hat so viele Karten, wie es darf. Kündigen Sie zuerst eine.',
    where: (digits) => `Wo Karte ${digits} benutzt werden kann`,
    channels: {
      online: 'Online',
      abroad: 'Im Ausland',
      contactless: 'Kontaktlos',
      cash: 'Geldautomaten',
    },
    switched: {
      on: (what, digits) => `Karte ${digits}: ${what} ist eingeschaltet.`,
      off: (what, digits) => `Karte ${digits}: ${what} ist ausgeschaltet.`,
    },
    limits: 'Limits',
    limitsOf: (digits) => `Limits der Karte ${digits}`,
    perPayment: (money) => `${money} je Zahlung`,
    perDay: (money) => `${money} am Tag`,
    noLimits: 'Keine Limits',
    perPaymentIn: (currency) => `Höchstens je Zahlung (${currency})`,
    perDayIn: (currency) => `Höchstens am Tag (${currency})`,
    limitHint: 'Leer lassen für kein Limit. Mit 0 kann nichts bezahlt werden.',
    limitsSaved: (digits) => `Die Limits der Karte ${digits} sind gespeichert.`,
  },
}
