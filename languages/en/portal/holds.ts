// The texts in English of what is reserved in an account, and of its former bank.

export const texts = {
  hold: {
    kinds: {
      authorization: 'Card payment',
      seizure: 'Seizure',
      dispute: 'Dispute',
    },
    until: (at: string) => `until ${at}`,
    open: 'until the bank releases it',
  },
  reserved: {
    title: 'Reserved',
    note: 'This money is still in the account and cannot be spent.',
    none: 'Nothing is reserved any more.',
    cardPayments: 'All card payments',
  },
  formerEntries: {
    title: 'Entries of your former bank',
    note: 'Your former bank booked them. They are not part of our books, balances and statements.',
    staffNote:
      'The former bank booked them. They are not part of the books, balances and statements of this bank.',
    none: 'The former bank booked nothing in this account.',
  },
  staffHolds: {
    title: 'Holds',
    none: 'Nothing is held in this account.',
    place: 'Place a hold',
    placeText: 'What is held stays in the account and cannot leave it.',
    kind: 'Kind',
    reasonHint: 'The holder sees it.',
    untilDay: 'Held until the end of',
    untilHint: 'Optional: without a day until it is released. At most 400 days ahead.',
    badDay: 'Please choose a day from today, at most 400 days ahead.',
    placed: (money: string) => `${money} is held.`,
    release: 'Release',
    releaseTitle: (money: string) => `Release ${money}?`,
    releaseText: 'The money can be spent again at once.',
    released: (money: string) => `${money} is released.`,
    change: 'Change the day',
    changed: 'The day is changed.',
    of: (what: string) => `hold ${what}`,
  },
}
