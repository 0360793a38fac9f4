// The texts in English of payments from other banks and of new accounts of the bank.

export const texts = {
  incoming: {
    title: 'Payment from another bank',
    details: 'What came',
    iban: 'IBAN of the account it is for',
    ibanHint: 'An account of this bank.',
    currency: 'Currency',
    name: 'Name of the payer',
    debtorIban: 'IBAN of the payer (optional)',
    reference: 'Reference (optional)',
    externalId: 'Number of the payment (optional)',
    externalIdHint:
      'As the other bank or the rail numbers it. With the same number it is booked once.',
    toSuspense: 'Keep it in “Suspense” where it cannot be credited',
    confirm: 'Credit it',
    done: 'It is credited',
    another: 'Book another',
  },
  bankAccountNew: {
    title: 'New account of the bank',
    details: 'The account',
    meaning: 'It stays for good: entries name it for ever.',
    name: 'Name',
    code: 'Code',
    codeHint: 'Small letters, digits and hyphens, such as card-scheme. It stays as it is.',
    badCode: 'A code has 2 to 30 small letters, digits or hyphens, and begins with a letter.',
    currency: 'Currency',
    add: 'Add the account',
    done: 'The account is added',
    show: 'Show the account',
    look: 'Look whether it was added',
  },
}
