// The texts in English of the page that customers begin with.
import { plural } from '../plural.ts'

export const texts = {
  home: {
    title: (name: string) => `Hello ${name}`,
    pay: 'Pay',
    accounts: 'Accounts',
    moreAccounts: (count: number) => plural(count, 'more account', 'more accounts'),
    total: (currency: string) => `Total in ${currency}`,
    newest: 'Newest entries',
    blocked: 'Blocked',
    frozenText: 'No money can leave this account. Please ask the bank.',
    overdrawn: 'Overdrawn',
    overdrawnText: 'The balance is below zero. Please move money to this account.',
    lackingText:
      'Card payments took more than the account had. No money leaves it until this is paid in.',
    order: 'Standing order',
    orderStates: { paused: 'Paused', waiting: 'Waits for money', refused: 'Not paid' },
  },
}
