// The texts in English of what customers need daily.

export const texts = {
  transfer: {
    title: 'Pay',
    titleReview: 'Check and confirm',
    titleChecking: 'Your payment is being checked',
    choose: 'Please choose',
    chooseTarget: 'Choose whom to pay.',
    ownAccounts: 'Your accounts',
    beneficiaries: 'Beneficiaries',
    newBeneficiary: 'Add a beneficiary',
    allFrozen: 'All your accounts are frozen or blocked. No money can leave them.',
    available: (money: string) => `${money} can be paid from it now.`,
    amountIn: (currency: string) => `Amount in ${currency}`,
    amountExample: (example: string) => `For example ${example}`,
    amountRead: (money: string) => `You pay ${money}.`,
    referenceHint: 'Optional. The recipient sees it.',
    when: 'When',
    whens: {
      now: 'Now',
      once: 'On a day',
      weekly: 'Every week',
      monthly: 'Every month',
      yearly: 'Every year',
    },
    review: 'Continue',
    change: 'Change',
    elsewhere: (day: string, by: string) =>
      `To another bank the payment leaves on ${day}, and arrives by the end of ${by}.`,
    pay: (money: string) => `Pay ${money}`,
    paidBefore: (ago: string) => `You paid the same ${ago}. Pay it again?`,
    payAnyway: (money: string) => `Pay ${money} nevertheless`,
    compared: {
      match: 'The name is that of the holder.',
      close_match: (name: string) =>
        `The account belongs to ${name}. Compare it with the name of your payee.`,
      no_match:
        'The account belongs to somebody else. Ask the person you want to pay before you go on.',
      not_possible:
        'The bank of the payee did not tell whether the name is right. Compare the IBAN with the invoice.',
      failed: 'The name could not be compared. Compare the IBAN with the invoice.',
    },
    payAgain: (money: string) => `Pay ${money} again`,
    balanceNow: 'Balance now',
    beyond: 'This is more than can be paid from the account now.',
    tooLate: (money: string) =>
      `We could not find out whether your payment of ${money} was made. Look for it in the account before you pay again.`,
    toAccount: 'To the account',
    forget: 'I have looked',
    receipt: 'Receipt',
    told: {
      made: 'Your payment was made.',
      onItsWay: 'Your payment is accepted. The bank sends it to the other bank.',
      checked: 'An answer was lost on its way. Your payment was made, and only once.',
      duplicate: 'The same payment was made moments ago. This is it; nothing was paid again.',
    },
    another: 'New payment',
  },
}
