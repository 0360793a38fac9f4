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
    why: 'Reason',
    reasons: {
      account: 'There is no account with this number.',
      closed: 'The account of the payee is closed.',
      blocked: 'The account of the payee is blocked.',
      duplicate: 'It was paid twice.',
      asked: 'It was asked for back.',
    },
    otherReason: (code: string) => `The other bank gave the code ${code}.`,
    cancel: 'Cancel the payment',
    title: (money: string) => `Cancel the payment of ${money}?`,
    text: 'It is not sent, and the money is back in your account at once.',
    keep: 'Keep it',
    done: 'The payment is cancelled. The money is back in your account.',
  },
}
