// The texts in English of the bank’s own accounts and of what it books on them.

export const texts = {
  bankAccount: {
    title: (name: string, currency: string) => `${name} (${currency})`,
    kind: 'Kind',
    history: 'Entries, newest first',
    noEntry: 'This account has no entry yet.',
    statement: 'Statement',
    month: 'Month',
    days: (zone: string) => `The days of the month are those in ${zone}.`,
    formats: { pdf: 'PDF', csv: 'CSV', camt053: 'camt.053' },
  },
  posting: {
    title: 'Fee, interest or correction',
    what: 'What is booked',
    bankAccount: 'Account of the bank',
    confirm: 'Book',
    done: 'It is booked',
    another: 'Book another',
    forms: {
      fee: 'Take a fee',
      interestPaid: 'Pay interest',
      interestCharged: 'Charge interest',
      correctionIn: 'Correct: money in',
      correctionOut: 'Correct: money out',
    },
  },
}
