// The texts in German of what becomes of a payment to another bank, for its payer.
import type { texts as english } from '../../en/portal/payment-state.ts'

export const texts: typeof english = {
  paymentState: {
    states: {
      pending: 'Bis die Bank sie sendet, können Sie sie abbrechen.',
      sent: 'Die andere Bank hat sie noch nicht bestätigt. Sie kann nicht mehr abgebrochen werden.',
      completed: 'Sie ist bei der anderen Bank angekommen.',
      returned: 'Die andere Bank hat das Geld zurückgeschickt.',
      cancelled: 'Sie wurde abgebrochen, bevor sie gesendet war.',
    },
    leaves: (day, by) => `Sie geht am ${day} ab und kommt spätestens am ${by} an.`,
    broughtBack: 'Das Geld kam zurück: zu diesem Umsatz',
    monthly: 'Jeden Monat zahlen',
    again: 'Erneut zahlen',
    arrived: 'Sie ist angekommen.',
    why: 'Grund',
    reasons: {
      account: 'Es gibt kein Konto mit dieser Nummer.',
      closed: 'Das Konto des Empfängers ist geschlossen.',
      blocked: 'Das Konto des Empfängers ist gesperrt.',
      duplicate: 'Sie wurde doppelt bezahlt.',
      asked: 'Das Geld wurde zurückverlangt.',
      changed: 'Die Angaben zum Konto des Empfängers haben sich geändert.',
      kind: 'Das Konto des Empfängers nimmt keine Zahlungen dieser Art an.',
      amount: 'Die andere Bank nimmt diesen Betrag oder diese Währung nicht an.',
      name: 'Der Name passt nicht zum Konto.',
      details: 'Angaben zum Zahler oder zum Empfänger fehlen oder sind falsch.',
      bank: 'Die Bank des Empfängers ist mit diesen Angaben nicht erreichbar.',
      technical: 'Bei der anderen Bank gab es ein Problem.',
      unowed: 'Der Empfänger sagt, dass nichts geschuldet ist.',
      law: 'Die andere Bank darf sie nach dem Gesetz nicht annehmen.',
      unsaid: 'Die andere Bank nennt keinen Grund.',
      refused: 'Die andere Bank hat sie nicht angenommen.',
    },
    otherReason: (code) => `Die andere Bank hat sie nicht angenommen. Sie nannte den Code ${code}.`,
    cancel: 'Überweisung abbrechen',
    title: (money) => `Die Überweisung von ${money} abbrechen?`,
    text: 'Sie wird nicht gesendet, und das Geld ist sofort wieder auf Ihrem Konto.',
    keep: 'Behalten',
    done: 'Die Überweisung ist abgebrochen. Das Geld ist wieder auf Ihrem Konto.',
  },
}
