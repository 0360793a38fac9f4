// The texts in English of standing orders.
import type { OrderStatus, RunRefusal } from '../../words.ts'

export const texts = {
  orders: {
    title: 'Standing orders',
    list: 'Orders of this account',
    add: 'New standing order',
    none: 'There is no standing order yet. With one, the bank pays for you on its days.',
    made: 'The order is made. The bank pays on its days.',
    upcoming: 'The next 30 days',
    upcomingCaption: 'Payments of the next 30 days',
    day: 'Day',
    payee: 'Payee',
    amount: 'Amount',
    left: 'Available then',
    ownAccount: 'Own account',
    goneName: 'Deleted payee',
    noneOfHolder: 'There is no standing order for this account.',
    accountOfHolder: 'Another account of the holder',
    statuses: {
      active: 'Active',
      paused: 'Paused',
      ended: 'Ended',
    } satisfies Record<OrderStatus, string>,
    rhythms: { once: 'Once', weekly: 'Weekly', monthly: 'Monthly', yearly: 'Yearly' },
    next: (day: string) => `Next on ${day}`,
    noNext: 'No further day',
    until: (day: string) => `until ${day}`,
    missed: 'Paused by the bank: many days were missed. Resume it if it is to go on.',
    pausesForStaff: {
      owner: 'Paused by the holder, or by a program that may pay from the account.',
      missed: 'Paused by the bank: many days were missed. The holder resumes it if it is to go on.',
    },
    aboveLimit: 'The amount is above the daily limit of the account: the day will be refused.',
    byProgram: 'Ordered by a program that may pay from the account.',
    runs: 'What became of its days',
    noRuns: 'No day has come yet.',
    outcomes: {
      made: 'paid',
      refused: 'not paid',
      skipped: 'left out',
      waiting: 'waits for money',
    },
    refusals: {
      insufficient_funds: 'not enough money',
      limit_exceeded: 'above the daily limit',
      account_frozen: 'account frozen',
      account_closed: 'account of the payee closed',
      beneficiary_inactive: 'payee deactivated',
      beneficiary_cooling: 'payee too new',
      not_found: 'payee deleted',
      currency_mismatch: 'account of the payee in another currency',
      forbidden: 'no right to pay from the account',
    } satisfies Record<RunRefusal, string>,
    otherRefusal: 'not possible',
    skip: 'Leave out the next day',
    pause: 'Pause',
    resume: 'Resume',
    end: 'End',
    turned: {
      pause: 'The order is paused.',
      resume: 'The order goes on.',
      'skip-next': 'The next day is left out.',
    },
    endTitle: (name: string) => `End the order to ${name}?`,
    endText: 'Nothing more is paid by it. What was paid stays as it is.',
    endForGood: 'End the order',
    ended: 'The order was ended.',
    rhythm: 'How often',
    firstOn: 'First day',
    firstHint: 'Today or later. A day that a month lacks is its last one.',
    dayHint: 'Today or later.',
    lastOn: 'Last day (optional)',
    lastHint: 'Without it the order goes on until you end it.',
    badDay: 'Please enter a day, today or later.',
    badLastDay: 'Please enter a day that is not before the first one.',
    retry: 'If there is not enough money',
    retries: (days: number) =>
      days === 0
        ? 'Do not pay that day'
        : days === 1
          ? 'Try for one more day'
          : `Try for ${days} more days`,
    payeeStays: 'The beneficiary stays saved: the order pays it later.',
    otherName:
      'It was made although the name of the payee does not match, or could not be compared.',
    makeAnyway: 'Make it nevertheless',
    make: 'Make the order',
    titleChecking: 'Your order is being checked',
    tooLate: (money: string) =>
      `We could not find out whether this standing order of ${money} was made. Look for it in the list before you make it again.`,
  },
}
