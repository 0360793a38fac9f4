// The texts in English of the bank in totals, for staff.

export const texts = {
  today: {
    title: 'The bank today',
    refresh: 'Refresh',
    asOf: 'As of',
    pending: 'Pending payments',
    sessions: 'Live sessions',
    active: 'Active people',
    disabled: 'Disabled people',
    orMore: (count: string) => `${count} or more`,
    currencies: 'Money by currency',
    currenciesCaption: 'Open accounts, what customers have, and payments to other banks',
    currency: 'Currency',
    accounts: 'Open accounts',
    balances: 'Customers’ balances',
    pendingAmount: 'Pending amount',
    noAccounts: 'No account is open yet. Customers open their own; staff find them by Search.',
    refused: 'Refusals',
    refusalsCaption: 'In the last 24 hours',
    kind: 'Kind',
    count: 'Number',
    refusals: {
      failure: 'Failed sign-ins',
      limited: 'Too many sign-ins',
      forbidden: 'Not permitted',
    },
    verification: 'Verification of the books',
    neverVerified:
      'The books have never been verified. The operator runs “strongroom verify”, best every day.',
    sound: 'Sound',
    unsound: 'Not sound',
    soundMeaning: 'Every entry, balance and sum was proven.',
    unsoundMeaning: 'Something does not agree. Tell the operator at once.',
    toEvent: 'Show the run in the audit trail',
  },
}
