// The texts in English of the trial balance.
import type { BankCode } from '../../words.ts'

export const texts = {
  trial: {
    add: 'Add an account',
    postings: 'Many postings',
    heading: 'Trial balance',
    account: 'Account of the bank',
    balance: 'Balance',
    customers: 'All customers',
    total: 'Total',
    unsound: 'The total is not zero. Tell the operator at once.',
    none: 'No money has been moved yet.',
    caption: (currency: string) => `Accounts in ${currency}`,
    codes: {
      cash: 'Cash',
      clearing: 'Payments to and from other banks',
      fees: 'Fees',
      interest: 'Interest',
      suspense: 'Suspense',
      opening: 'Opening balances',
    } satisfies Record<BankCode, string>,
  },
}
