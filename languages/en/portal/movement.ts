// The texts in English of a movement of money that is told on every page.

export const texts = {
  movement: {
    kinds: {
      payment: (money: string) => `Payment of ${money}`,
      deposit: (money: string) => `Deposit of ${money}`,
      withdrawal: (money: string) => `Withdrawal of ${money}`,
      reversal: (_money: string) => 'Reversal',
      posting: (money: string) => `Booking of ${money}`,
      order: (money: string) => `Standing order of ${money}`,
    },
    unknown: (what: string) =>
      `${what}: the answer was lost. We are finding out what happened. Please do not pay it again.`,
    made: (what: string) => `${what}: made.`,
    onItsWay: (what: string) => `${what}: on its way to the other bank.`,
    madeOnce: (what: string) =>
      `${what}: an answer was lost on its way. It was made, and only once.`,
    refused: (what: string) => `${what}: not made.`,
    forgotten: (time: string) =>
      `The payment or booking that you sent on ${time}: your session ended before the answer came, so we do not know whether it was made. Look for it before you send it again.`,
    tooLate: (what: string) =>
      `${what}: we could not find out whether it was made. Look for it in the account before you pay again.`,
    order: {
      unknown: (what: string) =>
        `${what}: the answer was lost. We are finding out what happened. Please do not make it again.`,
      made: (what: string) => `${what}: made. The bank pays on its days.`,
      madeOnce: (what: string) =>
        `${what}: an answer was lost on its way. It was made, and only once.`,
      refused: (what: string) => `${what}: not made.`,
      tooLate: (what: string) =>
        `${what}: we could not find out whether it was made. Look for it in the list of orders before you make it again.`,
    },
    show: 'Show',
  },
}
