// The texts in English of payees.

import { plural } from '../plural.ts'

export const texts = {
  beneficiaries: {
    title: 'Beneficiaries',
    list: 'Saved beneficiaries',
    add: 'Add a beneficiary',
    added: 'The beneficiary was added.',
    none: 'There is no beneficiary yet. Add one to pay somebody else.',
    deactivated: 'Deactivated',
    pay: 'Pay',
    trusted: 'Trusted',
    trust: 'Trust',
    untrust: 'Stop trusting',
    deactivate: 'Deactivate',
    reactivate: 'Reactivate',
    turned: {
      deactivate: (name: string) => `${name} is deactivated and cannot be paid until reactivated.`,
      reactivate: (name: string) => `${name} is active again.`,
      trust: (name: string) => `Payments to ${name} are no longer confirmed by a second factor.`,
      untrust: (name: string) => `${name} is no longer trusted.`,
    },
    remove: 'Delete',
    removeTitle: (name: string) => `Delete ${name}?`,
    removeText:
      'This is for good: to pay it again you have to add it anew. Past payments stay as they are. To pause, deactivate it instead.',
    removeForGood: 'Delete for good',
    removed: (name: string) => `${name} was deleted.`,
    name: 'Name',
    nameHint: 'Of the person or company that holds the account',
    paste: 'You can paste the text of a payment QR code: it fills in everything.',
    pasted:
      'The QR code filled in the payee, the amount and the reference. Please compare them with the invoice.',
    iban: 'IBAN',
    ibanHint: 'With or without spaces',
    nickname: 'Nickname',
    nicknameHint: 'Optional. Only you see it.',
    save: 'Save',
    once: 'Only for this payment: do not keep the beneficiary',
    toPayment: 'Continue to the payment',
    closeMatch: (name: string) =>
      `The account belongs to ${name}. Compare it with the name that you wrote.`,
    useName: (name: string) => `Write ${name}`,
    noMatch:
      'The account belongs to somebody else than you wrote. Ask the person you want to pay before you go on.',
    notCompared:
      'The name could not be compared with that of the holder. Compare the IBAN with the invoice, and ask the person you want to pay if you are not sure.',
    goOn: 'Go on with my name',
    savedAlready: 'This account has a beneficiary with this IBAN already.',
    badIban: 'This is not an IBAN. Please compare it again.',
    ownIban: 'This is the IBAN of the account itself. A payment to it would change nothing.',
    search: 'Name, or a part of the IBAN',
    noneFound: 'Nothing fits.',
  },
  whom: {
    title: 'Whom do you pay?',
    search: 'Name, IBAN, or the text of a QR code',
    last: 'Last paid',
    somebody: 'Somebody new',
    somebodyNote: 'Name and IBAN; the name is compared before you pay',
    found: (count: number) => plural(count, 'payee fits', 'payees fit'),
  },
}
