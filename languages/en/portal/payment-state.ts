// The texts in English of what becomes of a payment to another bank, for its payer.

export const texts = {
  paymentState: {
    states: {
      pending: 'You can cancel it until the bank sends it.',
      sent: 'The other bank has not confirmed it yet. It can no longer be cancelled.',
      completed: 'It has arrived at the other bank.',
      returned: 'The other bank sent the money back.',
      cancelled: 'It was cancelled before it was sent.',
    },
    leaves: (day: string, by: string) => `It leaves on ${day}, and arrives by the end of ${by}.`,
    why: 'Reason',
    reasons: {
      account: 'There is no account with this number.',
      closed: 'The account of the payee is closed.',
      blocked: 'The account of the payee is blocked.',
      duplicate: 'It was paid twice.',
      asked: 'It was asked for back.',
      changed: 'The details of the account of the payee have changed.',
      kind: 'The account of the payee does not take payments of this kind.',
      amount: 'The other bank does not take this amount or currency.',
      name: 'The name does not match the account.',
      details: 'Details of the payer or the payee are missing or wrong.',
      bank: 'The bank of the payee cannot be reached with these details.',
      technical: 'There was a problem at the other bank.',
      unowed: 'The payee says that nothing is owed.',
      law: 'The law does not let the other bank take it.',
      unsaid: 'The other bank does not say why.',
      refused: 'The other bank did not take it.',
    },
    otherReason: (code: string) => `The other bank did not take it. It gave the code ${code}.`,
    cancel: 'Cancel the payment',
    title: (money: string) => `Cancel the payment of ${money}?`,
    text: 'It is not sent, and the money is back in your account at once.',
    keep: 'Keep it',
    done: 'The payment is cancelled. The money is back in your account.',
  },
}
